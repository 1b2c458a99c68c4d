"""``tartib show``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tartib.cli import options, output


def show(
    phrases: Annotated[Path, typer.Argument(help="Folder that `tartib extract --out` made.")],
    limit: Annotated[
        int, typer.Option("--limit", "-n", metavar="N", min=0, help="How many pairs.")
    ] = 20,
    sentence: Annotated[
        int | None,
        typer.Option("--sentence", metavar="N", help="Only pairs of this line of the corpus."),
    ] = None,
    word: Annotated[
        list[str] | None,
        typer.Option(
            "--word",
            metavar="WORD",
            help="Only pairs with this word on either side; may be repeated.",
        ),
    ] = None,
    label: Annotated[
        str | None,
        typer.Option("--label", metavar="NAME", help="Only pairs of this class, such as swap."),
    ] = None,
    orientation: Annotated[
        str | None,
        typer.Option(
            "--orientation",
            metavar="NAME",
            help="Read the labels in this model, such as word-mslr.",
        ),
    ] = None,
    direction: Annotated[
        str,
        typer.Option(
            "--direction", metavar="NAME", help="What --label is about: backward or forward."
        ),
    ] = "backward",
    random: Annotated[
        bool, typer.Option("--random", help="Choose among the pairs at random.")
    ] = False,
    seed: options.Seed = 0,
    signature: options.Signature = False,
    as_json: options.Json = False,
) -> None:
    """Show phrase pairs: their words, orientations and inner alignment.

    Example:

        tartib show phrases/ --label swap --random
    """
    import numpy as np

    from tartib.phrases import PhrasePairs

    store = PhrasePairs.load(phrases)
    if orientation is not None:
        store = store.reading_as(orientation)
    found = store.find(line=sentence, words=word or (), label=label, direction=direction)
    if len(found) == 0:
        output.print_note("No phrase pair of the store meets these conditions.")
    if random:
        found = np.random.default_rng(seed).permutation(found)
    chosen = [store[int(index)] for index in found[:limit]]
    rows = [(int(store.bitext.lines[pair.sentence]), pair) for pair in chosen]
    if as_json:
        pairs = [{"line": line, **pair._asdict()} for line, pair in rows]
        output.print_json({"signature": store.signature, "matches": len(found), "pairs": pairs})
        return
    output.print_table(
        f"{len(rows):,} of {len(found):,} phrase pairs ({store.orientation})",
        ("line", "source", "target", "backward", "forward", "alignment"),
        (
            (
                str(line),
                " ".join(pair.source),
                " ".join(pair.target),
                pair.backward,
                pair.forward,
                " ".join(f"{i}-{j}" for i, j in pair.links),
            )
            for line, pair in rows
        ),
        right=(0,),
    )
    output.print_signature(store.signature, signature)
