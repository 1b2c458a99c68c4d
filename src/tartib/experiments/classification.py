"""The classification half of both papers on any corpus: run, continue, and write it down."""

from __future__ import annotations

import shutil
from contextlib import ExitStack
from pathlib import Path

from tartib.errors import OptionError
from tartib.experiments import cells, corpus
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
    beside_paper: bool = False,
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
    beside_paper
        Show the papers' figures beside ours.
    progress
        Show a live table on a terminal.
    """
    for path in (options.source, options.target, options.bitext, options.alignment):
        if path is not None and not path.is_file():
            raise OptionError(f"there is no file {path}")
    workspace = Workspace(out)
    workspace.open()
    plan = Plan(options, corpus.Corpus.of(options))
    phrases = plan.corpus.make(workspace, options, progress=progress)
    with ExitStack() as stack:
        watcher = stack.enter_context(watching(plan, workspace, shown=progress))
        server = stack.enter_context(JobServer())
        _run_stages(plan, workspace, server, watcher)
        shown = _show(plan, workspace, server, watcher)
    results = collect(plan, workspace, phrases, shown)
    _write(results, Path(out), beside_paper=beside_paper)
    return results


def _run_stages(plan: Plan, workspace: Workspace, server: JobServer, watcher: Watcher) -> None:
    """Run what is not finished yet, one stage after another, so that none disturbs another."""
    folder = workspace.folder
    for target in plan.targets:
        for fold in range(plan.options.folds):
            spec = plan.lexicalised(target, fold)
            if workspace.read(spec.key) is None:
                watcher.begin(f"lexicalised model, {target.orientation}")
                server.run(cells.fit_lexicalised, folder, spec)
            watcher.end(spec)
    for group in plan.groups():
        _run_group(plan, workspace, server, watcher, group)


def _run_group(
    plan: Plan, workspace: Workspace, server: JobServer, watcher: Watcher, group: Group
) -> None:
    """Make rows if anything is left to do with them, do it, and remove them."""
    tunings = [spec for spec in dict.fromkeys(group.tunings) if workspace.read(spec.key) is None]
    fits = [spec for spec in group.fits if workspace.read(spec.key) is None]
    if tunings or fits:
        _make_rows(plan, workspace, server, watcher, group.rows)
    for tuning in tunings:
        watcher.begin(f"{group.rows.features}: tuning {tuning.kind}, {tuning.target.orientation}")
        server.run(cells.tune, workspace.folder, tuning, plan.jobs)
    for fit in group.fits:
        if fit in fits:
            watcher.begin(f"{_describe(fit.rows)}: {fit.classifier}, {fit.target.orientation}")
            server.run(cells.fit, workspace.folder, fit)
        watcher.end(fit)
    workspace.remove(group.rows.key)
    _prune_models(plan, workspace)


def _describe(rows: corpus.Rows) -> str:
    return rows.features if rows.share == 1 else f"{rows.features}, {rows.share:.1%} of the text"


def _make_rows(
    plan: Plan, workspace: Workspace, server: JobServer, watcher: Watcher, rows: corpus.Rows
) -> None:
    if not rows.ready(workspace, plan.targets):
        watcher.begin(f"{_describe(rows)}: features")
        server.run(corpus.make_rows, workspace.folder, rows, plan.targets, plan.jobs)


def _prune_models(plan: Plan, workspace: Workspace) -> None:
    """Keep the best model so far of each orientation, and delete the others."""
    best = [best_cell(plan, workspace, target) for target in plan.targets]
    keep = {cells.model_name(fits[0]) for fits in best if fits}
    for folder in workspace.work.glob("model-fit-*"):
        if folder.name not in keep:
            workspace.remove(folder.name)


def _show(
    plan: Plan, workspace: Workspace, server: JobServer, watcher: Watcher
) -> dict[Target, Showing]:
    """Find what the report shows of the best models, which are made again if they are gone."""
    found = {}
    for target in plan.targets:
        best = best_cell(plan, workspace, target)
        if best is None:
            continue
        lexicalised = plan.lexicalised(target, 0)
        found[target] = spec = Showing(best[0], lexicalised, plan.options.examples)
        if not (workspace.work / cells.model_name(best[0])).is_dir():
            _make_rows(plan, workspace, server, watcher, best[0].rows)
            watcher.begin(f"the best model of {target.orientation}")
            server.run(cells.fit_again, workspace.folder, best[0])
            workspace.remove(best[0].rows.key)
        if not (workspace.work / cells.model_name(lexicalised)).is_dir():
            server.run(cells.fit_lexicalised, workspace.folder, lexicalised)
        if workspace.read(spec.key) is None:
            watcher.begin(f"examples, {target.orientation}")
            server.run(show, workspace.folder, spec)
        _publish(workspace, spec)
    return found


def _publish(workspace: Workspace, spec: Showing) -> None:
    """Copy the lexicalised and the best model to where users look for them."""
    place = workspace.folder / "models" / spec.best.target.orientation
    for name, model in (("best", spec.best), ("lexicalised", spec.lexicalised)):
        shutil.rmtree(place / name, ignore_errors=True)
        shutil.copytree(workspace.work / cells.model_name(model), place / name)


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
