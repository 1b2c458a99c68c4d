"""The translation half of both papers on any corpus: run, continue, and write a report."""

from __future__ import annotations

import re
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from tartib.experiments.run.jobs import JobServer
from tartib.experiments.run.runner import Runner
from tartib.experiments.run.screen import watching
from tartib.experiments.run.workspace import Workspace
from tartib.experiments.translation.options import TranslationOptions
from tartib.experiments.translation.plan import TranslationPlan
from tartib.experiments.translation.results import TranslationResults
from tartib.experiments.translation.screen import SystemsScreen
from tartib.experiments.translation.stage_results import collect
from tartib.storage import replaced_folder


def run_translation(
    options: TranslationOptions, out: str | Path, *, progress: bool = False
) -> TranslationResults:
    """Run the experiment, or what is left of it, and write its report.

    Whatever was finished by an earlier run with the same inputs and options is not done again, so
    an interrupted experiment continues where it stopped, in the middle of a tuning, too. ``out``
    gets ``report.html``, ``results.json``, ``tables.md``, ``tables.tex``, and the folders
    ``figures``, ``systems`` (a file for each tuned system) and ``translations``.

    Parameters
    ----------
    options
        What to do.
    out
        A folder for one experiment; another one with other options may follow in it.
    progress
        Show on a terminal what is being done.
    """
    options.check_files()
    plan = TranslationPlan.of(options)
    # Errors in these files are found at once, and not after hours of training.
    plan.first_tuning(options.baseline).divided()
    texts = {name: tested.text.read() for name, tested in plan.tests.items()}
    for tested in plan.tests.values():
        if tested.given_alignment is not None:
            tested.given_alignment.links()
    workspace = Workspace(out)
    with ExitStack() as stack:
        lock = stack.enter_context(workspace.opened())
        screen = partial(SystemsScreen, plan, workspace)
        watcher = stack.enter_context(watching(screen, shown=progress))
        server = JobServer("tartib.experiments.translation.plan", lock)
        stack.enter_context(server)
        plan = TranslationRunner(workspace, server, watcher, plan.jobs, plan).run_all()
        results = collect(plan, workspace, texts)
        watcher.begin("report")
        _publish(plan, workspace)
        _write(results, workspace.folder)
    return results


@dataclass(frozen=True)
class TranslationRunner(Runner):
    """Runs what is not finished yet."""

    plan: TranslationPlan

    def run_all(self) -> TranslationPlan:
        """Make, tune and test all systems; return what was done in the end.

        Folders in ``work`` that are gone are made again only if an unfinished stage needs them.
        """
        plan = self.plan
        if not all(s.is_finished(self.workspace) for s in (*plan.building, *plan.testing)):
            for stage in (plan.corpus, *plan.shared, *plan.lexicalised_models):
                self.provide(stage)
            for group in plan.groups():
                self.train(group, provide=True)
        if plan.options.budget is not None:
            plan = replace(plan, given_up=self._given_up(plan.options.budget))
        for stage in (*plan.testing, *plan.scoring):
            self.finish(stage)
        return plan

    def _given_up(self, margin: float) -> frozenset[str]:
        """Tune all systems once, and return those that are too far below the best."""
        plan, found = self.plan, {}
        for name in plan.systems:
            first = plan.first_tuning(name)
            self.finish(first)
            found[name] = self.workspace.require(first.key)["bleu"]
        best, kept = max(found.values()), (plan.options.baseline, plan.options.primary)
        return frozenset(
            name for name, bleu in found.items() if bleu < best - margin and name not in kept
        )


def file_stem(name: str, run: int) -> str:
    """Return what the files of a system are called, without suffix; runs are counted from 0."""
    plain = re.sub(r"[^\w.+-]", "-", name)
    return f"{plain}.run{run + 1}"


def _publish(plan: TranslationPlan, workspace: Workspace) -> None:
    """Write tuned systems and translations to where users look for them."""
    with (
        replaced_folder(workspace.folder / "systems") as systems,
        replaced_folder(workspace.folder / "translations") as translations,
    ):
        for name in plan.systems:
            for run in plan.runs(name):
                stem = file_stem(name, run)
                for place, (test, tested) in enumerate(plan.tests.items()):
                    decoded = plan.decoded(name, run, test)
                    if place == 0:
                        decoded.system(workspace).write(systems / f"{stem}.toml")
                    lines = workspace.require(decoded.key)["lines"]
                    text = "".join(f"{line}\n" for line in lines)
                    file = f"{stem}.{test}.txt" if tested.name else f"{stem}.txt"
                    (translations / file).write_text(text, encoding="utf-8")


def _write(results: TranslationResults, folder: Path) -> None:
    """Write what people read, each file whole or not at all."""
    from tartib.experiments.report.files import write_outputs
    from tartib.experiments.translation.figures import figures_of
    from tartib.experiments.translation.report import write_report
    from tartib.experiments.translation.tables import tables_of

    write_outputs(folder, results, tables_of(results), figures_of(results))
    write_report(results, folder / "report.html")
