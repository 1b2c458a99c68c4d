"""Counts of features in classes, and what presence tells, by loops."""

from math import log
from typing import Any

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float64]


def count_features(
    X: Matrix, y: NDArray[Any], q: Matrix, classes: int, *, presence: bool
) -> Matrix:
    counts = np.zeros((X.shape[1], classes))
    for row, label, weight in zip(X, y, q, strict=True):
        counts[:, label] += weight * (row != 0 if presence else row)
    return counts


def mutual_information(present: list[bool], y: list[int], q: list[float]) -> float:
    """Return what one feature tells, from the samples themselves."""
    total, told = sum(q), 0.0

    def share(b: bool | None, k: int | None) -> float:
        chosen = (
            w for p, c, w in zip(present, y, q, strict=True) if b in (None, p) and k in (None, c)
        )
        return sum(chosen) / total

    for b in (False, True):
        for k in set(y):
            if share(b, k) > 0:
                told += share(b, k) * log(share(b, k) / (share(b, None) * share(None, k)))
    return told
