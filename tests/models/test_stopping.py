"""When the dual methods stop: near the optimum whatever the regularisation, and without detours."""

import warnings
from typing import Any
from unittest import mock

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning

from tartib.errors import OptionError
from tartib.models import DualMLR, MaxEnt, MulticlassSVM, dual, dual_classifier

pytestmark = pytest.mark.native


def topics(rows: int, classes: int, columns: int = 2000, entries: int = 20, seed: int = 0) -> Any:
    """Draw rows of columns that follow Zipf's law, of which each class prefers some."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, classes, rows)
    ranks = np.exp(rng.uniform(0, np.log(columns), (rows, entries))).astype(np.int64) - 1
    topical = rng.random((rows, entries)) < 0.3
    ranks = np.where(topical, (ranks * classes + y[:, None]) % columns, ranks)
    X = csr_matrix(
        (np.ones(ranks.size, np.float32), ranks.ravel(), np.arange(rows + 1) * entries),
        (rows, columns),
    )
    X.sum_duplicates()
    return X, y


@pytest.mark.parametrize(
    ("default", "exact"),
    [
        (MulticlassSVM(C=0.01), MulticlassSVM(C=0.01, tol=1e-4)),
        (MulticlassSVM(C=1e-4), MulticlassSVM(C=1e-4, tol=1e-4)),
        (DualMLR(sigma=0.05), DualMLR(sigma=0.05, tol=1e-5)),
        (DualMLR(sigma=0.01), DualMLR(sigma=0.01, tol=1e-5)),
    ],
)
def test_strong_regularisation_does_not_end_training_too_soon(default: Any, exact: Any) -> None:
    """A small share of the primal is a large one of what there is to gain."""
    X, y = topics(4000, 30)
    X.data /= 20
    found = [
        learner.fit(X[:3000], y[:3000]).score(X[3000:], y[3000:]) for learner in (default, exact)
    ]
    assert found[0] > found[1] - 0.03


@pytest.mark.parametrize("learner", [MulticlassSVM(C=1.0), DualMLR(sigma=1.0)])
def test_lanes_that_hinder_one_another_are_given_up(learner: Any) -> None:
    X, y = topics(9000, 3, columns=100_000)
    X.data[:] = 1
    epochs = {}
    for most in (1 << 30, 1):  # samples that are visited in one lane
        with mock.patch.object(dual, "_ONE_LANE", most):
            epochs[most] = learner.fit(X, y).n_iter_
    assert epochs[1] <= 1.5 * epochs[1 << 30] + 3


@pytest.mark.parametrize("sigma", [1e10, 1e12])
def test_weights_that_cannot_be_computed_with(sigma: float) -> None:
    rng = np.random.default_rng(0)
    X = csr_matrix(rng.random((50, 8)) < 0.4, dtype=np.float32)
    with pytest.raises(OptionError, match="use more regularisation"):
        DualMLR(sigma=sigma).fit(X, rng.integers(0, 3, 50))


@pytest.mark.parametrize("learner", [MulticlassSVM(max_iter=50), DualMLR(max_iter=50)])
def test_a_gap_that_is_small_enough_is_no_warning(learner: Any) -> None:
    X, y = load_iris(return_X_y=True)  # small: without max_iter, the optimum itself is found
    with warnings.catch_warnings():
        warnings.simplefilter("error", ConvergenceWarning)
        fitted = learner.fit(X, y)
    assert fitted.n_iter_ == 50
    assert fitted.dual_gap_ <= fitted.tol


def noisy(rows: int = 1200) -> Any:
    """Draw dense rows of classes that overlap, so that most samples end at their bounds."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(rows, 20)).astype(np.float32)
    scores = X[:, :3] + rng.normal(0, 3, (rows, 3))
    return X, scores.argmax(axis=1)


@pytest.mark.parametrize("learner", [MulticlassSVM(C=3.0), DualMLR(sigma=3.0)])
def test_growing_saves_epochs_where_samples_overlap(learner: Any) -> None:
    X, y = noisy(6000)
    grown = clone(learner).fit(X, y)
    with mock.patch.object(dual_classifier, "_MILD", np.inf):
        direct = clone(learner).fit(X, y)
    assert grown.n_iter_ < direct.n_iter_ / 2
    assert grown.dual_gap_ <= grown.tol
    assert [epoch.epoch for epoch in grown.trace_] == [*range(1, grown.n_iter_ + 1), 0]


@pytest.mark.parametrize("learner", [MulticlassSVM(C=3.0), DualMLR(sigma=3.0)])
def test_growing_ends_at_the_same_optimum(learner: Any) -> None:
    X, y = noisy(300)
    grown = clone(learner).set_params(tol=1e-5, max_iter=20_000).fit(X, y)
    with mock.patch.object(dual_classifier, "_MILD", np.inf):
        direct = clone(learner).set_params(tol=1e-5, max_iter=20_000).fit(X, y)
    assert grown.trace_[-1].objective == pytest.approx(direct.trace_[-1].objective, rel=1e-4)
    np.testing.assert_allclose(grown.scores(X), direct.scores(X), atol=0.02)


def test_growing_reaches_the_optimum_with_hardly_any_regularisation() -> None:
    X, y = noisy(600)
    found = [
        learner.fit(X, y).predict_proba(X)
        for learner in (DualMLR(sigma=30.0), MaxEnt(sigma=30.0, tol=1e-9, max_iter=5000))
    ]
    np.testing.assert_allclose(found[0], found[1], atol=0.02)


@pytest.mark.parametrize("learner", [MulticlassSVM(C=3.0), DualMLR(sigma=3.0)])
def test_separable_samples_are_trained_without_growing_much(learner: Any) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 60)).astype(np.float32)
    y = (3 * X[:, :3]).argmax(axis=1)
    grown = clone(learner).set_params(tol=0.05).fit(X, y)
    with mock.patch.object(dual_classifier, "_MILD", np.inf):
        direct = clone(learner).set_params(tol=0.05).fit(X, y)
    assert grown.n_iter_ <= direct.n_iter_ + 60


@pytest.mark.parametrize("learner", [MulticlassSVM(C=3.0), DualMLR(sigma=3.0)])
@pytest.mark.parametrize("most", [1, 2, 7])
def test_growing_leaves_epochs_for_the_value_asked_for(learner: Any, most: int) -> None:
    X, y = noisy()
    with pytest.warns(ConvergenceWarning, match=f"after {most} epochs"):
        fitted = clone(learner).set_params(max_iter=most, tol=1e-6).fit(X, y)
    assert fitted.n_iter_ == most
    assert np.isfinite(fitted.scores(X)).all()


@pytest.mark.parametrize("learner", [MulticlassSVM(), DualMLR()])
def test_rows_of_phrases_with_the_defaults_do_not_grow(learner: Any) -> None:
    X, y = topics(3000, 3, columns=500)
    X.data[:] = 1
    with mock.patch.object(dual_classifier, "approach", side_effect=AssertionError):
        clone(learner).fit(X, y)
