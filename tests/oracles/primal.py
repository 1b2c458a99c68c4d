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


def sgd_epoch(
    X: Matrix, y: NDArray[Any], q: Matrix, w: Matrix, order: list[int], eta0: float, lam: float,
    steps: float = 0.0,
) -> tuple[float, Matrix]:  # fmt: skip
    """Return Σ of losses at the visits, and w after one step for each row of ``order``."""
    w, total = w.copy(), 0.0
    for row in order:
        if q[row] == 0:
            continue
        first = eta0 / (1 + eta0 * lam * (steps + 1))
        safe = min(q[row], q[row] * first * float(X[row] @ X[row]) / 2)
        pieces = int(np.clip(np.ceil(safe), 1, 1024)) if q[row] > 1 else 1
        part = q[row] / pieces
        for piece in range(pieces):
            steps += part
            eta = eta0 / (1 + eta0 * lam * max(steps, 1.0))
            loss, gradient = log_loss(X[[row]], y[[row]], np.ones(1), w)
            total += q[row] * loss if piece == 0 else 0.0
            w = (1 - eta * lam) ** part * w - eta * part * gradient
    return total, w
