"""Sparse reordering features, counted step by step and by name, as Cherry (2013) and Moses do."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from tartib.decoder.sparse_reordering import WordList
from tartib.orientation import OrientationModel
from tests.oracles.decoder import Option, block_orientation, next_orientation, orientation

CODES = ("mono", "swap", "dright", "dleft")
MOSES_NUMBERS = {
    "msd": {"mono": 0, "swap": 1, "dright": 2, "dleft": 2},
    "mslr": {"mono": 0, "swap": 1, "dleft": 2, "dright": 3},
    "monotonicity": {"mono": 0, "swap": 1, "dright": 1, "dleft": 1},
    "leftright": {"mono": 0, "dright": 0, "swap": 1, "dleft": 1},
}


def count(
    path: Sequence[Option],
    sentence: Sequence[str],
    model: OrientationModel,
    lists: Sequence[WordList],
    kinds: Sequence[str],
) -> Counter[str]:
    """Return how often each feature occurs in a translation."""
    found: Counter[str] = Counter()
    numbers = MOSES_NUMBERS[model.classes]

    def words(kind: str, side: str, place: str, word: str, code: str) -> None:
        for words in lists:
            if words.side == side and word in words.labels:
                short = {"source": "src", "target": "tgt"}[side]
                label = words.labels[word]
                found[f"{kind}-{short}-{place}-{words.name}-{label}-{numbers[code]}"] += 1

    def phrase(kind: str, option: Option, code: str) -> None:
        words(kind, "source", "first", sentence[option.start], code)
        words(kind, "source", "last", sentence[option.end - 1], code)
        if option.target:
            words(kind, "target", "first", option.target[0], code)
            words(kind, "target", "last", option.target[-1], code)

    for i, option in enumerate(path):
        before = [(o.start, o.end) for o in path[:i]]
        now = (option.start, option.end)
        last = before[-1] if before else (-1, 0)
        hier = model.model == "hier"
        code = block_orientation(before, now) if hier else orientation(last, now)
        if "phrase" in kinds:
            phrase("phr", option, code)
        if "stack" in kinds and before:
            phrase("stk", path[i - 1], next_orientation(before, now) if hier else code)
        if "between" in kinds and model.classes in ("msd", "mslr") and code[0] == "d":
            gap = (last[1], now[0]) if now[0] > last[1] else (now[1], last[0])
            for word in sentence[slice(*gap)]:
                words("btn", "source", "first", word, code)
    return found
