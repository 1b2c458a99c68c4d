"""Directions of L-BFGS by the textbook's two loops, and the moves of OWL-QN, by NumPy."""

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]


def direction(steps: list[tuple[Vector, Vector]], slope: Vector) -> Vector:
    """Return -H · slope (Nocedal 1980); a step is a difference of x and one of g, oldest first."""
    d = -slope
    factors = []
    for s, y in reversed(steps):
        factors.append((s @ d) / (s @ y))
        d = d - factors[-1] * y
    if steps:
        s, y = steps[-1]
        d = d * (s @ y) / (y @ y)
    for (s, y), factor in zip(steps, reversed(factors), strict=True):
        d = d + (factor - (y @ d) / (s @ y)) * s
    return d


def pseudo_gradient(x: Vector, gradient: Vector, strength: Vector) -> Vector:
    """Return the steepest slope of f(x) + Σ strength |x| (Andrew and Gao 2007, eq. 4)."""
    right, left = gradient + strength, gradient - strength
    at_zero = np.where(left > 0, left, np.where(right < 0, right, 0.0))
    return np.where(x > 0, right, np.where(x < 0, left, at_zero))


def move(x: Vector, d: Vector, length: float, slope: Vector, *, kinks: bool) -> Vector:
    """Return x + length · d; with kinks where d leads down, and within the orthant."""
    if not kinks:
        return x + length * d
    to = x + length * np.where(d * slope < 0, d, 0.0)
    orthant = np.where(x == 0, -np.sign(slope), np.sign(x))
    return np.where(np.sign(to) == orthant, to, 0.0)
