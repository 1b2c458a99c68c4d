"""What a reordering model knows of one direction: a classifier, and how its scores are used."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tartib.dataset import Dataset
from tartib.evaluation import ClassificationStatistics
from tartib.features import FeatureEncoder
from tartib.models.base import Classifier, LinearClassifier
from tartib.orientation import OrientationModel
from tartib.phrases import PhrasePairs
from tartib.reordering.calibration import Calibration, Floats, Prior
from tartib.reordering.keys import LEVELS, Keys, phrase_keys
from tartib.reordering.lexicalised import LexicalisedModel

# The papers' and decoders' names of directions, and those of extraction.
DIRECTIONS = {"backward": "previous", "forward": "next"}

CHUNK = 1 << 16


@dataclass
class Inputs:
    """What phrase pairs are to a model: sparse rows, and keys by granularity."""

    rows: Dataset | None
    keys: dict[str, Keys]

    def levels(self, granularity: str) -> list[Keys]:
        """Return the keys that a lexicalised model looks up one after another."""
        return [self.keys[level] for level in LEVELS[granularity]]


@dataclass
class DirectionModel:
    """A classifier with calibration and prior.

    Attributes
    ----------
    classifier
        Trained.
    calibration
        How scores become probabilities.
    prior
        What the prior was asked to be, if there is one.
    lexicalised
        The lexicalised part of the prior.
    """

    classifier: Classifier
    calibration: Calibration
    prior: Prior | None = None
    lexicalised: LexicalisedModel | None = None

    @property
    def granularities(self) -> tuple[str, ...]:
        """The keys that are needed."""
        return needed_keys(self.classifier, self.prior)

    def scores(self, inputs: Inputs) -> Floats:
        """Return one score a class, whose soft-max the classifier takes for probabilities."""
        if isinstance(self.classifier, LexicalisedModel):
            levels = inputs.levels(self.classifier.granularity)
            with np.errstate(divide="ignore"):  # smoothing 0 knows what is impossible
                found: Floats = np.log(self.classifier.predict_proba_keys(levels))
            return np.maximum(found, np.log(np.finfo(np.float64).tiny))
        if isinstance(self.classifier, LinearClassifier):
            return self.classifier.scores(inputs.rows).astype(np.float64)
        return np.asarray(self.classifier.predict_log_proba(inputs.rows), np.float64)

    def log_prior(self, inputs: Inputs) -> Floats | None:
        """Return log p₀, if there is a prior."""
        if self.prior is None or self.lexicalised is None:
            return None
        found = self.lexicalised.predict_proba_keys(inputs.levels(self.prior.granularity))
        mixed = self.prior.mixing * self.lexicalised.prior + (1 - self.prior.mixing) * found
        return np.log(np.maximum(mixed, np.finfo(np.float64).tiny))

    def log_probabilities(self, inputs: Inputs, scores: Floats | None = None) -> Floats:
        """Return the logarithm of the probability of each class, of scores if they are known."""
        found = self.scores(inputs) if scores is None else scores
        return self.calibration.log_probabilities(found, self.log_prior(inputs))

    def probabilities(self, inputs: Inputs) -> Floats:
        """Return the probability of each class."""
        found: Floats = np.exp(self.log_probabilities(inputs))
        return found


def needed_keys(classifier: Classifier, prior: Prior | None) -> tuple[str, ...]:
    """Return the granularities at which a classifier and its prior look pairs up."""
    asked = [prior.granularity] if prior else []
    if isinstance(classifier, LexicalisedModel):
        asked.append(classifier.granularity)
    return tuple(dict.fromkeys(level for name in asked for level in LEVELS[name]))


def inputs_of(
    phrases: PhrasePairs,
    encoder: FeatureEncoder | None,
    granularities: tuple[str, ...],
    n_jobs: int | None,
) -> Iterator[Inputs]:
    """Yield what a model needs of phrase pairs, chunk by chunk and in order."""
    keys = {level: phrase_keys(phrases, level, n_jobs) for level in granularities}
    if encoder is None:
        for begin in range(0, len(phrases), CHUNK):
            yield Inputs(None, {name: part[begin : begin + CHUNK] for name, part in keys.items()})
        return
    done = 0
    for ends, columns in encoder.encode(phrases, n_jobs):
        end = done + len(ends)
        rows = rows_of(ends, columns, encoder.n_features)
        yield Inputs(rows, {name: part[done:end] for name, part in keys.items()})
        done = end


def rows_of(ends: NDArray[np.int64], columns: NDArray[np.int32], n_features: int) -> Dataset:
    """Return encoded rows as a dataset without labels."""
    indptr = np.concatenate((np.zeros(1, np.int64), ends))
    y = np.zeros(len(ends), np.int32)
    return Dataset(indptr, columns, y, classes=("",), n_features=n_features)


def statistics_of(
    model: DirectionModel,
    parts: Iterator[Inputs],
    y: NDArray[np.integer],
    orientation: OrientationModel,
) -> ClassificationStatistics:
    """Compare the probabilities of pairs with their true classes."""
    total = ClassificationStatistics.nothing(orientation.labels)
    done = 0
    for inputs in parts:
        found = model.probabilities(inputs)
        part = y[done : done + len(found)]
        total = total + ClassificationStatistics.of(found, part, orientation.labels)
        done += len(found)
    return total
