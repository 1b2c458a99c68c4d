"""``tartib predict``."""

from __future__ import annotations

import sys
from itertools import islice
from pathlib import Path
from typing import Annotated

import typer

from tartib.cli import options


def predict(
    model: options.Model,
    phrases: Annotated[Path, typer.Argument(metavar="PHRASES", help="Folder of phrase pairs.")],
    out: Annotated[
        Path | None,
        options.option("--out -o", "FILE", "File to write; standard output by default."),
    ] = None,
    direction: options.ModelDirection = None,
    limit: Annotated[
        int | None,
        options.option("--limit -n", "N", "Only the first N pairs.", min=0),
    ] = None,
    overwrite: options.Overwrite = False,
    jobs: options.Jobs = None,
) -> None:
    """Write the probabilities of each phrase pair's orientations, tab-separated.

    Example:

        tartib predict model/ phrases/ --out predictions.tsv
    """
    from tartib.phrases import PhrasePairs
    from tartib.progress import progress_bar
    from tartib.reordering import ReorderingModel
    from tartib.reordering.predictions import prediction_lines
    from tartib.storage import new_files
    from tartib.textio import text_writer
    from tartib.wording import printable

    store = PhrasePairs.load(phrases)
    lines = prediction_lines(ReorderingModel.load(model, n_jobs=jobs), store, direction)
    wanted = islice(lines, None if limit is None else limit + 1)
    if out is None:
        shown = printable if sys.stdout.isatty() else str
        for line in wanted:
            sys.stdout.write(f"{shown(line)}\n")
        return
    total = len(store) if limit is None else min(limit, len(store))
    with (
        new_files(out, overwrite=overwrite) as (aside,),
        progress_bar("Predicting", total, "pairs") as advance,
        text_writer(aside, out) as stream,
    ):
        for line in wanted:
            stream.write(f"{line}\n".encode())
            advance(1)
