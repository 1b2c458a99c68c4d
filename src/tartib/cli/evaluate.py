"""``tartib evaluate``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tartib.cli import options, output
from tartib.wording import counted


def evaluate(
    model: options.Model,
    phrases: Annotated[
        Path,
        typer.Argument(
            metavar="PHRASES", help="Folder of phrase pairs, of a corpus with alignments."
        ),
    ],
    held_out: Annotated[
        float | None,
        options.option(
            "--held-out",
            "SHARE",
            "Share of the sentences to evaluate on; by default those that the model was not "
            "trained on, if it was trained on others of the same corpus. 0 takes all.",
        ),
    ] = None,
    seed: Annotated[
        int | None,
        options.option(
            "--seed", "N", "Seed that chose the held-out sentences; by default that of training."
        ),
    ] = None,
    jobs: options.Jobs = None,
    signature: options.Signature = False,
    as_json: options.Json = False,
) -> None:
    """Compare a model's predictions with the true orientations of phrase pairs.

    Example:

        tartib evaluate model/ phrases/
    """
    from tartib.phrases import PhrasePairs
    from tartib.reordering import ReorderingModel

    trained = ReorderingModel.load(model, n_jobs=jobs)
    store = PhrasePairs.load(phrases)
    kept = trained.held_out_of(store)
    asked = (kept or (0.0, 0))[0] if held_out is None else held_out
    chosen = (kept or (0.0, 0))[1] if seed is None else seed
    if asked:
        _, store = store.split(held_out=asked, seed=chosen)
    if kept is not None and (asked, chosen) != kept:
        output.print_note(
            "The model was trained on some of these sentences: figures will be too good. It was "
            f"trained with --held-out {kept[0]:g} --seed {kept[1]}."
        )
    reports = {name: trained.evaluate(store, name) for name in trained.directions}
    if as_json:
        found = {name: report.as_dict() for name, report in reports.items()}
        output.print_json({"directions": found, "signature": trained.signature})
        return
    for name, report in reports.items():
        output.print_plain(f"{counted(len(store), 'phrase pair')}, {name}\n{report}\n")
    output.print_signature(trained.signature, signature)
