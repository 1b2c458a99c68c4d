"""Reordering models on disk: saved, read again, damaged."""

import json
import shutil
import struct
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from tartib import DataError, OptionError
from tartib.models import DualMLR
from tartib.reordering import Prior, ReorderingModel, load_for_decoding
from tests.support.reordering import Parts, Train, candidates_of

pytestmark = pytest.mark.native


def change_type(folder: Path, kind: str, size: int) -> None:
    """Write a file with one number of a type that NumPy does not have."""
    one = {"dtype": kind, "shape": [1], "data_offsets": [0, size]}
    head = json.dumps({"backward.weights": one}).encode()
    data = struct.pack("<Q", len(head)) + head + bytes(size)
    (folder / "weights.safetensors").write_bytes(data)


@pytest.mark.parametrize(
    ("classifier", "options"),
    [
        ("svm", {}),
        ("svm", {"hash_bits": 16}),
        ("mlr", {"features": "S15", "direction": "forward"}),
        ("mlr", {"prior": Prior("f", 0.3, 1.0), "calibrate": "affine"}),
        ("svm", {"orientation": "word-mslr", "direction": "backward"}),
        ("lexicalised", {}),
        ("lexicalised", {"calibrate": "affine"}),
    ],
)
def test_saving(
    classifier: str, options: dict[str, Any], parts: Parts, trained: Train, tmp_path: Path
) -> None:
    model, test = trained(classifier=classifier, **options), parts[1]
    model.save(tmp_path / "model")
    model.save(tmp_path / "small", compact=True)
    for name, tolerance in (("model", 1e-6), ("small", 1e-2)):
        loaded = ReorderingModel.load(tmp_path / name, n_jobs=1)
        assert loaded.directions == model.directions
        np.testing.assert_array_equal(loaded.classes_, model.classes_)
        assert loaded.trained_on_ == model.trained_on_
        for direction in model.directions:
            np.testing.assert_allclose(
                loaded.predict_proba(test, direction),
                model.predict_proba(test, direction),
                atol=tolerance,
            )
        source, candidates, at = candidates_of(test, int(test.sentences[0]))
        found = loaded.predict_candidates(source, candidates)
        np.testing.assert_allclose(found, model.predict_proba(test)[at], atol=tolerance)
        loaded.save(tmp_path / f"{name}-again")  # what was loaded can be saved
        again = ReorderingModel.load(tmp_path / f"{name}-again")
        np.testing.assert_allclose(again.predict_proba(test), loaded.predict_proba(test), atol=1e-6)
    loaded = ReorderingModel.load(tmp_path / "model")
    assert loaded.n_parameters == model.n_parameters
    assert loaded.signature == model.signature


def test_an_older_model_is_replaced_only_if_asked(tmp_path: Path, trained: Train) -> None:
    trained().save(tmp_path / "model")
    with pytest.raises(OptionError, match="exists already"):
        trained().save(tmp_path / "model")
    trained(classifier="mlr").save(tmp_path / "model", overwrite=True)
    loaded = ReorderingModel.load(tmp_path / "model")
    assert isinstance(loaded.models_["backward"].classifier.estimator, DualMLR)
    assert [path.name for path in tmp_path.iterdir()] == ["model"]


def test_no_half_written_folder(
    tmp_path: Path, trained: Train, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise OSError("no space left on device")

    for place in ("save", "storage.write_json"):
        with monkeypatch.context() as patch:
            patch.setattr(f"tartib.reordering.saving.{place}", fail)
            with pytest.raises(OSError, match="no space left"):
                trained().save(tmp_path / "model")
        assert list(tmp_path.iterdir()) == []


def change_meta(folder: Path, *path: str, value: Any) -> None:
    meta = json.loads((folder / "meta.json").read_text())
    place = meta
    for name in path[:-1]:
        place = place[name]
    if value is None:
        del place[path[-1]]
    else:
        place[path[-1]] = value
    (folder / "meta.json").write_text(json.dumps(meta))


def change_tensor(folder: Path, name: str, value: Any) -> None:
    tensors = load_file(folder / "weights.safetensors")
    tensors[name] = value(tensors[name])
    kept = {key: array for key, array in tensors.items() if array is not None}
    save_file(kept, folder / "weights.safetensors")


BACKWARD = ("models", "backward")


@pytest.mark.usefixtures("unverified")
@pytest.mark.parametrize(
    ("path", "value", "said"),
    [
        (("format",), "tartib dataset", "holds 'tartib dataset', not a reordering model"),
        (("version",), 99, "has format version 99; this Tartib reads version 3"),
        (("orientation",), "up-down", "unknown orientation 'up-down'"),
        (("orientation",), 7, "orientation must be a string, not 7"),
        (("orientation",), None, "orientation"),
        (("orientation",), "word-mslr", "do not match the number of features and classes"),
        (("direction",), "forward", "has unknown fields (direction)"),
        (("trained_on",), None, "trained_on"),
        (("models",), [], "models must be an object, not []"),
        (("models",), {}, "the models must be of backward or forward"),
        (("models", "sideways"), "svm", "the models must be of backward or forward"),
        (BACKWARD, "svm", "backward must be an object, not 'svm'"),
        (
            (*BACKWARD, "classifier"),
            "Oracle",
            "unknown classifier 'Oracle': it is one of",
        ),
        ((*BACKWARD, "classifier"), None, "classifier"),
        ((*BACKWARD, "options"), {"Q": 3}, "Q"),
        ((*BACKWARD, "options"), 3, "options must be an object, not 3"),
        ((*BACKWARD, "calibration", "scale"), "hot", "a required field is missing or wrong"),
        ((*BACKWARD, "calibration", "scale"), -1.0, "invalid calibration: scale -1.0"),
        ((*BACKWARD, "calibration"), {"heat": 1}, "heat"),
        ((*BACKWARD, "calibration", "bias"), [1.0], "matrix and bias do not fit together"),
        ((*BACKWARD, "calibration", "matrix"), [["a"] * 3] * 3, "a required field is missing"),
        (
            (*BACKWARD, "calibration"),
            {"matrix": [[1.0, 0.0], [0.0, 1.0]], "bias": [0.0, 0.0]},
            "the calibration has 2 inputs and 2 classes, not 3 and 3",
        ),
        ((*BACKWARD, "prior"), {"granularity": "fe", "mixing": 2}, "must be 0 to 1"),
        ((*BACKWARD, "prior"), "fe", "prior must be an object, not 'fe'"),
        ((*BACKWARD, "prior"), {"granularity": "fe"}, "a required field is missing or wrong"),
    ],
)
def test_damaged_descriptions(
    path: tuple[str, ...], value: Any, said: str, trained: Train, tmp_path: Path
) -> None:
    folder = tmp_path / "model"
    trained().save(folder)
    change_meta(folder, *path, value=value)
    with pytest.raises(DataError) as refused:
        ReorderingModel.load(folder)
    assert said in str(refused.value)
    assert "`tartib train`" in refused.value.hint
    assert refused.value.path.endswith("meta.json")
    if value != {"Q": 3}:  # options of training, which predictions do not need
        with pytest.raises(DataError) as refused_again:
            load_for_decoding(folder)
        assert said in str(refused_again.value)


@pytest.mark.usefixtures("unverified")
@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (lambda f: (f / "weights.safetensors").unlink(), "weights.safetensors: cannot be read"),
        (lambda f: (f / "weights.safetensors").write_bytes(b"\x07"), "cannot be read"),
        (
            lambda f: (f / "weights.safetensors").write_bytes(
                (f / "weights.safetensors").read_bytes()[:-50]
            ),
            "cannot be read",
        ),
        *(
            (
                partial(change_type, kind=kind, size=size),
                "holds numbers of a type that no model has",
            )
            for kind, size in (("BF16", 2), ("F8_E4M3", 1), ("F8_E5M2", 1))
        ),
        (lambda f: shutil.rmtree(f / "features"), "the features are missing"),
        (lambda f: (f / "features" / "keys.npy").unlink(), "this part of the store is missing"),
        (lambda f: (f / "meta.json").unlink(), "has no meta.json"),
        (lambda f: (f / "meta.json").write_text("{"), "cannot be read as JSON"),
        (
            lambda f: change_tensor(f, "forward.weights", lambda _: None),
            "the arrays weights are missing",
        ),
        (
            lambda f: change_tensor(f, "backward.intercept", lambda _: None),
            "the arrays intercept are missing",
        ),
        (lambda f: change_tensor(f, "backward.weights", lambda a: a[1:].copy()), "do not match"),
        (lambda f: change_tensor(f, "backward.weights", lambda a: a[0].copy()), "do not match"),
        (
            lambda f: change_tensor(f, "backward.weights", lambda a: a * np.nan),
            "contain NaN or infinity",
        ),
        (
            lambda f: change_tensor(f, "backward.weights", lambda a: a.astype(int)),
            "neither 16-bit nor 32-bit",
        ),
        (
            lambda f: change_tensor(
                f, "backward.intercept", lambda a: np.full((1, a.shape[1]), np.inf, np.float32)
            ),
            "contain NaN or infinity",
        ),
    ],
)
def test_damaged_files(
    damage: Callable[[Path], None], said: str, trained: Train, tmp_path: Path
) -> None:
    folder = tmp_path / "model"
    trained().save(folder)
    damage(folder)
    with pytest.raises(DataError, match=said):
        ReorderingModel.load(folder)


@pytest.mark.usefixtures("unverified")
def test_columns_of_a_hashed_model(trained: Train, tmp_path: Path) -> None:
    folder = tmp_path / "model"
    trained(hash_bits=16).save(folder)
    assert len(load_file(folder / "weights.safetensors")["columns"]) < 1 << 16
    tensors = load_file(folder / "weights.safetensors")
    for column in (-1, 1 << 16):
        tensors["columns"][0] = column
        save_file(tensors, folder / "weights.safetensors")
        with pytest.raises(DataError, match="a column that does not exist: there are 65,536"):
            ReorderingModel.load(folder)


def test_priors_are_checked(trained: Train, tmp_path: Path) -> None:
    folder = tmp_path / "model"
    trained(prior=Prior()).save(folder)
    change_tensor(folder, "backward.prior.keys_0", lambda a: a[::-1].copy())
    with pytest.raises(DataError):
        ReorderingModel.load(folder)
    change_tensor(folder, "backward.prior.keys_0", lambda _: None)
    with pytest.raises(DataError):
        ReorderingModel.load(folder)


def test_no_such_folder(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no such folder; a reordering model is a folder"):
        ReorderingModel.load(tmp_path / "nowhere")


@pytest.mark.usefixtures("unverified")
def test_counts_of_other_classes_are_refused(trained: Train, tmp_path: Path) -> None:
    trained(classifier="lexicalised").save(tmp_path / "model")
    change_meta(tmp_path / "model", "orientation", value="word-mslr")
    with pytest.raises(DataError, match="the counts are of 3 classes, not of 4"):
        ReorderingModel.load(tmp_path / "model")


def test_a_saved_model_has_as_many_columns(trained: Train, tmp_path: Path) -> None:
    model = trained()
    assert model.encoder_ is not None
    model.save(tmp_path / "model")
    loaded = ReorderingModel.load(tmp_path / "model")
    assert loaded.encoder_ is not None
    assert loaded.encoder_.n_features < model.encoder_.n_features  # some have no weight
    assert loaded.encoder_.n_features == loaded.n_features == model.n_features
    assert loaded.signature == model.signature
