"""``tartib demo``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from tartib.cli import options, output
from tartib.cli.problems import note_if_stopped

if TYPE_CHECKING:
    from tartib.demo import Demo
    from tartib.experiments import TranslationResults


def demo(
    out: Annotated[
        Path, options.option("--out -o", "FOLDER", "Folder for what the demo makes.")
    ] = Path("demo-out"),
    pairs: Annotated[int, options.option("--pairs", "N", "How many sentence pairs.", min=1)] = 5000,
    seed: options.Seed = 0,
    as_json: options.Json = False,
) -> None:
    """Run everything on the embedded corpus: text → links → phrase pairs → models → translations.

    The corpus is synthetic: made by a small grammar of Arabic and English. Its words are linked by
    our own aligner, and the links are compared with those of the grammar.
    The report has both halves of the papers: classifiers of phrase pairs, and tuned translation
    systems that reorder with them.

    Example:

        tartib demo --out demo-out/
    """
    from tartib.cli.experiment_translation import print_results
    from tartib.demo import run_demo

    with note_if_stopped(lambda: _kept(out)):
        done = run_demo(out, pairs=pairs, seed=seed, progress=True)
    if as_json:
        output.print_json(_as_dict(done))
        return
    _print_alignment(done)
    _print_phrases(done)
    _print_models(done)
    print_results(done.translation)
    _print_moves(done.translation)
    output.print_note(
        f"Look further: tartib show {out}/phrases --label swap --random\n"
        f"              tartib explain {out}/model {out}/phrases --label swap\n"
        f"              tartib translate {done.system} {out}/corpus/test.ar --trace-out -\n"
        f"Report on both halves of the papers: {done.report}"
    )


def _kept(out: Path) -> str:
    """Return what an interrupt left, and how to go on."""
    if not out.exists():
        return "no output file was written"
    return f"what is finished is kept in {out}: the same command continues"


def _as_dict(done: Demo) -> dict[str, Any]:
    """Return all of it as data."""
    examples = [{"label": e.label, **e.pair._asdict()} for e in done.examples]
    return {
        "alignment": {"seconds": done.alignment_seconds, **done.alignment.as_dict()},
        "counts": done.counts,
        "examples": examples,
        "features": [{"pair": e.pair._asdict(), "names": names} for e, names in done.features],
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
        "translation": done.translation.model_dump(mode="json", exclude={"examples"}),
        "signature": done.phrases.signature,
        "system": str(done.system),
        "report": str(done.report),
    }


def _print_alignment(done: Demo) -> None:
    """Print what there is to learn from, and how well its words were linked."""
    bitext, found = done.phrases.bitext, done.alignment
    output.print_note(
        f"Embedded corpus (synthetic): {len(bitext):,} sentence pairs to learn from, "
        f"{len(bitext.source.ids):,} Arabic and {len(bitext.target.ids):,} English words; "
        f"{done.translation.dev.sentences:,} to tune and {done.translation.test.sentences:,} to "
        "test translation on."
    )
    output.print_table(
        "Words linked by the aligner joint, compared with the grammar's links",
        ("links", "precision", "recall", "AER", "seconds"),
        [
            (
                found.found,
                f"{found.precision.score:.3f}",
                f"{found.recall.score:.3f}",
                f"{found.aer.score:.3f}",
                f"{done.alignment_seconds:.1f}",
            )
        ],
        right=(0, 1, 2, 3, 4),
    )


def _print_phrases(done: Demo) -> None:
    """Print what was extracted, and some of it with its features."""
    total = len(done.phrases)
    labels = list(next(iter(done.counts.values())))
    output.print_table(
        f"Orientation of {total:,} phrase pairs to the previous phrase",
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


def _print_models(done: Demo) -> None:
    from tartib.cli.explain import print_pair

    output.print_table(
        f"Reordering models on held-out sentences ({done.phrases.orientation}, feature set S6; "
        f"{100 * done.models[0].report.most_frequent:.1f} % are of the most frequent class)",
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


def _print_moves(results: TranslationResults) -> None:
    """Show a sentence that the systems put in different orders, phrase by phrase."""
    for sentence in results.examples[:1]:
        outputs = (
            (
                "\n".join(made.systems),
                " | ".join(" ".join(move.words) for move in made.moves),
                f"{made.bleu:.0f}",
            )
            for made in sentence.outputs
        )
        output.print_table(
            "The test sentence whose order and BLEU differ most from the lexicalised system's "
            "(| between phrases; unknown words stay as they are)",
            ("system", "translation", "BLEU"),
            [
                ("source", " ".join(sentence.source), ""),
                ("reference", sentence.references[0], ""),
                *outputs,
            ],
            right=(2,),
            lines=True,
        )
