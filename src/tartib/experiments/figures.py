"""The papers' figures, and accuracy at a glance: SVG for pages, PDF and SVG files for papers.

A figure is a list of panels: a page shows them side by side or below each other as it has room,
a file has them below each other. No pyplot, no state that stays: the same results give the same
bytes.
"""

from __future__ import annotations

import io
import re
import textwrap
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.textpath import TextPath
from matplotlib.ticker import FuncFormatter, MaxNLocator, NullFormatter
from matplotlib.transforms import ScaledTranslation

from tartib.experiments.results import Epoch, OrientationResults, Results
from tartib.experiments.summary import accuracy, majority
from tartib.experiments.tables import CLASSIFIERS
from tartib.storage import new_files

WIDTH = 4.6  # inches: text of this size can be read when a phone shows the panel at full width
INK, MUTED, GRID = "#1b1f24", "#6a737d", "#d9dde2"
# Okabe and Ito's colours, told apart by colour-blind people too; markers tell them apart in grey.
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")
MARKERS = "osD^vP"
# These have the same one in every figure.
SERIES = ("svm", "maxent", "mlr", "naive-bayes", "mlr-eg")
LEGEND_LETTERS = 42  # of a line: so many have room
LEGEND_HANDLE, LEGEND_PAD, LEGEND_GAP = 1.5, 0.6, 1.2  # in widths of a letter
TIME_UNITS = (("hours", 3600), ("minutes", 60), ("seconds", 1))
SETTINGS: Any = {
    "font.family": "sans-serif",
    "font.size": 10,
    "svg.fonttype": "none",
    "svg.hashsalt": "tartib",
    "pdf.fonttype": 42,
    "text.parse_math": False,
    "text.color": INK,
    "axes.edgecolor": MUTED,
    "axes.labelcolor": INK,
    "axes.linewidth": 0.8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": GRID,
    "grid.linewidth": 0.7,
    "xtick.color": MUTED,
    "ytick.color": MUTED,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "xtick.labelsize": 9,
    "ytick.labelsize": 9,
    "lines.linewidth": 1.8,
    "lines.markersize": 4.5,
    "legend.frameon": False,
    "legend.fontsize": 9,
}


@dataclass(frozen=True)
class Panel:
    """One pair of axes.

    Attributes
    ----------
    key
        Unique in an orientation, such as ``figure-2-time``.
    title
        What it shows, in words; it stands beside the picture, not in it.
    height
        In inches.
    draw
        Draws it.
    """

    key: str
    title: str
    height: float
    draw: Callable[[Axes], None]

    def svg(self, prefix: str) -> str:
        """Return it for a page; ``prefix`` makes its ids unique there."""
        with _settings():
            return _for_page(_svg(_figure([self])), f"{prefix}-{self.key}")


def figures_of(orientation: OrientationResults) -> dict[str, list[Panel]]:
    """Return the figures that the results have something for, by name."""
    figures = {
        "accuracy": _glance(orientation),
        "figure-1": _active(orientation),
        "figure-2": _scaling(orientation),
    }
    return {name: panels for name, panels in figures.items() if panels}


def write_figures(results: Results, folder: str | Path) -> list[Path]:
    """Write each figure of each orientation as ``.pdf`` and ``.svg``; return the paths.

    The names are such as ``figure-2-word-msd-backward.pdf``; older files are replaced.
    """
    Path(folder).mkdir(parents=True, exist_ok=True)
    written: list[Path] = []
    for orientation in results.orientations:
        for name, panels in figures_of(orientation).items():
            stem = f"{name}-{orientation.name}-{orientation.direction}"
            paths = [Path(folder) / f"{stem}{suffix}" for suffix in (".pdf", ".svg")]
            with _settings(), new_files(*paths, overwrite=True) as (pdf, svg):
                _figure(panels).savefig(pdf, format="pdf", metadata={"CreationDate": None})
                svg.write_text(_svg(_figure(panels)), encoding="utf-8")
            written += paths
    return written


def _glance(orientation: OrientationResults) -> list[Panel]:
    """Accuracy of each feature set: a row of points, one for each classifier."""
    sets = list(dict.fromkeys(cell.features for cell in orientation.cells))
    if not sets:
        return []

    def draw(axes: Axes) -> None:
        classifiers = list(dict.fromkeys(cell.classifier for cell in orientation.cells))
        rows = {name: len(sets) - 1 - i for i, name in enumerate(sets)}
        for classifier, style in _styles(classifiers).items():
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
        lexicalised, (_, most) = accuracy(orientation.lexicalised), majority(orientation)
        axes.margins(x=0.1)
        _reference(axes, lexicalised, f"lexicalised {lexicalised:.1f}", "-", 0)
        _reference(axes, most, f"majority class {most:.1f}", ":", 1)
        if orientation.best is not None:
            best = orientation.cells[orientation.best]
            place = (accuracy(best), rows[best.features])
            _note(axes, f"{accuracy(best):.1f}", place, (7, -3), ha="left")
        axes.set_yticks(list(rows.values()), list(rows))
        axes.set_ylim(-0.7, len(sets) - 0.3)
        axes.tick_params(axis="y", length=0)
        axes.spines["left"].set_visible(False)
        axes.set_xlabel("accuracy %")
        _legend(axes, above=2)

    height = 1.35 + 0.21 * len(sets)
    return [Panel("accuracy", "Accuracy of each feature set", height, draw)]


def _reference(axes: Axes, value: float, label: str, line: str, level: int) -> None:
    """Draw a line from top to bottom with its name above, on a level of its own."""
    axes.axvline(value, color=INK, linewidth=1.2, linestyle=line)
    low, high = axes.get_xlim()
    place = (value - low) / (high - low)
    ha = "left" if place < 0.25 else "right" if place > 0.75 else "center"
    _note(axes, label, (value, 1), (0, 3 + 13 * level), ("data", "axes fraction"), ha=ha)


def _note(
    axes: Axes,
    text: str,
    place: tuple[float, float],
    offset: tuple[float, float],
    coordinates: str | tuple[str, str] = "data",
    *,
    ha: str,
) -> None:
    """Write a few words at a place, moved by an offset in points."""
    axes.annotate(
        text,
        place,
        xycoords=coordinates,
        xytext=offset,
        textcoords="offset points",
        ha=ha,
        fontsize=9,
    )


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
        styles = _styles(traces)
        for name, trace in traces.items():
            passes = [epoch for epoch in trace if epoch.epoch > 0]  # 0 is a look, not a pass
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
        axes.axhline(1, color=INK, linewidth=1, linestyle=":", label="99 % have left")
        axes.set_xlim(left=0)
        axes.xaxis.set_major_locator(MaxNLocator(6, integer=True))
        axes.set_xlabel("epoch")
        axes.set_ylabel("active phrase pairs %")
        _legend(axes)

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
        for classifier, style in _styles(classifiers).items():
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
        _legend(axes)

    return draw


def short_number(number: float) -> str:
    """Return a count in few characters, such as ``1.2 M``."""
    for unit, size in (("G", 1e9), ("M", 1e6), ("k", 1e3)):
        if abs(number) >= size:
            return f"{number / size:.3g} {unit}"
    return f"{number:.3g}"


def _styles(names: Iterable[str]) -> dict[str, dict[str, Any]]:
    """Give each series a colour and a marker; a classifier has the same ones in every figure."""
    fixed = {name: SERIES.index(name) for name in names if name in SERIES}
    free = (i for i in range(len(COLOURS)) if i not in fixed.values())
    chosen = {name: fixed[name] if name in fixed else next(free, 0) for name in names}
    return {name: {"color": COLOURS[i], "marker": MARKERS[i]} for name, i in chosen.items()}


def _legend(axes: Axes, above: int = 0) -> None:
    """Name the series over the axes, above so many lines of text, in rows that are not too wide."""
    handles, labels = axes.get_legend_handles_labels()
    labels = [textwrap.fill(label, LEGEND_LETTERS) for label in labels]
    upwards = ScaledTranslation(0, 0.07 + 0.18 * above, axes.figure.dpi_scale_trans)
    axes.legend(
        handles,
        labels,
        loc="lower left",
        bbox_to_anchor=(0, 1),
        bbox_transform=axes.transAxes + upwards,
        ncols=_legend_columns([_text_width(label) for label in labels], _room(axes)),
        borderaxespad=0,
        borderpad=0,
        handlelength=LEGEND_HANDLE,
        handletextpad=LEGEND_PAD,
        columnspacing=LEGEND_GAP,
    )


def _legend_columns(widths: list[float], room: float) -> int:
    """Return the columns of as few rows as have room, for names of these widths, in points."""
    size = matplotlib.rcParams["legend.fontsize"]
    for rows in range(1, len(widths)):
        columns = -(-len(widths) // rows)
        names = [max(column) for column in np.array_split(widths, columns)]
        beside = columns * (LEGEND_HANDLE + LEGEND_PAD) + (columns - 1) * LEGEND_GAP
        if sum(names) + size * beside <= room:
            return columns
    return 1


def _room(axes: Axes) -> float:
    """Return the points to the right of the labels of the rows; numbers need little."""
    names = [label.get_text() for label in axes.get_yticklabels()]
    return 72 * (WIDTH - 0.3) - max([40.0, *map(_text_width, names)])


def _text_width(text: str) -> float:
    """Return the points that a text of a legend or of a tick is wide."""
    size = matplotlib.rcParams["legend.fontsize"]
    lines = [TextPath((0, 0), line, size=size) for line in text.split("\n") if line.strip()]
    return max((line.get_extents().width for line in lines), default=0.0)


@contextmanager
def _settings() -> Iterator[None]:
    """Use our settings, whatever the user's own are, and leave those as they were."""
    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(SETTINGS)
        yield


def _figure(panels: Sequence[Panel]) -> Figure:
    heights = [panel.height for panel in panels]
    layout = ConstrainedLayoutEngine(h_pad=0.08, w_pad=0.06)
    figure = Figure(figsize=(WIDTH, sum(heights)), layout=layout)
    grid = figure.subplots(len(panels), 1, squeeze=False, height_ratios=heights)
    for panel, axes in zip(panels, grid[:, 0], strict=True):
        panel.draw(axes)
    return figure


def _svg(figure: Figure) -> str:
    text = io.StringIO()
    figure.savefig(text, format="svg", metadata={"Date": None, "Creator": None})
    return text.getvalue()


def _for_page(svg: str, prefix: str) -> str:
    """Make a picture part of a page: own ids, its colours and its size left to the style sheet."""
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    svg = re.sub(r'id="([^"]+)"', rf'id="{prefix}-\1"', svg)
    svg = re.sub(r'(url\(#|href="#)', rf"\1{prefix}-", svg)
    svg = re.sub(r'<svg[^>]*?(viewBox="[^"]*")[^>]*>', r'<svg \1 aria-hidden="true">', svg, count=1)
    for number, colour in enumerate(COLOURS):
        svg = svg.replace(colour, f"var(--series-{number})")
    for name, colour in (("ink", INK), ("muted", MUTED), ("grid", GRID), ("page", "#ffffff")):
        svg = svg.replace(colour, f"var(--{name})")
    return svg
