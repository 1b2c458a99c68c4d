"""``tartib verify`` and ``tartib info``."""

import contextlib
import json
import shutil
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from tartib import LanguageModel, PhrasePairs, storage
from tartib.decoder.resumable_output import ResumableOutput
from tartib.errors import DataError
from tartib.experiments.run.workspace import Workspace
from tests.support import paths, processes, systems
from tests.support.commands import invoke, tartib, tartib_here

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
    assert found["damaged"] == found["not_in_manifest"] == []
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


FOLDERS = ["phrases", "model", "lexicalised", "table", "rows", "lm"]


@pytest.fixture(scope="module")
def folders(made: Path) -> Path:
    phrases = made / "phrases"
    together = made.parent / f"{made.name}-all"
    shutil.copytree(phrases, together / "phrases")
    shutil.copytree(made / "model", together / "model")
    invoke("train", phrases, "-c", "lexicalised", "--out", together / "lexicalised")
    invoke("phrase-table", phrases, "--out", together / "table")
    invoke("dataset", phrases, "-f", "S1", "--cutoff", 0, "--out", together / "dataset")
    shutil.copytree(together / "dataset" / "rows", together / "rows")
    LanguageModel.load(f"{systems.GOLDEN}/lm.o3.arpa").save(together / "lm")
    return together


@pytest.mark.parametrize("name", FOLDERS)
@pytest.mark.parametrize("emptied", [False, True])
def test_a_folder_that_has_lost_what_it_says_of_itself(
    folders: Path, tmp_path: Path, name: str, emptied: bool
) -> None:
    copy = Path(shutil.copytree(folders, tmp_path / "copy"))
    assert "all as they were written" in tartib_here("verify", copy).stdout
    (copy / name / "manifest.json").unlink()
    (copy / name / "meta.json").unlink()
    if emptied:
        (copy / name / "meta.json").touch()
    (damaged,) = json.loads(tartib_here("verify", copy, "--json", code=1).stdout)["damaged"]
    assert damaged["file"] == str(copy / name)
    assert damaged["problem"].endswith("but no manifest.json, which was deleted")
    (copy / name / "manifest.json").touch()
    assert f"{name}/manifest.json: is damaged" in tartib_here("verify", copy, code=1).stderr


def test_what_others_wrote_is_no_damage(copy: Path) -> None:
    """Arrays of other programs, and what a killed command has left."""
    (copy / "mine").mkdir()
    (copy / "mine" / "weights.npy").touch()
    (copy / "mine" / "link.json").symlink_to("nowhere")
    (copy / "mine" / "empty.json").touch()
    (copy / "mine" / "stages").mkdir()
    (copy / "mine" / "stages" / "empty.json").touch()
    (copy / ".x.partial-host-1-0123abcd").mkdir()
    (copy / ".x.partial-host-1-0123abcd" / "pair_offsets.npy").touch()
    assert "all as they were written" in tartib_here("verify", copy).stdout


def test_files_that_are_in_no_manifest_are_named(copy: Path) -> None:
    for number in range(7):
        (copy / "phrases" / f"notes-{number}").touch()
    (copy / "model" / "features" / "more").mkdir()
    (copy / "model" / "features" / "more" / "x").touch()
    (copy / "model" / "link").symlink_to(copy)
    done = tartib_here("verify", copy)
    assert "all as they were written" in done.stdout
    names = ", ".join(f"notes-{number}" for number in range(5))
    assert f"{copy}/phrases: 7 files not in the manifest: {names} and 2 more\n" in done.stderr
    assert f"{copy}/model/features: 1 file not in the manifest: more/x\n" in done.stderr
    assert f"{copy}/model: 1 file not in the manifest: link\n" in done.stderr
    found = json.loads(tartib_here("verify", copy, "--json").stdout)
    assert len(found["not_in_manifest"]) == 9
    assert found["damaged"] == []


def test_links_that_lead_back(copy: Path) -> None:
    said = tartib_here("verify", copy).stdout
    state = json.loads(tartib_here("info", copy, "--json").stdout)["state"]
    for name in "abc":
        (copy / name).symlink_to(".")
        (copy / f"{name}-up").symlink_to(copy)
        (copy / f"{name}-phrases").symlink_to("phrases")
    assert tartib_here("verify", copy).stdout == said  # each folder once
    assert json.loads(tartib_here("info", copy, "--json").stdout)["state"] == state


WRONG_ARRAYS = [[1], 5, None, {"a/../../../x": "x"}, {"\0": "x"}, {"x" * 300: "x"}, {"\ud800": "x"}]


@pytest.mark.parametrize("sums", WRONG_ARRAYS)
def test_a_record_with_a_wrong_field(tmp_path: Path, sums: object) -> None:
    storage.write_record(tmp_path / "x.json", {"array_checksums": sums})
    (damaged,) = json.loads(tartib_here("verify", tmp_path, "--json", code=1).stdout)["damaged"]
    assert damaged["file"] == str(tmp_path / "x.json")
    assert "state" in tartib_here("info", tmp_path).stdout


@pytest.mark.parametrize(
    "files", [5, None, [5], ["\0"], ["../x"], ["x" * 400], {"a": 1}, ["\ud800"]]
)
def test_settings_with_a_wrong_field(tmp_path: Path, files: object) -> None:
    folder = tmp_path / ".x.unfinished"
    folder.mkdir()
    (folder / "journal").touch()
    storage.write_record(folder / "settings.json", {"files": files})
    (damaged,) = json.loads(tartib_here("verify", tmp_path, "--json", code=1).stdout)["damaged"]
    assert damaged["file"].startswith(str(folder))
    assert "damaged" in tartib_here("info", folder).stdout


def test_an_impossible_size_takes_no_time(copy: Path) -> None:
    path = copy / "phrases" / "manifest.json"
    value = storage.read_record(path)
    value["files"]["lines.npy"]["size"] = 10**18
    storage.write_record(path, value)
    said = "'lines.npy' cannot have 1,000,000,000,000,000,000 bytes"
    assert said in tartib_here("verify", copy, code=1).stderr
    assert said in tartib_here("info", copy / "phrases").stdout


def test_damage_is_told_once(copy: Path) -> None:
    """Small files stand for large ones, which are checked in the background."""
    flip(copy / "phrases" / "lines.npy", -8)
    program = (
        "import sys, tartib.cli; from tartib.storage import verification; verification.AT_ONCE = 0;"
        f"sys.argv = ['tartib', 'show', {str(copy / 'phrases')!r}]; tartib.cli.main()"
    )
    done = processes.run([sys.executable, "-c", program], check=False)
    assert done.returncode == 1
    assert done.stderr.count("is damaged") == 1


def test_names_that_are_not_utf8(tmp_path: Path) -> None:
    folder = tmp_path / "phr\udcff"
    tartib("extract", *TOY, "--out", folder)
    tartib("verify", folder)
    found = json.loads(tartib("info", folder, "--json").stdout)
    assert found["command"].endswith(r"/phr\xff'")
    assert found["state"].startswith("whole")
    assert r"phr\udcff" in tartib("info", folder).stdout


def test_titles_are_shown_not_obeyed(tmp_path: Path) -> None:
    path = tmp_path / "bad\x1b[31m.ar"
    path.touch()
    said = tartib_here("info", path).stdout
    assert r"bad\x1b[31m.ar" in said
    assert "\x1b" not in said


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
    stage = tmp_path / "out" / "stages" / "stage-1.json"
    whole = stage.read_bytes()
    flip(stage, 5)
    assert "checksum is wrong" in tartib_here("verify", tmp_path / "out", code=1).stderr
    for size in (0, 5, len(whole) - 40):
        stage.write_bytes(whole[:size])
        assert "stage-1.json: is damaged" in tartib_here("verify", tmp_path, code=1).stderr
    with contextlib.chdir(stage.parent):
        assert "stage-1.json: is damaged" in tartib_here("verify", ".", code=1).stderr
    stage.write_bytes(whole)
    (tmp_path / "out" / "meta.json").write_bytes(b"")
    assert "out/meta.json: is damaged" in tartib_here("verify", tmp_path, code=1).stderr
    stage.write_bytes(b"")
    assert "stage-1.json: is damaged" in tartib_here("verify", tmp_path, code=1).stderr


def test_info_lists_the_folders_of_an_experiment(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path / "out")
    with workspace.opened():
        for number in range(60):
            workspace.write(f"stage-{number}", {"a": 1})
    files = json.loads(tartib_here("info", tmp_path / "out", "--json").stdout)["files"]
    sizes = [size for name, size in files.items() if name.startswith("stages/")]
    assert len(sizes) == 60
    said = tartib_here("info", tmp_path / "out").stdout
    assert f"│ stages/        │    60 │ {sum(sizes):,} │" in said
    assert "stage-1" not in said


def test_info_has_a_row_for_each_value(tmp_path: Path) -> None:
    meta = {
        "format": "tartib x", "version": 4, "history": [], "nothing": None, "classes": ["a", "b"],
        "skipped": {"too_long": 0, "more": {}}, "pairs": [{"n": 1}, {"n": True}],
        "many": list(range(100)), "matrix": [[1.5, 2], []],
    }  # fmt: skip
    storage.write_json(tmp_path / "meta.json", meta)
    lines = tartib_here("info", tmp_path).stdout.splitlines()
    rows = dict([cell.strip() for cell in line.split("│")[1:3]] for line in lines if "│" in line)
    rows = {
        name: value for name, value in rows.items() if name not in ("kind", "state", "meta.json")
    }
    assert rows == {
        "format version": "4", "classes": "a, b", "skipped, too long": "0", "pairs 1, n": "1",
        "pairs 2, n": "yes", "many": "100 values", "matrix 1": "1.5, 2",
    }  # fmt: skip
    assert json.loads(tartib_here("info", tmp_path, "--json").stdout)["version"] == 4
    (tmp_path / "meta.json").write_text(
        '{"format": "tartib x", "a": ' + '{"a":' * 500 + "1" + "}" * 501
    )
    assert "a, a, a" in tartib_here("info", tmp_path).stdout


def test_info_of_something_else(tmp_path: Path) -> None:
    (tmp_path / "x").touch()
    assert "does not know" in tartib_here("info", tmp_path / "x").stdout
    assert "did not write" in tartib_here("info", tmp_path).stdout
    assert "no such file" in str(invoke("info", tmp_path / "y", code=1).exception)
