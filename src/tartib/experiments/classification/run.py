"""The classification half of both papers on any corpus: run, continue, and write it down."""

from __future__ import annotations

import shutil
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from tartib.experiments.classification.examples import Showing, show
from tartib.experiments.classification.options import ClassificationOptions
from tartib.experiments.classification.plan import Plan
from tartib.experiments.classification.results import Results
from tartib.experiments.classification.screen import Screen
from tartib.experiments.classification.stage_results import best_cell, collect
from tartib.experiments.run import corpus
from tartib.experiments.run.classifiers import fit_again, fit_lexicalised, model_name
from tartib.experiments.run.corpus import Target
from tartib.experiments.run.jobs import JobServer
from tartib.experiments.run.runner import Trainer
from tartib.experiments.run.screen import watching
from tartib.experiments.run.stages import Workspace


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
        stack.enter_context(workspace.opened())
        plan = Plan(options, corpus.Corpus.of(options))
        phrases = plan.corpus.make(workspace, options, progress=progress)
        watcher = stack.enter_context(watching(lambda: Screen(plan, workspace), shown=progress))
        server = stack.enter_context(JobServer())
        runner = _Runner(plan, workspace, server, watcher)
        runner.run()
        results = collect(plan, workspace, phrases, runner.show())
        watcher.begin("report")
        _write(results, Path(out), beside_paper=options.beside_paper)
    return results


@dataclass(frozen=True)
class _Runner(Trainer):
    """Runs what is not finished yet."""

    plan: Plan

    def run(self) -> None:
        """Train and test everything."""
        for target in self.plan.targets:
            for fold in range(self.plan.options.folds):
                spec = self.plan.lexicalised(target, fold)
                if self.workspace.read(spec.key) is None:
                    self.stage(f"lexicalised model, {target.orientation}", fit_lexicalised, spec)
                self.watcher.end(spec)
        for group in self.plan.groups():
            left = [s for s in group.specs if self.workspace.read(s.key) is None]
            self.run_group(group, left)
            self._prune_models()

    def _prune_models(self) -> None:
        """Keep the best model so far of each orientation, and delete the others."""
        best = [best_cell(self.plan, self.workspace, target) for target in self.plan.targets]
        keep = {model_name(fits[0]) for fits in best if fits}
        for folder in self.workspace.work.glob("model-fit-*"):
            if folder.name not in keep:
                self.workspace.remove(folder.name)

    def show(self) -> dict[Target, Showing]:
        """Find what the report shows of the best models, which are made again if they are gone."""
        found = {}
        for target in self.plan.targets:
            best = best_cell(self.plan, self.workspace, target)
            if best is None:
                continue
            spec = Showing(best[0], self.plan.lexicalised(target, 0), self.plan.options.examples)
            found[target] = spec
            if not self.has_model(spec.best):
                self.make_rows(spec.best.rows)
                self.stage(f"the best model, {target.orientation}", fit_again, spec.best)
                self.workspace.remove(spec.best.rows.key)
            if not self.has_model(spec.lexicalised):
                what = f"lexicalised model, {target.orientation}"
                self.stage(what, fit_lexicalised, spec.lexicalised)
            if self.workspace.read(spec.key) is None:
                self.stage(f"examples, {target.orientation}", show, spec)
            _publish(self.workspace, spec)
        return found


def _publish(workspace: Workspace, spec: Showing) -> None:
    """Copy the lexicalised and the best model to where users look for them."""
    place = workspace.folder / "models" / spec.best.target.name
    for name, model in (("best", spec.best), ("lexicalised", spec.lexicalised)):
        shutil.rmtree(place / name, ignore_errors=True)
        shutil.copytree(workspace.work / model_name(model), place / name)


def _write(results: Results, folder: Path, *, beside_paper: bool) -> None:
    """Write all that a reader may want, each file complete or not at all."""
    # The processes of the stages import this module too, and are to stay small.
    from tartib.experiments.classification.figures import figures_by_name
    from tartib.experiments.classification.report import write_report
    from tartib.experiments.classification.tables import tables_of
    from tartib.experiments.report.files import write_outputs

    tables = tables_of(results, beside_paper=beside_paper)
    write_outputs(folder, results, tables, figures_by_name(results))
    write_report(results, folder / "report.html", beside_paper=beside_paper)
