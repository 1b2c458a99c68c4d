"""`train_direction`: training, tuning and calibrating the model of one direction."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import replace

import numpy as np

from tartib.errors import OptionError
from tartib.models.base import Classifier
from tartib.reordering.calibration import Prior
from tartib.reordering.classifiers import Kind, kind_of, make_classifier
from tartib.reordering.direction import DirectionModel, LexicalisedPrior, TuningStep
from tartib.reordering.examples import Examples
from tartib.reordering.pair_classifier import PairClassifier

_BEYOND = 4  # how far tuning may go beyond the usual values


def train_direction(
    classifier: str | Classifier,
    train: Examples,
    dev: Examples | None = None,
    *,
    tune: Sequence[float] | None = None,
    calibrate: bool = False,
    prior: Prior | None = None,
) -> DirectionModel:
    """Train the model of one direction.

    Parameters
    ----------
    classifier
        A name in `KINDS`, or a classifier; what is given stays as it is.
    train
        What to learn from.
    dev
        What to tune and calibrate on; needed by the three options below.
    tune
        Values of the classifier's regularisation option, of which the one with the lowest log-loss
        on ``dev`` is kept; an empty sequence looks among the usual ones. None does not tune.
    calibrate
        Fit a temperature on ``dev``.
    prior
        Smooth with a lexicalised prior, whose weight is fitted on ``dev`` with the temperature.

    Returns
    -------
    DirectionModel
        Its ``tuning`` tells what each value gave.
    """
    adapter = PairClassifier.of(make_classifier(classifier))
    if prior is not None and adapter.granularity is not None:
        raise OptionError("a lexicalised model needs no lexicalised prior")
    if dev is None and (tune is not None or calibrate or prior is not None):
        raise OptionError("tuning, calibration and a prior need a development set")
    if tune is None or dev is None:
        adapter.fit(train)
        model = DirectionModel(adapter)
    else:
        model = _tune(adapter, train, dev, tune)
    if prior is not None:
        model.prior = LexicalisedPrior.fit(prior, train)
    if dev is not None and (calibrate or prior is not None):
        model.calibrate(dev)
    return model


def _tune(
    adapter: PairClassifier, train: Examples, dev: Examples, values: Sequence[float]
) -> DirectionModel:
    """Train for several values and keep the one with the lowest log-loss on a development set.

    An SVM's log-loss is taken after fitting a temperature: accuracy alone would prefer models that
    always predict the most frequent class. Each training starts from where the last one ended,
    except with one-way shrinking, whose result would then depend on the path.
    """
    estimator = adapter.estimator
    kind = kind_of(estimator)
    options = estimator.get_params()
    if "warm_start" in options:
        estimator.set_params(warm_start=options.get("shrinking") != "paper")
    steps: dict[float, TuningStep] = {}
    best = adapter

    def loss(value: float) -> float:
        nonlocal best
        estimator.set_params(**{kind.parameter: value})
        step = _try(adapter, train, dev, kind, value)
        if step.log_loss < min((old.log_loss for old in steps.values()), default=np.inf):
            best = PairClassifier.of(_without_state(estimator))
        steps[value] = step
        return step.log_loss

    if values:
        for value in values:
            loss(value)
    else:
        climb(loss, _ladder(kind.path))
    chosen = min(steps.values(), key=lambda step: step.log_loss)
    steps[chosen.value] = replace(chosen, chosen=True)
    return DirectionModel(best, tuning=[steps[value] for value in (values or sorted(steps))])


def _try(
    adapter: PairClassifier, train: Examples, dev: Examples, kind: Kind, value: float
) -> TuningStep:
    """Train once and measure on the development set."""
    begin = time.perf_counter()
    adapter.fit(train)
    seconds = time.perf_counter() - begin
    model = DirectionModel(adapter)
    if kind.calibrated:
        model.calibrate(dev)
    found = model.evaluate([dev], dev.y, dev.classes)
    return TuningStep(kind.parameter, value, found.accuracy, found.log_loss, seconds)


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
