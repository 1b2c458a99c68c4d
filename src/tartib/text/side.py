"""`TextSide`: raw lines of one language to tokens, and tokens to raw text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from tartib.errors import DataError, problems_of
from tartib.storage import Fields
from tartib.text.casing import Casing
from tartib.text.doubts import doubts_about
from tartib.text.languages import lower
from tartib.text.normalisation import GLUE, Normaliser
from tartib.text.options import SideOptions
from tartib.text.profile import Profile
from tartib.text.quotes import has_quotes, in_pairs, paired
from tartib.text.segmentation import segmenter
from tartib.text.sentences import join_sentences, split_sentences
from tartib.text.style import CHOICES, Style
from tartib.text.subwords import Subwords
from tartib.text.tokens import Tokeniser

_sign = re.compile(rf"{GLUE}?([.,;:!?\"()\[\]…،؛؟“”„‟‘’«»‹›]+){GLUE}?").fullmatch
_SEGMENTERS = ("", "fugashi", "jieba", "characters", "runs")


class TextSide:
    """All that is known of one side; it does not change.

    Parameters
    ----------
    language
        Its code, such as ``de``; empty if unknown.
    options
        What is done to the text.
    segmentation
        What cuts text without spaces into words; empty for a side with spaces.
    casing, style, profile
        What was learnt.
    subwords
        Bytes of a model of sentencepiece.
    path
        Where it was loaded from, for errors.

    Attributes
    ----------
    tokenised
        Whether the training text was tokenised: its signs stand apart from words.
    """

    def __init__(
        self,
        language: str,
        options: SideOptions,
        segmentation: str,
        casing: Casing,
        style: Style,
        profile: Profile,
        subwords: bytes | None = None,
        path: Path | None = None,
    ) -> None:
        self.language = language
        self.options = options
        self.segmentation = segmentation
        self.casing = casing
        self.style = style
        self.profile = profile
        self.normalise = Normaliser(options, language)
        self.tokeniser = tokeniser_of(language, options, segmentation)
        marked = self.tokeniser.marked
        self.subwords = None if subwords is None else Subwords(subwords, path, marked)
        self._lower = options.case == "lower" or (options.case == "true" and casing.small_only)
        self.tokenised = profile.shape.tokenised

    def __reduce__(self) -> tuple[type[TextSide], tuple[object, ...]]:
        """Go to another process: what was learnt, without what is remembered."""
        model = self.subwords.model if self.subwords else None
        learnt = (self.segmentation, self.casing, self.style, self.profile, model)
        return TextSide, (self.language, self.options, *learnt)

    def __repr__(self) -> str:
        return f"TextSide({self.language!r})"

    @property
    def unspaced(self) -> bool:
        """Whether the side is written without spaces between words."""
        return bool(self.segmentation)

    @property
    def cut_by(self) -> str:
        """What cuts text into words: spaces, fugashi, jieba, characters or runs."""
        return self.segmentation or "spaces"

    @property
    def cased(self) -> bool:
        """Whether the training text had capitals that mean something."""
        return self.casing.cased

    def prepare(self, line: str) -> str:
        """Return the tokens of a raw line, separated by spaces."""
        line = self.normalise(line)
        if self._lower:
            line = self.normalise(lower(line, self.language))
        tokens = self.tokeniser.cut(line)
        if self.options.case == "true":
            tokens = self.casing.prepare(line, tokens)
        if self.tokenised:  # as the training text was, in which no sign is joined to a word
            tokens = [found[1] if (found := _sign(token)) else token for token in tokens]
        if self.subwords:
            tokens = self.subwords.split(tokens)
        return " ".join(tokens)

    def restore(self, tokens: str | Sequence[str], *, like: str | None = None) -> str:
        """Return the raw text of tokens.

        Parameters
        ----------
        tokens
            As `prepare` gives them, or those of a translation.
        like
            The raw line that was translated: if it begins with a small letter, so does the result,
            and if it is all in capitals, so is the result. Without it sentences begin as they do in
            the training text.
        """
        return self.join(self.written(tokens, like=like))

    def written(self, tokens: str | Sequence[str], *, like: str | None = None) -> list[str]:
        """Return tokens as they are written, to be joined by `join`.

        There are as many of them; a quotation mark that has no partner is empty, unless the raw
        line that was translated has such marks, too.
        """
        words = tokens.split() if isinstance(tokens, str) else list(tokens)
        if self.normalise.plain and like is not None and has_quotes(words) and in_pairs(like):
            words = paired(words, GLUE)
        if self.options.case == "true":
            words = self.casing.restore(words, like)
        return self.style.restore(words, self.join) if self.normalise.plain else words

    def join(self, written: Sequence[str]) -> str:
        """Return the raw text of tokens that are `written`."""
        return self.tokeniser.join(filter(None, written))

    def doubts(self, lines: Sequence[str], other: TextSide | None = None) -> list[str]:
        """Return warnings about raw lines that are not like those that the side was learnt from."""
        profile = other.profile if other else None
        names = (self.language, other.language if other else "")
        return doubts_about(lines, self.profile, profile, names)

    def sentences(self, paragraph: str) -> list[str]:
        """Cut a raw paragraph into sentences."""
        return split_sentences(paragraph, self.language)

    def paragraph(self, sentences: Sequence[str]) -> str:
        """Make a raw paragraph of sentences."""
        return join_sentences(sentences)

    def as_json(self) -> dict[str, Any]:
        """Return what `from_json` reads, apart from the model of subwords."""
        return {
            "language": self.language,
            "options": self.options.model_dump(),
            "segmentation": self.segmentation,
            "style": self.style.forms,
            "casing": self.casing.as_json(),
            "profile": self.profile.as_json(),
            "subwords": self.subwords is not None,
        }

    @classmethod
    def from_json(cls, path: Path, fields: Fields, subwords: tuple[bytes, Path] | None) -> TextSide:
        """Read what `as_json` gave."""
        language = fields.text("language")
        if not (language == "" or (language.isascii() and language.isalnum())):
            fields.wrong(f"language {language!r} is not a code of a language")
        try:
            options = SideOptions.model_validate(fields.mapping("options"))
        except ValidationError as error:
            hint = "make the folder again"
            raise DataError(path, None, problems_of(error.errors()), hint) from None
        segmentation = fields.text("segmentation")
        if segmentation not in _SEGMENTERS:
            fields.wrong(f"segmentation {segmentation!r} is unknown")
        style = fields.inner("style")
        forms = {name: style.text(name) for name in CHOICES}
        for name, choices in CHOICES.items():
            if len(forms[name]) != 1 or forms[name] not in choices:
                fields.wrong(f"style has an unknown {name} {forms[name]!r}")
        return cls(
            language,
            options,
            segmentation,
            Casing.from_json(language, fields.inner("casing")),
            Style(forms),
            Profile.from_json(fields.inner("profile")),
            *(subwords or (None, None)),
        )


def tokeniser_of(language: str, options: SideOptions, segmentation: str) -> Tokeniser:
    """Return what cuts lines of a side into tokens."""
    return Tokeniser(
        language,
        hyphens=options.hyphens,
        unspaced=bool(segmentation),
        segmenter=segmenter(segmentation) if segmentation else None,
    )
