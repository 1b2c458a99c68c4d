"""``tartib verify`` and ``tartib info``."""

import json
import shutil
from contextlib import suppress
from pathlib import Path

import pytest

from tartib import LanguageModel, PhrasePairs, storage
from tartib.decoder.resumable_output import ResumableOutput
from tartib.errors import DataError
from tartib.experiments.run.workspace import Workspace
from tests.support import paths, systems
from tests.support.commands import invoke, tartib_here

GOLDEN = paths.GOLDEN / "moses"
TOY = ("-s", GOLDEN / "toy.src", "-t", GOLDEN / "toy.tgt", "-a", GOLDEN / "toy.align")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("verify")
    invoke("extract", *TOY, "--out", folder / "phrases")
    invoke("train", folder / "phrases", "-f", "S1", "--cutoff", 0, "--out", folder / "model")
    return folder


@pytest.fixture
def copy(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made, tmp_path / "copy"))


def flip(path: Path, byte: int = 200) -> None:
    data = bytearray(path.read_bytes())
    data[byte] ^= 1
    path.write_bytes(data)


def test_all_is_whole(copy: Path) -> None:
    said = tartib_here("verify", copy / "phrases", copy / "model").stdout
    assert said.endswith("bytes: all as they were written\n")
    assert tartib_here("verify", copy).stdout == said  # the folder around both
    found = json.loads(tartib_here("verify", copy, "--json").stdout)
    assert found["damaged"] == []
    assert found["files"] == len([path for path in copy.rglob("*") if path.is_file()])


@pytest.mark.parametrize(
    "name", ["phrases/pairs.npy", "model/features/keys.npy", "model/weights.safetensors"]
)
def test_damage_is_told_with_its_place_and_the_command(copy: Path, name: str) -> None:
    flip(copy / name)
    (damaged,) = json.loads(tartib_here("verify", copy, "--json", code=1).stdout)["damaged"]
    assert damaged["file"] == str(copy / name)
    size = (copy / name).stat().st_size
    assert damaged["problem"] == f"is damaged between bytes 0 and {size - 1:,}"
    command = "extract -s" if name.startswith("phrases") else "train "
    assert damaged["advice"].startswith(f"make it again: tartib {command}")
    assert f"{copy / name}: is damaged" in tartib_here("verify", copy, code=1).stderr
    for loading in ("evaluate", "predict"):
        refused = invoke(loading, copy / "model", copy / "phrases", code=1).exception
        assert str(refused).startswith(f"{copy / name}: is damaged")


def test_a_folder_inside_is_the_one_that_was_written(copy: Path, made: Path) -> None:
    other = copy / "other"
    invoke("train", made / "phrases", "-f", "S2", "--cutoff", 0, "--out", other)
    shutil.rmtree(copy / "model" / "features")
    shutil.copytree(other / "features", copy / "model" / "features")
    said = tartib_here("verify", copy / "model", code=1).stderr
    assert "features/manifest.json: is missing, or not the one that was written with" in said


def test_what_cannot_be_verified_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "text").touch()
    for path, said in ((tmp_path / "text", "has no checksums"), (tmp_path / "x", "no such file")):
        assert said in str(invoke("verify", path, code=1).exception)
    (tmp_path / "old").mkdir()
    storage.write_json(tmp_path / "old" / "meta.json", {"format": "tartib dataset", "version": 1})
    assert "was made by an earlier version" in tartib_here("verify", tmp_path, code=1).stderr


def test_no_verify(copy: Path) -> None:
    flip(copy / "phrases" / "lines.npy", -8)  # the number of a line, which nothing else knows
    assert "is damaged" in str(invoke("show", copy / "phrases", code=1).exception)
    invoke("show", copy / "phrases", "--no-verify")
    with pytest.raises(DataError, match=r"lines.npy: is damaged"):
        PhrasePairs.load(copy / "phrases")


def test_models_of_a_system_are_verified(tmp_path: Path) -> None:
    system = systems.write_toml(tmp_path)
    arpa = f"{systems.GOLDEN}/lm.o3.arpa"
    LanguageModel.load(arpa).save(tmp_path / "lm")
    system.write_text(system.read_text().replace(arpa, str(tmp_path / "lm")))
    assert "all as they were written" in tartib_here("verify", system).stdout
    found = json.loads(tartib_here("info", system, "--json").stdout)
    assert found["kind"] == "translation system"
    assert found["names"][str(tmp_path / "lm")] == "tartib language model"
    assert found["state"].startswith("whole")
    flip(tmp_path / "lm" / "ngrams.npy")
    assert "ngrams.npy: is damaged" in tartib_here("verify", system, code=1).stderr
    shutil.rmtree(tmp_path / "lm")
    assert "lm: no such file or folder" in tartib_here("verify", system, code=1).stderr


def test_info_tells_what_made_a_folder(copy: Path) -> None:
    found = json.loads(tartib_here("info", copy / "phrases", "--json").stdout)
    assert found["kind"] == "tartib phrase pairs"
    assert found["made_by"] == "tartib 0.2.0"
    assert found["command"].startswith(f"tartib extract -s {GOLDEN}/toy.src -t")
    assert found["state"] == "whole: 13 files as they were written"
    assert found["files"]["pairs.npy"] == (copy / "phrases" / "pairs.npy").stat().st_size
    shown = tartib_here("info", copy / "phrases").stdout
    assert "tartib phrase pairs" in shown
    assert "pairs.npy" in shown
    flip(copy / "phrases" / "pairs.npy")
    assert "is damaged between bytes" in tartib_here("info", copy / "phrases").stdout


def test_info_of_unfinished_outputs(tmp_path: Path) -> None:
    with (
        suppress(KeyboardInterrupt),
        ResumableOutput({"output": tmp_path / "out"}, {"seed": 1}) as output,
    ):
        output.write({"output": b"line\n"})
        raise KeyboardInterrupt
    folder = tmp_path / ".out.unfinished"
    found = json.loads(tartib_here("info", folder, "--json").stdout)
    assert found["kind"] == "unfinished translation: the same command with --resume continues it"
    assert found["finished_sentences"] == 1
    assert found["state"].startswith("whole")
    flip(folder / "output", 0)
    found = json.loads(tartib_here("info", folder, "--json").stdout)
    assert found["damage"][0]["problem"] == "the last 1 record damaged"


def test_info_of_an_experiment(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path / "out")
    with workspace.opened():
        workspace.write("stage-1", {"a": 1})
    found = json.loads(tartib_here("info", tmp_path / "out", "--json").stdout)
    assert found["kind"] == "tartib experiment"
    assert found["finished_stages"] == 1
    assert found["results"] == "not written yet"
    assert found["state"].startswith("whole: 2 files")
    flip(tmp_path / "out" / "stages" / "stage-1.json", 5)
    assert "checksum is wrong" in tartib_here("verify", tmp_path / "out", code=1).stderr


def test_info_of_something_else(tmp_path: Path) -> None:
    (tmp_path / "x").touch()
    assert "does not know" in tartib_here("info", tmp_path / "x").stdout
    assert "did not write" in tartib_here("info", tmp_path).stdout
    assert "no such file" in str(invoke("info", tmp_path / "y", code=1).exception)
