"""`FrozenModel`: a saved reordering model that only predicts, for a decoder.

It gives the same numbers as `ReorderingModel`, whose classifiers are scikit-learn's: importing that
takes longer than loading a system.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from tartib import _native
from tartib.features import FeatureEncoder
from tartib.orientation import OrientationModel
from tartib.reordering.bound import BoundReorderingModel, LexicalisedPrior
from tartib.reordering.calibration import Calibration, Floats, Prior
from tartib.reordering.inputs import LEVELS, Inputs
from tartib.reordering.key_counts import KeyCounts
from tartib.reordering.saved import (
    SavedDirection,
    SavedModel,
    own_arrays,
    prior_arrays,
    read_saved,
)
from tartib.vocabulary import Vocabulary

if TYPE_CHECKING:
    from tartib.reordering.model import ReorderingModel

Counted = TypeVar("Counted", bound=KeyCounts)
LEXICALISED = "LexicalisedModel"
# What saved classifiers are called, by their class and penalty, as in `tartib.reordering.KINDS`.
NAMES = {
    ("MulticlassSVM", None): "svm",
    ("DualMLR", None): "mlr",
    ("PrimalMLR", None): "primal-mlr",
    ("MaxEnt", "l2"): "maxent",
    ("MaxEnt", "l1"): "maxent-l1",
    ("NaiveBayes", None): "naive-bayes",
    (LEXICALISED, None): "lexicalised",
}


@dataclass(frozen=True)
class FrozenDirection:
    """The model of one direction.

    Attributes
    ----------
    weights
        Of a linear classifier.
    counts
        Of a lexicalised model, instead.
    calibration, prior
        As in `DirectionModel`.
    """

    weights: NDArray[np.float32] | None
    counts: KeyCounts | None
    calibration: Calibration
    prior: LexicalisedPrior | None

    @property
    def key_levels(self) -> tuple[str, ...]:
        """The keys that `Inputs` must have."""
        asked = () if self.prior is None else LEVELS[self.prior.options.granularity]
        own = () if self.counts is None else LEVELS[self.counts.granularity]
        return tuple(dict.fromkeys((*asked, *own)))

    def log_probabilities(self, inputs: Inputs, scores: Floats | None = None) -> Floats:
        """Return the log-probability of each class; a linear classifier is given its scores."""
        if scores is None:
            if self.counts is None:
                raise ValueError("a linear classifier needs its scores")
            scores = self.counts.log_probabilities_keys(inputs.levels(self.counts.granularity))
        prior = None if self.prior is None else self.prior.log_probabilities(inputs)
        return self.calibration.log_probabilities(scores, prior)


@dataclass(frozen=True)
class FrozenModel:
    """A trained model that can be bound to vocabularies, and nothing else.

    Attributes
    ----------
    feature_name, orientation_, encoder_
        As in `ReorderingModel`.
    models
        A model for each direction.
    """

    feature_name: str
    orientation_: OrientationModel
    encoder_: FeatureEncoder | None
    models: Mapping[str, FrozenDirection]

    @property
    def directions(self) -> tuple[str, ...]:
        """``backward``, ``forward``, or both."""
        return tuple(self.models)

    def bind(self, source: Vocabulary, target: Vocabulary) -> BoundReorderingModel:
        """Return the model for a decoder, whose ids are those of two vocabularies."""
        n_classes = len(self.orientation_.labels)
        return BoundReorderingModel(self.encoder_, self.models, n_classes, source, target)


def load_for_decoding(folder: Path) -> FrozenModel | ReorderingModel:
    """Load a folder of `tartib train`: frozen, or whole if it is of a kind that is not known."""
    frozen = read_saved(folder, _frozen)
    if frozen is not None:
        return frozen
    from tartib.reordering.model import ReorderingModel

    return ReorderingModel.load(folder, n_jobs=1)


def _frozen(saved: SavedModel) -> FrozenModel | None:
    names = {name: _name_of(part) for name, part in saved.directions.items()}
    lexicalised = {name == NAMES[LEXICALISED, None] for name in names.values()}
    if None in names.values() or len(lexicalised) > 1:
        return None
    kind = next(iter(names.values()))
    feature_name = f"{kind}-{saved.encoder.features}" if saved.encoder else f"{kind}"
    models = {name: _direction(part, saved) for name, part in saved.directions.items()}
    return FrozenModel(
        re.sub(r"[\s=|]+", "-", feature_name), saved.orientation, saved.encoder, models
    )


def _name_of(part: SavedDirection) -> str | None:
    options = part.fields.mapping("options")
    return NAMES.get((part.fields.text("classifier"), options.get("penalty")))


def _direction(part: SavedDirection, saved: SavedModel) -> FrozenDirection:
    labels = saved.orientation.labels
    own = own_arrays(part.arrays)
    weights, counts = None, None
    if part.fields.text("classifier") == LEXICALISED:
        counts = restored_counts(KeyCounts(**part.fields.mapping("options")), own, labels)
    else:
        weights = full_weights(own, len(labels), saved.n_features, saved.columns)
    prior = restored_prior(part, labels, KeyCounts)
    return FrozenDirection(weights, counts, restored_calibration(part, labels), prior)


def full_weights(
    arrays: Mapping[str, NDArray[Any]],
    n_classes: int,
    n_features: int | None,
    columns: NDArray[np.int64] | None,
) -> NDArray[np.float32]:
    """Return saved weights as native code reads them; what does not fit raises ValueError."""
    if n_features is None:
        raise ValueError("the features are missing")
    if missing := {"weights", "intercept"} - set(arrays):
        raise ValueError(f"the arrays {', '.join(sorted(missing))} are missing")
    weights, intercept = arrays["weights"], arrays["intercept"]
    rows = n_features if columns is None else len(columns)
    fit = weights.shape == (rows, n_classes) and intercept.shape in ((0, n_classes), (1, n_classes))
    if not fit:
        raise ValueError("the weights do not match the number of features and classes")
    if weights.dtype not in (np.float16, np.float32) or intercept.dtype != np.float32:
        raise ValueError("the weights are neither 16-bit nor 32-bit floating point")
    if not (np.isfinite(weights).all() and np.isfinite(intercept).all()):
        raise ValueError("the weights contain NaN or infinity")
    if columns is not None and (columns.min(initial=0) < 0 or columns.max() >= n_features):
        raise ValueError(
            f"a weight belongs to a column that does not exist: there are {n_features:,}"
        )
    stride = _native.stride_of(n_classes)
    full = np.zeros((n_features + len(intercept), stride), np.float32)
    full[slice(n_features) if columns is None else columns, :n_classes] = weights
    full[n_features:, :n_classes] = intercept
    return full


def restored_counts(
    empty: Counted, arrays: Mapping[str, NDArray[Any]], labels: Sequence[str]
) -> Counted:
    """Return saved counts with the options of a model that has none."""
    trained = type(empty).from_state(arrays, empty.granularity, empty.smoothing)
    if trained.n_classes_ != len(labels):
        raise ValueError(f"the counts are of {trained.n_classes_} classes, not of {len(labels)}")
    return trained


def restored_prior(
    part: SavedDirection, labels: Sequence[str], kind: type[KeyCounts]
) -> LexicalisedPrior | None:
    """Return the prior of a direction, if it has one, as counts of a class."""
    if "prior" not in part.fields:
        return None
    options = Prior(**part.fields.mapping("prior"))
    empty = kind(options.granularity, options.smoothing)
    return LexicalisedPrior(options, restored_counts(empty, prior_arrays(part.arrays), labels))


def restored_calibration(part: SavedDirection, labels: Sequence[str]) -> Calibration:
    """Return the calibration of a direction; one of other classes raises ValueError."""
    calibration = Calibration(**part.fields.mapping("calibration"))
    calibration.check(len(labels), with_prior="prior" in part.fields)
    return calibration
