"""A live screen of a build: which steps are done, what runs, and how long it may take."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from tartib.build.expectation import Expectation
from tartib.build.options import BuildOptions
from tartib.build.plan import STEPS, step_of
from tartib.experiments.report.tables import duration
from tartib.experiments.run.screen import Watcher
from tartib.experiments.run.workspace import Workspace

if TYPE_CHECKING:
    from rich.console import RenderableType


class BuildScreen(Watcher):
    """Shows the steps in their order, with the time of each."""

    def __init__(self, options: BuildOptions, workspace: Workspace) -> None:
        self._expected = Expectation.of(options)
        self._workspace = workspace
        self._what = "starting"
        self._at = 0
        self._began = self._since = time.monotonic()
        self._seconds = dict.fromkeys(STEPS, 0.0)

    def begin(self, what: str) -> None:
        """Show what is being done; steps before it are done."""
        now = time.monotonic()
        self._seconds[STEPS[self._at]] += now - self._since
        self._what, self._since = what, now
        self._at = STEPS.index(step_of(what))

    def __rich__(self) -> RenderableType:
        """Draw."""
        from rich.table import Table

        now = time.monotonic()
        running = now - self._since
        table = Table.grid(padding=(0, 2))
        for place, step in enumerate(STEPS):
            seconds = self._seconds[step] + (running if place == self._at else 0.0)
            if place < self._at:
                table.add_row("[green]✓[/]", step, duration(seconds) if seconds > 0.05 else "")
            elif place == self._at:
                detail = self._what.partition(": ")[2] or self._what
                table.add_row("[bold]▸[/]", f"[bold]{step}[/]", duration(seconds), detail)
            else:
                table.add_row("·", f"[dim]{step}[/]", "")
        left = self._expected.left(self._at, self._seconds, running)
        table.add_row("", "", "")
        guess = f"about {duration(left)} left" if left else ""
        table.add_row("", "so far", duration(now - self._began), guess)
        return table
