"""Whether a text is one that a system was made for: unknown words, another language, tokens.

What is said is for the end of a command; nothing is changed or refused.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from math import sqrt
from typing import TYPE_CHECKING

from tartib.translator.results import Paragraph, Translated
from tartib.wording import counted

if TYPE_CHECKING:
    from tartib.translator.translator import Translator
    from tartib.vocabulary import Vocabulary

_SAMPLE = 1000  # sentences that are looked at more closely
# Unknown words, as a share: what is usual for systems that do not know their own, and what is far
# above the usual one.
_MOST_UNKNOWN = 0.08
_LEAST_LIMIT, _TIMES_USUAL, _BEYOND_USUAL = 0.05, 1.5, 0.02
_FEWEST = 3
_TRANSLATION = re.compile(r"<[A-Za-z][^<>]*\s(?:translation|english)=[\"']")
_SHORT = 20  # words: in longer texts shares tell
_DEVIATIONS = 2  # beyond the limit: a few words of a short text may be unknown by chance
_MANY = 0.25  # of the unknown words: as many have one cause


@dataclass
class InputCheck:
    """Counts what is translated, and says what seems wrong with it.

    Attributes
    ----------
    translator
        What translates.
    lines, words, unknown
        Lines so far, their words, and the unknown ones of these.
    """

    translator: Translator
    lines: int = 0
    words: int = 0
    unknown: int = 0
    _sample: list[tuple[str, tuple[str, ...]]] = field(default_factory=list, repr=False)

    def add(self, found: Translated | Paragraph) -> None:
        """Count a line."""
        self.lines += 1
        self.words += found.n_words
        self.unknown += found.n_unknown
        if len(self._sample) < _SAMPLE:
            # Not whole translations, which have all that the search knew.
            self._sample += ((s.source, s.translation.source) for s in found.sentences)

    @property
    def limit(self) -> float:
        """The share of unknown words beyond which something is off."""
        usual = self.translator.usual_unknown
        if usual is None:
            return _MOST_UNKNOWN
        return max(_LEAST_LIMIT, _TIMES_USUAL * usual + _BEYOND_USUAL)

    def doubts(self) -> list[str]:
        """Return warnings, in words; none for a text as the system knows it."""
        if not self.words:
            return []
        found = []
        text = self.translator.text
        if text is not None:
            found = text.source.doubts([source for source, _ in self._sample], text.target)
        tagged = sum(_TRANSLATION.search(source) is not None for source, _ in self._sample)
        if tagged:
            lines = counted(tagged, "line")
            found.append(f"{lines} with tags that have translations: --markup reads them")
        most = self.limit * self.words
        if words := self._words_if_none_is_known():
            found.append(self._about_none(words, asked=bool(found)))
        elif self.unknown >= _FEWEST and self.unknown > most + _DEVIATIONS * sqrt(most):
            found.append(self._about_unknown(asked=bool(found)))
        return found

    def _words_if_none_is_known(self) -> int:
        """Return how many words a short text has if none of them is known, otherwise 0."""
        if self.words > _SHORT or len(self._sample) < self.lines:
            return 0
        known = self.translator.decoder.table.source_vocabulary
        words = [word for _, tokens in self._sample for word in tokens if _is_word(word)]
        is_any_known = self.unknown < len(words) or any(word in known for word in words)
        return 0 if is_any_known else len(words)

    def _about_none(self, words: int, *, asked: bool) -> str:
        said = "its only word is" if words == 1 else f"all of its {words} words are"
        said += " unknown to the phrase table"
        return said if asked else f"{said}: {self._cause()}"

    def _about_unknown(self, *, asked: bool) -> str:
        """Return the warning of many unknown words, with the likely cause unless that is said."""
        said = (
            f"{self.unknown:,} of {counted(self.words, 'word')} are unknown to the phrase table "
            f"({self.unknown / self.words:.1%}"
        )
        usual = self.translator.usual_unknown
        said += ")" if usual is None else f"; of its development set {usual:.1%})"
        return said if asked else f"{said}: {self._cause()}"

    def _cause(self) -> str:
        table = self.translator.decoder.table
        source, target = table.source_vocabulary, table.target_vocabulary
        tokens = Counter(token for _, words in self._sample for token in words)
        unknown = Counter({token: n for token, n in tokens.items() if token not in source})
        other = sum(n for token, n in tokens.items() if _has_letter(token) and token in target)
        own = sum(n for token, n in tokens.items() if _has_letter(token) and token in source)
        if other > own:
            return "most of them are words of the target language: is it the right side?"
        if self.translator.text is not None:
            name = self.translator.text.source.language
            language = f"in the source language ({name})" if name else "in the source language"
            return f"is it {language}, and about what the training text was about?"
        total = sum(unknown.values())
        if _known_as(unknown, source, _bare) > _MANY * total:
            return (
                "many would be known without the punctuation that is attached to them: tokenise "
                "it as the training text was"
            )
        if _known_as(unknown, source, str.lower) > _MANY * total:
            return "many would be known in lower case: change its case as the training text's was"
        return "is it in the source language, and tokenised and cased as the training text was?"


def _known_as(unknown: Counter[str], known: Vocabulary, change: Callable[[str], str]) -> int:
    """Return how many unknown words are known when they are changed, in lower case or not."""
    return sum(
        n
        for word, n in unknown.items()
        if (changed := change(word)) != word and (changed in known or changed.lower() in known)
    )


def _bare(word: str) -> str:
    """Return a word without punctuation at its ends; as it is if nothing else is in it."""
    inner = [i for i, c in enumerate(word) if not unicodedata.category(c).startswith("P")]
    return word[inner[0] : inner[-1] + 1] if inner else word


def _is_word(token: str) -> bool:
    """Whether a token is a word, not a sign, a number, an address or a place for something."""
    return _has_letter(token) and not any(sign in token for sign in "@/{}<>_%")


def _has_letter(token: str) -> bool:
    return any(map(str.isalpha, token))
