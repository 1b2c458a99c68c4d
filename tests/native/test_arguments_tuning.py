"""No argument of the native tuners can crash the interpreter: what is wrong is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tartib import _native

pytestmark = pytest.mark.native


def pool(**changes: Any) -> _native.TuningPool:
    """Return two sentences with two translations each, and two dense and three sparse features."""
    arguments: dict[str, Any] = {
        "offsets": np.array([0, 2, 4]),
        "stats": np.tile(np.array([4, 4, 4, 3, 2, 1, 4, 3, 2, 1], np.int32), 4),
        "dense": np.arange(8, dtype=np.float32),
        "n_dense": 2,
        "indptr": np.array([0, 1, 1, 2, 3]),
        "indices": np.array([0, 1, 2], np.int32),
        "values": np.ones(3, np.float32),
        "n_sparse": 3,
    }
    return _native.TuningPool(**(arguments | changes))


DENSE: dict[str, Any] = {
    "indptr": np.zeros(5, np.int64),
    "indices": np.zeros(0, np.int32),
    "values": np.zeros(0, np.float32),
    "n_sparse": 0,
}


@pytest.mark.parametrize(
    "changes",
    [
        {"offsets": np.zeros(0, np.int64)},
        {"offsets": np.array([0, 2, 5])},
        {"offsets": np.array([0, 2, 3])},
        {"offsets": np.array([1, 2, 4])},
        {"offsets": np.array([0, 3, 2, 4])},
        {"stats": np.zeros(39, np.int32)},
        {"stats": np.full(40, -1, np.int32)},
        {"dense": np.zeros(7, np.float32)},
        {"dense": np.full(8, np.nan, np.float32)},
        {"n_dense": -1},
        {"n_dense": 1 << 62},
        {"n_sparse": -1},
        {"n_sparse": 2},
        {"indptr": np.zeros(0, np.int64)},
        {"indptr": np.array([0, 1, 1, 2, 4])},
        {"indptr": np.array([-1, 1, 1, 2, 3])},
        {"indices": np.array([0, -1, 2], np.int32)},
        {"values": np.ones(2, np.float32)},
        {"values": np.full(3, np.inf, np.float32)},
    ],
)
def test_pools_are_checked(changes: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"."):
        pool(**changes)


@pytest.mark.parametrize("weights", [np.ones(4), np.ones(6), np.array([1, 1, np.nan, 1, 1])])
def test_weights_are_checked(weights: Any) -> None:
    with pytest.raises(ValueError, match="weight"):
        pool().best(weights)


def test_empty_lists_are_refused() -> None:
    empty = pool(offsets=np.array([0, 0, 4]))
    with pytest.raises(ValueError, match="a list is empty"):
        empty.best(np.ones(5))
    with pytest.raises(ValueError, match="a list is empty"):
        empty.mira(np.ones(5), np.ones(5), np.array([0, 1]), 0.1, 0.9)


@pytest.mark.parametrize(
    "changes",
    [
        {"start": np.ones(4)},
        {"rates": np.ones(4)},
        {"rates": np.full(5, 1.5)},
        {"rates": np.full(5, np.nan)},
        {"orders": np.array([0])},
        {"orders": np.array([0, 2])},
        {"orders": np.array([-1, 0])},
        {"c": 0.0},
        {"c": np.nan},
        {"decay": 1.5},
        {"decay": np.nan},
    ],
)
def test_mira_refuses(changes: dict[str, Any]) -> None:
    arguments: dict[str, Any] = {
        "start": np.ones(5),
        "rates": np.ones(5),
        "orders": np.array([1, 0]),
        "c": 0.1,
        "decay": 0.9,
    }
    pool().mira(**arguments)
    with pytest.raises(ValueError, match=r"."):
        pool().mira(**(arguments | changes))


@pytest.mark.parametrize(
    "changes",
    [
        {"starts": np.ones(3)},
        {"starts": np.zeros(0)},
        {"starts": np.array([np.inf, 1, 1, 1])},
        {"fixed": np.zeros(3, np.uint8)},
        {"fixed": np.ones(2, np.uint8)},
        {"directions": np.ones(6)},
        {"directions": np.full(4, np.nan)},
        {"threads": 0},
        {"threads": 1 << 20},
    ],
)
def test_mert_refuses(changes: dict[str, Any]) -> None:
    arguments: dict[str, Any] = {
        "starts": np.ones(4),
        "fixed": np.zeros(2, np.uint8),
        "directions": np.ones(8),
        "threads": 2,
    }
    dense = pool(**DENSE)
    dense.mert(**arguments)
    with pytest.raises(ValueError, match=r"."):
        dense.mert(**(arguments | changes))


def test_mert_is_for_dense_features() -> None:
    with pytest.raises(ValueError, match="MERT cannot tune sparse features"):
        pool().search_line(np.ones(5), np.ones(5))
    with pytest.raises(ValueError, match="MERT cannot tune sparse features"):
        pool().mert(np.ones(5), np.zeros(5, np.uint8), np.ones(5), 1)


@pytest.mark.parametrize("slope", [1e-320, -1e-320, 1e-308, -1e-308])
def test_corners_too_far_away_for_a_number(slope: float) -> None:
    stats = np.array([[4, 4, 4, 3, 2, 1, 4, 3, 2, 1], [4, 4, 4, 3, 2, 0, 4, 3, 2, 1]], np.int32)
    dense = np.array([1, 0, 0, 1], np.float32)
    changes = {"offsets": np.array([0, 2]), "stats": stats.reshape(-1), "dense": dense}
    apart = pool(**(DENSE | changes | {"indptr": np.zeros(3, np.int64)}))
    assert apart.search_line(np.array([1.0, 0.0]), np.array([0.0, slope])) == (0, 1)
    step, bleu = apart.search_line(np.array([0.0, 1.0]), np.array([0.0, slope]))
    assert np.isfinite(step)
    assert np.isfinite(bleu)
    found, _ = apart.mert(np.array([0.0, 1.0]), np.zeros(2, np.uint8), np.array([0.0, slope]), 1)
    assert np.isfinite(found).all()


def test_arrays_that_change_later_do_no_harm() -> None:
    arrays = {
        "offsets": np.array([0, 2, 4]),
        "indptr": np.array([0, 1, 1, 2, 3]),
        "indices": np.array([0, 1, 2], np.int32),
    }
    changed = pool(**arrays)
    weights = np.array([1.0, -2.0, 3.0, -4.0, 5.0])
    before = changed.best(weights).tolist(), changed.keys().tolist()
    for array in arrays.values():
        array[:] = np.iinfo(array.dtype).max
    assert (changed.best(weights).tolist(), changed.keys().tolist()) == before


@pytest.mark.parametrize(
    "changes",
    [
        {"offsets": np.array([0, 4])},
        {"offsets": np.array([2, 1])},
        {"offsets": np.zeros(0, np.int64)},
        {"reference_offsets": np.array([0])},
        {"reference_offsets": np.array([0, 9])},
    ],
)
def test_statistics_refuse(changes: dict[str, Any]) -> None:
    arguments: dict[str, Any] = {
        "ids": np.zeros(3, np.int32),
        "offsets": np.array([0, 3]),
        "reference_ids": np.zeros(2, np.int32),
        "reference_offsets": np.array([0, 2]),
    }
    _native.bleu_statistics(**arguments)
    with pytest.raises(ValueError, match=r"."):
        _native.bleu_statistics(**(arguments | changes))
    with pytest.raises(ValueError, match="ten sums"):
        _native.bleu_of(np.zeros(9))
