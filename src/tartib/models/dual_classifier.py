"""The dual methods as classifiers: from arguments to a problem, warm starts, growing C.

The epochs are in ``dual.py``.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from tartib import _native
from tartib.errors import native_refusals
from tartib.models.base import LinearClassifier, Matrix, Reals, TrainingSet, seed_of
from tartib.models.dual import (
    DualOptions,
    DualSolution,
    Problem,
    approach,
    solve_dual,
)
from tartib.models.trace import Callback, Epoch, Tracer, tracing

_SMALL = 1 << 18  # products a pass; that small a problem is solved exactly, in double precision
_MILD = 8.0  # with more C ‖x‖² or σ² ‖x‖², training begins with less, and C or σ² grows
_GROWTH = 4  # by this factor at a time, a power of 2: α stays at its bounds without rounding,
_STAGE_EPOCHS = 200  # as long as that takes no more epochs,
_BOUND = 0.2  # and the weights' share stays below this


@dataclass(frozen=True)
class LastFit:
    """The state from which a warm start continues.

    Attributes
    ----------
    y, weights
        What α was fitted to; with other labels or weights α could be out of bounds.
    alpha
        Dual variables.
    strength
        C or σ².
    """

    y: NDArray[np.int32]
    weights: NDArray[np.float64] | None
    alpha: Reals
    strength: float

    def fits(self, training: TrainingSet) -> bool:
        """Tell whether the samples have the same labels, weights and precision."""
        return (
            len(self.alpha) == len(training.rows) * len(training.classes)
            and self.alpha.dtype == training.rows.real
            and np.array_equal(self.y, training.y)
            and _same_weights(self.weights, training.weights)
        )


def _same_weights(one: Reals | None, other: Reals | None) -> bool:
    if one is None or other is None:
        return one is other
    return np.array_equal(one, other)


def growth_stages(training: TrainingSet, strength: float, least: float) -> int:
    """Return how often C, or σ², grows before it has its value.

    A step changes the dual variables of a sample by about 1 / ‖x‖². Where C is many times that, and
    many samples end at their bounds, they need as many epochs to get there. With a smaller C they
    do so at once, and multiplied with C they are nearly right for a larger one. With more columns
    than rows, samples are separable as a rule, and few are at their bounds.

    Parameters
    ----------
    training
        The samples.
    strength
        C or σ².
    least
        C ‖x‖² or σ² ‖x‖² to begin with, or less.
    """
    conditioning = strength * training.mean_norm
    if len(training.rows) <= training.rows.n_features or not _MILD < conditioning < np.inf:
        return 0
    return int(np.ceil(np.log(conditioning / least) / np.log(_GROWTH)))


class DualClassifier(LinearClassifier):
    """A linear classifier trained through its dual problem, which subclasses define."""

    tol: float
    epsilon: float
    shrinking: str | None
    max_iter: int
    warm_start: bool
    random_state: int
    callback: Callback | None
    progress: bool
    n_iter_: int
    trace_: list[Epoch]
    dual_gap_: float

    _title: ClassVar[str]
    _least: ClassVar[float]  # C ‖x‖² or σ² ‖x‖² at which C or σ² begins to grow,
    _rough: ClassVar[float]  # and the gap at which it grows

    def fit(self, X: Matrix, y: Any = None, sample_weight: Any = None) -> Self:  # noqa: ANN401
        """Train.

        Parameters
        ----------
        X
            A `Dataset`, which brings labels and weights, or a matrix, sparse or dense.
        y
            Labels of any type.
        sample_weight
            Weight of each sample: how many equal samples it stands for.
        """
        strength = self._strength()
        options = DualOptions(
            self.tol, self.epsilon, self.shrinking, self.max_iter, seed_of(self.random_state)
        )
        training = self._read_training(X, y, sample_weight)
        if len(training.classes) == 1:
            self._set_weights(training, None)
            self.n_iter_, self.trace_, self.dual_gap_ = 1, [], 0.0
            return self
        with tracing(self._title, self.callback, training.check, progress=self.progress) as tracer:
            solution = self._solve(training, strength, options, tracer)
        self._set_weights(training, solution.weights)
        self.n_iter_, self.trace_ = solution.epochs, tracer.epochs
        self.dual_gap_ = solution.gap
        return self

    def _solve(
        self, training: TrainingSet, strength: float, options: DualOptions, tracer: Tracer
    ) -> DualSolution:
        last: LastFit | None = getattr(self, "_last", None) if self.warm_start else None
        epochs = 0
        problem = self._problem(training, strength)
        if last is not None and last.fits(training):
            problem = replace(problem, small=False)  # near the optimum already
        else:
            last = None
            if options.shrinking != "paper":
                last, epochs = self._grow(training, strength, options, tracer)
        solver, alpha = self._start(last, training, strength, options)
        solution = solve_dual(solver, problem, options, tracer, epochs)
        if self.warm_start:
            self._last = LastFit(training.y, training.weights, alpha, strength)
        return solution

    def _grow(
        self, training: TrainingSet, strength: float, options: DualOptions, tracer: Tracer
    ) -> tuple[LastFit | None, int]:
        """Solve roughly with smaller C; return the last state, if that helps, and the epochs."""
        last, epochs = None, 0
        for stage in range(growth_stages(training, strength, self._least), 0, -1):
            most = min(epochs + _STAGE_EPOCHS, options.max_iter // 2)
            if most <= epochs:
                return None, epochs
            weaker = strength / _GROWTH**stage
            solver, alpha = self._start(last, training, weaker, options)
            problem = replace(self._problem(training, weaker), small=False)
            rough = replace(options, tol=max(options.tol, self._rough), max_iter=most)
            found = approach(solver, problem, rough, tracer, epochs)
            epochs = found.epochs
            if found.share is None or found.share > _BOUND:
                return None, epochs
            last = LastFit(training.y, training.weights, alpha, weaker)
        return last, epochs

    def _start(
        self, last: LastFit | None, training: TrainingSet, strength: float, options: DualOptions
    ) -> tuple[_native.DualSolver, Reals]:
        """Return a solver and α, which continues from another strength, if any."""
        if last is None:
            alpha, moved = self._begin(training)
        else:
            alpha, moved = self._again(last, training, strength), True
        with native_refusals():
            samples = training.rows.samples(intercept=self.fit_intercept)
            solver = self._solver(samples, training, alpha, strength, options)
        if moved:
            solver.refresh()
        return solver, alpha

    @staticmethod
    def _small(training: TrainingSet) -> bool:
        """Tell whether to find the optimum itself, which single precision does not reach."""
        return training.rows.values is not None and training.products <= _SMALL

    @abstractmethod
    def _strength(self) -> float:
        """Check the options and return the weight of the losses: C or σ²."""

    @abstractmethod
    def _problem(self, training: TrainingSet, strength: float) -> Problem:
        """Return what the epochs need to know."""

    @abstractmethod
    def _begin(self, training: TrainingSet) -> tuple[Reals, bool]:
        """Return the initial α, and whether w(α) differs from 0 there."""

    @abstractmethod
    def _again(self, last: LastFit, training: TrainingSet, strength: float) -> Reals:
        """Return α for a warm start."""

    @abstractmethod
    def _solver(
        self,
        samples: _native.Samples,
        training: TrainingSet,
        alpha: Reals,
        strength: float,
        options: DualOptions,
    ) -> _native.DualSolver:
        """Make the native solver for the problem."""
