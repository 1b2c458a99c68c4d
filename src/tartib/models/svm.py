"""`MulticlassSVM`: Crammer and Singer's support vector machine by the shrinking dual method."""

from __future__ import annotations

import numpy as np

from tartib import _native
from tartib.errors import OptionError
from tartib.models.base import ClassWeight, Reals, TrainingSet, check_positive
from tartib.models.dual import DualOptions, Problem, threads_for
from tartib.models.dual_classifier import DualClassifier, LastFit
from tartib.models.trace import Callback


class MulticlassSVM(DualClassifier):
    """Multiclass support vector machine (SVM paper, section 6).

    Minimises over w  ½ Σ_k ‖w_k‖² + C Σ_i max_k (w_k·x_i + 1 - δ_ik - w_{y_i}·x_i),  δ_ik = 1 where
    k = y_i, by Algorithms 1 and 2 on its dual (eq. 8). Probabilities are a soft-max of the scores,
    as in the paper: they rank the classes, but are not calibrated.

    Parameters
    ----------
    C
        Penalty of a margin violation. The default suits millions of rows of ones; for TF-IDF or
        standardised columns begin with 1.
    tol
        Stop when the relative duality gap is at most this: the objective is then above its minimum
        by at most this share of itself, and of what training has lowered it by since w = 0.
    shrinking
        ``safe`` (default) skips samples that need no change for an epoch at a time, and ends when
        the gap over all samples is at most ``tol``. None visits all samples in every epoch.
        ``paper`` is Algorithm 2: a sample is removed for good once it no longer violates its
        condition, and training ends when none is left, wherever that is; ``tol`` is not used.
    epsilon
        With ``shrinking="paper"``, ε: the largest violation of its condition (eq. 12) with which a
        sample is removed.
    max_iter
        Maximum number of epochs.
    fit_intercept
        Whether each class has an intercept, regularised like the weights.
    class_weight
        None: all classes weigh 1. ``balanced``: classes weigh the same in total.
        ``sqrt-balanced``: half way there, the square roots of those weights. A mapping: the weight
        of each class; 1 for those it does not name. Multiplied by the samples' weights.
    warm_start
        Start from the dual variables of the last fit on the same samples; useful for trying several
        values of C. Such a fit ends at ``tol``, in small problems, too; see ``n_iter_``.
    random_state
        Seed of the order in which samples (in large data, blocks of them) are visited.
    n_jobs
        Number of threads; None means all cores. The result is the same for any number.
    callback
        Called with an `Epoch` after each epoch, for example a `TraceFile`.
    progress
        Show epoch, active share and gap on a terminal.

    Attributes
    ----------
    weights_, coef_, intercept_, classes_, n_features_in_
        The model.
    n_iter_
        Number of epochs. Small problems with values other than 1 (at most 262,144 products of a
        weight and a value in an epoch) are solved to the optimum itself, whatever ``tol`` is,
        which may take 200 epochs; only then ``tol`` counts.
    trace_
        One `Epoch` per epoch, and a last one, numbered 0, with the duality gap. Where training
        begins with a smaller ``C``, the objective is that of the ``C`` of the moment.
    dual_gap_
        Final duality gap, primal minus dual objective over all samples, as a share of the primal,
        or of what it is lower than at w = 0 if that is less.
    """

    _title = "SVM"
    _least = 1.0
    _rough = 0.04

    def __init__(
        self,
        C: float = 0.03,
        *,
        tol: float = 0.04,
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
        self.C = C
        self.tol = tol
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
        C = check_positive("C", self.C)
        limits = np.finfo(np.float32)
        if not float(limits.tiny) <= C <= float(limits.max):
            raise OptionError(f"C = {C:g} is out of range: α is stored in single precision")
        return C

    def _problem(self, training: TrainingSet, strength: float) -> Problem:
        # A sample with violation v has at most C_i v of the gap.
        return Problem(
            len(training.rows),
            1.0,
            strength * training.total_weight,
            1.0,
            lambda share: share / 2,
            self._small(training),
        )

    def _begin(self, training: TrainingSet) -> tuple[Reals, bool]:
        size = len(training.rows) * len(training.classes)
        return np.zeros(size, training.rows.real), False

    def _again(self, last: LastFit, training: TrainingSet, strength: float) -> Reals:
        """Scale α with C, so that it stays within its bounds."""
        alpha: Reals = last.alpha * training.rows.real(strength / last.strength)
        return alpha

    def _solver(
        self,
        samples: _native.Samples,
        training: TrainingSet,
        alpha: Reals,
        strength: float,
        options: DualOptions,
    ) -> _native.DualSolver:
        return _native.DualSolver.svm(
            samples,
            training.y,
            training.weights,
            len(training.classes),
            alpha,
            strength,
            options.epsilon,
            options.shrinking is not None,
            threads_for(self.n_jobs, len(training.rows)),
        )
