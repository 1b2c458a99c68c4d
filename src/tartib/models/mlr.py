"""`DualMLR`: multinomial logistic regression through its dual, by shrinking."""

from __future__ import annotations

import numpy as np

from tartib import _native
from tartib.errors import OptionError
from tartib.models.base import ClassWeight, Reals, TrainingSet, check_positive
from tartib.models.dual import DualOptions, Problem, threads_for
from tartib.models.dual_classifier import DualClassifier, LastFit
from tartib.models.trace import Callback

SOLVERS = ("coordinate", "exponentiated-gradient")
_START = 1e-3  # the small positive value of eq. 15
_SHARE = 0.1  # of its violation that a coordinate step may leave: Newton's method ends there


class DualMLR(DualClassifier):
    """Multinomial logistic regression (MLR paper, section 3.1).

    Minimises over w  ‖w‖² / (2σ²) - Σ_i log p(y_i | x_i)  (eq. 6) through its dual (eq. 9), one
    sample at a time, as in Algorithm 1. ``sigma`` is σ; scikit-learn's C is σ².

    Parameters
    ----------
    sigma
        Standard deviation of the weights' prior; smaller regularises more. The default suits
        millions of rows of ones; for TF-IDF or standardised columns begin with 1. scikit-learn's
        C is as for `MaxEnt`.
    tol
        Stop when the relative duality gap is at most this, as in `MulticlassSVM`.
    solver
        ``coordinate`` finds the best α_i at each visit (the dual coordinate method of Yu, Huang and
        Lin 2011, by Newton's method on log α). ``exponentiated-gradient`` takes the paper's step
        (eq. 11), halved until the objective falls.
    shrinking, epsilon
        As in `MulticlassSVM`; ``paper`` is Algorithm 1, and its condition eq. 16.
    max_iter
        Maximum number of epochs.
    fit_intercept, class_weight, warm_start, random_state, n_jobs, callback, progress
        As in `MulticlassSVM`; a warm start is useful for trying several values of ``sigma``.

    Attributes
    ----------
    weights_, coef_, intercept_, classes_, n_features_in_, n_iter_, trace_, dual_gap_
        As in `MulticlassSVM`.
    """

    _title = "MLR"
    _least = 4.0  # a logistic loss is a quarter as curved
    _rough = 0.005

    def __init__(
        self,
        sigma: float = 0.2,
        *,
        tol: float = 0.005,
        solver: str = "coordinate",
        shrinking: str | None = "safe",
        epsilon: float = 0.1,
        max_iter: int = 1000,
        fit_intercept: bool = True,
        class_weight: ClassWeight = None,
        warm_start: bool = False,
        random_state: int = 0,
        n_jobs: int | None = None,
        callback: Callback | None = None,
        progress: bool = False,
    ) -> None:
        self.sigma = sigma
        self.tol = tol
        self.solver = solver
        self.shrinking = shrinking
        self.epsilon = epsilon
        self.max_iter = max_iter
        self.fit_intercept = fit_intercept
        self.class_weight = class_weight
        self.warm_start = warm_start
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.callback = callback
        self.progress = progress

    def _strength(self) -> float:
        if self.solver not in SOLVERS:
            raise OptionError(f"solver must be one of {', '.join(SOLVERS)}, not {self.solver!r}")
        return check_positive("sigma", self.sigma) ** 2

    def _problem(self, training: TrainingSet, strength: float) -> Problem:
        # A sample's part of the gap is KL(α_i ‖ p_i), at most v²/8 where its violation is v.
        return Problem(
            len(training.rows),
            strength,
            training.total_weight,
            float(np.log(len(training.classes))),
            lambda share: 2 * max(0.0, share) ** 0.5,
            self._small(training),
        )

    def _begin(self, training: TrainingSet) -> tuple[Reals, bool]:
        """Return the initial log α, and whether w(α) differs from 0 there.

        The coordinate method starts where α is the empirical distribution. Its log 0 does no harm,
        because Newton's method starts elsewhere. The paper's step needs the start of eq. 15.
        """
        count, classes = len(training.rows), len(training.classes)
        coordinate = self.solver == "coordinate"
        others = -np.inf if coordinate else np.log(_START / (classes - 1))
        own = 0.0 if coordinate else np.log1p(-_START)
        alpha = np.full((count, classes), others, training.rows.real)
        for k in range(classes):  # indices of all samples at once would need more memory than α
            alpha[training.y == k, k] = own
        return alpha.reshape(-1), not coordinate

    def _again(self, last: LastFit, training: TrainingSet, strength: float) -> Reals:  # noqa: ARG002
        return last.alpha.copy()

    def _solver(
        self,
        samples: _native.Samples,
        training: TrainingSet,
        alpha: Reals,
        strength: float,
        options: DualOptions,
    ) -> _native.DualSolver:
        return _native.DualSolver.mlr(
            samples,
            training.y,
            training.weights,
            len(training.classes),
            alpha,
            strength,
            self.solver != "coordinate",
            _SHARE,
            options.epsilon,
            options.shrinking is not None,
            threads_for(self.n_jobs, len(training.rows)),
        )
