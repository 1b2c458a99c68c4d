"""`DirectionModel`: the model of one direction, a classifier with its temperature and prior."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from tartib.evaluation import ClassificationReport, ClassificationStatistics
from tartib.models.base import Classifier
from tartib.reordering.calibration import Calibration, Floats, Prior, fit_calibration
from tartib.reordering.examples import Examples, Inputs
from tartib.reordering.keys import LEVELS
from tartib.reordering.lexicalised import LexicalisedModel
from tartib.reordering.pair_classifier import PairClassifier


@dataclass(frozen=True)
class TuningStep:
    """What one value of the regularisation option gave on the development set."""

    option: str
    value: float
    accuracy: float
    log_loss: float
    seconds: float
    chosen: bool = False


@dataclass(frozen=True)
class LexicalisedPrior:
    """A trained prior: the options asked for, and the lexicalised model."""

    options: Prior
    model: LexicalisedModel

    @classmethod
    def fit(cls, options: Prior, examples: Examples) -> LexicalisedPrior:
        """Count the examples."""
        model = LexicalisedModel(options.granularity, options.smoothing)
        levels = examples.levels(options.granularity)
        return cls(options, model.fit_keys(levels, examples.y, len(examples.classes)))

    def log_probabilities(self, inputs: Inputs) -> Floats:
        """Return log p₀ (see `tartib.reordering.calibration`)."""
        share = self.options.mixing
        found = self.model.predict_proba_keys(inputs.levels(self.options.granularity))
        mixed = share * self.model.prior + (1 - share) * found
        return np.log(np.maximum(mixed, np.finfo(np.float64).tiny))


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
    def estimator(self) -> Classifier:
        """The trained classifier, as `tartib.models` has it."""
        return self.classifier.estimator

    @property
    def key_levels(self) -> tuple[str, ...]:
        """The keys that `Inputs` must have."""
        return needed_keys(self.classifier, None if self.prior is None else self.prior.options)

    @property
    def n_parameters(self) -> int:
        """How many numbers were learnt, with those of the prior."""
        own = self.classifier.n_parameters
        return own if self.prior is None else own + self.prior.model.n_parameters

    def scores(self, inputs: Inputs) -> Floats:
        """Return the classifier's scores, before temperature and prior."""
        return self.classifier.scores(inputs)

    def log_probabilities(self, inputs: Inputs, scores: Floats | None = None) -> Floats:
        """Return the log-probability of each class; give the scores if they are known."""
        found = self.scores(inputs) if scores is None else scores
        return self.calibration.log_probabilities(found, self._log_prior(inputs))

    def probabilities(self, inputs: Inputs) -> Floats:
        """Return the probability of each class."""
        found: Floats = np.exp(self.log_probabilities(inputs))
        return found

    def calibrate(self, dev: Examples) -> None:
        """Fit temperature and weight of the prior on a development set."""
        self.calibration = fit_calibration(self.scores(dev), self._log_prior(dev), dev.y)

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
