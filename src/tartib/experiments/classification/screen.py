"""A live table of a classification experiment on a terminal."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from tartib.experiments.classification.plan import Plan
from tartib.experiments.run.classifiers import Model
from tartib.experiments.run.screen import Watcher
from tartib.experiments.run.stages import Stage
from tartib.experiments.run.workspace import Workspace

if TYPE_CHECKING:
    from rich.console import RenderableType


class Screen(Watcher):
    """Shows the accuracies of Tables 5 and 6 as they are found."""

    def __init__(self, plan: Plan, workspace: Workspace) -> None:
        self._plan = plan
        self._workspace = workspace
        self._found: dict[str, dict[str, Any]] = {}
        self._what = "starting"
        self._began = self._since = time.monotonic()
        models: list[Model] = [*plan.lexicalised_models]
        models += [fit for group in plan.groups() for fit in group.fits]
        self._models = {model.key: model for model in models}
        for model in self._models.values():
            self.end(model)  # of an earlier run

    def begin(self, what: str) -> None:
        """Show what is being done."""
        self._what, self._since = what, time.monotonic()

    def end(self, stage: Stage) -> None:
        """Show what it found."""
        found = self._workspace.read(stage.key) if stage.key in self._models else None
        if found is not None:
            self._found[stage.key] = found
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
        bar.add_row(ProgressBar(total=len(self._models), completed=len(self._found), width=40))
        text = Text(
            f"{self._what} ({now - self._since:.0f} s)\n"
            f"{len(self._found)} of {len(self._models)} models, {now - self._began:.0f} s"
        )
        base = "   ".join(
            f"{target.orientation} {self._cell(self._plan.lexicalised(target))}"
            for target in self._plan.targets
        )
        # A low window cuts off what is at the end.
        return Group(bar, text, Text(f"lexicalised   {base}"), table)

    def _cell(self, model: Model) -> str:
        found = self._found.get(model.key)
        if found is None:
            return "·"
        return f"{100 * found['scores']['accuracy']:.2f}  {found['seconds']:.1f}"
