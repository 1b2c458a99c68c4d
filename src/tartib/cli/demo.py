"""``tartib demo``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tartib.cli import options, output


def demo(
    out: Annotated[
        Path, typer.Option("--out", "-o", help="Folder for what the demo makes.")
    ] = Path("demo-out"),
    pairs: Annotated[int, typer.Option("--pairs", min=1, help="How many sentence pairs.")] = 5000,
    seed: options.Seed = 0,
    as_json: options.Json = False,
) -> None:
    """Run the pipeline on the embedded corpus: text → phrase pairs → orientations → features.

    The corpus is synthetic: made by a small grammar of Arabic and English, with exact alignments.
    """
    from tartib.demo import run_demo

    done = run_demo(out, pairs=pairs, seed=seed, progress=True)
    if as_json:
        examples = [{"label": e.label, **e.pair._asdict()} for e in done.examples]
        output.print_json(
            {
                "counts": done.counts,
                "examples": examples,
                "features": [
                    {"pair": e.pair._asdict(), "names": names} for e, names in done.features
                ],
                "signature": done.phrases.signature,
            }
        )
        return
    total = len(done.phrases)
    bitext = done.phrases.bitext
    output.print_note(
        f"Embedded corpus (synthetic): {len(bitext):,} sentence pairs, "
        f"{len(bitext.source.ids):,} Arabic and {len(bitext.target.ids):,} English words."
    )
    labels = list(next(iter(done.counts.values())))
    output.print_table(
        f"How {total:,} phrase pairs lie to the previous phrase",
        ("orientation", *labels),
        (
            (model, *(f"{n:,} ({output.percent(n, total)})" for n in counts.values()))
            for model, counts in done.counts.items()
        ),
        right=(1, 2, 3),
    )
    output.print_table(
        f"Examples ({done.phrases.orientation}): the phrase pair stands between brackets",
        ("orientation", "source and target"),
        ((e.label, "\n".join(e.marked())) for e in done.examples),
        lines=True,
    )
    output.print_table(
        f"Features of phrase pairs ({done.encoder.features}: these and their conjunctions; "
        f"{done.encoder.n_features:,} occur more than {done.encoder.cutoff} times)",
        ("source", "target", "base features"),
        (
            (" ".join(e.pair.source), " ".join(e.pair.target), "  ".join(n))
            for e, n in done.features
        ),
    )
    output.print_note(
        f"{done.phrases.signature}\nLook further: tartib show {out}/phrases --label swap --random"
    )
