"""Options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from tartib.bitext import ReadOptions

Source = Annotated[
    Path | None,
    typer.Option(
        "--source",
        "-s",
        metavar="FILE",
        help="Source side: one sentence a line, tokens separated by spaces. Plain, .gz, .bz2, .xz "
        "or .zst; - is standard input.",
        rich_help_panel="Parallel text",
    ),
]
Target = Annotated[
    Path | None,
    typer.Option(
        "--target",
        "-t",
        metavar="FILE",
        help="Target side, line by line the translation of the source.",
        rich_help_panel="Parallel text",
    ),
]
BothSides = Annotated[
    Path | None,
    typer.Option(
        "--bitext",
        "-b",
        metavar="FILE",
        help="Both sides in one file, instead of --source and --target: .tsv, .tmx or an OPUS "
        "'moses' .zip; - is tab-separated text from standard input.",
        rich_help_panel="Parallel text",
    ),
]
Languages = Annotated[
    str | None,
    typer.Option(
        "--languages",
        metavar="LANGUAGES",
        help="Source and target language in a .tmx or .zip, such as ar-en or ar-EG,en-GB.",
        rich_help_panel="Parallel text",
    ),
]
SentenceLength = Annotated[
    int,
    typer.Option(
        "--max-sentence-length",
        metavar="N",
        help="Skip (and count) sentence pairs with more tokens than this on either side.",
        rich_help_panel="Parallel text",
    ),
]
SkipEmpty = Annotated[
    bool,
    typer.Option(
        "--skip-empty",
        help="Skip (and count) sentence pairs with an empty side instead of stopping at them.",
        rich_help_panel="Parallel text",
    ),
]
Features = Annotated[
    str,
    typer.Option(
        "--features",
        "-f",
        metavar="NAME",
        help="Feature set: S1 … S15 or MLR; S1-paper … S15-paper as the papers print them.",
    ),
]
Roles = Annotated[
    bool | None,
    typer.Option(
        "--roles/--no-roles",
        help="Tell the first word of a phrase from its last one, or not; as the feature set has it "
        "by default.",
    ),
]
PhraseFactor = Annotated[
    int | None,
    typer.Option(
        "--phrase-factor", metavar="N", help="Factor of word|POS|… to use in phrases, from 0."
    ),
]
ContextFactor = Annotated[
    int | None,
    typer.Option("--context-factor", metavar="N", help="Factor to use in the context, from 0."),
]
Jobs = Annotated[
    int | None,
    typer.Option(
        "--jobs",
        "-j",
        metavar="N",
        help="Cores to use; all by default. Results do not depend on it.",
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print results as JSON instead of a table.")]
Signature = Annotated[
    bool,
    typer.Option(
        "--signature",
        help="Print the signature as well: options, seed, version and corpus of the results.",
    ),
]
Overwrite = Annotated[bool, typer.Option("--overwrite", help="Replace the output if it exists.")]
Seed = Annotated[
    int,
    typer.Option(
        "--seed", metavar="N", min=0, max=2**32 - 1, help="The same seed gives the same result."
    ),
]


Model = Annotated[Path, typer.Argument(help="Folder that `tartib train --out` made.")]
ModelDirection = Annotated[
    str | None,
    typer.Option(
        "--direction",
        metavar="NAME",
        help="backward or forward; the model's own, or backward, by default.",
    ),
]
HeldOut = Annotated[
    float,
    typer.Option(
        "--held-out",
        metavar="SHARE",
        help="Share of the sentences to keep for evaluation; the same --seed gives the same ones.",
    ),
]


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
