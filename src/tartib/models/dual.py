"""The epochs of dual methods: order, shrinking, stopping rule and trace.

The inner passes and the block scheme are in ``native/models/dual.hpp``; here is what the papers'
Algorithms write around them.
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

_ONE_LANE = 1 << 15  # so few rows are no work for threads
_STILL = 3  # epochs without any change of the objective that end one-way shrinking
_RUN_BLOCKS = 64  # blocks that lie together are visited together, to read memory in order
_SLICE_BLOCKS = 1 << 14  # about a million rows between two chances to interrupt


@dataclass(frozen=True)
class DualOptions:
    """What all dual methods are told.

    Parameters
    ----------
    tol
        ε: stop when no sample violates its optimality condition by more.
    shrinking
        ``paper``: a sample whose violation is at most ``tol`` is never looked at again.
        ``safe``: one that an epoch left alone is skipped in the next one only. None: all samples
        always.
    max_iter
        The most epochs.
    seed
        Order of the samples.
    inner
        The share of ``tol`` that a violation must exceed to be worth an update. A method that
        must end with no violation above ``tol`` anywhere does better to stay below it all along;
        the paper's passes over whatever it would shrink.
    """

    tol: float
    shrinking: str | None
    max_iter: int
    seed: int
    inner: float

    def __post_init__(self) -> None:
        check_positive("tol", self.tol)
        if self.shrinking not in SHRINKING:
            raise OptionError(f"shrinking is 'safe', 'paper' or None, not {self.shrinking!r}")
        check_count("max_iter", self.max_iter)

    @property
    def epsilon_of_kernel(self) -> float:
        """The largest violation that a native pass leaves alone."""
        return self.tol if self.shrinking == "paper" else self.tol * self.inner


@dataclass(frozen=True)
class LastFit:
    """Where a warm start may go on from.

    Attributes
    ----------
    y, weights
        What α belongs to; with other labels or weights it would leave its bounds.
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
    """Weights as they lie in memory, and both objectives."""

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
    """Minimise D(α) = ‖w(α)‖² / (2 tau) + Σ φ(α) from where α and w are.

    Parameters
    ----------
    solver
        Has the samples, and changes α in place.
    count
        Number of samples.
    tau
        1 for the SVM, σ² for logistic regression.
    options, tracer
        As everywhere.
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
        if stats.gamma < 0.7 * stats.rounds:  # lanes that undo one another's work are too many
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
            elif whole:  # w went on moving during the epoch
                found = solver.check(0, count)
                converged = found.worst <= options.tol
        elif options.shrinking == "paper" and still == _STILL:
            converged = True  # rounding holds the last samples where they are
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
        raise OptionError("the weights have grown beyond all numbers: regularise more")
    tracer.add(0, dual, gap=primal + dual, violation=finite_violation(found.worst))
    return DualSolution(solver.weights(), epoch, primal, dual)


def finite_violation(worst: float) -> float | None:
    """Return a violation as a trace shows it: none where α has not begun to move."""
    return max(worst, 0.0) if np.isfinite(worst) else None


@dataclass
class EpochStats:
    """What one epoch did, in all its slices."""

    visited: int = 0
    updated: int = 0
    shrunk: int = 0
    rounds: int = 0
    gamma: float = 0.0
    worst: float = -np.inf


def run_epoch(solver: _native.DualSolver, order: NDArray[np.int64], lanes: int) -> EpochStats:
    """Visit the active samples of all blocks; slices let the user interrupt."""
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
    """Return a random order of blocks in which each lane reads runs of blocks that lie together."""
    length = min(max(blocks // (16 * lanes), 1), _RUN_BLOCKS)  # few blocks still get an order
    runs = -(-blocks // length)
    shuffled = rng.permutation(runs)
    padding = np.full(-runs % lanes, runs)  # runs behind the last hold no blocks
    side_by_side = np.concatenate((shuffled, padding)).reshape(-1, 1, lanes)
    order = (side_by_side * length + np.arange(length).reshape(1, -1, 1)).reshape(-1)
    return np.ascontiguousarray(order[order < blocks], np.int64)


def threads_for(n_jobs: int | None, rows: int) -> int:
    """Return how many threads are worth having."""
    return min(count_jobs(n_jobs), max(1, rows // 4096))


class DualClassifier(LinearClassifier):
    """A linear classifier that is trained through its dual; a subclass says which."""

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
            How many equal samples each one stands for.
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
        if count < _ONE_LANE:  # cheap, and then samples sorted by class do no harm
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
        """Check the options and return how strongly the losses count: C or σ²."""

    @abstractmethod
    def _tau(self, strength: float) -> float:
        """Return what divides ‖w‖² / 2 in the dual."""

    @abstractmethod
    def _begin(self, training: TrainingSet) -> tuple[Reals, bool]:
        """Return α at the start, and whether w(α) is not 0 there."""

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
        """Make the native solver of the problem."""


def _reordered(alpha: Reals, count: int, order: NDArray[np.int64] | None) -> Reals:
    """Return dual variables in another order of the samples; None leaves them as they are."""
    if order is None:
        return alpha
    found: Reals = alpha.reshape(count, -1)[order].reshape(-1)
    return found
