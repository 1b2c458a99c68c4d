"""Reads folders of reordering models, whatever is made of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.numpy import load_file

from tartib import storage
from tartib.errors import DataError
from tartib.features import FeatureEncoder
from tartib.orientation import MODEL_DIRECTIONS, OrientationModel

FORMAT = "tartib reordering model"
VERSION = 3
TENSORS = "weights.safetensors"
PRIOR = "prior."  # before the names of the prior's arrays
_HINT = "give a folder that `tartib train` or ReorderingModel.save wrote"
_KEYS = {"format", "version", "orientation", "classes", "trained_on", "models"}

Arrays = dict[str, NDArray[Any]]
Made = TypeVar("Made")


class SavedDirection(NamedTuple):
    """One direction: what is said of it, and its arrays by name."""

    fields: storage.Fields
    arrays: Arrays


class SavedModel(NamedTuple):
    """What a folder holds."""

    orientation: OrientationModel
    trained_on: str
    encoder: FeatureEncoder | None
    columns: NDArray[np.int64] | None
    directions: dict[str, SavedDirection]

    @property
    def n_features(self) -> int | None:
        """Columns of the features; None without features."""
        return None if self.encoder is None else self.encoder.n_features


@storage.reading
def read_saved(folder: Path, make: Callable[[SavedModel], Made]) -> Made:
    """Return what ``make`` makes of a folder; parts that do not fit together are refused."""
    meta = storage.check_format(folder, FORMAT, VERSION, "a reordering model", _HINT)
    if unknown := set(meta) - _KEYS:
        problem = f"has unknown fields ({', '.join(sorted(unknown))})"
        raise DataError(folder / "meta.json", None, problem, _HINT)
    fields = storage.Fields(folder / "meta.json", meta, _HINT)
    inner = fields.inner("models")
    encoder = None
    if (folder / "features").is_dir():
        encoder = FeatureEncoder.load(folder / "features")
    tensors = _read_tensors(folder / TENSORS)
    try:
        orientation = OrientationModel.parse(fields.text("orientation"))
        columns = tensors.pop("columns", None)
        directions = {
            name: SavedDirection(inner.inner(name), _named(tensors, f"{name}."))
            for name in MODEL_DIRECTIONS
            if name in inner
        }
        if not directions or set(fields.mapping("models")) != set(directions):
            raise ValueError(f"the models must be of {' or '.join(MODEL_DIRECTIONS)}")
        trained_on = fields.text("trained_on")
        return make(SavedModel(orientation, trained_on, encoder, columns, directions))
    except (KeyError, TypeError, ValueError, IndexError, AttributeError, OverflowError) as error:
        problem = f"a required field is missing or wrong ({error})"
        raise DataError(folder / "meta.json", None, problem, _HINT) from None


def _read_tensors(path: Path) -> Arrays:
    try:
        with storage.open_file(path) as file:
            return load_file(f"/dev/fd/{file.fileno()}")
    except (OSError, SafetensorError) as error:
        raise DataError(path, None, f"cannot be read ({error})", _HINT) from None
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        problem = f"holds numbers of a type that no model has ({error})"
        raise DataError(path, None, problem, _HINT) from None


def _named(arrays: Mapping[str, NDArray[Any]], prefix: str) -> Arrays:
    """Return the arrays whose names begin so, by the rest of their names."""
    return {
        name.removeprefix(prefix): array
        for name, array in arrays.items()
        if name.startswith(prefix)
    }


def own_arrays(arrays: Arrays) -> Arrays:
    """Return the arrays of the classifier of a direction."""
    return {name: array for name, array in arrays.items() if not name.startswith(PRIOR)}


def prior_arrays(arrays: Arrays) -> Arrays:
    """Return those of its prior."""
    return _named(arrays, PRIOR)
