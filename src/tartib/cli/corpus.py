"""``tartib corpus``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tartib.cli import options, output
from tartib.cli.help import Command, Group
from tartib.wording import counted

app = typer.Typer(cls=Group, help="Make corpora to try things on.", no_args_is_help=True)


@app.callback()
def _corpus() -> None:
    pass


@app.command(cls=Command)
def synthetic(
    out: Annotated[
        Path,
        options.option(
            "--out -o", "FOLDER", "Folder for synthetic.ar, synthetic.en and synthetic.align."
        ),
    ],
    pairs: Annotated[
        int, options.option("--pairs -n", "N", "How many sentence pairs.", min=0)
    ] = 10_000,
    seed: options.Seed = 0,
    overwrite: options.Overwrite = False,
    jobs: options.Jobs = None,
    as_json: options.Json = False,
) -> None:
    """Make a SYNTHETIC Arabic–English corpus with exact word alignments.

    A grammar writes it: real words, invented sentences. It is for demos, tests and measurements of
    scale, never evidence about real Arabic. The first n pairs of a larger corpus with the same seed
    are the corpus of n pairs.

    Example:

        tartib corpus synthetic --pairs 100000 --out corpus/
    """
    from tartib.synthetic import write_corpus

    files = write_corpus(out, pairs, seed, overwrite=overwrite, n_jobs=jobs, progress=True)
    if as_json:
        output.print_json({"pairs": pairs, "seed": seed, "files": [str(path) for path in files]})
        return
    output.print_note(
        f"Wrote {counted(pairs, 'synthetic sentence pair')}: {', '.join(map(str, files))}"
    )
