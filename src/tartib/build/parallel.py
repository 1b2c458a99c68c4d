"""Whether line n of one side is the translation of line n of the other: told from lengths alone.

Long sentences have long translations. If pairs that are shifted by a line or more fit as well as
those that are given, the given ones are no translations.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

_FEWEST = 200  # pairs that tell anything
_SEGMENT = 500  # pairs: a line that is lost in the middle shifts the rest only
_SEGMENTS = 40
_SHIFTS = (1, -1, 2, -2, 3, -3, 4, -4, 5, -5)
_CLEAR = 0.5  # correlation of translations; that of ordinary text is about 0.8
_ERRORS = 3  # standard errors
_PART = 0.1  # of the pairs
_LONGEST = 65_535


class Lengths:
    """Lengths in letters of the pairs that were read."""

    def __init__(self, pairs: Iterable[tuple[str, str]] = ()) -> None:
        self._sides = (array("H"), array("H"))
        for _ in self.noted(pairs):
            pass

    def noted(self, pairs: Iterable[tuple[str, str]]) -> Iterator[tuple[str, str]]:
        """Yield the pairs, and take note of their lengths."""
        source, target = self._sides
        for pair in pairs:
            source.append(min(len(pair[0]), _LONGEST))
            target.append(min(len(pair[1]), _LONGEST))
            yield pair

    def problem(self) -> str:
        """Say that the sides are not parallel; empty if they are, or if nothing can be told."""
        source, target = (np.log1p(np.frombuffer(side, np.uint16)) for side in self._sides)
        if len(source) < _FEWEST:
            return ""
        if shifted := _shifted(source, target):
            return shifted
        here = _correlation(source, target, 0)
        others = [_correlation(source, target, shift) for shift in _SHIFTS]
        if here is None or any(other is None for other in others):
            return ""
        best = max(other for other in others if other is not None)
        if here > best + _ERRORS / np.sqrt(len(source)):
            return ""
        return (
            "are not translations of one another, line by line: the lengths of lines with the same "
            "number fit no better than those of neighbours; is one of them sorted, shuffled or of "
            "another text?"
        )


def _shifted(source: NDArray[np.float64], target: NDArray[np.float64]) -> str:
    """Say where one side is some lines ahead of the other, if that is a good part of the text."""
    size = max(_SEGMENT, -(-len(source) // _SEGMENTS))
    wrong, first = 0, None
    starts = range(0, max(len(source) - _FEWEST + 1, 1), size)
    for begin in starts:
        part = slice(begin, begin + size)
        shift = _best_shift(source[part], target[part])
        if shift:
            wrong += len(source[part])
            first = first or (begin, shift)
    if first is None or wrong < _PART * len(source):
        return ""
    begin, shift = first
    lines = "one line" if abs(shift) == 1 else f"{abs(shift)} lines"
    where = f"from about line {begin + 1:,} on, " if begin else ""
    side, other = ("target", "source") if shift > 0 else ("source", "target")
    return (
        f"are shifted: {where}the {side} side has {lines} more than the {other} side, so that "
        "lines with the same number are no translations"
    )


def _best_shift(source: NDArray[np.float64], target: NDArray[np.float64]) -> int:
    """Return by how many lines the target comes later, if that is clear; 0 otherwise."""
    here = _correlation(source, target, 0)
    found = {shift: _correlation(source, target, shift) or 0.0 for shift in _SHIFTS}
    best = max(_SHIFTS, key=lambda shift: found[shift])
    margin = _ERRORS / np.sqrt(len(source))
    return best if here is not None and found[best] > max(_CLEAR, here + margin) else 0


def _correlation(
    source: NDArray[np.float64], target: NDArray[np.float64], shift: int
) -> float | None:
    """Return the correlation of each source with the target ``shift`` lines later."""
    if shift > 0:
        source, target = source[:-shift], target[shift:]
    elif shift < 0:
        source, target = source[-shift:], target[:shift]
    if min(np.ptp(source), np.ptp(target)) == 0:  # its deviation may differ from 0 by rounding
        return None
    return float(np.corrcoef(source, target)[0, 1])


def unlike_sides(
    given: tuple[Sequence[str], Sequence[str]], known: tuple[Sequence[str], Sequence[str]]
) -> list[bool]:
    """Return for each side of a set whether it is rather like the other side of known text."""
    models = [_Letters(lines) for lines in known]
    found = []
    for at, lines in enumerate(given):
        grams = _grams(lines)
        fits = [model.fit(grams) for model in models]
        found.append(len(grams) >= _FEWEST and fits[1 - at] > fits[at] + _MUCH_LIKER)
    return found


_MUCH_LIKER = 0.3  # logarithm of a probability: two languages, however close, differ by more


class _Letters:
    """How often groups of three letters are in some lines."""

    def __init__(self, lines: Sequence[str]) -> None:
        self._counts: dict[str, int] = {}
        for gram in _grams(lines):
            self._counts[gram] = self._counts.get(gram, 0) + 1
        self._total = sum(self._counts.values()) + len(self._counts) + 1

    def fit(self, grams: Sequence[str]) -> float:
        """Return the mean logarithm of the probability of such groups."""
        counts = np.array([self._counts.get(gram, 0) + 1 for gram in grams] or [1])
        return float(np.log(counts / self._total).mean())


def _grams(lines: Sequence[str]) -> list[str]:
    return [
        padded[at : at + 3]
        for line in lines
        for padded in [f" {' '.join(line.lower().split())} "]
        for at in range(len(padded) - 2)
    ]
