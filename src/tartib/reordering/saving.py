"""Reordering models on disk: JSON for options, safetensors for what was learnt."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import save

from tartib import storage
from tartib.features import FeatureEncoder
from tartib.reordering.classifiers import (
    KINDS,
    Arrays,
    PairClassifier,
    learnt_options,
)
from tartib.reordering.direction import DirectionModel
from tartib.reordering.frozen import restored_calibration, restored_prior
from tartib.reordering.lexicalised import LexicalisedModel
from tartib.reordering.saved import (
    FORMAT,
    PRIOR,
    TENSORS,
    VERSION,
    SavedDirection,
    SavedModel,
    own_arrays,
    read_saved,
)

if TYPE_CHECKING:
    from tartib.reordering.model import ReorderingModel


def save_model(model: ReorderingModel, path: Path, *, compact: bool, overwrite: bool) -> None:
    """Write a trained model to a folder, complete or not at all."""
    columns = _columns(model)
    tensors: Arrays = {}
    for name, part in model.models_.items():
        arrays = part.classifier.state(columns, compact=compact)
        if part.prior is not None:
            arrays |= {f"{PRIOR}{key}": array for key, array in part.prior.model.state().items()}
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
        storage.write_bytes(folder / TENSORS, save(tensors))
        storage.write_json(folder / "meta.json", meta)


def load_model(kind: type[ReorderingModel], folder: Path) -> ReorderingModel:
    """Read a folder; parts that do not fit together are refused."""

    def make(saved: SavedModel) -> ReorderingModel:
        models = {name: _restore(part, saved) for name, part in saved.directions.items()}
        return kind.from_directions(
            models,
            encoder=saved.encoder,
            orientation=saved.orientation,
            trained_on=saved.trained_on,
        )

    return read_saved(folder, make)


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


def _restore(part: SavedDirection, saved: SavedModel) -> DirectionModel:
    """Make one direction from its description and its arrays."""
    estimators = {kind.estimator.__name__: kind.estimator for kind in KINDS.values()}
    name = part.fields.text("classifier")
    if name not in estimators:
        raise ValueError(f"unknown classifier {name!r}: it is one of {', '.join(estimators)}")
    classifier = PairClassifier.of(estimators[name](**part.fields.mapping("options")))
    labels = saved.orientation.labels
    classifier.restore(own_arrays(part.arrays), labels, saved.n_features, saved.columns)
    prior = restored_prior(part, labels, LexicalisedModel)
    return DirectionModel(classifier, restored_calibration(part, labels), prior)
