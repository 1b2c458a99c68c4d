"""All derivations of a sentence pair with their probabilities, by enumeration."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import product
from typing import NamedTuple

Prices = tuple[float, float, float]


class Pair(NamedTuple):
    """Source words [b, t) and target words [i, j)."""

    b: int
    t: int
    i: int
    j: int


def log_weights(
    pairs: Sequence[Pair],
    keys: Sequence[Sequence[int]],
    counts: Sequence[Sequence[int]],
    counted: bool,
    prices: Prices,
) -> list[float]:
    """Weigh each pair by the counts of other sentences."""
    unseen, _, _ = prices
    found = []
    for p, pair in enumerate(pairs):
        both, source, target = (
            max(0, counts[level][p] - (keys[level].count(keys[level][p]) if counted else 0))
            for level in range(3)
        )
        if both == 0:
            found.append(-unseen * (pair.t - pair.b + pair.j - pair.i))
        else:
            shares = both / max(both, source), both / max(both, target)
            found.append(math.log(math.sqrt(shares[0] * shares[1])))
    return found


def cuts(spans: set[tuple[int, int]], words: int, at: int = 0) -> Iterator[list[tuple[int, int]]]:
    """Cut target words into spans, and words that are skipped, which are left out of the list."""
    if at == words:
        yield []
        return
    for i, j in sorted(spans):
        if i == at:
            yield from ([(i, j), *rest] for rest in cuts(spans, words, j))
    yield from cuts(spans, words, at + 1)


def derivations(
    pairs: Sequence[Pair], weights: Sequence[float], words: tuple[int, int], prices: Prices
) -> dict[tuple[int, ...], float]:
    """Return the probability of each set of pairs, in rising order."""
    _, skipped, uncovered = prices
    best: dict[tuple[int, int], float] = {}
    for pair, weight in zip(pairs, weights, strict=True):
        best[pair.i, pair.j] = max(weight, best.get((pair.i, pair.j), -math.inf))
    weighed = {}
    for cut in map(tuple, cuts(set(best), words[1])):
        left = words[1] - sum(j - i for i, j in cut)
        weighed[cut] = math.exp(sum(best[span] for span in cut) - skipped * left)
    found: dict[tuple[int, ...], float] = {}
    for cut, weight in weighed.items():
        choices = [[p for p, q in enumerate(pairs) if (q.i, q.j) == span] for span in cut]
        possible = {}
        for chosen in product(*choices):
            covered = [f for p in chosen for f in range(pairs[p].b, pairs[p].t)]
            if len(covered) == len(set(covered)):
                price = uncovered * (words[0] - len(covered))
                possible[tuple(sorted(chosen))] = math.exp(sum(weights[p] for p in chosen) - price)
        for derivation, own in possible.items():
            share = weight / sum(weighed.values()) * own / sum(possible.values())
            found[derivation] = found.get(derivation, 0.0) + share
    return found
