"""OWL-QN: L-BFGS for a smooth convex function plus an L1 norm (Andrew and Gao, ICML 2007).

Problem: minimise over x  F(x) = f(x) + Σ_j strength_j |x_j|,  f convex with gradient g.

Symbols: the pseudo-gradient ◇F (eq. 4 of the paper) is the steepest slope of F where F has a kink;
the direction is d = -H ◇F with L-BFGS's H, made of differences of x and of g alone; wherever d and
-◇F point to different sides, d is 0. The line search halves the step and never leaves the orthant
ξ of x, or of -◇F where x is 0: what would cross an axis becomes exactly 0.

Stopping rule: max |◇F(x)| ≤ ``tolerance``, or no step lowers F any more.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]
Strength = float | Vector
Evaluate = Callable[[Vector], tuple[float, Vector]]
Report = Callable[[int, float, Vector], None]
Pairs = deque[tuple[Vector, Vector, float]]  # differences s of x and y of g, and 1 / (s·y)

_ENOUGH = 1e-4  # share of the slope's promise that a step must keep
_HALVINGS = 40
_ROUNDING = 64 * np.finfo(np.float64).eps


@dataclass(frozen=True)
class Point:
    """A place with all that is known of it: F, g and ◇F."""

    x: Vector
    value: float
    gradient: Vector
    pseudo: Vector


@dataclass(frozen=True)
class Solution:
    """Where the method ended; not ``converged`` if the iterations were used up."""

    x: Vector
    value: float
    iterations: int
    converged: bool


def minimise_l1(
    evaluate: Evaluate,
    start: Vector,
    strength: Strength,
    *,
    tolerance: float,
    max_iter: int,
    history: int = 10,
    report: Report | None = None,
) -> Solution:
    """Minimise f(x) + Σ_j strength_j |x_j|.

    Parameters
    ----------
    evaluate
        Returns f and its gradient.
    start
        Where to begin.
    strength
        What a unit of x costs: of all, or of each.
    tolerance
        Largest entry of the pseudo-gradient at the end.
    max_iter
        The most iterations.
    history
        How many differences H is made of.
    report
        Called after each iteration with its number, F and ◇F.
    """
    pairs: Pairs = deque(maxlen=history)
    here = _look(evaluate, start, strength)
    for iteration in range(max_iter + 1):
        if np.abs(here.pseudo).max(initial=0.0) <= tolerance:
            return Solution(here.x, here.value, iteration, converged=True)
        if iteration == max_iter:
            break
        there = _step(evaluate, here, strength, pairs)
        if there is None and pairs:  # H may be at fault: once more, by steepest descent
            pairs.clear()
            there = _step(evaluate, here, strength, pairs)
        if there is None:  # no step lowers F: as low as rounding lets it be, or lost
            return Solution(here.x, here.value, iteration, converged=False)
        _remember(pairs, there.x - here.x, there.gradient - here.gradient)
        small = here.value - there.value <= _ROUNDING * max(abs(here.value), abs(there.value), 1.0)
        here = there
        if report is not None:
            report(iteration + 1, here.value, here.pseudo)
        if small:
            return Solution(here.x, here.value, iteration + 1, converged=True)
    return Solution(here.x, here.value, max_iter, converged=False)


def pseudo_gradient(x: Vector, gradient: Vector, strength: Strength) -> Vector:
    """Return ◇F: at 0 the slope of the side that falls, or 0 if neither does."""
    at_zero = np.sign(gradient) * np.maximum(np.abs(gradient) - strength, 0.0)
    return np.where(x == 0, at_zero, gradient + strength * np.sign(x))


def two_loop(pairs: Pairs, slope: Vector) -> Vector:
    """Return -H · slope (Nocedal 1980)."""
    direction = -slope
    factors = []
    for s, y, rho in reversed(pairs):
        factor = rho * (s @ direction)
        direction -= factor * y
        factors.append(factor)
    if pairs:
        _, y, rho = pairs[-1]
        direction /= rho * (y @ y)
    for (s, y, rho), factor in zip(pairs, reversed(factors), strict=True):
        direction += (factor - rho * (y @ direction)) * s
    return direction


def _look(evaluate: Evaluate, x: Vector, strength: Strength) -> Point:
    value, gradient = evaluate(x)
    value += float((strength * np.abs(x)).sum())
    return Point(x, value, gradient, pseudo_gradient(x, gradient, strength))


def _step(evaluate: Evaluate, here: Point, strength: Strength, pairs: Pairs) -> Point | None:
    """Search along the direction, within the orthant; None if no step lowers F."""
    direction = two_loop(pairs, here.pseudo)
    direction[direction * here.pseudo >= 0] = 0.0
    orthant = np.where(here.x == 0, -np.sign(here.pseudo), np.sign(here.x))
    length = 1.0 if pairs else min(1.0, 1.0 / float(np.linalg.norm(here.pseudo)))
    for _ in range(_HALVINGS):
        x = here.x + length * direction
        x[x * orthant <= 0] = 0.0
        promise = float(here.pseudo @ (x - here.x))
        there = _look(evaluate, x, strength)
        if promise < 0 and there.value <= here.value + _ENOUGH * promise:
            return there
        length /= 2
    return None


def _remember(pairs: Pairs, s: Vector, y: Vector) -> None:
    """Keep differences that leave H positive definite."""
    product = float(s @ y)
    if product > np.finfo(np.float64).eps * float(y @ y):
        pairs.append((s, y, 1.0 / product))
