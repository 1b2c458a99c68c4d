"""Training one direction: the classifier, along a path of options, prior and calibration."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from tartib.dataset import Dataset
from tartib.errors import OptionError
from tartib.evaluation import ClassificationReport, ClassificationStatistics
from tartib.models.base import Classifier
from tartib.reordering.calibration import Calibration, Prior, fit_calibration
from tartib.reordering.classifiers import kind_of
from tartib.reordering.direction import DirectionModel, Inputs
from tartib.reordering.keys import LEVELS, Keys
from tartib.reordering.lexicalised import LexicalisedModel


@dataclass(frozen=True)
class TuningStep:
    """What one value of the regularising option gave on the development part."""

    option: str
    value: float
    accuracy: float
    log_loss: float
    seconds: float
    chosen: bool = False


@dataclass(frozen=True)
class TrainingPart:
    """What one direction learns from."""

    rows: Dataset | None
    keys: dict[str, Keys]
    y: NDArray[np.integer]
    n_classes: int


# How far tuning goes beyond the usual values.
_BEYOND = 4


@dataclass(frozen=True)
class DevelopmentPart:
    """What tuning chooses by."""

    parts: Sequence[Inputs]
    y: NDArray[np.integer]
    labels: tuple[str, ...]

    def report(self, classifier: Classifier, *, calibrated: bool) -> ClassificationReport:
        """Tell how good a classifier is, with the temperature that suits it best if wanted."""
        model = DirectionModel(classifier, Calibration())
        scores = np.concatenate([model.scores(inputs) for inputs in self.parts])
        if calibrated:
            model.calibration = fit_calibration(scores, None, self.y)
        probabilities = np.exp(model.calibration.log_probabilities(scores, None))
        return ClassificationStatistics.of(probabilities, self.y, self.labels).report()


def train_classifier(classifier: Classifier, part: TrainingPart) -> Classifier:
    """Fit a classifier to rows, or a lexicalised model to keys."""
    if isinstance(classifier, LexicalisedModel):
        levels = [part.keys[level] for level in LEVELS[classifier.granularity]]
        return classifier.fit_keys(levels, part.y, part.n_classes)
    fitted: Classifier = classifier.fit(part.rows)
    return fitted


def tune_classifier(
    classifier: Classifier,
    part: TrainingPart,
    values: Sequence[float],
    development: DevelopmentPart,
) -> tuple[Classifier, list[TuningStep]]:
    """Train for several values and keep the one with the lowest log-loss on a development part.

    An SVM's log-loss is that after a temperature was fitted: accuracy alone would prefer models
    that always say the most frequent class, where that is very frequent. Each training starts from
    where the last one ended, unless one-way shrinking would then make the result depend on the
    path.

    Parameters
    ----------
    classifier
        Made by `make_classifier`.
    part
        What to learn from.
    values
        Of the option that regularises the classifier. None given: the usual ones, from the middle
        in the direction that helps, as long as it does.
    development
        What to choose by.
    """
    kind = kind_of(classifier)
    options = classifier.get_params()
    if "warm_start" in options:
        classifier.set_params(warm_start=options.get("shrinking") != "paper")
    steps: dict[float, TuningStep] = {}
    best = classifier

    def loss(value: float) -> float:
        nonlocal best
        begin = time.perf_counter()
        train_classifier(classifier.set_params(**{kind.parameter: value}), part)
        seconds = time.perf_counter() - begin
        found = development.report(classifier, calibrated=kind.calibrated)
        if found.log_loss < min((step.log_loss for step in steps.values()), default=np.inf):
            best = _without_state(classifier)
        steps[value] = TuningStep(kind.parameter, value, found.accuracy, found.log_loss, seconds)
        return found.log_loss

    if values:
        for value in values:
            loss(value)
    else:
        climb(loss, _ladder(kind.path))
    chosen = min(steps.values(), key=lambda step: step.log_loss)
    steps[chosen.value] = replace(chosen, chosen=True)
    return best, [steps[value] for value in (values or sorted(steps))]


def climb(loss: Callable[[float], float], ladder: Sequence[float]) -> None:
    """Look for the lowest loss from the middle of a ladder, up or down while that lowers it."""
    middle = len(ladder) // 2
    first = lowest = loss(ladder[middle])
    for direction in (1, -1):
        place = middle + direction
        while 0 <= place < len(ladder):
            found = loss(ladder[place])
            if found >= lowest:
                break
            lowest = found
            place += direction
        if lowest < first:
            return


def _ladder(path: Sequence[float]) -> list[float]:
    """Return the usual values with further ones at both ends."""
    below = [path[0] * (path[0] / path[1]) ** k for k in range(_BEYOND, 0, -1)]
    above = [path[-1] * (path[-1] / path[-2]) ** k for k in range(1, _BEYOND + 1)]
    return [float(f"{value:.3g}") for value in (*below, *path, *above)]


def _without_state(classifier: Classifier) -> Classifier:
    """Copy a classifier without what it keeps for warm starts."""
    last = classifier.__dict__.pop("_last", None)
    copied = deepcopy(classifier)
    if last is not None:
        classifier._last = last
    if "warm_start" in copied.get_params():
        copied.set_params(warm_start=False)
    return copied


def add_prior(model: DirectionModel, prior: Prior, part: TrainingPart) -> None:
    """Train the lexicalised part of a prior."""
    if isinstance(model.classifier, LexicalisedModel):
        raise OptionError("a lexicalised model needs no lexicalised prior")
    model.prior = prior
    levels = [part.keys[level] for level in LEVELS[prior.granularity]]
    model.lexicalised = LexicalisedModel(prior.granularity, prior.smoothing).fit_keys(
        levels, part.y, part.n_classes
    )


def calibrate(model: DirectionModel, development: DevelopmentPart) -> Calibration:
    """Fit temperature and weight of the prior on held-out pairs."""
    scores = np.concatenate([model.scores(inputs) for inputs in development.parts])
    priors = [model.log_prior(inputs) for inputs in development.parts]
    known = [prior for prior in priors if prior is not None]
    return fit_calibration(scores, np.concatenate(known) if known else None, development.y)
