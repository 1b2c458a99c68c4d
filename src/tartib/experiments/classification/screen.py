"""A live table of a classification experiment on a terminal."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from tartib.experiments.classification.plan import Plan
from tartib.experiments.run.classifiers import Fit, Lexicalised
from tartib.experiments.run.screen import Watcher
from tartib.experiments.run.stages import Workspace

if TYPE_CHECKING:
    from rich.console import RenderableType


class Screen(Watcher):
    """Draws the cells of Tables 5 and 6 as they come."""

    def __init__(self, plan: Plan, workspace: Workspace) -> None:
        self._plan = plan
        self._workspace = workspace
        self._found: dict[str, dict[str, Any]] = {}
        self._what = "starting"
        self._began = self._since = time.monotonic()
        folds = range(plan.options.folds)
        bases = [plan.lexicalised(target, fold) for target in plan.targets for fold in folds]
        specs: list[Fit | Lexicalised] = [*bases]
        specs += [fit for group in plan.groups() for fit in group.fits]
        self._total = len(specs)
        for spec in specs:
            self.end(spec)  # of an earlier run

    def begin(self, what: str) -> None:
        """Show it."""
        self._what, self._since = what, time.monotonic()

    def end(self, spec: Fit | Lexicalised) -> None:
        """Show what it found."""
        found = self._workspace.read(spec.key)
        if found is not None:
            self._found[spec.key] = found
        if self.live is not None:
            self.live.refresh()

    def __rich__(self) -> RenderableType:
        """Draw."""
        from rich.console import Group
        from rich.progress_bar import ProgressBar
        from rich.table import Table
        from rich.text import Text

        options = self._plan.options
        table = Table(title="Accuracy % and seconds of training", title_justify="left")
        table.add_column("features")
        for target in self._plan.targets:
            for name in options.classifiers:
                table.add_column(f"{target.orientation}\n{name}", justify="right")
        for features in options.features:
            row = [
                self._cell(self._plan.fit(name, features, target))
                for target in self._plan.targets
                for name in options.classifiers
            ]
            table.add_row(features, *row)
        now = time.monotonic()
        bar = Table.grid()
        bar.add_row(ProgressBar(total=self._total, completed=len(self._found), width=40))
        text = Text(
            f"{self._what} ({now - self._since:.0f} s)\n"
            f"{len(self._found)} of {self._total} models, {now - self._began:.0f} s"
        )
        base = "   ".join(
            f"{target.orientation} {self._cell(self._plan.lexicalised(target, 0))}"
            for target in self._plan.targets
        )
        # A low window cuts off what stands below.
        return Group(bar, text, Text(f"lexicalised   {base}"), table)

    def _cell(self, spec: Fit | Lexicalised) -> str:
        found = self._found.get(spec.key)
        if found is None:
            return "·"
        return f"{100 * found['scores']['accuracy']:.2f}  {found['seconds']:.1f}"
