"""``tartib experiment classification``."""
# ruff: noqa: ARG001 -- which options were given is read from the context

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tartib.cli import options, output
from tartib.cli.experiment_run import run_experiment

if TYPE_CHECKING:
    from tartib.experiments import Results

_WHAT = "What is compared"
_HOW = "How it is tested"
_FIGURES = "Tables and figures"
_FEATURE_SETS = ",".join(f"S{number}" for number in range(1, 16))


def classification(
    context: typer.Context,
    out: options.ExperimentFolder,
    config: Annotated[
        Path | None,
        options.option(
            "--config",
            "FILE",
            "TOML file with these options, such as held-out = 0.1; options on the command line "
            "override those in the file.",
        ),
    ] = None,
    alignment: Annotated[
        Path | None,
        options.option(
            "--alignment -a",
            "FILE",
            "Word alignment in Pharaoh format; `tartib align` makes one.",
            "Parallel text",
        ),
    ] = None,
    source: options.Source = None,
    target: options.Target = None,
    bitext: options.BothSides = None,
    languages: options.Languages = None,
    max_sentence_length: options.SentenceLength = 100,
    skip_empty: options.SkipEmpty = False,
    max_phrase_length: Annotated[
        int,
        options.option(
            "--max-phrase-length", "N", "Length of the longest phrases, in words.", _WHAT
        ),
    ] = 7,
    orientations: Annotated[
        str,
        options.option(
            "--orientations",
            "NAMES",
            "word, phrase or hier, a hyphen, and msd, mslr, monotonicity or leftright. "
            "Separated by commas.",
            _WHAT,
        ),
    ] = "word-msd,hier-msd",
    direction: Annotated[
        str,
        options.option(
            "--direction",
            "NAME",
            "backward (to the previous phrase) or forward (to the next one).",
            _WHAT,
        ),
    ] = "backward",
    features: Annotated[
        str,
        options.option(
            "--features -f",
            "NAMES",
            "Feature sets, S1 to S15, with -paper as the papers print them (S6-paper), with "
            "-classes of word classes too (S6-classes), separated by commas; S1 to S15 by default.",
            _WHAT,
            show_default=False,
        ),
    ] = _FEATURE_SETS,
    classifiers: Annotated[
        str,
        options.option(
            "--classifiers -c",
            "NAMES",
            "svm, mlr, primal-mlr, maxent, maxent-l1, naive-bayes; the lexicalised model is "
            "always included. Separated by commas.",
            _WHAT,
        ),
    ] = "maxent,svm",
    cutoff: Annotated[
        int,
        options.option("--cutoff", "N", "Keep features that occur more often than this.", _WHAT),
    ] = 10,
    roles: options.Roles = None,
    phrase_factor: options.PhraseFactor = None,
    context_factor: options.ContextFactor = None,
    held_out: Annotated[
        float,
        options.option("--held-out", "SHARE", "Share of the sentences to test on.", _HOW),
    ] = 0.1,
    dev_share: Annotated[
        float,
        options.option(
            "--dev-share",
            "SHARE",
            "Share of the training sentences to choose hyper-parameters on.",
            _HOW,
        ),
    ] = 0.05,
    folds: Annotated[
        int,
        options.option(
            "--folds",
            "N",
            "Cross-validation, with standard deviations; every sentence is tested once.",
            _HOW,
        ),
    ] = 1,
    tune: Annotated[
        bool,
        options.flag("--tune/--no-tune", "Choose hyper-parameters, or take the usual ones.", _HOW),
    ] = True,
    tune_pairs: Annotated[
        int,
        options.option(
            "--tune-pairs",
            "N",
            "Try hyper-parameters on about N phrase pairs of the training text.",
            _HOW,
        ),
    ] = 300_000,
    samples: Annotated[
        int,
        options.option(
            "--samples", "N", "Bootstrap samples that significance is computed from.", _HOW
        ),
    ] = 10_000,
    seed: options.Seed = 0,
    regression_features: Annotated[
        str,
        options.option(
            "--regression-features",
            "NAME",
            "Feature set of the MLR paper's Table 2 and of Figure 1.",
            _FIGURES,
        ),
    ] = "S7",
    regression_epsilons: Annotated[
        str,
        options.option(
            "--regression-epsilons",
            "NUMBERS",
            "Values of ε (one-way shrinking) in the MLR paper's Table 2, separated by commas; '' "
            "leaves the table out.",
            _FIGURES,
        ),
    ] = "1,0.1,0.01",
    primal_epochs: Annotated[
        int,
        options.option("--primal-epochs", "N", "Epochs of primal MLR there.", _FIGURES),
    ] = 100,
    scaling_features: Annotated[
        str,
        options.option("--scaling-features", "NAME", "Feature set of Figure 2.", _FIGURES),
    ] = "S6",
    scaling_classifiers: Annotated[
        str,
        options.option(
            "--scaling-classifiers",
            "NAMES",
            "Classifiers of Figure 2. Separated by commas.",
            _FIGURES,
        ),
    ] = "svm,mlr,maxent",
    scaling_shares: Annotated[
        str,
        options.option(
            "--scaling-shares",
            "SHARES",
            "Shares of the training sentences in Figure 2; '' leaves it out. Separated by commas.",
            _FIGURES,
        ),
    ] = "0.125,0.25,0.5,1",
    examples: Annotated[
        int,
        options.option("--examples", "N", "Examples of each class in the report.", _FIGURES),
    ] = 3,
    beside_paper: Annotated[
        bool,
        options.flag("--beside-paper", "Show the papers' figures beside ours.", _FIGURES),
    ] = False,
    jobs: options.Jobs = None,
    signature: options.Signature = False,
    as_json: options.Json = False,
) -> None:
    """Compare feature sets and classifiers: Tables 1 and 4 to 7, Figures 1 and 2 of the papers.

    Writes report.html, results.json, tables.md, tables.tex, figures and the best models. Every
    finished stage is kept: the same command continues what was interrupted, and other options
    compute only what is new.

    Example:

        tartib experiment classification -s train.ar -t train.en -a train.align -o results/
    """
    from tartib.experiments import ClassificationOptions, run_classification

    run_experiment(
        context,
        config,
        out,
        make=ClassificationOptions.make,
        run=run_classification,
        show=print_results,
        signature=signature,
        as_json=as_json,
    )


def print_results(results: Results) -> None:
    """Print what a reader looks for first; the report has the rest."""
    from tartib.experiments.classification.summary import most_frequent

    for found in results.orientations:
        rows = [("", "lexicalised", found.lexicalised)]
        rows += [(cell.features, cell.classifier, cell) for cell in found.cells]
        name, share = most_frequent(found)
        lowest = f"{share:.2f} % of the test pairs are {name}; log-loss after calibration"
        output.print_table(
            f"{found.name}, {found.direction} ({lowest})",
            (
                "features",
                "classifier",
                "accuracy %",
                "macro F1 %",
                "calibrated log-loss",
                "seconds",
                "MB",
            ),
            (
                (
                    features,
                    name,
                    f"{100 * cell.mean(lambda run: run.scores.accuracy):.2f}",
                    f"{100 * cell.mean(lambda run: run.scores.macro_f1):.1f}",
                    f"{cell.mean(lambda run: run.scores.calibrated_log_loss):.4f}",
                    f"{cell.mean(lambda run: run.seconds):.2f}",
                    f"{cell.mean(lambda run: run.peak_mb):,.0f}",
                )
                for features, name, cell in rows
            ),
            right=(2, 3, 4, 5, 6),
        )
