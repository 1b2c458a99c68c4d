"""A callback that changes the arrays during ``fit`` gets an error and crashes nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tartib import Dataset, DualMLR, MaxEnt, MulticlassSVM, PrimalMLR, TartibError
from tartib.errors import ChangedDataError
from tests.support.processes import run_python

pytestmark = [pytest.mark.native, pytest.mark.filterwarnings("ignore")]

ROWS, COLUMNS, CLASSES = 300, 50, 3
ESTIMATORS: dict[str, Callable[..., Any]] = {
    "MulticlassSVM": MulticlassSVM,
    "DualMLR": DualMLR,
    "PrimalMLR": PrimalMLR,
    "MaxEnt": MaxEnt,
}
CHANGES: dict[str, tuple[str, object]] = {
    "large columns": ("indices", 2**31 - 1),
    "negative columns": ("indices", -(2**31)),
    "column -1": ("indices", -1),
    "large offsets": ("indptr", 2**62),
    "negative offsets": ("indptr", -(2**62)),
    "large labels": ("y", 2**31 - 1),
    "negative labels": ("y", -1),
    "negative weights": ("weights", -1.0),
    "weights NaN": ("weights", np.nan),
    "values NaN": ("values", np.nan),
    "infinite values": ("values", np.inf),
}


def arrays_of(rows: int, classes: int, *, valued: bool) -> dict[str, Any]:
    rng = np.random.default_rng(1)
    each = 5
    return {
        "indptr": np.arange(0, rows * each + 1, each, dtype=np.int64),
        "indices": rng.integers(0, COLUMNS, rows * each).astype(np.int32),
        "y": rng.integers(0, classes, rows).astype(np.int32),
        "values": rng.normal(size=rows * each).astype(np.float32) if valued else None,
        "weights": rng.uniform(0.5, 2, rows),
    }


def fit_and_change(name: str, change: str, *, rows: int, classes: int, valued: bool) -> None:
    arrays = arrays_of(rows, classes, valued=valued)
    dataset = Dataset(
        **arrays, classes=tuple(f"class {k}" for k in range(classes)), n_features=COLUMNS
    )
    array, value = CHANGES[change]

    def spoil(_: object) -> None:
        arrays[array][:] = value

    ESTIMATORS[name](max_iter=4, n_jobs=2, callback=spoil).fit(dataset)


# The dual methods copy and shuffle fewer rows than these, so that only more show the change.
@pytest.mark.parametrize("rows", [ROWS, 40_000])
@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("name", ESTIMATORS)
def test_changes_are_an_error(name: str, change: str, rows: int) -> None:
    valued = CHANGES[change][0] == "values"
    with pytest.raises(ChangedDataError, match="the callback has changed the rows"):
        fit_and_change(name, change, rows=rows, classes=CLASSES, valued=valued)


@pytest.mark.parametrize("change", ["large columns", "negative labels", "large offsets"])
def test_many_classes_and_values(change: str) -> None:
    for name in ESTIMATORS:
        with pytest.raises(TartibError):
            fit_and_change(name, change, rows=40_000, classes=20, valued=True)


def test_a_callback_that_only_looks_changes_nothing() -> None:
    arrays = arrays_of(ROWS, CLASSES, valued=False)
    dataset = Dataset(**arrays, classes=("a", "b", "c"), n_features=COLUMNS)
    seen: list[object] = []
    with_it = MaxEnt(max_iter=5, callback=seen.append).fit(dataset)
    without = MaxEnt(max_iter=5).fit(dataset)
    assert seen
    np.testing.assert_array_equal(with_it.coef_, without.coef_)


def test_an_error_of_the_callback_is_raised_as_it_is() -> None:
    dataset = Dataset(
        **arrays_of(ROWS, CLASSES, valued=False), classes=("a", "b", "c"), n_features=COLUMNS
    )

    def fail(_: object) -> None:
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        MaxEnt(callback=fail).fit(dataset)


# Another thread, which may write at any moment: whatever comes out, the interpreter lives.
WRITER = """
import threading, warnings
import numpy as np
from tartib import Dataset, DualMLR, MaxEnt, MulticlassSVM, PrimalMLR
from tartib.errors import TartibError
warnings.simplefilter("ignore")
rng = np.random.default_rng(0)
rows, columns = 40_000, 1_000
good = {
    "indptr": np.arange(0, rows * 5 + 1, 5, dtype=np.int64),
    "indices": rng.integers(0, columns, rows * 5).astype(np.int32),
    "y": rng.integers(0, 3, rows).astype(np.int32),
}
arrays = {name: array.copy() for name, array in good.items()}
dataset = Dataset(**arrays, classes=("a", "b", "c"), n_features=columns)
stop = False

def write():
    while not stop:
        for name in good:
            # Large offsets would have NumPy ask for as much memory.
            far = 10 * rows if name == "indptr" else 2**31
            arrays[name][rng.integers(0, len(arrays[name]), 100)] = rng.integers(-far, far)
            arrays[name][:] = good[name]

thread = threading.Thread(target=write)
thread.start()
try:
    for make in (MulticlassSVM, DualMLR, MaxEnt, PrimalMLR):
        for _ in range(3):
            try:
                make(max_iter=5, n_jobs=2).fit(dataset)
            except (TartibError, ValueError, IndexError):
                pass
finally:
    stop = True
    thread.join()
print("alive")
"""


def test_another_thread_that_writes_crashes_nothing() -> None:
    assert run_python(WRITER).stdout == "alive\n"
