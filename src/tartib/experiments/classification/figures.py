"""The papers' figures about classification, and accuracy at a glance.

A figure is a list of panels: a page shows them side by side where there is room, a file has them
one below another.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, MaxNLocator, NullFormatter

from tartib.experiments.classification.results import Epoch, OrientationResults, Results
from tartib.experiments.classification.summary import accuracy, most_frequent
from tartib.experiments.classification.tables import CLASSIFIERS
from tartib.experiments.report.figures import (
    INK,
    Panel,
    legend,
    note,
    short_number,
    styles_of,
)

TIME_UNITS = (("hours", 3600), ("minutes", 60), ("seconds", 1))


def figures_of(orientation: OrientationResults) -> dict[str, list[Panel]]:
    """Return, by name, the figures that there are results for."""
    figures = {
        "accuracy": _glance(orientation),
        "figure-1": _active(orientation),
        "figure-2": _scaling(orientation),
    }
    return {name: panels for name, panels in figures.items() if panels}


def figures_by_name(results: Results) -> dict[str, list[Panel]]:
    """Return each figure of each orientation, such as ``figure-2-word-msd-backward``."""
    return {
        f"{name}-{orientation.name}-{orientation.direction}": panels
        for orientation in results.orientations
        for name, panels in figures_of(orientation).items()
    }


def _glance(orientation: OrientationResults) -> list[Panel]:
    """Accuracy of each feature set: a row of points, one for each classifier."""
    sets = list(dict.fromkeys(cell.features for cell in orientation.cells))
    if not sets:
        return []

    def draw(axes: Axes) -> None:
        classifiers = list(dict.fromkeys(cell.classifier for cell in orientation.cells))
        rows = {name: len(sets) - 1 - i for i, name in enumerate(sets)}
        for classifier, style in styles_of(classifiers).items():
            cells = [cell for cell in orientation.cells if cell.classifier == classifier]
            axes.errorbar(
                [accuracy(cell) for cell in cells],
                [rows[cell.features] for cell in cells],
                xerr=[
                    100 * (cell.deviation(lambda run: run.scores.accuracy) or 0.0) for cell in cells
                ],
                label=CLASSIFIERS.get(classifier, classifier),
                linestyle="none",
                elinewidth=1.2,
                **style,
            )
        lexicalised, (_, most) = accuracy(orientation.lexicalised), most_frequent(orientation)
        axes.margins(x=0.1)
        _reference(axes, lexicalised, f"lexicalised {lexicalised:.1f}", "-", 0)
        _reference(axes, most, f"most frequent class {most:.1f}", ":", 1)
        if orientation.best is not None:
            best = orientation.cells[orientation.best]
            place = (accuracy(best), rows[best.features])
            note(axes, f"{accuracy(best):.1f}", place, (7, -3), ha="left")
        axes.set_yticks(list(rows.values()), list(rows))
        axes.set_ylim(-0.7, len(sets) - 0.3)
        axes.tick_params(axis="y", length=0)
        axes.spines["left"].set_visible(False)
        axes.set_xlabel("accuracy %")
        legend(axes, above=2)

    height = 1.35 + 0.21 * len(sets)
    return [Panel("accuracy", "Accuracy of each feature set", height, draw)]


def _reference(axes: Axes, value: float, label: str, line: str, level: int) -> None:
    """Draw a vertical line with its name above it, at one of two levels."""
    axes.axvline(value, color=INK, linewidth=1.2, linestyle=line)
    low, high = axes.get_xlim()
    place = (value - low) / (high - low)
    ha = "left" if place < 0.25 else "right" if place > 0.75 else "center"
    note(axes, label, (value, 1), (0, 3 + 13 * level), ("data", "axes fraction"), ha=ha)


def _active(orientation: OrientationResults) -> list[Panel]:
    """Active share per epoch: the SVM paper's Figure 1 and the MLR paper's."""
    dual = [row for row in orientation.regressions if row.epsilon is not None]
    curves = orientation.curves
    by_epsilon = {f"ε = {row.epsilon:g}": row.cell.runs[0].trace for row in dual if row.cell.runs}
    features = orientation.regression_features
    found = [
        ("figure-1-classifiers", f"Active phrase pairs by classifier ({features})", curves),
        ("figure-1-epsilon", f"Active phrase pairs of dual MLR by ε ({features})", by_epsilon),
    ]
    return [
        Panel(key, title, 2.7, _active_panel(traces))
        for key, title, traces in found
        if any(traces.values())
    ]


def _active_panel(traces: dict[str, list[Epoch]]) -> Callable[[Axes], None]:
    def draw(axes: Axes) -> None:
        styles = styles_of(traces)
        for name, trace in traces.items():
            passes = [epoch for epoch in trace if epoch.epoch > 0]  # 0 is the final check
            axes.plot(
                [epoch.epoch for epoch in passes],
                [100 * epoch.active for epoch in passes],
                label=CLASSIFIERS.get(name, name),
                markevery=max(1, len(passes) // 12),
                **styles[name],
            )
        axes.set_yscale("log", nonpositive="mask")
        axes.yaxis.set_major_formatter(FuncFormatter(lambda y, _: f"{y:g}"))
        axes.yaxis.set_minor_formatter(NullFormatter())
        low, _ = axes.get_ylim()
        axes.set_ylim(min(low, 0.7), 130)
        axes.axhline(1, color=INK, linewidth=1, linestyle=":", label="99 % inactive")
        axes.set_xlim(left=0)
        axes.xaxis.set_major_locator(MaxNLocator(6, integer=True))
        axes.set_xlabel("epoch")
        axes.set_ylabel("active phrase pairs %")
        legend(axes)

    return draw


def _scaling(orientation: OrientationResults) -> list[Panel]:
    """Time, memory and accuracy against the number of phrase pairs: the SVM paper's Figure 2."""
    if not orientation.scaling:
        return []
    seconds = [point.run.seconds for point in orientation.scaling]
    unit, divisor = next(u for u in TIME_UNITS if max(seconds) > 2 * u[1] or u[1] == 1)
    return [
        Panel(
            "figure-2-time",
            f"Training time ({orientation.scaling_features})",
            2.7,
            _scaling_panel(orientation, [s / divisor for s in seconds], f"time, {unit}"),
        ),
        Panel(
            "figure-2-memory",
            f"Peak memory ({orientation.scaling_features})",
            2.7,
            _scaling_panel(orientation, [p.run.peak_mb for p in orientation.scaling], "memory, MB"),
        ),
        Panel(
            "figure-2-accuracy",
            f"Learning curve ({orientation.scaling_features})",
            2.7,
            _scaling_panel(
                orientation,
                [100 * point.run.scores.accuracy for point in orientation.scaling],
                "accuracy %",
                learning=True,
            ),
        ),
    ]


def _scaling_panel(
    orientation: OrientationResults, values: list[float], label: str, *, learning: bool = False
) -> Callable[[Axes], None]:
    def draw(axes: Axes) -> None:
        points = orientation.scaling
        classifiers = list(dict.fromkeys(point.classifier for point in points))
        for classifier, style in styles_of(classifiers).items():
            chosen = sorted(
                (point.run.pairs, value)
                for point, value in zip(points, values, strict=True)
                if point.classifier == classifier
            )
            axes.plot(*np.transpose(chosen), label=CLASSIFIERS.get(classifier, classifier), **style)
        if learning:
            sizes = sorted({point.run.pairs for point in points})
            axes.set_xscale("log")
            axes.set_xticks(sizes)
            axes.set_xticks([], minor=True)
        else:
            axes.set_xlim(left=0)
            axes.set_ylim(bottom=0)
            axes.xaxis.set_major_locator(MaxNLocator(6))
        axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _: short_number(x)))
        axes.set_xlabel("phrase pairs for training")
        axes.set_ylabel(label)
        legend(axes)

    return draw
