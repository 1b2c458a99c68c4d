"""A folder that remembers what was computed: stages named by a hash of all that they depend on.

A stage's specification is a frozen dataclass that holds its options and, nested, the specifications
of what it builds on; its key is a hash of all of it. What is finished is in ``DIR/cells`` and
stays; ``DIR/work`` holds large files that can be made again.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields, is_dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tartib import storage
from tartib.errors import OptionError
from tartib.models.trace import peak_megabytes

FORMAT = "tartib experiment"

# Raise it when a stage computes something else than before from the same specification.
STAGES_VERSION = 3


# Metadata of a field that is of no consequence to stages that build on this one.
OWN = {"own": True}


@dataclass(frozen=True)
class Stage:
    """Base of specifications; ``key`` names the stage and hashes its fields."""

    @property
    def key(self) -> str:
        """The name of what this stage finds."""
        return f"{type(self).__name__.lower()}-{digest(_plain(self, own=True))}"


def _plain(value: Any, *, own: bool = False) -> Any:  # noqa: ANN401
    """Return a specification as plain data; of nested ones without the fields of their own."""
    if isinstance(value, tuple):
        return [_plain(part) for part in value]
    if not is_dataclass(value):
        return value
    kept = [field.name for field in fields(value) if own or not field.metadata.get("own")]
    return {name: _plain(getattr(value, name)) for name in kept}


def digest(value: object) -> str:
    """Return a short hash of plain data, and of the version that works on it."""
    text = json.dumps([STAGES_VERSION, version("tartib"), value], sort_keys=True)
    return hashlib.blake2b(text.encode(), digest_size=10).hexdigest()


def file_digest(path: Path) -> str:
    """Return a hash of a file's content."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, lambda: hashlib.blake2b(digest_size=16)).hexdigest()


class Workspace:
    """The folder of an experiment.

    Parameters
    ----------
    folder
        Made if it is not there. One that holds anything but an experiment is refused.
    """

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)
        self.cells = self.folder / "cells"
        self.work = self.folder / "work"
        self._began = time.perf_counter()

    @contextmanager
    def opened(self) -> Iterator[None]:
        """Make the folder, or see that it is an experiment's, and keep other runs out of it."""
        self._make()
        with (self.folder / ".lock").open("w") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise OptionError(f"another run is at work in {self.folder}") from None
            yield

    def _make(self) -> None:
        if self.folder.exists() and not self.folder.is_dir():
            raise OptionError(f"{self.folder} is a file: give a folder for the experiment")
        meta = self.folder / "meta.json"
        if self.folder.is_dir() and any(self.folder.iterdir()):
            if not meta.is_file() or storage.read_json(meta).get("format") != FORMAT:
                raise OptionError(f"{self.folder} is not empty and no experiment: give another")
        else:
            self.folder.mkdir(parents=True, exist_ok=True)
            storage.write_json(meta, {"format": FORMAT})
        self.cells.mkdir(exist_ok=True)
        self.work.mkdir(exist_ok=True)

    def read(self, key: str) -> dict[str, Any] | None:
        """Return what a stage found; None if it is not finished."""
        path = self.cells / f"{key}.json"
        try:
            value = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None
        return value if isinstance(value, dict) else None

    def require(self, key: str) -> dict[str, Any]:
        """Return what a finished stage found."""
        value = self.read(key)
        if value is None:
            raise OptionError(f"{self.cells / key}.json is gone: run the experiment again")
        return value

    def write(
        self, key: str, value: dict[str, Any], arrays: dict[str, NDArray[Any]] | None = None
    ) -> None:
        """Keep what a stage found; it counts as finished only when all of it is on disk.

        Two figures are kept with it: the seconds since this workspace was made, at the stage's
        begin, and the most memory of its process.
        """
        value = {
            **value,
            "stage_seconds": time.perf_counter() - self._began,
            "stage_peak_mb": peak_megabytes(),
        }
        for name, array in (arrays or {}).items():
            aside = self.cells / f".{key}.{name}.{os.getpid()}.npy"
            np.save(aside, array, allow_pickle=False)
            _settle(aside, self.cells / f"{key}.{name}.npy")
        aside = self.cells / f".{key}.{os.getpid()}.json"
        aside.write_text(json.dumps(value, ensure_ascii=False), encoding="utf-8")
        _settle(aside, self.cells / f"{key}.json")

    def array(self, key: str, name: str) -> NDArray[Any]:
        """Return an array of a finished stage."""
        loaded: NDArray[Any] = np.load(self.cells / f"{key}.{name}.npy", allow_pickle=False)
        return loaded

    def remove(self, name: str) -> None:
        """Delete something large that can be made again."""
        shutil.rmtree(self.work / name, ignore_errors=True)


def _settle(aside: Path, target: Path) -> None:
    """Give a file its name once its content is on disk, so that a power cut loses nothing."""
    with aside.open("rb+") as file:
        os.fsync(file.fileno())
    aside.replace(target)
