"""``tartib experiment translation``."""
# ruff: noqa: ARG001 -- which options were given is read from the context

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tartib.cli import options, output
from tartib.cli.experiment_run import run_experiment

if TYPE_CHECKING:
    from tartib.experiments.translation import TranslationResults

_TEXT = "Texts"
_WHAT = "What is compared"
_TUNING = "Tuning"
_SEARCH = "Search"
_HOW = "How it is tested"


def _option(*flags: str, text: str, panel: str, metavar: str | None = None) -> Any:  # noqa: ANN401 -- as typer.Option
    return typer.Option(*flags, metavar=metavar, help=text, rich_help_panel=panel)


def translation(
    context: typer.Context,
    out: Annotated[
        Path,
        typer.Option(
            "--out",
            "-o",
            metavar="FOLDER",
            help="Folder for the experiment. If it holds an unfinished one, that is continued.",
        ),
    ],
    config: Annotated[
        Path | None,
        typer.Option(
            "--config",
            metavar="FILE",
            help="TOML file with these options, such as lm-order = 5; options on the command "
            "line override those in the file.",
        ),
    ] = None,
    train: Annotated[
        tuple[Path, Path] | None,
        _option(
            "--train",
            metavar="FILE FILE",
            text="Training text: source and target side.",
            panel=_TEXT,
        ),
    ] = None,
    alignment: Annotated[
        Path | None,
        _option(
            "--alignment",
            "-a",
            metavar="FILE",
            text="Word alignment of it in Pharaoh format; `tartib align` makes one.",
            panel=_TEXT,
        ),
    ] = None,
    dev: Annotated[
        Path | None,
        _option("--dev", metavar="FILE", text="Text that weights are tuned on.", panel=_TEXT),
    ] = None,
    dev_reference: Annotated[
        list[Path] | None,
        _option(
            "--dev-reference",
            metavar="FILE",
            text="Its translation; again for further ones.",
            panel=_TEXT,
        ),
    ] = None,
    test: Annotated[
        Path | None,
        _option("--test", metavar="FILE", text="Text that systems are compared on.", panel=_TEXT),
    ] = None,
    test_reference: Annotated[
        list[Path] | None,
        _option(
            "--test-reference",
            metavar="FILE",
            text="Its translation; again for further ones (--test-reference={a,b} in many shells).",
            panel=_TEXT,
        ),
    ] = None,
    max_sentence_length: options.SentenceLength = 100,
    skip_empty: options.SkipEmpty = False,
    systems: Annotated[
        str,
        _option(
            "--systems",
            metavar="NAMES",
            text="With commas between: none, or lexicalised, sparse and classifiers such as svm:S6 "
            "with + between (svm:S6+sparse). All of the papers' by default; lexicalised is always "
            "there.",
            panel=_WHAT,
        ),
    ] = "",
    orientation: Annotated[
        str,
        _option(
            "--orientation",
            metavar="NAME",
            text="Of the reordering models: word, phrase or hier, a hyphen, and msd, mslr, "
            "monotonicity or leftright.",
            panel=_WHAT,
        ),
    ] = "hier-msd",
    direction: Annotated[
        str,
        _option(
            "--direction", metavar="NAME", text="backward, forward or bidirectional.", panel=_WHAT
        ),
    ] = "backward",
    max_phrase_length: Annotated[
        int,
        _option(
            "--max-phrase-length",
            metavar="N",
            text="Length of the longest phrases, in words.",
            panel=_WHAT,
        ),
    ] = 7,
    lm_order: Annotated[
        int,
        _option(
            "--lm-order", metavar="N", text="Length of the language model's n-grams.", panel=_WHAT
        ),
    ] = 5,
    cutoff: Annotated[
        int,
        _option(
            "--cutoff",
            metavar="N",
            text="Keep features that occur more often than this.",
            panel=_WHAT,
        ),
    ] = 10,
    roles: options.Roles = None,
    phrase_factor: options.PhraseFactor = None,
    context_factor: options.ContextFactor = None,
    dev_share: Annotated[
        float,
        _option(
            "--dev-share",
            metavar="SHARE",
            text="Share of the training sentences to choose hyper-parameters on.",
            panel=_WHAT,
        ),
    ] = 0.02,
    tune: Annotated[
        bool,
        _option(
            "--tune/--no-tune",
            text="Choose hyper-parameters of classifiers, or take the usual ones.",
            panel=_WHAT,
        ),
    ] = True,
    tune_pairs: Annotated[
        int,
        _option(
            "--tune-pairs",
            metavar="N",
            text="Try hyper-parameters on about N phrase pairs of the training text.",
            panel=_WHAT,
        ),
    ] = 300_000,
    sparse_words: Annotated[
        int,
        _option(
            "--sparse-words",
            metavar="N",
            text="Sparse features see the N most frequent words of each language.",
            panel=_WHAT,
        ),
    ] = 200,
    sparse_features: Annotated[
        str,
        _option(
            "--sparse-features",
            metavar="NAMES",
            text="Where they look: phrase, stack, between. With commas between.",
            panel=_WHAT,
        ),
    ] = "phrase",
    tuner: Annotated[
        str,
        _option(
            "--tuner",
            metavar="NAME",
            text="mira, pro, or mert without sparse systems.",
            panel=_TUNING,
        ),
    ] = "mira",
    runs: Annotated[
        int,
        _option(
            "--runs",
            metavar="N",
            text="How often each system is tuned, with the seeds --seed, --seed + 1 …",
            panel=_TUNING,
        ),
    ] = 3,
    iterations: Annotated[
        int,
        _option("--iterations", metavar="N", text="Most iterations of tuning.", panel=_TUNING),
    ] = 15,
    nbest_size: Annotated[
        int, _option("--nbest-size", metavar="N", text="Length of n-best lists.", panel=_TUNING)
    ] = 100,
    tuning_cube_pops: Annotated[
        int | None,
        _option(
            "--tuning-cube-pops",
            metavar="N",
            text="--cube-pops while tuning, where fewer save most of the time.",
            panel=_TUNING,
        ),
    ] = None,
    tuning_stack_size: Annotated[
        int | None,
        _option(
            "--tuning-stack-size",
            metavar="N",
            text="--stack-size while tuning, likewise.",
            panel=_TUNING,
        ),
    ] = None,
    distortion_limit: Annotated[
        int,
        _option(
            "--distortion-limit",
            metavar="N",
            text="The longest jump between phrases, in source words; -1: any, 0: none.",
            panel=_SEARCH,
        ),
    ] = 6,
    table_limit: Annotated[
        int,
        _option(
            "--table-limit",
            metavar="N",
            text="Translations of a source phrase that are tried, the best; 0: all.",
            panel=_SEARCH,
        ),
    ] = 20,
    cube_pops: Annotated[
        int,
        _option(
            "--cube-pops",
            metavar="N",
            text="Hypotheses that cube pruning looks at for each stack; 0: look at all.",
            panel=_SEARCH,
        ),
    ] = 1000,
    stack_size: Annotated[
        int,
        _option("--stack-size", metavar="N", text="Hypotheses kept in each stack.", panel=_SEARCH),
    ] = 200,
    samples: Annotated[
        int,
        _option(
            "--samples",
            metavar="N",
            text="Samples of the test sentences that p-values and intervals come from.",
            panel=_HOW,
        ),
    ] = 10_000,
    word_order: Annotated[
        bool,
        _option(
            "--word-order/--no-word-order",
            text="Align the test text with its first reference, and score word order.",
            panel=_HOW,
        ),
    ] = True,
    reference_alignment: Annotated[
        Path | None,
        _option(
            "--reference-alignment",
            metavar="FILE",
            text="That alignment in Pharaoh format, where there is a better one.",
            panel=_HOW,
        ),
    ] = None,
    examples: Annotated[
        int, _option("--examples", metavar="N", text="Sentences that the report draws.", panel=_HOW)
    ] = 6,
    seed: options.Seed = 0,
    jobs: options.Jobs = None,
    signature: options.Signature = False,
    as_json: options.Json = False,
) -> None:
    """Tune and compare translation systems: SVM paper, Tables 7 and 8; MLR paper, Table 3.

    Writes report.html, results.json, tables.md, tables.tex, figures, the tuned systems and their
    translations. Every finished stage is kept: the same command continues what was interrupted, and
    other options compute only what is new.

    Example:

        tartib experiment translation --train train.ar train.en -a train.align --dev dev.ar \
            --dev-reference dev.en --test test.ar --test-reference test.en -o results/
    """
    from tartib.experiments import TranslationOptions, run_translation

    run_experiment(
        context,
        config,
        out,
        make=TranslationOptions.make,
        run=run_translation,
        show=print_results,
        signature=signature,
        as_json=as_json,
    )


def print_results(results: TranslationResults) -> None:
    """Print what a reader looks for first; the report has the rest."""
    metrics = [metric for metric in ("BLEU", "BLEU-ref0", "NIST") if metric in results.metrics]
    rows = []
    for system in results.systems:
        row = [system.title]
        for metric in metrics:
            digits = 3 if metric == "NIST" else 2
            found = system.differences.get(metric)
            star = "*" if found is not None and found.p_value < 0.05 else ""
            change = "" if found is None else f"{found.value:+.{digits}f}{star}"
            row += [f"{system.score(metric):.{digits}f}", change]
        rows.append(tuple(row))
    runs = len(results.systems[0].runs)
    tuned = "one tuning run" if runs == 1 else f"means of {runs} tuning runs"
    output.print_table(
        f"Translations of {results.test.sentences:,} test sentences, {tuned} "
        f"({results.orientation}, {results.direction}; Δ: to the lexicalised model; *: p < 0.05)",
        ("system", *(name for metric in metrics for name in (metric, "Δ"))),
        rows,
        right=tuple(range(1, 1 + 2 * len(metrics))),
    )
