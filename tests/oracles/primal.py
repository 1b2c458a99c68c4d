"""Logistic regression in the primal by NumPy, on dense rows."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float64]


def log_probabilities(X: Matrix, w: Matrix) -> Matrix:
    scores = X @ w
    scores -= scores.max(axis=1, keepdims=True)
    found: Matrix = scores - np.log(np.exp(scores).sum(axis=1, keepdims=True))
    return found


def log_loss(X: Matrix, y: NDArray[Any], q: Matrix, w: Matrix) -> tuple[float, Matrix]:
    """Return -Σ q log p(y|x) and its gradient; w has a row for each feature."""
    log_p = log_probabilities(X, w)
    truth = np.eye(w.shape[1])[y]
    loss = -float(q @ log_p[np.arange(len(y)), y])
    return loss, X.T @ ((np.exp(log_p) - truth) * q[:, np.newaxis])
