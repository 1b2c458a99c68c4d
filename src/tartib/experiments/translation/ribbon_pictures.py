"""A sentence drawn once for each system: which phrase moved where.

Source words are above and target words below, both in the order in which they are read, from left
to right whatever the script, so that a translation in the order of the source has no crossings.
Every word is a text element with its own position: words of right-to-left scripts cannot move
others.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from tartib.experiments.report.alignment_pictures import (
    FONT,
    is_right_to_left,
    short_word,
    text_width,
)
from tartib.experiments.report.html import page_environment
from tartib.experiments.translation.results import Move, MovedSentence, Output

GAP, PAD, LINE, BANDS = 12.0, 4.0, 24.0, 54.0  # pixels
# Both discontinuous orientations look the same.
ORIENTATIONS = {"mono": "mono", "swap": "swap", "dright": "other", "dleft": "other"}


@dataclass(frozen=True)
class Word:
    """A word and the position of its middle."""

    text: str
    full: str
    right_to_left: bool
    x: float


@dataclass(frozen=True)
class Band:
    """A phrase: its box above, its box below, and the band between them."""

    kind: str
    source: tuple[float, float]
    target: tuple[float, float]
    path: str


@dataclass(frozen=True)
class Drawing:
    """What the template draws, in pixels."""

    width: float
    height: float
    source: list[Word]
    target: list[Word]
    bands: list[Band]


def draw_sentence(
    sentence: MovedSentence, *, texts: Mapping[str, str] | None = None, measure: str = "BLEU"
) -> Markup:
    """Return a sentence with its references and each system's translation, as HTML.

    Parameters
    ----------
    sentence
        What is drawn.
    texts
        What is written above it, by what each is, instead of its line number, tokens and
        references.
    measure
        What its score is called.
    """
    html = page_environment().get_template("movement.html")
    drawings = drawings_of(sentence)
    return Markup(  # noqa: S704 -- the template escapes
        html.render(
            sentence=sentence,
            texts=texts or {},
            measure=measure,
            shown=list(zip(sentence.outputs, drawings, strict=True)),
            line=LINE,
            bands=BANDS,
            font=FONT,
            rtl=is_right_to_left,
        )
    )


def drawings_of(sentence: MovedSentence) -> list[Drawing]:
    """Lay out all translations of a sentence; the source words have the same places in each."""
    source = _row([[word] for word in sentence.source])
    targets = [_row([move.words for move in output.moves]) for output in sentence.outputs]
    width = max(_end(row) for row in (source, *targets))
    above = _places(source, width)
    return [
        _drawing(sentence.source, output, above, _places(row, width))
        for output, row in zip(sentence.outputs, targets, strict=True)
    ]


Place = tuple[float, float]


def _drawing(
    source: Sequence[str], output: Output, above: Sequence[Place], below: Sequence[Place]
) -> Drawing:
    bands, begin = [], 0
    for move in output.moves:
        end = begin + len(move.words)
        bands.append(_band(move, above[move.start : move.end], below, begin, end))
        begin = end
    words = [word for move in output.moves for word in move.words]
    return Drawing(
        width=max(place[1] for place in (*above, *below)),
        height=2 * LINE + BANDS,
        source=_words(source, above),
        target=_words(words, below),
        bands=bands,
    )


def _row(phrases: Sequence[Sequence[str]]) -> list[list[Place]]:
    """Return where each word of each phrase begins and ends, side by side."""
    row, at = [], 0.0
    for phrase in phrases:
        places = []
        for word in phrase:
            width = text_width(short_word(word)) + 2 * PAD
            places.append((at, at + width))
            at += width
        row.append(places)
        at += GAP if phrase else 0.0
    return row


def _end(row: Sequence[Sequence[Place]]) -> float:
    return max((place[1] for phrase in row for place in phrase), default=0.0)


def _places(row: Sequence[Sequence[Place]], width: float) -> list[Place]:
    """Return the places of all words, with the spare room between the phrases."""
    spare = width - _end(row)
    filled = [phrase for phrase in row if phrase]
    gap = spare / (len(filled) - 1) if len(filled) > 1 else 0.0
    return [
        (begin + i * gap, end + i * gap) for i, phrase in enumerate(filled) for begin, end in phrase
    ]


def _words(words: Sequence[str], row: Sequence[Place]) -> list[Word]:
    return [
        Word(short_word(word), word, is_right_to_left([word]), (begin + end) / 2)
        for word, (begin, end) in zip(words, row, strict=True)
    ]


def _band(move: Move, above: Sequence[Place], row: Sequence[Place], begin: int, end: int) -> Band:
    """Draw a phrase; one whose translation has no words ends in a point between its neighbours."""
    source = (above[0][0], above[-1][1])
    if end > begin:
        target = (row[begin][0], row[end - 1][1])
    else:
        place = row[begin][0] - GAP / 2 if begin < len(row) else row[-1][1] if row else 0.0
        target = (place, place)
    top, bottom = LINE, LINE + BANDS
    middle = (top + bottom) / 2
    path = (
        f"M{source[0]:.1f} {top:.1f}"
        f"C{source[0]:.1f} {middle:.1f} {target[0]:.1f} {middle:.1f} {target[0]:.1f} {bottom:.1f}"
        f"H{target[1]:.1f}"
        f"C{target[1]:.1f} {middle:.1f} {source[1]:.1f} {middle:.1f} {source[1]:.1f} {top:.1f}Z"
    )
    return Band(ORIENTATIONS[move.orientation], source, target, path)
