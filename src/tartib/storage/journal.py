"""Files that grow together, with a journal of which records all of them have completely.

A line of the journal has the number of the record, the size of each file after it, and a checksum
of these and of what was added to the files. To continue after a kill, everything is compared: a
damaged end is cut off, and so are bytes without a record; damage before that is refused.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import BinaryIO, NamedTuple, Self

import xxhash

from tartib.errors import DataError
from tartib.storage import disk
from tartib.wording import counted

NAME = "journal"
_MOST_DIGITS = 18
_AGAIN = "start again (--overwrite, no --resume)"


class _Record(NamedTuple):
    number: int
    sizes: tuple[int, ...]
    checksum: bytes

    def line(self) -> bytes:
        return _head(self.number, self.sizes) + self.checksum + b"\n"


class Journal:
    """Files in a folder that one process at a time appends to.

    Parameters
    ----------
    folder
        It holds the files, and the journal.
    files
        Names of the files.

    Attributes
    ----------
    length
        Number of records that all files have.
    """

    def __init__(self, folder: Path, files: Sequence[str]) -> None:
        self._folder = folder
        self._stack = ExitStack()
        self._journal = self._open(NAME)
        if not disk.lock(self._journal):
            self._stack.close()
            raise BlockingIOError(f"{folder} is used by another process")
        self._files = {name: self._open(name) for name in files}
        self.length = 0

    def _open(self, name: str) -> BinaryIO:
        path = self._folder / name
        path.touch()
        return self._stack.enter_context(path.open("r+b"))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        with suppress(OSError):  # of a full disk, which takes no rest of what `append` gave up
            self._stack.close()

    def clear(self) -> None:
        """Begin again with empty files."""
        self._cut([])

    def recover(self) -> None:
        """Keep the records that are as they were written, and cut off what follows them."""
        good, lost = _read(self._folder, self._journal, list(self._files.values()))
        if lost:
            warnings.warn(
                f"{self._folder / NAME}: the last {counted(lost, 'record')} "
                f"{'is' if lost == 1 else 'are'} damaged: removed, to be computed again",
                stacklevel=2,
            )
        self._cut(good)

    def _cut(self, records: Sequence[_Record]) -> None:
        self.length = len(records)
        sizes = records[-1].sizes if records else (0,) * len(self._files)
        kept = sum(len(record.line()) for record in records)
        files = (self._journal, *self._files.values())
        for file, size in zip(files, (kept, *sizes), strict=True):
            file.truncate(size)
            file.seek(size)

    def append(self, texts: Mapping[str, bytes]) -> None:
        """Add a record: some bytes for each file."""
        for name, file in self._files.items():
            file.write(texts[name])
            file.flush()
        sizes = tuple(file.tell() for file in self._files.values())
        self.length += 1
        found = _checksum(self.length, sizes, [texts[name] for name in self._files])
        self._journal.write(_Record(self.length, sizes, found).line())
        self._journal.flush()

    def flush(self) -> None:
        """Wait until the journal and all files are on the disk."""
        for name in (NAME, *self._files):
            disk.flush(self._folder / name)


def check(folder: Path, files: Sequence[str]) -> int:
    """Compare a journal and its files; return the number of records, raise an error if damaged."""
    with ExitStack() as stack:
        opened = [stack.enter_context((folder / name).open("rb")) for name in (NAME, *files)]
        good, lost = _read(folder, opened[0], opened[1:])
    if lost:
        problem = f"the last {counted(lost, 'record')} damaged"
        hint = "continue with --resume, which makes them again"
        raise DataError(folder / NAME, len(good) + 1, problem, hint)
    return len(good)


def check_complete(folder: Path, files: Sequence[Path], length: int) -> None:
    """Refuse files that are not, to the last byte, what a complete journal says.

    Parameters
    ----------
    folder
        Of the journal.
    files
        The files, wherever they are now.
    length
        Number of records.
    """
    for file in files:
        if not file.is_file():
            raise DataError(file, None, "is missing, but was written completely", _AGAIN)
    with ExitStack() as stack:
        opened = [stack.enter_context(path.open("rb")) for path in (folder / NAME, *files)]
        good, lost = _read(folder, opened[0], opened[1:])
    if lost or len(good) != length:
        problem = f"record {len(good) + 1:,} is damaged, of {length:,} that were complete"
        raise DataError(folder / NAME, len(good) + 1, problem, _AGAIN)
    sizes = good[-1].sizes if good else (0,) * len(files)
    for file, size in zip(files, sizes, strict=True):
        if (found := file.stat().st_size) != size:
            problem = f"is damaged: {found:,} bytes, not {size:,}"
            raise DataError(file, None, problem, _AGAIN)


def _read(folder: Path, journal: BinaryIO, files: Sequence[BinaryIO]) -> tuple[list[_Record], int]:
    """Return the records that are whole, and how many after them are damaged."""
    found: list[tuple[_Record | None, bool]] = []
    before: _Record | None = _Record(0, (0,) * len(files), b"")
    journal.seek(0)
    for line in journal.read().split(b"\n")[:-1]:
        record = _parse(line, len(files))
        whole = before is not None and record is not None and _is_whole(before, record, files)
        found.append((record, whole))
        before = record
    good = [record for record, whole in found if whole and record is not None]
    first_bad = next((n for n, (_, whole) in enumerate(found) if not whole), len(found))
    if len(good) > first_bad:
        problem = f"record {first_bad + 1:,} is damaged, and later ones are not"
        raise DataError(folder / NAME, first_bad + 1, problem, _AGAIN)
    return good, len(found) - first_bad


def _is_whole(before: _Record, record: _Record, files: Sequence[BinaryIO]) -> bool:
    texts = []
    for file, begin, end in zip(files, before.sizes, record.sizes, strict=True):
        if not begin <= end <= Path(file.name).stat().st_size:
            return False
        file.seek(begin)
        texts.append(file.read(end - begin))
    follows = record.number == before.number + 1
    return follows and record.checksum == _checksum(record.number, record.sizes, texts)


def _head(number: int, sizes: Sequence[int]) -> bytes:
    return " ".join(map(str, (number, *sizes, ""))).encode()


def _checksum(number: int, sizes: Sequence[int], texts: Sequence[bytes]) -> bytes:
    state = xxhash.xxh3_64(_head(number, sizes))
    for text in texts:
        state.update(text)
    return state.hexdigest().encode()


def _parse(line: bytes, n_files: int) -> _Record | None:
    """Read a line; None if it is no record."""
    *numbers, found = line.split(b" ")
    if len(numbers) != n_files + 1:
        return None
    if not all(text.isdigit() and len(text) <= _MOST_DIGITS for text in numbers):
        return None
    number, *sizes = map(int, numbers)
    record = _Record(number, tuple(sizes), found)
    return record if record.line() == line + b"\n" else None
