"""``tartib build``."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tartib.cli import options, output
from tartib.cli.help import Command
from tartib.cli.problems import NO_SPACE, note_if_stopped
from tartib.errors import FullDiskError, OptionError
from tartib.wording import counted

if TYPE_CHECKING:
    from tartib.build import BuildOptions, Built

_TEXT = "Text"
_HOW = "How"
# Options that take all words up to the next option.
_SEVERAL = ("--train", "--dev", "--test", "--mono", "--languages", "--set")


class BuildCommand(Command):
    """A command whose options about files take several, as in ``--train a.de a.en``."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:  # noqa: ANN401
        """Repeat such an option before each of its values."""
        return super().parse_args(ctx, spread(args))


def spread(words: Sequence[str]) -> list[str]:
    """Return the words of a command with ``--train a b`` as ``--train a --train b``."""
    found: list[str] = []
    option, given = "", 0
    for word in words:
        if word.startswith("-") and word != "-":
            name, equals, _ = word.partition("=")
            option, given = (name if name in _SEVERAL else ""), int(bool(equals))
        elif option:
            found += [option] if given else []
            given += 1
        found.append(word)
    return found


def build(
    context: typer.Context,
    out: Annotated[
        Path,
        options.option("--out -o", "FOLDER", "The system, which appears when it is complete."),
    ],
    train: Annotated[
        list[Path] | None,
        options.option(
            "--train",
            "FILE",
            "Training text as people write it: two files, line by line translations of one "
            "another, or one .tsv, .tmx or OPUS 'moses' .zip. Plain, .gz, .bz2, .xz or .zst.",
            _TEXT,
        ),
    ] = None,
    dev: Annotated[
        list[Path] | None,
        options.option(
            "--dev",
            "FILE",
            "The same for the development set, which weights are tuned on; or its source and "
            "several references. Without it, sentences of the training text are held out.",
            _TEXT,
        ),
    ] = None,
    test: Annotated[
        list[Path] | None,
        options.option("--test", "FILE", "The same for the test set.", _TEXT),
    ] = None,
    mono: Annotated[
        list[Path] | None,
        options.option(
            "--mono", "FILE", "More text of the target language, for the language model.", _TEXT
        ),
    ] = None,
    languages: Annotated[
        list[str] | None,
        options.option(
            "--languages",
            "LANGUAGES",
            "Source and target language, such as de en, where file names do not tell.",
            _TEXT,
        ),
    ] = None,
    effort: Annotated[
        str,
        options.option(
            "--effort",
            "NAME",
            "How much is compared and how long is tuned: quick, normal or thorough.",
            _HOW,
        ),
    ] = "normal",
    settings: Annotated[
        list[str] | None,
        options.option(
            "--set",
            "STAGE.OPTION=VALUE",
            "Change an option of a stage, such as lm.order=4; docs/build.md lists them.",
            _HOW,
        ),
    ] = None,
    config: Annotated[
        Path | None,
        options.option(
            "--config", "FILE", "TOML file with all of these, and a section for each stage.", _HOW
        ),
    ] = None,
    work: Annotated[
        Path | None,
        options.option(
            "--work",
            "FOLDER",
            "Where finished stages are kept; by default beside the system, with .work added.",
            _HOW,
        ),
    ] = None,
    pack: Annotated[
        Path | None, options.option("--pack", "FILE", "Write the system as a zip file, too.", _HOW)
    ] = None,
    dry_run: Annotated[
        bool, options.flag("--dry-run", "Show what would be done, and do nothing.", _HOW)
    ] = False,
    seed: options.Seed = 0,
    overwrite: options.Overwrite = False,
    jobs: options.Jobs = None,
    verbose: Annotated[
        bool,
        options.flag(
            "--verbose -v", "Name each finished stage even if standard error is not a terminal."
        ),
    ] = False,
    as_json: options.Json = False,
) -> None:
    """Build a translator from two files of ordinary text.

    The text is cleaned, tokenised and aligned; phrase table, language model and reordering models
    are trained; which reordering model and which distortion limit are best is tried on the
    development set; weights are tuned. The result is one folder that can be moved and given away,
    with README.md and report.html. Finished stages are kept: the same command continues after an
    interrupt, and with other options does only what is new.

    Example:

        tartib build --train corpus.de corpus.en --dev dev.de dev.en --out system
        tartib translate system text.txt
        tartib score --system system --source test.de --reference test.en

    docs/build.md says what is chosen, and what to change for Arabic or Japanese.
    """
    with _told(out if work is None else work, is_work=work is not None):
        from tartib.build import build_system

        given = {
            "train": train,
            "dev": dev,
            "test": test,
            "mono": mono,
            "languages": _pair(languages),
            "effort": effort if output.is_given(context, "effort") or config is None else None,
            "seed": seed if output.is_given(context, "seed") else None,
            "jobs": jobs,
        }
        asked = _options({name: value for name, value in given.items() if value}, settings, config)
        if dry_run:
            _print_plan(asked, out, work, pack, overwrite=overwrite)
            return
        built = build_system(
            asked,
            out,
            work=work,
            pack_as=pack,
            overwrite=overwrite,
            progress=True,
            report=output.print_note if verbose and not sys.stderr.isatty() else None,
        )
        _print(built, out, as_json=as_json)


@contextmanager
def _told(folder: Path, *, is_work: bool) -> Iterator[None]:
    """Say at an interrupt, or on a full disk, that finished stages are kept."""
    place = folder if is_work else folder.with_name(f"{folder.name}.work")
    try:
        with note_if_stopped(lambda: "finished stages are kept: the same command continues"):
            yield
    except FullDiskError as error:
        raise OptionError(_full(error.path)) from None
    except OSError as error:
        if error.errno not in NO_SPACE or error.filename is None:
            raise
        raise OptionError(_full(str(place))) from None


def _full(folder: str) -> str:
    return (
        f"{folder}: no space left on this disk\n  free some, or keep finished stages on another "
        "disk by --work; the same command continues"
    )


def _pair(languages: list[str] | None) -> tuple[str, str] | None:
    """Read ``de en``, ``de-en`` or ``de,en``."""
    from tartib.bitext import language_pair

    if not languages:
        return None
    if len(languages) == 1:
        return language_pair(languages[0])
    if len(languages) != 2:
        raise typer.BadParameter(f"--languages takes two codes, such as de en: {languages}")
    return languages[0], languages[1]


def _options(
    given: dict[str, Any], settings: list[str] | None, config: Path | None
) -> BuildOptions:
    """Put together what a file, the command line and --set ask for."""
    from tartib.build.options import BuildOptions, read_toml, with_settings

    values = ({} if config is None else read_toml(config)) | given
    if "train" not in values:
        raise typer.BadParameter("give --train, with two files of text or one that holds both")
    only_file = config if not settings else None
    return BuildOptions.make(with_settings(values, settings or []), only_file)


def _print_plan(
    asked: BuildOptions, out: Path, work: Path | None, pack: Path | None, *, overwrite: bool
) -> None:
    """Show the steps."""
    from tartib.build.dry_run import planned_steps

    steps = planned_steps(asked, out, work, pack_as=pack, overwrite=overwrite)
    rows = [(step.name, step.what, step.state) for step in steps]
    output.print_table(f"What makes {out}", ("step", "what", ""), rows)


def _print(built: Built, out: Path, *, as_json: bool) -> None:
    """Say how good the system is, and where everything is."""
    from tartib.experiments.report.tables import size

    if as_json:
        output.print_json(built.results.model_dump(mode="json"))
    else:
        _print_scores(built)
        if built.was_there or sys.stderr.isatty():  # there, they have left the screen
            for suspicion in built.results.suspicions:
                output.print_problem(f"warning: {suspicion}")
    if built.was_there:
        output.print_note("Nothing to do: the same text and options had built this system before.")
    output.print_note(f"System: {out} ({size(built.system_bytes)}); report: {out / 'report.html'}")
    if built.packed is not None:
        output.print_note(f"Packed: {built.packed} ({size(built.packed.stat().st_size)})")
    if built.work.is_dir():
        output.print_note(
            f"{built.work} ({size(built.work_bytes)}) holds finished stages, for other options; "
            "it may be deleted"
        )


def _print_scores(built: Built) -> None:
    results = built.results
    rows = []
    for name, found in (("test", results.test), ("development", results.dev)):
        row: list[str | int] = [name, found.sentences]
        for score in found.scores.values():
            row += [f"{score.score:.1f}", f"{score.low:.1f} – {score.high:.1f}"]
        rows.append(tuple(row))
    columns = ["set", "sentences"]
    for metric in results.test.scores:
        columns += [metric, "95 %"]
    output.print_table(
        f"{results.title}, distortion limit {results.limit}; trained on "
        f"{results.data.pairs:,} sentence pairs",
        columns,
        rows,
        right=range(1, len(columns)),
    )
    seen = sum(results.data.seen.values())
    if results.data.held_out:
        sets = " and ".join(results.data.held_out)
        output.print_note(f"Held out from the training text: {sets}.")
    if seen:
        output.print_note(
            f"Taken out of the training text: {counted(seen, 'pair')} with sentences of these sets."
        )
