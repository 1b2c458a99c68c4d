"""`MaxEnt`: its loss, its optimisers, and what they find."""

import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_matrix
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.utils.estimator_checks import parametrize_with_checks

from tartib import OptionError, _native
from tartib.models import Epoch, MaxEnt
from tartib.models.base import Rows, TrainingSet
from tartib.models.likelihood import LogLoss, natural_scale
from tests.oracles import primal
from tests.support.examples import examples
from tests.support.problems import problem, run_check

pytestmark = pytest.mark.native


def l2_objective(model: MaxEnt, X: Any, y: Any) -> float:
    w = model.weights_[:, : len(model.classes_)].astype(np.float64)
    loss, _ = primal.log_loss(dense(X, model), y, np.ones(len(y)), w)
    return loss + float((w**2).sum()) / (2 * model.sigma**2)


def dense(X: Any, model: MaxEnt) -> Any:
    X = X.toarray()
    return np.hstack((X, np.ones((len(X), 1)))) if model.fit_intercept else X


@examples(200)
@given(
    st.integers(0, 40), st.integers(1, 6), st.integers(2, 6), st.booleans(), st.booleans(),
    st.booleans(), st.integers(1, 4), st.integers(0, 2**32 - 1),
)  # fmt: skip
def test_loss_agrees_with_the_twin(
    rows: int, columns: int, classes: int, ones: bool, weighted: bool, intercept: bool,
    threads: int, seed: int,
) -> None:  # fmt: skip
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 2, (rows, columns)).astype(np.float64)
    if not ones:
        X *= rng.normal(size=X.shape).astype(np.float32)
    y = rng.integers(0, classes, rows).astype(np.int32)
    q = rng.integers(0, 3, rows) / 2 if weighted else np.ones(rows)
    w = rng.normal(scale=10.0 ** rng.integers(-2, 3), size=(columns + intercept, classes))
    w = np.round(w * 1024) / 1024  # single precision holds these, and their differences
    units = np.exp2(rng.integers(-3, 4, columns + intercept).astype(np.float64))
    samples = Rows.of_matrix(csr_matrix(X)).samples(intercept=intercept)
    kernel = _native.LogLoss(samples, y, q if weighted else None, classes, units, 0.7, 0.3, threads)
    assert kernel.size == w.size
    gradient = np.empty(w.size)
    loss = kernel.evaluate((w / units[:, np.newaxis]).reshape(-1), gradient)
    wide = np.hstack((X, np.ones((rows, 1)))) if intercept else X
    expected, slope = primal.log_loss(wide, y, q, w)
    expected += 0.35 * (w**2).sum() + 0.3 * np.abs(w).sum()
    assert loss == pytest.approx(expected, rel=1e-9, abs=1e-9)
    slope = (slope + 0.7 * w) * units[:, np.newaxis]
    np.testing.assert_allclose(gradient.reshape(w.shape), slope, rtol=1e-9, atol=1e-9)


def test_loss_of_ones_is_that_of_rounded_weights() -> None:
    X, y = problem(200, 20)
    training = TrainingSet(Rows.of_matrix(X), y.astype(np.int32), None, np.arange(3))
    kernel = LogLoss(training, intercept=False, threads=1, ridge=2.0)
    w, gradient = np.random.default_rng(0).normal(size=kernel.size), np.empty(kernel.size)
    loss = kernel(w, gradient)
    expected, slope = primal.log_loss(X.toarray(), y, np.ones(200), w.reshape(-1, 3))
    assert loss == pytest.approx(expected + w @ w, rel=1e-7)
    np.testing.assert_allclose(gradient, slope.reshape(-1) + 2 * w, rtol=1e-5, atol=1e-5)


def test_gradient_agrees_with_differences() -> None:
    X, y = problem(50, 5, ones=False)
    samples = Rows.of_matrix(X).samples(intercept=True)
    kernel = _native.LogLoss(samples, y.astype(np.int32), None, 3, np.ones(6), 0.5, 0, 1)
    w, g = np.random.default_rng(1).normal(size=(2, kernel.size))
    steps = 1e-6 * np.eye(kernel.size)
    slopes = [(kernel.evaluate(w + s, g) - kernel.evaluate(w - s, g)) / 2e-6 for s in steps]
    kernel.evaluate(w, g)
    np.testing.assert_allclose(g, slopes, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("ones", [True, False])
def test_units_are_those_of_the_curvature(ones: bool) -> None:
    X, y = problem(50, 4, ones=ones)
    q = np.random.default_rng(0).random(50)
    training = TrainingSet(Rows.of_matrix(X), y.astype(np.int32), q, np.arange(3))
    unit = natural_scale(training, 2.0, intercept=True, threads=2)
    wide = np.hstack((X.toarray(), np.ones((50, 1))))
    steps = 1e-4 * np.eye(15).reshape(15, 5, 3)
    slopes = np.array([primal.log_loss(wide, y, q, step)[1].reshape(-1) for step in steps])
    origin = primal.log_loss(wide, y, q, np.zeros((5, 3)))[1].reshape(-1)
    curvature = np.repeat(unit**-2, 3)
    np.testing.assert_allclose(curvature, np.diag(slopes - origin) / 1e-4 + 2, rtol=1e-3)


@pytest.mark.parametrize(("classes", "ones"), [(2, True), (3, True), (3, False), (7, False)])
def test_l2_optimum_is_that_of_scikit_learn(classes: int, ones: bool) -> None:
    X, y = problem(classes=classes, ones=ones)
    sigma = 0.7
    ours = MaxEnt(sigma, tol=1e-13, max_iter=1000, fit_intercept=False).fit(X, y)
    # Of two classes scikit-learn has one vector, the difference of ours, penalised half as much.
    C = sigma**2 * (2 if classes == 2 else 1)
    theirs = LogisticRegression(C=C, tol=1e-9, max_iter=10000, fit_intercept=False).fit(X, y)
    precision = 1e-6 if ones else 1e-5
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=precision)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=precision)
    assert ours.objective_ == pytest.approx(l2_objective(ours, X, y), rel=1e-6)


def saga(X: Any, y: Any, sigma: float) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the name of the option is changing
        return LogisticRegression(
            penalty="l1", solver="saga", C=sigma, tol=1e-8, max_iter=20000, fit_intercept=False
        ).fit(X, y)


@pytest.mark.parametrize("sigma", [0.1, 1.0])
def test_l1_optimum_is_that_of_scikit_learn(sigma: float) -> None:
    X, y = problem(ones=False)
    ours = MaxEnt(sigma, penalty="l1", tol=1e-13, max_iter=2000, fit_intercept=False)
    ours.fit(X, y)
    w = saga(X, y, sigma).coef_.T
    loss, _ = primal.log_loss(X.toarray(), y, np.ones(len(y)), w)
    assert ours.objective_ == pytest.approx(loss + np.abs(w).sum() / sigma, rel=1e-6)


@pytest.mark.parametrize("intercept", [True, False])
def test_l1_satisfies_its_conditions(intercept: bool) -> None:
    X, y = problem(columns=60, ones=False)
    sigma = 0.2
    model = MaxEnt(sigma, penalty="l1", tol=1e-13, max_iter=2000, fit_intercept=intercept)
    w = model.fit(X, y).weights_[:, :3]
    _, gradient = primal.log_loss(dense(X, model), y, np.ones(len(y)), w)
    zero = w == 0
    assert 0.3 < zero.mean() < 1
    assert (np.abs(gradient[zero]) <= 1 / sigma + 1e-4).all()
    np.testing.assert_allclose(gradient[~zero], -np.sign(w[~zero]) / sigma, atol=1e-4)


def test_a_strong_l1_leaves_nothing() -> None:
    X, y = problem()
    model = MaxEnt(1e-4, penalty="l1").fit(X, y)
    assert not model.weights_.any()
    assert model.n_iter_ == 1


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("penalty", ["l2", "l1"])
@pytest.mark.parametrize(("ones", "rows", "columns"), [(False, 20000, 30), (True, 12000, 5000)])
def test_threads_do_not_show(penalty: str, ones: bool, rows: int, columns: int) -> None:
    X, y = problem(rows, columns, ones=ones, density=6 / columns)
    q = np.random.default_rng(1).integers(0, 3, rows)
    weights = [
        MaxEnt(penalty=penalty, n_jobs=jobs, max_iter=20).fit(X, y, q).weights_
        for jobs in (1, 2, 3)
    ]
    assert all((w == weights[0]).all() for w in weights)


@pytest.mark.parametrize("penalty", ["l2", "l1"])
def test_weights_are_repetitions(penalty: str) -> None:
    X, y = problem()
    q = np.random.default_rng(0).integers(0, 4, len(y))
    options: dict[str, Any] = {"penalty": penalty, "tol": 1e-13, "max_iter": 2000}
    weighted = MaxEnt(**options).fit(X, y, q)
    repeated = MaxEnt(**options).fit(X[np.repeat(np.arange(len(y)), q)], np.repeat(y, q))
    assert weighted.objective_ == pytest.approx(repeated.objective_, rel=1e-9)
    np.testing.assert_allclose(weighted.weights_, repeated.weights_, atol=1e-5)


def test_trace_and_warm_start() -> None:
    X, y = problem()
    seen: list[Epoch] = []
    for penalty in ("l2", "l1"):
        seen.clear()
        model = MaxEnt(penalty=penalty, callback=seen.append, warm_start=True).fit(X, y)
        assert seen == model.trace_
        assert [e.epoch for e in seen] == list(range(1, model.n_iter_ + 1))
        assert seen[-1].objective == pytest.approx(model.objective_)
        objectives = [e.objective for e in seen]
        assert objectives == sorted(objectives, reverse=True)
        assert 0 < (seen[-1].gap or 0) < (seen[0].gap or 0)
        first = model.objective_
        assert model.fit(X, y).n_iter_ <= 10
        assert model.objective_ == pytest.approx(first, rel=1e-5)
        model.fit(X[:, :7], y)  # other columns: a fresh start
        assert model.weights_.shape == (8, 4)


def test_what_does_not_converge_warns() -> None:
    X, y = problem()
    for penalty in ("l2", "l1"):
        with pytest.warns(ConvergenceWarning, match="not converged after 2 iterations"):
            MaxEnt(10, penalty=penalty, max_iter=2).fit(X, y)


def test_wrong_options_are_refused() -> None:
    X, y = problem()
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"sigma": 0}, "sigma must be a positive number"),
        ({"tol": -1}, "tol must be a positive number"),
        ({"penalty": "l3"}, "penalty must be one of l2, l1, not 'l3'"),
        ({"max_iter": 0}, "max_iter must be a whole number of 1 or more"),
        ({"history": 1.5}, "history must be a whole number of 1 or more"),
        ({"history": 1025}, "the history is out of range"),
        ({"n_jobs": 0}, "number of jobs"),
        ({"fit_intercept": "x"}, "fit_intercept must be True or False, not 'x'"),
    ]
    for options, message in wrong:
        with pytest.raises(OptionError, match=message):
            MaxEnt(**options).fit(X, y)


def test_one_class_is_always_right() -> None:
    X, y = problem()
    model = MaxEnt().fit(X, np.full(len(y), "mono"))
    assert set(model.predict(X)) == {"mono"}
    assert (model.predict_proba(X) == 1).all()


@parametrize_with_checks([MaxEnt(), MaxEnt(penalty="l1")])  # type: ignore[untyped-decorator]
def test_scikit_learn_conventions(estimator: Any, check: Any) -> None:
    run_check(estimator, check)
