"""Folders, complete or not there at all."""

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tartib import storage
from tartib.errors import OptionError
from tartib.storage.names import hidden_path
from tests.support.killed_writes import kill_at_every_step
from tests.support.processes import run_python


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


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


def test_an_interrupt_waits_until_a_folder_is_deleted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "store"
    folder.mkdir()
    for name in "abc":
        (folder / name).write_text(name)
    unlink, interrupts = os.unlink, [KeyboardInterrupt]

    def interrupted(*arguments: Any, **options: Any) -> None:
        if interrupts:
            raise interrupts.pop()
        unlink(*arguments, **options)

    monkeypatch.setattr(os, "unlink", interrupted)
    with pytest.raises(KeyboardInterrupt):
        storage.remove_folder(folder)
    assert names(tmp_path) == []


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


def test_scratch_is_gone_in_the_end(tmp_path: Path) -> None:
    with storage.scratch_folder(tmp_path / "out") as folder:
        (folder / "x").touch()
    assert names(tmp_path) == []


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


def test_a_folder_is_replaced_as_a_whole(tmp_path: Path) -> None:
    folder = tmp_path / "below" / "folder"
    for text in ("first", "second"):
        with storage.replaced_folder(folder) as aside:
            (aside / text).write_text(text)
            assert not (folder / text).exists()
        assert [path.name for path in folder.iterdir()] == [text]

    def fail() -> None:
        with storage.replaced_folder(folder) as aside:
            (aside / "third").write_text("")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fail()
    assert [path.name for path in folder.iterdir()] == ["second"]
    assert [path.name for path in folder.parent.iterdir()] == ["folder"]


def ours(folder: Path, content: str) -> None:
    with storage.new_folder(folder, "tartib x", overwrite=True) as aside:
        storage.write_json(aside / "meta.json", {"format": "tartib x"})
        (aside / "content").write_text(content)


@pytest.mark.parametrize("kind", ["folder", "folder without exchange"])
def test_killed_at_any_step_the_old_or_the_new_is_there(tmp_path: Path, kind: str) -> None:
    assert kill_at_every_step(kind, tmp_path) > 10


def test_without_overwrite_the_first_one_wins(tmp_path: Path) -> None:
    target = tmp_path / "store"

    def write() -> None:
        with storage.new_folder(target, "tartib x") as aside:
            (aside / "content").write_text("second")
            ours(target, "first")

    with pytest.raises(OptionError, match="was written by another process in the meantime"):
        write()
    assert (target / "content").read_text() == "first"
    assert names(tmp_path) == ["store"]


def test_with_overwrite_the_last_one_wins(tmp_path: Path) -> None:
    """Two calls in one process do not share a hidden name."""
    target = tmp_path / "store"
    with storage.new_folder(target, "tartib x", overwrite=True) as aside:
        storage.write_json(aside / "meta.json", {"format": "tartib x"})
        (aside / "content").write_text("last")
        ours(target, "first")
        assert (target / "content").read_text() == "first"
    assert (target / "content").read_text() == "last"
    assert names(tmp_path) == ["store"]


@pytest.mark.parametrize("dangling", [False, True])
def test_a_link_is_followed(tmp_path: Path, dangling: bool) -> None:
    target, link = tmp_path / "deep" / "store", tmp_path / "link"
    link.symlink_to("deep/store")
    if not dangling:
        ours(target, "old")
        with pytest.raises(OptionError, match="link exists already"):
            storage.check_free(link, overwrite=False)
    ours(link, "new")
    assert link.is_symlink()
    assert (target / "content").read_text() == "new"
    assert names(tmp_path) == ["deep", "link"]


def test_a_link_to_itself_is_refused(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("link")
    with pytest.raises(OptionError, match="leads to itself"):
        ours(tmp_path / "link", "new")


def test_a_link_with_the_name_of_a_leftover_is_removed(tmp_path: Path) -> None:
    dead = run_python("import os; print(os.getpid())").stdout.strip()
    (tmp_path / "precious").mkdir()
    (tmp_path / "precious" / "file").touch()
    name = hidden_path(tmp_path / "store").name.rpartition("-")[0].rpartition("-")[0]
    for token in ("", "-abcd"):
        (tmp_path / f"{name}-{dead}{token}").symlink_to("precious")
    ours(tmp_path / "store", "new")
    assert names(tmp_path) == ["precious", "store"]
    assert names(tmp_path / "precious") == ["file"]


def test_all_files_have_the_same_permissions(tmp_path: Path) -> None:
    with storage.new_folder(tmp_path / "store", "tartib x") as aside:
        for mode in (0o600, 0o644, 0o666):
            (aside / str(mode)).touch(mode)
            (aside / str(mode)).chmod(mode)
        with storage.ArrayWriter(aside / "x.npy", np.int8):
            pass
    modes = {path.stat().st_mode & 0o777 for path in (tmp_path / "store").iterdir()}
    assert modes == {0o644}
