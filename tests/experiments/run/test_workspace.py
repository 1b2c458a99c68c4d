"""The folder of an experiment."""

import shutil
from pathlib import Path

import numpy as np
import pytest

from tartib.errors import OptionError
from tartib.experiments.run.workspace import Workspace, replaced_folder


def test_workspace_keeps_only_what_is_complete(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path / "w")
    with workspace.opened():
        assert workspace.read("stage-1") is None
        workspace.write("stage-1", {"a": 1}, {"x": np.arange(3)})
        with (
            pytest.raises(OptionError, match="another run is using"),
            Workspace(tmp_path / "w").opened(),
        ):
            pass
    assert workspace.require("stage-1")["a"] == 1
    assert workspace.array("stage-1", "x").tolist() == [0, 1, 2]
    assert not [file for file in workspace.stages.iterdir() if file.name.startswith(".")]
    with pytest.raises(OptionError, match="is gone"):
        workspace.require("stage-2")


def test_leftovers_of_killed_runs_are_deleted(tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    (out / ".meta.json.partial-host-1").write_text("{")  # killed while the folder was made
    workspace = Workspace(out)
    with workspace.opened():
        (workspace.stages / ".fit-1.json").write_text("{")
        (workspace.work / ".rows-1.removed").mkdir()
        (workspace.work / ".rows-1.removed" / "file").write_text("")
        (workspace.work / "rows-2").mkdir()
    with workspace.opened():
        assert list(workspace.stages.iterdir()) == []
        assert [path.name for path in workspace.work.iterdir()] == ["rows-2"]


def test_a_folder_is_removed_as_a_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    workspace = Workspace(tmp_path / "out")
    with workspace.opened():
        (workspace.work / "rows-1").mkdir()
        (workspace.work / "rows-1" / "file").write_text("")
        workspace.remove("rows-2")  # nothing is there
        monkeypatch.setattr(shutil, "rmtree", _stop)
        with pytest.raises(KeyboardInterrupt):
            workspace.remove("rows-1")
        assert not (workspace.work / "rows-1").exists()


def _stop(*_: object, **__: object) -> None:
    raise KeyboardInterrupt


def test_a_folder_is_replaced_as_a_whole(tmp_path: Path) -> None:
    folder = tmp_path / "below" / "folder"
    for text in ("first", "second"):
        with replaced_folder(folder) as aside:
            (aside / text).write_text(text)
            assert not (folder / text).exists()
        assert [path.name for path in folder.iterdir()] == [text]

    def fail() -> None:
        with replaced_folder(folder) as aside:
            (aside / "third").write_text("")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fail()
    assert [path.name for path in folder.iterdir()] == ["second"]
    assert [path.name for path in folder.parent.iterdir()] == ["folder"]
