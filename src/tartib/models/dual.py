"""The epochs of dual methods: order, shrinking, stopping rule and trace.

The inner passes and the block scheme are in ``native/models/dual.hpp``; this module has the outer
loop of the papers' algorithms.
"""

from __future__ import annotations

import warnings
from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from tartib import _native
from tartib.engine import count_jobs
from tartib.errors import OptionError, native_refusals
from tartib.models.base import (
    LinearClassifier,
    Matrix,
    Reals,
    TrainingSet,
    check_count,
    check_positive,
    seed_of,
)
from tartib.models.row_parts import take_rows
from tartib.models.trace import Callback, Epoch, Tracer, tracing

SHRINKING = ("safe", "paper", None)

_ONE_LANE = 1 << 15  # with fewer rows, threads are not worth having
_STILL = 3  # one-way shrinking ends after this many epochs without a change
_RUN_BLOCKS = 64  # neighbouring blocks are visited together, to read memory in order
_SLICE_BLOCKS = 1 << 14  # about a million rows between two chances to interrupt


@dataclass(frozen=True)
class DualOptions:
    """Options of all dual methods.

    Parameters
    ----------
    tol
        ε: stop when no sample violates its optimality condition by more.
    shrinking
        ``paper``: a sample whose violation is at most ``tol`` is never visited again. ``safe``: a
        sample that an epoch left unchanged is skipped in the next epoch only. None: every epoch
        visits all samples.
    max_iter
        Maximum number of epochs.
    seed
        Seed of the order in which samples are visited.
    inner
        A sample is updated if its violation exceeds this share of ``tol``. A share below 1 helps
        a method that must end with no violation above ``tol`` anywhere. With ``paper`` the share
        is 1: whatever is not shrunk is updated.
    """

    tol: float
    shrinking: str | None
    max_iter: int
    seed: int
    inner: float

    def __post_init__(self) -> None:
        check_positive("tol", self.tol)
        if self.shrinking not in SHRINKING:
            raise OptionError(f"shrinking must be 'safe', 'paper' or None, not {self.shrinking!r}")
        check_count("max_iter", self.max_iter)

    @property
    def epsilon_of_kernel(self) -> float:
        """The largest violation that a native pass does not update."""
        return self.tol if self.shrinking == "paper" else self.tol * self.inner


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


@dataclass(frozen=True)
class DualSolution:
    """The weights as stored in memory, and both objectives."""

    weights: Reals
    epochs: int
    primal: float
    dual: float


def solve_dual(
    solver: _native.DualSolver,
    count: int,
    *,
    tau: float,
    options: DualOptions,
    tracer: Tracer,
) -> DualSolution:
    """Minimise D(α) = ‖w(α)‖² / (2 tau) + Σ φ(α), starting from the current α and w.

    Parameters
    ----------
    solver
        Holds the samples, and changes α in place.
    count
        Number of samples.
    tau
        1 for the SVM, σ² for logistic regression.
    options
        Stopping rule, shrinking and seed.
    tracer
        Records each epoch.
    """
    rng = np.random.default_rng(options.seed)
    active, converged, epoch = count, False, 0
    lanes = _native.LANES if count >= _ONE_LANE else 1
    objective, still = np.inf, 0
    found: _native.CheckStats | None = None
    while not converged and epoch < options.max_iter:
        epoch += 1
        whole = options.shrinking is None or (options.shrinking == "safe" and epoch % 2 == 1)
        if whole:
            solver.activate()
            active = count
        found = None
        stats = run_epoch(solver, visiting_order(rng, solver.blocks, lanes), lanes)
        if stats.gamma < 0.7 * stats.rounds:  # too many lanes: they undo one another's work
            lanes = max(1, lanes // 2)
        before, objective = objective, solver.norm / (2 * tau) + solver.potential
        still = still + 1 if objective == before else 0
        tracer.add(
            epoch,
            objective,
            violation=finite_violation(stats.worst),
            active=stats.visited / count,
            updated=stats.updated / count,
        )
        active -= stats.shrunk
        if active == 0 or stats.worst <= options.tol:
            if options.shrinking == "paper":
                converged = True
            elif whole:  # w kept changing during the epoch, so check again
                found = solver.check(0, count)
                converged = found.worst <= options.tol
        elif options.shrinking == "paper" and still == _STILL:
            converged = True  # rounding keeps the last samples from changing
    if not converged:
        warnings.warn(
            f"not converged after {epoch} epochs; raise max_iter or tol",
            ConvergenceWarning,
            stacklevel=4,
        )
    if found is None:
        found = solver.check(0, count)
    norm = solver.norm / (2 * tau)
    primal, dual = norm + found.loss, norm + found.potential
    if not np.isfinite(primal + dual):
        raise OptionError("the weights have grown to infinity: use more regularisation")
    tracer.add(0, dual, gap=primal + dual, violation=finite_violation(found.worst))
    return DualSolution(solver.weights(), epoch, primal, dual)


def finite_violation(worst: float) -> float | None:
    """Return a violation for the trace: None if α has not changed yet."""
    return max(worst, 0.0) if np.isfinite(worst) else None


@dataclass
class EpochStats:
    """What one epoch did, summed over its slices."""

    visited: int = 0
    updated: int = 0
    shrunk: int = 0
    rounds: int = 0
    gamma: float = 0.0
    worst: float = -np.inf


def run_epoch(solver: _native.DualSolver, order: NDArray[np.int64], lanes: int) -> EpochStats:
    """Visit the active samples of all blocks, in slices so that the user can interrupt."""
    total = EpochStats()
    for begin in range(0, len(order), _SLICE_BLOCKS):
        found = solver.run(order[begin : begin + _SLICE_BLOCKS], lanes)
        total.visited += found.visited
        total.updated += found.updated
        total.shrunk += found.shrunk
        total.rounds += found.rounds
        total.gamma += found.gamma
        total.worst = max(total.worst, found.worst)
    return total


def visiting_order(
    rng: np.random.Generator, blocks: int, lanes: int = _native.LANES
) -> NDArray[np.int64]:
    """Return a random order of blocks in which each lane reads runs of neighbouring blocks."""
    length = min(max(blocks // (16 * lanes), 1), _RUN_BLOCKS)  # a few blocks are still shuffled
    runs = -(-blocks // length)
    shuffled = rng.permutation(runs)
    padding = np.full(-runs % lanes, runs)  # runs after the last one hold no blocks
    side_by_side = np.concatenate((shuffled, padding)).reshape(-1, 1, lanes)
    order = (side_by_side * length + np.arange(length).reshape(1, -1, 1)).reshape(-1)
    return np.ascontiguousarray(order[order < blocks], np.int64)


def threads_for(n_jobs: int | None, rows: int) -> int:
    """Return how many threads are worth using for this many rows."""
    return min(count_jobs(n_jobs), max(1, rows // 4096))


class DualClassifier(LinearClassifier):
    """A linear classifier trained through its dual problem, which subclasses define."""

    tol: float
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
    _inner: ClassVar[float]  # DualOptions.inner

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
            self.tol,
            self.shrinking,
            self.max_iter,
            seed_of(self.random_state),
            self._inner,
        )
        training = self._read_training(X, y, sample_weight)
        if len(training.classes) == 1:
            self._set_weights(training, None)
            self.n_iter_, self.trace_, self.dual_gap_ = 1, [], 0.0
            return self
        with tracing(self._title, self.callback, progress=self.progress) as tracer:
            solution = self._solve(training, strength, options, tracer)
        self._set_weights(training, solution.weights)
        self.n_iter_, self.trace_ = solution.epochs, tracer.epochs
        self.dual_gap_ = solution.primal + solution.dual
        return self

    def _solve(
        self, training: TrainingSet, strength: float, options: DualOptions, tracer: Tracer
    ) -> DualSolution:
        count = len(training.rows)
        mixed, order = training, None
        if count < _ONE_LANE:  # cheap, and samples sorted by class do no harm then
            order = np.random.default_rng(options.seed).permutation(count)
            mixed = take_rows(training, order)
        last: LastFit | None = getattr(self, "_last", None) if self.warm_start else None
        if last is not None and last.fits(training):
            alpha, moved = self._again(last, training, strength), True
            alpha = _reordered(alpha, count, order)
        else:
            alpha, moved = self._begin(mixed)
        with native_refusals():
            samples = mixed.rows.samples(intercept=self.fit_intercept)
            solver = self._solver(samples, mixed, alpha, strength, options)
        if moved:
            solver.refresh()
        solution = solve_dual(
            solver, count, tau=self._tau(strength), options=options, tracer=tracer
        )
        if self.warm_start:
            alpha = _reordered(alpha, count, None if order is None else np.argsort(order))
            self._last = LastFit(training.y, training.weights, alpha, strength)
        return solution

    @abstractmethod
    def _strength(self) -> float:
        """Check the options and return the weight of the losses: C or σ²."""

    @abstractmethod
    def _tau(self, strength: float) -> float:
        """Return what divides ‖w‖² / 2 in the dual."""

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


def _reordered(alpha: Reals, count: int, order: NDArray[np.int64] | None) -> Reals:
    """Return the dual variables in another order of samples; None keeps the order."""
    if order is None:
        return alpha
    found: Reals = alpha.reshape(count, -1)[order].reshape(-1)
    return found
