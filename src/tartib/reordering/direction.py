"""`DirectionModel`: the model of one direction, how it is trained, and both for a decoder.

A direction has a classifier, a calibration and a prior. `train_direction` trains, tunes and
calibrates it; `BoundReorderingModel` takes word ids, and all pairs of a sentence at once.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from copy import deepcopy
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from tartib.errors import OptionError
from tartib.evaluation import ClassificationReport, ClassificationStatistics
from tartib.models.base import BALANCED, Classifier, ClassWeight
from tartib.orientation import MODEL_DIRECTIONS
from tartib.reordering.bound import LexicalisedPrior
from tartib.reordering.calibration import (
    Calibration,
    Floats,
    Prior,
    check_calibration,
    choose_calibration,
)
from tartib.reordering.classifiers import Kind, PairClassifier, kind_of, make_classifier
from tartib.reordering.inputs import LEVELS, Examples, Inputs
from tartib.reordering.key_counts import KeyCounts
from tartib.reordering.lexicalised import LexicalisedModel

BOTH = "bidirectional"

_BEYOND = 4  # how far tuning may go beyond the usual values


@dataclass(frozen=True)
class TuningStep:
    """What one value of the regularisation option gave on the development set.

    ``class_weight`` is the classifier's option of this name; None if it has none.
    """

    option: str
    value: float
    class_weight: ClassWeight
    accuracy: float
    log_loss: float
    seconds: float
    chosen: bool = False


def fit_prior(options: Prior, examples: Examples) -> LexicalisedPrior:
    """Count the examples."""
    model = LexicalisedModel(options.granularity, options.smoothing)
    levels = examples.levels(options.granularity)
    fitted = model.fit_keys(levels, examples.y, len(examples.classes))
    return LexicalisedPrior(options, fitted)


@dataclass
class DirectionModel:
    """The model of one direction; made by `train_direction`.

    Attributes
    ----------
    classifier
        Trained.
    calibration
        How scores become probabilities.
    prior
        What smooths them, if anything.
    tuning
        What each value that was tried gave; empty without tuning.
    """

    classifier: PairClassifier
    calibration: Calibration = field(default_factory=Calibration)
    prior: LexicalisedPrior | None = None
    tuning: list[TuningStep] = field(default_factory=list)

    @property
    def key_levels(self) -> tuple[str, ...]:
        """The keys that `Inputs` must have."""
        return needed_keys(self.classifier, None if self.prior is None else self.prior.options)

    @property
    def weights(self) -> NDArray[np.float32] | None:
        """Weights that native code can score rows with, if there are any."""
        return self.classifier.weights

    @property
    def counts(self) -> KeyCounts | None:
        """What a lexicalised model learnt."""
        learnt = self.classifier.estimator
        return learnt if isinstance(learnt, LexicalisedModel) else None

    @property
    def n_parameters(self) -> int:
        """How many numbers were learnt, with those of the prior."""
        own = self.classifier.n_parameters
        return own if self.prior is None else own + self.prior.model.n_parameters

    def scores(self, inputs: Inputs) -> Floats:
        """Return the classifier's scores, before calibration and prior."""
        return self.classifier.scores(inputs)

    def log_probabilities(self, inputs: Inputs, scores: Floats | None = None) -> Floats:
        """Return the log-probability of each class; give the scores if they are known."""
        found = self.scores(inputs) if scores is None else scores
        return self.calibration.log_probabilities(found, self._log_prior(inputs))

    def probabilities(self, inputs: Inputs) -> Floats:
        """Return the probability of each class."""
        found: Floats = np.exp(self.log_probabilities(inputs))
        return found

    def calibrate(self, dev: Examples, kind: str) -> None:
        """Fit a calibration, ``temperature`` or ``affine``, on a development set."""
        self.calibration = choose_calibration(self.scores(dev), self._log_prior(dev), dev.y, kind)

    def refit(self, examples: Examples) -> None:
        """Train the same classifier and prior on other examples; the calibration is kept."""
        self.classifier = PairClassifier.of(make_classifier(self.classifier.estimator))
        self.classifier.fit(examples)
        if self.prior is not None:
            self.prior = fit_prior(self.prior.options, examples)

    def evaluate(
        self, inputs: Iterable[Inputs], y: NDArray[np.integer], classes: tuple[str, ...]
    ) -> ClassificationReport:
        """Compare the probabilities of pairs, which may come in chunks, with their classes."""
        total = ClassificationStatistics.nothing(classes)
        done = 0
        for part in inputs:
            found = self.probabilities(part)
            truth = y[done : done + len(found)]
            total = total + ClassificationStatistics.of(found, truth, classes)
            done += len(found)
        return total.report()

    def _log_prior(self, inputs: Inputs) -> Floats | None:
        return None if self.prior is None else self.prior.log_probabilities(inputs)


def needed_keys(classifier: PairClassifier, prior: Prior | None) -> tuple[str, ...]:
    """Return the keys that a classifier and its prior look pairs up by."""
    levels = (*(LEVELS[prior.granularity] if prior else ()), *classifier.key_levels)
    return tuple(dict.fromkeys(levels))


def train_direction(
    classifier: str | Classifier,
    train: Examples,
    dev: Examples | None = None,
    *,
    tune: Sequence[float] | None = None,
    calibrate: str = "none",
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
        on ``dev``, after calibration, is kept; an empty sequence looks among the usual ones, and
        for an SVM also for the best weights of classes. None does not tune.
    calibrate
        What to fit on ``dev``: ``none``, ``temperature`` or ``affine``; see `Calibration`.
    prior
        Smooth with a lexicalised prior, weighted on ``dev`` together with at least a temperature.

    Returns
    -------
    DirectionModel
        Its ``tuning`` tells what each value gave.
    """
    check_calibration(calibrate)
    adapter = PairClassifier.of(make_classifier(classifier))
    if prior is not None and adapter.granularity is not None:
        raise OptionError("a lexicalised model needs no lexicalised prior")
    if prior is not None and calibrate == "none":
        calibrate = "temperature"
    if dev is None and (tune is not None or calibrate != "none"):
        raise OptionError("tuning, calibration and a prior need a development set")
    if tune is None or dev is None:
        adapter.fit(train)
        model = DirectionModel(adapter)
    else:
        model = _tune(adapter, train, dev, tune, calibrate)
    if prior is not None:
        model.prior = fit_prior(prior, train)
    if dev is not None and calibrate != "none":
        model.calibrate(dev, calibrate)
    return model


def _tune(
    adapter: PairClassifier,
    train: Examples,
    dev: Examples,
    values: Sequence[float],
    calibrate: str,
) -> DirectionModel:
    """Train for several values and keep the one with the lowest log-loss on a development set.

    The log-loss is taken after calibration, for an SVM in any case: accuracy alone would prefer
    models that always predict the most frequent class. Each training starts from where the last one
    ended, except with one-way shrinking, whose result would then depend on the path.
    """
    estimator = adapter.estimator
    kind = kind_of(estimator)
    options = estimator.get_params()
    if "warm_start" in options:
        estimator.set_params(warm_start=options.get("shrinking") != "paper")
    steps: list[TuningStep] = []
    best = adapter

    def loss(value: float) -> float:
        nonlocal best
        estimator.set_params(**{kind.parameter: value})
        step = _try(
            adapter, train, dev, kind, kind.calibration if calibrate == "none" else calibrate
        )
        if step.log_loss < min((old.log_loss for old in steps), default=np.inf):
            best = PairClassifier.of(_without_state(estimator))
        steps.append(step)
        return step.log_loss

    if values:
        for value in values:
            loss(value)
    else:
        climb(loss, _ladder(kind.path))
        if kind.tunes_weights and options["class_weight"] is None:
            found = min(steps, key=_log_loss).value
            for weights in BALANCED:
                estimator.set_params(class_weight=weights)
                loss(found)
        steps.sort(key=lambda step: (step.class_weight is not None, step.value))
    chosen = min(steps, key=_log_loss)
    return DirectionModel(best, tuning=[replace(s, chosen=s is chosen) for s in steps])


def _log_loss(step: TuningStep) -> float:
    return step.log_loss


def _try(
    adapter: PairClassifier, train: Examples, dev: Examples, kind: Kind, calibrate: str
) -> TuningStep:
    """Train once and measure on the development set."""
    begin = time.perf_counter()
    adapter.fit(train)
    seconds = time.perf_counter() - begin
    model = DirectionModel(adapter)
    if calibrate != "none":
        model.calibrate(dev, calibrate)
    found = model.evaluate([dev], dev.y, dev.classes)
    options = adapter.estimator.get_params()
    return TuningStep(
        kind.parameter,
        options[kind.parameter],
        options.get("class_weight"),
        found.accuracy,
        found.log_loss,
        seconds,
    )


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


def directions_of(direction: str) -> tuple[str, ...]:
    """Return the directions to train."""
    if direction == BOTH:
        return MODEL_DIRECTIONS
    if direction not in MODEL_DIRECTIONS:
        known = ", ".join((*MODEL_DIRECTIONS, BOTH))
        raise OptionError(f"unknown direction {direction!r}: it is one of {known}")
    return (direction,)
