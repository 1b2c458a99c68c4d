"""Translations as text for people and programs; every function gives whole lines."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from tartib.decoder import features as names
from tartib.decoder.features import FeatureLayout
from tartib.decoder.translation import Hypothesis, SearchGraph, SparseVector, Step, Translation

# Letters that keep a piece of right-to-left text from moving what stands around it.
_ISOLATE, _END_ISOLATE = "\u2068", "\u2069"
# What would move the cursor, end the line, change colours or the direction of what follows.
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")

_DIGITS = 6  # of the numbers in search graphs, which are large enough


def text_line(_: int, translation: Translation) -> str:
    """Return the words of the best translation."""
    return translation.text + "\n"


def alignment_line(_: int, translation: Translation) -> str:
    """Return which source words became which words of the best translation, in Pharaoh format."""
    return " ".join(f"{i}-{j}" for i, j in translation.best.alignment) + "\n"


def nbest_lines(number: int, translation: Translation) -> str:
    """Return an n-best list as Moses writes it; numbers count sentences from 0.

    The penalty of unknown words follows the other features, so that the weighted sum of all that
    stand there is the total.
    """
    layout = translation.layout
    order = sorted(layout.sizes, key=lambda name: name == names.UNKNOWN_PENALTY)
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
    """Return the words, each with a space behind it, as Moses does."""
    text = "".join(f"{word} " for word in hypothesis.words)
    return "".join(f"{_escaped(word)} " for word in hypothesis.words) if "|||" in text else text


def _escaped(word: str) -> str:
    return word.replace("|", "&#124;") if "|||" in word else word


def json_line(number: int, translation: Translation) -> str:
    """Return all that is known of a translation in one line of JSON."""
    best, *others = translation.nbest
    value = {
        "sentence": number,
        "source": " ".join(translation.source),
        **_hypothesis(best, translation),
        "steps": [_step(step, translation) for step in best.steps],
        "warnings": list(translation.warnings),
    }
    if others:
        value["others"] = [_hypothesis(h, translation) for h in others]
    return _json(value)


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
        "jump": step.jump,
        "orientation": step.orientation,
        "block_orientation": step.block_orientation,
        "models": [
            {
                "name": move.model,
                "direction": move.direction,
                "orientation": move.orientation,
                "probability": move.probability,
            }
            for move in step.moves
        ],
    }


def graph_lines(number: int, translation: Translation) -> str:
    """Return the search graphs of a sentence's pieces, a line of JSON each."""
    layout = translation.layout
    return "".join(
        _graph(number, piece, graph, layout) for piece, graph in enumerate(translation.graphs)
    )


def _graph(number: int, piece: int, graph: SearchGraph, layout: FeatureLayout) -> str:
    rows = range(len(graph)) if layout.sparse else ()
    sparse = [_sparse(graph.sparse.row(i), layout.sparse) for i in rows]
    options = zip(graph.starts.tolist(), graph.lengths.tolist(), graph.targets, strict=True)
    return _json(
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


def _json(value: dict[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False) + "\n"


def trace_text(number: int, translation: Translation) -> str:
    """Return how a sentence was translated, phrase by phrase, as a table that people can read.

    Words stand in the last column, isolated: right-to-left text moves nothing else. Control
    characters are shown as escapes.
    """
    best = translation.best
    head = f"sentence {number}: {len(translation.source)} words, total {best.total:.4f}\n"
    moves = [move for step in best.steps for move in step.moves]
    models = list(dict.fromkeys(move.model for move in moves))
    judges = sorted({(m.model, m.direction) for m in moves}, key=lambda j: (models.index(j[0]), j))
    rows = [["source", "jump", "phrase", "block", *map(" ".join, judges), "words"]]
    for step in best.steps:
        said = {(m.model, m.direction): f"{m.orientation} {m.probability:.3f}" for m in step.moves}
        source = " ".join(translation.source[step.start : step.end])
        target = " ".join(step.target) if step.target else "–"
        rows.append(
            [
                f"{step.start}-{step.end - 1}",
                f"{step.jump:+d}" if step.jump else "0",
                step.orientation,
                step.block_orientation,
                *(said.get(judge, "–") for judge in judges),
                f"{_isolated(source)} → {_isolated(target)}{'' if step.known else '  (unknown)'}",
            ]
        )
    return head + "".join(f"  {line}\n" for line in _aligned(rows)) + "\n"


def _isolated(text: str) -> str:
    text = _CONTROL.sub(lambda found: found[0].encode("unicode_escape").decode(), text)
    return text if text.isascii() else f"{_ISOLATE}{text}{_END_ISOLATE}"


def _aligned(rows: list[list[str]]) -> Iterable[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = [cell.ljust(width) for cell, width in zip(row[:-1], widths, strict=False)]
        yield "  ".join([*cells, row[-1]])
