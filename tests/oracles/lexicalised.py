"""Keys by Python's unbounded integers, and the lexicalised model by dictionaries."""

import struct
from collections import defaultdict
from collections.abc import Sequence

Key = object
MASK = (1 << 64) - 1
SOURCE, TARGET = 1, 2


def mix(h: int) -> int:
    for _ in range(2):
        h = (h ^ (h >> 32)) * 0xD6E8FEB86659FD93 & MASK
    return h ^ (h >> 32)


def word_hash(word: str) -> int:
    letters = word.encode()
    h = len(letters) * 0x9E3779B97F4A7C15 & MASK
    for begin in range(0, len(letters), 8):
        h = (h ^ int.from_bytes(letters[begin : begin + 8], "little")) * 0xD6E8FEB86659FD93 & MASK
        h ^= h >> 32
    return mix(h ^ (h >> 29))


def join(key: int, code: int) -> int:
    h = (key + 0x9E3779B97F4A7C15) * 0x9FB21C651E98DF25 & MASK
    h = ((h ^ (h >> 35)) + code) * 0xD6E8FEB86659FD93 & MASK
    return (h ^ (h >> 32)) | (h == 0)


def phrase_key(words: list[str], side: int) -> int:
    key = len(words) << 2 | side
    for word in words:
        key = join(key, word_hash(word))
    return key


def pair_key(source: list[str], target: list[str], granularity: str) -> int:
    if granularity == "f":
        return phrase_key(source, SOURCE)
    if granularity == "e":
        return phrase_key(target, TARGET)
    return join(phrase_key(source, SOURCE), phrase_key(target, TARGET))


def row_key(row: list[tuple[int, float]]) -> int:
    """Hash the set of a row's non-zeros; 32 bits of column, 32 bits of value."""
    bits = (struct.unpack("<I", struct.pack("<f", value))[0] for _, value in row)
    codes = [c << 32 | b for (c, value), b in zip(row, bits, strict=True) if value != 0]
    return mix(sum(map(mix, codes)) + 0x9E3779B97F4A7C15 & MASK)


class Model:
    """Smoothed relative frequencies with back-off; a sample has a key at each level."""

    def __init__(self, classes: int, smoothing: float) -> None:
        self.classes = classes
        self.smoothing = smoothing
        self.counts: dict[Key, list[float]] = defaultdict(lambda: [0.0] * classes)

    def add(self, levels: Sequence[Key], label: int, weight: float = 1.0) -> None:
        if weight == 0:
            return
        self.counts["all"][label] += weight
        for level, key in enumerate(levels):
            self.counts[level, key][label] += weight

    def predict(self, levels: Sequence[Key]) -> list[float]:
        places: list[Key] = [*enumerate(levels), "all"]
        counts = next((self.counts[p] for p in places if p in self.counts), [0.0] * self.classes)
        total = sum(counts) + self.classes * self.smoothing
        if total == 0:
            return [1 / self.classes] * self.classes
        return [(count + self.smoothing) / total for count in counts]
