"""Features of a phrase pair, by plain Python over the words themselves."""

from collections import Counter
from collections.abc import Iterable
from itertools import combinations
from typing import NamedTuple

SUBSCRIPT = "₀₁₂₃₄₅₆₇₈₉"


class Place(NamedTuple):
    """A phrase pair in its sentence, in words; links count from the phrases' first words."""

    sentence: list[str]
    start: int
    length: int
    target: list[str]
    links: list[tuple[int, int]]


def base_features(
    place: Place, phrase: str, context: int, *, roles: bool = False
) -> frozenset[str]:
    """Return the base features in words."""
    source = place.sentence[place.start : place.start + place.length]
    found: list[str] = []
    if phrase == "all-words":
        found += [f"f:{word}" for word in source] + [f"e:{word}" for word in place.target]
    elif phrase == "boundaries":
        marks = ("⟨", "⟩") if roles else ("", "")
        for side, words in (("f", source), ("e", place.target)):
            found += [f"{side}{marks[0]}:{words[0]}", f"{side}{marks[1]}:{words[-1]}"]
    else:
        found += [f"f:{source[i]} & e:{place.target[j]}" for i, j in place.links]
    padded = ["<s>", *place.sentence, "</s>"]
    for distance in range(1, context + 1):
        left, right = place.start + 1 - distance, place.start + place.length + distance
        if left >= 0:
            found.append(f"f₋{SUBSCRIPT[distance]}:{padded[left]}")
        if right < len(padded):
            found.append(f"f₊{SUBSCRIPT[distance]}:{padded[right]}")
    return frozenset(found)


def anova(base: Iterable[str], degrees: Iterable[int]) -> set[frozenset[str]]:
    """Return all subsets of the given sizes."""
    return {frozenset(subset) for d in degrees for subset in combinations(sorted(base), d)}


def dictionary(rows: Iterable[set[frozenset[str]]], cutoff: int) -> dict[frozenset[str], int]:
    """Return the features that occur in more than ``cutoff`` rows, with their counts."""
    counts = Counter(feature for row in rows for feature in row)
    return {feature: n for feature, n in counts.items() if n > cutoff}
