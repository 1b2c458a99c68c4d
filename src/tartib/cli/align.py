"""``tartib align``."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

import typer

from tartib.cli import options, output
from tartib.wording import counted


def align(
    out: Annotated[
        Path,
        typer.Option(
            "--out", "-o", metavar="FILE", help="File for the links, a line for each line read."
        ),
    ],
    source: options.Source = None,
    target: options.Target = None,
    bitext: options.BothSides = None,
    languages: options.Languages = None,
    max_sentence_length: options.SentenceLength = 100,
    skip_empty: options.SkipEmpty = False,
    aligner: Annotated[
        str,
        typer.Option(
            "--aligner",
            metavar="NAME",
            help="eflomal: the best for its time; faster with --samplers 1, better with 5. "
            "fast_align: light, less accurate. ibm1, hmm, ibm3, ibm4: the classics, slower.",
        ),
    ] = "eflomal",
    heuristic: Annotated[
        str,
        typer.Option(
            "--heuristic",
            metavar="NAME",
            help="How the two directions are combined: grow-diag-final-and, grow-diag-final, "
            "grow-diag, grow, och, union or intersection.",
        ),
    ] = "grow-diag-final-and",
    overwrite: options.Overwrite = False,
    seed: options.Seed = 1,
    samplers: Annotated[
        int,
        typer.Option(
            "--samplers",
            metavar="N",
            help="For eflomal: independent chains that are averaged; time grows in proportion. "
            "Take 1 for speed, 5 for a little more quality.",
        ),
    ] = 3,
    jobs: options.Jobs = None,
    as_json: options.Json = False,
) -> None:
    """Align words in both directions and symmetrise, for text without an alignment.

    Example:

        tartib align -s train.ar -t train.en --out train.align
    """
    from tartib.alignment import align as align_words
    from tartib.alignment import write_alignment
    from tartib.bitext import Bitext
    from tartib.storage import check_free

    check_free(out, overwrite)
    files = options.text_files(source, target, bitext)
    reading = options.read_options(max_sentence_length, skip_empty, languages)
    began = time.perf_counter()
    text = Bitext.read(*files, options=reading, progress=True)
    aligned = align_words(
        text, aligner, heuristic, seed=seed, samplers=samplers, n_jobs=jobs, progress=True
    )
    write_alignment(aligned, out, overwrite=overwrite)
    seconds = time.perf_counter() - began
    if as_json:
        output.print_json(
            {
                "sentences": len(aligned),
                "skipped": aligned.skipped._asdict(),
                "links": len(aligned.links),
                "aligner": aligner,
                "heuristic": heuristic,
                "seed": seed,
                "samplers": samplers,
                "seconds": round(seconds, 3),
            }
        )
        return
    output.note_skipped(aligned.skipped, max_sentence_length)
    pairs, links = counted(len(aligned), "sentence pair"), counted(len(aligned.links), "link")
    output.print_note(
        f"Aligned {pairs} with {links} ({aligner}, {heuristic}) in {seconds:.0f} s: {out}"
    )
