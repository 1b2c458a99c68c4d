"""`KeyCounts`: what a `LexicalisedModel` has learnt, and how it is looked up.

Apart from the classifier that learns it, so that a decoder need not wait for scikit-learn.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from tartib import _native
from tartib.errors import OptionError
from tartib.reordering.inputs import LEVELS, Keys, check_granularity

Counts = NDArray[np.float32] | NDArray[np.float64]
_LOWEST = np.log(np.finfo(np.float64).tiny)
# Words in at most this many pairs by themselves move most like unknown ones: on held-out text of
# three languages their distribution is within 0.01 nats of that of unknown words, while that of all
# pairs is up to 0.1 away (docs/decoder.md).
_RARE = 5
_BY_SOURCE = "f"


class KeyCounts:
    """How often each key was seen in each class, at several levels of back-off.

    Parameters
    ----------
    granularity
        What is counted: ``fe`` phrase pairs, ``f`` source phrases, ``e`` target phrases.
    smoothing
        Added to the count of each class. 0 gives plain relative frequencies.

    Attributes
    ----------
    n_classes_
        Number of classes.
    keys_
        For each level of back-off, the keys that were seen, in ascending order.
    counts_
        For each level, how often each key was seen in each class.
    prior_counts_
        How often each class was seen in all.
    """

    classes_: NDArray[Any]
    n_classes_: int
    keys_: list[Keys]
    counts_: list[Counts]
    prior_counts_: NDArray[np.float64]

    def __init__(self, granularity: str = "fe", smoothing: float = 0.5) -> None:
        self.granularity = granularity
        self.smoothing = smoothing

    def _check_fitted(self) -> None:
        """Refuse to predict before anything was learnt; `from_state` has learnt."""

    def predict_proba_keys(self, levels: Sequence[Keys]) -> NDArray[np.float64]:
        """Return the probability of each class, one row for each sample.

        Parameters
        ----------
        levels
            Keys of the samples at the same levels as in training.
        """
        self._check_fitted()
        check_keys(levels)
        if len(levels) != len(self.keys_):
            raise OptionError(f"the model has {len(self.keys_)} levels of keys, not {len(levels)}")
        return self._look_up(levels, 0)

    def _look_up(self, levels: Sequence[Keys], level: int) -> NDArray[np.float64]:
        """Look up the keys at this level, and those not found at the next."""
        size = len(levels[0])
        if level == len(levels):
            return np.broadcast_to(self.prior, (size, self.n_classes_))
        found = _native.find_keys(self.keys_[level], np.ascontiguousarray(levels[level]))
        missed = np.flatnonzero(found < 0)
        if len(missed) == size:
            return self._look_up(levels, level + 1).copy()
        # Missed keys get any row for now, which is faster than leaving them out; set right below.
        result = self._estimate(self.counts_[level].take(found, axis=0, mode="clip"))
        if len(missed):
            result[missed] = self._look_up([keys[missed] for keys in levels], level + 1)
        return result

    @property
    def prior(self) -> NDArray[np.float64]:
        """The probabilities of a sample whose keys were never seen at any level."""
        self._check_fitted()
        counts = self.prior_counts_[np.newaxis]
        if counts.sum() + self.smoothing == 0:
            counts = np.ones_like(counts)
        estimate: NDArray[np.float64] = self._estimate(counts)[0]
        return estimate

    def predict_unknown_word(self, words: Keys) -> NDArray[np.float64]:
        """Return the probability of each class for a source word that was never seen.

        It is that of the rare ones among known words, which are more often moved than phrases are
        on average.

        Parameters
        ----------
        words
            Keys of all known source words, each as a phrase by itself.
        """
        self._check_fitted()
        levels = LEVELS[self.granularity]
        if _BY_SOURCE not in levels:
            return self.prior
        at = levels.index(_BY_SOURCE)
        found = _native.find_keys(self.keys_[at], np.ascontiguousarray(words))
        counts = self.counts_[at][found[found >= 0]]
        rare = counts[counts.sum(axis=1) <= _RARE]
        if not len(rare):
            return self.prior
        estimate: NDArray[np.float64] = self._estimate(rare.sum(axis=0, dtype=np.float64)[None])[0]
        return estimate

    @property
    def n_parameters(self) -> int:
        """Entries times classes, over all levels, as counted in Table 7 of the SVM paper."""
        self._check_fitted()
        return sum(counts.size for counts in self.counts_)

    def state(self) -> dict[str, NDArray[Any]]:
        """Return everything that was learnt, as arrays by name."""
        self._check_fitted()
        arrays: dict[str, NDArray[Any]] = {"prior_counts": self.prior_counts_}
        for level, (keys, counts) in enumerate(zip(self.keys_, self.counts_, strict=True)):
            arrays[f"keys_{level}"] = keys
            arrays[f"counts_{level}"] = counts
        return arrays

    @classmethod
    def from_state(
        cls, state: Mapping[str, NDArray[Any]], granularity: str = "fe", smoothing: float = 0.5
    ) -> Self:
        """Make a model from what `state` returned; raise an error if the arrays do not match."""
        model = cls(granularity, smoothing)
        model._check_options()
        levels = (len(state) - 1) // 2
        names = [f"{kind}_{level}" for level in range(levels) for kind in ("keys", "counts")]
        if levels < 1 or set(state) != {"prior_counts", *names}:
            raise OptionError("state must have prior_counts, and keys and counts of each level")
        prior = state["prior_counts"]
        _check_counts("prior_counts", prior.reshape(1, -1), 1, prior.size)
        for level in range(levels):
            keys = state[f"keys_{level}"]
            if keys.dtype != np.uint64 or keys.ndim != 1 or not (keys[:-1] < keys[1:]).all():
                raise OptionError(f"keys_{level} must be 64-bit keys in ascending order")
            counts = state[f"counts_{level}"]
            _check_counts(f"counts_{level}", counts, len(keys), prior.size)
            if not counts.any(axis=1).all():
                raise OptionError(f"counts_{level} has a key that was never seen")
        model.n_classes_, model.classes_ = prior.size, np.arange(prior.size)
        model.prior_counts_ = prior.astype(np.float64).reshape(-1)
        model.keys_ = [np.ascontiguousarray(state[f"keys_{level}"]) for level in range(levels)]
        model.counts_ = [state[f"counts_{level}"] for level in range(levels)]
        return model

    def log_probabilities_keys(self, levels: Sequence[Keys]) -> NDArray[np.float64]:
        """Return the logarithms of `predict_proba_keys`, none of them infinite."""
        with np.errstate(divide="ignore"):  # without smoothing a probability can be 0
            found = np.log(self.predict_proba_keys(levels))
        return np.maximum(found, _LOWEST)

    def _estimate(self, counts: Counts) -> NDArray[np.float64]:
        """Smooth and normalise rows of counts, with operations in the same order as in Moses."""
        smoothed = counts + np.float64(self.smoothing)
        smoothed /= smoothed.sum(axis=1, keepdims=True)
        return smoothed

    def _check_options(self) -> None:
        check_granularity(self.granularity)
        if not 0 <= self.smoothing < np.inf:
            raise OptionError(f"smoothing must be 0 or more and finite, not {self.smoothing}")


def check_keys(levels: Sequence[Keys]) -> None:
    """Refuse keys that are not arrays of one length."""
    if not levels:
        raise OptionError("give the keys of at least one level")
    for keys in levels:
        if not isinstance(keys, np.ndarray) or keys.dtype != np.uint64 or keys.ndim != 1:
            raise OptionError("keys must be one-dimensional arrays of uint64")
        if len(keys) != len(levels[0]):
            raise OptionError(f"levels differ in length: {len(levels[0]):,} and {len(keys):,} keys")


def _check_counts(name: str, counts: NDArray[Any], rows: int, n_classes: int) -> None:
    if counts.shape != (rows, n_classes) or n_classes < 1:
        raise OptionError(f"{name} must be {rows:,} rows of {n_classes} counts: {counts.shape}")
    if counts.dtype not in (np.float32, np.float64):
        raise OptionError(f"{name} must be floating point: {counts.dtype}")
    if not (np.isfinite(counts) & (counts >= 0)).all():
        raise OptionError(f"{name} must be 0 or more, and finite")
