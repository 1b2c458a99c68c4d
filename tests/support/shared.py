"""What is made once for all processes that run tests at the same time."""

import fcntl
import os
from collections.abc import Callable
from pathlib import Path

import pytest


def shared_folder(
    factory: pytest.TempPathFactory, name: str, make: Callable[[Path], object]
) -> Path:
    """Return a folder that the first process to ask for it makes; the others wait, and read it.

    Parameters
    ----------
    factory
        Of the session.
    name
        Of the folder.
    make
        Writes into it; the folder exists already.
    """
    base = factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        base = base.parent  # that of the run, which all its processes have in common
    folder, done = base / name, base / f"{name}.done"
    with (base / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not done.exists():
            folder.mkdir()  # fails if another process failed to make it
            make(folder)
            done.touch()
    return folder
