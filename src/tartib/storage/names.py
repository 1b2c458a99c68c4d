"""Names of outputs, and the hidden names that they have until they are complete.

``.NAME.partial-HOST-PROCESS-TOKEN`` is being written, or will be deleted. ``.NAME.unfinished`` is
an output that can be continued. Where the file system cannot exchange two folders,
``.NAME.replaced-HOST-PROCESS-TOKEN`` is the old one for a moment.
"""

from __future__ import annotations

import glob
import os
import re
import secrets
import shutil
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from tartib.errors import OptionError

_UNFINISHED = ".unfinished"
_LONGEST_NAME = 255  # bytes, on all usual file systems
_HIDDEN = re.compile(r"(?<![^/])\.([^/]+)\.(?:partial|replaced)-[^/]+-\d+-[0-9a-f]{8}(?![^/])")
_hidden: set[Path] = set()


def final_path(path: str | Path) -> Path:
    """Return the absolute path to write to: a symbolic link, dangling or not, is followed."""
    given = Path(path)
    # `realpath` is right about `..` after a link; else names stay as the user knows them.
    find = os.path.realpath if given.is_symlink() or ".." in given.parts else os.path.abspath
    found = Path(find(given))
    if found.is_symlink():
        raise OptionError(f"{path} is a symbolic link that leads to itself: remove it")
    return found


def unfinished_path(path: str | Path) -> Path:
    """Return the hidden folder beside an output that keeps what is not finished."""
    target = final_path(path)
    return target.with_name(f".{target.name}{_UNFINISHED}")


def hidden_path(target: Path, kind: str = "partial") -> Path:
    """Return a hidden name beside a target that no other process, thread or call has."""
    token = secrets.token_hex(4)
    return target.with_name(f"{_stem(target, kind)}{os.getpid()}-{token}")


def shown_name(path: str) -> str:
    """Return the name that an output will have, of a path that may lead through its hidden one."""
    return _HIDDEN.sub(r"\1", path)


@contextmanager
def hiding(folder: Path) -> Iterator[None]:
    """Let what is written inside of a hidden folder know that it is in one."""
    _hidden.add(folder)
    try:
        yield
    finally:
        _hidden.discard(folder)


def is_inside_hidden(path: Path) -> bool:
    """Whether a path is in a hidden folder that this process is writing."""
    return any(parent in _hidden for parent in path.parents)


def clear_leftovers(target: Path) -> None:
    """Delete what dead processes left beside a target, and put back what they had moved away."""
    for old in _left_by_the_dead(target, "replaced"):
        if not os.path.lexists(target):
            old.rename(target)
        else:
            delete(old)
    for leftover in _left_by_the_dead(target, "partial"):
        delete(leftover)


def restore(target: Path) -> None:
    """Put a folder back that a killed process had moved away to replace it."""
    if not os.path.lexists(target):
        for old in _left_by_the_dead(target, "replaced"):
            with suppress(OSError):  # a reader may not be allowed to
                old.rename(target)
            return


def delete(path: Path) -> None:
    """Delete a file, a link or a folder, if it is there; another process may do the same.

    An interrupt waits for the end.
    """
    try:
        _delete(path)
    except BaseException:
        _delete(path)
        raise


def _delete(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)


def _stem(target: Path, kind: str) -> str:
    name = target.name
    if name.endswith(_UNFINISHED):  # it belongs to the output, whose next writer clears up
        name = name.removesuffix(_UNFINISHED).removeprefix(".")
    return f".{name}.{kind}-{socket.gethostname()}-"


def _left_by_the_dead(target: Path, kind: str) -> Iterator[Path]:
    stem = _stem(target, kind)
    for path in sorted(target.parent.glob(f"{glob.escape(stem)}*")):
        process = path.name.removeprefix(stem).partition("-")[0]
        if process.isdecimal() and int(process) != os.getpid() and not _alive(int(process)):
            yield path


def _alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        return True
    return True


def check_free(path: str | Path, overwrite: bool) -> None:
    """Refuse an output that exists, unless it may be replaced, or that cannot be written."""
    target = final_path(path)
    restore(target)
    if target.exists() and not overwrite:
        raise OptionError(
            f"{path} exists already: choose another name, or overwrite it (--overwrite)"
        )
    check_writable(path)


def check_writable(path: str | Path) -> None:
    """Refuse an output that cannot be made, before hours are spent on what goes there."""
    target = final_path(path)
    beyond = len(os.fsencode(hidden_path(target).name)) - _LONGEST_NAME
    if beyond > 0:
        most = len(os.fsencode(target.name)) - beyond
        raise OptionError(f"cannot write {path}: its name has more than {most} bytes")
    folder = target.parent
    while not folder.exists():
        folder = folder.parent
    if not folder.is_dir():
        raise OptionError(f"cannot write {path}: {folder} is a file, not a folder")
    if not os.access(folder, os.W_OK):
        raise OptionError(f"cannot write {path}: the parent folder {folder} is not writable")
