"""`LexicalisedModel`: how often each phrase pair was seen in each orientation.

The lexicalised reordering model (SVM paper section 4, eq. 4; Moses' ``lexical-reordering-score``):

    p(o | f, e) = (count(o, f, e) + s) / (Σ_o' count(o', f, e) + K s)

with K classes and smoothing s; the papers' relative frequency is s = 0, Moses' default is s = 0.5.
A pair that was never seen is looked up by its source side alone; if that was never seen either, it
gets the distribution over all training pairs. (A Moses reordering table has no such back-off.)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from tartib import _native
from tartib.errors import OptionError
from tartib.models.base import Matrix, ProbabilisticClassifier, Rows
from tartib.reordering.inputs import Keys, check_granularity

Counts = NDArray[np.float32] | NDArray[np.float64]


class LexicalisedModel(ProbabilisticClassifier):
    """Smoothed relative frequencies of classes for each key, with back-off.

    `fit_keys` counts phrase pairs by their keys, at several levels of back-off. `fit` takes rows,
    as scikit-learn's classifiers do, and counts equal ones: there is one level, and a row that was
    never seen gets the distribution over all rows.

    Parameters
    ----------
    granularity
        What is counted: ``fe`` phrase pairs, ``f`` source phrases, ``e`` target phrases. It makes
        no difference to `fit`, which counts rows.
    smoothing
        Added to the count of each class. 0 gives plain relative frequencies.

    Attributes
    ----------
    classes_
        The labels; after `fit_keys` they are numbers from 0.
    n_classes_
        Number of classes.
    keys_
        For each level of back-off, the keys that were seen, in ascending order.
    counts_
        For each level, how often each key was seen in each class.
    prior_counts_
        How often each class was seen in all.
    """

    def __init__(self, granularity: str = "fe", smoothing: float = 0.5) -> None:
        self.granularity = granularity
        self.smoothing = smoothing

    def fit(self, X: Matrix, y: Any = None, sample_weight: Any = None) -> Self:  # noqa: ANN401
        """Count rows; the parameters are those of `MulticlassSVM.fit`."""
        self._check_options()
        training = self._read_training(X, y, sample_weight)
        columns = self.n_features_in_
        self.fit_keys(
            [_row_keys(training.rows)], training.y, len(training.classes), training.weights
        )
        self.classes_, self.n_features_in_ = training.classes, columns
        return self

    def predict_proba(self, X: Matrix) -> NDArray[np.float64]:
        """Return the probability of each class for each row."""
        check_is_fitted(self)
        if not hasattr(self, "n_features_in_"):
            raise OptionError("the model was trained by fit_keys: use predict_proba_keys")
        return self.predict_proba_keys([_row_keys(self._read_rows(X))])

    def fit_keys(
        self,
        levels: Sequence[Keys],
        y: NDArray[np.integer[Any]],
        n_classes: int,
        sample_weight: NDArray[np.float64] | None = None,
    ) -> Self:
        """Count the classes of each key.

        Parameters
        ----------
        levels
            Keys of the samples: first those looked up first, then those for back-off.
        y
            The classes, from 0.
        n_classes
            Their number, whether or not all of them occur.
        sample_weight
            How often each sample counts; a sample of weight 0 counts as not seen.
        """
        self._check_options()
        if n_classes < 1:
            raise OptionError(f"n_classes must be 1 or more, not {n_classes}")
        _check_keys(levels)
        y = _check_labels(y, len(levels[0]), n_classes)
        weights = _check_weights(sample_weight, len(y))
        if weights is not None and not weights.all():
            seen = weights > 0
            levels, y, weights = [keys[seen] for keys in levels], y[seen], weights[seen]
        self.n_classes_, self.classes_ = n_classes, np.arange(n_classes)
        if hasattr(self, "n_features_in_"):
            del self.n_features_in_  # left from an earlier fit on rows
        self.prior_counts_ = np.bincount(y, weights, n_classes).astype(np.float64)
        counted = [_count(keys, y, n_classes, weights) for keys in levels]
        self.keys_ = [keys for keys, _ in counted]
        self.counts_ = [counts for _, counts in counted]
        return self

    def predict_proba_keys(self, levels: Sequence[Keys]) -> NDArray[np.float64]:
        """Return the probability of each class, one row for each sample.

        Parameters
        ----------
        levels
            Keys of the samples at the same levels as in training.
        """
        check_is_fitted(self)
        _check_keys(levels)
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
        check_is_fitted(self)
        counts = self.prior_counts_[np.newaxis]
        if counts.sum() + self.smoothing == 0:
            counts = np.ones_like(counts)
        estimate: NDArray[np.float64] = self._estimate(counts)[0]
        return estimate

    @property
    def n_parameters(self) -> int:
        """Entries times classes, over all levels, as counted in Table 7 of the SVM paper."""
        check_is_fitted(self)
        return sum(counts.size for counts in self.counts_)

    def state(self) -> dict[str, NDArray[Any]]:
        """Return everything that was learnt, as arrays by name."""
        check_is_fitted(self)
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

    def _estimate(self, counts: Counts) -> NDArray[np.float64]:
        """Smooth and normalise rows of counts, with operations in the same order as in Moses."""
        smoothed = counts + np.float64(self.smoothing)
        smoothed /= smoothed.sum(axis=1, keepdims=True)
        return smoothed

    def _check_options(self) -> None:
        check_granularity(self.granularity)
        if not 0 <= self.smoothing < np.inf:
            raise OptionError(f"smoothing must be 0 or more and finite, not {self.smoothing}")


def _row_keys(rows: Rows) -> Keys:
    return _native.row_keys(rows.indptr, rows.indices, rows.values)


def _count(
    keys: Keys, y: NDArray[np.int64], n_classes: int, weights: NDArray[np.float64] | None
) -> tuple[Keys, Counts]:
    """Return the distinct keys, in ascending order, and how often each occurs in each class."""
    unique, place = _native.unique_keys(np.ascontiguousarray(keys))
    place *= n_classes
    place += y
    counts = np.bincount(place, weights, len(unique) * n_classes).reshape(-1, n_classes)
    compact = counts.astype(np.float32)
    exact = bool((compact == counts).all())
    return unique, compact if exact else counts.astype(np.float64)


def _check_keys(levels: Sequence[Keys]) -> None:
    if not levels:
        raise OptionError("give the keys of at least one level")
    for keys in levels:
        if not isinstance(keys, np.ndarray) or keys.dtype != np.uint64 or keys.ndim != 1:
            raise OptionError("keys must be one-dimensional arrays of uint64")
        if len(keys) != len(levels[0]):
            raise OptionError(f"levels differ in length: {len(levels[0]):,} and {len(keys):,} keys")


def _check_labels(y: NDArray[np.integer[Any]], length: int, n_classes: int) -> NDArray[np.int64]:
    y = np.asarray(y)
    if y.shape != (length,) or not (np.issubdtype(y.dtype, np.integer) or y.size == 0):
        raise OptionError(f"give {length:,} classes as integers, one for each sample")
    if y.size and (y.min() < 0 or y.max() >= n_classes):
        raise OptionError(f"classes must be 0 to {n_classes - 1}: {y.min()} to {y.max()} given")
    return y.astype(np.int64, copy=False)


def _check_weights(weights: NDArray[np.float64] | None, length: int) -> NDArray[np.float64] | None:
    if weights is None:
        return None
    weights = np.asarray(weights, np.float64)
    if weights.shape != (length,):
        raise OptionError(f"give {length:,} weights, one for each sample")
    if not (np.isfinite(weights) & (weights >= 0)).all():
        raise OptionError("weights must be 0 or more, and finite")
    return weights


def _check_counts(name: str, counts: NDArray[Any], rows: int, n_classes: int) -> None:
    if counts.shape != (rows, n_classes) or n_classes < 1:
        raise OptionError(f"{name} must be {rows:,} rows of {n_classes} counts: {counts.shape}")
    if counts.dtype not in (np.float32, np.float64):
        raise OptionError(f"{name} must be floating point: {counts.dtype}")
    if not (np.isfinite(counts) & (counts >= 0)).all():
        raise OptionError(f"{name} must be 0 or more, and finite")
