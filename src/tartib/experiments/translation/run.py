"""The translation half of both papers on any corpus: run, continue, and write it down."""

from __future__ import annotations

import shutil
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from tartib import storage
from tartib.experiments.run.classifiers import fit_lexicalised
from tartib.experiments.run.jobs import JobServer
from tartib.experiments.run.plan import Group
from tartib.experiments.run.runner import Trainer
from tartib.experiments.run.screen import watching
from tartib.experiments.run.stages import Workspace
from tartib.experiments.translation.decoding import tuned_system
from tartib.experiments.translation.options import TranslationOptions
from tartib.experiments.translation.plan import Step, TranslationPlan
from tartib.experiments.translation.results import TranslationResults
from tartib.experiments.translation.screen import SystemsScreen
from tartib.experiments.translation.stage_results import collect
from tartib.experiments.translation.word_order import given_links
from tartib.textio import read_parallel


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
    read_parallel(options.dev, options.dev_reference)  # what is wrong there is told at once
    source, references = read_parallel(options.test, options.test_reference)
    given_links(options)
    workspace = Workspace(out)
    with ExitStack() as stack:
        stack.enter_context(workspace.opened())
        plan = TranslationPlan.of(options)
        screen = partial(SystemsScreen, plan, workspace)
        watcher = stack.enter_context(watching(screen, shown=progress))
        server = stack.enter_context(JobServer("tartib.experiments.translation.plan"))
        runner = _Runner(plan, workspace, server, watcher)
        runner.run()
        results = collect(plan, workspace, source, references)
        watcher.begin("report")
        _publish(plan, workspace)
        _write(results, workspace.folder)
    return results


@dataclass(frozen=True)
class _Runner(Trainer):
    """Runs what is not finished yet."""

    plan: TranslationPlan

    def run(self) -> None:
        """Make, tune and test all systems.

        Large things are made again, where they are gone, only if something unfinished needs them.
        """
        plan = self.plan
        steps = [
            step
            for name in plan.systems
            for run in range(plan.options.runs)
            for step in plan.steps(name, run)
        ]
        left = [step for step in steps if not self._finished(step)]
        models = [model for part in plan.parts for model in plan.models(part)]
        if left or any(self.workspace.read(model.key) is None for model in models):
            self._build()
        for step in left:
            self._do(step)
        for step in plan.scoring:
            if not self._finished(step):
                self._do(step)

    def _build(self) -> None:
        """Make everything that systems are loaded from."""
        self._provide(self.plan.phrases)
        for step in self.plan.shared:
            self._provide(step)
        for spec in self.plan.lexicalised_models():
            if self.workspace.read(spec.key) is None or not self.has_model(spec):
                self.stage(f"lexicalised model, {spec.target.name}", fit_lexicalised, spec)
            self.watcher.end(spec)
        for group in self.plan.groups():
            self._train(group)

    def _train(self, group: Group) -> None:
        """Train the classifiers that are missing, and choose their hyper-parameters before."""
        read = self.workspace.read
        gone = [fit for fit in group.fits if read(fit.key) is None or not self.has_model(fit)]
        tunings = [t for t in group.tunings if read(t.key) is None]
        if gone or tunings:
            self.run_group(group, [*tunings, *gone])

    def _provide(self, step: Step) -> None:
        """Make something large if it is not there."""
        if not (self._finished(step) and (self.workspace.work / step.spec.key).exists()):
            self._do(step)

    def _finished(self, step: Step) -> bool:
        return self.workspace.read(step.spec.key) is not None

    def _do(self, step: Step) -> None:
        self.stage(step.what, step.run, step.spec, self.plan.options)


def file_stem(name: str, run: int) -> str:
    """Return what the files of a system are called, without suffix; runs are counted from 0."""
    return f"{name.replace(':', '-')}.run{run + 1}"


def _publish(plan: TranslationPlan, workspace: Workspace) -> None:
    """Write tuned systems and translations to where users look for them."""
    systems, translations = (workspace.folder / name for name in ("systems", "translations"))
    for folder in (systems, translations):
        shutil.rmtree(folder, ignore_errors=True)  # some may be of other options
        folder.mkdir()
    for name in plan.systems:
        for run in range(plan.options.runs):
            spec = plan.decoded(name, run)
            stem = file_stem(name, run)
            tuned_system(workspace, spec).write(systems / f"{stem}.toml")
            lines = workspace.require(spec.key)["lines"]
            text = "".join(f"{line}\n" for line in lines)
            with storage.new_files(translations / f"{stem}.txt") as (aside,):
                aside.write_text(text, encoding="utf-8")


def _write(results: TranslationResults, folder: Path) -> None:
    """Write all that a reader may want."""
    from tartib.experiments.report.files import write_outputs
    from tartib.experiments.translation.figures import figures_of
    from tartib.experiments.translation.report import write_report
    from tartib.experiments.translation.tables import tables_of

    write_outputs(folder, results, tables_of(results), figures_of(results))
    write_report(results, folder / "report.html")
