"""No argument of the solvers may crash the interpreter."""

import gc
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tartib import _native
from tests.support.examples import examples
from tests.support.native_arguments import REFUSALS, arrays, offsets

pytestmark = pytest.mark.native
FLOATS = st.floats(allow_nan=True, allow_infinity=True) | st.sampled_from([0.0, 1.0, 1e-300])


@st.composite
def reals(draw: st.DrawFn) -> Any:
    """Draw what could be taken for values, weights or α, of a fitting size or another."""
    dtype = draw(st.sampled_from([np.float32, np.float64]))
    with np.errstate(over="ignore"):
        values = np.array(draw(st.lists(FLOATS, max_size=6)), np.float64).astype(dtype)
    values.flags.writeable = draw(st.booleans())
    return values


@examples(500)
@given(arrays(), arrays(), st.none() | arrays() | reals(), st.integers(-2, 2**40), st.booleans())
def test_samples(indptr: Any, indices: Any, values: Any, columns: int, intercept: bool) -> None:
    try:
        samples = _native.Samples(indptr, indices, values, columns, intercept)
        if columns < 10_000:
            stride = _native.stride_of(3)
            weights = np.zeros(
                (columns + intercept) * stride, np.float32 if values is None else float
            )
            assert not _native.score_rows(samples, 0, len(indptr) - 1, weights, 3).any()
    except REFUSALS:
        return


def samples(values: bool = False, intercept: bool = False) -> _native.Samples:
    """Three rows, the second of them empty."""
    given_values = np.array([1, 2, 3], np.float32) if values else None
    return _native.Samples(
        offsets(0, 2, 2, 3), np.array([0, 4, 1], np.int32), given_values, 5, intercept
    )


@examples(500)
@given(
    st.booleans(), st.integers(-2, 5), st.integers(-2, 5), arrays() | reals(), st.integers(-1, 66)
)
def test_score_rows(values: bool, begin: int, end: int, weights: Any, classes: int) -> None:
    with pytest.raises(REFUSALS):
        _native.score_rows(samples(values), begin, end, weights, classes)


def test_scores_of_damaged_arguments() -> None:
    weights: Any = np.zeros(20, np.float32)
    assert len(_native.score_rows(samples(), 0, 3, weights, 3)) == 9
    for arguments, said in (
        ((samples(True), 0, 3, weights, 3), "wrong precision"),
        ((samples(), 0, 3, weights.astype(np.float64), 3), "wrong precision"),
        ((samples(), 0, 4, weights, 3), "rows are out of range"),
        ((samples(), -1, 3, weights, 3), "rows are out of range"),
        ((samples(), 2, 1, weights, 3), "rows are out of range"),
        ((samples(), 0, 3, weights[1:], 3), "weights have the wrong size"),
        ((samples(intercept=True), 0, 3, weights, 3), "weights have the wrong size"),
        ((samples(), 0, 3, weights, 5), "weights have the wrong size"),
        ((samples(), 0, 3, weights, 1), "classes are out of range"),
        ((samples(), 0, 3, weights, 1025), "classes are out of range"),
    ):
        with pytest.raises(ValueError, match=said):
            _native.score_rows(*arguments)
    unusable: list[Any] = [weights.astype(np.int32), weights.reshape(5, 4), None]
    for wrong in (*unusable, weights.repeat(2)[::2]):
        with pytest.raises(TypeError):
            _native.score_rows(samples(), 0, 3, wrong, 3)
    with pytest.raises(ValueError, match="classes are out of range"):
        _native.stride_of(0)


def test_damaged_samples() -> None:
    rows, columns = offsets(0, 2, 2, 3), np.array([0, 4, 1], np.int32)
    values = np.ones(3, np.float32)
    for arguments, error, said in (
        ((offsets(), columns, None, 5, False), ValueError, "indptr is not valid"),
        ((offsets(0, 2, 1, 3), columns, None, 5, False), ValueError, "indptr is not valid"),
        ((offsets(-1, 2, 2, 3), columns, None, 5, False), ValueError, "indptr is not valid"),
        ((offsets(0, 2, 2, 4), columns, None, 5, False), ValueError, "indptr is not valid"),
        ((rows, columns, None, 4, False), IndexError, "a column is out of range"),
        ((rows, -columns, None, 5, False), IndexError, "a column is out of range"),
        ((rows, columns, None, -1, False), ValueError, "columns are out of range"),
        ((rows, columns, None, 2**31 - 1, True), ValueError, "columns are out of range"),
        ((rows, columns, values[1:], 5, False), ValueError, "differ in length"),
        ((rows, columns, values * np.nan, 5, False), ValueError, "a value is not finite"),
        ((rows, columns, values * np.float32(np.inf), 5, False), ValueError, "is not finite"),
    ):
        with pytest.raises(error, match=said):
            _native.Samples(*arguments)


Y = np.array([0, 1, 2], np.int32)


def solver(kind: str = "svm", **changed: Any) -> Any:
    values = changed.pop("values", False)
    arguments: dict[str, Any] = {
        "samples": samples(values), "y": Y, "weights": None, "classes": 3,
        "alpha": np.zeros(9, np.float64 if values else np.float32),
        "epsilon": 0.1, "shrink": True, "threads": 1,
    }  # fmt: skip
    own: dict[str, Any] = {"C": 1.0}
    if kind != "svm":
        own = {"variance": 1.0, "exponentiated": False, "share": 0.1}
    return getattr(_native.DualSolver, kind)(**{**arguments, **own, **changed})


@pytest.mark.parametrize("kind", ["svm", "mlr"])
def test_damaged_solvers(kind: str) -> None:
    assert solver(kind).blocks == 1
    one = np.ones(3)
    wrong: dict[str, dict[str, Any]] = {
        "one label for each row": {"y": Y[1:]},
        "a label is out of range": {"y": Y + 1},
        "a label is": {"y": Y - 1},
        "one weight for each row": {"weights": one[1:]},
        "a weight is negative": {"weights": -one},
        "or not finite": {"weights": one * np.nan},
        "a weight": {"weights": one * np.inf},
        "classes are": {"classes": 1, "alpha": np.zeros(3, np.float32)},
        "classes": {"classes": 1025, "alpha": np.zeros(3075, np.float32)},
        "alpha has the wrong size": {"alpha": np.zeros(8, np.float32)},
        "alpha has the wrong precision": {"alpha": np.zeros(9)},
        "the wrong precision": {"alpha": np.zeros(9, np.int32)},
        "precision": {"alpha": np.zeros(9, np.float32), "samples": samples(True)},
        "alpha contains NaN": {"alpha": np.full(9, np.nan, np.float32)},
        "epsilon is out of range": {"epsilon": -1e-9},
        "epsilon": {"epsilon": np.nan},
        "epsilon ": {"epsilon": np.inf},
        "threads are out of range": {"threads": 0},
        "threads": {"threads": 1025},
        **{
            "out of range" + " " * number: {"C" if kind == "svm" else "variance": value}
            for number, value in enumerate((0.0, -1.0, np.nan, np.inf))
        },
    }
    for said, changed in wrong.items():
        with pytest.raises(ValueError, match=said.strip()):
            solver(kind, **changed)
    alpha = np.zeros(9, np.float32)
    alpha.flags.writeable = False
    matrix: Any = np.zeros((3, 3), np.float32)
    stepped = np.zeros(18, np.float32)[::2]
    unusable: list[dict[str, Any]] = [
        {"alpha": alpha}, {"alpha": matrix}, {"alpha": stepped}, {"alpha": None},
        {"alpha": [0.0] * 9}, {"samples": None}, {"y": None}, {"classes": 2**40},
        {"threads": "two"},
    ]  # fmt: skip
    for changed in unusable:
        with pytest.raises(TypeError):
            solver(kind, **changed)


@pytest.mark.parametrize("kind", ["svm", "mlr"])
def test_damaged_visits(kind: str) -> None:
    made = solver(kind)
    for blocks in (offsets(1), offsets(-1), offsets(0, 0), offsets(2**62)):
        with pytest.raises(ValueError, match="a block is out of range or named twice"):
            made.run(blocks)
    for wrong in (None, [0], np.zeros((1, 1), np.int64)):
        with pytest.raises(TypeError):
            made.run(wrong)
    for rows in (offsets(3), offsets(-1), offsets(0, 2**62)):
        with pytest.raises(ValueError, match="a row is out of range"):
            made.run_rows(rows)
    for begin, end in ((-1, 0), (0, 4), (64, 3), (0, -1), (3, 2), (64, 64)):
        with pytest.raises(ValueError, match="rows are out of range"):
            made.check(begin, end)
    assert made.run(offsets(0)).visited == 3
    made.activate()
    assert made.run_rows(offsets(2, 0)).visited == 2


@examples(300)
@given(
    st.sampled_from(["svm", "mlr"]),
    st.booleans(),
    arrays() | st.just(Y),
    st.none() | reals() | st.just(np.array([0.0, 1.0, 1e300])),
    st.integers(-1, 70) | st.just(3),
    reals() | st.just(np.zeros(9, np.float32)),
    st.tuples(FLOATS, FLOATS),
    arrays() | st.just(offsets(0)),
)
def test_any_solver(
    kind: str,
    values: bool,
    y: Any,
    weights: Any,
    classes: int,
    alpha: Any,
    numbers: Any,
    order: Any,
) -> None:
    try:
        name = "C" if kind == "svm" else "variance"
        made = solver(
            kind, values=values, y=y, weights=weights, classes=classes, alpha=alpha.copy(),
            epsilon=numbers[0], **{name: numbers[1]},
        )  # fmt: skip
        for _ in range(2):
            made.run(order)
            made.check(0, 3)
        made.refresh()
        made.activate()
        made.run_rows(order)
        made.run(order)
        made.weights()
    except REFUSALS:
        return


@pytest.mark.parametrize("kind", ["svm", "mlr"])
@pytest.mark.parametrize("classes", [3, 7, 40])
def test_numbers_beyond_all_bounds(kind: str, classes: int) -> None:
    """Overflow gives infinities and NaN, never a crash."""
    rng = np.random.default_rng(0)
    rows = 300
    given_samples = _native.Samples(
        np.arange(rows + 1, dtype=np.int64) * 3, rng.integers(0, 5, 3 * rows).astype(np.int32),
        None, 5, True,
    )  # fmt: skip
    name = "C" if kind == "svm" else "variance"
    made = solver(
        kind, samples=given_samples, y=rng.integers(0, classes, rows).astype(np.int32),
        classes=classes, alpha=np.zeros(rows * classes, np.float32), **{name: 1e300},
    )  # fmt: skip
    for _ in range(5):
        made.run(rng.permutation(made.blocks))
    made.check(0, rows)
    made.refresh()


def test_arrays_outlive_their_names() -> None:
    made = solver(alpha=np.zeros(9, np.float32), weights=np.ones(3), y=Y.copy())
    gc.collect()
    assert made.run(offsets(0)).updated == 3
