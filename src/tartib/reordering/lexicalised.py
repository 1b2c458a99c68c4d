"""`LexicalisedModel`: how often each phrase pair was seen in each orientation.

The lexicalised reordering model (SVM paper section 4, eq. 4; Moses' ``lexical-reordering-score``):

    p(o | f, e) = (count(o, f, e) + s) / (Σ_o' count(o', f, e) + K s)

with K classes and smoothing s; the papers' relative frequency is s = 0, Moses' default is s = 0.5.
A pair that was never seen is looked up by its source side alone; if that was never seen either, it
gets the distribution over all training pairs. (A Moses reordering table has no such back-off.)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from tartib import _native
from tartib.errors import OptionError
from tartib.models.base import Matrix, ProbabilisticClassifier, Rows
from tartib.reordering.inputs import Keys
from tartib.reordering.key_counts import Counts, KeyCounts, check_keys


class LexicalisedModel(KeyCounts, ProbabilisticClassifier):
    """Smoothed relative frequencies of classes for each key, with back-off.

    `fit_keys` counts phrase pairs by their keys, at several levels of back-off. `fit` takes rows,
    as scikit-learn's classifiers do, and counts equal ones: there is one level, and a row that was
    never seen gets the distribution over all rows.

    Parameters
    ----------
    granularity, smoothing
        As in `KeyCounts`; granularity makes no difference to `fit`, which counts rows.

    Attributes
    ----------
    classes_
        The labels; after `fit_keys` they are numbers from 0. Others are those of `KeyCounts`.
    """

    def __init__(self, granularity: str = "fe", smoothing: float = 0.5) -> None:
        super().__init__(granularity, smoothing)

    def _check_fitted(self) -> None:
        check_is_fitted(self)

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
        check_keys(levels)
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
