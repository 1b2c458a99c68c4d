"""`NaiveBayes`: counts, estimates and the selection of features."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_matrix
from sklearn.naive_bayes import MultinomialNB
from sklearn.utils.estimator_checks import parametrize_with_checks

from tartib import OptionError, _native
from tartib.models import NaiveBayes
from tartib.models.base import Rows
from tartib.models.bayes import mutual_information
from tests.oracles import bayes
from tests.support.examples import examples
from tests.support.problems import problem

pytestmark = pytest.mark.native


def drawn(rows: int, columns: int, classes: int, *, ones: bool, seed: int) -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 2, (rows, columns)).astype(np.float64)
    if not ones:
        X *= rng.integers(0, 5, X.shape) / 2
    y = rng.integers(0, classes, rows).astype(np.int32)
    return X, y, rng.integers(0, 5, rows) / 2


@examples(200)
@given(
    st.integers(0, 60), st.integers(1, 5), st.integers(1, 6), st.booleans(), st.booleans(),
    st.booleans(), st.integers(1, 4), st.integers(0, 2**32 - 1),
)  # fmt: skip
def test_counts_agree_with_the_twin(
    rows: int, columns: int, classes: int, ones: bool, weighted: bool, presence: bool,
    threads: int, seed: int,
) -> None:  # fmt: skip
    X, y, q = drawn(rows, columns, classes, ones=ones, seed=seed)
    q = q if weighted else np.ones(rows)
    samples = Rows.of_matrix(csr_matrix(X)).samples(intercept=False)
    found = _native.count_features(samples, y, q if weighted else None, classes, presence, threads)
    expected = bayes.count_features(X, y, q, classes, presence=presence)
    np.testing.assert_allclose(found.reshape(columns, classes), expected)


@examples(100)
@given(st.integers(1, 20), st.integers(2, 4), st.integers(0, 2**32 - 1))
def test_mutual_information_agrees_with_the_twin(rows: int, classes: int, seed: int) -> None:
    X, y, q = drawn(rows, 3, classes, ones=True, seed=seed)
    q += 0.5
    presence = bayes.count_features(X, y, q, classes, presence=True)
    found = mutual_information(presence, np.bincount(y, q, classes).astype(np.float64))
    columns = [[bool(x) for x in column] for column in X.T]
    expected = [bayes.mutual_information(c, y.tolist(), q.tolist()) for c in columns]
    np.testing.assert_allclose(found, expected, atol=1e-12)


@pytest.mark.parametrize("ones", [True, False])
@pytest.mark.parametrize("classes", [2, 3, 5])
@pytest.mark.parametrize("alpha", [0.1, 1.0])
def test_probabilities_are_those_of_scikit_learn(ones: bool, classes: int, alpha: float) -> None:
    X, y = problem(classes=classes, ones=ones)
    q = np.random.default_rng(0).random(len(y))
    ours = NaiveBayes(alpha).fit(X, y, q)
    prior = ours.class_counts_ + alpha
    theirs = MultinomialNB(alpha=alpha, class_prior=prior / prior.sum())
    theirs.fit(csr_matrix(X, dtype=np.float32).astype(np.float64), y, q)
    precision = 1e-5 if ones else 1e-6
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=precision)
    np.testing.assert_allclose(ours.weights_[:-1, :classes], theirs.feature_log_prob_.T, rtol=1e-5)


def test_threads_do_not_show() -> None:
    X, y = problem(20000, 30, ones=False)
    q = np.random.default_rng(0).random(len(y))
    models = [NaiveBayes(select=9, n_jobs=jobs).fit(X, y, q) for jobs in (1, 2, 3)]
    assert all((m.weights_ == models[0].weights_).all() for m in models)


@pytest.mark.parametrize("select", [None, 5, 0.5])
def test_parts_make_the_whole(select: float | None) -> None:
    X, y = problem(ones=False)
    whole, parts = NaiveBayes(select=select).fit(X, y), NaiveBayes(select=select)
    for begin in range(0, 300, 70):
        part = slice(begin, begin + 70)
        parts.partial_fit(X[part], y[part], classes=[0, 1, 2])
    assert (whole.selected_ == parts.selected_).all()
    np.testing.assert_allclose(whole.weights_, parts.weights_)


def test_selection_keeps_what_tells() -> None:
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 600)
    noise = rng.integers(0, 2, (600, 8))
    X = np.hstack((noise[:, :3], np.eye(3, dtype=int)[y], noise[:, 3:]))
    for select, kept in ((3, [3, 4, 5]), (3 / 11, [3, 4, 5]), (0.01, None), (100, range(11))):
        model = NaiveBayes(select=select).fit(X, y)
        assert kept is None or model.selected_.tolist() == [*kept]
        assert len(model.selected_) == (1 if kept is None else len(kept))
    model = NaiveBayes(select=3).fit(X, y)
    assert not np.delete(model.weights_[:-1], [3, 4, 5], axis=0).any()
    assert model.score(X, y) == 1
    alone = NaiveBayes().fit(X[:, 3:6], y)
    np.testing.assert_allclose(model.predict_proba(X), alone.predict_proba(X[:, 3:6]), rtol=1e-6)


def test_wrong_options_are_refused() -> None:
    X, y = problem()
    for options, message in (
        ({"alpha": 0}, "alpha must be a positive number"),
        ({"select": 0}, "select must be a number of features, or a share up to 1.0: 0"),
        ({"select": 1.5}, "select must be a number of features"),
        ({"select": True}, "select must be a number of features"),
        ({"select": "all"}, "select must be a number of features"),
    ):
        with pytest.raises(OptionError, match=message):
            NaiveBayes(**options).fit(X, y)
    with pytest.raises(OptionError, match="Negative values in data passed to NaiveBayes"):
        NaiveBayes().fit(-X, y)
    model = NaiveBayes()
    with pytest.raises(OptionError, match="needs all the classes"):
        model.partial_fit(X, y)
    model.partial_fit(X, y, classes=[0, 1, 2])
    model.select = 3
    with pytest.raises(OptionError, match="before the first call of partial_fit"):
        model.partial_fit(X, y)


def test_one_class_is_always_right() -> None:
    X, y = problem()
    assert (NaiveBayes().fit(X, np.zeros(len(y))).predict_proba(X) == 1).all()


def expected_failures(_: Any) -> dict[str, str]:
    reason = "its rows have negative values: no counts"
    return dict.fromkeys(
        ("check_decision_proba_consistency", "check_class_weight_classifiers"), reason
    )


@parametrize_with_checks(  # type: ignore[untyped-decorator]
    [NaiveBayes(), NaiveBayes(select=0.5)], expected_failed_checks=expected_failures
)
def test_scikit_learn_conventions(estimator: Any, check: Any) -> None:
    check(estimator)
