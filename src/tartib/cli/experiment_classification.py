"""``tartib experiment classification``."""
# ruff: noqa: ARG001 -- which options were given is read from the context

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tartib.cli import options, output
from tartib.cli.experiment_run import run_experiment

if TYPE_CHECKING:
    from tartib.experiments import Results

_WHAT = "What is compared"
_HOW = "How it is tested"
_FIGURES = "Tables and figures"
_FEATURE_SETS = ",".join(f"S{number}" for number in range(1, 16))


def _list(*flags: str, metavar: str, text: str, panel: str) -> Any:  # noqa: ANN401 -- as typer.Option
    text = f"{text} Separated by commas."
    return typer.Option(*flags, metavar=metavar, help=text, rich_help_panel=panel)


def classification(
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
            help="TOML file with these options, such as held-out = 0.1; options on the command "
            "line override those in the file.",
        ),
    ] = None,
    alignment: Annotated[
        Path | None,
        typer.Option(
            "--alignment",
            "-a",
            metavar="FILE",
            help="Word alignment in Pharaoh format; `tartib align` makes one.",
            rich_help_panel="Parallel text",
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
        typer.Option(
            "--max-phrase-length",
            metavar="N",
            help="Length of the longest phrases, in words.",
            rich_help_panel=_WHAT,
        ),
    ] = 7,
    orientations: Annotated[
        str,
        _list(
            "--orientations",
            metavar="NAMES",
            text="word, phrase or hier, a hyphen, and msd, mslr, monotonicity or leftright.",
            panel=_WHAT,
        ),
    ] = "word-msd,hier-msd",
    direction: Annotated[
        str,
        typer.Option(
            "--direction",
            metavar="NAME",
            help="backward (to the previous phrase) or forward (to the next one).",
            rich_help_panel=_WHAT,
        ),
    ] = "backward",
    features: Annotated[
        str,
        typer.Option(
            "--features",
            "-f",
            metavar="NAMES",
            help="Feature sets, S1 to S15, separated by commas; all of them by default.",
            show_default=False,
            rich_help_panel=_WHAT,
        ),
    ] = _FEATURE_SETS,
    classifiers: Annotated[
        str,
        _list(
            "--classifiers",
            "-c",
            metavar="NAMES",
            text="svm, mlr, primal-mlr, maxent, maxent-l1, naive-bayes; the lexicalised model is "
            "always there.",
            panel=_WHAT,
        ),
    ] = "maxent,svm",
    cutoff: Annotated[
        int,
        typer.Option(
            "--cutoff",
            metavar="N",
            help="Keep features that occur more often than this.",
            rich_help_panel=_WHAT,
        ),
    ] = 10,
    roles: options.Roles = None,
    phrase_factor: options.PhraseFactor = None,
    context_factor: options.ContextFactor = None,
    held_out: Annotated[
        float,
        typer.Option(
            "--held-out",
            metavar="SHARE",
            help="Share of the sentences to test on.",
            rich_help_panel=_HOW,
        ),
    ] = 0.1,
    dev_share: Annotated[
        float,
        typer.Option(
            "--dev-share",
            metavar="SHARE",
            help="Share of the training sentences to choose hyper-parameters on.",
            rich_help_panel=_HOW,
        ),
    ] = 0.05,
    folds: Annotated[
        int,
        typer.Option(
            "--folds",
            metavar="N",
            help="Cross-validation, with standard deviations; every sentence is tested once.",
            rich_help_panel=_HOW,
        ),
    ] = 1,
    tune: Annotated[
        bool,
        typer.Option(
            "--tune/--no-tune",
            help="Choose hyper-parameters, or take the usual ones.",
            rich_help_panel=_HOW,
        ),
    ] = True,
    tune_pairs: Annotated[
        int,
        typer.Option(
            "--tune-pairs",
            metavar="N",
            help="Try hyper-parameters on about N phrase pairs of the training text.",
            rich_help_panel=_HOW,
        ),
    ] = 300_000,
    samples: Annotated[
        int,
        typer.Option(
            "--samples",
            metavar="N",
            help="Bootstrap samples that significance is computed from.",
            rich_help_panel=_HOW,
        ),
    ] = 10_000,
    seed: options.Seed = 0,
    regression_features: Annotated[
        str,
        typer.Option(
            "--regression-features",
            metavar="NAME",
            help="Feature set of the MLR paper's Table 2 and of Figure 1.",
            rich_help_panel=_FIGURES,
        ),
    ] = "S7",
    regression_tols: Annotated[
        str,
        _list(
            "--regression-tols",
            metavar="NUMBERS",
            text="Stopping tolerances (ε) of the MLR paper's Table 2; '' leaves it out.",
            panel=_FIGURES,
        ),
    ] = "1,0.1,0.01",
    primal_epochs: Annotated[
        int,
        typer.Option(
            "--primal-epochs",
            metavar="N",
            help="Epochs of primal MLR there.",
            rich_help_panel=_FIGURES,
        ),
    ] = 100,
    scaling_features: Annotated[
        str,
        typer.Option(
            "--scaling-features",
            metavar="NAME",
            help="Feature set of Figure 2.",
            rich_help_panel=_FIGURES,
        ),
    ] = "S6",
    scaling_classifiers: Annotated[
        str,
        _list(
            "--scaling-classifiers",
            metavar="NAMES",
            text="Classifiers of Figure 2.",
            panel=_FIGURES,
        ),
    ] = "svm,mlr,maxent",
    scaling_shares: Annotated[
        str,
        _list(
            "--scaling-shares",
            metavar="SHARES",
            text="Shares of the training sentences in Figure 2; '' leaves it out.",
            panel=_FIGURES,
        ),
    ] = "0.125,0.25,0.5,1",
    examples: Annotated[
        int,
        typer.Option(
            "--examples",
            metavar="N",
            help="Examples of each class in the report.",
            rich_help_panel=_FIGURES,
        ),
    ] = 3,
    beside_paper: Annotated[
        bool,
        typer.Option(
            "--beside-paper",
            help="Show the papers' figures beside ours.",
            rich_help_panel=_FIGURES,
        ),
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
    from tartib.experiments.classification.summary import majority

    for found in results.orientations:
        rows = [("", "lexicalised", found.lexicalised)]
        rows += [(cell.features, cell.classifier, cell) for cell in found.cells]
        name, share = majority(found)
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
