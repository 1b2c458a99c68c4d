"""Why a model predicts what it predicts: the features of a phrase pair with their weights."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from tartib.errors import OptionError
from tartib.features import FeatureEncoder
from tartib.orientation import OrientationModel
from tartib.phrases import PhrasePair, PhrasePairs
from tartib.reordering.calibration import Calibration
from tartib.reordering.classifiers import CONSTANT, Pull
from tartib.reordering.direction import DirectionModel
from tartib.reordering.inputs import iter_inputs


@dataclass(frozen=True)
class Explanation:
    """One phrase pair in its sentence.

    Attributes
    ----------
    pair
        In words.
    source, target
        The sentences.
    truth
        Its orientation in the corpus.
    probabilities
        Of each orientation.
    pulls
        Features, strongest first, and the constant of each class if it has one: they add up to the
        scores, except for what is the same for all classes. For a lexicalised model, how often the
        pair was seen.
    unknown
        Features of the pair that the model has no column for.
    legend
        What the names of the classes and of the feature set mean, a line each.
    """

    pair: PhrasePair
    source: list[str]
    target: list[str]
    truth: str
    probabilities: dict[str, float]
    pulls: list[Pull]
    unknown: list[str]
    legend: list[str]

    def as_dict(self) -> dict[str, Any]:
        """Return all of it as data."""
        return {**asdict(self), "pair": self.pair._asdict()}


def explain_pair(
    model: DirectionModel,
    encoder: FeatureEncoder | None,
    orientation: OrientationModel,
    phrases: PhrasePairs,
    pair: int,
    direction: str,
) -> Explanation:
    """Explain one phrase pair; see `ReorderingModel.explain`."""
    if not 0 <= pair < len(phrases):
        raise OptionError(f"there is no pair {pair}: they are numbered 0 to {len(phrases) - 1}")
    keep = np.zeros(len(phrases), np.bool_)
    keep[pair] = True
    alone = phrases.filter(keep, note="one")
    (inputs,) = iter_inputs(alone, encoder, model.key_levels, 1)
    words = phrases.reading_as(orientation)[pair]
    sentence = phrases.bitext[words.sentence]
    label = phrases.records["orientations"][pair : pair + 1]
    pulls = model.classifier.pulls(inputs, orientation.labels, encoder)
    if model.classifier.granularity is None:
        pulls = _calibrated(pulls, model.calibration, orientation.labels)
    found = model.probabilities(inputs)[0].tolist()
    return Explanation(
        words,
        sentence.source,
        sentence.target,
        orientation.labels[int(orientation.read(label, direction)[0])],
        dict(zip(orientation.labels, found, strict=True)),
        pulls,
        _unknown(alone, encoder, pulls),
        legend_of(orientation, direction, encoder),
    )


def _calibrated(pulls: list[Pull], calibration: Calibration, labels: tuple[str, ...]) -> list[Pull]:
    """Return what features add to log-probabilities rather than to scores, strongest first."""
    slopes = calibration.slopes(len(labels))
    weights = {pull.feature: np.array(list(pull.weights.values())) @ slopes for pull in pulls}
    if calibration.bias:
        weights[CONSTANT] = weights.get(CONSTANT, 0.0) + np.array(calibration.bias)
    centred = {name: values - values.mean() for name, values in weights.items()}
    order = sorted(centred, key=lambda name: -float(np.abs(centred[name]).max()))
    return [Pull(name, dict(zip(labels, centred[name].tolist(), strict=True))) for name in order]


def legend_of(
    orientation: OrientationModel, direction: str, encoder: FeatureEncoder | None
) -> list[str]:
    """Say in a line each what the classes and the feature set of a model are."""
    features = [] if encoder is None else [f"{encoder.features.describe()}."]
    return [orientation.describe(direction), *features]


def _unknown(alone: PhrasePairs, encoder: FeatureEncoder | None, pulls: list[Pull]) -> list[str]:
    """Return the base features of the pair that have no column."""
    if encoder is None or encoder.hash_bits is not None or 1 not in encoder.features.anova:
        return []
    known = {pull.feature for pull in pulls}
    return [name for name in encoder.base_features(alone, 0) if name not in known]
