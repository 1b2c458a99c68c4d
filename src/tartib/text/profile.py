"""What text of a side looks like, learnt from its lines: the measure of `doubts`."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from tartib.storage import Fields
from tartib.text.scripts import RANGES, letters_by_script
from tartib.text.segmentation import gaps_in

_FREQUENT = 200
_MOSTLY, _ENOUGH_STOPS = 0.5, 10
_STOP = re.compile(r"(?P<apart>(?<=\s)[.,;:!?،؟。、](?=\s|$))|(?<=\w)[.,;:!?،؟。、](?=\s|$)")


class Shape(NamedTuple):
    """Shares in some lines, and what they are shares of.

    Attributes
    ----------
    scripts
        Share of letters in each script.
    apart
        Share of stops and commas that stand apart from the word before, as in tokenised text.
    stops
        How many stops and commas there are.
    capitals
        Share of capitals in letters.
    letters
        How many letters there are.
    gaps
        Spaces between letters of scripts without spaces, as a share of these letters.
    """

    scripts: dict[str, float]
    apart: float
    stops: int
    capitals: float
    letters: int
    gaps: float

    @property
    def tokenised(self) -> bool:
        """Whether most stops and commas stand apart, and there are enough to say so."""
        return self.apart > _MOSTLY and self.stops >= _ENOUGH_STOPS


def shape_of(lines: Iterable[str]) -> Shape:
    """Measure some lines."""
    lines = list(lines)
    counts = letters_by_script(lines)
    letters = sum(counts.values())
    stops = apart = capitals = 0
    for line in lines:
        for found in _STOP.finditer(line):
            stops += 1
            apart += found["apart"] is not None
        capitals += sum(map(str.isupper, line))
    return Shape(
        {script: round(count / letters, 6) for script, count in counts.items()},
        round(apart / max(stops, 1), 6),
        stops,
        round(capitals / max(letters, 1), 6),
        letters,
        round(gaps_in(lines), 6),
    )


class Profile(NamedTuple):
    """What is remembered of a side.

    Attributes
    ----------
    shape
        Shares in a part of the training text.
    frequent
        The most frequent words, in small letters.
    """

    shape: Shape
    frequent: tuple[str, ...]

    def as_json(self) -> dict[str, Any]:
        """Return what `from_json` reads."""
        return {**self.shape._asdict(), "frequent": " ".join(self.frequent)}

    @classmethod
    def from_json(cls, fields: Fields) -> Profile:
        """Read what `as_json` gave."""
        scripts = fields.inner("scripts")
        names = list(fields.mapping("scripts"))
        if unknown := [name for name in names if name not in RANGES]:
            fields.wrong(f"scripts has an unknown script {unknown[0]!r}")
        shape = Shape(
            {name: scripts.number(name) for name in names},
            fields.number("apart"),
            fields.whole("stops"),
            fields.number("capitals"),
            fields.whole("letters"),
            fields.number("gaps"),
        )
        return cls(shape, tuple(fields.text("frequent").split()))


def frequent_words(counts: Mapping[str, int]) -> tuple[str, ...]:
    """Return the most frequent words of tokens with their counts, in small letters."""
    words: Counter[str] = Counter()
    for token, count in counts.items():
        if token[:1].isalpha():
            words[token.lower()] += count
    ranked = sorted(words.items(), key=lambda item: (-item[1], item[0]))
    return tuple(word for word, _ in ranked[:_FREQUENT])
