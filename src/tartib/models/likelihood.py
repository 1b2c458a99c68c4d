"""The likelihood of multinomial logistic regression, for methods that work on the weights."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tartib import _native
from tartib.models.base import LinearClassifier, Reals, TrainingSet, native_refusals

Vector = NDArray[np.float64]


class LogLoss:
    """L(w) = -Σ_i q_i log p(y_i | x_i) and its gradient; ``native/maxent.hpp`` has the formulas.

    Parameters
    ----------
    training
        Rows, labels and weights.
    intercept
        Whether each row has a constant 1 besides.
    threads
        The result is the same for any number.

    Attributes
    ----------
    size
        Length of w: the classes of a feature lie side by side.
    """

    def __init__(self, training: TrainingSet, *, intercept: bool, threads: int) -> None:
        samples = training.rows.samples(intercept=intercept)
        with native_refusals():
            self._native = _native.LogLoss(
                samples, training.y, training.weights, len(training.classes), threads
            )
        self.size = self._native.size

    def __call__(self, w: Vector) -> tuple[float, Vector]:
        """Return loss and gradient."""
        return self._native.evaluate(w)


def padded(w: Vector, training: TrainingSet) -> Reals:
    """Return weights as the scoring kernels want them."""
    classes = len(training.classes)
    shape = len(w) // classes, _native.stride_of(classes)
    out = np.zeros(shape, training.rows.real)
    out[:, :classes] = w.reshape(-1, classes)
    return out.reshape(-1)


def last_weights(model: LinearClassifier, training: TrainingSet) -> Vector | None:
    """Return the weights of an earlier fit, unpadded, if columns and classes are the same."""
    last = getattr(model, "weights_", None)
    classes = len(training.classes)
    features = training.rows.n_features + bool(model.fit_intercept)
    if last is None or last.shape != (features, _native.stride_of(classes)):
        return None
    if not np.array_equal(model.classes_, training.classes):
        return None
    return np.ascontiguousarray(last[:, :classes], np.float64).reshape(-1)
