"""A live table of a translation experiment on a terminal."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from tartib.experiments.run.screen import Watcher
from tartib.experiments.run.workspace import Workspace
from tartib.experiments.translation.plan import TranslationPlan

if TYPE_CHECKING:
    from rich.console import RenderableType

_NOT_YET = "·"


class SystemsScreen(Watcher):
    """Shows BLEU on the development set of each system and run, as they are tuned."""

    def __init__(self, plan: TranslationPlan, workspace: Workspace) -> None:
        self._plan = plan
        self._workspace = workspace
        self._what = "starting"
        self._began = self._since = time.monotonic()

    def begin(self, what: str) -> None:
        """Show what is being done."""
        self._what, self._since = what, time.monotonic()

    def __rich__(self) -> RenderableType:
        """Draw."""
        from rich.console import Group
        from rich.progress_bar import ProgressBar
        from rich.table import Table
        from rich.text import Text

        runs = range(self._plan.options.runs)
        table = Table(title="BLEU on the development set", title_justify="left")
        table.add_column("system")
        for run in runs:
            table.add_column(f"run {run + 1}", justify="right")
        found = {
            name: [self._cell(name, run) for run in self._plan.runs(name)]
            for name in self._plan.systems
        }
        for name, parts in self._plan.systems.items():
            table.add_row(parts.title, *found[name])
        cells = [cell for row in found.values() for cell in row]
        tuned = sum(cell != _NOT_YET for cell in cells)
        bar = Table.grid()
        bar.add_row(ProgressBar(total=len(cells), completed=tuned, width=40))
        now = time.monotonic()
        text = Text(
            f"{self._what} ({now - self._since:.0f} s)\n"
            f"{tuned} of {len(cells)} tunings, {now - self._began:.0f} s"
        )
        # A low window cuts off what is at the end.
        return Group(bar, text, table)

    def _cell(self, name: str, run: int) -> str:
        found = self._workspace.read(self._plan.tuned(name, run).key)
        return _NOT_YET if found is None else f"{found['bleu']:.2f}"
