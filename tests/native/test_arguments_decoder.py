"""No argument of the native decoder can crash the interpreter: what is wrong is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tartib import _native
from tests.support.decoding import language_model, make_table

pytestmark = pytest.mark.native
LM = language_model()
TABLE = make_table(
    ["a ||| u ||| 0.5 0.5 ||| 0-0 ||| 1 1 1", "b ||| v ||| 0.5 0.5 ||| 0-0 ||| 1 1 1"]
)


def finder(**changes: Any) -> _native.OptionFinder:
    arguments: dict[str, Any] = {
        "table": TABLE.native,
        "lm": LM.native,
        "lm_of_target": LM.ids(TABLE.target_vocabulary),
        "score_weights": np.ones(2),
        "lm_weight": 1.0,
        "word_weight": 0.0,
        "phrase_weight": 0.0,
        "unknown_weight": 1.0,
        "limit": 20,
        "drop_unknown": False,
    }
    return _native.OptionFinder(**(arguments | changes))


def options(words: int = 3) -> _native.TranslationOptions:
    ids = np.arange(words, dtype=np.int32) % 2
    return find(ids, ids, LM.ids(["u"] * words))


def find(
    source: NDArray[np.int32], as_target: NDArray[np.int32], lm_of_source: NDArray[np.uint32],
    **changes: Any,
) -> _native.TranslationOptions:  # fmt: skip
    """Find options with nothing forced, but for what ``changes`` says."""
    nothing: dict[str, Any] = {
        "starts": np.empty(0, np.int64), "ends": np.empty(0, np.int64), "logs": np.empty(0),
        "target_ids": np.empty(0, np.int32), "lm_of_targets": np.empty(0, np.uint32),
        "target_offsets": np.zeros(1, np.int64), "exclusive": True,
    }  # fmt: skip
    return finder().find(source, as_target, lm_of_source, **(nothing | changes))


def search(found: _native.TranslationOptions, **changes: Any) -> dict[str, Any]:
    arguments: dict[str, Any] = {
        **dict.fromkeys(
            f"{neighbour}_{kind}"
            for neighbour in ("phrase", "hier")
            for kind in ("backward", "forward", "between")
        ),
        "lm_weight": 1.0,
        "distortion_weight": 0.1,
        "limit": 6,
        "stack": 10,
        "threshold": -5.0,
        "pops": 0,
        "nbest": 3,
        "distinct": False,
        "keep_graph": False,
    }
    return _native.search(LM.native, found, **(arguments | changes))


@pytest.mark.parametrize(
    "changes",
    [
        {"lm_of_target": np.zeros(1, np.uint32)},
        {"lm_of_target": np.full(2, 1 << 31, np.uint32)},
        {"score_weights": np.ones(3)},
        {"score_weights": np.array([1.0, np.nan])},
        {"lm_weight": np.inf},
        {"unknown_weight": np.nan},
    ],
)
def test_finder_refuses(changes: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"."):
        finder(**changes)


@pytest.mark.parametrize(
    ("source", "as_target", "lm_words"),
    [
        (2, 1, 2),
        (2, 2, 1),
        (257, 257, 257),
    ],
)
def test_find_refuses_lengths(source: int, as_target: int, lm_words: int) -> None:
    zeros = np.zeros(300, np.int32)
    with pytest.raises(ValueError, match=r"."):
        find(zeros[:source], zeros[:as_target], np.zeros(lm_words, np.uint32))


def test_find_refuses_words_that_the_lm_has_not() -> None:
    one = np.zeros(1, np.int32)
    with pytest.raises(ValueError, match="not in the language model"):
        find(one, one, np.array([1 << 30], np.uint32))


@pytest.mark.parametrize(
    "changes",
    [
        {"starts": np.zeros(1, np.int64)},
        {"starts": np.array([1]), "ends": np.array([0]), "logs": np.zeros(1)},
        {"starts": np.array([0]), "ends": np.array([4]), "logs": np.zeros(1)},
        {"starts": np.array([-1]), "ends": np.array([1]), "logs": np.zeros(1)},
        {"target_offsets": np.array([0, 9])},
        {"target_offsets": np.empty(0, np.int64)},
        {"target_ids": np.zeros(2, np.int32)},
        {"lm_of_targets": np.full(1, 1 << 30, np.uint32), "target_ids": np.zeros(1, np.int32)},
    ],
)
def test_find_refuses_forced_spans_that_do_not_fit(changes: dict[str, Any]) -> None:
    ids = np.zeros(3, np.int32)
    if len(changes.get("logs", ())) == 1:
        changes = {**changes, "target_offsets": np.zeros(2, np.int64)}
    with pytest.raises(ValueError, match=r"."):
        find(ids, ids, LM.ids(["u"] * 3), **changes)


def test_ids_that_the_table_has_not_are_unknown_words() -> None:
    ids = np.array([99, -7, 1 << 30], np.int32)
    found = find(ids, np.array([-1, -2, -3], np.int32), LM.ids(["u"] * 3))
    assert found.arrays()["rows"].tolist() == [-1, -1, -1]


def _scores(size: int, value: float = 0.0) -> NDArray[np.float32]:
    return np.full(size, value, np.float32)


@pytest.mark.parametrize(
    "changes",
    [
        {"phrase_backward": _scores(5)},
        {"hier_forward": _scores(0)},
        {"hier_backward": _scores(12, np.nan)},
        {"phrase_forward": _scores(12, np.inf)},
        {"phrase_between": np.zeros(15)},
        {"hier_between": np.full(16, np.nan)},
        {"lm_weight": np.nan},
        {"distortion_weight": -np.inf},
        {"threshold": 1.0},
        {"threshold": np.nan},
        {"stack": -1},
        {"pops": -1},
        {"nbest": 0},
    ],
)
def test_search_refuses(changes: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"."):
        search(options(), **changes)


@pytest.mark.parametrize("limit", [-(1 << 60), -1, 0, 1, 255, 1 << 60])
@pytest.mark.parametrize("words", [0, 1, 2, 63, 64, 65, 256])
def test_any_length_and_limit(words: int, limit: int) -> None:
    """Each word is covered once, at the edges of the coverage's parts too."""
    found = search(options(words), limit=limit, stack=3, nbest=1 << 60, threshold=-np.inf)
    starts = options(words).arrays()["starts"]
    first = found["steps"][: found["offsets"][1]]
    assert sorted(starts[first].tolist()) == list(range(words))
