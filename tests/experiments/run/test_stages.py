"""Stages and the hashes that name them."""

from dataclasses import dataclass, field
from pathlib import Path

from tartib.experiments.run.stages import OWN, UNKEYED, Stage, TextFile
from tartib.experiments.run.workspace import Workspace


@dataclass(frozen=True)
class First(Stage):
    file: TextFile
    size: int
    jobs: int = field(default=1, metadata=OWN)
    label: str = field(default="", metadata=UNKEYED, compare=False)

    leaves_folder = True

    @property
    def title(self) -> str:
        return self.label

    def run(self, workspace: Workspace, n_jobs: int) -> None:
        self.folder(workspace).mkdir(exist_ok=True)
        workspace.write(self.key, {"jobs": n_jobs})


@dataclass(frozen=True)
class Second(First):
    first: First | None = None


def test_keys_depend_on_what_a_result_depends_on(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("text")
    (tmp_path / "b").write_text("text")
    (tmp_path / "c").write_text("other text")
    a, b, c = (TextFile.of(tmp_path / name) for name in "abc")
    first = First(a, 1)
    assert first.key.startswith("first-")
    assert First(b, 1, label="elsewhere").key == first.key
    assert First(b, 1, label="elsewhere") == first
    keys = {first.key, First(c, 1).key, First(a, 2).key, First(a, 1, 2).key}
    assert len(keys) == 4
    assert Second(a, 1, first=First(a, 1, 2)).key == Second(a, 1, first=first).key
    assert Second(a, 1, first=First(c, 1)).key != Second(a, 1, first=first).key


def test_a_stage_is_ready_while_its_folder_is_there(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path / "out")
    stage = First(TextFile("", tmp_path), 1)
    with workspace.opened():
        stage.folder(workspace).mkdir()
        assert not stage.is_ready(workspace)  # killed before its record was written
        stage.run(workspace, 3)
        assert stage.is_ready(workspace)
        workspace.remove(stage.key)
        assert stage.is_finished(workspace)
        assert not stage.is_ready(workspace)
        stage.run(workspace, 4)  # what it found the first time stays
        assert stage.is_ready(workspace)
        assert workspace.require(stage.key)["jobs"] == 3
