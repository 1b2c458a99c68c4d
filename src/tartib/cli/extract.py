"""``tartib extract``."""

from __future__ import annotations

import time
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tartib.cli import options, output
from tartib.wording import counted

if TYPE_CHECKING:
    from tartib.phrases import PhrasePairs


def extract(
    alignment: Annotated[
        Path | None,
        options.option(
            "--alignment -a",
            "FILE",
            "Word alignment in Pharaoh format: 0-0 1-2 …, source-target, from 0. Not needed if "
            "a .tsv has it as third column.",
            "Parallel text",
        ),
    ] = None,
    source: options.Source = None,
    target: options.Target = None,
    bitext: options.BothSides = None,
    languages: options.Languages = None,
    max_sentence_length: options.SentenceLength = 100,
    skip_empty: options.SkipEmpty = False,
    out: Annotated[
        Path | None,
        options.option("--out -o", "FOLDER", "Folder for the store of phrase pairs."),
    ] = None,
    moses: Annotated[
        Path | None,
        options.option(
            "--moses", "FOLDER", "Folder for Moses' files extract, extract.inv and extract.o."
        ),
    ] = None,
    orientation: Annotated[
        list[str] | None,
        options.option(
            "--orientation",
            "NAME",
            "word, phrase or hier (wbe is word), a hyphen, and msd, mslr, monotonicity or "
            "leftright. The store always holds all of them; this chooses what is shown, and "
            "the fields of extract.o. May be repeated. The default is hier-msd.",
        ),
    ] = None,
    max_phrase_length: Annotated[
        int,
        options.option("--max-phrase-length", "N", "Longest phrase, in words."),
    ] = 7,
    overwrite: options.Overwrite = False,
    jobs: options.Jobs = None,
    signature: options.Signature = False,
    as_json: options.Json = False,
) -> None:
    """Extract phrase pairs with their orientations from word-aligned text.

    Example:

        tartib extract -s train.ar -t train.en -a train.align --out phrases/
    """
    from tartib.bitext import read_blocks
    from tartib.extraction import extract_phrases
    from tartib.moses import write_extract
    from tartib.orientation import parse_all
    from tartib.storage import scratch_folder

    if out is None and moses is None:
        raise typer.BadParameter("give --out, --moses, or both")
    first, second = options.text_files(source, target, bitext)
    if alignment is None and bitext is None:
        raise typer.BadParameter("give --alignment; `tartib align` makes one")
    models = parse_all(orientation or ["hier-msd"])
    began = time.perf_counter()
    blocks = read_blocks(
        first,
        second,
        alignment,
        options=options.read_options(max_sentence_length, skip_empty, languages),
    )
    with ExitStack() as stack:
        if out is None:
            out = stack.enter_context(scratch_folder(moses or "")) / "phrases"
        phrases = extract_phrases(
            blocks,
            models[0],
            max_phrase_length,
            out=out,
            overwrite=overwrite,
            n_jobs=jobs,
            progress=True,
        )
        if moses is not None:
            write_extract(phrases, moses, models, overwrite=overwrite, n_jobs=jobs, progress=True)
        _report(phrases, time.perf_counter() - began, max_sentence_length, as_json)
        output.print_signature(phrases.signature, signature and not as_json)


def _report(phrases: PhrasePairs, seconds: float, max_sentence_length: int, as_json: bool) -> None:
    from tartib.orientation import MODEL_DIRECTIONS

    bitext = phrases.bitext
    counts = {d: phrases.counts(direction=d) for d in MODEL_DIRECTIONS}
    if as_json:
        output.print_json(
            {
                "pairs": len(phrases),
                "sentences": len(bitext),
                "skipped": bitext.skipped._asdict(),
                "orientation": str(phrases.orientation),
                "counts": counts,
                "seconds": round(seconds, 3),
                "signature": phrases.signature,
            }
        )
        return
    output.note_skipped(bitext.skipped, max_sentence_length)
    output.print_table(
        f"{counted(len(phrases), 'phrase pair')} of {counted(len(bitext), 'sentence pair')} in "
        f"{seconds:.1f} s",
        (str(phrases.orientation), "backward", "", "forward", ""),
        [
            (
                label,
                counts["backward"][label],
                output.percent(counts["backward"][label], len(phrases)),
                counts["forward"][label],
                output.percent(counts["forward"][label], len(phrases)),
            )
            for label in phrases.orientation.labels
        ],
        right=(1, 2, 3, 4),
    )
