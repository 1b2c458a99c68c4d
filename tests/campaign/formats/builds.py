"""What ``tartib build`` keeps in order to continue, and the system that comes out."""

from __future__ import annotations

from pathlib import Path

from tartib import System, Translator
from tartib.build import BuildOptions, package, stages
from tartib.build.plan import BuildPlan
from tartib.build.prepare import Prepared
from tartib.build.stages import Aligned, check_text
from tartib.experiments.run.stages import TextFile
from tartib.experiments.run.workspace import Workspace
from tartib.textio import read_lines
from tests.campaign.formats.definition import Format
from tests.campaign.materials import Materials
from tests.support.raw_system import write_system
from tests.support.raw_text import TINY, raw_sentences, write_raw

_PAIRS = 160


def _options(materials: Materials) -> BuildOptions:
    train = (materials.folder / "raw.ar", materials.folder / "raw.en")
    if not train[0].exists():
        write_raw(materials.folder, "raw", raw_sentences(_PAIRS))
    return BuildOptions.make({**TINY, "train": train})


def _learnt(sample: Path, materials: Materials) -> tuple[BuildOptions, Prepared, Workspace]:
    options = _options(materials)
    return options, Prepared.of(options, ("ar", "en")), Workspace(sample / "out", "build")


def _provide(prepared: Prepared, options: BuildOptions, space: Workspace) -> Aligned:
    """Run what is not finished, as a build does; return the last stage."""
    if not prepared.is_ready(space):
        prepared.run(space, 1)
    folder = prepared.folder(space)
    check_text(folder)
    files = (TextFile.of(folder / "train.source"), TextFile.of(folder / "train.target"))
    how = options.align
    aligned = Aligned(*files, 100, how.aligner, how.heuristic, how.attach)
    if not aligned.is_ready(space):
        aligned.run(space, 1)
    return aligned


def _make_text(sample: Path, materials: Materials) -> None:
    options, prepared, space = _learnt(sample, materials)
    with space.opened():
        _provide(prepared, options, space)


def _use_text(sample: Path, materials: Materials) -> object:
    options, prepared, space = _learnt(sample, materials)
    with space.opened():
        aligned = _provide(prepared, options, space)
        plan = BuildPlan.of(options, prepared, aligned, space)
        links = read_lines(aligned.folder(space) / "links")
        counts = {n: v for n, v in space.require(prepared.key).items() if "stage" not in n}
        sets = [plan.portion(name) for name in ("dev", "test")]
        texts = [(one.read(), one.read_raw()) for one in sets]
        module = prepared.model(space)
        return links, counts, texts, plan.lm.key, [side.as_json() for side in module]


def _make_system(sample: Path, _: Materials) -> None:
    write_system(sample / "system", unknown_share=0.1)


def _use_system(sample: Path, _: Materials) -> object:
    few = System.read(sample / "system").with_search(stack_size=5, table_limit=3)
    translator = Translator.of(few, n_jobs=1)
    return [found.text for found in translator.translate(["The house is old."])]


BUILDS = (
    Format(
        "build",
        _make_text,
        _use_text,
        (stages.TEXT_FORMAT, stages.LINKS_FORMAT),
        sealed=True,
        writes=True,
        slow=True,
    ),
    # Its system.toml and README.md are for people to edit, so no checksum is asked for.
    Format("system-folder", _make_system, _use_system, (package.FORMAT,), slow=True),
)
