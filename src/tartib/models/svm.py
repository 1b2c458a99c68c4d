"""`MulticlassSVM`: Crammer and Singer's support vector machine by the shrinking dual method."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from tartib import _native
from tartib.models.base import LinearClassifier, Matrix, Reals, TrainingSet, check_positive
from tartib.models.dual import DualOptions, LastFit, solve_dual, threads_for
from tartib.models.trace import Callback, tracing


class MulticlassSVM(LinearClassifier):
    """Multiclass support vector machine (SVM paper, section 6).

    Minimises over w  ½ Σ_k ‖w_k‖² + C Σ_i max_k (w_k·x_i + 1 - δ_ik - w_{y_i}·x_i),  δ_ik = 1 where
    k = y_i, by Algorithms 1 and 2 on its dual (eq. 8). Probabilities are, as in the paper, a
    soft-max of the scores: a ranking rather than frequencies, unless a temperature is fitted.

    Parameters
    ----------
    C
        Penalty of a margin violation.
    epsilon
        Stop when no sample violates its optimality condition (eq. 12) by more.
    shrinking
        ``safe`` (default) looks at all samples again in every second epoch, so the result is the
        optimum to within ``epsilon``. ``paper`` removes a sample for good once it does not violate
        its condition: the fastest, but a heuristic, that ends before the optimum. None looks at all
        samples in every epoch.
    max_iter
        The most epochs.
    fit_intercept
        Whether each class has a constant of its own, regularised like the weights.
    warm_start
        Go on from the dual variables of the last fit, on the same samples; good for a path over C.
    random_state
        Seed of the order in which samples are visited.
    n_jobs
        Threads; None for all cores. The result is the same for any number.
    callback
        Called with an `Epoch` after each epoch, for example a `TraceFile`.
    progress
        Show epoch, active share and gap on a terminal.

    Attributes
    ----------
    weights_, coef_, intercept_, classes_, n_features_in_
        The model.
    n_iter_
        Epochs.
    trace_
        One `Epoch` each, and at the end one, numbered 0, with the duality gap.
    dual_gap_
        Primal minus dual objective, over all samples, at the end.
    """

    def __init__(
        self,
        C: float = 1.0,
        *,
        epsilon: float = 0.1,
        shrinking: str | None = "safe",
        max_iter: int = 1000,
        fit_intercept: bool = True,
        warm_start: bool = False,
        random_state: int = 0,
        n_jobs: int | None = None,
        callback: Callback | None = None,
        progress: bool = False,
    ) -> None:
        self.C = C
        self.epsilon = epsilon
        self.shrinking = shrinking
        self.max_iter = max_iter
        self.fit_intercept = fit_intercept
        self.warm_start = warm_start
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.callback = callback
        self.progress = progress

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
        C = check_positive("C", self.C)
        options = DualOptions(
            self.epsilon,
            self.shrinking,
            self.max_iter,
            self.random_state,
            self.n_jobs,
            inner=0.1,
        )
        training = self._read_training(X, y, sample_weight)
        if len(training.classes) == 1:
            self._set_weights(training, None)
            self.n_iter_, self.trace_, self.dual_gap_ = 1, [], 0.0
            return self
        alpha, warm = self._start(training, C)
        threads = threads_for(self.n_jobs, len(training.rows))

        def make(samples: _native.Samples, alpha: Reals) -> _native.DualSolver:
            classes = len(training.classes)
            return _native.DualSolver.svm(
                samples, training.y, training.weights, classes, alpha, C,
                options.tolerance, options.shrinking is not None, threads,
            )  # fmt: skip

        with tracing("SVM", self.callback, progress=self.progress) as tracer:
            solution = solve_dual(
                training, make, alpha,
                tau=1.0, intercept=self.fit_intercept, refresh=warm, options=options, tracer=tracer,
            )  # fmt: skip
        self._set_weights(training, solution.weights)
        self.n_iter_, self.trace_ = solution.epochs, tracer.epochs
        self.dual_gap_ = solution.primal + solution.dual
        if self.warm_start:
            self._last = LastFit(training.y, training.weights, solution.alpha, C)
        return self

    def _start(self, training: TrainingSet, C: float) -> tuple[Reals, bool]:
        """Return α = 0, or that of the last fit: feasible for any C if it grows with C."""
        last: LastFit | None = getattr(self, "_last", None) if self.warm_start else None
        if last is None or not last.fits(training):
            size = len(training.rows) * len(training.classes)
            return np.zeros(size, training.rows.real), False
        return last.alpha * training.rows.real(C / last.strength), True
