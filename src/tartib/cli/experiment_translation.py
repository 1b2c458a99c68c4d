"""``tartib experiment translation``."""
# ruff: noqa: ARG001 -- which options were given is read from the context

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tartib.cli import options, output
from tartib.cli.experiment_run import run_experiment
from tartib.wording import counted

if TYPE_CHECKING:
    from tartib.experiments.translation import TranslationResults
    from tartib.experiments.translation.results import TestSet

_TEXT = "Texts"
_WHAT = "What is compared"
_TUNING = "Tuning"
_SEARCH = "Search"
_HOW = "How it is tested"


def translation(
    context: typer.Context,
    out: options.ExperimentFolder,
    config: Annotated[
        Path | None,
        options.option(
            "--config",
            "FILE",
            "TOML file with these options, such as lm-order = 5; options on the command line "
            "override those in the file.",
        ),
    ] = None,
    train: Annotated[
        tuple[Path, Path] | None,
        options.option("--train", "FILE FILE", "Training text: source and target side.", _TEXT),
    ] = None,
    alignment: Annotated[
        Path | None,
        options.option(
            "--alignment -a",
            "FILE",
            "Its word alignment in Pharaoh format; `tartib align` makes one.",
            _TEXT,
        ),
    ] = None,
    dev: Annotated[
        Path | None,
        options.option("--dev", "FILE", "Text that weights are tuned on.", _TEXT),
    ] = None,
    dev_reference: Annotated[
        list[Path] | None,
        options.option(
            "--dev-reference", "FILE", "Its reference translation; may be repeated.", _TEXT
        ),
    ] = None,
    test: Annotated[
        list[str] | None,
        options.option(
            "--test",
            "FILE",
            "Text that systems are compared on; several with names, as NAME=FILE.",
            _TEXT,
        ),
    ] = None,
    test_reference: Annotated[
        list[str] | None,
        options.option(
            "--test-reference",
            "FILE",
            "Its reference translation, or NAME=FILE; may be repeated (--test-reference={a,b} in "
            "many shells).",
            _TEXT,
        ),
    ] = None,
    max_sentence_length: options.SentenceLength = 100,
    skip_empty: options.SkipEmpty = False,
    systems: Annotated[
        str,
        options.option(
            "--systems",
            "NAMES",
            "Systems, separated by commas: none, or lexicalised, sparse and classifiers such as "
            "svm:S6, joined by + (svm:S6+sparse), with options such as [C=0.1] after a part and "
            "@hier-mslr, @forward, @limit=8 after a system. All of the papers' by default; the "
            "baseline is always included.",
            _WHAT,
        ),
    ] = "",
    baseline: Annotated[
        str,
        options.option("--baseline", "NAME", "The system to compare all others with.", _WHAT),
    ] = "lexicalised",
    orientation: Annotated[
        str,
        options.option(
            "--orientation",
            "NAME",
            "Of the reordering models: word, phrase or hier, a hyphen, and msd, mslr, "
            "monotonicity or leftright.",
            _WHAT,
        ),
    ] = "hier-msd",
    direction: Annotated[
        str,
        options.option("--direction", "NAME", "backward, forward or bidirectional.", _WHAT),
    ] = "backward",
    learn_from: Annotated[
        str,
        options.option(
            "--learn-from",
            "NAME",
            "What models learn from: pairs (all phrase pairs) or derivations (steps of a decoder).",
            _WHAT,
        ),
    ] = "pairs",
    max_phrase_length: Annotated[
        int,
        options.option(
            "--max-phrase-length", "N", "Length of the longest phrases, in words.", _WHAT
        ),
    ] = 7,
    lm_order: Annotated[
        int,
        options.option("--lm-order", "N", "Length of the language model's n-grams.", _WHAT),
    ] = 5,
    cutoff: Annotated[
        int,
        options.option("--cutoff", "N", "Keep features that occur more often than this.", _WHAT),
    ] = 10,
    roles: options.Roles = None,
    phrase_factor: options.PhraseFactor = None,
    context_factor: options.ContextFactor = None,
    dev_share: Annotated[
        float,
        options.option(
            "--dev-share",
            "SHARE",
            "Share of the training sentences to choose hyper-parameters on.",
            _WHAT,
        ),
    ] = 0.02,
    tune: Annotated[
        bool,
        options.flag(
            "--tune/--no-tune",
            "Choose hyper-parameters of classifiers, or take the usual ones.",
            _WHAT,
        ),
    ] = True,
    tune_pairs: Annotated[
        int,
        options.option(
            "--tune-pairs",
            "N",
            "Try hyper-parameters on about N phrase pairs of the training text.",
            _WHAT,
        ),
    ] = 300_000,
    sparse_words: Annotated[
        int,
        options.option(
            "--sparse-words",
            "N",
            "Sparse features see the N most frequent words of each language.",
            _WHAT,
        ),
    ] = 200,
    sparse_features: Annotated[
        str,
        options.option(
            "--sparse-features",
            "NAMES",
            "Where they look: phrase, stack, between. Separated by commas.",
            _WHAT,
        ),
    ] = "phrase",
    tuner: Annotated[
        str,
        options.option("--tuner", "NAME", "mira, pro, or mert without sparse systems.", _TUNING),
    ] = "mira",
    runs: Annotated[
        int,
        options.option(
            "--runs",
            "N",
            "How often each system is tuned, with the seeds --seed, --seed + 1 …",
            _TUNING,
        ),
    ] = 3,
    iterations: Annotated[
        int,
        options.option("--iterations", "N", "Most iterations of tuning.", _TUNING),
    ] = 15,
    nbest_size: Annotated[
        int, options.option("--nbest-size", "N", "Length of n-best lists.", _TUNING)
    ] = 100,
    tuning_cube_pops: Annotated[
        int | None,
        options.option(
            "--tuning-cube-pops",
            "N",
            "--cube-pops while tuning, where a lower number saves most of the time.",
            _TUNING,
        ),
    ] = None,
    tuning_stack_size: Annotated[
        int | None,
        options.option("--tuning-stack-size", "N", "--stack-size while tuning.", _TUNING),
    ] = None,
    validation_share: Annotated[
        float,
        options.option(
            "--validation-share",
            "SHARE",
            "Share of the development sentences that nothing is learnt from: the weights that are "
            "best on them are taken. 0: learn from and choose on all.",
            _TUNING,
        ),
    ] = 0.0,
    mean_weights: Annotated[
        bool,
        options.flag(
            "--mean-weights",
            "Test each system also with the mean of the weights of all runs.",
            _TUNING,
        ),
    ] = False,
    budget: Annotated[
        float | None,
        options.option(
            "--budget",
            "NUMBER",
            "Do not tune a system again whose BLEU on the development set is this far below the "
            "best after the first run.",
            _TUNING,
        ),
    ] = None,
    distortion_limit: Annotated[
        int,
        options.option(
            "--distortion-limit",
            "N",
            "The longest jump between phrases, in source words; -1: any, 0: none.",
            _SEARCH,
        ),
    ] = 6,
    table_limit: Annotated[
        int,
        options.option(
            "--table-limit",
            "N",
            "How many translations of a source phrase are tried, best first; 0: all.",
            _SEARCH,
        ),
    ] = 20,
    cube_pops: Annotated[
        int,
        options.option(
            "--cube-pops",
            "N",
            "Hypotheses that cube pruning looks at for each stack; 0: look at all.",
            _SEARCH,
        ),
    ] = 1000,
    stack_size: Annotated[
        int,
        options.option("--stack-size", "N", "Hypotheses kept in each stack.", _SEARCH),
    ] = 200,
    primary: Annotated[
        str | None,
        options.option(
            "--primary",
            "NAME",
            "The system whose BLEU on the first test set is compared with the baseline's by "
            "itself; all other p-values are adjusted for their number.",
            _HOW,
        ),
    ] = None,
    samples: Annotated[
        int,
        options.option(
            "--samples",
            "N",
            "Samples of the test sentences that p-values and intervals come from.",
            _HOW,
        ),
    ] = 10_000,
    word_order: Annotated[
        bool,
        options.flag(
            "--word-order/--no-word-order",
            "Align the test text with its first reference, and score word order.",
            _HOW,
        ),
    ] = True,
    reference_alignment: Annotated[
        list[str] | None,
        options.option(
            "--reference-alignment",
            "FILE",
            "That alignment, in Pharaoh format, if you have a better one; or NAME=FILE.",
            _HOW,
        ),
    ] = None,
    oracle: Annotated[
        int,
        options.option(
            "--oracle",
            "N",
            "Choose from the baseline's N-best lists by the references, and decode with the true "
            "order, to see how much perfect order could bring; 0: do not.",
            _HOW,
        ),
    ] = 0,
    examples: Annotated[
        int, options.option("--examples", "N", "Sentences that the report draws.", _HOW)
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
    for test in results.tests:
        _print_test(results, test)


def _print_test(results: TranslationResults, test: TestSet) -> None:
    metrics = [metric for metric in ("BLEU", "BLEU-ref0", "NIST") if metric in test.metrics]
    rows = []
    for system in results.systems:
        row = [system.title]
        for metric in metrics:
            digits = 3 if metric == "NIST" else 2
            found = system.difference(metric, test.name)
            star = "*" if found is not None and found.adjusted < 0.05 else ""
            change = "" if found is None else f"{found.value:+.{digits}f}{star}"
            row += [f"{system.score(metric, test.name):.{digits}f}", change]
        rows.append(tuple(row))
    runs = max(len(system.runs) for system in results.systems)
    tuned = "one tuning run" if runs == 1 else f"means of {runs} tuning runs"
    name = f"{test.name}: " if len(results.tests) > 1 else ""
    output.print_table(
        f"{name}Translations of {counted(test.sentences, 'test sentence')}, {tuned} "
        f"({results.orientation}, {results.direction}; Δ: difference from {results.base.title}; "
        "*: p < 0.05, adjusted for the number of comparisons)",
        ("system", *(name for metric in metrics for name in (metric, "Δ"))),
        rows,
        right=tuple(range(1, 1 + 2 * len(metrics))),
    )
