"""Reordering models on disk: JSON for what they are, safetensors for what they learnt."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.numpy import load_file, save_file

from tartib import _native, storage
from tartib.errors import DataError, OptionError
from tartib.features import FeatureEncoder
from tartib.models.base import Classifier, LinearClassifier
from tartib.orientation import OrientationModel
from tartib.reordering.calibration import Calibration, Prior
from tartib.reordering.classifiers import KINDS, learnt_options
from tartib.reordering.direction import DIRECTIONS, DirectionModel
from tartib.reordering.lexicalised import LexicalisedModel

FORMAT = "tartib reordering model"
VERSION = 1
_HINT = "give a folder that `tartib train` or ReorderingModel.save wrote"
_TENSORS = "weights.safetensors"
_KEYS = {
    "format",
    "version",
    "direction",
    "orientation",
    "classes",
    "trained_on",
    "models",
}

Arrays = dict[str, NDArray[Any]]


@dataclass
class SavedModel:
    """What is written and read."""

    direction: str
    orientation: OrientationModel
    encoder: FeatureEncoder | None
    models: dict[str, DirectionModel]
    trained_on: str


def save_model(model: SavedModel, path: Path, *, compact: bool, overwrite: bool) -> None:
    """Write a folder, complete or not at all."""
    kept = _kept_columns(model)
    tensors: Arrays = {}
    for name, part in model.models.items():
        tensors |= {f"{name}.{key}": value for key, value in _arrays(part, kept, compact).items()}
    encoder = model.encoder
    if encoder is not None and encoder.hash_bits is None and kept is not None:
        encoder = _pruned(encoder, kept)
    elif kept is not None:
        tensors["columns"] = kept
    meta = {
        "format": FORMAT,
        "version": VERSION,
        "direction": model.direction,
        "orientation": str(model.orientation),
        "classes": list(model.orientation.labels),
        "trained_on": model.trained_on,
        "models": {name: _describe(part) for name, part in model.models.items()},
    }
    with storage.new_folder(path, FORMAT, overwrite=overwrite) as folder:
        if encoder is not None:
            encoder.save(folder / "features")
        save_file(tensors, folder / _TENSORS)
        storage.write_json(folder / "meta.json", meta)


def load_model(folder: Path) -> SavedModel:
    """Read a folder; whatever does not fit together is refused."""
    meta = storage.check_format(folder, FORMAT, VERSION, "a reordering model", _HINT)
    if unknown := set(meta) - _KEYS:
        problem = f"says what this version does not know ({', '.join(sorted(unknown))})"
        raise DataError(folder / "meta.json", None, problem, _HINT)
    encoder = None
    if (folder / "features").is_dir():
        encoder = FeatureEncoder.load(folder / "features")
    try:
        tensors = load_file(folder / _TENSORS)
    except (OSError, SafetensorError) as error:
        raise DataError(folder / _TENSORS, None, f"cannot be read ({error})", _HINT) from None
    try:
        orientation = OrientationModel.parse(meta["orientation"])
        kept = tensors.pop("columns", None)
        models = {
            name: _restore(described, _named(tensors, name), encoder, kept, orientation)
            for name, described in meta["models"].items()
        }
        direction = str(meta["direction"])
        wanted = tuple(DIRECTIONS) if direction == "bidirectional" else (direction,)
        if set(models) != set(wanted):
            raise ValueError(f"{direction} needs the directions {', '.join(wanted)}")
        return SavedModel(
            direction,
            orientation,
            encoder,
            {name: models[name] for name in wanted},
            str(meta["trained_on"]),
        )
    except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
        problem = f"lacks what a reordering model must say of itself ({error})"
        raise DataError(folder / "meta.json", None, problem, _HINT) from None


def _kept_columns(model: SavedModel) -> NDArray[np.int64] | None:
    """Return the columns that have a weight in some direction; None if all have one."""
    if model.encoder is None:
        return None
    keep = np.zeros(model.encoder.n_features, np.bool_)
    for part in model.models.values():
        keep |= part.classifier.weights_[: len(keep)].any(axis=1)
    return None if keep.all() else np.flatnonzero(keep)


def _pruned(encoder: FeatureEncoder, kept: NDArray[np.int64]) -> FeatureEncoder:
    """Return an encoder that knows some of the columns only."""
    width = max(encoder.features.anova)
    return FeatureEncoder(
        encoder.features,
        encoder.words,
        keys=encoder.keys[kept],
        counts=encoder.counts[kept],
        codes=np.ascontiguousarray(encoder.codes.reshape(-1, width)[kept]).reshape(-1),
        cutoff=encoder.cutoff,
    )


def _arrays(part: DirectionModel, kept: NDArray[np.int64] | None, compact: bool) -> Arrays:
    """Return what one direction learnt."""
    found: Arrays = {}
    if part.lexicalised is not None:
        found |= {f"prior.{name}": array for name, array in part.lexicalised.state().items()}
    if isinstance(part.classifier, LexicalisedModel):
        return found | {f"own.{name}": array for name, array in part.classifier.state().items()}
    classifier = part.classifier
    columns = classifier.n_features_in_
    weights = classifier.weights_[:columns, : len(classifier.classes_)]
    kind = np.float16 if compact else np.float32
    with np.errstate(over="ignore"):
        found["weights"] = np.ascontiguousarray(weights if kept is None else weights[kept], kind)
    if not np.isfinite(found["weights"]).all():
        raise OptionError("some weights are too large for 16 bits: save without compact")
    found["intercept"] = np.ascontiguousarray(
        classifier.weights_[columns:, : len(classifier.classes_)], np.float32
    )
    return found


def _describe(part: DirectionModel) -> dict[str, Any]:
    return {
        "classifier": type(part.classifier).__name__,
        "options": learnt_options(part.classifier),
        "calibration": asdict(part.calibration),
        "prior": asdict(part.prior) if part.prior else None,
    }


def _named(tensors: Mapping[str, NDArray[Any]], direction: str) -> Arrays:
    """Return the tensors of one direction by their own names."""
    prefix = f"{direction}."
    return {
        name.removeprefix(prefix): array
        for name, array in tensors.items()
        if name.startswith(prefix)
    }


def _restore(
    described: Mapping[str, Any],
    arrays: Arrays,
    encoder: FeatureEncoder | None,
    kept: NDArray[np.int64] | None,
    orientation: OrientationModel,
) -> DirectionModel:
    """Make one direction of its description and its tensors."""
    makers = {type(kind.make()).__name__: type(kind.make()) for kind in KINDS.values()}
    if described["classifier"] not in makers:
        raise ValueError(
            f"no classifier {described['classifier']!r}: there are {', '.join(makers)}"
        )
    made = makers[described["classifier"]]
    prior = Prior(**described["prior"]) if described["prior"] else None
    lexicalised = None
    if prior is not None:
        state = _named(arrays, "prior")
        lexicalised = LexicalisedModel.from_state(state, prior.granularity, prior.smoothing)
    classifier: Classifier
    if made is LexicalisedModel:
        classifier = LexicalisedModel.from_state(_named(arrays, "own"), **described["options"])
    else:
        if encoder is None:
            raise ValueError("the features are missing")
        classifier = made(**described["options"])
        _set_weights(classifier, arrays, encoder.n_features, kept, orientation)
    return DirectionModel(classifier, Calibration(**described["calibration"]), prior, lexicalised)


def _set_weights(
    classifier: LinearClassifier,
    arrays: Arrays,
    columns: int,
    kept: NDArray[np.int64] | None,
    orientation: OrientationModel,
) -> None:
    """Put the weights where scoring looks for them."""
    if missing := {"weights", "intercept"} - set(arrays):
        raise ValueError(f"{_TENSORS} has no {' and no '.join(sorted(missing))}")
    weights, intercept = arrays["weights"], arrays["intercept"]
    count = len(orientation.labels)
    rows = columns if kept is None else len(kept)
    if weights.shape != (rows, count) or intercept.shape not in ((0, count), (1, count)):
        raise ValueError("the weights are of another shape than features and classes")
    if weights.dtype not in (np.float16, np.float32) or intercept.dtype != np.float32:
        raise ValueError("the weights are of an unknown type")
    if not (np.isfinite(weights).all() and np.isfinite(intercept).all()):
        raise ValueError("the weights are no numbers")
    if kept is not None and (kept.min(initial=0) < 0 or kept.max(initial=-1) >= columns):
        raise ValueError("the weights belong to columns that there are not")
    full = np.zeros((columns + len(intercept), _native.stride_of(count)), np.float32)
    full[slice(columns) if kept is None else kept, :count] = weights
    full[columns:, :count] = intercept
    classifier.weights_ = full
    classifier.classes_ = np.array(orientation.labels)
    classifier.n_features_in_ = columns
