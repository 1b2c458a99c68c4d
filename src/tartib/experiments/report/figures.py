"""The panels that figures consist of: SVG for pages, PDF and SVG files for papers.

No pyplot and no global state: the same results give the same bytes.
"""

from __future__ import annotations

import io
import re
import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.textpath import TextPath
from matplotlib.transforms import ScaledTranslation

from tartib.storage import new_files

WIDTH = 4.6  # inches: text of this size can be read when a phone shows the panel at full width
INK, MUTED, GRID = "#1b1f24", "#6a737d", "#d9dde2"
# Okabe and Ito's colours, told apart by colour-blind people too; markers tell them apart in grey.
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")
MARKERS = "osD^vP"
# These have the same colour and marker in every figure.
SERIES = ("svm", "maxent", "mlr", "naive-bayes", "mlr-eg")
LEGEND_LETTERS = 42  # in a line of the legend
LEGEND_HANDLE, LEGEND_PAD, LEGEND_GAP = 1.5, 0.6, 1.2  # in widths of a letter
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
        What it shows, in words; printed beside the picture, not in it.
    height
        In inches.
    draw
        Function that draws it.
    """

    key: str
    title: str
    height: float
    draw: Callable[[Axes], None]

    def svg(self, prefix: str) -> str:
        """Return the panel as SVG for a page; ``prefix`` makes its ids unique there."""
        with _settings():
            return _for_page(_svg(_figure([self])), f"{prefix}-{self.key}")


def write_panels(figures: Mapping[str, Sequence[Panel]], folder: str | Path) -> list[Path]:
    """Write figures, by the names of their files, as ``.pdf`` and ``.svg``; return the paths."""
    Path(folder).mkdir(parents=True, exist_ok=True)
    written: list[Path] = []
    for name, panels in figures.items():
        paths = [Path(folder) / f"{name}{suffix}" for suffix in (".pdf", ".svg")]
        with _settings(), new_files(*paths, overwrite=True) as (pdf, svg):
            figure = _figure(panels)
            figure.savefig(pdf, format="pdf", metadata={"CreationDate": None})
            svg.write_text(_svg(figure), encoding="utf-8")
        written += paths
    return written


def note(
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


def short_number(number: float) -> str:
    """Return a count in few characters, such as ``1.2 M``."""
    for unit, size in (("G", 1e9), ("M", 1e6), ("k", 1e3)):
        if abs(number) >= size:
            return f"{number / size:.3g} {unit}"
    return f"{number:.3g}"


def styles_of(names: Iterable[str]) -> dict[str, dict[str, Any]]:
    """Give each series a colour and a marker; a classifier has the same ones in every figure."""
    fixed = {name: SERIES.index(name) for name in names if name in SERIES}
    free = (i for i in range(len(COLOURS)) if i not in fixed.values())
    chosen = {name: fixed[name] if name in fixed else next(free, 0) for name in names}
    return {name: {"color": COLOURS[i], "marker": MARKERS[i]} for name, i in chosen.items()}


def legend(axes: Axes, above: int = 0) -> None:
    """Put the legend over the axes, leaving room for ``above`` lines of text below it."""
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
    """Return how many columns of names fit into the room; all widths are in points."""
    size = matplotlib.rcParams["legend.fontsize"]
    for rows in range(1, len(widths)):
        columns = -(-len(widths) // rows)
        names = [max(column) for column in np.array_split(widths, columns)]
        beside = columns * (LEGEND_HANDLE + LEGEND_PAD) + (columns - 1) * LEGEND_GAP
        if sum(names) + size * beside <= room:
            return columns
    return 1


def _room(axes: Axes) -> float:
    """Return the width beside the labels of the rows, in points; numbers need little."""
    names = [label.get_text() for label in axes.get_yticklabels()]
    return 72 * (WIDTH - 0.3) - max([40.0, *map(_text_width, names)])


def _text_width(text: str) -> float:
    """Return the width of the text of a legend or of a tick, in points."""
    return _width_at(text, matplotlib.rcParams["legend.fontsize"])


@lru_cache(maxsize=10_000)  # measuring takes long, and figures are drawn for files and for the page
def _width_at(text: str, size: float) -> float:
    lines = [TextPath((0, 0), line, size=size) for line in text.split("\n") if line.strip()]
    return max((line.get_extents().width for line in lines), default=0.0)


@contextmanager
def _settings() -> Iterator[None]:
    """Use our settings instead of the user's, and restore those afterwards."""
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
    """Prepare a picture for a page: unique ids; colours and size are up to the style sheet."""
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    svg = re.sub(r"<style[^>]*>.*?</style>", "", svg, flags=re.DOTALL)  # report.css has it
    svg = re.sub(r'id="([^"]+)"', rf'id="{prefix}-\1"', svg)
    svg = re.sub(r'(url\(#|href="#)', rf"\1{prefix}-", svg)
    svg = re.sub(r'<svg[^>]*?(viewBox="[^"]*")[^>]*>', r'<svg \1 aria-hidden="true">', svg, count=1)
    for number, colour in enumerate(COLOURS):
        svg = svg.replace(colour, f"var(--series-{number})")
    for name, colour in (("ink", INK), ("muted", MUTED), ("grid", GRID), ("page", "#ffffff")):
        svg = svg.replace(colour, f"var(--{name})")
    return svg
