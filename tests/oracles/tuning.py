"""Slow and obvious twins of BLEU statistics and of the tuners."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Sequence

from tartib.tuning import Pool

Stats = list[float]  # length, reference length, four matches, four totals


def grams(words: Sequence[object], n: int) -> Counter[tuple[object, ...]]:
    return Counter(tuple(words[i : i + n]) for i in range(len(words) - n + 1))


def bleu_statistics(words: Sequence[object], references: Sequence[Sequence[object]]) -> list[int]:
    lengths = [len(reference) for reference in references]
    closest = min(lengths, key=lambda length: (abs(length - len(words)), length))
    matches = []
    for n in range(1, 5):
        most: Counter[tuple[object, ...]] = Counter()
        for reference in references:
            most |= grams(reference, n)
        matches.append(sum((grams(words, n) & most).values()))
    totals = [max(0, len(words) - n + 1) for n in range(1, 5)]
    return [len(words), closest, *matches, *totals]


def bleu_of(sums: Sequence[float]) -> float:
    length, reference, matches, totals = sums[0], sums[1], sums[2:6], sums[6:]
    if matches[0] <= 0:
        return 0.0
    result, share = 1.0, 1.0
    for match, total in zip(matches, totals, strict=True):
        if total <= 0:
            return 0.0
        if match <= 0:
            share /= 2
        result *= (match if match > 0 else share) / total
    result = math.sqrt(math.sqrt(result))
    return result * math.exp(1 - reference / length) if length < reference else result


def add(left: Sequence[float], right: Sequence[float]) -> Stats:
    return [a + b for a, b in zip(left, right, strict=True)]


class Lists:
    """The rows of a pool, as plain lists by sentence."""

    def __init__(self, pool: Pool) -> None:
        rows, offsets = pool.rows, pool.offsets.tolist()
        features = []
        for i in range(len(rows)):
            row = [float(value) for value in rows.dense[i]] + [0.0] * pool.n_sparse
            for k in range(rows.indptr[i], rows.indptr[i + 1]):
                row[pool.n_dense + int(rows.indices[k])] += float(rows.values[k])
            features.append(row)
        stats = [[float(value) for value in row] for row in rows.stats]
        spans = list(itertools.pairwise(offsets))
        self.features = [features[a:b] for a, b in spans]
        self.stats = [stats[a:b] for a, b in spans]

    def bleu(self, weights: Sequence[float]) -> float:
        sums: Stats = [0.0] * 10
        for features, stats in zip(self.features, self.stats, strict=True):
            scores = [dot(weights, row) for row in features]
            sums = add(sums, stats[scores.index(max(scores))])
        return bleu_of(sums)


def dot(left: Sequence[float], right: Sequence[float]) -> float:
    return sum(a * b for a, b in zip(left, right, strict=True))


def mira(
    lists: Lists,
    start: Sequence[float],
    rates: Sequence[float],
    orders: Sequence[Sequence[int]],
    c: float,
    decay: float,
) -> tuple[list[float], list[float]]:
    weights, lately = list(start), [1.0] * 10
    total, visits = [0.0] * len(weights), 0
    best, bleus = list(start), []
    for order in orders:
        for s in order:
            weights, lately = _visit(lists, s, weights, rates, lately, c, decay)
            total, visits = add(total, weights), visits + 1
        mean = [value / visits for value in total]
        bleus.append(lists.bleu(mean))
        if bleus[-1] >= max(bleus):
            best = mean
    return best, bleus


def _visit(
    lists: Lists,
    s: int,
    weights: list[float],
    rates: Sequence[float],
    lately: Stats,
    c: float,
    decay: float,
) -> tuple[list[float], Stats]:
    scores = [dot(weights, row) for row in lists.features[s]]
    sums = [add(lately, row) for row in lists.stats[s]]
    goods = [bleu_of(row) * row[1] for row in sums]
    rows = range(len(scores))
    hope = max(rows, key=lambda i: scores[i] + goods[i])
    fear = max(rows, key=lambda i: scores[i] - goods[i])
    loss = goods[hope] - goods[fear] - (scores[hope] - scores[fear])
    lately = add([decay * value for value in lately], lists.stats[s][hope])
    if goods[hope] <= goods[fear] or loss <= 0:
        return weights, lately
    pairs = zip(lists.features[s][hope], lists.features[s][fear], strict=True)
    difference = [a - b for a, b in pairs]
    direction = [rate * value for rate, value in zip(rates, difference, strict=True)]
    norm = dot(direction, difference)
    step = min(c, loss / norm) if norm > 0 else 0.0
    return add(weights, [step * value for value in direction]), lately


def search_line(
    lists: Lists, weights: Sequence[float], direction: Sequence[float]
) -> tuple[float, float]:
    """Return the best BLEU score on a line, and that at its beginning.

    All crossings of any two lines are found, and BLEU is computed anew between any two of them.
    """
    corners = set()
    for features in lists.features:
        lines = [(dot(direction, row), dot(weights, row)) for row in features]
        for slope, height in lines:
            for other_slope, other_height in lines:
                if slope > other_slope:
                    corners.add((other_height - height) / (slope - other_slope))
    ordered = sorted(corners)
    if not ordered:
        return lists.bleu(weights), lists.bleu(weights)
    places = [ordered[0] - 1, ordered[-1] + 1]
    places += [(a + b) / 2 for a, b in itertools.pairwise(ordered)]
    bleus = [lists.bleu(add(weights, [x * value for value in direction])) for x in places]
    return max(bleus), lists.bleu(weights)
