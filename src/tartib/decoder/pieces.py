"""Very long sentences, cut where it hurts least and put together again."""

from __future__ import annotations

import heapq
import unicodedata
from collections.abc import Sequence
from dataclasses import replace

from tartib.decoder.translation import Hypothesis, Step


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


def join(
    lists: Sequence[Sequence[Hypothesis]], starts: Sequence[int], count: int
) -> list[Hypothesis]:
    """Return the best translations of a whole whose pieces have n-best lists of their own."""
    joined = [_moved(h, starts[0]) for h in lists[0]]
    for start, others in zip(starts[1:], lists[1:], strict=True):
        right = [_moved(h, start) for h in others]
        joined = _best_pairs(joined, right, count)
    return joined


def _best_pairs(left: list[Hypothesis], right: list[Hypothesis], count: int) -> list[Hypothesis]:
    """Return the best pairs of two lists that are sorted, in order."""
    queue = [(-(left[0].total + right[0].total), 0, 0)]
    found: list[Hypothesis] = []
    while queue and len(found) < count:
        _, i, j = heapq.heappop(queue)
        found.append(_concatenated(left[i], right[j]))
        following = [(i, j + 1)] if j else [(i, j + 1), (i + 1, 0)]
        for a, b in following:
            if a < len(left) and b < len(right):
                heapq.heappush(queue, (-(left[a].total + right[b].total), a, b))
    return found


def _moved(h: Hypothesis, by: int) -> Hypothesis:
    def steps() -> tuple[Step, ...]:
        return tuple(replace(s, start=s.start + by, end=s.end + by) for s in h.steps)

    return Hypothesis(h.words, h.total, h.features, steps)


def _concatenated(a: Hypothesis, b: Hypothesis) -> Hypothesis:
    return Hypothesis(
        a.words + b.words, a.total + b.total, a.features + b.features, lambda: a.steps + b.steps
    )
