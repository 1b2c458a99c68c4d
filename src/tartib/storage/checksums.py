"""Checksums of files: XXH3-64 of each MiB, so that damage can be told to the MiB.

What is written here is hashed on the way; the checksums are remembered until the folder that the
file is in gets its manifest, so that nothing has to be read again.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import xxhash

from tartib.storage import disk

BLOCK = 1 << 20
_FLUSH_EVERY = 32 * BLOCK
_DIGITS = 16


class Checksums(NamedTuple):
    """Size of a file, and the checksum of each of its blocks as 16 hexadecimal digits."""

    size: int
    blocks: str

    def is_possible(self) -> bool:
        """Whether there is a checksum for each block that a file of this size has."""
        return self.size >= 0 and len(self.blocks) == -(-self.size // BLOCK) * _DIGITS

    def damage(self, found: Checksums) -> list[tuple[int, int]]:
        """Return the ranges of bytes, first and end, where a file is not what it was.

        What one of the two has no checksums for is damaged to its end.
        """
        longest = max(self.size, found.size)
        common = min(len(self.blocks), len(found.blocks)) // _DIGITS
        places = [
            (number * BLOCK, min((number + 1) * BLOCK, longest))
            for number in range(common)
            if self._block(number) != found._block(number)
        ]
        if common * BLOCK < longest:
            places.append((common * BLOCK, longest))
        ranges: list[tuple[int, int]] = []
        for begin, end in places:
            if ranges and ranges[-1][1] == begin:
                ranges[-1] = (ranges[-1][0], end)
            else:
                ranges.append((begin, end))
        return ranges

    def _block(self, number: int) -> str:
        return self.blocks[number * _DIGITS : (number + 1) * _DIGITS]


def checksum(data: bytes | bytearray | memoryview) -> str:
    """Return the checksum of some bytes."""
    return str(xxhash.xxh3_64_hexdigest(data))


def checksums_of(data: bytes) -> Checksums:
    """Return the checksums of a file with these bytes."""
    view = memoryview(data)
    blocks = (checksum(view[begin : begin + BLOCK]) for begin in range(0, len(data), BLOCK))
    return Checksums(len(data), "".join(blocks))


def read_checksums(file: io.RawIOBase | io.BufferedIOBase) -> Iterator[tuple[int, str]]:
    """Read a file to its end; yield size and checksum of each block."""
    buffer = memoryview(bytearray(BLOCK))
    while True:
        filled = 0
        while filled < BLOCK and (read := file.readinto(buffer[filled:]) or 0):
            filled += read
        if filled:
            yield filled, checksum(buffer[:filled])
        if filled < BLOCK:
            return


def file_checksums(file: io.RawIOBase | io.BufferedIOBase) -> Checksums:
    """Return the checksums of an open file, read from where it stands."""
    size, blocks = 0, []
    for read, block in read_checksums(file):
        size += read
        blocks.append(block)
    return Checksums(size, "".join(blocks))


class HashedFile:
    """A file that is written from begin to end and hashed on the way.

    Its first bytes, up to `BLOCK`, can be written again at the end: a header with the length.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file = path.open("wb", buffering=0)
        self._size = 0
        self._first = bytearray()
        self._blocks: list[str] = []
        self._block = xxhash.xxh3_64()
        self._flushed = 0

    def write(self, data: bytes | memoryview) -> None:
        """Append some bytes."""
        view = memoryview(data).cast("B")
        self._hash(view)
        while view:
            view = view[self._file.write(view) :]
        if self._size - self._flushed >= _FLUSH_EVERY:
            # The disk is busy from now on, and not only when all is written.
            disk.begin_flush(self._file.fileno(), self._flushed, self._size - self._flushed)
            self._flushed = self._size

    def _hash(self, view: memoryview) -> None:
        self._first += view[: max(BLOCK - len(self._first), 0)]
        while view:
            room = BLOCK - self._size % BLOCK
            self._block.update(view[:room])
            self._size += len(view[:room])
            if len(view) >= room:
                self._end_block()
            view = view[room:]

    def _end_block(self) -> None:
        self._blocks.append(self._block.hexdigest())
        self._block.reset()

    def rewrite_start(self, data: bytes) -> None:
        """Write other bytes over the first ones."""
        self._first[: len(data)] = data
        self._file.seek(0)
        self._file.write(data)

    def close(self) -> None:
        """End the file and remember its checksums."""
        self._file.close()
        if self._size % BLOCK:
            self._end_block()
        if self._blocks:
            self._blocks[0] = checksum(self._first)
        remember(self._path, Checksums(self._size, "".join(self._blocks)))


_written: dict[Path, Checksums] = {}


def remember(path: Path, checksums: Checksums) -> None:
    """Keep the checksums of a file until its folder gets its manifest."""
    _written[path.absolute()] = checksums


def known(path: Path) -> Checksums:
    """Return the checksums of a file: those of what was written, else of what is there."""
    found = _written.get(path.absolute())
    if found is not None and found.size == path.stat().st_size:
        return found
    with path.open("rb", buffering=0) as file:
        return file_checksums(file)


def forget(path: Path) -> None:
    """Drop the checksums of a file, and of all files below a folder."""
    place = path.absolute()
    for file in [file for file in list(_written) if file == place or place in file.parents]:
        _written.pop(file, None)


def write_bytes(path: Path, data: bytes) -> None:
    """Write a file and remember its checksums."""
    path.write_bytes(data)
    remember(path, checksums_of(data))
