"""Dual logistic regression: scikit-learn's conventions, and its optimum by primal solvers."""

from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.special import log_softmax, softmax
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.utils.estimator_checks import parametrize_with_checks

from tartib.models import DualMLR
from tests.support.examples import examples
from tests.support.problems import OF_THE_OPTIMUM, expected_failures, rows_of_values, run_check

pytestmark = pytest.mark.native
EXACT = DualMLR(tol=1e-15, max_iter=20_000)
SOLVERS = pytest.mark.parametrize("solver", ["coordinate", "exponentiated-gradient"])


@parametrize_with_checks(  # type: ignore[untyped-decorator]
    [
        DualMLR(),
        DualMLR(shrinking="paper"),
        DualMLR(solver="exponentiated-gradient", fit_intercept=False),
    ],
    expected_failed_checks=expected_failures,
)
def test_conventions_of_scikit_learn(estimator: DualMLR, check: Any) -> None:
    run_check(estimator, check)


@pytest.mark.campaign
@parametrize_with_checks([EXACT])  # type: ignore[untyped-decorator]
def test_conventions_hold_for_the_optimum(estimator: DualMLR, check: Any) -> None:
    run_check(estimator, check, {"check_class_weight_classifiers"})


@pytest.mark.parametrize("check", OF_THE_OPTIMUM)
def test_weights_are_repetitions(check: Any) -> None:
    run_check(clone(EXACT), partial(check, "DualMLR"))


def primal(w: Any, X: Any, y: Any, weights: Any, sigma: float) -> tuple[float, Any]:
    """Return the objective of eq. 6 and its gradient."""
    w = w.reshape(-1, X.shape[1])
    log_p = log_softmax(X @ w.T, axis=1)
    residual = weights[:, None] * (np.exp(log_p) - np.eye(len(w))[y])
    value = (w**2).sum() / (2 * sigma**2) - (weights * log_p[np.arange(len(y)), y]).sum()
    return float(value), (w / sigma**2 + residual.T @ X).reshape(-1)


@SOLVERS
@examples(8)
@given(
    seed=st.integers(0, 10_000),
    classes=st.integers(2, 6),
    sigma=st.sampled_from([0.1, 0.5, 1.5]),
    intercept=st.booleans(),
)
def test_the_optimum_is_that_of_the_primal(
    solver: str, seed: int, classes: int, sigma: float, intercept: bool
) -> None:
    rng = np.random.default_rng(seed)
    X, y = rng.normal(0, 1, (40, 4)).astype(np.float32), rng.integers(0, classes, 40)
    y[:classes] = np.arange(classes)
    weights = rng.uniform(0, 2, 40)
    tol = 1e-15 if solver == "coordinate" else 1e-9  # its steps end where D no longer falls
    mine = DualMLR(sigma, tol=tol, max_iter=20_000, solver=solver, fit_intercept=intercept).fit(
        X, y, weights
    )
    rows = np.hstack((X, np.ones((40, 1)))).astype(np.float64) if intercept else X.astype(float)
    start = np.zeros(classes * rows.shape[1])
    best = minimize(
        primal, start, (rows, y, weights, sigma), "L-BFGS-B", jac=True,
        options={"ftol": 1e-15, "gtol": 1e-10, "maxiter": 10_000},
    )  # fmt: skip
    np.testing.assert_allclose(mine.weights_[:, :classes].T, best.x.reshape(classes, -1), atol=1e-3)
    assert mine.trace_[-1].objective == pytest.approx(-best.fun, rel=1e-6)
    assert mine.dual_gap_ == pytest.approx(0, abs=1e-4)


def test_the_optimum_is_that_of_scikit_learn() -> None:
    X, y = rows_of_values(rows=300)
    mine = DualMLR(0.8, tol=1e-15, max_iter=100_000, fit_intercept=False).fit(X, y)
    theirs = LogisticRegression(C=0.64, fit_intercept=False, tol=1e-10, max_iter=10_000)
    theirs.fit(X.astype(np.float64), y)
    np.testing.assert_allclose(mine.coef_, theirs.coef_, atol=1e-4)
    np.testing.assert_allclose(mine.predict_proba(X), theirs.predict_proba(X), atol=1e-4)


@SOLVERS
def test_conditions_at_the_optimum(solver: str) -> None:
    X, y = rows_of_values(rows=300)
    sigma = 0.5
    fitted = DualMLR(
        sigma,
        tol=1e-15 if solver == "coordinate" else 1e-9,
        max_iter=100_000,
        solver=solver,
        warm_start=True,
    )
    fitted.fit(X, y)
    log_alpha = fitted._last.alpha.reshape(-1, 3)
    np.testing.assert_allclose(np.exp(log_alpha).sum(axis=1), 1)
    # Eq. 16: where the gradient is the same for all classes, α is what the model predicts.
    near = 1e-6 if solver == "coordinate" else 1e-3
    np.testing.assert_allclose(np.exp(log_alpha), softmax(fitted.scores(X), axis=1), atol=near)
    w = sigma**2 * X.T @ (np.eye(3)[y] - np.exp(log_alpha))  # eq. 10
    np.testing.assert_allclose(w, fitted.weights_[:-1, :3], atol=near)


def test_both_solvers_end_alike() -> None:
    X, y = rows_of_values(rows=500)
    fits = [
        DualMLR(0.3, tol=1e-8, solver=solver, max_iter=20_000).fit(X, y)
        for solver in ("coordinate", "exponentiated-gradient")
    ]
    np.testing.assert_allclose(fits[0].weights_, fits[1].weights_, atol=2e-3)


@SOLVERS
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_scores_far_apart(solver: str) -> None:
    """Probabilities underflow; log α must not, or it would be -∞ for good."""
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 3, 1500)
    y = np.where(rng.random(1500) < 0.3, rng.integers(0, 3, 1500), truth)
    X = (1000 * np.eye(3)[truth] + 100 * rng.normal(0, 1, (1500, 3))).astype(np.float32)
    fitted = DualMLR(10.0, solver=solver, max_iter=20, warm_start=True).fit(X, y)
    assert np.isfinite(fitted._last.alpha).all()
    assert fitted.trace_[-1].violation not in (None, np.inf)
    assert np.isfinite(fitted.predict_log_proba(X)).all()
