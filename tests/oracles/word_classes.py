"""The exchange algorithm with the objective computed from the text for every move."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise

BOUNDARY = ""
GAIN = 1e-6
Sentences = Sequence[Sequence[str]]


def objective(sentences: Sentences, classes: Mapping[str, int]) -> float:
    """Return F; the boundary's class is -1."""
    pairs: Counter[tuple[int, int]] = Counter()
    sizes: Counter[int] = Counter()
    for words in filter(len, sentences):
        line = [-1, *(classes[word] for word in words), -1]
        pairs.update(pairwise(line))
        sizes.update(line[1:])
    return sum(map(_phi, pairs.values())) - 2 * sum(map(_phi, sizes.values()))


def log_likelihood(sentences: Sentences, classes: Mapping[str, int]) -> float:
    """Return log p of the text, word by word."""
    lines = [[BOUNDARY, *words, BOUNDARY] for words in sentences if words]
    of = {**classes, BOUNDARY: -1}
    words = Counter(word for line in lines for word in line[1:])
    sizes = Counter(of[word] for line in lines for word in line[1:])
    pairs = Counter((of[v], of[w]) for line in lines for v, w in pairwise(line))
    return sum(
        math.log(words[w] / sizes[of[w]]) + math.log(pairs[of[v], of[w]] / sizes[of[v]])
        for line in lines
        for v, w in pairwise(line)
    )


def start(sentences: Sentences, vocabulary: Sequence[str], number: int) -> dict[str, int]:
    """Return the first classes, the most frequent word first."""
    counts = Counter(word for words in sentences for word in words)
    by_frequency = sorted(vocabulary, key=lambda word: -counts[word])
    return {word: min(rank, number - 1) for rank, word in enumerate(by_frequency)}


def run_round(sentences: Sentences, classes: dict[str, int], number: int) -> int:
    """Move each word to the class where the objective is largest; return how many moved."""
    moved = 0
    for word, current in list(classes.items()):
        reached = [objective(sentences, {**classes, word: k}) for k in range(number)]
        best = max(reached)
        if reached[current] < best - 2 * GAIN:
            classes[word] = next(k for k, f in enumerate(reached) if f >= best - GAIN)
            moved += 1
    return moved


def _phi(n: int) -> float:
    return n * math.log(n) if n else 0.0
