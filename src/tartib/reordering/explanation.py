"""Why a model says what it says: features with their weights."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tartib.errors import OptionError
from tartib.features import FeatureEncoder
from tartib.models.base import LinearClassifier
from tartib.orientation import OrientationModel
from tartib.phrases import PhrasePair, PhrasePairs
from tartib.reordering.direction import DirectionModel, Inputs, inputs_of
from tartib.reordering.keys import LEVELS
from tartib.reordering.lexicalised import LexicalisedModel

CONSTANT = "(constant)"


@dataclass(frozen=True)
class Pull:
    """What one feature adds to the score of each class, beyond what it adds to all."""

    feature: str
    weights: dict[str, float]


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
        Features by strength, and the constant of each class if it has one: they add up to the
        scores but for what speaks for all classes alike. Of a lexicalised model how often the pair
        was seen.
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
    """Look at one phrase pair among others, as `ReorderingModel.explain` is asked to."""
    if not 0 <= pair < len(phrases):
        raise OptionError(f"there is no pair {pair}: they are numbered 0 to {len(phrases) - 1}")
    keep = np.zeros(len(phrases), np.bool_)
    keep[pair] = True
    alone = phrases.filter(keep, note="one")
    (inputs,) = inputs_of(alone, encoder, model.granularities, 1)
    words = phrases.reading_as(orientation)[pair]
    sentence = phrases.bitext[words.sentence]
    label = phrases.records["orientations"][pair : pair + 1]
    pulls, unknown = _pulls(model, encoder, inputs, alone, orientation)
    found = model.probabilities(inputs)[0].tolist()
    return Explanation(
        words,
        sentence.source,
        sentence.target,
        orientation.labels[int(orientation.read(label, direction)[0])],
        dict(zip(orientation.labels, found, strict=True)),
        pulls,
        unknown,
        legend_of(orientation, direction, encoder),
    )


def legend_of(
    orientation: OrientationModel, direction: str, encoder: FeatureEncoder | None
) -> list[str]:
    """Say in a line each what the classes and the feature set of a model are."""
    features = [] if encoder is None else [f"{encoder.features.describe()}."]
    return [orientation.describe(direction), *features]


def strongest_features(
    model: DirectionModel, encoder: FeatureEncoder | None, label: int, count: int
) -> list[tuple[str, float]]:
    """Return the features whose weight for one class is most above their mean over the classes."""
    if encoder is None or not isinstance(model.classifier, LinearClassifier):
        raise OptionError("only a linear model over features has strongest features")
    weights = _centred(model.classifier, slice(0, encoder.n_features))[:, label]
    best = np.argsort(-weights, kind="stable")[:count]
    return [(encoder.name(int(column)), float(weights[column])) for column in best]


def _centred(classifier: LinearClassifier, columns: Any) -> NDArray[np.float64]:  # noqa: ANN401
    """Return weights without what speaks for all classes alike, which changes no probability."""
    weights = classifier.weights_[columns, : len(classifier.classes_)].astype(np.float64)
    centred: NDArray[np.float64] = weights - weights.mean(axis=1, keepdims=True)
    return centred


def _pulls(
    model: DirectionModel,
    encoder: FeatureEncoder | None,
    inputs: Inputs,
    alone: PhrasePairs,
    orientation: OrientationModel,
) -> tuple[list[Pull], list[str]]:
    labels = orientation.labels
    if isinstance(model.classifier, LexicalisedModel):
        return _counts(model.classifier, inputs, labels), []
    if encoder is None or inputs.rows is None or not isinstance(model.classifier, LinearClassifier):
        return [], []
    columns = inputs.rows.row(0).tolist()
    names = [encoder.name(column) for column in columns]
    if len(model.classifier.weights_) > encoder.n_features:
        columns, names = [*columns, encoder.n_features], [*names, CONSTANT]
    centred = _centred(model.classifier, columns)
    order = np.argsort(-np.abs(centred).max(axis=1, initial=0.0), kind="stable")
    pulls = [
        Pull(names[i], dict(zip(labels, centred[i].tolist(), strict=True))) for i in order.tolist()
    ]
    known = {pull.feature for pull in pulls}
    base = encoder.base_features(alone, 0) if encoder.hash_bits is None else []
    return pulls, [name for name in base if name not in known and 1 in encoder.features.anova]


def _counts(model: LexicalisedModel, inputs: Inputs, labels: tuple[str, ...]) -> list[Pull]:
    """Tell how often each level of a lexicalised model has seen the pair."""
    names = {"fe": "phrase pair", "f": "source phrase", "e": "target phrase"}
    levels = inputs.levels(model.granularity)
    found = []
    for keys, counts, level in zip(model.keys_, model.counts_, levels, strict=True):
        at = np.searchsorted(keys, level)
        seen = at[0] < len(keys) and keys[at[0]] == level[0]
        found.append(counts[at[0]].tolist() if seen else [0.0] * len(labels))
    kinds = LEVELS[model.granularity]
    return [
        Pull(f"seen, {names[kind]}", dict(zip(labels, row, strict=True)))
        for kind, row in zip(kinds, found, strict=True)
    ]
