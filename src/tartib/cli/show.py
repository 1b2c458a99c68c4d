"""``tartib show``."""

from __future__ import annotations

from typing import Annotated

from tartib.cli import options, output
from tartib.wording import counted


def show(
    phrases: options.Phrases,
    limit: Annotated[int, options.option("--limit -n", "N", "How many pairs.", min=0)] = 20,
    sentence: Annotated[
        int | None,
        options.option("--sentence", "N", "Only pairs of this line of the corpus."),
    ] = None,
    word: Annotated[
        list[str] | None,
        options.option(
            "--word", "WORD", "Only pairs with this word on either side; may be repeated."
        ),
    ] = None,
    label: Annotated[
        str | None,
        options.option("--label", "NAME", "Only pairs of this class, such as swap."),
    ] = None,
    orientation: Annotated[
        str | None,
        options.option(
            "--orientation", "NAME", "Classes, such as word-mslr; as extracted by default."
        ),
    ] = None,
    direction: Annotated[
        str,
        options.option("--direction", "NAME", "What --label is about: backward or forward."),
    ] = "backward",
    random: Annotated[bool, options.flag("--random", "Choose among the pairs at random.")] = False,
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
        f"{len(rows):,} of {counted(len(found), 'phrase pair')} ({store.orientation})",
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
