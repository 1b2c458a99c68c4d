"""The epochs of dual methods: order, shrinking, stopping rule and trace.

The inner passes and the block scheme are in ``native/models/dual.hpp``; this module has the outer
loop of the papers' algorithms.
"""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from tartib import _native
from tartib.engine import count_jobs
from tartib.errors import OptionError
from tartib.models.base import (
    Reals,
    check_count,
    check_positive,
)
from tartib.models.dual_epoch import EpochStats, row_order, run_epoch, visiting_order
from tartib.models.trace import Tracer

SHRINKING = ("safe", "paper", None)

_ONE_LANE = 1 << 17  # with fewer rows, threads are not worth having
_APART = 0.97  # with a mean γ below this, two lanes need more epochs than they save time
_STILL = 3  # one-way shrinking ends after this many epochs without a change
_PATIENCE = 200  # epochs that finding the optimum of a small problem may take
_STUCK = 50  # after this many epochs there is no better result in this precision
_STUCK_GAP = 1e-6  # but with a larger gap training has not converged
_BUSY = 0.1  # while an epoch changes more of the samples, skipping the others does not pay
_ROUNDING = 1e-12  # a smaller gap is lost in the sums over samples,
_EXACT = 1e-9  # so whoever asks for it gets the optimum to within this violation of each sample
_IMPOSSIBLE = 0.01  # no gap is negative but for rounding
_LEAST_GAIN = 1e-6  # a smaller share of the primal is not told from rounding
_NEAR = 1.5  # the gap itself is smaller than the estimate, by about this factor


@dataclass(frozen=True)
class DualOptions:
    """Options of all dual methods.

    Parameters
    ----------
    tol
        Stop when the relative duality gap is at most this. Not used by ``paper``.
    epsilon
        ε of the papers, for ``paper`` only.
    shrinking
        ``safe``: samples that an epoch left unchanged are skipped in the next epoch only, once
        most samples are left unchanged. ``paper``: a sample whose violation is at most ``epsilon``
        is never visited again, and training ends when none is left. None: every epoch visits all
        samples.
    max_iter
        Maximum number of epochs.
    seed
        Seed of the order in which samples are visited.
    """

    tol: float
    epsilon: float
    shrinking: str | None
    max_iter: int
    seed: int

    def __post_init__(self) -> None:
        check_positive("tol", self.tol)
        check_positive("epsilon", self.epsilon)
        if self.shrinking not in SHRINKING:
            raise OptionError(f"shrinking must be 'safe', 'paper' or None, not {self.shrinking!r}")
        check_count("max_iter", self.max_iter)


@dataclass(frozen=True)
class Problem:
    """What the epochs need to know of the problem.

    Attributes
    ----------
    count
        Number of samples.
    tau
        What divides ‖w‖² / 2 in both objectives: 1 for the SVM, σ² for logistic regression.
    weight
        Σ of the weights of the losses in the primal objective.
    at_zero
        The loss of a sample of weight 1 where w = 0.
    violation
        From a share of the gap to the largest violation that a sample of weight 1 may have if its
        share of the gap is no more than half of that.
    small
        Whether the optimum itself takes no time.
    """

    count: int
    tau: float
    weight: float
    at_zero: float
    violation: Callable[[float], float]
    small: bool


@dataclass(frozen=True)
class DualSolution:
    """The weights as stored in memory, and the relative duality gap."""

    weights: Reals
    epochs: int
    gap: float


@dataclass(frozen=True)
class Approach:
    """Where a rough solution is: so many epochs, and the weights' part of primal plus dual terms.

    ``share`` is ‖w‖² / tau over that plus the loss: 1 where the samples are separable, and small
    where most of them stay at their bounds. None without convergence.
    """

    epochs: int
    share: float | None


def approach(
    solver: _native.DualSolver,
    problem: Problem,
    options: DualOptions,
    tracer: Tracer,
    epochs: int,
) -> Approach:
    """Minimise as `solve_dual` does, after so many epochs, without the last entry of the trace."""
    part = _ToTheOptimum(solver, problem, options, tracer, epochs)
    done, converged = part.run()
    if not converged:
        return Approach(done, None)
    found = part.check()[1]
    square = found.norm / problem.tau
    return Approach(done, square / max(square + found.loss, np.finfo(float).tiny))


def solve_dual(
    solver: _native.DualSolver,
    problem: Problem,
    options: DualOptions,
    tracer: Tracer,
    epochs: int = 0,
) -> DualSolution:
    """Minimise D(α) = ‖w(α)‖² / (2 tau) + Σ φ(α), starting from the current α and w.

    Parameters
    ----------
    solver
        Holds the samples, and changes α in place.
    problem
        Sizes of the problem.
    options
        Stopping rule, shrinking and seed.
    tracer
        Records each epoch.
    epochs
        Number of epochs before.
    """
    run = _OneWay if options.shrinking == "paper" else _ToTheOptimum
    return run(solver, problem, options, tracer, epochs).solve()


class _Epochs(ABC):
    """Epochs until a stopping rule, which subclasses define, is met."""

    averaged: ClassVar[bool]  # whether the result is the mean of w over the last epoch
    tolerance: ClassVar[str]  # the option of the stopping rule

    def __init__(
        self,
        solver: _native.DualSolver,
        problem: Problem,
        options: DualOptions,
        tracer: Tracer,
        epochs: int,
    ) -> None:
        self.solver, self.problem, self.options, self.tracer = solver, problem, options, tracer
        self.before = epochs
        self.lanes = _native.LANES if problem.count >= _ONE_LANE else 1
        self.found: _native.CheckStats | None = None  # by the last check, if nothing changed since
        self.objective = np.inf
        self.lost = False  # whether what is left to gain is hidden by rounding

    def run(self) -> tuple[int, bool]:
        """Run epochs; return their number and whether the stopping rule was met."""
        seed = self.options.seed
        rng = np.random.default_rng([seed, self.before] if self.before else seed)
        epoch, still, converged = self.before, 0, False
        while not converged and epoch < self.options.max_iter:
            epoch += 1
            self.prepare(epoch - self.before)
            self.found = None
            order = (
                visiting_order(rng, self.solver.blocks)
                if self.lanes > 1
                else row_order(rng, self.problem.count)
            )
            stats = run_epoch(self.solver, order, self.lanes, averaged=self.averaged)
            if stats.gamma < _APART * stats.rounds:
                self.lanes = 1
            before = self.objective
            self.objective = self.solver.norm / (2 * self.problem.tau) + self.solver.potential
            still = still + 1 if self.objective == before else 0
            gap = self.gap(stats)
            self.tracer.add(
                epoch,
                self.objective,
                gap=gap,
                violation=finite_violation(stats.worst),
                active=stats.visited / max(1, self.problem.count),
                updated=stats.updated / max(1, self.problem.count),
            )
            converged = self.ended(stats, still)
        return epoch, converged

    def solve(self) -> DualSolution:
        epoch, converged = self.run()
        solution = self.result(epoch)
        if (self.lost or not converged) and not self.suffices(solution.gap):
            warnings.warn(
                f"not converged after {epoch} epochs, with a relative duality gap of "
                f"{solution.gap:.2g}; raise max_iter or {self.tolerance}, regularise more, bring "
                "all columns to a similar scale around 0 (StandardScaler; MaxAbsScaler where most "
                "values are 0), or take MaxEnt, which scales columns itself",
                ConvergenceWarning,
                stacklevel=5,
            )
        return solution

    def result(self, epochs: int) -> DualSolution:
        primal, found = self.check()
        gap = self.relative_gap(primal)
        self.tracer.add(0, self.objective, gap=gap, violation=finite_violation(found.worst))
        return DualSolution(self.solver.weights(self.averaged), epochs, gap)

    def relative_gap(self, primal: float) -> float:
        """Return primal minus dual objective, as a share of the primal or of the gain.

        The gain is what training has lowered the primal by since w = 0, or could have. Of both
        what is less counts: where regularisation leaves little to gain, a small share of the primal
        may be all of it.
        """
        gap = primal + self.objective
        if not np.isfinite(gap):
            raise OptionError("the weights have grown to infinity: use more regularisation")
        gain = self.problem.weight * self.problem.at_zero + self.objective
        self.scale = max(min(primal, gain), _LEAST_GAIN * primal)
        return gap / self.scale if self.scale > 0 else gap

    def check(self) -> tuple[float, _native.CheckStats]:
        """Return the primal objective of what would be the result, by a pass over all samples."""
        if self.found is None:
            self.found = self.solver.check(0, self.problem.count, self.averaged)
        primal = self.found.norm / (2 * self.problem.tau) + self.found.loss
        if primal + self.objective < -_IMPOSSIBLE * primal:
            raise OptionError("the weights are too large to compute with: use more regularisation")
        return primal, self.found

    @abstractmethod
    def prepare(self, epoch: int) -> None:
        """Say which samples the epoch visits, and which of these it changes."""

    @abstractmethod
    def gap(self, stats: EpochStats) -> float | None:
        """Estimate the relative duality gap from what an epoch saw."""

    @abstractmethod
    def ended(self, stats: EpochStats, still: int) -> bool:
        """Tell whether this was the last epoch; ``still``: how many did not change the dual."""

    @abstractmethod
    def suffices(self, gap: float) -> bool:
        """Tell whether the result is as good as asked for, although ``max_iter`` ended training."""


class _OneWay(_Epochs):
    """The papers' algorithms: until no sample is active."""

    averaged = False
    tolerance = "epsilon"

    def prepare(self, epoch: int) -> None:
        if epoch == 1:
            self.active = self.problem.count
            self.solver.set_epsilon(self.options.epsilon)

    def gap(self, stats: EpochStats) -> float | None:  # noqa: ARG002
        return None

    def ended(self, stats: EpochStats, still: int) -> bool:
        self.active -= stats.shrunk
        # Rounding may keep the last samples from changing.
        return self.active == 0 or stats.worst <= self.options.epsilon or still == _STILL

    def suffices(self, gap: float) -> bool:  # noqa: ARG002
        return False


class _ToTheOptimum(_Epochs):
    """Until the relative duality gap is small.

    The gap is estimated from the scores that an epoch over all samples computes anyway: the losses
    of the samples, each with the weights of its moment, add up to about the mean loss over the
    epoch, and by convexity the loss of the mean weights is no larger. Only when the estimate is
    small enough, a pass over all samples computes the gap itself.

    Where it takes no time, training goes on to the optimum itself.
    """

    averaged = True
    tolerance = "tol"

    def prepare(self, epoch: int) -> None:
        if epoch == 1:
            self.tol = 0.0 if self.problem.small else self.options.tol
            self.estimate = np.inf
            self.whole, self.busy = False, True
            self.set_epsilon(1.0)
        if epoch > _PATIENCE:
            self.tol = self.options.tol
        self.whole = self.options.shrinking is None or not self.whole or self.busy
        if self.whole:
            self.solver.activate()

    def set_epsilon(self, scale: float) -> None:
        """Leave samples alone that together have less than half of the gap that is allowed.

        That is a share ``tol`` of ``scale``, for a sample of weight 1.
        """
        exact = self.tol < _ROUNDING
        epsilon = self.problem.violation(self.tol * scale)
        self.solver.set_epsilon(_EXACT / 10 if exact else epsilon)

    def gap(self, stats: EpochStats) -> float | None:
        if not self.whole:
            return None
        self.busy = stats.updated > _BUSY * self.problem.count
        primal = max(0.0, stats.norm) / (2 * self.problem.tau) + stats.loss
        self.estimate = self.relative_gap(primal)
        self.set_epsilon(self.scale / self.problem.weight)
        return self.estimate

    def ended(self, stats: EpochStats, still: int) -> bool:  # noqa: ARG002
        if self.tol < _ROUNDING and still >= _STUCK:
            self.lost = self.relative_gap(self.check()[0]) > max(self.options.tol, _STUCK_GAP)
            return True
        if not self.whole or self.estimate > _NEAR * max(self.tol, _ROUNDING):
            return False
        primal, found = self.check()
        if self.tol < _ROUNDING:
            return found.worst <= _EXACT
        return self.relative_gap(primal) <= self.tol

    def suffices(self, gap: float) -> bool:
        return gap <= self.options.tol and self.options.tol >= _ROUNDING


def finite_violation(worst: float) -> float | None:
    """Return a violation for the trace: None if α has not changed yet."""
    return max(worst, 0.0) if np.isfinite(worst) else None


def threads_for(n_jobs: int | None, rows: int) -> int:
    """Return how many threads are worth using for this many rows."""
    return min(count_jobs(n_jobs), max(1, rows // 4096))
