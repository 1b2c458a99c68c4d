"""The folder of an experiment."""

import shutil
from pathlib import Path

import numpy as np
import pytest

from tartib.errors import DataError, OptionError
from tartib.experiments.run.workspace import Workspace


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
        (workspace.stages / ".fit-1.json.partial-host-1").write_text("{")
        (workspace.work / ".rows-1.removed").mkdir()
        (workspace.work / ".rows-1.removed" / "file").write_text("")
        (workspace.work / ".rows-3.removed").symlink_to(tmp_path)
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


def test_a_damaged_record_is_found_again(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path / "out")
    with workspace.opened():
        workspace.write("stage-1", {"a": 1}, {"x": np.arange(3)})
        record, array = (workspace.stages / f"stage-1.{end}" for end in ("json", "x.npy"))
        array.write_bytes(array.read_bytes()[:-1] + b"?")
        with pytest.raises(DataError, match=r"stage-1.x.npy: is damaged or missing"):
            workspace.array("stage-1", "x")
        record.write_text(record.read_text().replace('"a": 1', '"a": 2'))
        with pytest.warns(UserWarning, match=r"its checksum is wrong; the stage is run again"):
            assert workspace.read("stage-1") is None
        with pytest.warns(UserWarning, match="is damaged"):
            workspace.write("stage-1", {"a": 3}, {"x": np.arange(4)})
        assert workspace.require("stage-1")["a"] == 3
        assert len(workspace.array("stage-1", "x")) == 4
