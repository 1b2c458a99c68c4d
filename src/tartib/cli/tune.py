"""``tartib tune``."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tartib.cli import options, output
from tartib.cli.problems import note_if_stopped
from tartib.wording import counted

if TYPE_CHECKING:
    from tartib.decoder import System
    from tartib.tuning import Iteration, TuningRuns

_TUNERS = ("mira", "pro", "mert")


def tune(
    system: options.SystemFile,
    source: Annotated[
        Path,
        options.option(
            "--source -s",
            "FILE",
            "Source side of the development set, a sentence on each line: raw text if the system "
            "has a text module, else tokenised as for training.",
        ),
    ],
    reference: Annotated[
        list[Path],
        options.option(
            "--reference -r",
            "FILE",
            "Reference translation of it, line by line; repeat for several references.",
        ),
    ],
    out: Annotated[
        Path,
        options.option("--out -o", "FILE", "TOML file to write: the system with tuned weights."),
    ],
    tuner: Annotated[
        str,
        options.option(
            "--tuner",
            "NAME",
            "mira (k-best batch MIRA) or pro (pairwise ranking) for any number of features, or "
            "mert (exact line search) for a few dozen, none of them sparse.",
        ),
    ] = "mira",
    iterations: Annotated[
        int,
        options.option(
            "--iterations",
            "N",
            "Largest number of iterations. Tuning ends earlier if weights do not change, no "
            "new translation is found, or BLEU has not improved for five iterations.",
            min=1,
        ),
    ] = 15,
    nbest_size: Annotated[
        int,
        options.option(
            "--nbest-size",
            "N",
            "Length of the n-best lists that each iteration adds to the pool.",
            min=1,
        ),
    ] = 100,
    runs: Annotated[
        int,
        options.option(
            "--runs",
            "N",
            "Number of runs, with the seeds --seed, --seed + 1 …; the mean of their weights is "
            "written, --json prints those of each run.",
            min=1,
        ),
    ] = 1,
    seed: options.Seed = 0,
    resume: Annotated[
        bool,
        options.flag(
            "--resume", "Continue an interrupted command after its last finished iteration."
        ),
    ] = False,
    overwrite: options.Overwrite = False,
    jobs: options.Jobs = None,
    as_json: options.Json = False,
) -> None:
    """Tune a system's weights for the best BLEU on a development set.

    The development set must not be part of the training text; 500 to 2,000 sentences are usual.
    Tuning starts from the weights of the system and keeps those of the iteration with the best
    BLEU. One run says little: runs with other seeds differ by some tenths of BLEU.

    The development set of a system with a text module is raw text, which is prepared as the
    training text was; BLEU is then that of the tokens.

    Example:

        tartib tune system.toml -s dev.ar -r dev.en -o tuned.toml

    After an interrupt, the same command with --resume continues. docs/tuning.md compares the
    tuners.
    """
    from tartib.decoder.system import System, file_of
    from tartib.storage import check_file
    from tartib.textio import read_parallel
    from tartib.tuning import TuningOptions, tune_runs
    from tartib.tuning.checkpoints import note_result, remove_kept

    if tuner not in _TUNERS:
        raise typer.BadParameter(f"--tuner is one of {', '.join(_TUNERS)}, not {tuner!r}")
    chosen = System.read(system)
    sources = [file_of(system), source, *reference]
    if resume and _is_finished(out, chosen, sources, overwrite=overwrite):
        output.print_note(f"{out} is finished: there is nothing to continue")
        return
    check_file(out, overwrite=overwrite)
    folder = _folder(out, resume=resume, overwrite=overwrite)
    sentences, references = _prepared(chosen, source, *read_parallel(source, reference))
    with note_if_stopped(lambda: _kept(folder, resume=resume)):
        models = chosen.state()
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", r".* has no \[weights\]")  # this is how it gets some
            decoder = chosen.load(progress=True)
        try:
            found = tune_runs(
                decoder,
                sentences,
                references,
                tuner=tuner,
                options=TuningOptions(iterations=iterations, nbest_size=nbest_size),
                runs=runs,
                seed=seed,
                n_jobs=jobs,
                folder=folder,
                models=models,
                progress=True,
                report=_Lines() if sys.stderr.isatty() else None,
            )
        except BaseException:
            if not _iterations(folder):
                remove_kept(folder)
            raise
    tuned = chosen.with_weights(found.layout.mapping(found.weights))
    note_result(folder, tuned.toml(out))
    tuned.write(out, overwrite=overwrite)
    remove_kept(folder)
    _print(found, out, as_json=as_json)


def _prepared(
    system: System, source: Path, sentences: list[str], references: list[list[str]]
) -> tuple[list[str], list[list[str]]]:
    """Return a development set as tokens: those of raw text if the system has a text module."""
    from tartib.translator import load_text, seen_doubt

    text = load_text(system)
    if text is None:
        return sentences, references
    doubts = text.source.doubts(sentences, text.target)
    tokens = [*map(text.source.prepare, sentences)]
    for doubt in filter(None, (*doubts, seen_doubt(system, tokens))):
        output.print_problem(f"warning: {source}: {doubt}")
    return tokens, [[*map(text.target.prepare, lines)] for lines in references]


def _folder(out: Path, *, resume: bool, overwrite: bool) -> Path:
    """Return where iterations are kept until the end."""
    from tartib.errors import OptionError
    from tartib.storage import unfinished_path
    from tartib.tuning.checkpoints import remove_kept

    folder = unfinished_path(out)
    if resume:
        return folder
    if _iterations(folder) and not overwrite:
        raise OptionError(
            f"{out} is not finished: continue with --resume, or start again with --overwrite"
        )
    if not remove_kept(folder):
        raise OptionError(f"another process is tuning in {folder}")
    return folder


def _is_finished(out: Path, system: System, sources: list[Path], *, overwrite: bool) -> bool:
    """Whether --resume finds its result; what a kill left beside it is removed.

    Any other file is refused: a result is the same system with weights, newer than all it is from.
    """
    from tartib.decoder.resumable_output import are_newer, is_finished, not_unfinished
    from tartib.storage import unfinished_path
    from tartib.tuning.checkpoints import is_result, remove_kept

    folder = unfinished_path(out)
    if is_result(folder, out):
        remove_kept(folder)
        return True
    if overwrite or not is_finished(out):
        return False
    if _is_tuned(out, system) and are_newer([out], [*sources, *system.files]):
        return True
    raise not_unfinished(out)


def _is_tuned(out: Path, system: System) -> bool:
    """Whether a file is a system that differs from another by nothing but its weights."""
    from tartib.decoder.system import System
    from tartib.errors import TartibError

    try:
        found = System.read(out)
    except TartibError:
        return False
    same = found.with_weights({}).toml(out) == system.with_weights({}).toml(out)
    return same and found.weights is not None


def _iterations(folder: Path) -> int:
    """Return how many finished iterations of all runs are kept."""
    return len([*folder.glob("*/iteration-*")])


def _kept(folder: Path, *, resume: bool) -> str:
    """Return what an interrupt left, and how to go on."""
    kept = _iterations(folder)
    if not kept:
        return "no iteration was finished, and nothing was kept"
    again = "the same command" if resume else "the same command with --resume"
    return f"{counted(kept, 'finished iteration')} kept in {folder}; {again} continues"


class _Lines:
    """Shows each iteration on a line of its own, under a heading."""

    def __init__(self) -> None:
        self._seed: int | None = None

    def __call__(self, iteration: Iteration) -> None:
        if iteration.seed != self._seed:
            self._seed = iteration.seed
            output.print_note(
                f"seed {self._seed}\niteration    BLEU  change  translations  seconds"
            )
        output.print_note(
            f"{iteration.number:9}  {iteration.bleu:6.2f}  {iteration.change:6.3f}  "
            f"{iteration.pool:12,}  {iteration.seconds:7.1f}"
        )


def _print(found: TuningRuns, out: Path, *, as_json: bool) -> None:
    if as_json:
        output.print_json(_as_data(found))
        return
    for run in found.runs:
        best, last = run.best, run.iterations[-1]
        output.print_plain(
            f"BLEU {best.bleu:.2f} of tokens in iteration {best.number} of {last.number}, with "
            f"seed {best.seed}; before tuning {run.iterations[0].bleu:.2f}. Stopped: {run.stopped}."
        )
        if best.number == 1:
            output.print_plain(
                "No better weights than those of the system were found: try more --iterations."
            )
    of = "The weights are" if len(found.runs) == 1 else "The mean of the weights is"
    output.print_plain(f"{of} in {out}")


def _as_data(found: TuningRuns) -> dict[str, Any]:
    mapping = found.layout.mapping
    runs = [
        {
            "seed": run.best.seed,
            "bleu": run.best.bleu,
            "best": run.best.number,
            "stopped": run.stopped,
            "iterations": [i.as_dict() for i in run.iterations],
            "weights": mapping(run.weights),
        }
        for run in found.runs
    ]
    return {"weights": mapping(found.weights), "runs": runs}
