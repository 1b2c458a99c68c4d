"""Arrays on disk."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tartib import storage
from tartib.errors import DataError

PARTS = st.lists(st.lists(st.integers(-(2**31), 2**31 - 1), max_size=50), max_size=8)


@given(PARTS)
def test_written_and_buffered_arrays_agree(
    tmp_path_factory: pytest.TempPathFactory, parts: list[list[int]]
) -> None:
    path = tmp_path_factory.mktemp("arrays") / "x.npy"
    buffer = storage.ArrayBuffer(np.int32)
    with storage.ArrayWriter(path, np.int32) as writer:
        for part in parts:
            writer.append(np.array(part, np.int32))
            buffer.append(np.array(part, np.int32))
            assert len(writer) == len(buffer)
    expected = [value for part in parts for value in part]
    assert buffer.finish().tolist() == expected
    assert storage.load_array(path, np.int32).tolist() == expected
    assert np.load(path).tolist() == expected


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "not a readable array"),
        (b"not an array at all, but long enough to be one", "not a readable array"),
        (None, "this part of the store is missing"),
    ],
)
def test_damaged_arrays(tmp_path: Path, content: bytes | None, said: str) -> None:
    path = tmp_path / "x.npy"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(DataError, match=said):
        storage.load_array(path, np.int32)


def test_truncated_array(tmp_path: Path) -> None:
    path = tmp_path / "x.npy"
    np.save(path, np.arange(1000, dtype=np.int32))
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(DataError, match="not a readable array"):
        storage.load_array(path, np.int32)


@pytest.mark.parametrize("array", [np.zeros(3), np.zeros((2, 2), np.int32)])
def test_foreign_array(tmp_path: Path, array: np.ndarray) -> None:
    np.save(tmp_path / "x.npy", array)
    with pytest.raises(DataError, match="not a list of int32"):
        storage.load_array(tmp_path / "x.npy", np.int32)
