"""``tartib evaluate``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tartib.cli import options, output


def evaluate(
    model: options.Model,
    phrases: Annotated[
        Path, typer.Argument(help="Folder of phrase pairs, of a corpus with alignments.")
    ],
    held_out: options.HeldOut = 0.0,
    seed: options.Seed = 0,
    jobs: options.Jobs = None,
    as_json: options.Json = False,
) -> None:
    """Compare a model's predictions with the true orientations of phrase pairs.

    Example: tartib evaluate model/ phrases/ --held-out 0.1
    """
    from tartib.phrases import PhrasePairs
    from tartib.reordering import ReorderingModel

    trained = ReorderingModel.load(model, n_jobs=jobs)
    store = PhrasePairs.load(phrases)
    if held_out:
        _, store = store.split(held_out=held_out, seed=seed)
    elif f"corpus:{store.bitext.fingerprint}|" in trained.trained_on:
        output.print_note(
            "These are the sentences that the model was trained on: figures will be too good. "
            "Train and evaluate with the same --held-out and --seed."
        )
    reports = {name: trained.evaluate(store, name) for name in trained.directions}
    if as_json:
        found = {name: report.as_dict() for name, report in reports.items()}
        output.print_json({"directions": found, "signature": trained.signature})
        return
    for name, report in reports.items():
        typer.echo(f"{len(store):,} phrase pairs, {name}\n{report}\n")
    output.print_note(trained.signature)
