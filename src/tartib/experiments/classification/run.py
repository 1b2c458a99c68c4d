"""The classification half of both papers on any corpus: run, continue, and write a report."""

from __future__ import annotations

import shutil
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from tartib.experiments.classification.examples import Examples
from tartib.experiments.classification.options import ClassificationOptions
from tartib.experiments.classification.plan import Plan
from tartib.experiments.classification.results import Results
from tartib.experiments.classification.screen import Screen
from tartib.experiments.classification.stage_results import best_cell, collect
from tartib.experiments.run.corpus import Corpus, Target
from tartib.experiments.run.jobs import JobServer
from tartib.experiments.run.plan import Group
from tartib.experiments.run.runner import Runner
from tartib.experiments.run.screen import watching
from tartib.experiments.run.workspace import Workspace
from tartib.storage import replaced_folder


def run_classification(
    options: ClassificationOptions,
    out: str | Path,
    *,
    progress: bool = False,
) -> Results:
    """Run the experiment, or what is left of it, and write its report.

    Whatever was finished by an earlier run with the same inputs and options is not done again, so
    an interrupted experiment continues where it stopped. ``out`` gets ``report.html``,
    ``results.json``, ``tables.md``, ``tables.tex``, the folder ``figures``, and ``models`` with the
    lexicalised and the best model of each orientation.

    Parameters
    ----------
    options
        What to do.
    out
        A folder for one experiment; another one with other options may follow in it.
    progress
        Show a live table on a terminal.
    """
    options.check_files()
    workspace = Workspace(out)
    with ExitStack() as stack:
        lock = stack.enter_context(workspace.opened())
        plan = Plan(options, Corpus.of(options))
        watcher = stack.enter_context(watching(lambda: Screen(plan, workspace), shown=progress))
        server = stack.enter_context(JobServer(lock=lock))
        runner = ClassificationRunner(workspace, server, watcher, plan.jobs, plan)
        runner.run_all()
        results = collect(plan, workspace, runner.show_best())
        watcher.begin("report")
        _write(results, workspace.folder, beside_paper=options.beside_paper)
    return results


@dataclass(frozen=True)
class ClassificationRunner(Runner):
    """Runs what is not finished yet."""

    plan: Plan

    def run_all(self) -> None:
        """Train and test everything."""
        self.provide(self.plan.corpus)
        for model in self.plan.lexicalised_models:
            self.finish(model)
        for group in self.plan.groups():
            self.train(group, provide=False)
            self._keep_best_models()

    def _keep_best_models(self) -> None:
        """Keep the best model so far of each orientation, and delete the others."""
        best = [best_cell(self.plan, self.workspace, target) for target in self.plan.targets]
        keep = {fits[0].key for fits in best if fits}
        for folder in self.workspace.work.glob("fit-*"):
            if folder.name not in keep:
                self.workspace.remove(folder.name)

    def show_best(self) -> dict[Target, Examples]:
        """Find what the report shows of the best models, and copy them to ``models``."""
        found = {}
        for target in self.plan.targets:
            best = best_cell(self.plan, self.workspace, target)
            if best is None:
                continue
            examples = found[target] = self.plan.examples(best[0])
            self.provide(examples.lexicalised)
            if not examples.best.is_ready(self.workspace):
                self.train(Group(examples.best.rows, fits=[examples.best]), provide=True)
            self.finish(examples)
            with replaced_folder(self.workspace.folder / "models" / target.name) as aside:
                shutil.copytree(examples.best.folder(self.workspace), aside / "best")
                shutil.copytree(examples.lexicalised.folder(self.workspace), aside / "lexicalised")
        return found


def _write(results: Results, folder: Path, *, beside_paper: bool) -> None:
    """Write what people read, each file whole or not at all."""
    # The processes of the stages import this module, too, and should need little memory.
    from tartib.experiments.classification.figures import figures_by_name
    from tartib.experiments.classification.report import write_report
    from tartib.experiments.classification.tables import tables_of
    from tartib.experiments.report.files import write_outputs

    tables = tables_of(results, beside_paper=beside_paper)
    write_outputs(folder, results, tables, figures_by_name(results))
    write_report(results, folder / "report.html", beside_paper=beside_paper)
