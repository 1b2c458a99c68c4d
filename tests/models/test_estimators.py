"""The classifiers in other people's tools: pipelines, grids, calibration, pickles; no copies."""

import pickle
import warnings
from pathlib import Path
from typing import Any

import joblib  # type: ignore[import-untyped]
import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.exceptions import ConvergenceWarning
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline

from tartib.errors import OptionError
from tartib.models import DualMLR, MaxEnt, MulticlassSVM, NaiveBayes, PrimalMLR
from tartib.models.base import Rows
from tests.support.problems import rows_of_values

pytestmark = pytest.mark.native

LEARNERS = [MulticlassSVM(C=0.3), DualMLR(), MaxEnt(), PrimalMLR(max_iter=5), NaiveBayes()]
ALL = pytest.mark.parametrize("learner", LEARNERS, ids=lambda learner: type(learner).__name__)


@pytest.fixture(scope="module")
def texts() -> tuple[list[str], list[str]]:
    """Return sentences and what they are about, in strings."""
    rng = np.random.default_rng(0)
    words = {"sea": "wave salt ship tide", "sky": "cloud star wind moon", "land": "hill corn oak"}
    names = rng.choice(list(words), 150).tolist()
    common = ["the", "of", "a", "is", "on"]
    return [
        " ".join(rng.choice([*common, *words[name].split()], 8).tolist()) for name in names
    ], names


@ALL
def test_pipelines_and_strings(learner: Any, texts: tuple[list[str], list[str]]) -> None:
    lines, names = texts
    pipeline = make_pipeline(CountVectorizer(), TfidfTransformer(), clone(learner))
    pipeline.fit(lines[:100], names[:100])
    assert pipeline.score(lines[100:], names[100:]) > 0.8
    assert set(pipeline.predict(lines)) <= {"sea", "sky", "land"}
    assert pipeline.predict_proba(lines[:3]).shape == (3, 3)
    assert pipeline.decision_function(lines[:3]).shape == (3, 3)


@ALL
def test_grids_and_folds(learner: Any) -> None:
    X, y = rows_of_values(rows=150)
    X.data = np.abs(X.data)  # counts, for naive Bayes
    option = next(name for name in ("C", "sigma", "alpha") if hasattr(learner, name))
    grid = GridSearchCV(
        clone(learner), {option: [0.1, 1.0], "class_weight": [None, "balanced"]}, cv=2
    ).fit(X, y)
    assert set(grid.best_params_) == {option, "class_weight"}
    assert grid.best_score_ > 0.5
    assert cross_val_score(clone(learner), X, y, cv=2, n_jobs=2).min() > 0.4


@ALL
def test_calibration_by_scikit_learn(learner: Any) -> None:
    X, y = rows_of_values(rows=300)
    X.data = np.abs(X.data)
    calibrated = CalibratedClassifierCV(clone(learner), cv=2).fit(X[:200], y[:200])
    found = calibrated.predict_proba(X[200:])
    np.testing.assert_allclose(found.sum(axis=1), 1)
    assert (found.argmax(axis=1) == y[200:]).mean() > 0.5


@ALL
def test_pickles_and_joblib(learner: Any, tmp_path: Path) -> None:
    X, y = rows_of_values()
    X.data = np.abs(X.data)
    fitted = clone(learner).fit(X, y)
    joblib.dump(fitted, tmp_path / "model")
    for again in (pickle.loads(pickle.dumps(fitted)), joblib.load(tmp_path / "model")):
        np.testing.assert_array_equal(again.scores(X), fitted.scores(X))
        assert again.get_params() == fitted.get_params()


def test_sigma_squared_is_the_c_of_scikit_learn() -> None:
    X, y = rows_of_values()
    X = X.astype(np.float64)  # scikit-learn would compute in single precision otherwise
    theirs = LogisticRegression(C=0.5**2, fit_intercept=False, tol=1e-10, max_iter=10_000)
    expected = theirs.fit(X, y).predict_proba(X)
    for learner in (
        MaxEnt(0.5, fit_intercept=False, tol=1e-12, max_iter=10_000),
        DualMLR(0.5, fit_intercept=False, tol=1e-8, max_iter=100_000),
    ):
        np.testing.assert_allclose(learner.fit(X, y).predict_proba(X), expected, atol=1e-4)


@pytest.mark.parametrize("learner", [MulticlassSVM(1e3), DualMLR(1e3), MaxEnt(1e3)])
def test_warnings_say_what_to_do(learner: Any) -> None:
    X, y = rows_of_values()
    with pytest.warns(ConvergenceWarning, match="not converged after .* raise max_iter or tol"):
        fitted = clone(learner).set_params(max_iter=2, tol=1e-12).fit(X, y)
    assert fitted.n_iter_ == 2


def test_the_papers_rule_is_named_in_its_warning() -> None:
    X, y = rows_of_values()
    with pytest.warns(ConvergenceWarning, match="after 2 epochs, .* raise max_iter or epsilon"):
        MulticlassSVM(1e3, shrinking="paper", epsilon=1e-9, max_iter=2).fit(X, y)


def test_sparse_rows_are_not_copied() -> None:
    X, _ = rows_of_values()
    rows = Rows.of_matrix(X)
    assert np.shares_memory(rows.values, X.data)
    assert np.shares_memory(rows.indices, X.indices)
    X.data[:] = 1
    assert Rows.of_matrix(X).values is None


def test_dense_rows_are_not_copied() -> None:
    X = np.random.default_rng(0).normal(size=(50, 7)).astype(np.float32)
    X[3, 2] = 0
    rows = Rows.of_matrix(X)
    assert np.shares_memory(rows.values, X)
    as_sparse = Rows.of_matrix(csr_matrix(X))
    assert as_sparse.indptr[-1] == 349
    y = np.arange(50) % 3
    for learner in (MulticlassSVM(), DualMLR(), MaxEnt()):
        one, other = (clone(learner).fit(form, y) for form in (X, csr_matrix(X)))
        np.testing.assert_allclose(one.weights_, other.weights_, atol=1e-12)


@ALL
@pytest.mark.parametrize("dtype", [np.float16, np.int64, bool, object])
@pytest.mark.parametrize("share", [0.2, 0.8])
def test_values_of_any_type(learner: Any, dtype: Any, share: float) -> None:
    rng = np.random.default_rng(0)
    X = (rng.random((80, 12)) < share) * rng.integers(1, 4, (80, 12))
    X, y = X.astype(dtype), X[:, 0] > X[:, 1]
    expected = clone(learner).fit(X.astype(np.float32), y).scores(X.astype(np.float32))
    np.testing.assert_array_equal(clone(learner).fit(X, y).scores(X), expected)


@ALL
@pytest.mark.parametrize("convert", [np.asarray, csr_matrix])
def test_values_beyond_single_precision(learner: Any, convert: Any) -> None:
    X = convert([[1e39, 1.0], [2.0, 3.0]])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(OptionError, match=r"a value is beyond 3.4e\+38, .* smaller scale"):
            clone(learner).fit(X, [0, 1])
