"""Files, complete or not there at all."""

from pathlib import Path

import pytest

from tartib import storage
from tartib.errors import OptionError
from tests.support.killed_writes import kill_at_every_step


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


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


def test_without_overwrite_the_first_one_wins(tmp_path: Path) -> None:
    def write() -> None:
        with storage.new_files(tmp_path / "a") as (aside,):
            aside.write_text("second")
            (tmp_path / "a").write_text("first")

    with pytest.raises(OptionError, match="was written by another process in the meantime"):
        write()
    assert (tmp_path / "a").read_text() == "first"
    assert names(tmp_path) == ["a"]


@pytest.mark.parametrize("dangling", [False, True])
def test_a_link_is_followed(tmp_path: Path, dangling: bool) -> None:
    (tmp_path / "link").symlink_to("deep/file")
    if not dangling:
        (tmp_path / "deep").mkdir()
        (tmp_path / "deep" / "file").write_text("old")
    with storage.new_files(tmp_path / "link", overwrite=True) as (aside,):
        aside.write_text("new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "deep" / "file").read_text() == "new"
    assert names(tmp_path / "deep") == ["file"]


def test_what_cannot_be_written_is_refused_at_once(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for path, said in (
        (tmp_path, "is a folder or a device"),
        (tmp_path / "file", "exists already"),
        (tmp_path / "file" / "below", "file is a file, not a folder"),
    ):
        with pytest.raises(OptionError, match=said):
            storage.check_file(path, overwrite=False)


def test_lines_are_added(tmp_path: Path) -> None:
    for line in ("a", "b"):
        storage.append_line(tmp_path / "log", line)
    assert (tmp_path / "log").read_text() == "a\nb\n"


def test_killed_at_any_step_the_old_or_the_new_is_there(tmp_path: Path) -> None:
    assert kill_at_every_step("files", tmp_path) > 5
