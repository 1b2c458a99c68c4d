"""Running the stages that train classifiers, one after another, so that none disturbs another."""

from __future__ import annotations

from collections.abc import Callable, Container
from dataclasses import dataclass

from tartib.experiments.run import corpus
from tartib.experiments.run.classifiers import (
    Fit,
    Lexicalised,
    Tuning,
    fit,
    fit_again,
    model_name,
    tune,
)
from tartib.experiments.run.jobs import JobServer
from tartib.experiments.run.plan import ClassifierPlan, Group
from tartib.experiments.run.screen import Watcher
from tartib.experiments.run.stages import Workspace


@dataclass(frozen=True)
class Trainer:
    """Runs stages of classifiers, each in a process of its own."""

    plan: ClassifierPlan
    workspace: Workspace
    server: JobServer
    watcher: Watcher

    def stage(self, what: str, function: Callable[..., None], *arguments: object) -> None:
        """Run one stage in a process of its own."""
        self.watcher.begin(what)
        self.server.run(function, self.workspace.folder, *arguments)

    def run_group(self, group: Group, left: Container[Tuning | Fit]) -> None:
        """Make rows, do with them what is left to do, and remove them."""
        if any(spec in left for spec in group.specs):
            self.make_rows(group.rows)
        for spec in group.specs:
            what = f"{_describe(spec.rows)}: {spec.name}, {spec.target.orientation}"
            if spec in left and isinstance(spec, Tuning):
                self.stage(f"{what}, tuning", tune, spec, self.plan.jobs)
            elif spec in left:
                known = self.workspace.read(spec.key) is not None
                self.stage(what, fit_again if known else fit, spec)
            if isinstance(spec, Fit):
                self.watcher.end(spec)
        self.workspace.remove(group.rows.key)

    def make_rows(self, rows: corpus.Rows) -> None:
        """Make the rows of a feature set, if they are not there."""
        if not rows.ready(self.workspace, self.plan.targets):
            what = f"{_describe(rows)}: features"
            self.stage(what, corpus.make_rows, rows, self.plan.targets, self.plan.jobs)

    def has_model(self, spec: Fit | Lexicalised) -> bool:
        """Tell whether a trained model is still there."""
        return (self.workspace.work / model_name(spec)).is_dir()


def _describe(rows: corpus.Rows) -> str:
    return rows.features if rows.share == 1 else f"{rows.features}, {rows.share:.1%} of the text"
