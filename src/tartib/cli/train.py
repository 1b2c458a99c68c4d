"""``tartib train``."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tartib.cli import options, output

if TYPE_CHECKING:
    from tartib.models.base import Classifier
    from tartib.reordering import ReorderingModel

_CLASSIFIER = "Classifier"
_FITTING = "What is fitted on a development part"


def train(
    phrases: Annotated[Path, typer.Argument(help="Folder that `tartib extract --out` made.")],
    out: Annotated[
        Path, typer.Option("--out", "-o", metavar="FOLDER", help="Folder for the model.")
    ],
    features: options.Features = "S6",
    roles: options.Roles = None,
    phrase_factor: options.PhraseFactor = None,
    context_factor: options.ContextFactor = None,
    classifier: Annotated[
        str,
        typer.Option(
            "--classifier",
            "-c",
            metavar="NAME",
            help="svm, mlr (dual), primal-mlr, maxent, maxent-l1, naive-bayes or lexicalised.",
        ),
    ] = "svm",
    direction: Annotated[
        str,
        typer.Option(
            "--direction",
            metavar="NAME",
            help="backward (to the previous phrase), forward (to the next) or bidirectional.",
        ),
    ] = "backward",
    orientation: Annotated[
        str | None,
        typer.Option(
            "--orientation",
            metavar="NAME",
            help="Classes, such as word-mslr; as extracted by default.",
        ),
    ] = None,
    cutoff: Annotated[
        int,
        typer.Option(
            "--cutoff", metavar="N", min=0, help="Keep features that occur more often than this."
        ),
    ] = 10,
    hash_bits: Annotated[
        int | None,
        typer.Option(
            "--hash-bits", metavar="N", min=1, max=31, help="Hash features into 2^bits columns."
        ),
    ] = None,
    C: Annotated[
        float | None,
        typer.Option(
            "--C", metavar="NUMBER", help="svm: penalty of errors.", rich_help_panel=_CLASSIFIER
        ),
    ] = None,
    sigma: Annotated[
        float | None,
        typer.Option(
            "--sigma",
            metavar="NUMBER",
            help="mlr, maxent: deviation of the prior.",
            rich_help_panel=_CLASSIFIER,
        ),
    ] = None,
    tol: Annotated[
        float | None,
        typer.Option(
            "--tol",
            metavar="NUMBER",
            help="When training ends: svm, mlr: the largest violation; maxent: the least progress.",
            rich_help_panel=_CLASSIFIER,
        ),
    ] = None,
    shrinking: Annotated[
        str | None,
        typer.Option(
            "--shrinking",
            metavar="NAME",
            help="svm, mlr: safe (the default), paper (one-way) or none.",
            rich_help_panel=_CLASSIFIER,
        ),
    ] = None,
    solver: Annotated[
        str | None,
        typer.Option(
            "--solver",
            metavar="NAME",
            help="mlr: coordinate or exponentiated-gradient (the paper's).",
            rich_help_panel=_CLASSIFIER,
        ),
    ] = None,
    max_iter: Annotated[
        int | None,
        typer.Option("--max-iter", metavar="N", help="Most epochs.", rich_help_panel=_CLASSIFIER),
    ] = None,
    intercept: Annotated[
        bool | None,
        typer.Option(
            "--intercept/--no-intercept",
            help="Whether each class has a constant.",
            rich_help_panel=_CLASSIFIER,
        ),
    ] = None,
    smoothing: Annotated[
        float | None,
        typer.Option(
            "--smoothing",
            metavar="NUMBER",
            help="lexicalised: added counts.",
            rich_help_panel=_CLASSIFIER,
        ),
    ] = None,
    granularity: Annotated[
        str | None,
        typer.Option(
            "--granularity",
            metavar="NAME",
            help="lexicalised: fe, f or e.",
            rich_help_panel=_CLASSIFIER,
        ),
    ] = None,
    alpha: Annotated[
        float | None,
        typer.Option(
            "--alpha",
            metavar="NUMBER",
            help="naive-bayes: Dirichlet prior.",
            rich_help_panel=_CLASSIFIER,
        ),
    ] = None,
    select: Annotated[
        float | None,
        typer.Option(
            "--select",
            metavar="NUMBER",
            help="naive-bayes: share (up to 1) or number of features to keep.",
            rich_help_panel=_CLASSIFIER,
        ),
    ] = None,
    tune: Annotated[
        bool,
        typer.Option(
            "--tune", help="Choose C, sigma … among the usual values.", rich_help_panel=_FITTING
        ),
    ] = False,
    tune_c: Annotated[
        str | None,
        typer.Option(
            "--tune-C",
            metavar="NUMBERS",
            help="Choose C among these: 0.01,0.03,0.1",
            rich_help_panel=_FITTING,
        ),
    ] = None,
    tune_sigma: Annotated[
        str | None,
        typer.Option(
            "--tune-sigma",
            metavar="NUMBERS",
            help="Choose sigma among these.",
            rich_help_panel=_FITTING,
        ),
    ] = None,
    calibrate: Annotated[
        bool,
        typer.Option(
            "--calibrate",
            help="Fit a temperature, so that probabilities are frequencies.",
            rich_help_panel=_FITTING,
        ),
    ] = False,
    prior: Annotated[
        str | None,
        typer.Option(
            "--prior",
            metavar="NAME",
            help="Smooth with a lexicalised prior: fe, f or e (Xiang et al. 2011).",
            rich_help_panel=_FITTING,
        ),
    ] = None,
    dev_share: Annotated[
        float,
        typer.Option(
            "--dev-share",
            metavar="SHARE",
            help="Share of the training sentences to fit these on.",
            rich_help_panel=_FITTING,
        ),
    ] = 0.1,
    dev: Annotated[
        Path | None,
        typer.Option(
            "--dev",
            metavar="FOLDER",
            help="Development set: folder of phrase pairs to fit these on instead.",
            rich_help_panel=_FITTING,
        ),
    ] = None,
    held_out: options.HeldOut = 0.0,
    seed: options.Seed = 0,
    compact: Annotated[bool, typer.Option("--compact", help="Store weights in 16 bits.")] = False,
    workspace: Annotated[
        Path | None,
        typer.Option(
            "--workspace",
            metavar="FOLDER",
            help="Folder for the rows, if memory is too small for them.",
        ),
    ] = None,
    trace_out: Annotated[
        Path | None,
        typer.Option("--trace-out", metavar="FILE", help="File for one line of JSON an epoch."),
    ] = None,
    overwrite: options.Overwrite = False,
    jobs: options.Jobs = None,
    signature: options.Signature = False,
    as_json: options.Json = False,
) -> None:
    """Train a reordering model on phrase pairs.

    Example:

        tartib train phrases/ --features S6 --classifier svm --held-out 0.1 --out model/
    """
    from tartib.features import FeatureSet
    from tartib.phrases import PhrasePairs
    from tartib.reordering import Prior, ReorderingModel, make_classifier
    from tartib.storage import check_free, check_writable

    check_free(out, overwrite)
    check_writable(out)
    made = make_classifier(classifier)
    given = {
        "C": C,
        "sigma": sigma,
        "tol": tol,
        "shrinking": shrinking,
        "solver": solver,
        "max_iter": max_iter,
        "fit_intercept": intercept,
        "smoothing": smoothing,
        "granularity": granularity,
        "alpha": alpha,
        "select": int(select) if select is not None and select > 1 else select,
    }
    _set_options(made, classifier, given, trace_out)
    store = PhrasePairs.load(phrases)
    if trace_out is not None:
        trace_out.write_text("")  # fits add to it, and here the first one begins
    test = None
    if held_out:
        store, test = store.split(held_out=held_out, seed=seed)
    began = time.perf_counter()
    model = ReorderingModel(
        FeatureSet(
            features, roles=roles, phrase_factor=phrase_factor, context_factor=context_factor
        ),
        made,
        direction,
        orientation=orientation,
        cutoff=cutoff,
        hash_bits=hash_bits,
        tune=_path(made, given, tune, {"C": tune_c, "sigma": tune_sigma}),
        calibrate=calibrate,
        prior=None if prior is None else Prior(prior),
        dev_share=dev_share,
        random_state=seed,
        workspace=workspace,
        n_jobs=jobs,
        progress=True,
    )
    model.fit(store, None if dev is None else PhrasePairs.load(dev))
    seconds = time.perf_counter() - began
    model.save(out, compact=compact, overwrite=overwrite)
    reports = {}
    if test is not None:
        reports = {name: model.evaluate(test, name) for name in model.directions}
    _print(model, len(store), seconds, reports, as_json)
    output.print_signature(model.signature, signature and not as_json)


def _set_options(made: Classifier, name: str, given: dict[str, Any], trace: Path | None) -> None:
    """Set what was asked for; an option of another classifier is a mistake."""
    from tartib.models import TraceFile

    known = made.get_params()
    for option, value in given.items():
        if value is None:
            continue
        if option not in known:
            raise typer.BadParameter(f"the classifier {name} has no option {option}")
        none = option == "shrinking" and value == "none"
        made.set_params(**{option: None if none else value})
    if trace is not None:
        if "callback" not in known:
            raise typer.BadParameter(f"the classifier {name} has no epochs to trace")
        made.set_params(callback=TraceFile(trace))


def _path(
    made: Classifier, given: dict[str, Any], tune: bool, paths: dict[str, str | None]
) -> tuple[float, ...] | None:
    """Return the values to try: none for the usual ones, None for no tuning."""
    from tartib.reordering.classifiers import kind_of

    asked = {option: text for option, text in paths.items() if text is not None}
    if not (tune or asked):
        return None
    parameter = kind_of(made).parameter
    if given.get(parameter) is not None or len(asked) > 1:
        raise typer.BadParameter("an option is either given or tuned, and one is tuned at a time")
    for option, text in asked.items():
        if option != parameter:
            raise typer.BadParameter(f"{type(made).__name__} has no option {option} to tune")
        return _numbers(f"--tune-{option}", text)
    return ()


def _numbers(option: str, text: str) -> tuple[float, ...]:
    try:
        values = tuple(sorted(float(value) for value in text.replace(",", " ").split()))
    except ValueError:
        values = ()
    if not values:
        raise typer.BadParameter(f"{option} takes numbers such as 0.01,0.1, not {text!r}")
    return values


def _print(
    model: ReorderingModel, pairs: int, seconds: float, reports: dict[str, Any], as_json: bool
) -> None:
    from dataclasses import asdict

    from tartib.models.trace import peak_megabytes

    facts = {
        "pairs": pairs,
        "features": model.n_features,
        "parameters": model.n_parameters,
        "seconds": round(seconds, 3),
        "peak_mb": round(peak_megabytes()),
    }
    epochs = {
        name: [asdict(epoch) for epoch in getattr(part.estimator, "trace_", [])]
        for name, part in model.models_.items()
    }
    steps = {name: [asdict(step) for step in part] for name, part in model.tuning_.items()}
    if as_json:
        held_out = {name: report.as_dict() for name, report in reports.items()}
        output.print_json(
            {
                **facts,
                "trace": epochs,
                "tuning": steps,
                "held_out": held_out,
                "signature": model.signature,
            }
        )
        return
    output.print_table("Reordering model", list(facts), [list(facts.values())])
    for name, part in steps.items():
        output.print_table(
            f"Tuning, {name}",
            ("option", "value", "accuracy %", "log-loss", "seconds", ""),
            (
                (
                    step["option"],
                    f"{step['value']:g}",
                    f"{100 * step['accuracy']:.2f}",
                    f"{step['log_loss']:.4f}",
                    f"{step['seconds']:.2f}",
                    "chosen" if step["chosen"] else "",
                )
                for step in part
            ),
            right=(1, 2, 3, 4),
        )
    for name, report in reports.items():
        typer.echo(f"\nHeld-out sentences, {name}\n{report}")
