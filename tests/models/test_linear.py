"""What the linear classifiers share: inputs, refusals, traces, warm starts, equal bits."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csc_matrix, csr_matrix, hstack, vstack
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning, NotFittedError

from tartib import OptionError
from tartib.dataset import Dataset
from tartib.models import DualMLR, Epoch, MulticlassSVM, TraceFile
from tests.support.problems import rows_of_ones, rows_of_values

pytestmark = pytest.mark.native

SVM = MulticlassSVM(C=0.3)
MLR = DualMLR(sigma=0.7)
BOTH = pytest.mark.parametrize("model", [SVM, MLR], ids=["svm", "mlr"])


def made(model: Any, **options: Any) -> Any:
    return clone(model).set_params(**options)


def tight(model: Any, **options: Any) -> Any:
    """Return a model for the optimum itself, which only rows with values are trained to."""
    return made(model, **{"tol": 1e-15, "max_iter": 100_000, **options})


def dataset(X: csr_matrix, y: Any, *, weights: Any = None) -> Dataset:
    return Dataset(
        X.indptr.astype(np.int64),
        X.indices.astype(np.int32),
        y.astype(np.int32),
        classes=("mono", "swap", "other"),
        n_features=X.shape[1],
        values=None if (X.data == 1).all() else X.data,
        weights=weights,
    )


@BOTH
def test_forms_of_one_matrix_give_one_model(model: Any) -> None:
    X, y = rows_of_values()
    expected = made(model).fit(X, y).weights_
    wide = csr_matrix((X.data, X.indices.astype(np.int64), X.indptr.astype(np.int64)), X.shape)
    unsorted = csr_matrix(X[:, ::-1])[:, ::-1]
    halves = csr_matrix((np.repeat(X.data / 2, 2), np.repeat(X.indices, 2), 2 * X.indptr), X.shape)
    dense = X.toarray()
    fortran, stepped = np.asfortranarray(dense), np.repeat(dense, 2, axis=1)[:, ::2]
    forms = (csc_matrix(X), X.tocoo(), wide, unsorted, halves, dense, fortran, stepped)
    for form in (*forms, dense.tolist(), X.astype(np.float64)):
        np.testing.assert_array_equal(made(model).fit(form, y).weights_, expected)
    assert halves.nnz == 2 * X.nnz  # not summed up in the caller's matrix
    ones, y = rows_of_ones()
    expected = made(model).fit(ones, y).weights_
    assert expected.dtype == np.float32
    for form in (ones.astype(bool), ones.astype(np.int64), ones.toarray().astype(np.uint8)):
        np.testing.assert_array_equal(made(model).fit(form, y).weights_, expected)


@BOTH
def test_datasets(model: Any, tmp_path: Path) -> None:
    for X, y in (rows_of_ones(), rows_of_values()):
        weights = np.random.default_rng(0).uniform(0, 2, len(y))
        in_memory = dataset(X, y, weights=weights)
        fitted = made(model).fit(in_memory)
        assert fitted.classes_.tolist() == ["mono", "swap", "other"]
        expected = made(model).fit(X, y, weights)
        np.testing.assert_array_equal(fitted.weights_, expected.weights_)
        mapped = in_memory.save(tmp_path / f"{X.data[0]}")
        assert isinstance(mapped.indices, np.memmap)
        np.testing.assert_array_equal(made(model).fit(mapped).weights_, expected.weights_)
        np.testing.assert_array_equal(fitted.scores(mapped), expected.scores(X))
        twice = made(model).fit(dataset(X, y, weights=weights), sample_weight=weights)
        np.testing.assert_array_equal(twice.weights_, made(model).fit(X, y, weights**2).weights_)
        named = np.array(["z", "x", "y"])[y]
        assert made(model).fit(dataset(X, y), named).classes_.tolist() == ["x", "y", "z"]


@BOTH
def test_classes_that_never_occur(model: Any) -> None:
    X, y = rows_of_values(classes=2)
    fitted = tight(model).fit(dataset(X, y))
    probabilities = fitted.predict_proba(X)
    assert probabilities.shape == (200, 3)
    assert (probabilities[:, 2] <= probabilities[:, :2].max(axis=1)).all()
    assert set(fitted.predict(X)) == {"mono", "swap"}


@BOTH
def test_scores_are_what_the_weights_say(model: Any) -> None:
    for classes, padded in (
        (2, 4),
        (3, 4),
        (4, 4),
        (5, 8),
        (9, 16),
        (17, 32),
        (33, 48),
        (100, 112),
    ):
        X, y = rows_of_values(classes=classes, rows=400)
        fitted = made(model).fit(X, y)
        assert fitted.weights_.shape == (21, padded)
        assert not fitted.weights_[:, classes:].any()
        found = fitted.decision_function(X)
        by_hand = X @ fitted.coef_.T + fitted.intercept_
        np.testing.assert_allclose(found, by_hand[:, 0] if classes == 2 else by_hand, atol=1e-9)
        np.testing.assert_allclose(fitted.predict_proba(X).sum(axis=1), 1)
        log = fitted.predict_log_proba(X)
        np.testing.assert_allclose(np.exp(log), fitted.predict_proba(X))
        assert (fitted.predict(X) == fitted.classes_[fitted.scores(X).argmax(axis=1)]).all()


@BOTH
def test_strings_as_labels(model: Any) -> None:
    X, y = rows_of_ones()
    names = np.array(["swap", "mono", "other"])
    fitted, plain = made(model).fit(X, names[y]), made(model, n_jobs=1).fit(X, y)
    assert fitted.classes_.tolist() == ["mono", "other", "swap"]
    agree = np.mean(fitted.predict(X) == names[plain.predict(X)])
    assert agree > 0.97  # the order of classes is another one, the optimum is the same
    assert fitted.score(X, names[y]) > 0.6


@BOTH
def test_one_class(model: Any) -> None:
    X, y = rows_of_ones()
    fitted = made(model).fit(X, np.full(len(y), "only"))
    assert set(fitted.predict(X)) == {"only"}
    assert fitted.predict_proba(X).tolist() == [[1.0]] * len(y)
    assert fitted.dual_gap_ == 0


@BOTH
def test_many_classes(model: Any) -> None:
    for count in (50, 300):
        X = np.repeat(np.eye(count, dtype=np.float32), 4, axis=0)
        y = np.repeat(np.arange(count), 4)
        assert made(model).fit(X, y).score(X, y) == 1
    X, y = np.ones((3075, 1), np.float32), np.repeat(np.arange(1025), 3)
    with pytest.raises(OptionError, match="1025 classes: at most 1024"):
        made(model).fit(X, y)


@BOTH
def test_empty_rows_and_columns(model: Any) -> None:
    X, y = rows_of_values()
    empty = csr_matrix((50, X.shape[1]), dtype=np.float32)
    more, labels = csr_matrix(vstack((X, empty))), np.concatenate((y, np.arange(50) % 3))
    without = tight(model, fit_intercept=False)
    one, other = clone(without).fit(X, y), clone(without).fit(more, labels)
    np.testing.assert_allclose(one.coef_, other.coef_, atol=1e-6)
    assert not other.scores(empty).any()
    unseen = hstack((X, csr_matrix((len(y), 3), dtype=np.float32))).tocsr()
    wider = clone(without).fit(unseen, y)
    assert not wider.coef_[:, -3:].any()
    np.testing.assert_array_equal(wider.coef_[:, :-3], one.coef_)


@BOTH
def test_what_cannot_be_learnt_from(model: Any) -> None:
    X, y = rows_of_values()
    for bad in (np.nan, np.inf):
        damaged = X.copy()
        damaged.data[3] = bad
        with pytest.raises(ValueError, match=r"NaN|infinity"):
            made(model).fit(damaged, y)
        with pytest.raises(OptionError, match="a value is not finite"):
            made(model).fit(dataset(damaged, y))
        weights = np.ones(len(y))
        weights[0] = bad
        with pytest.raises(ValueError, match=r"NaN|infinity"):
            made(model).fit(X, y, weights)
        with pytest.raises(OptionError, match="a weight is negative or not finite"):
            made(model).fit(dataset(X, y, weights=weights))
    with pytest.raises(ValueError, match=r"[Nn]egative"):
        made(model).fit(X, y, -np.ones(len(y)))
    with pytest.raises(OptionError, match="weights of all samples are 0"):
        made(model).fit(dataset(X, y, weights=np.zeros(len(y))))
    with pytest.raises(OptionError, match="3 labels for 200 rows"):
        made(model).fit(dataset(X, y), y[:3])
    with pytest.raises(OptionError, match="there are no rows to train on"):
        made(model).fit(dataset(X[:0], y[:0]))
    outside = dataset(X, y)
    outside.indices = outside.indices.copy()
    outside.indices[0] = 20
    with pytest.raises(OptionError, match="a column is out of range"):
        made(model).fit(outside)
    outside = dataset(X, y + 1)
    with pytest.raises(OptionError, match="a label is not between 0 and 2"):
        made(model).fit(outside)
    fitted = made(model).fit(X, y)
    narrow = dataset(X[:, :5], y)
    with pytest.raises(OptionError, match=r"the rows have 5 columns, .* was trained on 20"):
        fitted.predict(narrow)
    with pytest.raises(ValueError, match="X has 5 features"):
        fitted.predict(X[:, :5])


@BOTH
@pytest.mark.parametrize("value", [0, -1, np.nan, np.inf, -np.inf])
def test_options_that_are_no_positive_numbers(model: Any, value: float) -> None:
    X, y = rows_of_ones()
    for name in ("tol", "C" if isinstance(model, MulticlassSVM) else "sigma"):
        with pytest.raises(OptionError, match=f"{name} must be a positive number"):
            made(model, **{name: value}).fit(X, y)


@BOTH
def test_other_options_that_cannot_be(model: Any) -> None:
    X, y = rows_of_ones()
    for options, said in (
        ({"shrinking": "never"}, "shrinking must be 'safe', 'paper' or None"),
        ({"max_iter": 0}, "max_iter must be a whole number of 1 or more"),
        ({"n_jobs": 0}, "jobs must be 1 to 1,024"),
        ({"random_state": -1}, "seed"),
        ({"max_iter": 1.5}, "max_iter must be a whole number"),
        ({"tol": "a"}, "tol must be a positive number"),
    ):
        with pytest.raises(OptionError, match=said):
            made(model, **options).fit(X, y)
    with pytest.raises(OptionError, match="solver must be one of"):
        DualMLR(solver="newton").fit(X, y)


@BOTH
def test_conventions_of_scikit_learn(model: Any) -> None:
    X, y = rows_of_ones()
    assert made(model, n_jobs=-1).fit(X, y).score(X, y) > 0.5
    for state in (None, np.random.RandomState(3)):
        assert made(model, random_state=state).fit(X, y).score(X, y) > 0.5


def test_few_samples_converge_like_liblinear() -> None:
    """Lanes that know nothing of one another must not keep dense problems from the optimum."""
    X, y = load_iris(return_X_y=True)
    order = np.argsort(y)
    fitted = MulticlassSVM(0.1, fit_intercept=False).fit(X[order], y[order])
    assert fitted.n_iter_ < 500
    assert 0 <= fitted.dual_gap_ < 0.1


@BOTH
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_too_little_regularisation(model: Any) -> None:
    X, y = rows_of_ones()
    name = "C" if isinstance(model, MulticlassSVM) else "sigma"
    with pytest.raises(OptionError, match=r"use more regularisation|is out of range"):
        made(model, **{name: 1e150}, max_iter=5).fit(X, y)


@BOTH
def test_not_fitted(model: Any) -> None:
    with pytest.raises(NotFittedError):
        made(model).predict(rows_of_ones()[0])


@BOTH
def test_equal_seeds_and_any_number_of_jobs(model: Any) -> None:
    X, y = rows_of_ones(rows=9000)
    model = made(model, tol=0.2)
    fits = [made(model, random_state=3, n_jobs=jobs).fit(X, y) for jobs in (1, 1, 2)]
    for other in fits[1:]:
        np.testing.assert_array_equal(fits[0].weights_, other.weights_)
    assert fits[0].n_iter_ == fits[2].n_iter_
    another = made(model, random_state=4).fit(X, y)
    assert (another.weights_ != fits[0].weights_).any()


@BOTH
def test_weights_act_as_copies(model: Any) -> None:
    X, y = rows_of_values()
    copies = np.random.default_rng(1).integers(0, 4, len(y))
    repeated = np.repeat(np.arange(len(y)), copies)
    one = tight(model).fit(X, y, copies)
    other = tight(model).fit(X[repeated], y[repeated])
    np.testing.assert_allclose(one.weights_, other.weights_, atol=1e-6)


@BOTH
def test_shrinking_ends_at_one_optimum(model: Any) -> None:
    X, y = rows_of_values(rows=600)
    fits = {how: tight(model, tol=1e-12, shrinking=how).fit(X, y) for how in ("safe", None)}
    np.testing.assert_allclose(fits["safe"].weights_, fits[None].weights_, atol=1e-5)
    objective = fits[None].trace_[-1].objective
    for how in fits:
        assert -1e-13 <= fits[how].dual_gap_ <= 1e-12  # rounding
    paper = tight(model, epsilon=1e-6, shrinking="paper").fit(X, y)
    assert objective <= paper.trace_[-1].objective + 1e-9 * abs(objective)  # a heuristic
    assert paper.dual_gap_ >= -1e-14
    assert paper.score(X, y) > fits[None].score(X, y) - 0.02


@BOTH
def test_the_papers_shrinking_only_ever_shrinks(model: Any) -> None:
    X, y = rows_of_ones(rows=3000)
    fitted = made(model, shrinking="paper", epsilon=0.05).fit(X, y)
    shares = [epoch.active for epoch in fitted.trace_[:-1]]
    assert shares[0] == 1
    assert shares == sorted(shares, reverse=True)
    assert shares[-1] < 0.5
    always = made(model, shrinking=None).fit(X, y)
    assert {epoch.active for epoch in always.trace_} == {1.0}


@BOTH
@pytest.mark.parametrize("shrinking", ["safe", "paper", None])
def test_traces(model: Any, shrinking: str | None, tmp_path: Path) -> None:
    X, y = rows_of_ones(rows=1000)
    seen: list[Epoch] = []
    fitted = made(model, callback=seen.append, shrinking=shrinking).fit(X, y)
    assert seen == fitted.trace_
    assert [epoch.epoch for epoch in seen] == [*range(1, fitted.n_iter_ + 1), 0]
    objectives = [epoch.objective for epoch in seen[:-1]]
    assert objectives == sorted(objectives, reverse=True)
    assert seen[-1].objective == pytest.approx(objectives[-1], rel=1e-4)
    for epoch in seen[:-1]:  # estimated where all samples were visited
        assert (epoch.gap is None) == (shrinking == "paper" or epoch.active < 1)
    assert seen[-1].gap == fitted.dual_gap_
    if shrinking != "paper":
        assert 0 <= fitted.dual_gap_ <= fitted.tol
    assert all(epoch.seconds >= 0 and epoch.peak_mb > 1 for epoch in seen)
    file = TraceFile(tmp_path / "trace.jsonl")
    for _ in range(2):  # the second fit adds to the file
        again = made(model, callback=file, shrinking=shrinking).fit(X, y)
    entries = [json.loads(line) for line in Path(file.path).read_text().splitlines()]
    assert [entry["objective"] for entry in entries] == 2 * [e.objective for e in again.trace_]
    assert entries[-1]["gap"] == fitted.dual_gap_


@BOTH
def test_too_few_epochs(model: Any) -> None:
    X, y = rows_of_ones()
    with pytest.warns(ConvergenceWarning, match="not converged after 2 epochs") as warned:
        fitted = tight(model, max_iter=2).fit(X, y)
    assert Path(warned[0].filename).name == Path(__file__).name
    assert fitted.n_iter_ == 2
    assert fitted.score(X, y) > 0.5


@BOTH
def test_an_interrupted_fit_leaves_nothing_half_done(model: Any) -> None:
    X, y = rows_of_values()

    def interrupt(epoch: Epoch) -> None:
        if epoch.epoch == 2:
            raise KeyboardInterrupt

    broken = tight(model, callback=interrupt)
    with pytest.raises(KeyboardInterrupt):
        broken.fit(X, y)
    with pytest.raises(NotFittedError):
        broken.predict(X)
    again = tight(model).fit(X[:, :5], y).set_params(callback=interrupt)
    with pytest.raises(KeyboardInterrupt):
        again.fit(X, y)
    for columns in (X, X[:, :5]):
        with pytest.raises(NotFittedError):
            again.predict(columns)
    again.set_params(callback=None).fit(X, y)
    np.testing.assert_array_equal(again.weights_, tight(model).fit(X, y).weights_)


@BOTH
def test_warm_starts(model: Any) -> None:
    X, y = rows_of_values()
    name = "C" if isinstance(model, MulticlassSVM) else "sigma"
    path = tight(model, warm_start=True)
    for value in (0.1, 0.3, 1.0, 0.2):
        path.set_params(**{name: value}).fit(X, y)
        cold = tight(model, **{name: value}).fit(X, y)
        np.testing.assert_allclose(path.weights_, cold.weights_, atol=2e-6)
    assert path.fit(X, y).n_iter_ < cold.n_iter_
    usual = made(model, warm_start=True).fit(X, y)
    first, weights = usual.n_iter_, usual.weights_
    assert first > 20  # this small problem is solved to the optimum itself,
    assert usual.fit(X, y).n_iter_ == 1  # but only once
    np.testing.assert_allclose(usual.weights_, weights, atol=0.02)
    assert usual.set_params(**{name: 1.1 * getattr(usual, name)}).fit(X, y).n_iter_ < first / 2
    assert usual.dual_gap_ <= usual.tol
    # What does not belong to the last samples is no start for others.
    ones, other = rows_of_ones(seed=1)
    uneven = np.random.default_rng(0).uniform(0, 2, len(y))
    for samples in ((X, (y + 1) % 3), (X, y, uneven), (X, y), (X[:100], y[:100])):
        path.fit(*samples)
        cold = tight(model, **{name: 0.2}).fit(*samples)
        np.testing.assert_allclose(path.weights_, cold.weights_, atol=2e-6)
    path.set_params(tol=1e-3)
    for samples in ((ones, other), (X, y), (ones, y)):
        cold = tight(model, **{name: 0.2}, tol=1e-3).fit(*samples)
        np.testing.assert_allclose(path.fit(*samples).weights_, cold.weights_, atol=1e-2)


@BOTH
def test_large_and_small_numbers(model: Any) -> None:
    X, y = rows_of_values()
    for factor in (1e-18, 1e-3, 1e3, 1e15):
        scaled = csr_matrix(X.multiply(factor))
        fitted = made(model, tol=1e-3, max_iter=100_000)
        name = "C" if isinstance(model, MulticlassSVM) else "sigma"
        strength = 0.3 * factor**-2 if name == "C" else 0.7 / factor
        fitted.set_params(**{name: strength}, fit_intercept=False).fit(scaled, y)
        plain = made(model, tol=1e-3, fit_intercept=False, max_iter=100_000).fit(X, y)
        np.testing.assert_allclose(fitted.scores(scaled), plain.scores(X), atol=1e-2)
