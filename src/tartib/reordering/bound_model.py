"""A reordering model for a decoder: it takes word ids, and all pairs of a sentence at once."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from tartib.features import FeatureEncoder
from tartib.features.candidates import Candidates
from tartib.reordering.calibration import Floats
from tartib.reordering.direction import DirectionModel
from tartib.reordering.examples import Inputs, unlabelled_rows
from tartib.reordering.keys import PhraseHasher
from tartib.vocabulary import Vocabulary


class BoundReorderingModel:
    """A `ReorderingModel` for text with given vocabularies; made by `ReorderingModel.bind`."""

    def __init__(
        self,
        encoder: FeatureEncoder | None,
        models: Mapping[str, DirectionModel],
        n_classes: int,
        source: Vocabulary,
        target: Vocabulary,
    ) -> None:
        self._encoder = None if encoder is None else encoder.bind(source, target)
        self._n_features = 0 if encoder is None else encoder.n_features
        self._models = models
        self._n_classes = n_classes
        self._levels = dict.fromkeys(level for m in models.values() for level in m.key_levels)
        weights = [model.classifier.weights for model in models.values()]
        self._weights = [w for w in weights if w is not None]
        self._hasher = PhraseHasher(source, target) if self._levels else None

    def log_probabilities(self, pairs: Candidates) -> dict[str, NDArray[np.float32]]:
        """Return for each direction the log-probabilities of the classes of each phrase pair.

        Features are computed once for both directions, and linear models score them directly.
        """
        keys = {}
        if self._hasher is not None:
            keys = {level: self._hasher.candidates(pairs, level) for level in self._levels}
        rows = None
        scores: list[Floats] | list[None] = [None] * len(self._models)
        if self._encoder is not None and len(self._weights) == len(self._models):
            found = self._encoder.scores(pairs, self._weights, self._n_classes)
            scores = [values.astype(np.float64) for values in found]
        elif self._encoder is not None:
            rows = unlabelled_rows(*self._encoder.candidates(pairs), self._n_features)
        inputs = Inputs(rows, keys)
        return {
            direction: model.log_probabilities(inputs, known).astype(np.float32)
            for (direction, model), known in zip(self._models.items(), scores, strict=True)
        }
