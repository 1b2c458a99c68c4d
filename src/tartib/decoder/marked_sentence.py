"""`MarkedSentence`: a sentence that comes with translations of some of its words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from tartib import _native
from tartib.decoder.features import LOWEST
from tartib.errors import OptionError
from tartib.textio import split_words

MAX_FORCED: int = _native.MAX_DECODED_WORDS  # words of a span, and of its translation


@dataclass(frozen=True)
class Forced:
    """A translation that is given for a span of a sentence.

    Attributes
    ----------
    start, end
        The source words [start, end).
    target
        What they become, at least one word.
    probability
        From 0 to 1. Its logarithm is divided evenly among the phrase table's scores, as in Moses;
        it matters only beside other translations of the same span.
    """

    start: int
    end: int
    target: tuple[str, ...]
    probability: float = 1.0

    @property
    def span(self) -> tuple[int, int]:
        """Start and end."""
        return self.start, self.end


@dataclass(frozen=True)
class MarkedSentence:
    """A sentence with translations of some of its words.

    Attributes
    ----------
    words
        The sentence.
    forced
        Translations of spans that are equal (alternatives) or do not overlap.
    exclusive
        Whether nothing else may translate a word of these spans; otherwise the phrase table's
        translations compete with them.
    text
        What the words were made of, without marks.
    """

    words: tuple[str, ...]
    forced: tuple[Forced, ...] = ()
    exclusive: bool = True
    text: str = field(default="", compare=False)

    def __post_init__(self) -> None:
        if self.forced:
            self._check()

    @classmethod
    def of(cls, sentence: str | MarkedSentence) -> MarkedSentence:
        """Return a sentence without translations for a string of words."""
        return (
            cls(tuple(split_words(sentence)), text=sentence)
            if isinstance(sentence, str)
            else sentence
        )

    @property
    def spans(self) -> list[tuple[int, int]]:
        """The spans that have translations, in order."""
        return sorted({forced.span for forced in self.forced})

    def piece(self, begin: int, end: int) -> MarkedSentence:
        """Return the words [begin, end), which must not cut a span."""
        if (begin, end) == (0, len(self.words)):
            return self
        inside = (f for f in self.forced if begin <= f.start and f.end <= end)
        moved = tuple(replace(f, start=f.start - begin, end=f.end - begin) for f in inside)
        return MarkedSentence(self.words[begin:end], moved, self.exclusive)

    def _check(self) -> None:
        for forced in self.forced:
            place = f"the translation of words {forced.start} to {forced.end}"
            if not 0 <= forced.start < forced.end <= len(self.words):
                raise OptionError(f"{place}: the sentence has {len(self.words):,} words")
            if not 0 < len(forced.target) <= MAX_FORCED:
                raise OptionError(f"{place} must have from 1 to {MAX_FORCED} words")
            if any(split_words(word) != [word] for word in forced.target):
                raise OptionError(f"{place}: words have no spaces and are not empty")
            if not 0 <= forced.probability <= 1:
                raise OptionError(f"{place}: a probability is from 0 to 1")
        if overlapping(self.spans):
            raise OptionError("spans of forced translations overlap: make them equal or disjoint")


def overlapping(spans: Sequence[tuple[int, int]]) -> bool:
    """Whether two of some different spans, in order, have a word in common."""
    return any(a[1] > b[0] for a, b in pairwise(spans))


def in_order(forced: Sequence[Forced]) -> list[Forced]:
    """Return translations by span, those of one span in the order given."""
    return sorted(forced, key=lambda one: one.span)


def logarithms(forced: Sequence[Forced]) -> NDArray[np.float64]:
    """Return the logarithms of probabilities, at least `LOWEST`."""
    with np.errstate(divide="ignore"):
        logs = np.log(np.array([one.probability for one in forced], np.float64))
    return np.maximum(logs, LOWEST)
