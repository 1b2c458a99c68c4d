"""`PrimalMLR`: multinomial logistic regression by stochastic gradient descent."""

from __future__ import annotations

import warnings
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from tartib import _native
from tartib.errors import OptionError, native_refusals
from tartib.models.base import (
    ClassWeight,
    LinearClassifier,
    Matrix,
    Rows,
    TrainingSet,
    check_positive,
    seed_of,
)
from tartib.models.dual import threads_for
from tartib.models.likelihood import LogLoss, Vector, last_weights, padded
from tartib.models.trace import Callback, Tracer, tracing

_TRIAL_ROWS = 1000  # Bottou's programs try step sizes on as many
_TRIALS = 2.0 ** np.arange(-8, 5)
_RUN_FROM = 1 << 25  # with this many rows an order of rows would need too much memory
_RUN_ROWS = 16
_SLICE_ROWS = 1 << 20  # between two chances to interrupt


class PrimalMLR(LinearClassifier):
    """Multinomial logistic regression (MLR paper, section 3, eq. 6 to 8).

    Minimises over w  ‖w‖² / (2σ²) - Σ_i log p(y_i | x_i)  by stochastic gradient descent, one
    sample at a time in random order. The paper does not give the step size; we use Bottou's
    (2010): η_t = η_0 / (1 + η_0 λ t) with λ = 1 / (σ² N). Each step needs the weights from the step
    before, so training uses one thread; `DualMLR` and `MaxEnt` solve the same problem with many.

    Parameters
    ----------
    sigma
        Standard deviation of the weights' prior; smaller regularises more. scikit-learn's C is as
        for `MaxEnt`.
    max_iter
        Maximum number of passes over the data; the paper makes 100.
    tol
        Stop early when a pass lowers the objective by less than this share of it; None makes all
        passes. The objective is the one in ``trace_``.
    eta0
        Initial step size. None chooses one as Bottou recommends: the best of a geometric range
        after one pass over 1000 samples.
    fit_intercept
        Whether each class has an intercept, regularised like the weights.
    class_weight
        As in `MulticlassSVM`.
    random_state
        Seed of the order in which samples are visited.
    n_jobs
        Number of threads for predictions and for the final objective; None means all cores.
    callback
        Called with an `Epoch` after each pass, for example a `TraceFile`.
    progress
        Show the passes on a terminal.

    Attributes
    ----------
    weights_, coef_, intercept_, classes_, n_features_in_
        The model.
    n_iter_
        Number of passes.
    trace_
        One `Epoch` per pass, whose objective adds up the loss of each sample when it was visited;
        and a last one, numbered 0, with the final objective and the norm of its gradient.
    objective_
        Final value of the objective.
    eta0_
        Initial step size.
    t_
        Number of steps so far; a sample counts as many steps as its weight.
    """

    def __init__(
        self,
        sigma: float = 0.2,
        *,
        max_iter: int = 100,
        tol: float | None = None,
        eta0: float | None = None,
        fit_intercept: bool = True,
        class_weight: ClassWeight = None,
        random_state: int = 0,
        n_jobs: int | None = None,
        callback: Callback | None = None,
        progress: bool = False,
    ) -> None:
        self.sigma = sigma
        self.max_iter = max_iter
        self.tol = tol
        self.eta0 = eta0
        self.fit_intercept = fit_intercept
        self.class_weight = class_weight
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.callback = callback
        self.progress = progress

    def fit(self, X: Matrix, y: Any = None, sample_weight: Any = None) -> Self:  # noqa: ANN401
        """Train; the parameters are those of `MulticlassSVM.fit`.

        A sample of weight q is visited once per pass, with steps worth about q samples. The optimum
        is the same as with q equal samples, but the path to it differs.
        """
        self._check_options()
        training = self._read_training(X, y, sample_weight)
        self.n_iter_, self.trace_, self.objective_ = 1, [], 0.0
        self.t_, self.eta0_ = 0.0, self.eta0 or 1.0
        if len(training.classes) == 1:
            self._set_weights(training, None)
            return self
        rng = np.random.default_rng(seed_of(self.random_state))
        lam = 1.0 / (self.sigma**2 * training.total_weight)
        self.eta0_ = self.eta0 or choose_eta0(training, rng, lam, intercept=self.fit_intercept)
        with tracing("SGD", self.callback, training.check, progress=self.progress) as tracer:
            w = self._run_epochs(training, rng, lam, tracer)
            loss, gradient = self._look(training, w)
            tracer.add(0, loss, gap=float(np.linalg.norm(gradient)))
        self._set_weights(training, padded(w, training))
        self.trace_, self.objective_ = tracer.epochs, loss
        return self

    def partial_fit(
        self,
        X: Matrix,
        y: Any = None,  # noqa: ANN401
        classes: Any = None,  # noqa: ANN401
        sample_weight: Any = None,  # noqa: ANN401
    ) -> Self:
        """Make one pass over more samples, starting from the current model.

        Parameters
        ----------
        X, y, sample_weight
            As for `fit`; the samples of each call count as new, so N grows.
        classes
            All labels of all calls; needed in the first call, unless X is a `Dataset`.
        """
        self._check_options()
        last = getattr(self, "weights_", None)
        first = last is None
        training = self._read_part(X, y, classes, sample_weight)
        if first:
            self.t_, self.n_iter_ = 0.0, 1
        if len(training.classes) == 1:
            self._set_weights(training, None)
            return self
        rng = np.random.default_rng([seed_of(self.random_state), int(self.t_)])
        lam = 1.0 / (self.sigma**2 * (self.t_ + training.total_weight))
        if first:
            self.eta0_ = self.eta0 or choose_eta0(training, rng, lam, intercept=self.fit_intercept)
        solver = make_solver(
            training, last_weights(last, self, training), self.t_, intercept=self.fit_intercept
        )
        run_epoch(solver, *visiting_order(training, rng), self.eta0_, lam)
        self.t_ = solver.steps
        self._set_weights(training, padded(solver.weights(), training))
        return self

    def _run_epochs(
        self, training: TrainingSet, rng: np.random.Generator, lam: float, tracer: Tracer
    ) -> Vector:
        solver = make_solver(training, None, 0.0, intercept=self.fit_intercept)
        last, w = np.inf, np.zeros(0)
        for epoch in range(1, self.max_iter + 1):
            loss = run_epoch(solver, *visiting_order(training, rng), self.eta0_, lam)
            w = solver.weights()
            objective = loss + float(w @ w) / (2 * self.sigma**2)
            self.n_iter_, self.t_ = epoch, solver.steps
            tracer.add(epoch, objective)
            fall = last - objective  # a rise does not mean convergence
            if self.tol is not None and 0 <= fall < self.tol * abs(objective):
                return w
            last = objective
        if self.tol is not None:
            warnings.warn(
                f"not converged after {self.max_iter} passes; raise max_iter or tol",
                ConvergenceWarning,
                stacklevel=3,
            )
        return w

    def _look(self, training: TrainingSet, w: Vector) -> tuple[float, Vector]:
        """Return the final objective and its gradient."""
        threads = threads_for(self.n_jobs, len(training.rows))
        loss = LogLoss(
            training, intercept=self.fit_intercept, threads=threads, ridge=1 / self.sigma**2
        )
        gradient = np.empty_like(w)
        return loss(w, gradient), gradient

    def _check_options(self) -> None:
        check_positive("sigma", self.sigma)
        for name, value in (("tol", self.tol), ("eta0", self.eta0)):
            if value is not None:
                check_positive(name, value)
        if self.max_iter < 1:
            raise OptionError(f"max_iter must be 1 or more, not {self.max_iter}")


def make_solver(
    training: TrainingSet, start: Vector | None, steps: float, *, intercept: bool
) -> _native.SgdSolver:
    """Return a native solver at ``start``, or at 0, that has taken ``steps`` steps."""
    classes = len(training.classes)
    if start is None:
        start = np.zeros((training.rows.n_features + intercept) * classes)
    samples = training.rows.samples(intercept=intercept)
    with native_refusals():
        return _native.SgdSolver(samples, training.y, training.weights, classes, start, steps)


def run_epoch(
    solver: _native.SgdSolver, begins: NDArray[np.int64], length: int, eta0: float, lam: float
) -> float:
    """Visit ``length`` rows from each of ``begins``; return the sum of their losses."""
    size = _SLICE_ROWS // length
    slices = (begins[place : place + size] for place in range(0, len(begins), size))
    return sum(solver.run(part, length, eta0, lam) for part in slices)


def visiting_order(
    training: TrainingSet, rng: np.random.Generator
) -> tuple[NDArray[np.int64], int]:
    """Return where runs of rows begin, in random order, and their length.

    Rows are shuffled one by one, or in runs if there are very many. Neighbouring rows are alike, so
    with runs the same number of passes ends farther from the optimum.
    """
    count = len(training.rows)
    if count >= _RUN_FROM:
        return rng.permutation(-(-count // _RUN_ROWS)) * _RUN_ROWS, _RUN_ROWS
    return rng.permutation(training.weighing), 1


def choose_eta0(
    training: TrainingSet, rng: np.random.Generator, lam: float, *, intercept: bool
) -> float:
    """Return the step size that does best in one pass over a small sample."""
    weighing = training.weighing
    rows = rng.choice(weighing, min(_TRIAL_ROWS, len(weighing)), replace=False, shuffle=False)
    sample = training.take(np.sort(rows))
    weight = sample.total_weight
    loss = LogLoss(sample, intercept=intercept, threads=1, ridge=lam * weight)
    order = rng.permutation(len(rows))
    gradient = np.empty(loss.size)
    best, best_value = 0.0, np.inf
    for eta0 in _TRIALS / mean_square(sample.rows, intercept=intercept):
        solver = make_solver(sample, None, 0.0, intercept=intercept)
        solver.run(order, 1, eta0, lam)
        w = solver.weights()
        value = loss(w, gradient)
        if value < best_value:
            best, best_value = float(eta0), value
    return best


def mean_square(rows: Rows, *, intercept: bool) -> float:
    """Return the mean of ‖x‖², or 1 if all rows are empty."""
    entries = rows.indptr[-1] - rows.indptr[0]
    squares = entries if rows.values is None else np.square(rows.values, dtype=np.float64).sum()
    return float(squares / len(rows) + intercept) or 1.0
