"""Finished iterations of tuning, kept in a folder until all is done."""

from __future__ import annotations

import json
import math
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple

import numpy as np

from tartib import storage
from tartib.decoder.features import FeatureLayout, Vector
from tartib.errors import DataError, OptionError
from tartib.tuning.iteration import Iteration
from tartib.tuning.pool import DAMAGED, Rows

_FORM, _VERSION = "tartib tuning iteration", 1
_BEGUN = "begun.json"


class Finished(NamedTuple):
    """A finished iteration: what is told of it, the weights that come next, and what was new."""

    iteration: Iteration
    following: Vector
    rows: Rows


class Checkpoints:
    """A folder of iterations, which belongs to one process at a time.

    Parameters
    ----------
    folder
        Made if it is not there.
    begun
        All that the result depends on; only the same can be continued.
    """

    def __init__(self, folder: str | Path, begun: Mapping[str, Any]) -> None:
        self._folder = Path(folder)
        self._begun: dict[str, Any] = json.loads(json.dumps(begun))

    def __enter__(self) -> Checkpoints:
        self._folder.mkdir(parents=True, exist_ok=True)
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
        path = self._folder / _BEGUN
        if not path.exists():
            with storage.new_files(path) as (aside,):
                storage.write_json(aside, self._begun)
            return
        if others := list(storage.differences(storage.read_json(path), self._begun)):
            raise OptionError(
                f"tuning in {self._folder} cannot be continued: {'; '.join(others)}\n"
                "  give the same again, or remove the folder to start anew (tartib tune does with "
                "--overwrite and without --resume)"
            )

    def _path(self, number: int) -> Path:
        return self._folder / f"iteration-{number:03}"

    def save(self, finished: Finished) -> None:
        """Keep an iteration, the whole of it or nothing."""
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
        """Yield the iterations that are there."""
        for number in range(1, len(list(self._folder.glob("iteration-*"))) + 1):
            path = self._path(number)
            meta = storage.check_format(path, _FORM, _VERSION, "an iteration", DAMAGED)
            try:
                weights, following = (
                    _vector(meta[name], layout) for name in ("weights", "following")
                )
                iteration = _iteration(meta["iteration"], weights)
                if iteration.number != number:
                    raise ValueError(f"number is {iteration.number}")
            except (KeyError, TypeError, ValueError, OverflowError) as error:
                raise DataError(
                    path / "meta.json", None, f"unreadable ({error})", DAMAGED
                ) from None
            yield Finished(iteration, following, Rows.load(path, layout.n_dense))


def remove_kept(folder: Path) -> bool:
    """Remove what several runs keep below a folder; False if a process is tuning there."""
    for path in folder.glob("*/lock"):
        with path.open("ab") as file:
            if not storage.lock(file):
                return False
    shutil.rmtree(folder, ignore_errors=True)
    return True


def _iteration(values: Mapping[str, Any], weights: Vector) -> Iteration:
    found = Iteration(weights=weights, **values)
    for name, value in found.as_dict().items():
        whole = name in ("seed", "number", "new", "pool")
        if type(value) not in ((int,) if whole else (int, float)) or not math.isfinite(value):
            raise ValueError(f"{name} is {value!r}")
    return found


def _vector(values: object, layout: FeatureLayout) -> Vector:
    vector = np.array(values, np.float64)
    if vector.shape != (len(layout),) or not np.isfinite(vector).all():
        raise ValueError("not a weight for each feature")
    return vector
