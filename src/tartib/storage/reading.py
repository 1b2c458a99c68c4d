"""Reading a folder while others may replace it: all files are of the folder that was opened first.

A folder is opened once, and its files by their names in it, so that a load sees the old folder or
the new one, never some files of each. If the old one is deleted meanwhile, the load begins again.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from functools import wraps
from io import FileIO
from pathlib import Path
from typing import ParamSpec, TypeVar

from tartib.errors import DataError

Given = ParamSpec("Given")
Loaded = TypeVar("Loaded")

DAMAGED = "the store is damaged or was made by something else: make it again"


class _Opened(threading.local):
    """The folders that this thread is loading, with their descriptors."""

    folders: dict[Path, int] | None = None


_opened = _Opened()


def reading(load: Callable[Given, Loaded]) -> Callable[Given, Loaded]:
    """Let a function that loads see each folder as it was when it was opened."""

    @wraps(load)
    def read(*args: Given.args, **options: Given.kwargs) -> Loaded:
        if _opened.folders is not None:  # part of a larger load
            return load(*args, **options)
        while True:
            _opened.folders = {}
            try:
                return load(*args, **options)
            except (DataError, OSError):
                if not any(_is_replaced(*opened) for opened in _opened.folders.items()):
                    raise
            finally:
                for descriptor in _opened.folders.values():
                    os.close(descriptor)
                _opened.folders = None

    return read


def _is_replaced(folder: Path, descriptor: int) -> bool:
    """Whether another folder has the name now."""
    opened = os.fstat(descriptor)
    try:
        return not os.path.samestat(opened, folder.stat())
    except OSError:
        return False


def open_folder(folder: Path) -> None:
    """Stay with this folder until the load ends, even if another takes its name."""
    if _opened.folders is not None and folder not in _opened.folders:
        _opened.folders[folder] = _descriptor(folder, os.O_DIRECTORY)


def open_file(path: Path) -> FileIO:
    """Open a file to read, in the folder that was opened."""
    return FileIO(_descriptor(path), "rb")


def read_bytes(path: Path) -> bytes:
    """Return the content of a file in the folder that was opened."""
    with open_file(path) as file:
        return file.read()


def _descriptor(path: Path, flags: int = 0) -> int:
    flags |= os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK  # a pipe would be waited for
    opened = _opened.folders or {}
    for parent in path.parents:
        if parent in opened:
            return os.open(path.relative_to(parent), flags, dir_fd=opened[parent])
    return os.open(path, flags)
