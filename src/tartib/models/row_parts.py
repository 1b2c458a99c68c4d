"""Parts of a training set: some of its rows, or one batch of ``partial_fit``."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tartib import ragged
from tartib.errors import OptionError
from tartib.models.base import Classifier, Matrix, Rows, TrainingSet


def read_part(
    model: Classifier,
    X: Matrix,
    y: Any,  # noqa: ANN401
    classes: Any,  # noqa: ANN401
    sample_weight: Any,  # noqa: ANN401
) -> TrainingSet:
    """Check the arguments of ``partial_fit``; the first call fixes the classes."""
    first = not hasattr(model, "classes_")
    training = model._read_training(X, y, sample_weight, reset=first)
    if not first:
        known = model.classes_
        if classes is not None and not np.array_equal(np.unique(classes), np.unique(known)):
            raise OptionError("the classes differ from those of the first call of partial_fit")
    elif classes is not None:
        known = np.unique(classes)
    elif y is None:
        known = training.classes
    else:
        raise OptionError("the first call of partial_fit needs all the classes")
    return with_classes(training, known)


def take_rows(training: TrainingSet, rows: NDArray[np.int64]) -> TrainingSet:
    """Return the training set of some of the rows."""
    indptr, places = ragged.take(training.rows.indptr, rows)
    values = training.rows.values
    return replace(
        training,
        rows=Rows(
            indptr,
            training.rows.indices[places],
            None if values is None else values[places],
            training.rows.n_features,
        ),
        y=training.y[rows],
        weights=None if training.weights is None else training.weights[rows],
    )


def rows_that_weigh(training: TrainingSet) -> NDArray[np.int64]:
    """Return the indices of the rows whose weight is not 0."""
    if training.weights is None:
        return np.arange(len(training.rows))
    return np.flatnonzero(training.weights)


def total_weight(training: TrainingSet) -> float:
    """Return N: the number of samples, or the sum of their weights."""
    return float(len(training.rows) if training.weights is None else training.weights.sum())


def with_classes(training: TrainingSet, classes: NDArray[Any]) -> TrainingSet:
    """Renumber the labels by their place in ``classes``, some of which may not occur."""
    wanted = training.classes.tolist()
    places = {label: place for place, label in enumerate(classes.tolist())}
    unknown = [label for label in wanted if label not in places]
    if unknown:
        raise OptionError(f"{unknown[0]!r} is not among the classes")
    lookup = np.array([places[label] for label in wanted], np.int32)
    return replace(training, y=lookup[training.y], classes=classes)
