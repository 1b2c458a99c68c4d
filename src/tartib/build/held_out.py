"""Which sentences are held out, and which training pairs give them away."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence

import numpy as np

from tartib.errors import OptionError
from tartib.wording import counted

FEWEST_TRAINING = 100  # sentence pairs: with fewer there is nothing to learn from
FEWEST_HELD_OUT = 20
_TELLING = 20  # letters of a sentence that hardly occurs twice by chance


def held_out_places(pairs: int, wanted: Sequence[int], share: float, seed: int) -> list[list[int]]:
    """Draw the places of sets of sentence pairs to hold out.

    Parameters
    ----------
    pairs
        How many there are.
    wanted
        The size of each set, 0 for none.
    share
        The largest share of the pairs in one set.
    seed
        Of the draw.
    """
    most = max(int(share * pairs), FEWEST_HELD_OUT)
    sizes = [min(size, most) if size else 0 for size in wanted]
    left = pairs - sum(sizes)
    if left < FEWEST_TRAINING:
        needed = FEWEST_TRAINING + sum(sizes)
        sets = f" and {sum(sizes)} to hold out" if any(sizes) else ""
        raise OptionError(
            f"{counted(pairs, 'usable sentence pair')} to train on: at least {needed} are needed "
            f"({FEWEST_TRAINING} to learn from{sets}), and a useful translator needs some thousands"
        )
    drawn = np.random.default_rng(seed).permutation(pairs)
    ends = np.cumsum(sizes)
    return [sorted(drawn[end - size : end].tolist()) for end, size in zip(ends, sizes, strict=True)]


class Seen:
    """Sentences of the development and the test set, to be found in other text.

    A training pair gives one away if it is the same pair, or has the same sentence on one side;
    sentences of a few letters, such as a greeting, count only as whole pairs. White space and case
    make no difference.
    """

    def __init__(self) -> None:
        self._pairs: set[bytes] = set()
        self._sides: tuple[set[bytes], set[bytes]] = (set(), set())

    @classmethod
    def of(cls, sources: Sequence[str], references: Sequence[Sequence[str]]) -> Seen:
        """Take note of a whole set."""
        seen = cls()
        for at, line in enumerate(sources):
            seen.add(line, (lines[at] for lines in references))
        return seen

    def add(self, source: str, references: Iterable[str]) -> None:
        """Take note of a sentence and its translations."""
        first = _plain(source)
        for reference in references:
            other = _plain(reference)
            self._pairs.add(_hash(f"{first}\t{other}"))
            if len(other) >= _TELLING:
                self._sides[1].add(_hash(other))
        if len(first) >= _TELLING:
            self._sides[0].add(_hash(first))

    def has_pair(self, source: str, target: str) -> bool:
        """Whether a training pair gives one of the sentences away."""
        sides = (_plain(source), _plain(target))
        return (
            _hash(sides[0]) in self._sides[0]
            or _hash(sides[1]) in self._sides[1]
            or _hash("\t".join(sides)) in self._pairs
        )

    def has_target(self, line: str) -> bool:
        """Whether a line of the target language is one of the translations."""
        return _hash(_plain(line)) in self._sides[1]


def _plain(line: str) -> str:
    return " ".join(line.split()).casefold()


def _hash(text: str) -> bytes:
    return hashlib.blake2b(text.encode(errors="surrogatepass"), digest_size=12).digest()
