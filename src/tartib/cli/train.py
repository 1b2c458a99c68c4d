"""``tartib train``."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tartib.cli import options, output

if TYPE_CHECKING:
    from tartib.evaluation import ClassificationReport
    from tartib.models.base import Classifier
    from tartib.phrases import PhrasePairs
    from tartib.reordering import ReorderingModel

_CLASSIFIER = "Classifier"
_FITTING = "Fitted on the development set"


def train(
    phrases: options.Phrases,
    out: Annotated[Path, options.option("--out -o", "FOLDER", "Folder for the model.")],
    features: options.Features = "S6",
    roles: options.Roles = None,
    phrase_factor: options.PhraseFactor = None,
    context_factor: options.ContextFactor = None,
    classifier: Annotated[
        str,
        options.option(
            "--classifier -c",
            "NAME",
            "svm, mlr (dual), primal-mlr, maxent, maxent-l1, naive-bayes or lexicalised.",
        ),
    ] = "svm",
    direction: Annotated[
        str,
        options.option(
            "--direction",
            "NAME",
            "backward (to the previous phrase), forward (to the next) or bidirectional.",
        ),
    ] = "backward",
    orientation: Annotated[
        str | None,
        options.option(
            "--orientation", "NAME", "Classes, such as word-mslr; as extracted by default."
        ),
    ] = None,
    learn_from: Annotated[
        str,
        options.option(
            "--learn-from",
            "NAME",
            "pairs (all phrase pairs) or derivations (those that a decoder could have used).",
        ),
    ] = "pairs",
    cutoff: Annotated[
        int,
        options.option("--cutoff", "N", "Keep features that occur more often than this.", min=0),
    ] = 10,
    hash_bits: Annotated[
        int | None,
        options.option("--hash-bits", "N", "Hash features into 2^bits columns.", min=1, max=31),
    ] = None,
    C: Annotated[
        float | None,
        options.option("--C", "NUMBER", "svm: penalty of errors.", _CLASSIFIER),
    ] = None,
    sigma: Annotated[
        float | None,
        options.option(
            "--sigma",
            "NUMBER",
            "mlr, maxent: standard deviation of the Gaussian prior on weights.",
            _CLASSIFIER,
        ),
    ] = None,
    tol: Annotated[
        float | None,
        options.option(
            "--tol",
            "NUMBER",
            "When training ends: svm, mlr: the relative duality gap; maxent: the least progress.",
            _CLASSIFIER,
        ),
    ] = None,
    shrinking: Annotated[
        str | None,
        options.option(
            "--shrinking",
            "NAME",
            "svm, mlr: safe (the default), paper (one-way) or none.",
            _CLASSIFIER,
        ),
    ] = None,
    epsilon: Annotated[
        float | None,
        options.option(
            "--epsilon",
            "NUMBER",
            "svm, mlr with --shrinking paper: violation at which a sample is left out.",
            _CLASSIFIER,
        ),
    ] = None,
    solver: Annotated[
        str | None,
        options.option(
            "--solver",
            "NAME",
            "mlr: coordinate or exponentiated-gradient (the paper's).",
            _CLASSIFIER,
        ),
    ] = None,
    max_iter: Annotated[
        int | None,
        options.option("--max-iter", "N", "Maximum number of epochs.", _CLASSIFIER),
    ] = None,
    intercept: Annotated[
        bool | None,
        options.flag(
            "--intercept/--no-intercept", "Whether to fit an intercept for each class.", _CLASSIFIER
        ),
    ] = None,
    class_weight: Annotated[
        str | None,
        options.option(
            "--class-weight",
            "NAME",
            "balanced (classes weigh the same in total), sqrt-balanced (half way), none (default), "
            "or weights such as swap=3,other=2.",
            _CLASSIFIER,
        ),
    ] = None,
    smoothing: Annotated[
        float | None,
        options.option("--smoothing", "NUMBER", "lexicalised: added counts.", _CLASSIFIER),
    ] = None,
    granularity: Annotated[
        str | None,
        options.option("--granularity", "NAME", "lexicalised: fe, f or e.", _CLASSIFIER),
    ] = None,
    alpha: Annotated[
        float | None,
        options.option("--alpha", "NUMBER", "naive-bayes: Dirichlet prior.", _CLASSIFIER),
    ] = None,
    select: Annotated[
        float | None,
        options.option(
            "--select",
            "NUMBER",
            "naive-bayes: share (up to 1) or number of features to keep.",
            _CLASSIFIER,
        ),
    ] = None,
    tune: Annotated[
        bool,
        options.flag(
            "--tune",
            "Choose C, sigma … among the usual values, for svm also --class-weight.",
            _FITTING,
        ),
    ] = False,
    tune_c: Annotated[
        str | None,
        options.option(
            "--tune-C",
            "NUMBERS",
            "Choose C among these: 0.01,0.03; class weights stay.",
            _FITTING,
        ),
    ] = None,
    tune_sigma: Annotated[
        str | None,
        options.option("--tune-sigma", "NUMBERS", "Choose sigma among these.", _FITTING),
    ] = None,
    calibrate: Annotated[
        str | None,
        options.option(
            "--calibrate",
            "NAME",
            "What makes probabilities match frequencies: temperature, affine (the default for svm) "
            "or none (for others).",
            _FITTING,
        ),
    ] = None,
    prior: Annotated[
        str | None,
        options.option(
            "--prior",
            "NAME",
            "Smooth with a lexicalised prior: fe, f or e (Xiang et al. 2011).",
            _FITTING,
        ),
    ] = None,
    dev_share: Annotated[
        float,
        options.option(
            "--dev-share", "SHARE", "Share of the training sentences to fit these on.", _FITTING
        ),
    ] = 0.1,
    dev: Annotated[
        Path | None,
        options.option(
            "--dev",
            "FOLDER",
            "Development set: folder of phrase pairs to fit these on instead.",
            _FITTING,
        ),
    ] = None,
    refit: Annotated[
        bool,
        options.flag(
            "--refit/--no-refit",
            "Whether the weights are then trained again with these sentences, too.",
            _FITTING,
        ),
    ] = True,
    held_out: options.HeldOut = 0.0,
    seed: options.Seed = 0,
    compact: Annotated[bool, options.flag("--compact", "Store weights in 16 bits.")] = False,
    workspace: Annotated[
        Path | None,
        options.option(
            "--workspace", "FOLDER", "Folder for the rows, if memory is too small for them."
        ),
    ] = None,
    trace_out: Annotated[
        Path | None,
        options.option("--trace-out", "FILE", "File for a line of JSON per epoch."),
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
    from tartib.reordering import Prior, ReorderingModel
    from tartib.storage import check_file, check_free, new_files

    check_free(out, overwrite)
    if trace_out is not None:
        check_file(trace_out, overwrite=overwrite)
    given = {
        "C": C,
        "sigma": sigma,
        "tol": tol,
        "shrinking": shrinking,
        "epsilon": epsilon,
        "solver": solver,
        "max_iter": max_iter,
        "fit_intercept": intercept,
        "class_weight": _class_weight(class_weight),
        "smoothing": smoothing,
        "granularity": granularity,
        "alpha": alpha,
        "select": int(select) if select is not None and select > 1 else select,
    }
    made = _classifier(classifier, given, trace_out)
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
        refit=refit,
        learn_from=learn_from,
        random_state=seed,
        workspace=workspace,
        n_jobs=jobs,
        progress=True,
    )
    store = PhrasePairs.load(phrases)
    known = None if dev is None else PhrasePairs.load(dev)
    if trace_out is not None:
        with new_files(trace_out, overwrite=overwrite) as (aside,):
            aside.touch()  # fits add to it, and here the first one begins
    facts, reports = _fit(model, store, known, held_out)
    model.save(out, compact=compact, overwrite=overwrite)
    _print(model, facts, reports, as_json)
    output.print_signature(model.signature, signature and not as_json)


def _fit(
    model: ReorderingModel, phrases: PhrasePairs, dev: PhrasePairs | None, held_out: float
) -> tuple[dict[str, Any], dict[str, ClassificationReport]]:
    """Train on what is not held out; return figures of it, and the reports of what is."""
    from tartib.models.trace import peak_megabytes

    test = None
    if held_out:
        phrases, test = phrases.split(held_out=held_out, seed=model.random_state)
    began = time.perf_counter()
    model.fit(phrases, dev)
    facts = {
        "pairs": len(phrases),
        "features": model.n_features,
        "parameters": model.n_parameters,
        "seconds": round(time.perf_counter() - began, 3),
        "peak_mb": round(peak_megabytes()),
    }
    if test is None:
        return facts, {}
    return facts, {name: model.evaluate(test, name) for name in model.directions}


def _classifier(name: str, given: dict[str, Any], trace: Path | None) -> Classifier:
    """Make a classifier with the options given; an option of another classifier is a mistake."""
    from tartib.models import TraceFile
    from tartib.reordering import make_classifier

    made = make_classifier(name)
    known = made.get_params()
    for option, value in given.items():
        if value is None:
            continue
        if option not in known:
            shown = option.removeprefix("fit_").replace("_", "-")
            raise typer.BadParameter(f"the classifier {name} has no option --{shown}")
        none = option in {"shrinking", "class_weight"} and value == "none"
        made.set_params(**{option: None if none else value})
    if "shrinking" in known:
        _check_shrinking(given["shrinking"], tol=given["tol"], epsilon=given["epsilon"])
    if trace is not None:
        if "callback" not in known:
            raise typer.BadParameter(f"the classifier {name} has no epochs to trace")
        made.set_params(callback=TraceFile(trace))
    return made


def _check_shrinking(name: str | None, *, tol: float | None, epsilon: float | None) -> None:
    """Refuse options of another stopping rule."""
    if name not in (None, "safe", "paper", "none"):
        raise typer.BadParameter(f"--shrinking is safe, paper or none, not {name}")
    if name == "paper" and tol is not None:
        raise typer.BadParameter("with --shrinking paper training ends by --epsilon, not by --tol")
    if name != "paper" and epsilon is not None:
        raise typer.BadParameter("--epsilon is for --shrinking paper; else --tol ends training")


def _class_weight(text: str | None) -> str | dict[str, float] | None:
    """Read the weights of classes."""
    from tartib.models.base import BALANCED

    if text is None or text in ("none", *BALANCED):
        return text
    pairs = [part.partition("=") for part in text.replace(",", " ").split()]
    try:
        found = {name: float(weight) for name, _, weight in pairs}
    except ValueError:
        names = ", ".join(("none", *BALANCED))
        raise typer.BadParameter(
            f"--class-weight is one of {names}, or weights such as swap=3,other=2, not {text!r}"
        ) from None
    if len(found) < len(pairs):
        raise typer.BadParameter(f"--class-weight names a class twice: {text!r}")
    return found


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
            raise typer.BadParameter(f"--tune-{option}: this classifier has no {option} to tune")
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
    model: ReorderingModel,
    facts: dict[str, Any],
    reports: dict[str, ClassificationReport],
    as_json: bool,
) -> None:
    from dataclasses import asdict

    steps = {name: [asdict(step) for step in part] for name, part in model.tuning_.items()}
    if as_json:
        epochs = {
            name: [asdict(epoch) for epoch in getattr(part.classifier.estimator, "trace_", [])]
            for name, part in model.models_.items()
        }
        held_out = {name: report.as_dict() for name, report in reports.items()}
        parts = {"trace": epochs, "tuning": steps, "held_out": held_out}
        output.print_json({**facts, **parts, "signature": model.signature})
        return
    output.print_table(
        "Reordering model",
        [name.replace("peak_mb", "peak MB") for name in facts],
        [list(facts.values())],
        right=range(len(facts)),
    )
    for name, part in steps.items():
        _print_tuning(name, part)
    for name, report in reports.items():
        output.print_plain(f"\nHeld-out sentences, {name}\n{report}")


def _print_tuning(direction: str, steps: list[dict[str, Any]]) -> None:
    output.print_table(
        f"Hyper-parameters tried, {direction}",
        ("option", "value", "class weight", "accuracy %", "log-loss", "seconds", ""),
        (
            (
                step["option"],
                f"{step['value']:g}",
                _weight_name(step["class_weight"]),
                f"{100 * step['accuracy']:.2f}",
                f"{step['log_loss']:.4f}",
                f"{step['seconds']:.2f}",
                "chosen" if step["chosen"] else "",
            )
            for step in steps
        ),
        right=(1, 3, 4, 5),
    )


def _weight_name(class_weight: str | dict[str, float] | None) -> str:
    if isinstance(class_weight, dict):
        return ",".join(f"{name}={weight:g}" for name, weight in class_weight.items())
    return class_weight or "none"
