"""Translations as text, for people and programs: every function returns whole lines."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any
from unicodedata import combining, east_asian_width

import numpy as np

from tartib.decoder.features import UNKNOWN_PENALTY, FeatureLayout
from tartib.decoder.translation import (
    Hypothesis,
    Judgement,
    SearchGraph,
    SparseVector,
    Step,
    Translation,
)
from tartib.wording import counted, printable

# Marks that keep right-to-left text from moving the text around it.
_ISOLATE, _END_ISOLATE = "\u2068", "\u2069"

_DIGITS = 6  # of numbers in search graphs: more would make large files larger
_WIDTH = 80  # of traces


def text_line(_: int, translation: Translation) -> str:
    """Return the words of the best translation."""
    return translation.text + "\n"


def alignment_line(_: int, translation: Translation) -> str:
    """Return which source words became which words of the best translation, in Pharaoh format."""
    return " ".join(f"{i}-{j}" for i, j in translation.best.alignment) + "\n"


def nbest_lines(number: int, translation: Translation) -> str:
    """Return an n-best list as Moses writes it; numbers count sentences from 0.

    The penalty of unknown words, which Moses leaves out, follows the other features, so that the
    total is the weighted sum of what a line shows.
    """
    layout = translation.layout
    order = sorted(layout.sizes, key=lambda name: name == UNKNOWN_PENALTY)
    places = np.concatenate([np.arange(layout.n_dense)[layout.slice(name)] for name in order])
    # One format for all values of a line: lists are long, and each line has to be quick.
    groups = (f"{name.replace('%', '%%')}={' %g' * layout.sizes[name]}" for name in order)
    form = f"{number} ||| %s ||| {' '.join(groups)}%s ||| %g\n"
    return "".join(
        form
        % (
            _words(h),
            *(h.features[places] + 0.0).tolist(),
            _sparse_text(h.sparse, layout.sparse),
            h.total,
        )
        for h in translation.nbest
    )


def _sparse_text(sparse: SparseVector, names: Sequence[str]) -> str:
    pairs = zip(sparse.indices.tolist(), sparse.values.tolist(), strict=True)
    return "".join(f" {names[i].replace('|', '&#124;')}= {value:g}" for i, value in pairs)


def _words(hypothesis: Hypothesis) -> str:
    """Return the words, each followed by a space, as Moses does."""
    text = "".join(f"{word} " for word in hypothesis.words)
    return "".join(f"{_escaped(word)} " for word in hypothesis.words) if "|||" in text else text


def _escaped(word: str) -> str:
    return word.replace("|", "&#124;") if "|||" in word else word


def json_line(number: int, translation: Translation) -> str:
    """Return a translation, its features and steps as one line of JSON."""
    return as_line(as_data(number, translation))


def as_data(number: int, translation: Translation) -> dict[str, Any]:
    """Return a translation, its features and steps as JSON has them."""
    best, *others = translation.nbest
    value: dict[str, Any] = {
        "sentence": number,
        "source": " ".join(translation.source),
        **_hypothesis(best, translation),
        "steps": [_step(step, translation) for step in best.steps],
        "warnings": list(translation.warnings),
    }
    if others:
        value["others"] = [_hypothesis(h, translation) for h in others]
    return value


def _hypothesis(h: Hypothesis, translation: Translation) -> dict[str, Any]:
    layout = translation.layout
    found = {"translation": h.text, "total": h.total, "features": layout.mapping(h.features)}
    return found | ({"sparse": _sparse(h.sparse, layout.sparse)} if layout.sparse else {})


def _sparse(sparse: SparseVector, names: Sequence[str]) -> dict[str, float]:
    pairs = zip(sparse.indices.tolist(), sparse.values.tolist(), strict=True)
    return {names[i]: value for i, value in pairs}


def _step(step: Step, translation: Translation) -> dict[str, Any]:
    return {
        "start": step.start,
        "end": step.end,
        "source": " ".join(translation.source[step.start : step.end]),
        "target": " ".join(step.target),
        "known": step.known,
        "forced": step.forced,
        "jump": step.jump,
        "orientation": step.orientation,
        "block_orientation": step.block_orientation,
        "models": [
            {
                "name": judgement.model,
                "direction": judgement.direction,
                "orientation": judgement.orientation,
                "probability": judgement.probability,
            }
            for judgement in step.judgements
        ],
    }


def graph_lines(number: int, translation: Translation) -> str:
    """Return the search graphs of a sentence or of its pieces, a line of JSON each."""
    layout = translation.layout
    return "".join(
        _graph(number, piece, graph, layout) for piece, graph in enumerate(translation.graphs)
    )


def _graph(number: int, piece: int, graph: SearchGraph, layout: FeatureLayout) -> str:
    rows = range(len(graph)) if layout.sparse else ()
    sparse = [_sparse(graph.sparse.row(i), layout.sparse) for i in rows]
    options = zip(graph.starts.tolist(), graph.lengths.tolist(), graph.targets, strict=True)
    return as_line(
        {
            "sentence": number,
            "piece": piece,
            "score": graph.score.round(_DIGITS).tolist(),
            "parent": graph.parent.tolist(),
            "option": graph.step.tolist(),
            "best": graph.best.tolist(),
            "features": graph.features.round(_DIGITS).tolist(),
            **({"sparse": sparse} if layout.sparse else {}),
            "sizes": dict(layout.sizes),
            "options": [[start, start + length, target] for start, length, target in options],
        }
    )


def as_line(value: dict[str, Any]) -> str:
    """Return data as a line of JSON."""
    return json.dumps(value, ensure_ascii=False) + "\n"


def trace_text(number: int, translation: Translation) -> str:
    """Return how a sentence was translated, phrase by phrase, for people: lines of 80 columns.

    Below each phrase stands what the reordering models say, in the order of the system file.
    Words are isolated, so that right-to-left text moves nothing else, and control characters are
    shown as escapes. Lines end between words; only a longer word makes a longer line.
    """
    best = translation.best
    rows = [("source", "jump", "phrase", "hier", "words")]
    for step in best.steps:
        span = f"{step.start}-{step.end - 1}"
        jump = f"{step.jump:+d}" if step.jump else "0"
        rows.append((span, jump, step.orientation, step.block_orientation, ""))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)][:-1]
    heads = [
        "  " + "".join(f"{cell:{width}}  " for cell, width in zip(row, widths, strict=False))
        for row in rows
    ]
    total = f"total {best.total:.4f}"
    lines = [f"line {number + 1}: {counted(len(translation.source), 'word')}, {total}"]
    lines.append(f"{heads[0]}words")
    for step, head in zip(best.steps, heads[1:], strict=True):
        lines += _hanging(head, _step_words(step, translation))
        for model in dict.fromkeys(judgement.model for judgement in step.judgements):
            judged = [(_judgement_text(j),) for j in step.judgements if j.model == model]
            lines += _hanging(f"    {printable(model)}: ", judged, ", ")
    return "".join(f"{line}\n" for line in lines) + "\n"


def _step_words(step: Step, translation: Translation) -> list[Sequence[str]]:
    source = translation.source[step.start : step.end]
    note = () if step.known else ("(unknown)",)
    return [source, ("→",), step.target or ("–",), ("(forced)",) if step.forced else note]


def _judgement_text(judgement: Judgement) -> str:
    return f"{judgement.direction} {judgement.orientation} {judgement.probability:.3f}"


def _hanging(head: str, texts: Sequence[Sequence[str]], separator: str = " ") -> list[str]:
    """Put texts after a head, in lines that break between words and start where the first does.

    Parameters
    ----------
    head
        Begins the first line.
    texts
        Each is one text of several words, isolated from the others.
    separator
        Between texts.
    """
    begin = _columns(head)
    lines: list[list[list[str]]] = [[]]
    width = begin
    for text in texts:
        place: list[str] = []
        for word in map(printable, text):
            if width > begin and width + _columns(word) > _WIDTH:
                lines.append([])
                place, width = [], begin
            if not place:
                lines[-1].append(place)
            place.append(word)
            width += _columns(word) + len(separator)
    shown = [separator.join(_isolated(" ".join(text)) for text in line) for line in lines]
    return [f"{' ' * begin if i else head}{line}" for i, line in enumerate(shown)]


def _columns(text: str) -> int:
    """Return how many columns a terminal needs for a text."""
    return sum(0 if combining(c) else 1 + (east_asian_width(c) in "WF") for c in text)


def _isolated(text: str) -> str:
    return text if text.isascii() or text in "→–" else f"{_ISOLATE}{text}{_END_ISOLATE}"
