"""The commands that make and use reordering models, as a user meets them."""

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tartib import PhrasePairs
from tartib.reordering import ReorderingModel
from tests.support.commands import tartib_here

pytestmark = pytest.mark.native
SMALL = ("--features", "S1", "--cutoff", 2, "-j", 1)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("models")
    tartib_here("corpus", "synthetic", "--pairs", 150, "--out", folder / "corpus")
    files = [folder / "corpus" / f"synthetic.{kind}" for kind in ("ar", "en", "align")]
    tartib_here(
        "extract", "-s", files[0], "-t", files[1], "-a", files[2], "--max-phrase-length", 4,
        "--out", folder / "phrases",
    )  # fmt: skip
    return folder / "phrases"


@pytest.fixture(scope="module")
def model(store: Path) -> Path:
    tartib_here(
        "train", store, *SMALL, "--direction", "bidirectional", "-o", store.parent / "model"
    )
    return store.parent / "model"


def test_defaults_are_those_of_the_library(store: Path, model: Path) -> None:
    phrases = PhrasePairs.load(store)
    known = ReorderingModel("S1", cutoff=2, direction="bidirectional").fit(phrases)
    trained = ReorderingModel.load(model)
    for direction in ("backward", "forward"):
        expected = known.predict_proba(phrases, direction)
        assert np.array_equal(trained.predict_proba(phrases, direction), expected)


def train_json(store: Path, *arguments: object) -> Any:
    return json.loads(tartib_here("train", store, *SMALL, *arguments, "--json").stdout)


def test_train_prints_tables(store: Path, tmp_path: Path) -> None:
    given = ("--held-out", 0.2, "--tune-C", "0.1,0.01", "--signature")
    done = tartib_here("train", store, *SMALL, "-o", tmp_path / "m", *given)
    for word in ("Hyper-parameters tried, backward", "0.01", "chosen"):
        assert word in done.stdout
    assert "Held-out sentences, backward" in done.stdout
    assert "backward:MulticlassSVM(C=0." in done.stderr
    assert done.stdout.count("chosen") == 1


def test_models_learn_from_derivations_if_asked(store: Path, tmp_path: Path) -> None:
    given = ("--learn-from", "derivations", "--held-out", 0.2, "--seed", 3)
    found = train_json(store, "-o", tmp_path / "m", *given)
    assert "then:train_without:0.2,seed:3|then:derivations:4,seed:3" in found["signature"]
    trained = ReorderingModel.load(tmp_path / "m")
    train, _ = PhrasePairs.load(store).split(held_out=0.2, seed=3)
    known = ReorderingModel("S1", cutoff=2, learn_from="derivations", random_state=3).fit(train)
    assert np.array_equal(trained.predict_proba(train), known.predict_proba(train))
    assert trained.held_out_of(train) == (0.2, 3)


def test_train_and_evaluate_hold_out_the_same(store: Path, tmp_path: Path) -> None:
    held_out = ("--held-out", 0.25, "--seed", 3)
    out = ("--out", tmp_path / "m", "--direction", "bidirectional", "-c", "mlr")
    data = train_json(store, *out, *held_out, "--trace-out", tmp_path / "trace")
    assert data["pairs"] < len(PhrasePairs.load(store))
    assert set(data["held_out"]) == set(data["trace"]) == {"backward", "forward"}
    found = json.loads(tartib_here("evaluate", tmp_path / "m", store, *held_out, "--json").stdout)
    for direction, report in data["held_out"].items():
        again = found["directions"][direction]
        assert again["accuracy"] == pytest.approx(report["accuracy"])
        assert again["log_loss"] == pytest.approx(report["log_loss"], rel=1e-5)
    entries = [json.loads(line) for line in (tmp_path / "trace").read_text().splitlines()]
    assert [entry["epoch"] for entry in entries][-1] == 0
    assert entries[-1]["gap"] == data["trace"]["forward"][-1]["gap"]
    alone = json.loads(tartib_here("evaluate", tmp_path / "m", store, "--json").stdout)
    assert alone["directions"] == found["directions"]  # the model knows what it was not trained on
    shown = tartib_here("evaluate", tmp_path / "m", store, "--held-out", 0)
    assert "figures will be too good" in shown.stderr
    assert "phrase pairs, forward" in shown.stdout


def test_what_is_fitted_on_a_development_part(store: Path, tmp_path: Path) -> None:
    common = ("--held-out", 0.2, "--dev-share", 0.2)
    plain = train_json(store, "-o", tmp_path / "plain", *common, "--calibrate", "none")
    fitted = train_json(
        store, "-o", tmp_path / "fitted", *common, "--tune", "--calibrate", "temperature",
        "--prior", "fe",
        "--compact",
    )  # fmt: skip
    losses = [data["held_out"]["backward"]["log_loss"] for data in (plain, fitted)]
    assert losses[1] < losses[0]
    steps = fitted["tuning"]["backward"]
    assert len(steps) >= 3
    assert [step["log_loss"] for step in steps if step["chosen"]] == [
        min(step["log_loss"] for step in steps)
    ]
    loaded = ReorderingModel.load(tmp_path / "fitted").models_["backward"]
    assert loaded.prior is not None
    assert loaded.calibration.kind == "temperature"
    dev = ("--dev", store, "--tune-sigma", "0.3", "--solver", "exponentiated-gradient")
    data = train_json(store, "-o", tmp_path / "dev", "-c", "mlr", *dev, "--shrinking", "none")
    assert data["pairs"] == len(PhrasePairs.load(store))
    assert "sigma=0.3,solver=exponentiated-gradient" in data["signature"]
    assert "shrinking=None" in data["signature"]


def test_predict(store: Path, model: Path, tmp_path: Path) -> None:
    tartib_here("predict", model, store, "--out", tmp_path / "p.tsv")
    lines = (tmp_path / "p.tsv").read_text().splitlines()
    assert lines[0].split("\t")[-4:] == ["truth", "mono", "swap", "other"]
    pairs = PhrasePairs.load(store)
    assert len(lines) == 1 + len(pairs)
    expected = ReorderingModel.load(model).predict_proba(pairs)
    for number in (0, 10, len(pairs) - 1):
        cells = lines[1 + number].split("\t")
        assert cells[3:6] == [
            " ".join(pairs[number].source), " ".join(pairs[number].target), pairs[number].backward
        ]  # fmt: skip
        assert [float(cell) for cell in cells[6:]] == pytest.approx(expected[number], abs=1e-6)
    done = tartib_here("predict", model, store, "--limit", 2, "--direction", "forward")
    shown = done.stdout.splitlines()
    assert len(shown) == 3
    assert [line.split("\t")[5] for line in shown[1:]] == [pairs[0].forward, pairs[1].forward]
    assert (
        "exists already"
        in tartib_here("predict", model, store, "--out", tmp_path / "p.tsv", code=1).stderr
    )


def test_explain(store: Path, model: Path) -> None:
    done = tartib_here("explain", model, "--label", "swap", "--limit", 3)
    assert "Features with the largest weights for swap" in done.stdout
    assert "Features with the largest weights for mono" not in done.stdout
    data = json.loads(tartib_here("explain", model, "--json", "-n", 4).stdout)
    assert {name: len(found) for name, found in data["strongest"].items()} == {
        "mono": 4, "swap": 4, "other": 4
    }  # fmt: skip
    one = json.loads(tartib_here("explain", model, store, "--label", "swap", "--json").stdout)
    assert one["truth"] == "swap"
    assert sum(one["probabilities"].values()) == pytest.approx(1)
    forward = ("--direction", "forward", "--label", "other")
    shown = tartib_here("explain", model, store, *forward)
    assert "Orientation (in the corpus: other)" in shown.stdout
    assert "by what they add to each class" in " ".join(shown.stdout.split())
    number = tartib_here("explain", model, store, "--pair", 5, "--json").stdout
    assert json.loads(number)["pair"]["source"] == PhrasePairs.load(store)[5].source


def test_help_names_every_classifier_there_is() -> None:
    from tartib.reordering import KINDS

    shown = tartib_here("train", "--help").stdout
    for name in KINDS:
        assert name in shown
    assert "Example:\n\n    tartib train" in shown


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("--sigma", 1), 2, "the classifier svm has no option --sigma"),
        (("-c", "mlr", "--C", 1), 2, "the classifier mlr has no option --C"),
        (("--class-weight", "swap=x"), 2, "is one of none, balanced, sqrt-balanced, or weights"),
        (("--class-weight", "swap:3"), 2, "sqrt-balanced, or weights such as swap=3,other=2, not"),
        (("--class-weight", "up=3"), 1, "--class-weight has the class 'up', but there are only"),
        (("-c", "lexicalised", "--class-weight", "balanced"), 2, "has no option --class-weight"),
        (("-c", "oracle"), 1, "unknown classifier 'oracle': it is one of svm, mlr"),
        (("--tune-sigma", "0.1"), 2, "this classifier has no sigma to tune"),
        (("--tune-C", "many"), 2, "--tune-C takes numbers such as 0.01,0.1, not 'many'"),
        (("--tune-C", ","), 2, "--tune-C takes numbers"),
        (("--C", 0), 1, "C must be a positive number"),
        (("--tol", "nan"), 1, "tol must be a positive number"),
        (("--shrinking", "never"), 2, "--shrinking is safe, paper or none, not never"),
        (("--shrinking", "paper", "--tol", 0.1), 2, "ends by --epsilon, not by --tol"),
        (("--epsilon", 0.1), 2, "--epsilon is for --shrinking paper"),
        (("-c", "mlr", "--solver", "newton"), 1, "solver must be one of coordinate"),
        (("--direction", "up"), 1, "unknown direction 'up'"),
        (("--learn-from", "steps"), 1, "models learn from pairs or derivations"),
        (("--features", "S99"), 1, "unknown feature set 'S99'"),
        (("--orientation", "up-down"), 1, "unknown orientation"),
        (("--prior", "x"), 1, "granularity"),
        (("--held-out", 1.5), 1, "--held-out must be between 0 and 1"),
        (("--dev-share", 2), 1, "--dev-share must be between 0 and 1, got 2"),
        (("--calibrate", "q"), 1, "calibrate must be one of none, temperature, affine, not"),
        (("-c", "lexicalised", "--granularity", "q"), 1, "unknown granularity 'q': it is one of"),
        (("--dev", "nowhere"), 1, "nowhere: no such folder"),
    ],
)
def test_train_refuses(
    store: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: tuple[object, ...],
    code: int,
    said: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    options = () if "--features" in arguments else SMALL
    done = tartib_here("train", store, *options, *arguments, "--out", "model", code=code)
    assert said in done.stderr
    assert done.stdout == ""
    assert list(tmp_path.iterdir()) == []


def test_an_existing_model_is_kept(store: Path, model: Path) -> None:
    before = (model / "weights.safetensors").read_bytes()
    done = tartib_here("train", store, *SMALL, "--out", model, code=1)
    assert "exists already" in done.stderr
    assert (model / "weights.safetensors").read_bytes() == before
    copy = shutil.copytree(model, model.with_name("copy"))
    tartib_here("train", store, *SMALL, "--C", 0.5, "--out", copy, "--overwrite")
    assert (copy / "weights.safetensors").read_bytes() != before


def test_bad_folders(store: Path, model: Path, tmp_path: Path) -> None:
    for command in ("evaluate", "predict", "explain"):
        said = tartib_here(command, tmp_path / "nowhere", store, code=1)
        assert "no such folder; a reordering model is a folder" in said.stderr
        assert said.stdout == ""
    assert "not a reordering model" in tartib_here("evaluate", store, store, code=1).stderr
    damaged = shutil.copytree(model, tmp_path / "damaged")
    (damaged / "weights.safetensors").write_bytes(b"")
    out = tmp_path / "p.tsv"
    said = tartib_here("predict", damaged, store, "--out", out, code=1)
    assert "weights.safetensors: is damaged" in said.stderr
    assert (
        "no phrase pair of the store"
        in tartib_here("explain", model, store, "--word", "nowhere", code=2).stderr
    )
    said = tartib_here("explain", model, "--label", "dleft", code=1)
    assert "no class 'dleft'" in said.stderr
    for arguments in (("predict", model, store), ("predict", model, store, "--out", out)):
        said = tartib_here(*arguments, "--direction", "up", code=1)
        assert "not for 'up'" in said.stderr
        assert said.stdout == ""
    assert [path.name for path in tmp_path.iterdir()] == ["damaged"]


def test_weights_of_classes(store: Path, tmp_path: Path) -> None:
    recalls = []
    common = ("--held-out", 0.2, "--calibrate", "none")
    for given in (
        ("--class-weight", "none"),
        ("--class-weight", "balanced"),
        ("--class-weight", "swap=9,other=1"),
    ):
        data = train_json(store, "-o", tmp_path / "m", "--overwrite", *common, *given)
        classes = data["held_out"]["backward"]["classes"]
        recalls.append([classes[name]["recall"] for name in ("mono", "swap", "other")])
    assert recalls[1][0] < recalls[0][0]
    assert recalls[2][1] > recalls[0][1]
    assert "class_weight={'swap':9.0,'other':1.0}" in data["signature"]
    loaded = ReorderingModel.load(tmp_path / "m").models_["backward"].classifier.estimator
    assert loaded.class_weight == {"swap": 9.0, "other": 1.0}
