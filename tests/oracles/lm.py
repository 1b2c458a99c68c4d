"""Kneser–Ney estimation with dictionaries, back-off by plain recursion, ARPA text by joining."""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence

Words = tuple[str, ...]
Model = dict[Words, tuple[float, float]]  # log10 p and back-off
BEGIN, END, UNKNOWN = "<s>", "</s>", "<unk>"
FALLBACK = (0.5, 1.0, 1.5)


def count(lines: Iterable[str], order: int) -> dict[Words, int]:
    counts: Counter[Words] = Counter()
    for line in lines:
        words = (BEGIN, *line.split(), END)
        for n in range(1, order + 1):
            counts.update(words[i : i + n] for i in range(len(words) - n + 1))
    return counts


def adjust(counts: Mapping[Words, int], order: int) -> dict[Words, int]:
    """Count different words before an n-gram, where there can be any."""
    before: defaultdict[Words, set[str]] = defaultdict(set)
    for ngram in counts:
        before[ngram[1:]].add(ngram[0])
    adjusted = {
        ngram: occurs if len(ngram) == order or ngram[0] == BEGIN else len(before[ngram])
        for ngram, occurs in counts.items()
    }
    return {**adjusted, (BEGIN,): 0, (UNKNOWN,): 0}


def discounts(adjusted: Iterable[int]) -> tuple[float, ...]:
    numbers = Counter(adjusted)
    if not all(numbers[k] for k in (1, 2, 3)):
        return FALLBACK
    y = numbers[1] / (numbers[1] + 2 * numbers[2])
    found = tuple(k - (k + 1) * y * numbers[k + 1] / numbers[k] for k in (1, 2, 3))
    return found if all(0 <= d <= k for k, d in enumerate(found, 1)) else FALLBACK


def logarithm(p: float) -> float:
    """Return log10 p, -99 for what discounts of 0 leave no probability."""
    return math.log10(p) if p > 0 else -99.0


def estimate(lines: Sequence[str], order: int, thresholds: Sequence[int]) -> Model:
    counts = count(lines, order)
    adjusted = adjust(counts, order)
    pruned = {g for g, occurs in counts.items() if occurs <= thresholds[len(g) - 1]}
    discount = {
        n: (0.0, *discounts(a for g, a in adjusted.items() if len(g) == n))
        for n in range(1, order + 1)
    }
    total: Counter[Words] = Counter()
    mass: defaultdict[Words, float] = defaultdict(float)
    for ngram, a in adjusted.items():
        total[ngram[:-1]] += a
        mass[ngram[:-1]] += a if ngram in pruned else discount[len(ngram)][min(a, 3)]
    words = sum(len(ngram) == 1 for ngram in adjusted) - 1  # all but <s>

    def probability(ngram: Words) -> float:
        if ngram == (BEGIN,):
            return 1.0
        if not ngram:
            return 1 / words
        a, context = adjusted[ngram], ngram[:-1]
        kept = (a - discount[len(ngram)][min(a, 3)]) / total[context]
        return kept + mass[context] / total[context] * probability(ngram[1:])

    kept = [ngram for ngram in adjusted if ngram not in pruned]
    contexts = {ngram[:-1] for ngram in kept}
    return {
        g: (
            logarithm(probability(g)),
            logarithm(mass[g] / total[g]) if g in contexts else 0.0,
        )
        for g in kept
    }


def score(model: Model, context: Words, word: str) -> float:
    """Return log10 p by the definition of back-off."""
    ngram = (*context, word)
    if ngram in model:
        return model[ngram][0]
    if not context:
        return model[(UNKNOWN,)][0] if (UNKNOWN,) in model else -100.0
    return model.get(context, (0.0, 0.0))[1] + score(model, context[1:], word)


def sentence_scores(model: Model, words: Sequence[str], order: int) -> list[float]:
    known = [w if (w,) in model else UNKNOWN for w in (BEGIN, *words, END)]
    return [
        score(model, tuple(known[max(0, i - order + 1) : i]), known[i])
        for i in range(1, len(known))
    ]


def arpa(model: Model, order: int) -> str:
    """Write a model; back-offs of 0 are left out, as SRILM does."""
    by_order = [[g for g in model if len(g) == n] for n in range(1, order + 1)]
    text = ["", "\\data\\", *(f"ngram {n}={len(g)}" for n, g in enumerate(by_order, 1))]
    for n, ngrams in enumerate(by_order, 1):
        text += ["", f"\\{n}-grams:"]
        for g in ngrams:
            log10_p, backoff = model[g]
            text.append(f"{log10_p!r}\t{' '.join(g)}" + (f"\t{backoff!r}" if backoff else ""))
    return "\n".join([*text, "", "\\end\\", ""])


def read_arpa(text: str) -> Model:
    """Read a file with tabs between its fields."""
    rows = [line.split("\t") for line in text.splitlines() if "\t" in line]
    return {
        tuple(row[1].split(" ")): (float(row[0]), float(row[2]) if len(row) > 2 else 0.0)
        for row in rows
    }
