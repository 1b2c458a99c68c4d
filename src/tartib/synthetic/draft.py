"""A sentence pair while it is being written.

The whole grammar is based on one idea.  A construction *writes* its Arabic words into the draft,
one after the other, and *returns* its English words, each with the positions of the Arabic words
that it translates.  So in every function

* the Arabic order is the order of the calls,
* the English order is the order of the sum that is returned,
* and the word alignment is known by construction.
"""

from collections.abc import Callable, Sequence
from typing import TypeVar

T = TypeVar("T")

Positions = tuple[int, ...]
# An English word and the Arabic words that it translates; () for a word that translates none.
Gloss = tuple[str, Positions]
English = list[Gloss]

NONE: Positions = ()
# The grammar has no recursion, so no sentence comes close to this length.
_AT: tuple[Positions, ...] = tuple((i,) for i in range(256))


class Draft:
    """The Arabic words written so far, and the random numbers for the next choices."""

    __slots__ = ("arabic", "random", "verb")

    def __init__(self, random: Callable[[], float]) -> None:
        self.arabic: list[str] = []
        self.random = random
        self.verb: Positions = NONE  # the last verb written: a dropped "he" belongs to it

    def put(self, word: str) -> Positions:
        """Write one Arabic word and return its position."""
        arabic = self.arabic
        at = _AT[len(arabic)]
        arabic.append(word)
        return at

    def pick(self, urn: Sequence[T]) -> T:
        """Draw a random item from an urn."""
        return urn[int(self.random() * len(urn))]

    def put_all(self, words: Sequence[str]) -> int:
        """Write several Arabic words and return the position of the first."""
        first = len(self.arabic)
        self.arabic += words
        return first
