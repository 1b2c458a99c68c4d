"""The classification half of both papers on any corpus: run, continue, and write it down."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from tartib.errors import OptionError
from tartib.experiments import corpus
from tartib.experiments.cells import (
    Fit,
    Lexicalised,
    Tuning,
    fit,
    fit_again,
    fit_lexicalised,
    model_name,
    tune,
)
from tartib.experiments.collecting import best_cell, collect
from tartib.experiments.corpus import Target
from tartib.experiments.examples import Showing, show
from tartib.experiments.live import Watcher, watching
from tartib.experiments.options import ClassificationOptions
from tartib.experiments.plan import Group, Plan
from tartib.experiments.processes import JobServer
from tartib.experiments.results import Results
from tartib.experiments.stages import Workspace
from tartib.storage import new_files


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
    for path in (options.source, options.target, options.bitext, options.alignment):
        if path is not None and not path.is_file():
            raise OptionError(f"there is no file {path}")
    workspace = Workspace(out)
    with ExitStack() as stack:
        stack.enter_context(workspace.opened())
        plan = Plan(options, corpus.Corpus.of(options))
        phrases = plan.corpus.make(workspace, options, progress=progress)
        watcher = stack.enter_context(watching(plan, workspace, shown=progress))
        server = stack.enter_context(JobServer())
        runner = _Runner(plan, workspace, server, watcher)
        runner.run()
        results = collect(plan, workspace, phrases, runner.show())
        watcher.begin("report")
        _write(results, Path(out), beside_paper=options.beside_paper)
    return results


@dataclass(frozen=True)
class _Runner:
    """Runs what is not finished yet, one stage after another, so that none disturbs another."""

    plan: Plan
    workspace: Workspace
    server: JobServer
    watcher: Watcher

    def run(self) -> None:
        """Train and test everything."""
        for target in self.plan.targets:
            for fold in range(self.plan.options.folds):
                spec = self.plan.lexicalised(target, fold)
                if self.workspace.read(spec.key) is None:
                    self._stage(f"lexicalised model, {target.orientation}", fit_lexicalised, spec)
                self.watcher.end(spec)
        for group in self.plan.groups():
            self._run_group(group)

    def _stage(self, what: str, function: Callable[..., None], *arguments: object) -> None:
        """Run one stage in a process of its own."""
        self.watcher.begin(what)
        self.server.run(function, self.workspace.folder, *arguments)

    def _run_group(self, group: Group) -> None:
        """Make rows if anything is left to do with them, do it, and remove them."""
        left = [s for s in group.specs if self.workspace.read(s.key) is None]
        if left:
            self._make_rows(group.rows)
        for spec in group.specs:
            what = f"{_describe(spec.rows)}: {spec.name}, {spec.target.orientation}"
            if spec in left and isinstance(spec, Tuning):
                self._stage(f"{what}, tuning", tune, spec, self.plan.jobs)
            elif spec in left:
                self._stage(what, fit, spec)
            if isinstance(spec, Fit):
                self.watcher.end(spec)
        self.workspace.remove(group.rows.key)
        self._prune_models()

    def _make_rows(self, rows: corpus.Rows) -> None:
        if not rows.ready(self.workspace, self.plan.targets):
            what = f"{_describe(rows)}: features"
            self._stage(what, corpus.make_rows, rows, self.plan.targets, self.plan.jobs)

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
            if not self._has_model(spec.best):
                self._make_rows(spec.best.rows)
                self._stage(f"the best model, {target.orientation}", fit_again, spec.best)
                self.workspace.remove(spec.best.rows.key)
            if not self._has_model(spec.lexicalised):
                what = f"lexicalised model, {target.orientation}"
                self._stage(what, fit_lexicalised, spec.lexicalised)
            if self.workspace.read(spec.key) is None:
                self._stage(f"examples, {target.orientation}", show, spec)
            _publish(self.workspace, spec)
        return found

    def _has_model(self, spec: Fit | Lexicalised) -> bool:
        return (self.workspace.work / model_name(spec)).is_dir()


def _describe(rows: corpus.Rows) -> str:
    return rows.features if rows.share == 1 else f"{rows.features}, {rows.share:.1%} of the text"


def _publish(workspace: Workspace, spec: Showing) -> None:
    """Copy the lexicalised and the best model to where users look for them."""
    place = workspace.folder / "models" / spec.best.target.name
    for name, model in (("best", spec.best), ("lexicalised", spec.lexicalised)):
        shutil.rmtree(place / name, ignore_errors=True)
        shutil.copytree(workspace.work / model_name(model), place / name)


def _write(results: Results, folder: Path, *, beside_paper: bool) -> None:
    """Write all that a reader may want, each file complete or not at all."""
    # The processes of the stages import this module too, and are to stay small.
    from tartib.experiments.figures import write_figures
    from tartib.experiments.layout import write_latex, write_markdown
    from tartib.experiments.report import write_report
    from tartib.experiments.tables import tables_of

    tables = tables_of(results, beside_paper=beside_paper)
    texts = {
        "results.json": results.model_dump_json(indent=1) + "\n",
        "tables.md": write_markdown(tables, results),
        "tables.tex": write_latex(tables, results),
    }
    for name, text in texts.items():
        with new_files(folder / name, overwrite=True) as (aside,):
            aside.write_text(text, encoding="utf-8")
    shutil.rmtree(folder / "figures", ignore_errors=True)  # some may be of other options
    write_figures(results, folder / "figures")
    write_report(results, folder / "report.html", beside_paper=beside_paper)
