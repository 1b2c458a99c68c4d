"""Very long sentences: cut into pieces, whose n-best lists are joined again."""

from __future__ import annotations

import heapq
import unicodedata
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from tartib._native import MAX_DECODED_WORDS
from tartib.decoder.translation import Hypothesis, SparseVector, Step
from tartib.errors import OptionError

MAX_WORDS = 100_000  # of a line to translate, which bounds its time and memory


def split_sentence(
    words: Sequence[str], longest: int, whole: Sequence[tuple[int, int]] = ()
) -> list[tuple[int, int]]:
    """Return [begin, end) of pieces of at most ``longest`` words.

    Pieces end after a punctuation mark where possible, and never inside the spans that must stay
    ``whole``.
    """
    if too_long := [span for span in whole if span[1] - span[0] > longest]:
        begin, end = too_long[0]
        raise OptionError(
            f"words {begin} to {end} of a sentence have a translation as a whole, "
            f"but only {longest} words may be translated at once: set max_words higher, up to "
            f"{MAX_DECODED_WORDS}"
        )
    inside = {i for begin, end in whole for i in range(begin + 1, end)}
    pieces = []
    start = 0
    while len(words) - start > longest:
        ends = [i for i in range(start + longest, start, -1) if i not in inside]
        # Not in the first half: that would make more pieces than needed.
        marks = (i for i in ends if i > start + longest // 2 and _is_mark(words[i - 1]))
        end = next(marks, ends[0])
        pieces.append((start, end))
        start = end
    return [*pieces, (start, len(words))]


def _is_mark(word: str) -> bool:
    return all(unicodedata.category(letter).startswith("P") for letter in word)


class _Joined(NamedTuple):
    """Translations of consecutive pieces: that of the last one, and of those before it."""

    total: float
    last: Hypothesis
    before: _Joined | None = None

    def pieces(self) -> list[Hypothesis]:
        found, at = [], self
        while True:
            found.append(at.last)
            if at.before is None:
                return found[::-1]
            at = at.before


def join_nbest(
    lists: Sequence[Sequence[Hypothesis]],
    starts: Sequence[int],
    count: int,
    *,
    distinct: bool = False,
) -> list[Hypothesis]:
    """Return the n-best list of a sentence, given those of its pieces and where these start."""
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
    pieces = joined.pieces()

    def steps() -> tuple[Step, ...]:
        return tuple(
            replace(step, start=step.start + by, end=step.end + by)
            for piece, by in zip(pieces, starts, strict=True)
            for step in piece.steps
        )

    words = tuple(word for piece in pieces for word in piece.words)
    features = np.sum([piece.features for piece in pieces], axis=0)
    return Hypothesis(words, joined.total, features, _summed(pieces), steps)


def _summed(pieces: Sequence[Hypothesis]) -> SparseVector:
    indices, places = np.unique(
        np.concatenate([piece.sparse.indices for piece in pieces]), return_inverse=True
    )
    values = np.concatenate([piece.sparse.values for piece in pieces])
    sums = np.bincount(places, values, len(indices)).astype(np.float32)
    return SparseVector(indices, sums)
