"""Very long sentences, cut where it hurts least and put together again."""

from __future__ import annotations

import heapq
import unicodedata
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from tartib.decoder.translation import Hypothesis, SparseVector, Step


def cut(words: Sequence[str], longest: int) -> list[tuple[int, int]]:
    """Return pieces of at most so many words, which end after punctuation marks where they can."""
    pieces = []
    start = 0
    while len(words) - start > longest:
        end = start + longest
        # Not in the first half, so that the pieces are not more than they need to be.
        marks = (i for i in range(end, start + longest // 2, -1) if _is_mark(words[i - 1]))
        end = next(marks, end)
        pieces.append((start, end))
        start = end
    return [*pieces, (start, len(words))]


def _is_mark(word: str) -> bool:
    return all(unicodedata.category(letter).startswith("P") for letter in word)


class _Joined(NamedTuple):
    """Translations of consecutive pieces: the last one's, and what is before it."""

    total: float
    last: Hypothesis
    before: _Joined | None = None

    def parts(self) -> list[Hypothesis]:
        found, at = [], self
        while True:
            found.append(at.last)
            if at.before is None:
                return found[::-1]
            at = at.before


def join(
    lists: Sequence[Sequence[Hypothesis]],
    starts: Sequence[int],
    count: int,
    *,
    distinct: bool = False,
) -> list[Hypothesis]:
    """Return the best translations of a whole whose pieces have n-best lists of their own."""
    joined = [_Joined(h.total, h) for h in lists[0]]
    for others in lists[1:]:
        joined = _best_pairs(joined, others, count)
    whole = [_concatenated(j, starts) for j in joined]
    if not distinct:
        return whole
    best: dict[tuple[str, ...], Hypothesis] = {}
    for h in whole:
        best.setdefault(h.words, h)
    return list(best.values())


def _best_pairs(left: list[_Joined], right: Sequence[Hypothesis], count: int) -> list[_Joined]:
    """Return the best pairs of two lists that are sorted, in order."""
    rights = list(right[:count])
    queue = [(-(left[0].total + rights[0].total), 0, 0)]
    found: list[_Joined] = []
    while queue and len(found) < count:
        total, i, j = heapq.heappop(queue)
        found.append(_Joined(-total, rights[j], left[i]))
        following = [(i, j + 1)] if j else [(i, j + 1), (i + 1, 0)]
        for a, b in following:
            if a < len(left) and b < len(rights):
                heapq.heappush(queue, (-(left[a].total + rights[b].total), a, b))
    return found


def _concatenated(joined: _Joined, starts: Sequence[int]) -> Hypothesis:
    parts = joined.parts()

    def steps() -> tuple[Step, ...]:
        return tuple(
            replace(step, start=step.start + by, end=step.end + by)
            for part, by in zip(parts, starts, strict=True)
            for step in part.steps
        )

    words = tuple(word for part in parts for word in part.words)
    features = np.sum([part.features for part in parts], axis=0)
    return Hypothesis(words, joined.total, features, _summed(parts), steps)


def _summed(parts: Sequence[Hypothesis]) -> SparseVector:
    indices, places = np.unique(
        np.concatenate([part.sparse.indices for part in parts]), return_inverse=True
    )
    values = np.concatenate([part.sparse.values for part in parts])
    sums = np.bincount(places, values, len(indices)).astype(np.float32)
    return SparseVector(indices, sums)
