"""Stages that tune, train and test one direction of a reordering model."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from tartib import storage
from tartib.experiments.run.corpus import Division, Rows, Target
from tartib.experiments.run.stages import OWN, Stage
from tartib.experiments.run.workspace import Workspace
from tartib.features import FeatureEncoder
from tartib.models.base import Classifier
from tartib.models.trace import peak_megabytes
from tartib.phrases import PhrasePairs
from tartib.reordering import (
    KINDS,
    LEVELS,
    DirectionModel,
    Examples,
    ReorderingModel,
    describe,
    make_classifier,
    read_inputs,
    train_direction,
    usual_calibration,
)

# These minimise the same objective, so what is best for the fastest of them is best for all.
TUNED_AS = {"maxent": "mlr", "primal-mlr": "mlr"}
_REPEATS = 3
_TRIED = ("value", "accuracy", "log_loss", "chosen")

Options = tuple[tuple[str, Any], ...]


def shown(options: Options) -> str:
    """Return options as titles have them; nothing if there are none."""
    return "".join(f", {name} = {value}" for name, value in options)


_NOT_TUNED: dict[str, Any] = {"tuning": [], "tuning_seconds": 0.0}


@dataclass(frozen=True)
class Tuning(Stage):
    """The value of a classifier's hyper-parameter that is best on the development part."""

    rows: Rows
    target: Target
    classifier: str
    options: Options = ()

    @property
    def title(self) -> str:
        """What it does."""
        return (
            f"{self.rows.name}: {self.classifier}, {self.target.name}{shown(self.options)}, tuning"
        )

    def run(self, workspace: Workspace, n_jobs: int) -> None:
        """Try values of the hyper-parameter, and keep what each gave."""
        train, development = (
            self.rows.examples(workspace, part, self.target) for part in ("tuning", "development")
        )
        seed = self.rows.division.seed
        classifier = make_classifier(self.classifier, n_jobs=n_jobs, random_state=seed)
        classifier.set_params(**dict(self.options))
        workspace.write(self.key, _tune(classifier, train, development))


class _Trained(Stage):
    """A reordering model in one direction, trained and tested; it leaves its compact form."""

    leaves_folder: ClassVar[bool] = True
    target: Target

    def load(self, workspace: Workspace) -> ReorderingModel:
        """Load the compact form."""
        return ReorderingModel.load(self.folder(workspace))

    def _save(
        self,
        workspace: Workspace,
        trained: DirectionModel,
        encoder: FeatureEncoder | None,
        trained_on: str,
    ) -> dict[str, int]:
        """Measure the model on disk, and leave its compact form in the workspace."""
        model = ReorderingModel.from_directions(
            {self.target.direction: trained},
            encoder=encoder,
            orientation=self.target.model,
            trained_on=trained_on,
        )
        folder = self.folder(workspace)
        with storage.scratch_folder(folder) as aside:
            model.save(aside / "model")
            size = _bytes(aside)
        model.save(folder, compact=True, overwrite=True)
        compact = _bytes(folder)
        return {"n_parameters": model.n_parameters, "bytes": size, "compact_bytes": compact}


@dataclass(frozen=True)
class Fit(_Trained):
    """A classifier, trained and tested.

    Attributes
    ----------
    rows, target
        What it learns from, and what.
    classifier
        Its name in `KINDS`.
    tuning
        The stage that chooses its hyper-parameter; None for the usual value.
    overrides
        Other options of the classifier.
    calibrate
        How its scores become probabilities; None for what is usual for the classifier.
    jobs
        Threads: only times depend on them.
    """

    rows: Rows
    target: Target
    classifier: str
    tuning: Tuning | None
    overrides: Options
    calibrate: str | None
    jobs: int = field(metadata=OWN)

    @property
    def title(self) -> str:
        """What it does."""
        own = self.overrides + ((("calibrate", self.calibrate),) if self.calibrate else ())
        return f"{self.rows.name}: {self.classifier}, {self.target.name}{shown(own)}"

    @property
    def features(self) -> str:
        """Its feature set."""
        return self.rows.features

    @property
    def division(self) -> Division:
        """What it is trained and tested on."""
        return self.rows.division

    def run(self, workspace: Workspace, n_jobs: int) -> None:
        """Train the classifier with the value chosen, and test it."""
        start = peak_megabytes()
        rows = self.rows.load(workspace, "train", self.target)
        seed = self.division.seed
        classifier = make_classifier(self.classifier, n_jobs=n_jobs, random_state=seed)
        parameter = KINDS[self.classifier].parameter
        tuned = _NOT_TUNED
        if self.tuning is not None:
            found = workspace.require(self.tuning.key)
            tuned = {name: found[name] for name in _NOT_TUNED}
            classifier.set_params(**{parameter: found["value"]})
            if "class_weight" in classifier.get_params():
                classifier.set_params(class_weight=found["class_weight"])
        classifier.set_params(**dict(self.overrides))
        train = self.rows.examples(workspace, "train", self.target)
        model, seconds, peak = _train_timed(lambda: train_direction(classifier, train))
        trained = {
            "seconds": seconds,
            "peak_mb": peak,
            "start_mb": start,
            "rows_mb": (rows.indices.nbytes + rows.indptr.nbytes + rows.y.nbytes) / (1 << 20),
            "pairs": len(rows),
            "n_features": rows.n_features,
            "trace": _trace(model.classifier.estimator),
            "value": classifier.get_params()[parameter],
            "options": describe(classifier),
        }
        development, test = (
            self.rows.examples(workspace, part, self.target) for part in ("development", "test")
        )
        scores, predicted = _test(model, development, test, self.calibrate)
        trained_on = self.rows.trained_on(workspace, self.target)
        sizes = self._save(workspace, model, self.rows.encoder(workspace), trained_on)
        found = {**tuned, **trained, **sizes, "scores": scores}
        workspace.write(self.key, found, {"predicted": predicted})


@dataclass(frozen=True)
class Lexicalised(_Trained):
    """The lexicalised model, tuned, trained and tested; it needs no rows."""

    division: Division
    target: Target
    tune: bool
    smoothing: float | None  # instead of tuning it
    jobs: int = field(metadata=OWN)

    classifier: ClassVar[str] = "lexicalised"
    features: ClassVar[str] = ""

    @property
    def title(self) -> str:
        """What it does."""
        own = () if self.smoothing is None else (("smoothing", self.smoothing),)
        return f"lexicalised model, {self.target.name}{shown(own)}{self.division.learnt}"

    def run(self, workspace: Workspace, n_jobs: int) -> None:
        """Tune, count and test the model, and tell how it knows the test pairs."""
        start = peak_megabytes()
        parts = self.division.load(workspace, n_jobs)
        development, test = (self._examples(p, n_jobs) for p in (parts.development, parts.test))
        tuned = _NOT_TUNED
        classifier = make_classifier(self.classifier)
        if self.smoothing is not None:
            classifier.set_params(smoothing=self.smoothing)
        elif self.tune:
            tuned = _tune(classifier, self._examples(parts.tuning, n_jobs), development)
            classifier.set_params(smoothing=tuned["value"])
        began = time.perf_counter()
        train = self._examples(parts.train, n_jobs)
        model = train_direction(classifier, train)
        trained = {
            "seconds": time.perf_counter() - began,
            "peak_mb": peak_megabytes(),
            "start_mb": start,
            "rows_mb": sum(keys.nbytes for keys in train.keys.values()) / (1 << 20),
            "pairs": len(parts.train),
            "n_features": sum(len(keys) for keys in model.classifier.estimator.keys_),
            "trace": [],
            "value": classifier.get_params()["smoothing"],
            "options": describe(classifier),
        }
        scores, predicted = _test(model, development, test)
        trained_on = parts.train.reading_as(self.target.model).signature
        sizes = self._save(workspace, model, None, trained_on)
        coverage = _coverage(model, test, predicted)
        found = {**tuned, **trained, **sizes, "scores": scores, "coverage": coverage}
        workspace.write(self.key, found, {"predicted": predicted})

    def _examples(self, phrases: PhrasePairs, n_jobs: int) -> Examples:
        inputs = read_inputs(phrases, None, LEVELS["fe"], n_jobs=n_jobs)
        return inputs.labelled(self.target.labels(phrases), self.target.model.labels)


Model = Fit | Lexicalised


def _bytes(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())


def _tune(classifier: Classifier, train: Examples, development: Examples) -> dict[str, Any]:
    """Try values of a hyper-parameter."""
    began = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        steps = train_direction(classifier, train, development, tune=()).tuning
    chosen = next(step for step in steps if step.chosen)
    return {
        "value": chosen.value,
        "class_weight": chosen.class_weight,
        "tuning": [
            {name: getattr(step, name) for name in _TRIED}
            for step in steps
            if step.class_weight == chosen.class_weight
        ],
        "tuning_seconds": time.perf_counter() - began,
    }


def _train_timed(train: Callable[[], DirectionModel]) -> tuple[DirectionModel, float, float]:
    """Train; return also seconds (the fewest of three times, if short) and peak of the first."""
    seconds: list[float] = []
    peak = 0.0
    while not seconds or (len(seconds) < _REPEATS and sum(seconds) < 1):
        began = time.perf_counter()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # the trace tells how far it came
            model = train()
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
    model: DirectionModel, development: Examples, test: Examples, calibrate: str | None = None
) -> tuple[dict[str, Any], NDArray[np.uint8]]:
    """Return figures of the test part, and what is predicted; calibrate the model on the way."""
    plain = model.evaluate([test], test.y, test.classes)
    kind = calibrate or usual_calibration(model.classifier.estimator)
    # Without a wish a temperature is fitted anyway: it costs nothing.
    if kind != "none" or calibrate is None:
        model.calibrate(development, "temperature" if kind == "none" else kind)
    calibrated = model.evaluate([test], test.y, test.classes)
    found = {
        "accuracy": calibrated.accuracy,
        "macro_f1": calibrated.macro_f1,
        "log_loss": plain.log_loss,
        "calibrated_log_loss": calibrated.log_loss,
        "temperature": model.calibration.temperature,
        "precision": calibrated.precision.tolist(),
        "recall": calibrated.recall.tolist(),
        "f1": calibrated.f1.tolist(),
        "confusion": calibrated.confusion.tolist(),
    }
    return found, model.log_probabilities(test).argmax(axis=1).astype(np.uint8)


def _coverage(
    model: DirectionModel, test: Examples, predicted: NDArray[np.uint8]
) -> list[dict[str, Any]]:
    """Count the test pairs that each level of the lexicalised model knows, and the right ones."""
    right = predicted == test.y
    left = np.ones(len(right), np.bool_)
    found = []
    levels = test.levels("fe")
    for name, keys, level in zip(
        ("pair", "source"), model.classifier.estimator.keys_, levels, strict=True
    ):
        here = left & np.isin(level, keys)
        found.append((name, here))
        left &= ~here
    found.append(("none", left))
    return [
        {"known": name, "pairs": int(here.sum()), "right": int(right[here].sum())}
        for name, here in found
    ]
