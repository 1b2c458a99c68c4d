"""``tartib demo``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tartib.cli import options, output

if TYPE_CHECKING:
    from tartib.demo import Demo


def demo(
    out: Annotated[
        Path, typer.Option("--out", "-o", help="Folder for what the demo makes.")
    ] = Path("demo-out"),
    pairs: Annotated[int, typer.Option("--pairs", min=1, help="How many sentence pairs.")] = 5000,
    seed: options.Seed = 0,
    as_json: options.Json = False,
) -> None:
    """Run everything on the embedded corpus: text → phrase pairs → models → translations → report.

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
                "models": [
                    {
                        "name": model.name,
                        "parameters": model.parameters,
                        "seconds": model.seconds,
                        "held_out": model.report.as_dict(),
                    }
                    for model in done.models
                ],
                "explanation": done.explanation.as_dict(),
                "translations": [
                    {**vars(system), "file": str(system.file)}
                    for system in done.translations.systems
                ],
                "signature": done.phrases.signature,
                "report": str(done.report),
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
    _print_models(done)
    _print_translations(done)
    output.print_note(
        f"{done.phrases.signature}\nLook further: tartib show {out}/phrases --label swap --random\n"
        f"              tartib explain {out}/model {out}/phrases --label swap\n"
        f"              tartib translate {out}/translation/svm.toml "
        f"{out}/translation/source.ar --trace -\n"
        f"The papers' tables and figures on this corpus: {done.report}"
    )


def _print_models(done: Demo) -> None:
    from tartib.cli.explain import print_pair

    output.print_table(
        f"Reordering models on held-out sentences ({done.phrases.orientation}, feature set S6; "
        f"{100 * done.models[0].report.majority:.1f} % are of the most frequent class)",
        ("model", "accuracy %", *(f"F1 {name} %" for name in done.phrases.orientation.labels),
         "macro F1 %", "log-loss", "parameters", "seconds"),
        (
            (
                model.name,
                f"{100 * model.report.accuracy:.2f}",
                *(f"{100 * value:.1f}" for value in model.report.f1),
                f"{100 * model.report.macro_f1:.1f}",
                f"{model.report.log_loss:.4f}",
                model.parameters,
                f"{model.seconds:.2f}",
            )
            for model in done.models
        ),
        right=tuple(range(1, 10)),
    )  # fmt: skip
    print_pair(done.explanation, 8)


def _print_translations(done: Demo) -> None:
    from tartib.decoder.formats import trace_text

    made = done.translations
    output.print_table(
        f"Translations of {made.sentences} held-out sentences, usual weights (not tuned)",
        ("reordering model", "BLEU", "average model score", "source words/s"),
        (
            (
                system.name,
                f"{system.bleu:.2f}",
                f"{system.total:.3f}",
                f"{system.words_per_second:,.0f}",
            )
            for system in made.systems
        ),
        right=(1, 2, 3),
    )
    output.print_note(
        f"{made.signature}\n\nOne sentence's moves with {made.systems[-1].name}: "
        f"{made.example.text}\nWithout a reordering model: {made.without}\n"
        f"Reference: {made.reference}\n"
        f"{trace_text(made.number, made.example)}"
    )
