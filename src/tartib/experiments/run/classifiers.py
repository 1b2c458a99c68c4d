"""The cells of the papers' tables: a classifier tuned, trained and tested, each in its process."""

from __future__ import annotations

import time
import warnings
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from tartib.dataset import Dataset
from tartib.experiments.run.corpus import Division, Rows, Target
from tartib.experiments.run.stages import OWN, Stage, Workspace
from tartib.features import FeatureEncoder
from tartib.models.base import Classifier
from tartib.models.trace import peak_megabytes
from tartib.phrases import PhrasePairs
from tartib.reordering import (
    KINDS,
    LEVELS,
    DirectionModel,
    Examples,
    Inputs,
    LexicalisedModel,
    ReorderingModel,
    describe,
    make_classifier,
    read_inputs,
    train_direction,
)

# These minimise the same objective, so what is best for the fastest of them is best for all.
TUNED_AS = {"maxent": "mlr", "primal-mlr": "mlr"}
_REPEATS = 3
_TRIED = ("value", "accuracy", "log_loss", "chosen")

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Tuning(Stage):
    """The value of a classifier's hyper-parameter that is best on the development part."""

    rows: Rows
    target: Target
    name: str


@dataclass(frozen=True)
class Fit(Stage):
    """A classifier, trained and tested.

    Attributes
    ----------
    rows, target
        What it learns.
    name
        Of the classifier, in `KINDS`.
    tuning
        Where its hyper-parameter is chosen; None for the usual value.
    overrides
        Other options of the classifier.
    jobs
        Threads: of no consequence but for the time.
    """

    rows: Rows
    target: Target
    name: str
    tuning: Tuning | None
    overrides: tuple[tuple[str, Any], ...]
    jobs: int = field(metadata=OWN)


@dataclass(frozen=True)
class Lexicalised(Stage):
    """The lexicalised model, tuned, trained and tested."""

    division: Division
    target: Target
    tune: bool
    jobs: int = field(metadata=OWN)


def model_name(spec: Fit | Lexicalised) -> str:
    """Return the name of a model in the workspace."""
    return f"model-{spec.key}"


def tune(folder: Path, spec: Tuning, jobs: int) -> None:
    """Try the values of a hyper-parameter; keep what each gave."""
    workspace = Workspace(folder)
    train, development = (
        _examples(spec.rows.load(workspace, name, spec.target))
        for name in ("tuning", "development")
    )
    classifier = _make(spec.name, spec.rows.division.seed, jobs)
    workspace.write(spec.key, _tuned(classifier, train, development))


def fit(folder: Path, spec: Fit) -> None:
    """Train a classifier at the value chosen, test it, and keep the model in its compact form."""
    workspace = Workspace(folder)
    tuned = {"tuning": [], "tuning_seconds": 0.0}
    if spec.tuning is not None:
        tuned = workspace.require(spec.tuning.key)
    found, predicted = _train(workspace, spec)
    chosen = {name: tuned[name] for name in ("tuning", "tuning_seconds")}
    workspace.write(spec.key, {**chosen, **found}, {"predicted": predicted})


def fit_again(folder: Path, spec: Fit) -> None:
    """Make a model again that was deleted; what was found about it stays as it is."""
    _train(Workspace(folder), spec)


def _train(workspace: Workspace, spec: Fit) -> tuple[dict[str, Any], NDArray[np.uint8]]:
    start = peak_megabytes()
    train = spec.rows.load(workspace, "train", spec.target)
    classifier = _make(spec.name, spec.rows.division.seed, spec.jobs)
    parameter = KINDS[spec.name].parameter
    if spec.tuning is not None:
        classifier.set_params(**{parameter: workspace.require(spec.tuning.key)["value"]})
    classifier.set_params(**dict(spec.overrides))
    model, seconds, peak = _train_timed(classifier, _examples(train))
    trained = {
        "seconds": seconds,
        "peak_mb": peak,
        "start_mb": start,
        "rows_mb": (train.indices.nbytes + train.indptr.nbytes + train.y.nbytes) / (1 << 20),
        "pairs": len(train),
        "n_features": train.n_features,
        "trace": _trace(model.estimator),
        "value": classifier.get_params()[parameter],
        "options": describe(classifier),
    }
    development, test = (
        _examples(spec.rows.load(workspace, name, spec.target)) for name in ("development", "test")
    )
    scores, predicted = _test(model, development, test)
    trained_on = spec.rows.trained_on(workspace, spec.target)
    sizes = _save(model, spec.rows.encoder(workspace), trained_on, workspace, spec)
    return {**trained, **sizes, "scores": scores}, predicted


def fit_lexicalised(folder: Path, spec: Lexicalised) -> None:
    """Tune, count and test the lexicalised model, and tell how it knows the test pairs."""
    workspace = Workspace(folder)
    start = peak_megabytes()
    parts, target = spec.division.load(workspace), spec.target
    development, test = (
        _keyed_examples(part, target, spec.jobs) for part in (parts.development, parts.test)
    )
    tuned: dict[str, Any] = {"tuning": [], "tuning_seconds": 0.0}
    classifier = LexicalisedModel()
    if spec.tune:
        tuned = _tuned(classifier, _keyed_examples(parts.tuning, target, spec.jobs), development)
        classifier = LexicalisedModel(smoothing=tuned["value"])
    began = time.perf_counter()
    train = _keyed_examples(parts.train, target, spec.jobs)
    model = train_direction(classifier, train)
    trained = {
        "seconds": time.perf_counter() - began,
        "peak_mb": peak_megabytes(),
        "start_mb": start,
        "rows_mb": sum(keys.nbytes for keys in train.keys.values()) / (1 << 20),
        "pairs": len(parts.train),
        "n_features": sum(len(keys) for keys in model.estimator.keys_),
        "trace": [],
        "value": classifier.smoothing,
        "options": describe(classifier),
    }
    scores, predicted = _test(model, development, test)
    trained_on = parts.train.reading_as(target.model).signature
    sizes = _save(model, None, trained_on, workspace, spec)
    coverage = _coverage(model, test, predicted)
    found = {**tuned, **trained, **sizes, "scores": scores, "coverage": coverage}
    if workspace.read(spec.key) is None:  # a model made again changes nothing
        workspace.write(spec.key, found, {"predicted": predicted})


def _examples(rows: Dataset) -> Examples:
    """Return pairs as linear models see them."""
    return Inputs(rows, {}).labelled(rows.y, rows.classes)


def _keyed_examples(phrases: PhrasePairs, target: Target, jobs: int) -> Examples:
    """Return pairs as the lexicalised model sees them."""
    inputs = read_inputs(phrases, None, LEVELS["fe"], n_jobs=jobs)
    return inputs.labelled(target.labels(phrases), target.model.labels)


def _make(kind: str, seed: int, jobs: int) -> Classifier:
    return make_classifier(kind, n_jobs=jobs, random_state=seed)


def _tuned(classifier: Classifier, train: Examples, development: Examples) -> dict[str, Any]:
    """Try values of a hyper-parameter."""
    began = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        steps = train_direction(classifier, train, development, tune=()).tuning
    return {
        "value": next(step.value for step in steps if step.chosen),
        "tuning": [{name: getattr(step, name) for name in _TRIED} for step in steps],
        "tuning_seconds": time.perf_counter() - began,
    }


def _train_timed(classifier: Classifier, train: Examples) -> tuple[DirectionModel, float, float]:
    """Train; return also seconds (the fewest of three times, if short) and peak of the first."""
    seconds: list[float] = []
    peak = 0.0
    while not seconds or (len(seconds) < _REPEATS and sum(seconds) < 1):
        began = time.perf_counter()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # the trace tells how far it came
            model = train_direction(classifier, train)
        seconds.append(time.perf_counter() - began)
        peak = peak or peak_megabytes()  # a second training has the first one's weights beside it
    return model, min(seconds), peak


def _trace(classifier: Classifier) -> list[dict[str, Any]]:
    """Return the epochs of a fit, each with the share of the samples that the next one visits."""
    epochs = [entry for entry in getattr(classifier, "trace_", []) if entry.epoch > 0]
    left = [entry.active for entry in epochs[1:]]
    if epochs:
        left.append(epochs[-1].active if epochs[-1].updated is None else epochs[-1].updated)
    return [
        {"epoch": e.epoch, "objective": e.objective, "active": active, "seconds": e.seconds}
        for e, active in zip(epochs, left, strict=True)
    ]


def _test(
    model: DirectionModel, development: Examples, test: Examples
) -> tuple[dict[str, Any], NDArray[np.uint8]]:
    """Return the figures on the test part, and what is predicted; fit a temperature on the way."""
    plain = model.evaluate([test], test.y, test.classes)
    model.calibrate(development)
    calibrated = model.evaluate([test], test.y, test.classes)
    found = {
        "accuracy": plain.accuracy,
        "macro_f1": plain.macro_f1,
        "log_loss": plain.log_loss,
        "calibrated_log_loss": calibrated.log_loss,
        "temperature": model.calibration.temperature,
        "precision": plain.precision.tolist(),
        "recall": plain.recall.tolist(),
        "f1": plain.f1.tolist(),
        "confusion": plain.confusion.tolist(),
    }
    return found, model.scores(test).argmax(axis=1).astype(np.uint8)


def _save(
    trained: DirectionModel,
    encoder: FeatureEncoder | None,
    trained_on: str,
    workspace: Workspace,
    spec: Fit | Lexicalised,
) -> dict[str, int]:
    """Measure a model on disk, and leave its compact form in the workspace."""
    model = ReorderingModel.from_directions(
        {spec.target.direction: trained},
        encoder=encoder,
        orientation=spec.target.model,
        trained_on=trained_on,
    )
    folder = workspace.work / model_name(spec)
    sizes = []
    for compact in (False, True):
        model.save(folder, compact=compact, overwrite=True)
        sizes.append(sum(file.stat().st_size for file in folder.rglob("*") if file.is_file()))
    return {"n_parameters": model.n_parameters, "bytes": sizes[0], "compact_bytes": sizes[1]}


def _coverage(
    model: DirectionModel, test: Examples, predicted: NDArray[np.uint8]
) -> list[dict[str, Any]]:
    """Tell which level knows the test pairs, and how often it is right."""
    right = predicted == test.y
    left = np.ones(len(right), np.bool_)
    found = []
    levels = test.levels("fe")
    for name, keys, level in zip(("pair", "source"), model.estimator.keys_, levels, strict=True):
        here = left & np.isin(level, keys)
        found.append((name, here))
        left &= ~here
    found.append(("none", left))
    return [
        {"known": name, "pairs": int(here.sum()), "right": int(right[here].sum())}
        for name, here in found
    ]
