"""Fewer drawings: most of the time that a report takes goes into its figures."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest import mock

from matplotlib.figure import Figure

from tartib.experiments.report.figures import Panel

BLANK = '<svg viewBox="0 0 1 1"></svg>'


class BlankFigure:
    """Stands for a figure: its files are written, and show nothing."""

    def savefig(self, target: Any, **_: Any) -> None:
        if hasattr(target, "write"):
            target.write(BLANK)
        else:
            Path(target).write_text(BLANK)


@contextmanager
def drawn_once() -> Iterator[None]:
    """Draw each figure of a page once for all processes, for pages that show the same results."""
    draw = Panel.svg
    folder = Path(os.environ["HOME"]) / "drawn"  # of this run
    folder.mkdir(exist_ok=True)

    def svg(panel: Panel, prefix: str) -> str:
        path = folder / f"{prefix}-{panel.key}.svg"
        if not path.exists():
            with tempfile.NamedTemporaryFile("w", dir=folder, delete=False) as file:
                file.write(draw(panel, prefix))
            Path(file.name).rename(path)
        return path.read_text(encoding="utf-8")

    with mock.patch.object(Panel, "svg", svg):
        yield


@contextmanager
def without_drawing() -> Iterator[None]:
    """Write files and pages with empty figures."""
    with mock.patch("tartib.experiments.report.figures._figure", return_value=BlankFigure()):
        yield


@contextmanager
def without_saving() -> Iterator[None]:
    """Draw the figures, but write files and pages without them."""
    with mock.patch.object(Figure, "savefig", BlankFigure.savefig):
        yield
