"""A reordering model for a decoder: phrase pairs come as ids, all of a sentence at once."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from tartib.features import FeatureEncoder
from tartib.features.candidates import Candidates
from tartib.models.keys import PhraseHasher
from tartib.reordering.direction import DirectionModel, Inputs, rows_of
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
        self._hasher = PhraseHasher(source, target) if self._levels else None

    def log_probabilities(self, pairs: Candidates) -> dict[str, NDArray[np.float32]]:
        """Return for each direction the log-probabilities of the classes of each phrase pair.

        Features are computed once for both directions.
        """
        rows = None
        if self._encoder is not None:
            rows = rows_of(*self._encoder.candidates(pairs), self._n_features)
        keys = {}
        if self._hasher is not None:
            keys = {name: self._hasher.candidates(pairs, name) for name in self._levels}
        inputs = Inputs(rows, keys)
        return {
            direction: model.log_probabilities(inputs).astype(np.float32)
            for direction, model in self._models.items()
        }
