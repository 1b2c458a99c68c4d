"""The epochs of dual methods: order, shrinking, stopping rule and trace.

The inner passes and the block scheme are in ``native/dual.hpp``; here is what the papers'
Algorithms write around them.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from tartib import _native
from tartib.engine import check_seed, count_jobs
from tartib.errors import OptionError
from tartib.models.base import Reals, TrainingSet, check_positive, native_refusals
from tartib.models.trace import Tracer

SHRINKING = ("safe", "paper", None)

LANES = 8  # kLanes in native/dual.hpp
_RUN_BLOCKS = 64  # blocks that lie together are visited together, to read memory in order
_SLICE_BLOCKS = 1 << 14  # about a million rows between two chances to interrupt


@dataclass(frozen=True)
class DualOptions:
    """What all dual methods are told.

    Parameters
    ----------
    epsilon
        Stop when no sample violates its optimality condition by more.
    shrinking
        ``paper``: a sample whose violation is at most ``epsilon`` is never looked at again.
        ``safe``: it is skipped in every second epoch only. None: all samples always.
    max_iter
        The most epochs.
    seed
        Order of the samples.
    n_jobs
        Threads; the result is the same for any number.
    inner
        The share of ``epsilon`` that a violation must exceed to be worth an update. A method that
        must end with no violation above epsilon anywhere does better to stay below it all along;
        the paper's passes over whatever it would shrink.
    """

    epsilon: float
    shrinking: str | None
    max_iter: int
    seed: int
    n_jobs: int | None
    inner: float

    def __post_init__(self) -> None:
        check_positive("epsilon", self.epsilon)
        check_seed(self.seed)
        if self.shrinking not in SHRINKING:
            raise OptionError(f"shrinking is 'safe', 'paper' or None, not {self.shrinking!r}")
        if self.max_iter < 1:
            raise OptionError(f"max_iter must be 1 or more, not {self.max_iter}")

    @property
    def tolerance(self) -> float:
        """The largest violation that is let be."""
        return self.epsilon if self.shrinking == "paper" else self.epsilon * self.inner


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
        C of the SVM.
    """

    y: NDArray[np.int32]
    weights: NDArray[np.float64] | None
    alpha: Reals
    strength: float = 1.0

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


MakeSolver = Callable[[_native.Samples, Reals], _native.DualSolver]


@dataclass(frozen=True)
class DualSolution:
    """Weights as they lie in memory, α, and what is left of the duality gap."""

    weights: Reals
    alpha: Reals
    epochs: int
    primal: float
    dual: float


def solve_dual(
    training: TrainingSet,
    make: MakeSolver,
    alpha: Reals,
    *,
    tau: float,
    intercept: bool,
    refresh: bool,
    options: DualOptions,
    tracer: Tracer,
) -> DualSolution:
    """Minimise D(α) = ‖w(α)‖² / (2 tau) + Σ φ(α) from where ``alpha`` is.

    Parameters
    ----------
    training
        Rows, labels and weights.
    make
        Makes the native solver for rows and α.
    alpha
        Start, changed in place: one number a sample and class.
    tau
        1 for the SVM, σ² for logistic regression.
    intercept
        Whether each row has a constant 1 besides.
    refresh
        Whether w(α) is not 0 at the start.
    options, tracer
        As everywhere.
    """
    count = len(training.rows)
    with native_refusals():
        solver = make(training.rows.samples(intercept=intercept), alpha)
    if refresh:
        solver.refresh()
    rng = np.random.default_rng(options.seed)
    active, converged, epoch = count, False, 0
    found: _native.CheckStats | None = None
    while not converged and epoch < options.max_iter:
        epoch += 1
        whole = options.shrinking is None or (options.shrinking == "safe" and epoch % 2 == 1)
        if whole:
            solver.activate()
            active = count
        found = None
        stats = run_epoch(solver, visiting_order(rng, solver.blocks))
        tracer.add(
            epoch,
            solver.norm / (2 * tau) + solver.potential,
            violation=max(stats.worst, 0.0),
            active=stats.visited / count,
            updated=stats.updated / count,
        )
        active -= stats.shrunk
        if active == 0 or stats.worst <= options.epsilon:
            if options.shrinking == "paper":
                converged = True
            elif whole:  # w went on moving during the epoch
                found = solver.check(0, count, False)
                converged = found.worst <= options.epsilon
    if not converged:
        warnings.warn(
            f"not converged after {epoch} epochs; raise max_iter or epsilon",
            ConvergenceWarning,
            stacklevel=3,
        )
    if found is None:
        found = solver.check(0, count, False)
    norm = solver.norm / (2 * tau)
    primal, dual = norm + found.loss, norm + found.potential
    if not np.isfinite(primal + dual):
        raise OptionError("the weights have grown beyond all numbers: regularise more")
    tracer.add(0, dual, gap=primal + dual, violation=max(found.worst, 0.0))
    return DualSolution(solver.weights(), alpha, epoch, primal, dual)


@dataclass
class EpochStats:
    """What one epoch did, in all its slices."""

    visited: int = 0
    updated: int = 0
    shrunk: int = 0
    worst: float = -np.inf


def run_epoch(solver: _native.DualSolver, order: NDArray[np.int64]) -> EpochStats:
    """Visit the active samples of all blocks; slices let the user interrupt."""
    total = EpochStats()
    for begin in range(0, len(order), _SLICE_BLOCKS):
        found = solver.run(order[begin : begin + _SLICE_BLOCKS])
        total.visited += found.visited
        total.updated += found.updated
        total.shrunk += found.shrunk
        total.worst = max(total.worst, found.worst)
    return total


def visiting_order(rng: np.random.Generator, blocks: int) -> NDArray[np.int64]:
    """Return a random order of blocks in which each lane reads runs of blocks that lie together."""
    runs = -(-blocks // _RUN_BLOCKS)
    shuffled = rng.permutation(runs)
    padding = np.full(-runs % LANES, runs)  # runs behind the last hold no blocks
    lanes = np.concatenate((shuffled, padding)).reshape(-1, 1, LANES)
    order = (lanes * _RUN_BLOCKS + np.arange(_RUN_BLOCKS).reshape(1, -1, 1)).reshape(-1)
    return np.ascontiguousarray(order[order < blocks], np.int64)


def threads_for(n_jobs: int | None, rows: int) -> int:
    """Return how many threads are worth having."""
    return min(count_jobs(n_jobs), max(1, rows // 4096))
