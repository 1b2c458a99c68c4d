"""The multiclass SVM: scikit-learn's conventions, and its optimum by other people's solvers."""

from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import LinearConstraint, minimize
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import LinearSVC
from sklearn.utils.estimator_checks import parametrize_with_checks

from tartib.models import MulticlassSVM
from tests.support.examples import examples
from tests.support.problems import OF_THE_OPTIMUM, expected_failures, rows_of_values, run_check

pytestmark = pytest.mark.native
EXACT = MulticlassSVM(tol=1e-15, max_iter=20_000)


HARD = {"check_fit_idempotent", "check_fit_check_is_fitted", "check_n_features_in"}


@parametrize_with_checks(  # type: ignore[untyped-decorator]
    [MulticlassSVM(), MulticlassSVM(shrinking="paper", fit_intercept=False)],
    expected_failed_checks=expected_failures,
)
def test_conventions_of_scikit_learn(estimator: MulticlassSVM, check: Any) -> None:
    run_check(estimator, check, HARD if estimator.shrinking == "safe" else ())


@pytest.mark.campaign
@parametrize_with_checks([EXACT])  # type: ignore[untyped-decorator]
def test_conventions_hold_for_the_optimum(estimator: MulticlassSVM, check: Any) -> None:
    run_check(estimator, check, {"check_fit_check_is_fitted"})


@pytest.mark.parametrize("check", OF_THE_OPTIMUM)
def test_weights_are_repetitions(check: Any) -> None:
    run_check(clone(EXACT), partial(check, "MulticlassSVM"))


def primal(weights: Any, X: Any, y: Any, C: Any) -> float:
    """Return the objective of w, classes × features, C of each sample."""
    scores = X @ weights.T
    G = scores + 1 - np.eye(len(weights))[y]
    losses = (G - scores[np.arange(len(y)), y][:, None]).max(axis=1)
    return float((weights**2).sum() / 2 + (C * losses).sum())


@pytest.mark.parametrize("classes", [3, 4, 6])
def test_the_optimum_is_that_of_liblinear(classes: int) -> None:
    X, y = rows_of_values(seed=classes, classes=classes, rows=150)
    weights = np.random.default_rng(0).uniform(0.1, 2, len(y))
    for C in (0.05, 1.0):
        mine = MulticlassSVM(C, tol=1e-15, max_iter=100_000, fit_intercept=False)
        mine.fit(X, y, weights)
        theirs = LinearSVC(
            multi_class="crammer_singer", C=C, tol=1e-9, max_iter=1_000_000, fit_intercept=False
        ).fit(X.toarray().astype(np.float64), y, weights)
        best = primal(theirs.coef_, X, y, C * weights)
        assert primal(mine.coef_, X, y, C * weights) == pytest.approx(best, rel=1e-6)
        np.testing.assert_allclose(mine.coef_, theirs.coef_, atol=1e-4)
        assert mine.trace_[-1].objective == pytest.approx(-best, rel=1e-6)


@examples(10)
@given(st.integers(0, 10_000), st.integers(2, 4), st.booleans())
def test_the_dual_is_that_of_a_quadratic_program(seed: int, classes: int, intercept: bool) -> None:
    rng = np.random.default_rng(seed)
    X, y = rng.normal(0, 1, (8, 3)).astype(np.float32), rng.integers(0, classes, 8)
    y[:classes] = np.arange(classes)
    C = 0.5
    mine = MulticlassSVM(C, tol=1e-15, max_iter=100_000, fit_intercept=intercept).fit(X, y)
    rows: Any = np.hstack((X, np.ones((8, 1)))) if intercept else X
    gram, own = (rows @ rows.T).astype(np.float64), np.eye(classes)[y]

    def dual(flat: Any) -> tuple[float, Any]:
        alpha = flat.reshape(8, classes)
        product = gram @ alpha
        return float((alpha * product).sum() / 2 + ((1 - own) * alpha).sum()), (
            product + 1 - own
        ).reshape(-1)

    sums = LinearConstraint(np.kron(np.eye(8), np.ones(classes)), 0, 0)
    bounds = [(None, most) for most in (C * own).reshape(-1)]
    start = np.zeros(8 * classes)
    found = minimize(
        dual, start, jac=True, method="SLSQP", bounds=bounds, constraints=sums,
        options={"ftol": 1e-12, "maxiter": 1000},
    )  # fmt: skip
    assert mine.trace_[-1].objective == pytest.approx(found.fun, rel=1e-6, abs=1e-8)
    assert mine.dual_gap_ == pytest.approx(0, abs=1e-7)


def test_conditions_at_the_optimum() -> None:
    X, y = rows_of_values(rows=300)
    C = 0.4
    fitted = MulticlassSVM(C, tol=1e-15, max_iter=100_000, warm_start=True).fit(X, y)
    alpha, own = fitted._last.alpha.reshape(-1, 3), np.eye(3)[y]
    assert (alpha <= C * own).all()
    np.testing.assert_allclose(alpha.sum(axis=1), 0, atol=1e-12)
    np.testing.assert_allclose(X.T @ alpha, fitted.weights_[:-1, :3], atol=1e-7)
    np.testing.assert_allclose(alpha.sum(axis=0), fitted.intercept_, atol=1e-7)
    G = fitted.scores(X) + 1 - own
    lowest = np.where(alpha < C * own, G, np.inf).min(axis=1)
    assert (G.max(axis=1) - lowest).max() <= 1e-8
    margins = np.sort(fitted.scores(X) - 1e9 * own, axis=1)[:, -1]
    beyond = fitted.scores(X)[np.arange(300), y] - margins > 1 + 1e-6
    assert beyond.any()
    assert np.abs(alpha[beyond]).max() < 1e-12  # only support vectors have a say


def test_two_classes_are_the_usual_svm() -> None:
    X, y = rows_of_values(classes=2, rows=150)
    mine = MulticlassSVM(0.5, tol=1e-15, max_iter=100_000, fit_intercept=False).fit(X, y)
    # With w₁ = -w₀ = u: ‖u‖² + C Σ (1 - 2u·x)₊ = ½ (½‖2u‖² + 2C Σ (1 - 2u·x)₊).
    theirs = LinearSVC(C=1.0, loss="hinge", tol=1e-10, max_iter=1_000_000, fit_intercept=False)
    theirs.fit(X.toarray().astype(np.float64), y)
    np.testing.assert_allclose(mine.coef_, theirs.coef_, atol=1e-4)


def test_a_column_of_huge_numbers_is_told() -> None:
    """A point in time as a column: its rounding hides all else, and training says so."""
    X, y = load_iris(return_X_y=True)
    rows = np.column_stack((X, np.full(len(X), 1.7e9)))
    with pytest.warns(ConvergenceWarning, match=r"gap of \S+; .* scale around 0 \(StandardScaler"):
        MulticlassSVM(C=1.0, n_jobs=1).fit(rows, y > 0)
