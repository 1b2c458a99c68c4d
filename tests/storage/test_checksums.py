"""Checksums of files, computed while they are written."""

from pathlib import Path

import pytest
import xxhash
from hypothesis import given
from hypothesis import strategies as st

from tartib.storage import checksums
from tartib.storage.checksums import BLOCK, Checksums, HashedFile


def slow_checksums(data: bytes) -> Checksums:
    """Return what the definition says."""
    blocks = [data[begin : begin + BLOCK] for begin in range(0, len(data), BLOCK)]
    return Checksums(len(data), "".join(xxhash.xxh3_64(b).hexdigest() for b in blocks))


@given(st.lists(st.integers(0, 2 * BLOCK + 3), max_size=4), st.integers(0, 200))
def test_written_read_and_given_bytes_agree(
    tmp_path_factory: pytest.TempPathFactory, sizes: list[int], header: int
) -> None:
    path = tmp_path_factory.mktemp("sums") / "file"
    data = b"".join(bytes([n % 251]) * size for n, size in enumerate([header, *sizes], 1))
    file = HashedFile(path)
    file.write(b"?" * header)
    for n, size in enumerate(sizes, 2):
        file.write(bytes([n % 251]) * size)
    file.rewrite_start(b"\x01" * header)
    file.close()
    assert path.read_bytes() == data
    expected = slow_checksums(data)
    assert checksums.known(path) == expected  # as remembered
    checksums.forget(path.parent)
    assert checksums.known(path) == expected  # as read
    assert checksums.checksums_of(data) == expected


def test_a_file_that_another_program_changed_is_read(tmp_path: Path) -> None:
    checksums.write_bytes(tmp_path / "file", b"one")
    (tmp_path / "file").write_bytes(b"other")
    assert checksums.known(tmp_path / "file") == slow_checksums(b"other")
    checksums.forget(tmp_path)


@pytest.mark.parametrize(
    ("before", "now", "ranges"),
    [
        (b"a" * 10, b"b" * 10, [(0, 10)]),
        (b"a" * 10, b"a" * 9, [(0, 10)]),
        (b"a" * 3 * BLOCK, b"a" * BLOCK + b"b" + b"a" * (2 * BLOCK - 1), [(BLOCK, 2 * BLOCK)]),
        (
            b"a" * 3 * BLOCK,
            b"b" + b"a" * (3 * BLOCK - 2) + b"b",
            [(0, BLOCK), (2 * BLOCK, 3 * BLOCK)],
        ),
        (b"a" * 3 * BLOCK, b"a" * (BLOCK + 1), [(BLOCK, 3 * BLOCK)]),
        (b"a" * BLOCK, b"a" * (BLOCK + 7), [(BLOCK, BLOCK + 7)]),
    ],
)
def test_ranges_of_damage(before: bytes, now: bytes, ranges: list[tuple[int, int]]) -> None:
    assert slow_checksums(before).damage(slow_checksums(now)) == ranges


def test_a_size_without_checksums_takes_no_time() -> None:
    found = slow_checksums(b"a")
    assert Checksums(10**18, "x").damage(found) == [(0, 10**18)]
    assert not Checksums(10**18, "x").is_possible()
    assert not Checksums(-5, "").is_possible()
    assert not Checksums(0, "x" * 16).is_possible()
    for size in (0, 1, BLOCK, BLOCK + 1):
        assert slow_checksums(b"a" * size).is_possible()
