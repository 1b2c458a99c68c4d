"""``tartib dataset``."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

import typer

from tartib.cli import options, output


def dataset(
    phrases: options.Phrases,
    out: Annotated[
        Path | None,
        options.option("--out -o", "FOLDER", "Folder for the rows and their feature dictionary."),
    ] = None,
    svmlight: Annotated[
        Path | None,
        options.option("--svmlight", "FILE", "File for the rows as svmlight text."),
    ] = None,
    features: options.Features = "S6",
    cutoff: Annotated[
        int,
        options.option(
            "--cutoff", "N", "Keep features that occur more often than this.", min=0, max=2**31
        ),
    ] = 10,
    hash_bits: Annotated[
        int | None,
        options.option(
            "--hash-bits", "N", "Use 2^bits columns by hashing, and no dictionary.", min=1, max=31
        ),
    ] = None,
    roles: options.Roles = None,
    phrase_factor: options.PhraseFactor = None,
    context_factor: options.ContextFactor = None,
    orientation: Annotated[
        str | None,
        options.option(
            "--orientation", "NAME", "Classes, such as word-mslr; as extracted by default."
        ),
    ] = None,
    direction: Annotated[
        str,
        options.option(
            "--direction", "NAME", "backward (to the previous phrase) or forward (to the next)."
        ),
    ] = "backward",
    share: Annotated[
        float,
        options.option("--share", "SHARE", "Random share of the sentences to use."),
    ] = 1.0,
    seed: options.Seed = 0,
    collapse: Annotated[
        bool,
        options.flag("--collapse", "Make equal rows with equal labels one weighted row."),
    ] = False,
    overwrite: options.Overwrite = False,
    jobs: options.Jobs = None,
    signature: options.Signature = False,
    as_json: options.Json = False,
) -> None:
    """Turn phrase pairs into sparse rows with labels, for classifiers here or elsewhere.

    Example:

        tartib dataset phrases/ --features S7 --out rows/
    """
    from tartib.dataset import write_dataset
    from tartib.features import FeatureSet
    from tartib.phrases import PhrasePairs

    if out is None and svmlight is None:
        raise typer.BadParameter("give --out, --svmlight, or both")
    chosen = FeatureSet(
        features, roles=roles, phrase_factor=phrase_factor, context_factor=context_factor
    )
    store = PhrasePairs.load(phrases)
    if share != 1:
        store = store.sample(share, seed=seed)
    began = time.perf_counter()
    made = write_dataset(
        store,
        chosen,
        out=out,
        svmlight=svmlight,
        cutoff=cutoff,
        hash_bits=hash_bits,
        orientation=orientation,
        direction=direction,
        collapse=collapse,
        overwrite=overwrite,
        n_jobs=jobs,
        progress=True,
    )
    rows = made.dataset
    facts = {
        "pairs": len(store),
        "rows": len(rows),
        "columns": rows.n_features,
        "non_zeros": len(rows.indices),
        "pairs_per_row": round(len(store) / max(1, len(rows)), 3),
        "seconds": round(time.perf_counter() - began, 3),
    }
    if as_json:
        output.print_json({**facts, "classes": list(rows.classes), "signature": rows.signature})
        return
    titles = [name.replace("_", " ") for name in facts]
    output.print_table(
        f"Dataset of feature set {chosen}",
        titles,
        [list(facts.values())],
        right=range(len(facts)),
    )
    names = [
        (c, made.encoder.name(c), int(made.encoder.counts[c]))
        for c in range(min(5, len(made.encoder.counts)))
    ]
    if names:
        output.print_table("Its most frequent features", ("column", "feature", "count"), names)
    output.print_signature(rows.signature, signature)
