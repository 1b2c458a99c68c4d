"""`NaiveBayes`: the Bayesian reordering model with feature selection."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from tartib import _native
from tartib.errors import OptionError, native_refusals
from tartib.models.base import (
    ClassWeight,
    LinearClassifier,
    Matrix,
    TrainingSet,
    check_positive,
)
from tartib.models.dual import threads_for
from tartib.models.likelihood import Vector, padded


class NaiveBayes(LinearClassifier):
    """Bayesian naive Bayes (Alrajeh and Niranjan 2014b; SVM paper, section 2).

    A row of class k is a bag of features drawn from p(j | k). With a symmetric Dirichlet prior, the
    probability of the next feature is  p(j | k) = (N_jk + α) / (Σ_j N_jk + α J)  if feature j was
    seen N_jk times in class k and there are J features; p(k) is estimated in the same way. Training
    takes one pass over the data. The result is a linear model with weights log p(j | k) and
    intercepts log p(k).

    Parameters
    ----------
    alpha
        Parameter α of the Dirichlet priors: a pseudo-count added to each feature in each class, and
        to each class.
    select
        How many features to keep: a whole number, or a share up to 1.0. The features kept are those
        whose presence tells most about the class (mutual information). The others are ignored, and
        J is the number kept. None keeps all.
    class_weight
        As in `MulticlassSVM`.
    n_jobs
        Number of threads; None means all cores. The result is the same for any number.

    Attributes
    ----------
    weights_, coef_, intercept_, classes_, n_features_in_
        The model; features that were not selected weigh 0.
    feature_counts_
        N_jk, one row per feature.
    presence_counts_
        Number of samples of each class that have the feature; None unless ``select`` is set.
    class_counts_
        Number of samples of each class.
    selected_
        The columns kept, in ascending order.
    """

    fit_intercept = True
    feature_counts_: NDArray[np.float64]
    presence_counts_: NDArray[np.float64] | None
    class_counts_: NDArray[np.float64]

    def __init__(
        self,
        alpha: float = 1.0,
        *,
        select: float | None = None,
        class_weight: ClassWeight = None,
        n_jobs: int | None = None,
    ) -> None:
        self.alpha = alpha
        self.select = select
        self.class_weight = class_weight
        self.n_jobs = n_jobs

    def __sklearn_tags__(self) -> Any:  # noqa: ANN401
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        tags.classifier_tags.poor_score = True  # on rows that are not counts
        return tags

    def fit(self, X: Matrix, y: Any = None, sample_weight: Any = None) -> Self:  # noqa: ANN401
        """Train from scratch; the parameters are those of `MulticlassSVM.fit`."""
        self._check_options()
        training = self._read_training(X, y, sample_weight)
        self._count(training, fresh=True)
        return self

    def partial_fit(
        self,
        X: Matrix,
        y: Any = None,  # noqa: ANN401
        classes: Any = None,  # noqa: ANN401
        sample_weight: Any = None,  # noqa: ANN401
    ) -> Self:
        """Train on more samples; the model is then the same as after `fit` on all of them.

        Parameters
        ----------
        X, y, sample_weight
            As for `fit`.
        classes
            All labels of all calls; needed in the first call, unless X is a `Dataset`.
        """
        self._check_options()
        fresh = not hasattr(self, "classes_")
        self._count(self._read_part(X, y, classes, sample_weight), fresh=fresh)
        return self

    def _count(self, training: TrainingSet, *, fresh: bool) -> None:
        """Add the counts of these samples, and compute the weights anew."""
        values = training.rows.values
        if values is not None and (values < 0).any():
            raise OptionError("Negative values in data passed to NaiveBayes: counts are 0 or more")
        features = self._count_features(training, presence=False)
        presence = None if self.select is None else self._count_features(training, presence=True)
        classes = class_counts(training)
        if not fresh:
            features += self.feature_counts_
            classes += self.class_counts_
            if presence is not None:
                if self.presence_counts_ is None:
                    raise OptionError("select must be set before the first call of partial_fit")
                presence += self.presence_counts_
        self.feature_counts_, self.presence_counts_ = features, presence
        self.class_counts_ = classes
        self._estimate(training)

    def _count_features(self, training: TrainingSet, *, presence: bool) -> NDArray[np.float64]:
        threads, classes = threads_for(self.n_jobs, len(training.rows)), len(training.classes)
        samples = training.rows.samples(intercept=False)
        with native_refusals():
            counts = _native.count_features(
                samples, training.y, training.weights, classes, presence, threads
            )
        return counts.reshape(-1, classes)

    def _estimate(self, training: TrainingSet) -> None:
        """Compute the weights from the counts."""
        self.selected_ = self._choose()
        counts = self.feature_counts_[self.selected_] + self.alpha
        weights = np.zeros((len(self.feature_counts_) + 1, len(training.classes)))
        weights[self.selected_] = np.log(counts) - np.log(counts.sum(axis=0))
        classes = self.class_counts_ + self.alpha
        weights[-1] = np.log(classes) - np.log(classes.sum())
        if len(training.classes) == 1:
            self._set_weights(training, None)
        else:
            self._set_weights(training, padded(weights.reshape(-1), training))

    def _choose(self) -> NDArray[np.int64]:
        """Return the columns that tell most about the class; ties go to the first."""
        count = len(self.feature_counts_)
        if self.select is None or self.presence_counts_ is None:
            return np.arange(count)
        kept = self.select if isinstance(self.select, Integral) else np.ceil(self.select * count)
        told = mutual_information(self.presence_counts_, self.class_counts_)
        return np.sort(np.argsort(-told, kind="stable")[: int(kept)])

    def _check_options(self) -> None:
        check_positive("alpha", self.alpha)
        if self.select is None:
            return
        if isinstance(self.select, Integral) and not isinstance(self.select, bool):
            valid = self.select >= 1
        else:
            valid = isinstance(self.select, Real) and 0 < self.select <= 1
        if not valid or isinstance(self.select, bool):
            raise OptionError(
                f"select must be a number of features, or a share up to 1.0: {self.select!r}"
            )


def class_counts(training: TrainingSet) -> Vector:
    """Return the total weight of the samples of each class."""
    counts = np.bincount(training.y, training.weights, len(training.classes))
    return counts.astype(np.float64)


def mutual_information(presence: NDArray[np.float64], classes: NDArray[np.float64]) -> Vector:
    """Return the mutual information of the presence of each feature and the class, in nats.

    I_j = Σ_k Σ_b p(b, k) log (p(b, k) / (p(b) p(k))),  where b is whether feature j is present.

    Parameters
    ----------
    presence
        Number of samples that have the feature, one row per feature, one column per class.
    classes
        Number of samples of each class.
    """
    total = classes.sum()
    absence = np.maximum(classes - presence, 0.0)  # a row may list a column twice
    result = np.zeros(len(presence))
    for joint in (presence, absence):
        independent = joint.sum(axis=1, keepdims=True) * classes / total
        ratio = np.divide(joint, independent, out=np.ones_like(joint), where=joint > 0)
        result += (joint * np.log(ratio)).sum(axis=1) / total
    return result
