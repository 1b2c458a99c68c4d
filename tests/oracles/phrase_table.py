"""Phrase tables by dictionaries, from phrase pairs in words."""

from collections import Counter, defaultdict
from collections.abc import Iterable
from math import comb, isnan, log, nan
from typing import NamedTuple

import numpy as np

Words = tuple[str, ...]
Links = frozenset[tuple[int, int]]
Sentence = tuple[list[str], list[str], list[tuple[int, int]]]


class Extracted(NamedTuple):
    """A phrase pair as extracted once."""

    source: Words
    target: Words
    links: Links


class Row(NamedTuple):
    """A line of a phrase table."""

    source: Words
    target: Words
    scores: tuple[float, float, float, float]
    links: list[tuple[int, int]]
    counts: tuple[int, int, int]


def lexicon(sentences: Iterable[Sentence]) -> Counter[tuple[str | None, str | None]]:
    """Count linked words; None stands for NULL."""
    counts: Counter[tuple[str | None, str | None]] = Counter()
    for source, target, links in sentences:
        counts.update((source[f], target[e]) for f, e in links)
        for f, word in enumerate(source):
            if all(link[0] != f for link in links):
                counts[word, None] += 1
        for e, word in enumerate(target):
            if all(link[1] != e for link in links):
                counts[None, word] += 1
    return counts


def best_alignment(alignments: Counter[Links], side: int, length: int) -> Links:
    """Return the most frequent alignment, of several the greatest list of the words' links."""

    def listed(links: Links) -> list[list[int]]:
        return [sorted(link[1 - side] for link in links if link[side] == w) for w in range(length)]

    return max(alignments, key=lambda links: (alignments[links], listed(links)))


def weight(
    pair: Extracted,
    side: int,
    counts: Counter[tuple[str | None, str | None]],
    totals: Counter[str | None],
) -> float:
    """Return the lexical weight of the words of one side (0 source, 1 target) given the other's."""
    product = 1.0
    for at, _ in enumerate(pair[side]):
        keys: list[tuple[str | None, str | None]]
        keys = [(pair.source[f], pair.target[e]) for f, e in pair.links if (f, e)[side] == at]
        if not keys:
            keys = [(None, pair.target[at]) if side else (pair.source[at], None)]
        given = [counts[key] / totals[key[1 - side]] for key in keys]
        product *= sum(given) / len(given)
    return product


def p_value(both: int, source: int, target: int, sentences: int) -> float:
    """Return Fisher's one-sided p-value with whole numbers."""
    ways = sum(
        comb(source, k) * comb(sentences - source, target - k)
        for k in range(both, min(source, target) + 1)
    )
    return ways / comb(sentences, target)


def occurs(phrase: Words, sentence: list[str]) -> bool:
    """Tell whether a phrase stands anywhere in a sentence."""
    return any(tuple(sentence[i : i + len(phrase)]) == phrase for i in range(len(sentence)))


def discounted(counts: Counter[tuple[Words, Words]], kind: str) -> dict[tuple[Words, Words], float]:
    """Return what each count becomes."""
    n = Counter(counts.values())
    if kind == "good-turing":
        shares = [0.01]
        for r in range(1, 10):
            share = min(1, (r + 1) / r * (n[r + 1] + 0.1) / (n[r] + 0.1))
            shares.append(max(share, shares[-1]))
        return {pair: c * (shares[c] if c <= 8 else 1) for pair, c in counts.items()}
    if kind == "none":
        return {pair: float(c) for pair, c in counts.items()}
    y = n[1] / (n[1] + 2 * n[2]) if n[1] or n[2] else nan
    take = {}
    for r in (1, 2, 3):
        if n[r]:
            d = r - (r + 1) * y * n[r + 1] / n[r]
        else:
            d = nan if isnan(y) or y * n[r + 1] == 0 else -1.0
        take[r] = r - 0.1 if isnan(d) else min(max(d, 0), r - 0.1)
    sources = Counter(f for f, _ in counts)
    targets = Counter(e for _, e in counts)
    return {
        (f, e): c - take[min(c, 3)] + take[min(c, 3)] * sources[f] * targets[e] / len(counts)
        for (f, e), c in counts.items()
    }


def build(
    sentences: list[Sentence],
    pairs: list[Extracted],
    *,
    discounting: str = "none",
    min_count: int = 1,
    significance_pruning: float | str | None = None,
    table_limit: int | None = None,
) -> list[Row]:
    """Return the rows in their order."""
    lexical = lexicon(sentences)
    totals: tuple[Counter[str | None], Counter[str | None]] = (Counter(), Counter())
    for key, count in lexical.items():
        for side in (0, 1):
            totals[side][key[side]] += count
    alignments: dict[tuple[Words, Words], Counter[Links]] = defaultdict(Counter)
    for pair in pairs:
        alignments[pair.source, pair.target][pair.links] += 1
    counts = Counter((pair.source, pair.target) for pair in pairs)
    sources, targets = (Counter(pair[side] for pair in pairs) for side in (0, 1))
    adjusted = discounted(counts, discounting)
    rows: dict[Words, list[Row]] = defaultdict(list)
    for (f, e), count in counts.items():
        if count < min_count or not significant(f, e, sentences, significance_pruning):
            continue
        direct = Extracted(f, e, best_alignment(alignments[f, e], 1, len(e)))
        inverse = Extracted(f, e, best_alignment(alignments[f, e], 0, len(f)))
        scores = (
            adjusted[f, e] / targets[e],
            weight(inverse, 0, lexical, totals[1]),
            adjusted[f, e] / sources[f],
            weight(direct, 1, lexical, totals[0]),
        )
        links = sorted(direct.links, key=lambda link: (link[1], link[0]))
        rows[f].append(Row(f, e, scores, links, (targets[e], sources[f], count)))
    return [
        row
        for f in sorted(rows, key=text)
        for row in sorted(rows[f], key=lambda r: (-np.float32(r.scores[2]), text(r.target)))[
            :table_limit
        ]
    ]


def text(phrase: Words) -> bytes:
    """Return a phrase as a line of a table begins with it."""
    return (" ".join(phrase) + " ||| ").encode()


def significant(f: Words, e: Words, sentences: list[Sentence], wanted: float | str | None) -> bool:
    """Tell whether a pair passes the test."""
    if wanted is None:
        return True
    least = {"a+e": log(len(sentences)) + 0.001, "a-e": log(len(sentences)) - 0.001}.get(
        str(wanted), wanted
    )
    in_source = [occurs(f, source) for source, _, _ in sentences]
    in_target = [occurs(e, target) for _, target, _ in sentences]
    both = sum(a and b for a, b in zip(in_source, in_target, strict=True))
    return -log(p_value(both, sum(in_source), sum(in_target), len(sentences))) >= float(least)
