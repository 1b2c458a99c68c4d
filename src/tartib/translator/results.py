"""What a translator returns: raw text, and the decoder's translation that it was made of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from tartib.decoder.translation import Hypothesis, Translation

if TYPE_CHECKING:
    from tartib.text import TextModel, TextSide


_MOST_TOKENS = 4096  # whose words are told from one another: time grows with the square


@dataclass(frozen=True)
class Translated:
    """A sentence and its translation as people write them.

    Attributes
    ----------
    source
        The sentence as it was given.
    translation
        What the decoder found: tokens, n-best list, steps, features.
    """

    source: str
    translation: Translation
    _text: TextModel | None = field(default=None, repr=False, compare=False)

    @property
    def is_raw(self) -> bool:
        """Whether source and text are raw text, not tokens."""
        return self._text is not None

    @cached_property
    def text(self) -> str:
        """The best translation."""
        return self.restored(self.translation.best)

    @property
    def nbest(self) -> list[str]:
        """All translations of the n-best list; different tokens may become the same text."""
        return [self.text, *map(self.restored, self.translation.nbest[1:])]

    def restored(self, hypothesis: Hypothesis) -> str:
        """Return a translation of the n-best list as text."""
        if self._text is None:
            return hypothesis.text
        return self._text.target.restore(hypothesis.words, like=self.source)

    @property
    def warnings(self) -> tuple[str, ...]:
        """What the user should know: the sentence was cut, for example."""
        return self.translation.warnings

    @property
    def n_words(self) -> int:
        """Tokens of the source."""
        return len(self.translation.source)

    @property
    def n_unknown(self) -> int:
        """How many of them the phrase table does not have."""
        return self.translation.n_unknown

    @property
    def sentences(self) -> tuple[Translated, ...]:
        """Itself, as the only sentence of its line."""
        return (self,)

    @property
    def alignment(self) -> list[tuple[int, int]]:
        """Which words of ``source.split()`` became which words of ``text.split()``, from 0.

        Empty where tokens and words cannot be told from one another. Languages without spaces have
        a word for each sentence: their alignment is ``translation.best.alignment``, in tokens.
        """
        if self._text is None:
            return self.translation.best.alignment
        found = self.translation
        source = words_of_tokens(self._text.source, found.source, self.source, self.source)
        target = words_of_tokens(self._text.target, found.best.words, self.text, self.source)
        if source is None or target is None:
            return []
        return sorted({(source[i], target[j]) for i, j in found.best.alignment})


@dataclass(frozen=True)
class Paragraph:
    """A line of a document and its translation.

    Attributes
    ----------
    source
        The line as it was given.
    sentences
        Its sentences, translated one by one.
    """

    source: str
    sentences: tuple[Translated, ...]
    _text: TextModel | None = field(default=None, repr=False, compare=False)

    @cached_property
    def text(self) -> str:
        """The translations, joined."""
        texts = [text for sentence in self.sentences if (text := sentence.text)]
        return " ".join(texts) if self._text is None else self._text.target.paragraph(texts)

    @property
    def warnings(self) -> tuple[str, ...]:
        """Those of all sentences."""
        return tuple(warning for sentence in self.sentences for warning in sentence.warnings)

    @property
    def n_words(self) -> int:
        """Tokens of all sentences."""
        return sum(sentence.n_words for sentence in self.sentences)

    @property
    def n_unknown(self) -> int:
        """How many of them the phrase table does not have."""
        return sum(sentence.n_unknown for sentence in self.sentences)


def words_of_tokens(
    side: TextSide, tokens: Sequence[str], text: str, like: str | None = None
) -> list[int] | None:
    """Return for each token which word of a text it is in, by white space.

    None if the tokens do not become as many words as the text has, or are more than a few thousand.
    """
    if len(tokens) > _MOST_TOKENS:
        return None
    written = side.written(tokens, like=like)
    found = [max(len(side.join(written[:end]).split()) - 1, 0) for end in range(1, len(tokens) + 1)]
    n_words = len(text.split())
    return found if found and found[-1] == n_words - 1 and found[0] == 0 else None
