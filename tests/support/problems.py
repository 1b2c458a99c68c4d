"""Small problems of classification, and which of scikit-learn's checks ask for the optimum."""

from collections.abc import Collection
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_matrix, random_array
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import estimator_checks

WITHIN_EPSILON = "both fits stop within epsilon of the same optimum"
# Checks that only a fit at the optimum itself can pass.
OF_THE_OPTIMUM = (
    estimator_checks.check_sample_weight_equivalence_on_dense_data,
    estimator_checks.check_sample_weight_equivalence_on_sparse_data,
)
LOOSE = {check.__name__: WITHIN_EPSILON for check in OF_THE_OPTIMUM}
NO_INTERCEPT = {
    "check_class_weight_classifiers": "without an intercept the boundary goes through the origin"
}


def expected_failures(estimator: Any) -> dict[str, str]:
    """Return the checks that a dual method cannot pass with options other than its defaults."""
    loose = LOOSE if estimator.shrinking == "paper" else {}
    return loose if estimator.fit_intercept else {**loose, **NO_INTERCEPT}


def run_check(estimator: Any, check: Any, hard: Collection[str] = ()) -> None:
    """Run one of scikit-learn's checks: only those of ``hard`` problems may end, and do, too early.

    Their values are of hundreds, for which the defaults ask too much.
    """
    if getattr(check, "func", check).__name__ in hard:
        with pytest.warns(ConvergenceWarning):
            check(estimator)
    else:
        check(estimator)  # any warning is an error in our tests


def rows_of_ones(seed: int = 0, rows: int = 200, columns: int = 20, classes: int = 3) -> Any:
    """Draw rows of ones whose columns say something about the class, but not all."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, classes, rows)
    likely = rng.random((classes, columns)) ** 3
    X = csr_matrix(rng.random((rows, columns)) < likely[y], dtype=np.float32)
    return X, y


def rows_of_values(seed: int = 0, **options: int) -> Any:
    """Draw the same rows with other values than 1."""
    X, y = rows_of_ones(seed, **options)
    X.data = np.random.default_rng(seed).normal(1, 1, X.nnz).astype(np.float32)
    return X, y


def problem(
    rows: int = 300, columns: int = 20, classes: int = 3, *, ones: bool = True, seed: int = 0,
    density: float = 0.2,
) -> tuple[Any, Any]:  # fmt: skip
    """Draw sparse rows, and labels that have something to do with them."""
    rng = np.random.default_rng(seed)
    X = csr_matrix(random_array((rows, columns), density=density, rng=rng))
    if ones:
        X.data[:] = 1
    scores = X @ rng.normal(size=(columns, classes)) + rng.gumbel(size=(rows, classes))
    return X, scores.argmax(axis=1)
