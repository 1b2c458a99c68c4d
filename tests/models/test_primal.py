"""`PrimalMLR`: stochastic gradient descent."""

import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_matrix
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.estimator_checks import parametrize_with_checks

from tartib import OptionError, _native
from tartib.models import Epoch, MaxEnt, PrimalMLR
from tartib.models import primal as module
from tartib.models.base import Rows
from tests.oracles import primal
from tests.support.examples import examples
from tests.support.problems import problem

pytestmark = pytest.mark.native


@examples(150)
@given(
    st.integers(1, 12), st.integers(1, 5), st.integers(2, 6), st.booleans(), st.booleans(),
    st.booleans(), st.sampled_from([0.0, 1e-3, 0.5, 50.0]), st.sampled_from([1e-2, 1.0, 9.0]),
    st.integers(0, 2**32 - 1),
)  # fmt: skip
def test_epoch_agrees_with_the_twin(
    rows: int, columns: int, classes: int, ones: bool, weighted: bool, intercept: bool,
    lam: float, eta0: float, seed: int,
) -> None:  # fmt: skip
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 2, (rows, columns)).astype(np.float64)
    if not ones:
        X *= rng.normal(size=X.shape).astype(np.float32)
    y = rng.integers(0, classes, rows).astype(np.int32)
    q = rng.integers(0, 20, rows) / 2 if weighted else np.ones(rows)
    w = rng.normal(size=(columns + intercept, classes))
    order = rng.integers(0, rows, 30)
    samples = Rows.of_matrix(csr_matrix(X)).samples(intercept=intercept)
    solver = _native.SgdSolver(samples, y, q if weighted else None, classes, w.reshape(-1), 2.5)
    loss = solver.run(order, 1, eta0, lam)
    wide = np.hstack((X, np.ones((rows, 1)))) if intercept else X
    expected, weights = primal.sgd_epoch(wide, y, q, w, order.tolist(), eta0, lam, 2.5)
    assert loss == pytest.approx(expected, rel=1e-6, abs=1e-9)
    np.testing.assert_allclose(solver.weights().reshape(w.shape), weights, rtol=1e-6, atol=1e-9)
    assert solver.steps == pytest.approx(2.5 + q[order].sum())


def test_runs_take_turns() -> None:
    X, y = problem(10, 4)
    samples, labels = Rows.of_matrix(X).samples(intercept=True), y.astype(np.int32)

    def walk(begins: list[int], length: int) -> Any:
        solver = _native.SgdSolver(samples, labels, None, 3, np.zeros(15), 0.0)
        loss = solver.run(np.array(begins), length, 0.5, 0.01)
        return [loss, *solver.weights()]

    assert walk([8, 0, 4], 4) == walk([8, 0, 4, 9, 1, 5, 2, 6, 3, 7], 1)


@pytest.mark.parametrize(("ones", "sigma"), [(True, 0.3), (True, 1.0), (False, 1.0)])
def test_objective_approaches_the_optimum(ones: bool, sigma: float) -> None:
    X, y = problem(2000, 30, ones=ones)
    best = MaxEnt(sigma, tol=1e-8, max_iter=1000).fit(X, y)
    model = PrimalMLR(sigma).fit(X, y)
    assert best.objective_ <= model.objective_ <= 1.01 * best.objective_
    assert np.abs(model.predict_proba(X) - best.predict_proba(X)).mean() < 0.03
    assert model.n_iter_ == 100
    assert model.t_ == 100 * 2000


def test_runs_approach_it_too(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = problem(2000, 30)
    monkeypatch.setattr(module, "_RUN_FROM", 1000)
    best = MaxEnt(tol=1e-8).fit(X, y)
    assert PrimalMLR().fit(X, y).objective_ <= 1.01 * best.objective_


def test_weights_have_the_optimum_of_repetitions() -> None:
    X, y = problem(500, 10)
    q = np.random.default_rng(0).integers(0, 30, len(y))
    best = MaxEnt(tol=1e-8).fit(X, y, q)
    assert PrimalMLR().fit(X, y, q).objective_ <= 1.01 * best.objective_


def test_what_weighs_nothing_is_absent() -> None:
    X, y = problem()
    q = np.random.default_rng(0).integers(0, 2, len(y))
    weighted, rest = PrimalMLR(max_iter=3).fit(X, y, q), PrimalMLR(max_iter=3)
    rest.fit(X[q > 0], y[q > 0])
    np.testing.assert_allclose(weighted.weights_, rest.weights_, rtol=1e-6)


def test_seeds() -> None:
    X, y = problem()
    one, same, other = (PrimalMLR(max_iter=3, random_state=s).fit(X, y) for s in (1, 1, 2))
    assert (one.weights_ == same.weights_).all()
    assert (one.weights_ != other.weights_).any()
    assert one.eta0_ > 0
    assert PrimalMLR(max_iter=1, eta0=0.125).fit(X, y).eta0_ == 0.125


def test_trace_and_tolerance() -> None:
    X, y = problem()
    seen: list[Epoch] = []
    model = PrimalMLR(0.5, tol=1e-3, callback=seen.append).fit(X, y)
    assert seen == model.trace_
    assert [e.epoch for e in seen] == [*range(1, model.n_iter_ + 1), 0]
    assert 1 < model.n_iter_ < 100
    assert seen[-1].objective == model.objective_
    assert seen[-1].gap is not None
    assert seen[-1].objective < seen[0].objective
    with pytest.warns(ConvergenceWarning, match="not converged after 2 passes"):
        PrimalMLR(tol=1e-12, max_iter=2).fit(X, y)


def test_partial_fit_learns() -> None:
    X, y = problem(3000, 20)
    names = np.array(["a", "b", "c"])[y]
    model = PrimalMLR()
    with pytest.raises(OptionError, match="needs all the classes"):
        model.partial_fit(X, names)
    for begin in range(0, 3000, 500):
        part = slice(begin, begin + 500)
        model.partial_fit(X[part], names[part], classes=["c", "b", "a", "never"])
    assert model.classes_.tolist() == ["a", "b", "c", "never"]
    assert model.t_ == 3000
    assert abs(model.score(X, names) - MaxEnt().fit(X, names).score(X, names)) < 0.05
    with pytest.raises(OptionError, match="'z' is not among the classes"):
        model.partial_fit(X[:2], ["a", "z"])
    with pytest.raises(OptionError, match="differ from those of the first call"):
        model.partial_fit(X[:2], ["a", "b"], classes=["a", "b"])
    again = pickle.loads(pickle.dumps(model)).partial_fit(X, names)
    assert (again.weights_ == model.partial_fit(X, names).weights_).all()


def test_one_class_is_always_right() -> None:
    X, y = problem()
    for model in (
        PrimalMLR().fit(X, np.zeros(len(y))),
        PrimalMLR().partial_fit(X, np.zeros(len(y)), classes=[0]),
    ):
        assert (model.predict_proba(X) == 1).all()


def test_wrong_options_are_refused() -> None:
    X, y = problem()
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"sigma": -1}, "sigma must be a positive number"),
        ({"tol": 0}, "tol must be a positive number"),
        ({"eta0": np.inf}, "eta0 must be a positive number"),
        ({"max_iter": 0}, "max_iter must be 1 or more"),
        ({"random_state": -1}, "the seed must be a number"),
    ]
    for options, message in wrong:
        with pytest.raises(OptionError, match=message):
            PrimalMLR(**options).fit(X, y)


def expected_failures(_: Any) -> dict[str, str]:
    reason = "one sample that weighs two is not the same walk as two samples"
    return {
        "check_sample_weight_equivalence_on_dense_data": reason,
        "check_sample_weight_equivalence_on_sparse_data": reason,
    }


@parametrize_with_checks([PrimalMLR()], expected_failed_checks=expected_failures)  # type: ignore[untyped-decorator]
def test_scikit_learn_conventions(estimator: Any, check: Any) -> None:
    check(estimator)
