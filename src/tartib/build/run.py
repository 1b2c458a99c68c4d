"""`build_system`: from raw text to a translator that is one folder."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from tartib import storage
from tartib.build.choice import Choice
from tartib.build.choose import Chooser
from tartib.build.options import BuildOptions
from tartib.build.package import FORMAT as SYSTEM_FORMAT
from tartib.build.package import Package, check_pack, pack, read_scores
from tartib.build.plan import BuildPlan
from tartib.build.prepare import Prepared
from tartib.build.results import BuildResults, collect
from tartib.build.screen import BuildScreen
from tartib.build.stages import Aligned, check_text
from tartib.engine import count_jobs
from tartib.errors import DataError, OptionError
from tartib.experiments.run.jobs import JobServer
from tartib.experiments.run.plan import Group
from tartib.experiments.run.runner import Runner
from tartib.experiments.run.screen import Watcher, watching
from tartib.experiments.run.stages import Stage, TextFile, digest
from tartib.experiments.run.workspace import Workspace
from tartib.experiments.translation.stages import folder_bytes
from tartib.storage.inspection import first_damage
from tartib.text import language_of, subwords
from tartib.text.segmentation import segmenter

KIND = "build"
_PAIR = re.compile(r"(?<![a-z])([a-z]{2,3})[-_]([a-z]{2,3})(?![a-z])")


@dataclass(frozen=True)
class Built:
    """What a build left.

    Attributes
    ----------
    system
        The folder.
    results
        What was measured: the content of ``scores.json``.
    work
        The folder with finished stages, and its size; it may be deleted.
    work_bytes, system_bytes
        Sizes.
    packed
        The zip file, if one was asked for.
    was_there
        Whether an earlier run had built it.
    """

    system: Path
    results: BuildResults
    work: Path
    work_bytes: int
    system_bytes: int
    packed: Path | None
    was_there: bool


def build_system(
    options: BuildOptions,
    out: str | Path,
    *,
    work: str | Path | None = None,
    pack_as: str | Path | None = None,
    overwrite: bool = False,
    progress: bool = False,
    report: Callable[[str], None] | None = None,
) -> Built:
    """Build a translator from raw text, or what is left to do of it.

    Whatever was finished by an earlier run with the same text and options is not done again, so an
    interrupted build continues where it stopped, in the middle of a tuning, too.

    Parameters
    ----------
    options
        What to build it from, and how; `BuildOptions.make` checks them.
    out
        The folder of the system, which appears when it is complete.
    work
        Folder for finished stages; by default that of the system with ``.work`` added.
    pack_as
        A zip file to write as well.
    overwrite
        Replace a system that is there.
    progress
        Show on a terminal what is being done.
    report
        Is told of each finished stage, in a line.
    """
    check_before(options)
    out = Path(out)
    workspace = Workspace(work or work_folder(out), KIND)
    prepared = Prepared.of(options, languages_of(options))
    key = build_key(options, prepared)
    built = check_output(out, key, None if pack_as is None else Path(pack_as), overwrite=overwrite)
    if not built:
        _build(options, prepared, key, out, workspace, overwrite, progress, report)
    packed = None if pack_as is None else pack(out, Path(pack_as))
    results = BuildResults.model_validate(read_scores(out))
    sizes = (folder_bytes(workspace.folder), folder_bytes(out))
    return Built(out, results, workspace.folder, *sizes, packed, built)


def check_before(options: BuildOptions) -> None:
    """Refuse what would stop a build before anything is read: files, libraries."""
    options.check_files()
    sides = (options.text.source, options.text.target)
    if any(side.subwords != "none" for side in sides):
        subwords.check_installed()
    for side in sides:
        if side.segmentation in ("fugashi", "jieba"):
            segmenter(side.segmentation)


def check_output(out: Path, key: str, pack_as: Path | None, *, overwrite: bool) -> bool:
    """Refuse outputs that cannot be written; tell whether the system is there already."""
    storage.check_folder(out, SYSTEM_FORMAT, overwrite=True)
    built = not overwrite and _is_built(out, key)
    if pack_as is not None:
        check_pack(pack_as, overwrite=overwrite or built)
    return built


def _build(
    options: BuildOptions,
    prepared: Prepared,
    key: str,
    out: Path,
    workspace: Workspace,
    overwrite: bool,
    progress: bool,
    report: Callable[[str], None] | None,
) -> None:
    """Run what is not finished, and write the folder."""
    with ExitStack() as stack:
        if not workspace.folder.exists():  # what fails at the first step leaves nothing behind
            stack.callback(workspace.remove_if_empty)
        lock = stack.enter_context(workspace.opened())
        screen = partial(BuildScreen, options, workspace)
        shown = stack.enter_context(watching(screen, shown=progress))
        watcher = shown if report is None else Reporter(shown, workspace, report)
        server = stack.enter_context(JobServer("tartib.build.plan", lock))
        runner = BuildRunner(workspace, server, watcher, count_jobs(options.jobs), options)
        plan, choice = runner.run_all(prepared)
        watcher.begin("package")
        results = collect(plan, choice, workspace, key)
        Package(plan, choice, workspace, results, runner.visited).write(out, overwrite=overwrite)


def work_folder(out: Path) -> Path:
    """Return where finished stages are kept."""
    return out.with_name(f"{out.name}.work")


def languages_of(options: BuildOptions) -> tuple[str, str]:
    """Return the languages as given, or told from file names; empty where they are not known."""
    if options.languages is not None:
        return options.languages
    if len(options.train) == 2:
        return language_of(options.train[0]), language_of(options.train[1])
    for files in (options.dev, options.test):
        if len(files) > 1:
            return language_of(files[0]), language_of(files[1])
    for path in options.train:  # one file that holds both sides, such as corpus.de-en.zip
        for found in _PAIR.finditer(path.name.lower()):
            if all(language_of(f"text.{code}") for code in found.groups()):
                return found[1], found[2]
    return "", ""


def build_key(options: BuildOptions, prepared: Prepared) -> str:
    """Return a name of all that the system depends on."""
    left_out = ("train", "dev", "test", "mono", "jobs", "languages")
    asked = options.model_dump(
        mode="json", exclude={**dict.fromkeys(left_out, True), "prepare": {"suspicious"}}
    )
    return digest([prepared.key, asked])


def _is_built(out: Path, key: str) -> bool:
    """Whether the same build has ended with this folder; anything else there is refused."""
    if read_scores(out).get("build") == key:
        damage = first_damage(out)
        if damage is not None:
            hint = "with --overwrite the system is written again"
            raise DataError(damage.path, None, f"changed or damaged: {damage.problem}", hint)
        return True
    storage.check_free(out, False)
    return False


@dataclass(frozen=True)
class BuildRunner(Runner):
    """Runs what is not finished yet."""

    options: BuildOptions
    visited: list[Stage] = field(default_factory=list)  # all that led to the system

    def finish(self, stage: Stage) -> None:
        """Run a stage if it is not finished."""
        self._visit(stage)
        super().finish(stage)

    def provide(self, stage: Stage) -> None:
        """Run a stage if it is not finished, or if the folder that it leaves is gone."""
        self._visit(stage)
        super().provide(stage)

    def train(self, group: Group, *, provide: bool) -> None:
        """Make rows, run the stages that need them and are not finished, and delete the rows."""
        for stage in group.stages:
            self._visit(stage)
        super().train(group, provide=provide)

    def _visit(self, stage: Stage) -> None:
        if stage not in self.visited:
            self.visited.append(stage)

    def run_all(self, prepared: Prepared) -> tuple[BuildPlan, Choice]:
        """Run all stages up to the test."""
        self.provide(prepared)
        found = self.workspace.require(prepared.key)
        if found["disasters"]:
            self._doubt(found["disasters"])
        for suspicion in found["suspicions"]:
            warnings.warn(suspicion, stacklevel=4)
        folder = prepared.folder(self.workspace)
        check_text(folder)  # before the hashes of its files name other stages
        aligned = Aligned(
            TextFile.of(folder / "train.source"),
            TextFile.of(folder / "train.target"),
            self.options.prepare.max_tokens,
            self.options.align.aligner,
            self.options.align.heuristic,
            self.options.align.attach,
        )
        self.provide(aligned)
        plan = BuildPlan.of(self.options, prepared, aligned, self.workspace)
        for stage in (plan.corpus, plan.table, plan.lm, *plan.lexicalised_models):
            self.provide(stage)
        for group in plan.groups():
            self.train(group, provide=True)
        choice = Chooser(plan, self).choose()
        for tuned in plan.tunings(choice):
            self.finish(tuned)
        for name in ("dev", "test"):
            self.finish(plan.final(name, choice))
        return plan, choice

    def _doubt(self, disasters: list[str]) -> None:
        """Stop, or go on as asked, if the text is hardly what it should be."""
        if self.options.prepare.suspicious == "stop":
            hint = "correct the files; if they are right, go on by --set prepare.suspicious=go-on"
            raise OptionError("\n".join([disasters[0], *disasters[1:], f"  {hint}"]))
        for disaster in disasters:
            warnings.warn(disaster, stacklevel=5)


class Reporter(Watcher):
    """Tells of each finished stage in a line, beside another watcher."""

    def __init__(self, other: Watcher, workspace: Workspace, report: Callable[[str], None]) -> None:
        self._other = other
        self._workspace = workspace
        self._report = report

    def begin(self, what: str) -> None:
        """Pass it on."""
        self._other.begin(what)

    def end(self, stage: Stage) -> None:
        """Tell how long it took."""
        self._other.end(stage)
        found = self._workspace.require(stage.key)
        self._report(f"{stage.title}: {found['stage_seconds']:.1f} s")
