"""Weights of classes, in all classifiers."""

from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.utils.class_weight import compute_sample_weight

from tartib import OptionError
from tartib.dataset import Dataset
from tartib.models import DualMLR, MaxEnt, MulticlassSVM, NaiveBayes, PrimalMLR
from tests.support.problems import rows_of_ones

pytestmark = pytest.mark.native

LEARNERS = [MulticlassSVM(), DualMLR(), MaxEnt(), PrimalMLR(max_iter=3), NaiveBayes()]
ALL = pytest.mark.parametrize("learner", LEARNERS, ids=lambda learner: type(learner).__name__)


def uneven() -> tuple[Any, Any]:
    """Return rows of which few are of the last class."""
    X, y = rows_of_ones(rows=300)
    kept = np.flatnonzero((y < 2) | (np.arange(len(y)) % 5 == 0))
    return X[kept], y[kept]


@ALL
@pytest.mark.parametrize("given", ["balanced", {0: 0.5, 2: 3.0}])
def test_they_are_weights_of_samples(learner: Any, given: Any) -> None:
    X, y = uneven()
    weighted = clone(learner).set_params(class_weight=given).fit(X, y)
    full = given if isinstance(given, str) else {1: 1.0, **given}
    expected = clone(learner).fit(X, y, compute_sample_weight(full, y))
    np.testing.assert_allclose(weighted.weights_, expected.weights_, atol=1e-12)
    assert not np.allclose(weighted.weights_, clone(learner).fit(X, y).weights_)


@ALL
def test_a_sample_of_weight_three_counts_as_three(learner: Any) -> None:
    X, y = uneven()
    copies = np.random.default_rng(1).integers(1, 4, len(y))
    learner = clone(learner).set_params(class_weight="balanced")
    one = learner.fit(X, y, copies).scores(X)
    each = np.array([np.sum(copies[y == k]) for k in range(3)])
    by_hand = copies * (copies.sum() / (3 * each))[y]
    expected = clone(learner).set_params(class_weight=None).fit(X, y, by_hand).scores(X)
    np.testing.assert_allclose(one, expected, atol=1e-12)


@ALL
def test_square_roots_of_balanced_weights(learner: Any) -> None:
    X, y = uneven()
    halfway = clone(learner).set_params(class_weight="sqrt-balanced").fit(X, y)
    weights = np.sqrt(compute_sample_weight("balanced", y))
    expected = clone(learner).fit(X, y, weights / weights.mean())
    np.testing.assert_allclose(halfway.weights_, expected.weights_, atol=1e-9)


@ALL
def test_balanced_finds_more_of_the_rare_class(learner: Any) -> None:
    X, y = uneven()
    found = [
        (clone(learner).set_params(class_weight=how).fit(X, y).predict(X) == 2).sum()
        for how in (None, "balanced")
    ]
    assert found[1] > found[0]


def test_names_and_classes_that_do_not_occur() -> None:
    X, y = uneven()
    rows = Dataset(
        X.indptr.astype(np.int64), X.indices, y.astype(np.int32),
        classes=("mono", "swap", "other", "never"), n_features=X.shape[1],
    )  # fmt: skip
    named = MaxEnt(class_weight={"swap": 2.0, "never": 5.0}).fit(rows)
    plain = MaxEnt().fit(rows, sample_weight=np.where(y == 1, 2.0, 1.0))
    np.testing.assert_array_equal(named.weights_, plain.weights_)
    balanced = MaxEnt(class_weight="balanced").fit(rows)
    by_hand = MaxEnt().fit(rows, sample_weight=compute_sample_weight("balanced", y))
    np.testing.assert_allclose(balanced.weights_, by_hand.weights_, atol=1e-12)
    # scikit-learn too takes a mapping with more classes than a fold of the data has.
    two = y < 2
    MaxEnt(class_weight={0: 1.0, 1: 2.0, 2: 3.0}).fit(X[two], y[two])


@ALL
def test_what_is_refused(learner: Any) -> None:
    X, y = uneven()
    for given, message in (
        ("even", "class_weight must be None, 'balanced', 'sqrt-balanced' or a mapping of classes"),
        (3, "not 3"),
        ({"swap": 2.0}, "class_weight has the class 'swap', but there are only 0, 1, 2"),
        ({0: -1.0}, "the weight of class 0 must be 0 or more, not -1.0"),
        ({0: np.nan}, "the weight of class 0 must be 0 or more"),
        ({0: 0, 1: 0, 2: 0}, "leaves no sample with a weight above 0"),
    ):
        with pytest.raises(OptionError, match=message):
            clone(learner).set_params(class_weight=given).fit(X, y)


@pytest.mark.parametrize("learner", [NaiveBayes(), PrimalMLR()])
def test_parts_of_the_data(learner: Any) -> None:
    X, y = uneven()
    given = {0: 0.5, 2: 3.0}
    learner.set_params(class_weight=given)
    learner.partial_fit(X[y < 2], y[y < 2], classes=[0, 1, 2]).partial_fit(X, y)
    if isinstance(learner, NaiveBayes):
        counts = np.bincount(y) * [0.5, 1.0, 3.0]
        counts[:2] *= 2
        np.testing.assert_allclose(learner.class_counts_, counts)
    with pytest.raises(OptionError, match="give class_weight as a mapping"):
        learner.set_params(class_weight="balanced").partial_fit(X, y)
