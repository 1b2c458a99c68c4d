"""A reordering model that knows the answer: which order the reference has.

For a source phrase and the order of the source words in a reference it says which orientation a
decoder would give the phrase if everything before it were translated in that order, word by word:
that one has the log-probability 0, all others -1. The blocks are those of a shift-reduce stack, as
in ``native/decoder/hypothesis_orientation.hpp``; *forward* is the mirror image of *backward*.

No translation table may know the test set like this. It is an upper bound: how much better could
translations be if a reordering model made no mistake?
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from tartib.decoder.orientation_scorers import TranslationOptions, class_of_code
from tartib.evaluation.word_order import Order
from tartib.orientation import MODEL_DIRECTIONS, OrientationModel
from tartib.textio import split_words
from tartib.vocabulary import Vocabulary

MONO, SWAP, RIGHT, LEFT = range(4)
Span = tuple[int, int]
Floats = NDArray[np.float32]


class SentenceOrder:
    """What the order of a sentence's words in a reference says of any source phrase."""

    def __init__(self, order: Order) -> None:
        mirrored = tuple(len(order) - 1 - word for word in reversed(order))
        self._sides = {
            "backward": (_ranks(order), _tops(order)),
            "forward": (_ranks(mirrored), _tops(mirrored)),
        }

    def code(self, direction: str, start: int, end: int) -> int:
        """Return the orientation of the phrase of the words [start, end)."""
        ranks, tops = self._sides[direction]
        if direction == "forward":
            start, end = len(ranks) - end, len(ranks) - start
        first, last = tops[min(ranks[start:end])]
        if start == last:
            return MONO
        if end == first:
            return SWAP
        return RIGHT if start > last else LEFT


def _ranks(order: Order) -> list[int]:
    """Return for each source word its place in the order."""
    ranks = [0] * len(order)
    for rank, word in enumerate(order):
        ranks[word] = rank
    return ranks


def _tops(order: Order) -> list[Span]:
    """Return for each place in the order the block on top of the stack just before it."""
    stack: list[Span] = [(0, 0)]
    found = []
    for word in order:
        found.append(stack[-1])
        start, end = word, word + 1
        while stack and (stack[-1][1] == start or stack[-1][0] == end):
            before = stack.pop()
            start, end = min(start, before[0]), max(end, before[1])
        stack.append((start, end))
    return found


class TrueOrder:
    """An `OrientationScorer` of a test set whose right orders are known.

    Parameters
    ----------
    source
        The sentences.
    orders
        The order of their words in a reference, as `source_orders` finds it; where it is empty, or
        where the sentence is none of these, everything scores 0.
    """

    name = "true-order"
    orientation = OrientationModel.parse("hier-mslr")
    directions: tuple[str, ...] = MODEL_DIRECTIONS

    def __init__(self, source: Sequence[str], orders: Sequence[Order]) -> None:
        self._known = {
            tuple(split_words(line)): SentenceOrder(order)
            for line, order in zip(source, orders, strict=True)
            if order
        }

    def bind(self, source: Vocabulary, target: Vocabulary) -> BoundTrueOrder:  # noqa: ARG002
        """Return the scorer for sentences in the ids of a vocabulary."""
        known = {
            tuple(source.ids(words, {}).tolist()): order for words, order in self._known.items()
        }
        return BoundTrueOrder(known)


class BoundTrueOrder:
    """A `TrueOrder` in the ids of one phrase table."""

    orientation = TrueOrder.orientation
    directions = TrueOrder.directions

    def __init__(self, known: Mapping[tuple[int, ...], SentenceOrder]) -> None:
        self._known = known

    def log_probabilities(self, options: TranslationOptions) -> Mapping[str, Floats]:
        """Return 0 for the right orientation of each option and -1 for the others."""
        order = self._known.get(tuple(options.source.tolist()))
        spans = list(zip(options.starts.tolist(), options.lengths.tolist(), strict=True))
        found = {}
        for direction in self.directions:
            scores = np.zeros((len(spans), len(self.orientation.labels)), np.float32)
            if order is not None:
                codes = {
                    (start, length): order.code(direction, start, start + length)
                    for start, length in set(spans)
                }
                right = class_of_code(self.orientation)[[codes[span] for span in spans]]
                scores -= 1
                scores[np.arange(len(spans)), right] = 0
            found[direction] = scores
        return found
