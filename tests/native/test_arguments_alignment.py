"""No argument of the native symmetrisation can crash the interpreter: what is wrong is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tartib import _native
from tests.support.examples import examples
from tests.support.native_arguments import REFUSALS, arrays, offsets

pytestmark = pytest.mark.native

symmetrise: Any = _native.symmetrise
HEURISTICS = st.sampled_from(list(_native.Heuristic))


@examples(500)
@given(st.tuples(*[arrays()] * 6, HEURISTICS))
def test_symmetrise(arguments: Any) -> None:
    try:
        links, found = symmetrise(*arguments)
    except REFUSALS:
        return
    assert found[0] == 0
    assert found[-1] == len(links)


def test_damaged_arguments_are_told_apart() -> None:
    link = np.array([1 << 16 | 1], np.uint32)
    good: Any = (offsets(0, 2), offsets(0, 2), link, offsets(0, 1), link, offsets(0, 1))
    heuristic = _native.Heuristic.GROW_DIAG
    assert symmetrise(*good, heuristic)[0].tolist() == link.tolist()
    for number, bad, said in (
        (0, offsets(0, 2, 3), "offsets differ in length"),
        (0, offsets(2, 0), "source_offsets are not valid offsets"),
        (1, offsets(-1, 0), "target_offsets are not valid offsets"),
        (1, offsets(0, 65_536), "too long"),
        (3, offsets(0, 2), "offsets of links are not valid offsets"),
        (5, offsets(0, 1, 1), "offsets differ in length"),
        (2, np.array([2], np.uint32), "beyond its sentence"),
        (4, np.array([2 << 16], np.uint32), "beyond its sentence"),
    ):
        arguments: Any = list(good)
        arguments[number] = bad
        with pytest.raises((ValueError, IndexError), match=said):
            symmetrise(*arguments, heuristic)
    for wrong in (None, 99, -1, "grow"):
        with pytest.raises(TypeError):
            symmetrise(*good, wrong)
