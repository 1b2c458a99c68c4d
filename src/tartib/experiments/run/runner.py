"""Running stages one after another, so that none disturbs the times of another."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tartib.experiments.run.jobs import JobServer
from tartib.experiments.run.plan import Group
from tartib.experiments.run.screen import Watcher
from tartib.experiments.run.stages import Stage
from tartib.experiments.run.workspace import Workspace


@dataclass(frozen=True)
class Runner:
    """Runs the stages of an experiment that are not finished, each in a process of its own."""

    workspace: Workspace
    server: JobServer
    watcher: Watcher
    n_jobs: int

    def run(self, stage: Stage) -> None:
        """Run a stage."""
        self.watcher.begin(stage.title)
        self.server.run(run_stage, self.workspace.folder, stage, self.n_jobs)
        self.watcher.end(stage)

    def finish(self, stage: Stage) -> None:
        """Run a stage if it is not finished."""
        if not stage.is_finished(self.workspace):
            self.run(stage)

    def provide(self, stage: Stage) -> None:
        """Run a stage if it is not finished, or if the folder that it leaves is gone."""
        if not stage.is_ready(self.workspace):
            self.run(stage)

    def train(self, group: Group, *, provide: bool) -> None:
        """Make rows, run the stages that need them and are not finished, and delete the rows.

        Parameters
        ----------
        group
            The stages.
        provide
            Train a model again if its folder is gone.
        """
        left: list[Stage] = [s for s in group.tunings if not s.is_finished(self.workspace)]
        for fit in group.fits:
            ready = fit.is_ready if provide else fit.is_finished
            if not ready(self.workspace):
                left.append(fit)
        if left or not group.rows.is_finished(self.workspace):
            self.provide(group.rows)
        for stage in left:
            self.run(stage)
        self.workspace.remove(group.rows.key)


def run_stage(folder: Path, stage: Stage, n_jobs: int) -> None:
    """Run a stage, in the process that was made for it."""
    stage.run(Workspace(folder), n_jobs)
