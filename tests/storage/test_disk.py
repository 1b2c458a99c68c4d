"""A full disk, and folders that cannot be written."""

import re
from pathlib import Path

import pytest

from tartib import storage
from tartib.errors import DataError, OptionError
from tartib.storage import disk


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


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


def test_everything_is_on_disk_before_it_has_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[str] = []
    rename = disk.rename_new

    def flushed(path: Path) -> None:
        seen.append(re.sub(r"\.(\w+)\.partial[^/]*", r"\1", str(path.relative_to(tmp_path))))

    def renamed(old: Path, new: Path) -> None:
        seen.append(f"rename {new.relative_to(tmp_path)}")
        rename(old, new)

    monkeypatch.setattr(disk, "flush", flushed)
    monkeypatch.setattr(disk, "rename_new", renamed)
    with storage.new_folder(tmp_path / "new" / "store", "tartib x") as aside:
        (aside / "inner").mkdir()
        (aside / "inner" / "file").touch()
    first = [".", "new/store/manifest.json", "new/store/inner/file", "new/store/inner"]
    assert seen == [*first, "new/store", "rename new/store", "new"]
    seen.clear()
    with storage.new_files(tmp_path / "file") as (aside,):
        aside.touch()
    assert seen == ["file", "rename file", "."]
