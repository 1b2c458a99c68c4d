"""From scores to probabilities; imports nothing that takes long."""

from __future__ import annotations

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

Real = TypeVar("Real", np.float32, np.float64)


def softmax(scores: NDArray[Real]) -> NDArray[Real]:
    """Return probabilities proportional to the exponentials of the scores."""
    found: NDArray[Real] = np.exp(log_softmax(scores))
    return found


def log_softmax(scores: NDArray[Real]) -> NDArray[Real]:
    """Return the logarithms of `softmax`, summed in double precision."""
    shifted = scores - scores.max(axis=1, keepdims=True)
    sums = np.exp(shifted, dtype=np.float64).sum(axis=1, keepdims=True)
    found: NDArray[Real] = (shifted - np.log(sums)).astype(scores.dtype)
    return found
