"""Files that appear when they are complete."""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tartib.errors import OptionError
from tartib.storage import checksums, disk, names, verification


@contextmanager
def new_files(
    *paths: str | Path, overwrite: bool = False, result: bool = True
) -> Iterator[tuple[Path, ...]]:
    """Yield temporary names; at the end all files written there get their targets' names.

    Parameters
    ----------
    paths
        The targets.
    overwrite
        Replace those that exist.
    result
        Whether the files are computed from what was loaded; then they do not get their names before
        all of that is checked. Settings, for example, are not.
    """
    targets = [names.final_path(path) for path in paths]
    for path, target in zip(paths, targets, strict=True):
        check_file(path, overwrite=overwrite)
        names.clear_leftovers(target)
    asides = tuple(names.hidden_path(target) for target in targets)
    try:
        with disk.writing(*targets):
            for target in targets:
                disk.make_folders(target.parent)
            yield asides
            for aside in asides:
                aside.stat()  # all must be there before the first one shows
            inside = all(map(names.is_inside_hidden, targets))
            if result and not inside:
                verification.finish()
            if not inside:
                for aside in asides:
                    disk.flush(aside)
            for aside, target in zip(asides, targets, strict=True):
                publish_file(aside, target, overwrite=overwrite)
            for folder in () if inside else {target.parent for target in targets}:
                disk.flush(folder)
    finally:
        for aside in asides:
            checksums.forget(aside)
            names.delete(aside)


def check_file(path: str | Path, *, overwrite: bool) -> None:
    """Refuse the name of a file that cannot be written, before there is anything to write."""
    target = names.final_path(path)
    if target.exists() and not target.is_file():
        raise OptionError(f"{path} is a folder or a device: give the name of a file")
    names.check_free(path, overwrite)


def publish_file(aside: Path, target: Path, *, overwrite: bool) -> None:
    """Give a complete file, which is on disk, its name."""
    if overwrite:
        aside.replace(target)
        return
    try:
        disk.rename_new(aside, target)
    except FileExistsError:
        raise OptionError(
            f"{target} was written by another process in the meantime: choose another name"
        ) from None


def move_file(source: Path, target: Path, *, overwrite: bool) -> None:
    """Give a complete file, which is on disk, its name in a folder that may be on another disk.

    There it is a copy that gets the name, and ``source`` stays.
    """
    disk.make_folders(target.parent)
    try:
        publish_file(source, target, overwrite=overwrite)
        return
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
    copy = names.hidden_path(target)
    try:
        shutil.copyfile(source, copy)
        disk.flush(copy)
        publish_file(copy, target, overwrite=overwrite)
    finally:
        names.delete(copy)


def append_line(path: str | Path, line: str) -> None:
    """Add a line to a file that is read while it grows; it is there completely or not at all."""
    descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o666)
    try:
        os.write(descriptor, line.encode() + b"\n")
    finally:
        os.close(descriptor)
