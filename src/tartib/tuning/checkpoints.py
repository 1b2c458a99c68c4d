"""Finished iterations of tuning, kept in a folder until tuning ends: what an interrupt leaves."""

from __future__ import annotations

import json
import math
import warnings
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple

import numpy as np

from tartib import storage
from tartib.decoder.features import FeatureLayout, Vector
from tartib.errors import DataError, OptionError
from tartib.storage import disk
from tartib.storage.checksums import checksum
from tartib.tuning.iteration import Iteration
from tartib.tuning.pool import DAMAGED, Rows

_FORM, _VERSION = "tartib tuning iteration", 2
_SETTINGS, _RESULT = "settings.json", "result.json"


class Finished(NamedTuple):
    """A finished iteration: its figures, the next weights, and the new translations."""

    iteration: Iteration
    following: Vector
    rows: Rows


class Checkpoints:
    """A folder of iterations, which belongs to one process at a time.

    Parameters
    ----------
    folder
        Created if it does not exist.
    settings
        All that the result depends on; tuning continues only with the same settings.
    """

    def __init__(self, folder: str | Path, settings: Mapping[str, Any]) -> None:
        self._folder = Path(folder)
        self._settings: dict[str, Any] = json.loads(json.dumps(settings))

    def __enter__(self) -> Checkpoints:
        disk.make_folders(self._folder)
        self._lock = (self._folder / "lock").open("ab")
        if not storage.lock(self._lock):
            self._lock.close()
            raise OptionError(f"another process is tuning in {self._folder}")
        try:
            self._check()
        except BaseException:
            self._lock.close()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._lock.close()

    def _check(self) -> None:
        path = self._folder / _SETTINGS
        if not path.exists():
            with storage.new_files(path, result=False) as (aside,):
                storage.write_record(aside, self._settings)
            return
        if others := list(storage.differences(storage.read_record(path, DAMAGED), self._settings)):
            raise OptionError(
                f"tuning in {self._folder} cannot be continued: {'; '.join(others)}\n"
                "  repeat the command as it was, or remove the folder to start again (tartib tune: "
                "--overwrite, no --resume)"
            )

    def _path(self, number: int) -> Path:
        return self._folder / f"iteration-{number:03}"

    def save(self, finished: Finished) -> None:
        """Keep an iteration, completely or not at all."""
        iteration = finished.iteration
        with storage.new_folder(self._path(iteration.number), _FORM) as aside:
            finished.rows.save(aside)
            meta = {
                "format": _FORM,
                "version": _VERSION,
                "iteration": iteration.as_dict(),
                "weights": iteration.weights.tolist(),
                "following": finished.following.tolist(),
            }
            storage.write_json(aside / "meta.json", meta)

    def load(self, layout: FeatureLayout) -> Iterator[Finished]:
        """Yield the iterations that were kept; damaged ones at the end are removed, and said."""
        last = len(list(self._folder.glob("iteration-*")))
        for number in range(1, last + 1):
            try:
                finished = self._load(number, layout)
            except DataError as error:
                if any(self._is_whole(later, layout) for later in range(number + 1, last + 1)):
                    raise
                problem = f"{error.path}: {error.problem}"
                warnings.warn(f"{problem}; tuning continues before it", stacklevel=2)
                for later in range(last, number - 1, -1):
                    storage.remove_folder(self._path(later))
                return
            yield finished

    def _is_whole(self, number: int, layout: FeatureLayout) -> bool:
        try:
            self._load(number, layout)
        except DataError:
            return False
        return True

    @storage.reading
    def _load(self, number: int, layout: FeatureLayout) -> Finished:
        path = self._path(number)
        meta = storage.check_format(path, _FORM, _VERSION, "an iteration", DAMAGED)
        try:
            weights, following = (_vector(meta[name], layout) for name in ("weights", "following"))
            iteration = _iteration(meta["iteration"], weights)
            if iteration.number != number:
                raise ValueError(f"number is {iteration.number}")
        except (KeyError, TypeError, ValueError, OverflowError) as error:
            raise DataError(path / "meta.json", None, f"unreadable ({error})", DAMAGED) from None
        return Finished(iteration, following, Rows.load(path, layout.n_dense))


def remove_kept(folder: Path) -> bool:
    """Remove what runs have kept below a folder; False if a process is tuning there."""
    for path in folder.glob("*/lock"):
        with path.open("ab") as file:
            if not storage.lock(file):
                return False
    storage.remove_folder(folder)
    return True


def note_result(folder: Path, text: str) -> None:
    """Note what is about to be written, so that it is known after a kill: see `is_result`."""
    with storage.new_files(folder / _RESULT, overwrite=True) as (aside,):
        storage.write_record(aside, {"result": checksum(text.encode())})


def is_result(folder: Path, path: Path) -> bool:
    """Whether a file is the result of the runs that are kept below a folder."""
    try:
        noted = storage.read_record(folder / _RESULT)
        return bool(noted["result"] == checksum(path.read_bytes()))
    except (OSError, DataError):
        return False


def _iteration(values: Mapping[str, Any], weights: Vector) -> Iteration:
    found = Iteration(weights=weights, **values)
    for name, value in found.as_dict().items():
        if name == "validation_bleu" and value is None:
            continue
        whole = name in ("seed", "number", "new", "pool")
        if type(value) not in ((int,) if whole else (int, float)) or not math.isfinite(value):
            raise ValueError(f"{name} is {value!r}")
    return found


def _vector(values: object, layout: FeatureLayout) -> Vector:
    vector = np.array(values, np.float64)
    if vector.shape != (len(layout),) or not np.isfinite(vector).all():
        raise ValueError("weights of another length, or NaN or infinite")
    return vector
