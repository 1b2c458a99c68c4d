"""Arrays on disk, complete or not there at all."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tartib import storage
from tartib.errors import DataError, OptionError
from tests.support.processes import run_python


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


PARTS = st.lists(st.lists(st.integers(-(2**31), 2**31 - 1), max_size=50), max_size=8)


@given(PARTS)
def test_written_and_buffered_arrays_agree(
    tmp_path_factory: pytest.TempPathFactory, parts: list[list[int]]
) -> None:
    path = tmp_path_factory.mktemp("arrays") / "x.npy"
    buffer = storage.ArrayBuffer(np.int32)
    with storage.ArrayWriter(path, np.int32) as writer:
        for part in parts:
            writer.append(np.array(part, np.int32))
            buffer.append(np.array(part, np.int32))
            assert len(writer) == len(buffer)
    expected = [value for part in parts for value in part]
    assert buffer.finish().tolist() == expected
    assert storage.load_array(path, np.int32).tolist() == expected
    assert np.load(path).tolist() == expected


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "not a readable array"),
        (b"not an array at all, but long enough to be one", "not a readable array"),
        (None, "this part of the store is missing"),
    ],
)
def test_damaged_arrays(tmp_path: Path, content: bytes | None, said: str) -> None:
    path = tmp_path / "x.npy"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(DataError, match=said):
        storage.load_array(path, np.int32)


def test_truncated_array(tmp_path: Path) -> None:
    path = tmp_path / "x.npy"
    np.save(path, np.arange(1000, dtype=np.int32))
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(DataError, match="not a readable array"):
        storage.load_array(path, np.int32)


@pytest.mark.parametrize("array", [np.zeros(3), np.zeros((2, 2), np.int32)])
def test_foreign_array(tmp_path: Path, array: np.ndarray) -> None:
    np.save(tmp_path / "x.npy", array)
    with pytest.raises(DataError, match="not a list of int32"):
        storage.load_array(tmp_path / "x.npy", np.int32)


def test_folder_appears_when_complete(tmp_path: Path) -> None:
    target = tmp_path / "deep" / "store"
    with storage.new_folder(target, "tartib x") as folder:
        (folder / "file").write_text("new")
        assert not target.exists()
    assert (target / "file").read_text() == "new"
    storage.write_json(target / "meta.json", {"format": "tartib x"})
    with (
        pytest.raises(RuntimeError),
        storage.new_folder(target, "tartib x", overwrite=True) as folder,
    ):
        raise RuntimeError
    assert (target / "file").read_text() == "new"
    assert names(tmp_path / "deep") == ["store"]


def test_folder_is_not_replaced_unasked(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    with (
        pytest.raises(OptionError, match="exists already"),
        storage.new_folder(tmp_path, "tartib x"),
    ):
        pass
    with (
        pytest.raises(OptionError, match="was not made by Tartib"),
        storage.new_folder(tmp_path / "file", "tartib x", overwrite=True),
    ):
        pass
    assert (tmp_path / "file").read_text() == "mine"


def test_only_folders_of_our_own_are_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "thesis").mkdir()
    (tmp_path / "thesis" / "chapter").write_text("mine")
    monkeypatch.chdir(tmp_path / "thesis")
    for path in (tmp_path / "thesis", Path()):
        with (
            pytest.raises(OptionError, match="was not made by Tartib"),
            storage.new_folder(path, "tartib x", overwrite=True),
        ):
            pass
    (tmp_path / "thesis" / "meta.json").write_text('{"format": "a thesis"}')
    with (
        pytest.raises(OptionError, match="was not made by Tartib"),
        storage.new_folder(tmp_path / "thesis", "tartib x", overwrite=True),
    ):
        pass
    assert (tmp_path / "thesis" / "chapter").read_text() == "mine"
    (tmp_path / "empty").mkdir()
    with storage.new_folder(tmp_path / "empty", "tartib x", overwrite=True):
        pass


KILLED = """
import os, sys
from pathlib import Path
from tartib import storage
rename = Path.rename
Path.rename = lambda path, new: os._exit(1) if new.name == "store" else rename(path, new)
with storage.new_folder(sys.argv[1], "tartib x", overwrite=True) as folder:
    (folder / "new").touch()
"""


def test_a_replacement_that_was_killed_is_undone(tmp_path: Path) -> None:
    target = tmp_path / "store"
    target.mkdir()
    storage.write_json(target / "meta.json", {"format": "tartib x"})
    run_python(KILLED, target, check=False)
    assert not target.exists()
    with pytest.raises(RuntimeError), storage.new_folder(target, "tartib x", overwrite=True):
        raise RuntimeError
    assert names(target) == ["meta.json"]


def test_scratch_is_gone_in_the_end(tmp_path: Path) -> None:
    with storage.scratch_folder(tmp_path / "out") as folder:
        (folder / "x").touch()
    assert names(tmp_path) == []


def test_files_are_not_replaced_unasked(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("mine")
    with pytest.raises(OptionError, match="exists already"), storage.new_files(tmp_path / "a"):
        pass
    with storage.new_files(tmp_path / "a", overwrite=True) as (aside,):
        aside.write_text("new")
    assert (tmp_path / "a").read_text() == "new"


def test_files_appear_together(tmp_path: Path) -> None:
    targets = (tmp_path / "a", tmp_path / "b")
    with pytest.raises(FileNotFoundError), storage.new_files(*targets) as asides:
        asides[0].write_text("half")  # the second is never written
    assert names(tmp_path) == []
    with storage.new_files(*targets) as asides:
        for aside in asides:
            aside.write_text("whole")
    assert names(tmp_path) == ["a", "b"]
    with pytest.raises(OptionError, match="is a folder"), storage.new_files(tmp_path):
        pass


def test_leftovers_of_dead_processes_are_cleared(tmp_path: Path) -> None:
    code = "import sys; from tartib import storage; import os\n"
    code += "with storage.new_folder(sys.argv[1], 'tartib x') as f: (f / 'x').touch(); os._exit(1)"
    target = tmp_path / "st[o]re"
    run_python(code, target, check=False)
    assert len(names(tmp_path)) == 1
    living = tmp_path / f".{target.name}.partial-elsewhere-1"
    living.mkdir()
    with storage.new_folder(target, "tartib x"):
        pass
    assert names(tmp_path) == sorted([living.name, target.name])


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
@pytest.mark.parametrize("kind", ["folder", "files", "scratch"])
def test_a_full_disk_is_named_with_advice(tmp_path: Path, kind: str) -> None:
    """/dev/full refuses each write as a full disk does."""
    target = tmp_path / "result"
    blocks = {
        "folder": storage.new_folder(target, "form"),
        "files": storage.new_files(target),
        "scratch": storage.scratch_folder(target),
    }
    with (
        pytest.raises(DataError, match=r"no space left on this disk .*result was not") as caught,
        blocks[kind],
        Path("/dev/full").open("wb") as file,
    ):
        file.write(b"x")
    assert caught.value.path == str(tmp_path)
    assert "another disk" in caught.value.hint
    assert names(tmp_path) == []


def test_other_errors_of_the_system_are_left_as_they_are(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError), storage.new_files(tmp_path / "result"):
        (tmp_path / "nowhere").read_bytes()


def test_a_parent_folder_that_is_not_writable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    storage.check_writable(tmp_path / "a" / "b")
    asked = []

    def access(path: Path, _mode: int) -> bool:
        asked.append(path)
        return False

    monkeypatch.setattr("os.access", access)  # root may write everywhere
    with pytest.raises(OptionError, match=r"the parent folder .* is not writable"):
        storage.check_writable(tmp_path / "a" / "b")
    assert asked == [tmp_path]
