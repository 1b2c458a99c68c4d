"""L-BFGS (Liu and Nocedal 1989), and OWL-QN for an added L1 norm (Andrew and Gao, ICML 2007).

Problem: minimise over x  F(x) = f(x) + Σ_j strength_j |x_j|,  f convex with gradient g.

Direction: -H times the slope of F; ``native/models/lbfgs.hpp`` explains the symbols and has the
operations on whole vectors. Step: 1, then shorter until F falls by a share of what the slope
predicts. The next trial is the minimum of the parabola through the known values, and at most half
the last step.

Stopping rule: the last ten iterations lowered F by at most ``tol`` · |F| each, on average;
or the predicted decrease is lost in rounding.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tartib import _native
from tartib.errors import native_refusals

Vector = NDArray[np.float64]
Evaluate = Callable[[Vector, Vector], float]
Report = Callable[[int, float, Vector], None]

WINDOW = 10  # iterations to average over: single ones may gain little
_ENOUGH = 1e-4  # share of the predicted decrease that a step must reach
_TRIALS = 30
_ROUNDING = 64 * np.finfo(np.float64).eps


@dataclass(frozen=True)
class Solution:
    """Where the search ended; not ``converged`` if iterations ran out or no step lowered F."""

    x: Vector
    value: float
    iterations: int
    converged: bool


def minimise(
    evaluate: Evaluate,
    start: Vector,
    strength: Vector | None = None,
    *,
    tol: float,
    max_iter: int,
    history: int = 10,
    threads: int = 1,
    report: Report | None = None,
) -> Solution:
    """Minimise f(x) + Σ_j strength_j |x_j|.

    Parameters
    ----------
    evaluate
        Called with x and a vector for the gradient of f; returns F.
    start
        Starting point; it is overwritten.
    strength
        Strength of the L1 penalty on each x_j; None for no penalty, which is plain L-BFGS.
    tol
        Stop when iterations lower F by at most this share of it, averaged over ten.
    max_iter
        Maximum number of iterations.
    history
        Number of past steps that H is estimated from.
    threads
        Number of threads. The result is the same for any number.
    report
        Called after each iteration with its number, F and its slope.
    """
    descent = _Descent(evaluate, start, strength, history, threads)
    values = deque([descent.here.value], maxlen=WINDOW + 1)
    for iteration in range(max_iter):
        promise = descent.aim()
        if 0 <= -promise <= _ROUNDING * abs(values[-1]):
            return descent.end(iteration, converged=True)
        if not descent.step():
            return descent.end(iteration, converged=False)
        values.append(descent.here.value)
        if report is not None:
            report(iteration + 1, values[-1], descent.here.slope)
        fall = (values[0] - values[-1]) / WINDOW
        if len(values) > WINDOW and fall <= tol * abs(values[-1]):
            return descent.end(iteration + 1, converged=True)
    return descent.end(max_iter, converged=False)


@dataclass
class _Point:
    """A point with F, g and the slope of F there; the slope is g if there is no L1 penalty."""

    x: Vector
    gradient: Vector
    slope: Vector
    value: float = np.inf

    @classmethod
    def at(cls, x: Vector, *, kinks: bool) -> _Point:
        gradient = np.empty_like(x)
        return cls(x, gradient, np.empty_like(x) if kinks else gradient)


class _Descent:
    """The best point so far, a second point for trials, and the search direction."""

    def __init__(
        self, evaluate: Evaluate, start: Vector, strength: Vector | None, history: int, threads: int
    ) -> None:
        self._evaluate, self._strength, self._threads = evaluate, strength, threads
        with native_refusals():
            self._curvature = _native.Curvature(len(start), history, threads)
        self._direction = np.zeros_like(start)
        kinks = strength is not None
        self.here = _Point.at(start, kinks=kinks)
        self._there = _Point.at(start.copy(), kinks=kinks)
        self._look(self.here)

    def aim(self) -> float:
        """Set the direction; return the predicted change of F for a step of 1."""
        self._curvature.direction(self.here.slope, self._direction)
        promise = self._move(1.0)
        if not promise <= 0 and len(self._curvature):  # H is bad: fall back to steepest descent
            self._curvature.forget()
            return self.aim()
        return promise

    def step(self) -> bool:
        """Take a step in the direction; return False if F does not fall."""
        if not self._search():
            if not len(self._curvature):
                return False
            self._curvature.forget()
            self.aim()
            if not self._search():
                return False
        here, there = self.here, self._there
        self._curvature.learn(here.x, there.x, here.gradient, there.gradient)
        self.here, self._there = there, here
        return True

    def end(self, iterations: int, *, converged: bool) -> Solution:
        return Solution(self.here.x, self.here.value, iterations, converged)

    def _search(self) -> bool:
        length = 1.0
        for _ in range(_TRIALS):
            promise = self._move(length)
            if not promise < 0:
                return False
            self._look(self._there)
            rise = self._there.value - self.here.value
            if rise <= _ENOUGH * promise:
                return True
            lowest = -promise / (2 * (rise - promise))  # of the parabola, relative to length
            length *= min(max(lowest, 0.1), 0.5) if np.isfinite(lowest) else 0.1
        return False

    def _move(self, length: float) -> float:
        return _native.move(
            self.here.x, self._direction, length, self.here.slope, self._strength is not None,
            self._there.x, self._threads,
        )  # fmt: skip

    def _look(self, point: _Point) -> None:
        """Compute F, gradient and slope at a point whose x is set."""
        point.value = self._evaluate(point.x, point.gradient)
        if self._strength is not None:
            _native.pseudo_gradient(
                point.x, point.gradient, self._strength, point.slope, self._threads
            )
