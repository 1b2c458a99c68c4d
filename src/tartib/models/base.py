"""What all classifiers share: reading rows and labels, and the base class of linear models."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, replace
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix, issparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from tartib import _native, ragged
from tartib.dataset import Dataset
from tartib.engine import check_seed, count_jobs, map_ordered
from tartib.errors import ChangedDataError, OptionError, native_refusals
from tartib.models.probabilities import log_softmax, softmax

_CHUNK_ROWS = 1 << 16

Reals = NDArray[Any]  # float32 or float64, as `Rows.real` says
Matrix = Any  # a Dataset, a SciPy sparse matrix, or anything NumPy can turn into a matrix
# As in scikit-learn None, "balanced" or a mapping; and "sqrt-balanced", as in CatBoost.
ClassWeight = Mapping[Any, float] | str | None
BALANCED = ("balanced", "sqrt-balanced")


@dataclass(frozen=True)
class Rows:
    """Sparse rows as the native code takes them; ``values`` is None if all values are 1."""

    indptr: NDArray[np.int64]
    indices: NDArray[np.int32]
    values: NDArray[np.float32] | None
    n_features: int

    def __len__(self) -> int:
        return len(self.indptr) - 1

    @property
    def real(self) -> type[np.float32] | type[np.float64]:
        """The precision used to score these rows and to train on them."""
        return np.float32 if self.values is None else np.float64

    def samples(self, *, intercept: bool) -> _native.Samples:
        """Check the rows and return them in the form that the native solvers take."""
        with native_refusals():
            return _native.Samples(
                self.indptr, self.indices, self.values, self.n_features, intercept
            )

    @classmethod
    def of_matrix(cls, X: Matrix) -> Rows:
        """Read a matrix whose entries scikit-learn has already checked.

        Values and columns are not copied if they are in ``float32`` and ``int32`` already.
        """
        if not issparse(X) and 2 * np.count_nonzero(X) > X.size:
            return cls._of_dense(X)
        if X.dtype == np.float16:  # SciPy does not know it
            X = X.astype(np.float32)
        matrix = X if issparse(X) else csr_matrix(X)
        if not matrix.has_canonical_format:
            matrix = matrix.copy()
            matrix.sum_duplicates()
        values = _single(matrix.data)
        return cls(
            np.ascontiguousarray(matrix.indptr, np.int64),
            np.ascontiguousarray(matrix.indices, np.int32),
            None if (values == 1).all() else np.ascontiguousarray(values),
            matrix.shape[1],
        )

    @classmethod
    def _of_dense(cls, X: NDArray[Any]) -> Rows:
        """Read a dense matrix with all its entries, which needs less than a sparse copy of it."""
        count, columns = X.shape
        values = np.ascontiguousarray(_single(X)).reshape(-1)
        return cls(
            np.arange(count + 1, dtype=np.int64) * columns,
            np.tile(np.arange(columns, dtype=np.int32), count),
            None if (values == 1).all() else values,
            columns,
        )


def _single(values: NDArray[Any]) -> NDArray[np.float32]:
    """Convert values to single precision, in which rows are stored."""
    if values.dtype == np.float32:
        return values
    with np.errstate(over="ignore"):
        single = values.astype(np.float32)
    if not np.isfinite(single).all():
        raise OptionError(
            f"a value is beyond {np.finfo(np.float32).max:.1e}, the limit of single precision: "
            "bring the columns to a smaller scale"
        )
    return single


@dataclass(frozen=True)
class TrainingSet:
    """Rows with labels, counted from 0, and weights; None means that all weights are 1."""

    rows: Rows
    y: NDArray[np.int32]
    weights: NDArray[np.float64] | None
    classes: NDArray[Any]

    @property
    def total_weight(self) -> float:
        """N: the number of samples, or the sum of their weights."""
        return float(len(self.rows) if self.weights is None else self.weights.sum())

    @property
    def products(self) -> int:
        """How many products of a weight and a value the scores of all rows are made of."""
        return int(self.rows.indptr[-1]) * len(self.classes)

    @property
    def mean_norm(self) -> float:
        """The mean of ‖x‖² times the mean weight of the samples whose weight is not 0."""
        values, count = self.rows.values, len(self.rows)
        squares = len(self.rows.indices) if values is None else float(np.vdot(values, values))
        weighing = count if self.weights is None else np.count_nonzero(self.weights)
        return squares / count * self.total_weight / weighing

    @property
    def weighing(self) -> NDArray[np.int64]:
        """Indices of the rows whose weight is not 0."""
        return np.arange(len(self.rows)) if self.weights is None else np.flatnonzero(self.weights)

    def take(self, rows: NDArray[np.int64]) -> TrainingSet:
        """Return the training set of some of the rows."""
        indptr, places = ragged.take(self.rows.indptr, rows)
        indices, values = self.rows.indices[places], self.rows.values
        if values is not None:
            values = values[places]
        return replace(
            self,
            rows=Rows(indptr, indices, values, self.rows.n_features),
            y=self.y[rows],
            weights=None if self.weights is None else self.weights[rows],
        )

    def with_classes(self, classes: NDArray[Any]) -> TrainingSet:
        """Renumber the labels by their place in ``classes``, some of which may not occur."""
        wanted = self.classes.tolist()
        places = {label: place for place, label in enumerate(classes.tolist())}
        unknown = [label for label in wanted if label not in places]
        if unknown:
            raise OptionError(f"{unknown[0]!r} is not among the classes")
        lookup = np.array([places[label] for label in wanted], np.int32)
        return replace(self, y=lookup[self.y], classes=classes)

    def check(self) -> None:
        """Raise an error if a callback has written to the arrays what cannot be trained on."""
        try:
            self.rows.samples(intercept=False)
            whole = self.y.min(initial=0) >= 0 and self.y.max(initial=0) < len(self.classes)
            if self.weights is not None:
                whole &= bool(np.isfinite(self.weights).all() and self.weights.min(initial=0) >= 0)
        except OptionError:
            whole = False
        if not whole:
            raise ChangedDataError(
                "the callback has changed the rows, labels or weights during the fit\n"
                "  give it a copy of what it changes"
            )


class Classifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Accepts `Dataset`, SciPy sparse matrices and dense arrays, as scikit-learn does.

    Attributes
    ----------
    classes_
        The labels.
    n_features_in_
        Number of columns.
    """

    def __sklearn_tags__(self) -> Any:  # noqa: ANN401
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def _read_training(
        self,
        X: Matrix,
        y: Any,  # noqa: ANN401
        sample_weight: Any,  # noqa: ANN401
        *,
        reset: bool = True,
    ) -> TrainingSet:
        """Check the arguments of ``fit``. A `Dataset` brings its own labels and weights."""
        if isinstance(X, Dataset):
            rows, weights = self._read_dataset(X, reset=reset), X.weights
            classes: NDArray[Any]
            codes: NDArray[Any]
            if y is None:
                classes, codes = np.array(X.classes), X.y
                if codes.min(initial=0) < 0 or codes.max(initial=-1) >= len(classes):
                    raise OptionError(f"a label is not between 0 and {len(classes) - 1}")
            else:
                classes, codes = np.unique(np.asarray(y), return_inverse=True)
        else:
            X, y = validate_data(
                self, X, y, accept_sparse="csr", accept_large_sparse=True, dtype="numeric",
                reset=reset,
            )  # fmt: skip
            check_classification_targets(y)
            rows, weights = Rows.of_matrix(X), None
            classes, codes = np.unique(y, return_inverse=True)
        if len(codes) != len(rows):
            raise OptionError(f"{len(codes):,} labels for {len(rows):,} rows")
        if len(rows) == 0:
            raise OptionError("there are no rows to train on")
        if len(classes) > _native.MAX_CLASSES:
            raise OptionError(f"{len(classes)} classes: at most {_native.MAX_CLASSES} are allowed")
        weights = _weights(sample_weight, len(rows), weights)
        return TrainingSet(rows, np.ascontiguousarray(codes, np.int32), weights, classes)

    def _read_dataset(self, dataset: Dataset, *, reset: bool) -> Rows:
        if reset:
            self.n_features_in_ = dataset.n_features
        elif dataset.n_features != self.n_features_in_:
            raise OptionError(
                f"the rows have {dataset.n_features:,} columns, but "
                f"{type(self).__name__} was trained on {self.n_features_in_:,}"
            )
        return Rows(dataset.indptr, dataset.indices, dataset.values, dataset.n_features)

    def _read_rows(self, X: Matrix) -> Rows:
        """Check the rows to be classified."""
        check_is_fitted(self)
        if isinstance(X, Dataset):
            return self._read_dataset(X, reset=False)
        X = validate_data(
            self, X, accept_sparse="csr", accept_large_sparse=True, dtype="numeric", reset=False
        )
        return Rows.of_matrix(X)


class ProbabilisticClassifier(Classifier, ABC):
    """A classifier that predicts the most probable class."""

    def predict_log_proba(self, X: Matrix) -> NDArray[Any]:
        """Return the logarithms of `predict_proba`."""
        with np.errstate(divide="ignore"):
            logarithms: NDArray[Any] = np.log(self.predict_proba(X))
        return logarithms

    @abstractmethod
    def predict_proba(self, X: Matrix) -> NDArray[Any]:
        """Return the probability of each class for each row."""

    def predict(self, X: Matrix) -> NDArray[Any]:
        """Return the most probable class of each row."""
        probabilities = self.predict_proba(X)
        found: NDArray[Any] = self.classes_[probabilities.argmax(axis=1)]
        return found


class LinearClassifier(ProbabilisticClassifier):
    """A linear model: scores s_k = w_k·x, and probabilities by soft-max of the scores.

    Attributes
    ----------
    weights_
        One row per feature, with the classes side by side and padded; the last row holds the
        intercepts, if there are any. Single precision if all values of the training rows were 1,
        otherwise double. `coef_` and `intercept_` are read from it.
    """

    n_jobs: int | None
    class_weight: ClassWeight
    fit_intercept: bool
    weights_: Reals

    @property
    def coef_(self) -> Reals:
        """Weights, one row per class; with two classes one row, in favour of the second class."""
        found = self.weights_[: self.n_features_in_, : len(self.classes_)].T
        return found[1:] - found[:1] if len(self.classes_) == 2 else found

    @property
    def intercept_(self) -> Reals:
        """The intercept of each class; with two classes one number, in favour of the second."""
        count = len(self.classes_)
        if len(self.weights_) == self.n_features_in_:
            return np.zeros(1 if count == 2 else count, self.weights_.dtype)
        found: Reals = self.weights_[-1, :count]
        return found[1:] - found[:1] if count == 2 else found

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "weights_")

    def _read_training(
        self,
        X: Matrix,
        y: Any,  # noqa: ANN401
        sample_weight: Any,  # noqa: ANN401
        *,
        reset: bool = True,
        part: bool = False,
    ) -> TrainingSet:
        """Check the arguments of ``fit`` and weigh the classes; a part is not weighed yet."""
        if not isinstance(self.fit_intercept, bool | np.bool_ | int):
            raise OptionError(f"fit_intercept must be True or False, not {self.fit_intercept!r}")
        if reset:  # a fit that fails must not leave old weights beside a new number of columns
            self.__dict__.pop("weights_", None)
        training = super()._read_training(X, y, sample_weight, reset=reset)
        return training if part else weigh_classes(training, self.class_weight)

    def _read_part(
        self,
        X: Matrix,
        y: Any,  # noqa: ANN401
        classes: Any,  # noqa: ANN401
        sample_weight: Any,  # noqa: ANN401
    ) -> TrainingSet:
        """Check the arguments of ``partial_fit``; the first call fixes the classes."""
        if isinstance(self.class_weight, str):
            raise OptionError(
                "partial_fit sees a part of the samples only: give class_weight as a mapping"
            )
        first = not hasattr(self, "classes_")
        training = self._read_training(X, y, sample_weight, reset=first, part=True)
        if not first:
            known = self.classes_
            if classes is not None and not np.array_equal(np.unique(classes), np.unique(known)):
                raise OptionError("the classes differ from those of the first call of partial_fit")
        elif classes is not None:
            known = np.unique(classes)
        elif y is None:
            known = training.classes
        else:
            raise OptionError("the first call of partial_fit needs all the classes")
        return weigh_classes(training.with_classes(known), self.class_weight)

    def _set_weights(self, training: TrainingSet, flat: Reals | None) -> None:
        """Store the weights that a solver found; None if there was nothing to solve."""
        self.classes_ = training.classes
        features = training.rows.n_features + bool(self.fit_intercept)
        if flat is None:
            flat = np.zeros(features, training.rows.real)
        self.weights_ = flat.reshape(features, -1)

    def scores(self, X: Matrix) -> Reals:
        """Return s_k for each row and class: two columns even if there are only two classes."""
        rows = self._read_rows(X)
        count = len(self.classes_)
        if count == 1:
            return np.zeros((len(rows), 1), rows.real)
        if rows.values is None and self.weights_.dtype == np.float64:
            # The model decides the precision, whatever else is in the batch.
            rows = replace(rows, values=np.ones(len(rows.indices), np.float32))
        samples = rows.samples(intercept=len(self.weights_) > self.n_features_in_)
        weights = np.ascontiguousarray(self.weights_, rows.real).reshape(-1)
        out = np.empty((len(rows), count), rows.real)

        def run(begin: int) -> None:
            end = min(begin + _CHUNK_ROWS, len(rows))
            scores = _native.score_rows(samples, begin, end, weights, count)
            out[begin:end] = scores.reshape(-1, count)

        jobs = count_jobs(self.n_jobs) if len(rows) > _CHUNK_ROWS else 1
        for _ in map_ordered(run, range(0, len(rows), _CHUNK_ROWS), jobs):
            pass
        return out

    def decision_function(self, X: Matrix) -> Reals:
        """Return the scores; with two classes one number per row, above 0 for the second."""
        scores = self.scores(X)
        return scores[:, 1] - scores[:, 0] if scores.shape[1] == 2 else scores

    def predict_proba(self, X: Matrix) -> Reals:
        """Return the soft-max of the scores."""
        return softmax(self.scores(X))

    def predict_log_proba(self, X: Matrix) -> Reals:
        """Return the logarithms of `predict_proba`, finite even for tiny probabilities."""
        return log_softmax(self.scores(X))

    def predict(self, X: Matrix) -> NDArray[Any]:
        """Return the class with the highest score for each row."""
        scores = self.scores(X)
        found: NDArray[Any] = self.classes_[scores.argmax(axis=1)]
        return found


def check_positive(name: str, value: float) -> float:
    """Refuse an option that is not a positive number."""
    if not isinstance(value, Real) or not (np.isfinite(value) and value > 0):
        raise OptionError(f"{name} must be a positive number, not {value!r}")
    return float(value)


def check_count(name: str, value: int) -> int:
    """Refuse an option that is not a whole number of 1 or more."""
    if not isinstance(value, Integral) or value < 1:
        raise OptionError(f"{name} must be a whole number of 1 or more, not {value!r}")
    return int(value)


def seed_of(random_state: Any) -> int:  # noqa: ANN401
    """Return a seed: an integer as it is, anything else by scikit-learn's conventions."""
    if isinstance(random_state, Integral):
        return check_seed(int(random_state))
    return int(check_random_state(random_state).randint(1 << 31))


def weigh_classes(training: TrainingSet, class_weight: ClassWeight) -> TrainingSet:
    """Multiply the weight of each sample by that of its class.

    ``balanced`` gives all classes that occur the same total weight, as in scikit-learn, and
    ``sqrt-balanced`` weights that are proportional to the square roots of those; the mean weight of
    a sample is 1. A sample of weight 3 counts as three.
    """
    if class_weight is None:
        return training
    if isinstance(class_weight, str) and class_weight in BALANCED:
        counts = np.bincount(training.y, training.weights, len(training.classes))
        factors = np.where(counts > 0, counts, 1.0) ** (-0.5 if "sqrt" in class_weight else -1.0)
        factors *= counts.sum() / (factors @ counts)
    elif isinstance(class_weight, Mapping):
        factors = _given_class_weights(class_weight, training.classes.tolist())
    else:
        raise OptionError(
            f"class_weight must be None, {', '.join(map(repr, BALANCED))} or a mapping of classes "
            f"to weights, not {class_weight!r}"
        )
    weights = factors[training.y]
    if training.weights is not None:
        weights *= training.weights
    if not weights.any():
        raise OptionError("class_weight leaves no sample with a weight above 0")
    return replace(training, weights=weights)


def _given_class_weights(given: Mapping[Any, float], classes: list[Any]) -> NDArray[np.float64]:
    """Return the weight of each class; those that are not named weigh 1."""
    known = ", ".join(map(str, classes))
    for label, weight in given.items():
        # A part of the data may lack a class; a name that stands for no class is a mistake.
        if label not in classes and not set(classes) <= set(given):
            raise OptionError(f"class_weight has the class {label!r}, but there are only {known}")
        if not isinstance(weight, Real) or not 0 <= weight < np.inf:
            raise OptionError(f"the weight of class {label!r} must be 0 or more, not {weight!r}")
    return np.array([float(given.get(label, 1.0)) for label in classes])


def _weights(
    given: Any,  # noqa: ANN401
    count: int,
    own: NDArray[np.float64] | None,
) -> NDArray[np.float64] | None:
    """Multiply the given weights by those of the rows."""
    if given is not None:
        shape = np.empty((count, 0))
        given = _check_sample_weight(given, shape, dtype=np.float64, ensure_non_negative=True)
        own = given if own is None else own * given
    if own is not None and not own.any():
        raise OptionError("the weights of all samples are 0")
    return own
