"""Comparing files with their checksums: at once where they are small, else in the background.

A load waits for the checks of up to `AT_ONCE` bytes of a folder. What is larger is read by a
thread, through a small buffer and not through the mapping, while the work goes on. Before an output
gets its name, and at the end of a command, `finish` waits for that thread and raises what it found:
nothing that was computed from a damaged file is kept.
"""

from __future__ import annotations

import atexit
import os
import shlex
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import FileIO
from pathlib import Path
from typing import NamedTuple

from tartib.errors import DataError
from tartib.storage import mapped_files
from tartib.storage.checksums import Checksums, read_checksums
from tartib.storage.manifest import NAME, Manifest, manifest_checksum, read_manifest
from tartib.storage.reading import open_file

AT_ONCE = 64 << 20
_SWITCH = "TARTIB_VERIFY"  # a variable of the environment, so that processes inherit it
_OFF = "no"
_SHOWN_RANGES = 5


@contextmanager
def unverified() -> Iterator[None]:
    """Do not compare files with their checksums, in this process and those that it starts."""
    before = os.environ.get(_SWITCH)
    os.environ[_SWITCH] = _OFF
    try:
        yield
    finally:
        if before is None:
            os.environ.pop(_SWITCH, None)
        else:
            os.environ[_SWITCH] = before


def _wanted() -> bool:
    return os.environ.get(_SWITCH) != _OFF


class _Check(NamedTuple):
    """A file to compare."""

    path: Path
    file: FileIO
    expected: Checksums
    again: str


def again(manifest: Manifest) -> str:
    """Return how to make a damaged folder again."""
    if manifest.command:
        return f"make it again: {shlex.join(manifest.command)}"
    return "make it again, or copy it again from where it came from"


def check_on_load(folder: Path) -> None:
    """Refuse a folder if a small file in it is damaged; have large ones checked meanwhile."""
    if not _wanted():
        return
    _background.forget(folder)
    manifest = read_manifest(folder)
    hint = again(manifest)
    for name, expected in manifest.folders.items():
        if manifest_checksum(folder / name) != expected:
            problem = "is missing, or not the one that was written with the rest"
            raise DataError(folder / name / NAME, None, problem, hint)
    total = 0
    for name, sums in sorted(manifest.files.items(), key=lambda item: item[1].size):
        check = _Check(folder / name, _open(folder / name, hint), sums, hint)
        total += sums.size
        if total > AT_ONCE:
            _background.add(check)
            continue
        with check.file:
            if error := damage(check.path, check.file, sums, hint):
                raise error


def _open(path: Path, hint: str) -> FileIO:
    try:
        return open_file(path)
    except FileNotFoundError:
        raise DataError(path, None, "this part of the store is missing", hint) from None
    except (OSError, ValueError) as error:
        raise DataError(path, None, f"cannot be read ({error})", hint) from None


def damage(
    path: Path,
    file: FileIO,
    expected: Checksums,
    hint: str,
    advance: Callable[[int], bool | None] = lambda _: None,
) -> DataError | None:
    """Read a file and return what is wrong with it, if anything.

    Of a file that is longer than it should be, the rest is not read.

    Parameters
    ----------
    path
        Its name.
    file
        The open file.
    expected
        What it should be.
    hint
        What to do if it is not.
    advance
        Called with the size of each part that was read; True stops.
    """
    size, blocks = 0, []
    try:
        for read, block in read_checksums(file):
            size += read
            blocks.append(block)
            if advance(read):
                return None
            if size > expected.size:
                break
        size = max(size, os.fstat(file.fileno()).st_size)
    except OSError as error:
        return DataError(path, None, f"cannot be read ({error.strerror})", hint)
    found = Checksums(size, "".join(blocks))
    if found == expected:
        return None
    ranges = [f"{begin:,} and {end - 1:,}" for begin, end in expected.damage(found)]
    more = f", and {len(ranges) - _SHOWN_RANGES:,} more" if len(ranges) > _SHOWN_RANGES else ""
    sizes = "" if found.size == expected.size else f" ({size:,} bytes, not {expected.size:,})"
    where = ", ".join(ranges[:_SHOWN_RANGES]) + more
    return DataError(path, None, f"is damaged{sizes} between bytes {where}", hint)


class _Background:
    """Checks of large files, one after another, in a thread."""

    def __init__(self) -> None:
        self._changed = threading.Condition()  # its lock can be taken twice
        self._left: deque[_Check] = deque()
        self._found: dict[Path, DataError] = {}
        self._running = False
        self._stopped = False

    def add(self, check: _Check) -> None:
        with self._changed:
            self._left.append(check)
            if not self._running:
                self._running = True
                threading.Thread(target=self._run, name="tartib-verify", daemon=True).start()

    def _run(self) -> None:
        while True:
            with self._changed:
                if not self._left or self._stopped:
                    self._running = self._stopped = False
                    self._changed.notify_all()
                    return
                check = self._left.popleft()
            with check.file:
                error = damage(*check, advance=lambda _: self._stopped)
            if error is not None:
                with self._changed:
                    self._found[check.path.absolute()] = error

    def finish(self, replaced: Path | None) -> None:
        with self._changed:
            self._changed.wait_for(lambda: not self._running)
            if replaced is not None:
                self.forget(replaced)
            for error in sorted(self._found.values(), key=_is_told):
                raise error

    def forget(self, folder: Path) -> None:
        """Drop what was found in a folder: it is loaded or made again."""
        with self._changed:
            for path in [path for path in self._found if folder.absolute() in path.parents]:
                del self._found[path]

    def stop(self) -> None:
        with self._changed:
            while self._left:
                self._left.popleft().file.close()
            self._stopped = self._running


_background = _Background()
_told: set[str] = set()  # errors that `finish` has raised


def _is_told(error: DataError) -> bool:
    return str(error) in _told


def finish(replaced: Path | None = None) -> None:
    """Wait for the checks of all files that were loaded; raise an error if one is damaged.

    An error stays until the damaged folder is loaded or made again; ``replaced`` is about to be.
    """
    try:
        _finish(replaced)
    except DataError as error:
        _told.add(str(error))
        raise


def _finish(replaced: Path | None = None) -> None:
    mapped_files.check()
    if _wanted():
        _background.finish(replaced)


def stop() -> None:
    """End the checks, because nothing will come of the work that needed them."""
    _background.stop()


def _start_again() -> None:
    """In a forked process: its parent has the thread, and checks what it loaded itself."""
    global _background
    _background = _Background()


def _tell_at_exit() -> None:
    """Say at the end of a program what nobody has asked for with `finish`."""
    if isinstance(getattr(sys, "last_value", None), KeyboardInterrupt):
        return
    try:
        _finish()
    except DataError as error:
        if not _is_told(error):
            print(f"tartib: error: {error}", file=sys.stderr)


os.register_at_fork(after_in_child=_start_again)
atexit.register(_tell_at_exit)
