"""`MaxEnt`: multinomial logistic regression by L-BFGS and OWL-QN."""

from __future__ import annotations

import warnings
from typing import Any, Self

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from tartib.errors import OptionError
from tartib.models.base import (
    ClassWeight,
    LinearClassifier,
    Matrix,
    TrainingSet,
    check_count,
    check_positive,
)
from tartib.models.dual import threads_for
from tartib.models.lbfgs import Solution, Vector, minimise
from tartib.models.likelihood import LogLoss, last_weights, natural_scale, padded
from tartib.models.trace import Callback, Tracer, tracing

PENALTIES = ("l2", "l1")


class MaxEnt(LinearClassifier):
    """Maximum entropy classifier (SVM paper, section 5).

    Minimises over w  -Σ_i log p(y_i | x_i) + ‖w‖² / (2σ²)  by L-BFGS. With the penalty  ‖w‖₁ / σ
    instead, it uses OWL-QN (Andrew and Gao 2007), the paper's optimiser, which leaves many weights
    exactly 0. It computes in double precision, except that rows without values are scored with
    weights in single precision, and the model is then stored in single precision too.

    Parameters
    ----------
    sigma
        Scale of the weights' prior, σ; smaller regularises more. The default suits millions of rows
        of ones; for TF-IDF or standardised columns begin with 1. With three classes or more,
        scikit-learn's C is σ² for ``l2`` and σ for ``l1``; with two, where both classes have
        weights of their own here, 2 σ² for ``l2``.
    penalty
        ``l2`` (a Gaussian prior) or ``l1`` (a Laplacian one).
    max_iter
        Maximum number of iterations.
    tol
        Stop when the last ten iterations lowered the objective by less than this share of it each,
        on average; with ``l2`` the objective is then about ten times that share above its minimum.
    history
        Number of past iterations that the Hessian is estimated from.
    fit_intercept
        Whether each class has an intercept, regularised like the weights.
    class_weight
        As in `MulticlassSVM`.
    warm_start
        Start from the weights of the last fit; useful for trying several values of sigma.
    n_jobs
        Number of threads; None means all cores. The result is the same for any number.
    callback
        Called with an `Epoch` after each iteration, for example a `TraceFile`.
    progress
        Show the iterations on a terminal.

    Attributes
    ----------
    weights_, coef_, intercept_, classes_, n_features_in_
        The model.
    n_iter_
        Number of iterations.
    trace_
        One `Epoch` per iteration; its gap is the norm of the gradient (``l1``: of the
        pseudo-gradient), in units in which all weights have the same curvature at w = 0.
    objective_
        Final value of the objective.
    """

    def __init__(
        self,
        sigma: float = 0.2,
        *,
        penalty: str = "l2",
        max_iter: int = 200,
        tol: float = 1e-4,
        history: int = 10,
        fit_intercept: bool = True,
        class_weight: ClassWeight = None,
        warm_start: bool = False,
        n_jobs: int | None = None,
        callback: Callback | None = None,
        progress: bool = False,
    ) -> None:
        self.sigma = sigma
        self.penalty = penalty
        self.max_iter = max_iter
        self.tol = tol
        self.history = history
        self.fit_intercept = fit_intercept
        self.class_weight = class_weight
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
        with tracing("MaxEnt", self.callback, training.check, progress=self.progress) as tracer:
            solution, w = self._solve(training, last_weights(last, self, training), tracer)
        if not solution.converged:
            warnings.warn(
                f"not converged after {solution.iterations} iterations; raise max_iter or tol, or "
                "bring all columns to a similar scale",
                ConvergenceWarning,
                stacklevel=2,
            )
        self._set_weights(training, padded(w, training))
        self.n_iter_, self.trace_ = max(1, solution.iterations), tracer.epochs
        self.objective_ = solution.value
        return self

    def _solve(
        self, training: TrainingSet, begin: Vector | None, tracer: Tracer
    ) -> tuple[Solution, Vector]:
        """Return the result of the search, and the weights."""
        threads, classes = threads_for(self.n_jobs, len(training.rows)), len(training.classes)
        ridge, lasso = (1 / self.sigma**2, 0.0) if self.penalty == "l2" else (0.0, 1 / self.sigma)
        units = natural_scale(training, ridge, intercept=self.fit_intercept, threads=threads)
        loss = LogLoss(
            training, intercept=self.fit_intercept, threads=threads, units=units, ridge=ridge,
            lasso=lasso,
        )  # fmt: skip

        def report(iteration: int, value: float, slope: Vector) -> None:
            # No BLAS here: its threads would go on spinning for a while, on the cores we need.
            tracer.add(iteration, value, gap=float(np.sqrt(np.einsum("i,i", slope, slope))))

        each = np.repeat(units, classes)
        solution = minimise(
            loss,
            np.zeros(loss.size) if begin is None else begin / each,
            lasso * each if lasso else None,
            tol=self.tol, max_iter=self.max_iter, history=self.history,
            threads=threads, report=report,
        )  # fmt: skip
        return solution, solution.x * each

    def _check_options(self) -> None:
        check_positive("sigma", self.sigma)
        check_positive("tol", self.tol)
        if self.penalty not in PENALTIES:
            raise OptionError(
                f"penalty must be one of {', '.join(PENALTIES)}, not {self.penalty!r}"
            )
        check_count("max_iter", self.max_iter)
        check_count("history", self.history)
