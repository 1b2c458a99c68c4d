"""The likelihood of multinomial logistic regression, for methods that work in the primal."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from tartib import _native
from tartib.errors import native_refusals
from tartib.models.base import LinearClassifier, Reals, TrainingSet

Vector = NDArray[np.float64]


class LogLoss:
    """F(w) = -Σ_i q_i log p(y_i | x_i) + ridge/2 · ‖w‖² + lasso · ‖w‖₁, and its gradient.

    ``native/models/maxent.hpp`` has the formulas. For rows without values, the weights are rounded
    to single precision before F is computed; sums are in double precision.

    Parameters
    ----------
    training
        Rows, labels and weights.
    intercept
        Whether each row has an additional constant 1.
    threads
        Number of threads. The result is the same for any number.
    units
        Unit in which the weights of each feature are measured; None if all units are 1.
    ridge, lasso
        Strengths of the penalties.

    Attributes
    ----------
    size
        Length of w, in which the classes of a feature are stored side by side.
    """

    def __init__(
        self,
        training: TrainingSet,
        *,
        intercept: bool,
        threads: int,
        units: Vector | None = None,
        ridge: float = 0.0,
        lasso: float = 0.0,
    ) -> None:
        samples = training.rows.samples(intercept=intercept)
        if units is None:
            units = np.ones(training.rows.n_features + intercept)
        with native_refusals():
            self._native = _native.LogLoss(
                samples, training.y, training.weights, len(training.classes), units, ridge, lasso,
                threads,
            )  # fmt: skip
        self.size = self._native.size

    def __call__(self, w: Vector, gradient: Vector) -> float:
        """Return F, and write the gradient of all terms but the last to ``gradient``."""
        return self._native.evaluate(w, gradient)


def natural_scale(training: TrainingSet, ridge: float, *, intercept: bool, threads: int) -> Vector:
    """Return units for the weights: one unit of each changes the loss by about the same amount.

    A unit is 1 / √h, where h is the diagonal of the Hessian of the loss plus ridge/2 · ‖w‖² at
    w = 0. Some columns occur many times as often as others. These units make up for that, so that a
    quasi-Newton method needs far fewer iterations.
    """
    rows, classes = training.rows, len(training.classes)
    if rows.values is not None:
        squares = np.minimum(np.square(rows.values, dtype=np.float64), 1e30).astype(np.float32)
        rows = replace(rows, values=squares)
    one = np.zeros(len(rows), np.int32)
    with native_refusals():
        sums = _native.count_features(
            rows.samples(intercept=intercept), one, training.weights, 1, False, threads
        )
    curvature = sums * (1 - 1 / classes) / classes + ridge
    curvature[curvature == 0] = 1.0  # the weights of columns that never occur stay 0
    units: Vector = 1 / np.sqrt(curvature)
    return units


def padded(w: Vector, training: TrainingSet) -> Reals:
    """Return the weights in the padded layout of the scoring kernels."""
    classes = len(training.classes)
    shape = len(w) // classes, _native.stride_of(classes)
    out = np.zeros(shape, training.rows.real)
    out[:, :classes] = w.reshape(-1, classes)
    return out.reshape(-1)


def last_weights(
    last: Reals | None, model: LinearClassifier, training: TrainingSet
) -> Vector | None:
    """Return the weights of an earlier fit, unpadded, if columns and classes are the same."""
    classes = len(training.classes)
    features = training.rows.n_features + bool(model.fit_intercept)
    if last is None or last.shape != (features, _native.stride_of(classes)):
        return None
    if not np.array_equal(model.classes_, training.classes):
        return None
    return np.ascontiguousarray(last[:, :classes], np.float64).reshape(-1)
