"""A reordering model for a decoder: phrase pairs come as ids, all of a sentence at once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
from numpy.typing import NDArray

from tartib.features import FeatureEncoder
from tartib.features.candidates import Candidates
from tartib.models.base import LinearClassifier
from tartib.reordering.calibration import Floats
from tartib.reordering.direction import DirectionModel, Inputs, rows_of
from tartib.reordering.keys import PhraseHasher
from tartib.vocabulary import Vocabulary


class BoundReorderingModel:
    """A `ReorderingModel` for text of certain vocabularies; made by `ReorderingModel.bind`."""

    def __init__(
        self,
        encoder: FeatureEncoder | None,
        models: Mapping[str, DirectionModel],
        source: Vocabulary,
        target: Vocabulary,
    ) -> None:
        self._encoder = None if encoder is None else encoder.bind(source, target)
        self._n_features = 0 if encoder is None else encoder.n_features
        self._models = models
        self._levels = dict.fromkeys(name for m in models.values() for name in m.granularities)
        self._weights = _linear_weights(models.values())
        self._hasher = PhraseHasher(source, target) if self._levels else None

    def log_probabilities(self, pairs: Candidates) -> dict[str, NDArray[np.float32]]:
        """Return for each direction the log-probabilities of the classes of each phrase pair.

        Features are computed once for both directions, and linear models score them on the spot.
        """
        keys = {}
        if self._hasher is not None:
            keys = {name: self._hasher.candidates(pairs, name) for name in self._levels}
        rows = None
        scores: list[Floats] | list[None] = [None] * len(self._models)
        if self._encoder is not None and self._weights is not None:
            found = self._encoder.scores(pairs, *self._weights)
            scores = [values.astype(np.float64) for values in found]
        elif self._encoder is not None:
            rows = rows_of(*self._encoder.candidates(pairs), self._n_features)
        inputs = Inputs(rows, keys)
        return {
            direction: model.log_probabilities(inputs, known).astype(np.float32)
            for (direction, model), known in zip(self._models.items(), scores, strict=True)
        }


def _linear_weights(
    models: Iterable[DirectionModel],
) -> tuple[list[NDArray[np.float32]], int] | None:
    """Return the weights of linear models of ones, and how many classes they have."""
    weights = []
    for model in models:
        classifier = model.classifier
        if not isinstance(classifier, LinearClassifier) or classifier.weights_.dtype != np.float32:
            return None
        if len(classifier.classes_) < 2:
            return None
        weights.append(np.ascontiguousarray(classifier.weights_))
    return weights, len(classifier.classes_)
