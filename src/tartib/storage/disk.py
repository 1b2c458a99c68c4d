"""What the file system is asked for: to flush, to rename in one step, to lock, to keep space."""

from __future__ import annotations

import ctypes
import errno
import fcntl
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from tartib.errors import DataError, FullDiskError
from tartib.storage.names import shown_name

_HERE = -100  # AT_FDCWD: names are relative to the working folder
_NOT_SUPPORTED = (errno.EINVAL, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP)
_WRITE_NOW = 2  # SYNC_FILE_RANGE_WRITE
_LIBC = ctypes.CDLL(None, use_errno=True)
# Flags of renameat2 (Linux) and renamex_np (macOS): never replace, and exchange.
_NEVER_REPLACE, _EXCHANGE = (4, 2) if sys.platform == "darwin" else (1, 2)


def flush(path: Path) -> None:
    """Wait until a file, or the names in a folder, are on the disk itself."""
    sys.audit("tartib.flush", str(path))  # os.fsync announces nothing
    descriptor = os.open(path, os.O_RDONLY)
    try:
        _flush(descriptor)
    except OSError as error:
        # Some network file systems cannot flush a folder.
        if error.errno not in _NOT_SUPPORTED or not path.is_dir():
            raise
    finally:
        os.close(descriptor)


def _flush(descriptor: int) -> None:
    if hasattr(fcntl, "F_FULLFSYNC"):  # macOS, where fsync stops at the cache of the drive
        try:
            fcntl.fcntl(descriptor, fcntl.F_FULLFSYNC)
        except OSError as error:
            if error.errno not in _NOT_SUPPORTED:
                raise
        else:
            return
    os.fsync(descriptor)


def flush_tree(folder: Path) -> None:
    """Wait until all files below a folder, and their names, are on the disk."""
    for path in sorted(folder.rglob("*"), reverse=True):
        if not path.is_symlink():
            flush(path)
    flush(folder)


def make_folders(folder: Path) -> None:
    """Make a folder and those above it, with their names on the disk."""
    if not folder.is_dir():
        make_folders(folder.parent)
        folder.mkdir(exist_ok=True)
        flush(folder.parent)


def begin_flush(descriptor: int, begin: int, size: int) -> None:
    """Let the system start to write a part of a file to the disk, without waiting for it."""
    start = getattr(_LIBC, "sync_file_range", None)
    if start is not None:
        arguments = (ctypes.c_int64(begin), ctypes.c_int64(size), ctypes.c_uint(_WRITE_NOW))
        start(ctypes.c_int(descriptor), *arguments)


def rename_new(old: Path, new: Path) -> None:
    """Rename a file or folder; `FileExistsError` if the new name is taken."""
    if _rename_with_flags(old, new, _NEVER_REPLACE):
        return
    if os.path.lexists(new):
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(new))
    old.rename(new)


def exchange(one: Path, other: Path) -> bool:
    """Exchange the names of two files or folders in one step; False where nothing can do that."""
    return _rename_with_flags(one, other, _EXCHANGE)


def _rename_with_flags(old: Path, new: Path, flags: int) -> bool:
    sys.audit("os.rename", str(old), str(new), -1, -1)  # as every other rename is announced
    before, after = os.fsencode(old), os.fsencode(new)
    if sys.platform == "darwin":
        failed = _LIBC.renamex_np(before, after, ctypes.c_uint(flags))
    elif hasattr(_LIBC, "renameat2"):
        failed = _LIBC.renameat2(_HERE, before, _HERE, after, ctypes.c_uint(flags))
    else:
        return False
    if not failed:
        return True
    number = ctypes.get_errno()
    if number in _NOT_SUPPORTED:
        return False
    raise OSError(number, os.strerror(number), str(old), None, str(new))


def lock(file: IO[Any], *, wait: bool = False) -> bool:
    """Lock a file until it is closed; False if another process has locked it."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except BlockingIOError:
        return False
    return True


@contextmanager
def writing(*targets: Path) -> Iterator[None]:
    """Turn a full disk into an error that names the folder and says what to do."""
    try:
        yield
    except OSError as error:
        if not targets or error.errno not in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
            raise  # without targets it was standard output
        folder = shown_name(str(targets[0].parent))
        names = " and ".join(target.name for target in targets)
        if error.errno == errno.EFBIG:
            problem = (
                f"the file is too large for this disk or for ulimit -f; {names} was not written"
            )
            hint = "write to a folder on another disk, or raise the limit (ulimit -f)"
            raise DataError(folder, None, problem, hint) from None
        problem = f"no space left on this disk ({error.strerror}); {names} was not written"
        hint = (
            "free some space, or write to a folder on another disk (df -h shows how full each is)"
        )
        raise FullDiskError(folder, None, problem, hint) from None
