"""Figures of a classifier over its folds, as values of a table: mean and standard deviation."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from tartib.experiments.classification.results import Cell, Run
from tartib.experiments.report.findings import SIGNIFICANT
from tartib.experiments.report.tables import Value, duration

Figure = Callable[[Run], float]
Shown = Callable[[Cell], Value]


def mean_of(numbers: Sequence[float]) -> Value:
    """Return the mean and the deviation of numbers, one for each fold."""
    spread = float(np.std(numbers, ddof=1)) if len(numbers) > 1 else None
    return Value(float(np.mean(numbers)), spread) if numbers else Value(None)


def average(of: Figure) -> Shown:
    """Show only the mean of a figure."""
    return lambda cell: Value(cell.mean(of))


def figure(of: Figure) -> Shown:
    """Show the mean and the deviation of a figure."""
    return lambda cell: Value(cell.mean(of), cell.deviation(of))


def percent(of: Figure) -> Shown:
    """Show the mean and the deviation of a share, in percent."""
    return figure(lambda run: 100 * of(run))


def of_class(name: str, k: int) -> Figure:
    """Return precision, recall or f1 of a class."""
    return lambda run: float(getattr(run.scores, name)[k])


def confused(k: int, said: int) -> Figure:
    """Return the share of all pairs that are of one class and predicted as another."""
    return lambda run: run.scores.confusion[k][said] / (sum(map(sum, run.scores.confusion)) or 1)


def training_time(cell: Cell) -> Value:
    """Return the mean training time."""
    seconds = cell.mean(lambda run: run.seconds)
    return Value(seconds, text=duration(seconds))


def chosen(cell: Cell) -> Value:
    """Return the chosen value of the hyper-parameter, or all of them if folds differ."""
    if not cell.parameter:
        return Value(None)
    values = sorted({run.value for run in cell.runs})
    return Value(values[0], text=", ".join(f"{value:g}" for value in values))


def difference(p_values: Mapping[tuple[str, str], float]) -> Shown:
    """Show the difference from the lexicalised model in points, with a star if significant."""

    def show(cell: Cell) -> Value:
        if cell.difference is None:
            return Value(None)
        points = 100 * cell.difference.accuracy
        # Adding 0 turns a rounded -0.00 into +0.00.
        shown = f"{round(points, 2) + 0:+.2f}".replace("-", "−")
        star = "*" if p_values[cell.features, cell.classifier] < SIGNIFICANT else ""
        return Value(points, text=shown, mark=star)

    return show


def active(cell: Cell) -> Value:
    """Return the active share at the end of epoch 3; none if a fold stopped before that."""
    shares = [100 * epoch.active for run in cell.runs for epoch in run.trace if epoch.epoch == 3]
    return mean_of(shares) if len(shares) == len(cell.runs) else Value(None)


def remarks(cells: Sequence[Cell]) -> list[str]:
    """Say what the figures are means of, and which options the classifiers had."""
    folds = len(cells[0].runs)
    given = "; ".join(dict.fromkeys(_untuned(cell) for cell in cells if cell.options))
    return [
        *([f"Mean ± standard deviation over {folds} folds."] if folds > 1 else []),
        *([f"Options: {given}."] if given else []),
    ]


def _untuned(cell: Cell) -> str:
    """Return the options without the one that a column shows."""
    return re.sub(rf"\b{re.escape(cell.parameter)}=[^,)]*,?", "", cell.options).replace(",)", ")")
