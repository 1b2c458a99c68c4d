"""Reordering models on disk: JSON for options, safetensors for what was learnt."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.numpy import load_file, save_file

from tartib import storage
from tartib.errors import DataError
from tartib.features import FeatureEncoder
from tartib.orientation import MODEL_DIRECTIONS, OrientationModel
from tartib.reordering.calibration import Calibration, Prior
from tartib.reordering.classifiers import (
    KINDS,
    Arrays,
    PairClassifier,
    learnt_options,
    restore_lexicalised,
)
from tartib.reordering.direction import DirectionModel, LexicalisedPrior
from tartib.reordering.lexicalised import LexicalisedModel

if TYPE_CHECKING:
    from tartib.reordering.model import ReorderingModel

FORMAT = "tartib reordering model"
VERSION = 3
_HINT = "give a folder that `tartib train` or ReorderingModel.save wrote"
_TENSORS = "weights.safetensors"
_PRIOR = "prior."
_KEYS = {"format", "version", "orientation", "classes", "trained_on", "models"}


def save_model(model: ReorderingModel, path: Path, *, compact: bool, overwrite: bool) -> None:
    """Write a trained model to a folder, complete or not at all."""
    columns = _columns(model)
    tensors: Arrays = {}
    for name, part in model.models_.items():
        arrays = part.classifier.state(columns, compact=compact)
        if part.prior is not None:
            arrays |= {f"{_PRIOR}{key}": array for key, array in part.prior.model.state().items()}
        tensors |= {f"{name}.{key}": array for key, array in arrays.items()}
    encoder = model.encoder_
    if encoder is not None and columns is not None:
        if encoder.hash_bits is None:
            encoder = _pruned(encoder, columns)
        else:
            tensors["columns"] = columns
    meta = {
        "format": FORMAT,
        "version": VERSION,
        "orientation": str(model.orientation_),
        "classes": list(model.orientation_.labels),
        "trained_on": model.trained_on_,
        "models": {name: _describe(part) for name, part in model.models_.items()},
    }
    with storage.new_folder(path, FORMAT, overwrite=overwrite) as folder:
        if encoder is not None:
            encoder.save(folder / "features")
        save_file(tensors, folder / _TENSORS)
        storage.write_json(folder / "meta.json", meta)


@storage.reading
def load_model(kind: type[ReorderingModel], folder: Path) -> ReorderingModel:
    """Read a folder; parts that do not fit together are refused."""
    meta = storage.check_format(folder, FORMAT, VERSION, "a reordering model", _HINT)
    if unknown := set(meta) - _KEYS:
        problem = f"has unknown fields ({', '.join(sorted(unknown))})"
        raise DataError(folder / "meta.json", None, problem, _HINT)
    fields = storage.Fields(folder / "meta.json", meta, _HINT)
    directions = fields.inner("models")
    encoder = None
    if (folder / "features").is_dir():
        encoder = FeatureEncoder.load(folder / "features")
    try:
        with storage.open_file(folder / _TENSORS) as file:
            tensors = load_file(f"/dev/fd/{file.fileno()}")
    except (OSError, SafetensorError) as error:
        raise DataError(folder / _TENSORS, None, f"cannot be read ({error})", _HINT) from None
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        problem = f"holds numbers of a type that no model has ({error})"
        raise DataError(folder / _TENSORS, None, problem, _HINT) from None
    try:
        orientation = OrientationModel.parse(fields.text("orientation"))
        columns = tensors.pop("columns", None)
        models = {
            name: _restore(
                directions.inner(name), _named(tensors, name), encoder, columns, orientation
            )
            for name in MODEL_DIRECTIONS
            if name in directions
        }
        if not models or set(fields.mapping("models")) != set(models):
            raise ValueError(f"the models must be of {' or '.join(MODEL_DIRECTIONS)}")
        return kind.from_directions(
            models,
            encoder=encoder,
            orientation=orientation,
            trained_on=fields.text("trained_on"),
        )
    except (KeyError, TypeError, ValueError, IndexError, AttributeError, OverflowError) as error:
        problem = f"a required field is missing or wrong ({error})"
        raise DataError(folder / "meta.json", None, problem, _HINT) from None


def _columns(model: ReorderingModel) -> NDArray[np.int64] | None:
    """Return the columns that have a weight in some direction; None if all have one."""
    used = [part.classifier.used_columns() for part in model.models_.values()]
    keep = [columns for columns in used if columns is not None]
    if not keep or np.logical_or.reduce(keep).all():
        return None
    return np.flatnonzero(np.logical_or.reduce(keep))


def _pruned(encoder: FeatureEncoder, columns: NDArray[np.int64]) -> FeatureEncoder:
    """Return an encoder that knows only some of the columns."""
    width = max(encoder.features.anova)
    return FeatureEncoder(
        encoder.features,
        encoder.words,
        keys=encoder.keys[columns],
        counts=encoder.counts[columns],
        codes=np.ascontiguousarray(encoder.codes.reshape(-1, width)[columns]).reshape(-1),
        cutoff=encoder.cutoff,
    )


def _describe(part: DirectionModel) -> dict[str, Any]:
    return {
        "classifier": type(part.classifier.estimator).__name__,
        "options": learnt_options(part.classifier.estimator),
        "calibration": asdict(part.calibration),
        "prior": asdict(part.prior.options) if part.prior else None,
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
    described: storage.Fields,
    arrays: Arrays,
    encoder: FeatureEncoder | None,
    columns: NDArray[np.int64] | None,
    orientation: OrientationModel,
) -> DirectionModel:
    """Make one direction from its description and its tensors."""
    estimators = {kind.estimator.__name__: kind.estimator for kind in KINDS.values()}
    name = described.text("classifier")
    if name not in estimators:
        raise ValueError(f"unknown classifier {name!r}: it is one of {', '.join(estimators)}")
    classifier = PairClassifier.of(estimators[name](**described.mapping("options")))
    own = {name: array for name, array in arrays.items() if not name.startswith(_PRIOR)}
    features = None if encoder is None else encoder.n_features
    classifier.restore(own, orientation.labels, features, columns)
    prior = None
    if "prior" in described:
        options = Prior(**described.mapping("prior"))
        untrained = LexicalisedModel(options.granularity, options.smoothing)
        counted = {
            name.removeprefix(_PRIOR): array
            for name, array in arrays.items()
            if name.startswith(_PRIOR)
        }
        trained = restore_lexicalised(untrained, counted, orientation.labels)
        prior = LexicalisedPrior(options, trained)
    calibration = Calibration(**described.mapping("calibration"))
    calibration.check(len(orientation.labels), with_prior=prior is not None)
    return DirectionModel(classifier, calibration, prior)
