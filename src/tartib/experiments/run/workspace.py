"""The folder of an experiment: what finished stages found, and large files that they leave.

``DIR/stages`` holds a record of each finished stage, a small JSON file; it is what lets a run
continue. ``DIR/work`` holds folders that can be made again: phrase pairs, rows, models. Whatever
is written has a hidden name until it is whole, and is checked when it is read (`tartib.storage`).
"""

from __future__ import annotations

import shutil
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tartib import storage
from tartib.errors import DataError, OptionError
from tartib.models.trace import peak_megabytes
from tartib.storage import disk
from tartib.storage.checksums import checksum
from tartib.storage.inspection import ARRAYS, first_damage

_META = "meta.json"


class Workspace:
    """The folder of an experiment.

    Parameters
    ----------
    folder
        Made if it is not there. A folder that holds anything but an experiment is refused.
    kind
        What it is a folder of.
    """

    def __init__(self, folder: str | Path, kind: str = "experiment") -> None:
        self.folder = Path(folder)
        self._kind = kind
        self.stages = self.folder / "stages"
        self.work = self.folder / "work"
        self._began = time.perf_counter()
        self._intact: set[str] = set()

    @property
    def _format(self) -> str:
        return f"tartib {self._kind}"

    @contextmanager
    def opened(self) -> Iterator[int]:
        """Keep other runs out of the folder, made if it is not there; yield a file descriptor.

        Processes that write to the folder must inherit the file descriptor: they hold a lock by
        it, so that the next run waits for those that a killed run left behind.
        """
        self._make()
        with (self.folder / ".lock").open("w") as lock, (self.folder / ".jobs").open("w") as jobs:
            if not storage.lock(lock):
                raise OptionError(f"another run is using {self.folder}: wait until it has ended")
            disk.lock(jobs, wait=True)
            self._clear()
            yield jobs.fileno()

    def _make(self) -> None:
        if self.folder.exists() and not self.folder.is_dir():
            raise OptionError(f"{self.folder} is a file: give a folder for the {self._kind}")
        self.folder.mkdir(parents=True, exist_ok=True)
        meta = self.folder / _META
        # A run that was killed while it wrote meta.json leaves a hidden part of it.
        if any(not path.name.startswith(f".{_META}") for path in self.folder.iterdir()):
            if not meta.is_file() or storage.read_json(meta).get("format") != self._format:
                what = f"{'an' if self._kind[0] in 'aeiou' else 'a'} {self._kind}"
                raise OptionError(f"{self.folder} is not empty and not {what}: give another folder")
        else:
            with storage.new_files(meta) as (aside,):
                storage.write_record(aside, {"format": self._format})
        self.stages.mkdir(exist_ok=True)
        self.work.mkdir(exist_ok=True)

    def remove_if_empty(self) -> None:
        """Delete the folder if no stage in it was finished."""
        if self.stages.is_dir() and not any(self.stages.iterdir()):
            storage.remove_folder(self.folder)

    def _clear(self) -> None:
        """Delete what killed runs were about to write or to delete."""
        for folder in (self.stages, self.work):
            for path in folder.glob(".*"):
                linked = path.is_symlink()
                shutil.rmtree(path) if path.is_dir() and not linked else path.unlink()

    def read(self, key: str) -> dict[str, Any] | None:
        """Return what a stage found; None if it is not finished."""
        try:
            return storage.read_record(self.stages / f"{key}.json")
        except FileNotFoundError:
            return None
        except DataError as error:
            warnings.warn(f"{error.path}: {error.problem}; the stage is run again", stacklevel=2)
            return None

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
        if self.read(key) is not None:
            return
        value = {
            **value,
            "stage_seconds": time.perf_counter() - self._began,
            "stage_peak_mb": peak_megabytes(),
        }
        sums = {}
        for name, array in (arrays or {}).items():
            data = BytesIO()
            np.save(data, array, allow_pickle=False)
            sums[name] = checksum(data.getvalue())
            with storage.new_files(self._array(key, name), overwrite=True) as (aside,):
                aside.write_bytes(data.getvalue())
        with storage.new_files(self.stages / f"{key}.json", overwrite=True) as (aside,):
            storage.write_record(aside, {**value, ARRAYS: sums})

    def _array(self, key: str, name: str) -> Path:
        return self.stages / f"{key}.{name}.npy"

    def array(self, key: str, name: str) -> NDArray[Any]:
        """Return an array of a finished stage."""
        path = self._array(key, name)
        data = path.read_bytes() if path.exists() else b""
        sums = self.require(key).get(ARRAYS)
        if not isinstance(sums, dict) or checksum(data) != sums.get(name):
            hint = f"delete {self.stages / key}.json, and run the experiment again"
            raise DataError(path, None, "is damaged or missing", hint)
        loaded: NDArray[Any] = np.load(BytesIO(data), allow_pickle=False)
        return loaded

    def is_intact(self, key: str) -> bool:
        """Whether the folder that a stage left is there and undamaged; looked at once."""
        folder = self.work / key
        if key in self._intact and folder.is_dir():
            return True
        if not folder.is_dir():
            return False
        damage = first_damage(folder)
        if damage is not None:
            warnings.warn(f"{damage.path}: {damage.problem}; the stage is run again", stacklevel=2)
            return False
        self._intact.add(key)
        return True

    def remove(self, key: str) -> None:
        """Delete the folder that a stage left in ``work``: all of it, even if killed halfway."""
        storage.remove_folder(self.work / key)
