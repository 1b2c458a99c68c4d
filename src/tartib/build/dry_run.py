"""What a build would do: its steps in words, and those that are finished."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from tartib.build.options import MUCH_TEXT, BuildOptions, ExtractOptions
from tartib.build.plan import STEPS
from tartib.build.prepare import Prepared
from tartib.build.run import (
    KIND,
    build_key,
    check_before,
    check_output,
    languages_of,
    work_folder,
)
from tartib.experiments.run.workspace import Workspace
from tartib.experiments.translation.systems import SystemParts
from tartib.wording import counted


class Step(NamedTuple):
    """A step of a build: its name, what it does, and whether it is finished."""

    name: str
    what: str
    state: str


def planned_steps(
    options: BuildOptions,
    out: Path,
    work: Path | None = None,
    *,
    pack_as: Path | None = None,
    overwrite: bool = False,
) -> list[Step]:
    """Return the steps; nothing is run, but the files are read for their hashes.

    What would stop the build before its first step is an error.
    """
    check_before(options)
    prepared = Prepared.of(options, languages_of(options))
    workspace = Workspace(work or work_folder(out), KIND)
    built = check_output(out, build_key(options, prepared), pack_as, overwrite=overwrite)
    states = dict.fromkeys(STEPS, "finished" if built else "")
    if prepared.is_ready(workspace):
        states["prepare"] = "finished"
    return [Step(step, what, states[step]) for step, what in _words(options).items()]


def _words(options: BuildOptions) -> dict[str, str]:
    choose, tune, search = options.choose, options.tune, options.search
    titles = [SystemParts.parse(name).title for name in choose.systems]
    languages = " and ".join(filter(None, languages_of(options)))
    return {
        "prepare": _texts(options) + (f"; languages {languages}" if languages else ""),
        "align": f"words, by {options.align.aligner}, {options.align.heuristic}"
        + ("" if options.align.attach is None else f", attached from {options.align.attach:g}"),
        "extract": _lengths(options.extract),
        "phrase table": _limit(options.phrase_table.table_limit),
        "language model": f"n-grams of at most {options.lm.order} tokens",
        "reordering models": f"{options.reordering.orientation}, {options.reordering.direction}: "
        + ", ".join(titles),
        "choose": _choice(options),
        "tune": f"{tune.tuner}, at most {counted(tune.iterations, 'iteration')} on "
        f"{tune.sentences:,} sentences, {counted(tune.runs, 'run')}",
        "test": f"BLEU and chrF of ordinary text; search with stacks of {search.stack_size:,}",
        "package": "a folder with models, README.md and report.html",
    }


def _texts(options: BuildOptions) -> str:
    sets = {"dev": options.prepare.dev_sentences, "test": options.prepare.test_sentences}
    parts = [
        f"{name}: {' '.join(path.name for path in getattr(options, name))}"
        if getattr(options, name)
        else f"{name}: {size:,} sentences held out, at most {options.prepare.held_out_share:.0%}"
        for name, size in sets.items()
    ]
    return "; ".join([" ".join(path.name for path in options.train), *parts])


def _lengths(extract: ExtractOptions) -> str:
    given = extract.max_phrase_length
    usual = f"{extract.length_for(0)} tokens ({extract.length_for(MUCH_TEXT + 1)} of much text)"
    return f"phrases of at most {usual if given is None else counted(given, 'token')}"


def _limit(table_limit: int) -> str:
    kept = f"at most {table_limit} translations" if table_limit else "all translations"
    return f"{kept} of a source phrase"


def _choice(options: BuildOptions) -> str:
    limits, systems = options.choose.limits, options.choose.systems
    parts = []
    if len(limits) > 1:
        parts.append(f"distortion limits {', '.join(map(str, sorted(limits)))}")
    if len(systems) > 1:
        parts.append(counted(len(systems), "system"))
    if not parts:
        return f"nothing: {systems[0]}, distortion limit {limits[0]}"
    return f"{' and '.join(parts)}, on {options.choose.sentences:,} sentences"
