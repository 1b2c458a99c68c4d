"""The classifiers by name, and `PairClassifier`: one interface to all of them.

Linear classifiers read rows of features; a lexicalised model looks pairs up by their keys.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from tartib.errors import OptionError
from tartib.features import FeatureEncoder
from tartib.models import DualMLR, MaxEnt, MulticlassSVM, NaiveBayes, PrimalMLR
from tartib.models.base import Classifier, LinearClassifier
from tartib.reordering.calibration import Floats
from tartib.reordering.frozen import full_weights, restored_counts
from tartib.reordering.inputs import LEVELS, Examples, Inputs, check_granularity
from tartib.reordering.lexicalised import LexicalisedModel

CONSTANT = "(constant)"
SEEN = "times seen: "

Arrays = dict[str, NDArray[Any]]
# Options that do not change what is learnt.
_TRANSIENT = ("callback", "progress", "n_jobs", "warm_start")


@dataclass(frozen=True)
class Kind:
    """One of the papers' classifiers.

    Attributes
    ----------
    estimator
        Its class, whose defaults it has.
    parameter
        The option that sets its regularisation.
    path
        Values of that option worth trying, from strong regularisation to weak.
    calibration
        How its scores become probabilities unless one asks otherwise; see `Calibration`.
    penalty
        The one option that its name says, if the class has several penalties.
    tunes_weights
        Whether tuning tries weights of classes too.
    """

    estimator: type[Classifier]
    parameter: str
    path: tuple[float, ...]
    calibration: str = "none"
    penalty: str | None = None
    tunes_weights: bool = False


_SIGMAS = (0.05, 0.1, 0.2, 0.4, 0.8)
KINDS: dict[str, Kind] = {
    "svm": Kind(
        MulticlassSVM,
        "C",
        (0.001, 0.003, 0.01, 0.03, 0.1),
        calibration="affine",
        tunes_weights=True,
    ),
    "mlr": Kind(DualMLR, "sigma", _SIGMAS),
    "primal-mlr": Kind(PrimalMLR, "sigma", _SIGMAS),
    "maxent": Kind(MaxEnt, "sigma", _SIGMAS, penalty="l2"),
    "maxent-l1": Kind(MaxEnt, "sigma", (0.02, 0.06, 0.2, 0.6, 2.0), penalty="l1"),
    "naive-bayes": Kind(NaiveBayes, "alpha", (100.0, 10.0, 1.0, 0.1)),
    "lexicalised": Kind(LexicalisedModel, "smoothing", (5.0, 2.0, 1.0, 0.5, 0.1)),
}


def make_classifier(classifier: str | Classifier, **options: Any) -> Classifier:  # noqa: ANN401
    """Return a new, untrained classifier.

    Parameters
    ----------
    classifier
        A name in `KINDS`, or a classifier whose options are copied.
    options
        Options to set; those that the classifier does not have are ignored.
    """
    if not isinstance(classifier, str):
        made: Classifier = clone(classifier)
    elif classifier in KINDS:
        kind = KINDS[classifier]
        made = kind.estimator() if kind.penalty is None else kind.estimator(penalty=kind.penalty)
    else:
        raise OptionError(f"unknown classifier {classifier!r}: it is one of {', '.join(KINDS)}")
    known = made.get_params()
    made.set_params(**{name: value for name, value in options.items() if name in known})
    return made


def name_of(classifier: str | Classifier) -> str:
    """Return the name of a classifier in `KINDS`, by class and penalty; else its class name."""
    if isinstance(classifier, str):
        return classifier
    for name, kind in KINDS.items():
        if kind.estimator is type(classifier) and kind.penalty == getattr(
            classifier, "penalty", None
        ):
            return name
    return type(classifier).__name__


def kind_of(classifier: Classifier) -> Kind:
    """Return the entry of a classifier in `KINDS`, by its class and penalty."""
    name = name_of(classifier)
    if name not in KINDS:
        raise OptionError(f"{name} cannot be tuned: use one of {', '.join(KINDS)}")
    return KINDS[name]


def usual_calibration(classifier: Classifier) -> str:
    """Return how the scores of a classifier become probabilities unless one asks otherwise."""
    name = name_of(classifier)
    return KINDS[name].calibration if name in KINDS else "none"


def learnt_options(classifier: Classifier) -> dict[str, Any]:
    """Return the options that affect what is learnt."""
    params = classifier.get_params()
    return {name: params[name] for name in sorted(params) if name not in _TRANSIENT}


def describe(classifier: Classifier) -> str:
    """Return the class name and options of a classifier, without spaces."""
    options = ",".join(f"{name}={value}" for name, value in learnt_options(classifier).items())
    return f"{type(classifier).__name__}({options})".replace(" ", "")


@dataclass(frozen=True)
class Pull:
    """What one feature adds to the score of each class, beyond what it adds to all."""

    feature: str
    weights: dict[str, float]


class PairClassifier(ABC):
    """Learns and tells the class of phrase pairs.

    Attributes
    ----------
    estimator
        The classifier itself, with its options and what it learnt.
    """

    estimator: Classifier

    @staticmethod
    def of(estimator: Classifier) -> PairClassifier:
        """Return the adapter that suits a classifier."""
        if isinstance(estimator, LexicalisedModel):
            return KeyClassifier(estimator)
        if isinstance(estimator, LinearClassifier):
            return RowClassifier(estimator)
        raise OptionError(f"{type(estimator).__name__} is not a classifier of tartib.models")

    @property
    @abstractmethod
    def granularity(self) -> str | None:
        """By which keys pairs are looked up; None for a classifier that reads rows of features."""

    @property
    def key_levels(self) -> tuple[str, ...]:
        """The keys that `Inputs` must have."""
        return () if self.granularity is None else LEVELS[self.granularity]

    @property
    @abstractmethod
    def n_parameters(self) -> int:
        """How many numbers were learnt: the SVM paper's Table 7."""

    @property
    def weights(self) -> NDArray[np.float32] | None:
        """Weights that native code can score rows with; None if `scores` is the only way."""
        return None

    @abstractmethod
    def fit(self, examples: Examples) -> None:
        """Learn."""

    @abstractmethod
    def scores(self, inputs: Inputs) -> Floats:
        """Return one score per class; their soft-max is the classifier's own probability."""

    @abstractmethod
    def used_columns(self) -> NDArray[np.bool_] | None:
        """Tell which columns have any weight; None for a classifier without columns."""

    @abstractmethod
    def state(self, columns: NDArray[np.int64] | None, *, compact: bool) -> Arrays:
        """Return what was learnt, as arrays.

        Parameters
        ----------
        columns
            The columns to keep; None keeps all.
        compact
            Weights in 16 bits.
        """

    @abstractmethod
    def restore(
        self,
        arrays: Arrays,
        labels: Sequence[str],
        n_features: int | None,
        columns: NDArray[np.int64] | None,
    ) -> None:
        """Take what `state` returned; arrays that do not fit together raise ValueError."""

    @abstractmethod
    def pulls(
        self, inputs: Inputs, labels: Sequence[str], encoder: FeatureEncoder | None
    ) -> list[Pull]:
        """Tell what decides about the first of the pairs, strongest first."""

    def feature_weights(self) -> Floats | None:
        """Return weights, one row per feature, without what is the same for all classes."""
        return None


class RowClassifier(PairClassifier):
    """A linear classifier that reads rows of features."""

    def __init__(self, estimator: LinearClassifier) -> None:
        self.estimator: LinearClassifier = estimator

    @property
    def granularity(self) -> None:
        """None: no keys are needed."""
        return

    @property
    def n_parameters(self) -> int:
        """Weights other than 0."""
        return int(np.count_nonzero(self.estimator.weights_))

    @property
    def weights(self) -> NDArray[np.float32] | None:
        """In single precision, as training on phrase pairs leaves them."""
        found = self.estimator.weights_
        if found.dtype != np.float32 or len(self.estimator.classes_) < 2:
            return None
        return np.ascontiguousarray(found)

    def fit(self, examples: Examples) -> None:
        """Fit the weights to the rows."""
        self.estimator.fit(examples.rows)

    def scores(self, inputs: Inputs) -> Floats:
        """Return w_k·x for each class k."""
        return self.estimator.scores(inputs.rows).astype(np.float64)

    def used_columns(self) -> NDArray[np.bool_]:
        """Tell which columns have a weight other than 0."""
        weights = self.estimator.weights_[: self.estimator.n_features_in_]
        return np.asarray(weights.any(axis=1), np.bool_)

    def state(self, columns: NDArray[np.int64] | None, *, compact: bool) -> Arrays:
        """Return weights and intercept; without intercept it has no rows."""
        count, features = len(self.estimator.classes_), self.estimator.n_features_in_
        weights = self.estimator.weights_[:features, :count]
        with np.errstate(over="ignore"):
            kept = np.ascontiguousarray(
                weights if columns is None else weights[columns],
                np.float16 if compact else np.float32,
            )
        if not np.isfinite(kept).all():
            raise OptionError("some weights are too large for 16 bits: save without compact")
        intercept = np.ascontiguousarray(self.estimator.weights_[features:, :count], np.float32)
        return {"weights": kept, "intercept": intercept}

    def restore(
        self,
        arrays: Arrays,
        labels: Sequence[str],
        n_features: int | None,
        columns: NDArray[np.int64] | None,
    ) -> None:
        """Put the weights where scoring looks for them."""
        full = full_weights(arrays, len(labels), n_features, columns)
        self.estimator.weights_ = full
        self.estimator.classes_ = np.array(labels)
        self.estimator.n_features_in_ = len(full) - len(arrays["intercept"])

    def pulls(
        self, inputs: Inputs, labels: Sequence[str], encoder: FeatureEncoder | None
    ) -> list[Pull]:
        """Return the features of the pair, and the constant of each class if there is one."""
        if encoder is None or inputs.rows is None:
            raise OptionError("a linear classifier needs the encoder of its features")
        columns = inputs.rows.row(0).tolist()
        names = [encoder.name(column) for column in columns]
        if len(self.estimator.weights_) > encoder.n_features:
            columns, names = [*columns, encoder.n_features], [*names, CONSTANT]
        centred = self._centred(columns)
        order = np.argsort(-np.abs(centred).max(axis=1, initial=0.0), kind="stable")
        return [
            Pull(names[i], dict(zip(labels, centred[i].tolist(), strict=True)))
            for i in order.tolist()
        ]

    def feature_weights(self) -> Floats:
        """Return the weights of all features, without the constants."""
        return self._centred(slice(self.estimator.n_features_in_))

    def _centred(self, columns: Any) -> Floats:  # noqa: ANN401
        """Return weights without what speaks for all classes alike, which changes nothing."""
        weights = self.estimator.weights_[columns, : len(self.estimator.classes_)]
        centred: Floats = weights - weights.mean(axis=1, keepdims=True, dtype=np.float64)
        return centred


class KeyClassifier(PairClassifier):
    """A lexicalised model, which looks pairs up by their keys."""

    def __init__(self, estimator: LexicalisedModel) -> None:
        self.estimator: LexicalisedModel = estimator

    @property
    def granularity(self) -> str:
        """That of the lexicalised model."""
        return check_granularity(self.estimator.granularity)

    @property
    def n_parameters(self) -> int:
        """Entries times classes."""
        return self.estimator.n_parameters

    def fit(self, examples: Examples) -> None:
        """Count."""
        levels = examples.levels(self.granularity)
        self.estimator.fit_keys(levels, examples.y, len(examples.classes))

    def scores(self, inputs: Inputs) -> Floats:
        """Return log-probabilities."""
        return self.estimator.log_probabilities_keys(inputs.levels(self.granularity))

    def used_columns(self) -> None:
        """None: there are no columns."""

    def state(self, columns: NDArray[np.int64] | None, *, compact: bool) -> Arrays:  # noqa: ARG002
        """Return keys and counts."""
        return self.estimator.state()

    def restore(
        self,
        arrays: Arrays,
        labels: Sequence[str],
        n_features: int | None,  # noqa: ARG002
        columns: NDArray[np.int64] | None,  # noqa: ARG002
    ) -> None:
        """Take keys and counts."""
        self.estimator = restored_counts(self.estimator, arrays, labels)

    def pulls(
        self,
        inputs: Inputs,
        labels: Sequence[str],
        encoder: FeatureEncoder | None,  # noqa: ARG002
    ) -> list[Pull]:
        """Tell how often each level of the back-off has seen the pair."""
        names = {"fe": "phrase pair", "f": "source phrase", "e": "target phrase"}
        model, found = self.estimator, []
        for level, keys, counts in zip(self.key_levels, model.keys_, model.counts_, strict=True):
            key = inputs.keys[level][0]
            at = int(np.searchsorted(keys, key))
            seen = at < len(keys) and keys[at] == key
            row = counts[at].tolist() if seen else [0.0] * len(labels)
            found.append(Pull(f"{SEEN}{names[level]}", dict(zip(labels, row, strict=True))))
        return found
