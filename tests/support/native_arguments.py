"""Arguments for native functions, fitting and others, and how those are refused."""

from typing import Any

import numpy as np
from hypothesis import strategies as st

REFUSALS = (TypeError, ValueError, IndexError, MemoryError)
NUMBERS = st.lists(st.integers(-5, 5000) | st.integers(-(2**63), 2**63 - 1), max_size=6)
DTYPES = st.sampled_from([np.int64, np.int32, np.uint32, np.uint64, np.float64, np.uint8])


@st.composite
def arrays(draw: st.DrawFn) -> Any:
    """Draw an array of any type and layout."""
    values = np.array(draw(NUMBERS), np.int64).astype(draw(DTYPES))
    shape = draw(st.sampled_from(["plain", "stepped", "reversed", "two-dimensional", "read-only"]))
    if shape == "stepped":
        return np.repeat(values, 2)[::2]
    if shape == "reversed":
        return values[::-1]
    if shape == "two-dimensional":
        return values.reshape(1, -1)
    if shape == "read-only":
        values.flags.writeable = False
    return values


def offsets(*values: int) -> Any:
    return np.array(values, np.int64)
