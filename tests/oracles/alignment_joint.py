"""The aligner joint, in double precision: one direction by enumerating all alignments, and EM."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import product
from typing import NamedTuple

NULL_SHARE, SMOOTHING, JUMP_SMOOTHING = 0.15, 1e-3, 10.0
FIRST_SMOOTHING, FIRST_NULL = 1e-7, 1e-2
FARTHEST = 100

Matrix = list[list[float]]  # words × positions
Pair = tuple[list[int], list[int]]  # ids of the words of both sides
Link = tuple[int, int]


class Posteriors(NamedTuple):
    """What a direction believes of a sentence: links, NULLs, jumps, log p(words)."""

    links: Matrix
    nulls: list[float]
    jumps: dict[int, float]
    log_likelihood: float


class Seen(NamedTuple):
    """What a pass saw: log p of the words of each side, and how many there are."""

    forward: float
    backward: float
    source_tokens: int
    target_tokens: int


def first_jumps() -> dict[int, float]:
    return {d: math.exp(-abs(d - 1) / 5) + 1e-3 for d in range(-FARTHEST, FARTHEST + 1)}


def clamped(jump: int) -> int:
    return max(-FARTHEST, min(FARTHEST, jump))


def jump_share(s: dict[int, float], before: int, jump: int, positions: int) -> float:
    """(1 - p₀) s(jump) / Σ_k s(k - i')."""
    total = sum(s[clamped(k - before)] for k in range(positions))
    return (1 - NULL_SHARE) * s[clamped(jump)] / total


def chains(words: int, positions: int) -> Iterator[tuple[list[int | None], int | None]]:
    """All alignments, each with where NULLs in front of the first link leave the position."""
    for links in product([None, *range(positions)], repeat=words):
        starts = range(positions) if links[0] is None else [None]
        for start in starts:
            yield list(links), start


def enumerated(emission: Matrix, null: list[float], s: dict[int, float]) -> Posteriors:
    """Sum over all alignments of a sentence, with NULL and the end of the sentence."""
    words, positions = len(emission), len(emission[0])
    links = [[0.0] * positions for _ in range(words)]
    nulls = [0.0] * words
    jumps: defaultdict[int, float] = defaultdict(float)
    whole = without_end = 0.0
    for chain, start in chains(words, positions):
        at, p, taken = -1 if start is None else start, 1.0, []
        for j, i in enumerate(chain):
            if i is None:
                p *= NULL_SHARE * null[j] / (positions if j == 0 else 1)
                continue
            p *= jump_share(s, at, i - at, positions) * emission[j][i]
            taken.append(i - at)
            at = i
        without_end += p
        p *= jump_share(s, at, positions - at, positions)
        if chain[-1] is not None:
            taken.append(positions - at)
        whole += p
        for j, i in enumerate(chain):
            if i is None:
                nulls[j] += p
            else:
                links[j][i] += p
        for jump in taken:
            jumps[clamped(jump)] += p
    return Posteriors(
        [[value / whole for value in row] for row in links],
        [value / whole for value in nulls],
        {jump: value / whole for jump, value in jumps.items()},
        math.log(without_end),
    )


def independent(emission: Matrix, null: list[float], _: dict[int, float]) -> Posteriors:
    """IBM model 1."""
    links, nulls, log_likelihood = [], [], 0.0
    for row, nothing in zip(emission, null, strict=True):
        values = [(1 - NULL_SHARE) / len(row) * value for value in row]
        total = sum(values) + NULL_SHARE * nothing
        links.append([value / total for value in values])
        nulls.append(NULL_SHARE * nothing / total)
        log_likelihood += math.log(total)
    return Posteriors(links, nulls, {}, log_likelihood)


def chosen(own: Matrix, other: Matrix, least: float) -> dict[int, tuple[int, float]]:
    """For each word the position of the largest p(own)^¾ p(other)^¼, and that, if it is enough."""
    found = {}
    for word, row in enumerate(own):
        values = [p**0.75 * other[k][word] ** 0.25 for k, p in enumerate(row)]
        if max(values) >= least:
            found[word] = values.index(max(values)), max(values)
    return found


def attached(links: dict[Link, float], forward: Matrix, backward: Matrix, least: float) -> None:
    """Link each word without a link to the best position by its own direction, if it is sure."""
    sources, targets = {f for f, _ in links}, {e for _, e in links}
    new = [
        ((row.index(max(row)), e), max(row)) for e, row in enumerate(forward) if e not in targets
    ]
    new += [
        ((f, row.index(max(row))), max(row)) for f, row in enumerate(backward) if f not in sources
    ]
    for link, p in new:
        if p >= least:
            links[link] = max(p, links.get(link, 0.0))


class Aligner:
    """Both directions of a tiny text; every word is a candidate of every other one beside it."""

    def __init__(self, source_words: int, target_words: int) -> None:
        self.sizes = source_words, target_words
        self.counts: dict[tuple[int, int], float] = {}
        self.linked = [0.0] * source_words, [0.0] * target_words  # how often words were linked,
        self.nulls = [0.0] * source_words, [0.0] * target_words  # and how often not
        self.sums = [1.0] * source_words, [1.0] * target_words  # what counts are divided by
        self.null = [FIRST_NULL] * source_words, [FIRST_NULL] * target_words
        self.jumps = [first_jumps(), first_jumps()]  # backward, forward
        self.smoothing = FIRST_SMOOTHING

    def associate(self, text: list[Pair], width: int) -> None:
        """w(f, e) = min(1, n(f, e)² / (n(f) n(e))), for the best of each word."""
        tokens = [Counter(w for pair in text for w in pair[side]) for side in (0, 1)]
        for side in (0, 1):
            for word in range(self.sizes[side]):
                beside = Counter(w for pair in text if word in pair[side] for w in pair[1 - side])
                ranked = sorted(
                    (-min(1.0, n * n / (tokens[side][word] * tokens[1 - side][other])), other)
                    for other, n in beside.items()
                )
                for weight, other in ranked[:width]:
                    key = (word, other) if side == 0 else (other, word)
                    self.counts[key] = max(self.counts.get(key, 0.0), -weight)

    def probability(self, f: int, e: int, side: int) -> float:
        """p(e | f) if side is 0, p(f | e) if it is 1."""
        count = self.counts.get((f, e), 0.0) + self.smoothing
        return count / self.sums[side][(f, e)[side]]

    def posteriors(self, pair: Pair, jumps: bool) -> tuple[Posteriors, Posteriors]:
        """Of the target words (forward), and of the source words."""
        source, target = pair
        step = enumerated if jumps else independent
        forward = [[self.probability(f, e, 0) for f in source] for e in target]
        backward = [[self.probability(f, e, 1) for e in target] for f in source]
        return (
            step(forward, [self.null[1][e] for e in target], self.jumps[1]),
            step(backward, [self.null[0][f] for f in source], self.jumps[0]),
        )

    def em(self, text: list[Pair], jumps: bool, priors: dict[tuple[int, int], float]) -> Seen:
        """One pass: E-step and M-step."""
        links: dict[tuple[int, int], float] = dict.fromkeys(self.counts, 0.0)
        nulls = [defaultdict[int, float](float), defaultdict[int, float](float)]
        steps: list[Counter[int]] = [Counter(), Counter()]
        seen = Seen(0.0, 0.0, 0, 0)
        for source, target in text:
            if not source or not target:
                continue
            forward, backward = self.posteriors((source, target), jumps)
            seen = Seen(
                seen.forward + forward.log_likelihood,
                seen.backward + backward.log_likelihood,
                seen.source_tokens + len(source),
                seen.target_tokens + len(target),
            )
            for j, f in enumerate(source):
                nulls[0][f] += backward.nulls[j]
                for i, e in enumerate(target):
                    if (f, e) in links:
                        both = forward.links[i][j] * backward.links[j][i]
                        links[f, e] += both if jumps else math.sqrt(both)
            for i, e in enumerate(target):
                nulls[1][e] += forward.nulls[i]
            steps[0].update(backward.jumps)
            steps[1].update(forward.jumps)
        self._maximise({k: v + priors.get(k, 0.0) for k, v in links.items()}, nulls)
        if jumps:
            for side in (0, 1):
                counts = {d: steps[side][d] + JUMP_SMOOTHING for d in self.jumps[side]}
                total = sum(counts.values())
                self.jumps[side] = {d: count / total for d, count in counts.items()}
        return seen

    def _maximise(
        self, links: dict[tuple[int, int], float], nulls: list[defaultdict[int, float]]
    ) -> None:
        self.counts, self.smoothing = links, SMOOTHING
        for side in (0, 1):
            words, others = self.sizes[side], self.sizes[1 - side]
            self.linked[side][:] = [0.0] * words
            for pair, count in links.items():
                self.linked[side][pair[side]] += count
            self.nulls[side][:] = [nulls[side][w] for w in range(words)]
            self.sums[side][:] = [count + SMOOTHING * others for count in self.linked[side]]
            total = SMOOTHING * words + sum(self.nulls[side])
            self.null[side][:] = [(count + SMOOTHING) / total for count in self.nulls[side]]
