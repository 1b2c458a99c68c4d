"""Phrase-based translation by enumeration: every segmentation, order and option, scored anew."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

LOWEST = -100.0


@dataclass(frozen=True)
class Option:
    """A translation of source words [start, end)."""

    start: int
    end: int
    target: tuple[str, ...]
    scores: tuple[float, ...]  # probabilities; none for a word that stands for itself
    given: float | None = None  # the probability of a translation that came with the sentence


def orientation(last: tuple[int, int], now: tuple[int, int]) -> str:
    """Where a span lies, seen from another one."""
    if now[0] == last[1]:
        return "mono"
    if now[1] == last[0]:
        return "swap"
    return "dright" if now[0] > last[1] else "dleft"


def block_orientation(before: Sequence[tuple[int, int]], now: tuple[int, int]) -> str:
    """Where a span lies, seen from the blocks that the spans before it can be merged to."""
    blocks: list[tuple[int, int]] = []
    for span in before:
        block = span
        while blocks and (blocks[-1][1] == block[0] or blocks[-1][0] == block[1]):
            other = blocks.pop()
            block = (min(other[0], block[0]), max(other[1], block[1]))
        blocks.append(block)
    return orientation(blocks[-1] if blocks else (-1, 0), now)


def next_orientation(before: Sequence[tuple[int, int]], now: tuple[int, int]) -> str:
    """Where a span lies, seen from the last one before it, if open words can still join them."""
    last = before[-1]
    covered = {i for span in before for i in range(*span)}
    if now[0] >= last[1] and (now[0] == last[1] or last[1] not in covered):
        return "mono"
    if now[1] <= last[0] and (now[1] == last[0] or last[0] - 1 not in covered):
        return "swap"
    return "dright" if now[0] > last[1] else "dleft"


@dataclass(frozen=True)
class Model:
    """What scores a translation.

    Attributes
    ----------
    lm
        Natural log of the probability of a sentence's words, the end included.
    scores
        Weights of the phrase table's scores.
    reordering
        For each neighbour (``phrase``, ``hier``) and direction, a function that gives an option the
        weighted score of an orientation.
    """

    lm: Callable[[tuple[str, ...]], float]
    lm_weight: float
    scores: tuple[float, ...]
    distortion: float
    word: float
    phrase: float
    unknown: float
    reordering: dict[tuple[str, str], Callable[[Option, str], float]]

    def total(self, path: Sequence[Option]) -> float:
        """Return the weighted sum of a complete translation, from nothing but its steps."""
        words = tuple(word for option in path for word in option.target)
        total = self.lm_weight * self.lm(words) - self.word * len(words) + self.phrase * len(path)
        end = 0
        for i, option in enumerate(path):
            spans = [(o.start, o.end) for o in path[:i]]
            now = (option.start, option.end)
            total -= self.distortion * abs(option.start - end)
            end = option.end
            total += self.isolated(option)
            for (neighbour, direction), score in self.reordering.items():
                if direction == "backward":
                    code = (
                        block_orientation(spans, now)
                        if neighbour == "hier"
                        else orientation(spans[-1] if spans else (-1, 0), now)
                    )
                    total += score(option, code)
                elif spans:
                    code = (
                        next_orientation(spans, now)
                        if neighbour == "hier"
                        else orientation(spans[-1], now)
                    )
                    total += score(path[i - 1], code)
        return total

    def isolated(self, option: Option) -> float:
        """Return the weighted scores of the phrase table, or of what stands for them."""
        if option.given is not None:
            log = max(math.log(option.given), LOWEST) if option.given > 0 else LOWEST
            return sum(w * log / len(self.scores) for w in self.scores)
        if not option.scores:
            return self.unknown * LOWEST
        logs = (max(math.log(p), LOWEST) if p > 0 else LOWEST for p in option.scores)
        return sum(w * log for w, log in zip(self.scores, logs, strict=True))


def paths(
    options: Sequence[Option], words: int, limit: int, before: tuple[Option, ...] = ()
) -> Iterator[tuple[Option, ...]]:
    """Yield every complete translation whose jumps the distortion limit allows."""
    covered = {i for option in before for i in range(option.start, option.end)}
    if len(covered) == words:
        yield before
        return
    gap = min(set(range(words)) - covered)
    end = before[-1].end if before else 0
    for option in options:
        span = set(range(option.start, option.end))
        if span & covered:
            continue
        if limit >= 0:
            # Afterwards the first gap must still be within reach.
            too_far = option.start != gap and option.end - gap > limit
            if abs(option.start - end) > limit or too_far:
                continue
        yield from paths(options, words, limit, (*before, option))
