"""The folder of an experiment: what finished stages found, and large files that they leave.

``DIR/stages`` holds a record of each finished stage, a small JSON file; it is what lets a run
continue. ``DIR/work`` holds folders that can be made again: phrase pairs, rows, models. Whatever
is written has a hidden name until it is whole.
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from tartib import storage
from tartib.errors import OptionError
from tartib.models.trace import peak_megabytes

FORMAT = "tartib experiment"
_META = "meta.json"


class Workspace:
    """The folder of an experiment.

    Parameters
    ----------
    folder
        Made if it is not there. A folder that holds anything but an experiment is refused.
    """

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)
        self.stages = self.folder / "stages"
        self.work = self.folder / "work"
        self._began = time.perf_counter()

    @contextmanager
    def opened(self) -> Iterator[int]:
        """Keep other runs out of the folder, made if it is not there; yield a file descriptor.

        Processes that write to the folder must inherit the file descriptor: they hold a lock by
        it, so that the next run waits for those that a killed run left behind.
        """
        self._make()
        with (self.folder / ".lock").open("w") as lock, (self.folder / ".jobs").open("w") as jobs:
            if not _locked(lock, fcntl.LOCK_NB):
                raise OptionError(f"another run is using {self.folder}: wait until it has ended")
            _locked(jobs)
            self._clear()
            yield jobs.fileno()

    def _make(self) -> None:
        if self.folder.exists() and not self.folder.is_dir():
            raise OptionError(f"{self.folder} is a file: give a folder for the experiment")
        self.folder.mkdir(parents=True, exist_ok=True)
        meta = self.folder / _META
        # A run that was killed while it wrote meta.json leaves a hidden part of it.
        if any(not path.name.startswith(f".{_META}") for path in self.folder.iterdir()):
            if not meta.is_file() or storage.read_json(meta).get("format") != FORMAT:
                raise OptionError(
                    f"{self.folder} is not empty and not an experiment: give another folder"
                )
        else:
            with storage.new_files(meta) as (aside,):
                storage.write_json(aside, {"format": FORMAT})
        self.stages.mkdir(exist_ok=True)
        self.work.mkdir(exist_ok=True)

    def _clear(self) -> None:
        """Delete what killed runs were about to write or to delete."""
        for folder in (self.stages, self.work):
            for path in folder.glob(".*"):
                shutil.rmtree(path) if path.is_dir() else path.unlink()

    def read(self, key: str) -> dict[str, Any] | None:
        """Return what a stage found; None if it is not finished."""
        path = self.stages / f"{key}.json"
        try:
            value = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None
        return value if isinstance(value, dict) else None

    def require(self, key: str) -> dict[str, Any]:
        """Return what a finished stage found."""
        value = self.read(key)
        if value is None:
            raise OptionError(f"{self.stages / key}.json is gone: run the experiment again")
        return value

    def write(
        self, key: str, value: dict[str, Any], arrays: dict[str, NDArray[Any]] | None = None
    ) -> None:
        """Keep what a stage found; the stage is finished once all of it is on disk.

        A stage that is finished already, and was run again only because the folder that it leaves
        in ``work`` was gone, keeps what it found the first time. Two figures are added: the seconds
        since this workspace was made, when the stage began, and the peak memory of the process.
        """
        if (self.work / key).is_dir():
            _flush_folder(self.work / key)
        if self.read(key) is not None:
            return
        value = {
            **value,
            "stage_seconds": time.perf_counter() - self._began,
            "stage_peak_mb": peak_megabytes(),
        }
        for name, array in (arrays or {}).items():
            aside = self.stages / f".{key}.{name}.npy"
            np.save(aside, array, allow_pickle=False)
            _rename(aside, self.stages / f"{key}.{name}.npy")
        aside = self.stages / f".{key}.json"
        aside.write_text(json.dumps(value, ensure_ascii=False), encoding="utf-8")
        _rename(aside, self.stages / f"{key}.json")

    def array(self, key: str, name: str) -> NDArray[Any]:
        """Return an array of a finished stage."""
        loaded: NDArray[Any] = np.load(self.stages / f"{key}.{name}.npy", allow_pickle=False)
        return loaded

    def remove(self, key: str) -> None:
        """Delete the folder that a stage left in ``work``: all of it, even if killed halfway."""
        hidden = self.work / f".{key}.removed"
        try:
            (self.work / key).rename(hidden)
        except FileNotFoundError:
            return
        shutil.rmtree(hidden)


@contextmanager
def replaced_folder(folder: Path) -> Iterator[Path]:
    """Yield an empty folder that takes the place of another at the end.

    Readers find the old folder, the new one, or for a moment none, but never a part of one.
    """
    aside, old = (folder.with_name(f".{folder.name}.{part}") for part in ("new", "old"))
    for left in (aside, old):
        shutil.rmtree(left, ignore_errors=True)
    aside.mkdir(parents=True)
    try:
        yield aside
        if folder.exists():
            folder.rename(old)
        aside.rename(folder)
    finally:
        for left in (aside, old):
            shutil.rmtree(left, ignore_errors=True)


def _locked(file: IO[str], way: int = 0) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | way)
    except BlockingIOError:
        return False
    return True


def _rename(aside: Path, target: Path) -> None:
    """Give a file its name once its content is on disk, so that a power cut loses nothing."""
    _flush(aside)
    aside.replace(target)
    _flush(target.parent)


def _flush_folder(folder: Path) -> None:
    """Wait until the files below a folder are on disk."""
    for path in (*folder.rglob("*"), folder, folder.parent):
        _flush(path)


def _flush(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
