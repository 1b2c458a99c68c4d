"""The alignment of an example as a picture: where a phrase pair lies relative to its neighbour."""

from __future__ import annotations

import itertools
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from tartib.experiments.run.results import Example

REACH = 14  # source words on each side of the phrase, at most
ROWS = 4  # target words on each side
CELL, FONT, LETTERS = 22.0, 13.0, 16  # pixels, pixels, letters of a label
LONG = 32  # letters of a word in running text, at most
RISE, RUN = 0.866, 0.5  # labels of columns climb at 60°
OVERRUN = 7.0  # pixels that lines continue where the sentence does
TEMPLATES = Path(__file__).parent / "templates"


@dataclass(frozen=True)
class Label:
    """A word beside the grid; ``kind`` is ``phrase``, ``neighbour`` or empty."""

    text: str
    full: str
    right_to_left: bool
    kind: str
    at: float


@dataclass(frozen=True)
class Mark:
    """A link, or an arrow at the edge towards a hidden one; ``way`` is 1 to the right."""

    x: float
    y: float
    kind: str
    way: int = 0


@dataclass(frozen=True)
class Box:
    """A rectangle."""

    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True)
class Picture:
    """What the template draws, in pixels."""

    width: float
    height: float
    right_to_left: bool
    columns: list[Label]
    rows: list[Label]
    corner: tuple[float, float]
    lines: str
    phrase: Box
    neighbour: Box | None
    marks: list[Mark]


@dataclass(frozen=True)
class Sentence:
    """The words of a sentence in runs of one kind; ``direction`` is that of HTML."""

    direction: str
    runs: list[tuple[str, str]]


class Scene:
    """Which words of an example are shown, and the kind of each of them."""

    def __init__(self, example: Example, direction: str) -> None:
        begin, end = example.target_start, example.target_start + example.target_length
        after = end if end < len(example.target) else None
        before = begin - 1 if begin else None
        self.neighbour = after if direction == "forward" else before
        self.rows = range(max(begin - ROWS, 0), min(end + ROWS, len(example.target)))
        first, last = example.source_start, example.source_start + example.source_length
        seen = [s for s, t in example.links if t in self.rows and first - REACH <= s < last + REACH]
        self.columns = range(
            max(min([first, *seen]) - 1, 0), min(max([last - 1, *seen]) + 2, len(example.source))
        )
        self.target_phrase, self.source_phrase = range(begin, end), range(first, last)
        self.linked = {s for s, t in example.links if t == self.neighbour}

    def target_kind(self, word: int) -> str:
        """Return the kind of a target word."""
        return _kind(word in self.target_phrase, word == self.neighbour)

    def source_kind(self, word: int) -> str:
        """Return the kind of a source word; the neighbour's are those linked to it."""
        return _kind(word in self.source_phrase, word in self.linked)


def environment() -> Environment:
    """Return the templates of the report, which escape everything that is not marked as safe."""
    templates = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    templates.filters["cut"] = cut_words
    return templates


def cut_words(text: str) -> Markup:
    """Return a text as HTML; very long words are cut with …, and their title shows all of it."""
    return Markup(" ").join(
        Markup('<span title="{}">{}</span>').format(word, short_word(word, LONG))
        if len(word) > LONG
        else word
        for word in text.split(" ")
    )


def alignment_picture(example: Example, direction: str) -> Markup:
    """Return the two sentences and a matrix of the links around the phrase pair, as HTML.

    Target words go down, source words across, from right to left if their script does. The
    neighbour is the target word before the phrase, or the one after it if ``direction`` is
    ``forward``.
    """
    scene = Scene(example, direction)
    source_kinds = map(scene.source_kind, range(len(example.source)))
    target_kinds = map(scene.target_kind, range(len(example.target)))
    html = environment().get_template("picture.html")
    return Markup(  # noqa: S704 -- the template escapes
        html.render(
            picture=picture_of(example, scene),
            source=_sentence(example.source, source_kinds),
            target=_sentence(example.target, target_kinds),
            cell=CELL,
            font=FONT,
        )
    )


def picture_of(example: Example, scene: Scene) -> Picture:
    """Lay out the matrix."""
    right_to_left = is_right_to_left(example.source)
    columns = [short_word(example.source[s]) for s in scene.columns]
    lean = [RUN * text_width(word) for word in columns]  # how far a label hangs over
    places = range(len(columns))
    steps = [len(columns) - 1 - i for i in places] if right_to_left else list(places)
    left = 10 + max(text_width(short_word(example.target[t])) for t in scene.rows)
    if right_to_left:
        left = max(left, *(lean[i] - CELL * steps[i] for i in places))
    top = 16 + RISE * max(map(text_width, columns))
    x = {s: left + CELL * (steps[i] + 0.5) for i, s in enumerate(scene.columns)}
    y = {t: top + CELL * (i + 0.5) for i, t in enumerate(scene.rows)}
    right, bottom = left + CELL * len(columns), top + CELL * len(y)
    hang = 0.0 if right_to_left else max(left + CELL * steps[i] + lean[i] - right for i in places)
    return Picture(
        width=right + max(hang + CELL / 2, 10),
        height=bottom + 10,
        right_to_left=right_to_left,
        columns=[_label(example.source[s], scene.source_kind(s), x[s]) for s in x],
        rows=[_label(example.target[t], scene.target_kind(t), y[t]) for t in y],
        corner=(left, top),
        lines=_lines(example, scene, Box(left, top, right - left, bottom - top), right_to_left),
        phrase=_phrase(scene, x, y),
        neighbour=(
            Box(left, y[scene.neighbour] - CELL / 2, right - left, CELL)
            if scene.neighbour is not None
            else None
        ),
        marks=_marks(example, scene, x, y),
    )


def is_right_to_left(words: Iterable[str]) -> bool:
    """Tell whether most letters that have a direction go from right to left."""
    found = [unicodedata.bidirectional(letter) for word in words for letter in word]
    return sum(way in ("R", "AL") for way in found) > found.count("L")


def text_width(text: str) -> float:
    """Estimate the width of a label in pixels; few fonts need more."""
    return FONT * sum(map(_letter_width, text))


def _letter_width(letter: str) -> float:
    if unicodedata.combining(letter):
        return 0.0
    wide = unicodedata.east_asian_width(letter) in "WF" or letter in "mwMW@%…"
    return 1.0 if wide else 0.66


def _kind(phrase: bool, neighbour: bool) -> str:
    return "phrase" if phrase else "neighbour" if neighbour else ""


def short_word(word: str, letters: int = LETTERS) -> str:
    """Return a word, or as much of it as a picture has room for."""
    return word if len(word) <= letters else word[: letters - 1] + "…"


def _label(word: str, kind: str, at: float) -> Label:
    return Label(short_word(word), word, is_right_to_left([word]), kind, at)


def _phrase(scene: Scene, x: dict[int, float], y: dict[int, float]) -> Box:
    across = [x[s] for s in scene.source_phrase]
    down = [y[t] for t in scene.target_phrase]
    return Box(
        min(across) - CELL / 2,
        min(down) - CELL / 2,
        max(across) - min(across) + CELL,
        max(down) - min(down) + CELL,
    )


def _marks(example: Example, scene: Scene, x: dict[int, float], y: dict[int, float]) -> list[Mark]:
    """Return the links that are shown, and arrows towards the others."""
    marks = set()
    for s, t in example.links:
        if t not in y:
            continue
        if s in x:
            marks.add(Mark(x[s], y[t], scene.target_kind(t)))
            continue
        edge = x[scene.columns[0] if s < scene.columns[0] else scene.columns[-1]]
        way = 1 if edge > sum(x.values()) / len(x) else -1
        marks.add(Mark(edge + way * (CELL / 2 + 1), y[t], scene.target_kind(t), way))
    return sorted(marks, key=lambda mark: (mark.y, mark.x, mark.way))


def _lines(example: Example, scene: Scene, grid: Box, right_to_left: bool) -> str:
    """Return the grid as an SVG path; lines run on where there are more words than shown."""
    ends = [scene.columns[0] > 0, scene.columns[-1] < len(example.source) - 1]
    before, after = (OVERRUN * more for more in (ends[::-1] if right_to_left else ends))
    above = OVERRUN * (scene.rows[0] > 0)
    below = OVERRUN * (scene.rows[-1] < len(example.target) - 1)
    across = [
        f"M{grid.x - before:.1f} {grid.y + CELL * i:.1f}h{grid.width + before + after:.1f}"
        for i in range(len(scene.rows) + 1)
    ]
    down = [
        f"M{grid.x + CELL * i:.1f} {grid.y - above:.1f}v{grid.height + above + below:.1f}"
        for i in range(len(scene.columns) + 1)
    ]
    return "".join(across + down)


def _sentence(words: Sequence[str], kinds: Iterable[str]) -> Sentence:
    runs = [
        (kind, " ".join(word for _, word in run))
        for kind, run in itertools.groupby(zip(kinds, words, strict=True), key=lambda pair: pair[0])
    ]
    return Sentence("rtl" if is_right_to_left(words) else "ltr", runs)
