"""`BoundReorderingModel`: what a decoder asks, with word ids and all pairs of a sentence at once.

Nothing here needs scikit-learn, which takes a second to import.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from tartib.features import FeatureEncoder
from tartib.features.candidates import Candidates
from tartib.reordering.calibration import Calibration, Floats, Prior
from tartib.reordering.inputs import Inputs, PhraseHasher, unlabelled_rows
from tartib.reordering.key_counts import KeyCounts
from tartib.vocabulary import Vocabulary


@dataclass(frozen=True)
class LexicalisedPrior:
    """A trained prior: the options asked for, and the lexicalised model."""

    options: Prior
    model: KeyCounts

    def log_probabilities(self, inputs: Inputs) -> Floats:
        """Return log p₀ (see `tartib.reordering.calibration`)."""
        share = self.options.mixing
        found = self.model.predict_proba_keys(inputs.levels(self.options.granularity))
        mixed = share * self.model.prior + (1 - share) * found
        return np.log(np.maximum(mixed, np.finfo(np.float64).tiny))


class Direction(Protocol):
    """The trained model of one direction."""

    @property
    def key_levels(self) -> tuple[str, ...]:
        """The keys that `Inputs` must have."""
        ...

    @property
    def weights(self) -> NDArray[np.float32] | None:
        """Weights that native code can score rows with, if there are any."""
        ...

    @property
    def counts(self) -> KeyCounts | None:
        """What a lexicalised model learnt."""
        ...

    @property
    def calibration(self) -> Calibration:
        """How scores become probabilities."""
        ...

    def log_probabilities(self, inputs: Inputs, scores: Floats | None = None) -> Floats:
        """Return the log-probability of each class; give the scores if they are known."""
        ...


class BoundReorderingModel:
    """A `ReorderingModel` for text with given vocabularies; made by its `bind`."""

    def __init__(
        self,
        encoder: FeatureEncoder | None,
        models: Mapping[str, Direction],
        n_classes: int,
        source: Vocabulary,
        target: Vocabulary,
    ) -> None:
        self._encoder = None if encoder is None else encoder.bind(source, target)
        self._n_features = 0 if encoder is None else encoder.n_features
        self._models = models
        self._n_classes = n_classes
        self._levels = dict.fromkeys(level for m in models.values() for level in m.key_levels)
        weights = [model.weights for model in models.values()]
        self._weights = [w for w in weights if w is not None]
        self._hasher = PhraseHasher(source, target) if self._levels else None

    def unknown_word(self) -> dict[str, NDArray[np.float32]]:
        """Return for each direction the log-probabilities of a source word that was never seen.

        Only lexicalised models have such a row: classifiers see the context.
        """
        found = {}
        for direction, model in self._models.items():
            if model.counts is not None and self._hasher is not None:
                words = model.counts.predict_unknown_word(self._hasher.source_words())
                scores = np.log(np.maximum(words, np.finfo(np.float64).tiny))[np.newaxis]
                row = model.calibration.log_probabilities(scores, None)[0]
                found[direction] = row.astype(np.float32)
        return found

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
