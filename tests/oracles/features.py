"""Features of a phrase pair, by plain Python over the words themselves."""

from collections import Counter
from collections.abc import Callable, Iterable
from itertools import combinations
from typing import NamedTuple


class Place(NamedTuple):
    """A phrase pair in its sentence, in words; links count from the phrases' first words."""

    sentence: list[str]
    start: int
    length: int
    target: list[str]
    links: list[tuple[int, int]]


def base_features(
    place: Place,
    phrase: str,
    context: int,
    *,
    roles: bool = False,
    edges: bool = True,
    class_of: Callable[[str, str], str] | None = None,
) -> frozenset[str]:
    """Return the base features in words, or those of the classes of words, by side and word."""

    def said(side: str, word: str) -> str:
        return f"“{word}”" if class_of is None else class_of(side, word)

    within, edge = ("", ":") if class_of is None else ("in ", " in a class:")
    source = place.sentence[place.start : place.start + place.length]
    found: list[str] = []
    if phrase == "all-words":
        found += [f"source word {within}{said('source', word)}" for word in source]
        found += [f"target word {within}{said('target', word)}" for word in place.target]
    elif phrase == "boundaries":
        first, last = ("first ", "last ") if roles else ("", "")
        for side, words in (("source", source), ("target", place.target)):
            found.append(f"{first}{side} word {within}{said(side, words[0])}")
            found.append(f"{last}{side} word {within}{said(side, words[-1])}")
    else:
        found += [
            f"{said('source', source[i])} linked to {said('target', place.target[j])}"
            for i, j in place.links
        ]
    words = [f" {within}{said('source', word)}" for word in place.sentence]
    padded = [f"{edge} sentence start", *words, f"{edge} sentence end"]
    for distance in range(1, context + 1):
        far = "" if distance == 1 else f"{distance} "
        left, right = place.start + 1 - distance, place.start + place.length + distance
        if left >= (0 if edges else 1):
            found.append(f"source word {far}before{padded[left]}")
        if right < len(padded) - (0 if edges else 1):
            found.append(f"source word {far}after{padded[right]}")
    return frozenset(found)


def anova(base: Iterable[str], degrees: Iterable[int]) -> set[frozenset[str]]:
    """Return all subsets of the given sizes."""
    return {frozenset(subset) for d in degrees for subset in combinations(sorted(base), d)}


def dictionary(rows: Iterable[set[frozenset[str]]], cutoff: int) -> dict[frozenset[str], int]:
    """Return the features that occur in more than ``cutoff`` rows, with their counts."""
    counts = Counter(feature for row in rows for feature in row)
    return {feature: n for feature, n in counts.items() if n > cutoff}
