"""Predictions as lines of text."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from tartib.phrases import PhrasePairs
from tartib.reordering.model import ReorderingModel


def prediction_lines(
    model: ReorderingModel, phrases: PhrasePairs, direction: str | None = None
) -> Iterator[str]:
    """Yield tab-separated lines; the first has the column names.

    Parameters
    ----------
    model
        A trained model.
    phrases
        Phrase pairs of any corpus.
    direction
        As in `ReorderingModel.predict_proba`.
    """
    names = (
        "line",
        "source_start",
        "target_start",
        "source",
        "target",
        "truth",
        *model.orientation_.labels,
    )
    found = model.iter_proba(phrases, direction)
    yield "\t".join(names)
    reading = phrases.reading_as(model.orientation_)
    backward = (direction or model.directions[0]) == "backward"
    rows = chain.from_iterable(part.tolist() for part in found)
    for pair, row in zip(reading, rows, strict=True):
        place = (
            str(int(phrases.bitext.lines[pair.sentence])),
            str(pair.source_start),
            str(pair.target_start),
            " ".join(pair.source),
            " ".join(pair.target),
            pair.backward if backward else pair.forward,
        )
        yield "\t".join((*place, *(f"{p:.6f}" for p in row)))
