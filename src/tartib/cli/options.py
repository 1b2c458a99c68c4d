"""Options that several commands share."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from tartib.bitext import ReadOptions


def option(
    names: str,
    metavar: str,
    text: str,
    panel: str | None = None,
    **more: Any,  # noqa: ANN401 -- as typer.Option
) -> Any:  # noqa: ANN401
    """Return an option with a value.

    Parameters
    ----------
    names
        Such as ``--out -o``.
    metavar
        What its value is, in the help.
    text
        What it does.
    panel
        The heading above it in the help.
    more
        For `typer.Option`.
    """
    return typer.Option(*names.split(), metavar=metavar, help=text, rich_help_panel=panel, **more)


def flag(names: str, text: str, panel: str | None = None) -> Any:  # noqa: ANN401 -- as typer.Option
    """Return an option without a value; parameters as before."""
    return typer.Option(*names.split(), help=text, rich_help_panel=panel)


Source = Annotated[
    Path | None,
    option(
        "--source -s",
        "FILE",
        "Source side: one sentence a line, tokens separated by spaces. Plain, .gz, .bz2, "
        ".xz or .zst; - is standard input.",
        "Parallel text",
    ),
]
Target = Annotated[
    Path | None,
    option(
        "--target -t",
        "FILE",
        "Target side, line by line the translation of the source.",
        "Parallel text",
    ),
]
BothSides = Annotated[
    Path | None,
    option(
        "--bitext -b",
        "FILE",
        "Both sides in one file, instead of --source and --target: .tsv, .tmx or an OPUS "
        "'moses' .zip; - is tab-separated text from standard input.",
        "Parallel text",
    ),
]
Languages = Annotated[
    str | None,
    option(
        "--languages",
        "LANGUAGES",
        "Source and target language in a .tmx or .zip, such as ar-en or ar-EG,en-GB.",
        "Parallel text",
    ),
]
SentenceLength = Annotated[
    int,
    option(
        "--max-sentence-length",
        "N",
        "Skip (and count) sentence pairs with more tokens than this on either side.",
        "Parallel text",
    ),
]
SkipEmpty = Annotated[
    bool,
    flag(
        "--skip-empty",
        "Skip (and count) sentence pairs with an empty side instead of stopping at them.",
        "Parallel text",
    ),
]
Features = Annotated[
    str,
    option(
        "--features -f",
        "NAME",
        "Feature set: S1 … S15 or MLR; with -paper (S6-paper) exactly as the papers print it; "
        "with -classes (S6-classes) also of word classes, which are learnt from the training text.",
    ),
]
Roles = Annotated[
    bool | None,
    flag(
        "--roles/--no-roles",
        "Whether the first and the last word of a phrase are different features; by default as "
        "the feature set says.",
    ),
]
PhraseFactor = Annotated[
    int | None,
    option("--phrase-factor", "N", "Factor of word|POS|… to use in phrases, from 0."),
]
ContextFactor = Annotated[
    int | None,
    option("--context-factor", "N", "Factor to use in the context, from 0."),
]
Jobs = Annotated[
    int | None,
    option("--jobs -j", "N", "Cores to use; all by default. Results do not depend on it."),
]
Json = Annotated[bool, flag("--json", "Print results as JSON instead of a table.")]
Signature = Annotated[
    bool,
    flag(
        "--signature",
        "Print the signature as well: options, seed, version and corpus of the results.",
    ),
]
Overwrite = Annotated[bool, flag("--overwrite", "Replace the output if it exists.")]
_NoVerify = Annotated[
    bool,
    flag(
        "--no-verify",
        "Do not compare files with their checksums: damage may give wrong results, unnoticed.",
    ),
]
Seed = Annotated[
    int,
    option("--seed", "N", "The same seed gives the same result.", min=0, max=2**32 - 1),
]


Phrases = Annotated[
    Path, typer.Argument(metavar="PHRASES", help="Folder that `tartib extract --out` made.")
]
Model = Annotated[
    Path, typer.Argument(metavar="MODEL", help="Folder that `tartib train --out` made.")
]
SystemFile = Annotated[
    Path,
    typer.Argument(
        metavar="SYSTEM",
        help="Folder or TOML file of a system, or a moses.ini.",
        show_default=False,
    ),
]
ExperimentFolder = Annotated[
    Path,
    option(
        "--out -o",
        "FOLDER",
        "Folder for the experiment. If it holds an unfinished one, that is continued.",
    ),
]
ModelDirection = Annotated[
    str | None,
    option("--direction", "NAME", "backward or forward; the model's own, or backward, by default."),
]
HeldOut = Annotated[
    float,
    option(
        "--held-out",
        "SHARE",
        "Share of the sentences to keep for evaluation; the same --seed gives the same ones.",
    ),
]


def loads(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command that loads models or stores the option --no-verify."""

    @functools.wraps(command)
    def run(*args: Any, no_verify: bool = False, **options: Any) -> None:  # noqa: ANN401
        from tartib.storage import unverified

        with unverified() if no_verify else nullcontext():
            command(*args, **options)

    given = inspect.signature(command, eval_str=True)
    kind = inspect.Parameter.KEYWORD_ONLY
    added = inspect.Parameter("no_verify", kind, default=False, annotation=_NoVerify)
    parameters = [*given.parameters.values(), added]
    vars(run)["__signature__"] = given.replace(parameters=parameters)
    run.__annotations__ = {p.name: p.annotation for p in parameters}
    return run


def text_files(
    source: Path | None, target: Path | None, bitext: Path | None
) -> tuple[Path, Path | None]:
    """Return what to read: two files, or one that holds both sides."""
    if bitext is not None and source is None and target is None:
        return bitext, None
    if bitext is None and source is not None and target is not None:
        return source, target
    raise typer.BadParameter("give --source and --target, or --bitext")


def read_options(max_sentence_length: int, skip_empty: bool, languages: str | None) -> ReadOptions:
    """Make the library's options of the command line's."""
    from tartib.bitext import ReadOptions, language_pair

    pair = None if languages is None else language_pair(languages)
    return ReadOptions(
        max_sentence_length=max_sentence_length, skip_empty=skip_empty, languages=pair
    )
