"""When the dual methods stop: near the optimum whatever the regularisation, and without detours."""

import warnings
from typing import Any
from unittest import mock

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning

from tartib.errors import OptionError
from tartib.models import DualMLR, MulticlassSVM, dual

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


@pytest.mark.parametrize("sigma", [1e8, 1e12])
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
