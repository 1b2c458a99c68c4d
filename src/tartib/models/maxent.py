"""`MaxEnt`: multinomial logistic regression by L-BFGS and OWL-QN."""

from __future__ import annotations

import warnings
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from sklearn.exceptions import ConvergenceWarning

from tartib.errors import OptionError
from tartib.models.base import LinearClassifier, Matrix, check_positive
from tartib.models.dual import threads_for
from tartib.models.likelihood import LogLoss, Vector, last_weights, natural_scale, padded
from tartib.models.owlqn import Solution, minimise_l1, pseudo_gradient
from tartib.models.trace import Callback, Tracer, tracing

PENALTIES = ("l2", "l1")
_ROUNDING = 64 * np.finfo(np.float64).eps  # a relative fall of the objective that means nothing


class MaxEnt(LinearClassifier):
    """Maximum entropy classifier (SVM paper, section 5).

    Minimises over w  -Σ_i log p(y_i | x_i) + ‖w‖² / (2σ²)  by L-BFGS, or with  ‖w‖₁ / σ  instead by
    OWL-QN (Andrew and Gao 2007), the paper's optimiser, which leaves many weights exactly 0. All in
    double precision; a model of rows without values is kept in single precision.

    Parameters
    ----------
    sigma
        Scale of the weights' prior, σ; smaller regularises more. scikit-learn's C is σ² for ``l2``
        and σ for ``l1``, with three classes or more.
    penalty
        ``l2`` (a Gaussian prior) or ``l1`` (a Laplacian one).
    max_iter
        The most iterations.
    tolerance
        Stop when no entry of the gradient (``l1``: of the pseudo-gradient) is larger than that
        times the largest at w = 0; each in units of its own, in which all weights have the same
        curvature at w = 0. (SciPy's ``gtol``, relative.)
    history
        How many earlier iterations the approximation of the Hessian is made of.
    fit_intercept
        Whether each class has a constant of its own, regularised like the weights.
    warm_start
        Begin at the weights of the last fit; good for a path over sigma.
    n_jobs
        Threads; None for all cores. The result is the same for any number.
    callback
        Called with an `Epoch` after each iteration, for example a `TraceFile`.
    progress
        Show the iterations on a terminal.

    Attributes
    ----------
    weights_, coef_, intercept_, classes_, n_features_in_
        The model.
    n_iter_
        Iterations.
    trace_
        One `Epoch` for each; its gap is the norm of the gradient.
    objective_
        What was minimised, at the end.
    """

    def __init__(
        self,
        sigma: float = 1.0,
        *,
        penalty: str = "l2",
        max_iter: int = 200,
        tolerance: float = 1e-4,
        history: int = 10,
        fit_intercept: bool = True,
        warm_start: bool = False,
        n_jobs: int | None = None,
        callback: Callback | None = None,
        progress: bool = False,
    ) -> None:
        self.sigma = sigma
        self.penalty = penalty
        self.max_iter = max_iter
        self.tolerance = tolerance
        self.history = history
        self.fit_intercept = fit_intercept
        self.warm_start = warm_start
        self.n_jobs = n_jobs
        self.callback = callback
        self.progress = progress

    def fit(self, X: Matrix, y: Any = None, sample_weight: Any = None) -> Self:  # noqa: ANN401
        """Train; the parameters are those of `MulticlassSVM.fit`."""
        self._check_options()
        last = getattr(self, "weights_", None) if self.warm_start else None
        training = self._read_training(X, y, sample_weight)
        if len(training.classes) == 1:
            self._set_weights(training, None)
            self.n_iter_, self.trace_, self.objective_ = 1, [], 0.0
            return self
        threads = threads_for(self.n_jobs, len(training.rows))
        loss = LogLoss(training, intercept=self.fit_intercept, threads=threads)
        ridge = 1.0 / self.sigma**2 if self.penalty == "l2" else 0.0
        unit = natural_scale(training, ridge, intercept=self.fit_intercept, threads=threads)
        begin = last_weights(last, self, training)
        start = np.zeros(loss.size) if begin is None else begin / unit
        with tracing("MaxEnt", self.callback, progress=self.progress) as tracer:
            solve = self._solve_l1 if self.penalty == "l1" else self._solve_l2
            solution = solve(loss, start, unit, tracer)
        if not solution.converged:
            warnings.warn(
                f"not converged after {solution.iterations} iterations; raise max_iter or "
                "tolerance",
                ConvergenceWarning,
                stacklevel=2,
            )
        self._set_weights(training, padded(solution.x * unit, training))
        self.n_iter_, self.trace_ = max(1, solution.iterations), tracer.epochs
        self.objective_ = solution.value
        return self

    def _solve_l2(self, loss: LogLoss, start: Vector, unit: Vector, tracer: Tracer) -> Solution:
        precision = 1.0 / self.sigma**2
        norm = 0.0

        def evaluate(x: Vector) -> tuple[float, Vector]:
            nonlocal norm
            w = x * unit
            value, gradient = loss(w)
            gradient += precision * w
            norm = float(np.linalg.norm(gradient))
            return value + 0.5 * precision * float(w @ w), gradient * unit

        def report(intermediate_result: Any) -> None:  # noqa: ANN401
            # SciPy has just accepted the point that was evaluated last.
            tracer.add(len(tracer.epochs) + 1, float(intermediate_result.fun), gap=norm)

        largest = _largest(loss(np.zeros(loss.size))[1] * unit)
        found = minimize(
            evaluate, start, method="L-BFGS-B", jac=True, callback=report,
            options={
                "maxiter": self.max_iter, "maxfun": 20 * self.max_iter, "maxcor": self.history,
                "gtol": self.tolerance * largest, "ftol": _ROUNDING,
            },
        )  # fmt: skip
        return Solution(found.x, float(found.fun), int(found.nit), converged=found.success)

    def _solve_l1(self, loss: LogLoss, start: Vector, unit: Vector, tracer: Tracer) -> Solution:
        strength = unit / self.sigma

        def evaluate(x: Vector) -> tuple[float, Vector]:
            value, gradient = loss(x * unit)
            return value, gradient * unit

        def report(iteration: int, value: float, pseudo: Vector) -> None:
            tracer.add(iteration, value, gap=float(np.linalg.norm(pseudo / unit)))

        zero = np.zeros(loss.size)
        largest = _largest(pseudo_gradient(zero, evaluate(zero)[1], strength))
        return minimise_l1(
            evaluate, start, strength, tolerance=self.tolerance * largest, max_iter=self.max_iter,
            history=self.history, report=report,
        )  # fmt: skip

    def _check_options(self) -> None:
        check_positive("sigma", self.sigma)
        check_positive("tolerance", self.tolerance)
        if self.penalty not in PENALTIES:
            raise OptionError(f"the penalty is one of {', '.join(PENALTIES)}, not {self.penalty!r}")
        for name, value in (("max_iter", self.max_iter), ("history", self.history)):
            if value < 1:
                raise OptionError(f"{name} must be 1 or more, not {value}")


def _largest(gradient: NDArray[np.float64]) -> float:
    return float(np.abs(gradient).max(initial=0.0))
