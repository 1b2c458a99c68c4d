"""System folders, and system files in other folders than what they name."""

import shutil
from pathlib import Path

import pytest

from tartib import DataError, Decoder
from tartib.decoder import System
from tests.support import systems

HIER = "hier-msd-backward-fe"
SENTENCE = "every empty queen likes every heavy horse often ."


def said(decoder: Decoder) -> list[tuple[str, float]]:
    return [(t.text, t.best.total) for t in decoder.translate([SENTENCE], n_jobs=1)]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A system folder with all that it needs."""
    found = tmp_path / "system"
    found.mkdir()
    for name in ("phrase-table", "lm.o3.arpa", f"reordering-table.{HIER}"):
        shutil.copy(systems.GOLDEN / name, found)
    toml = systems.write_toml(tmp_path, HIER)
    (found / "system.toml").write_text(toml.read_text().replace(f"{systems.GOLDEN}/", ""))
    toml.unlink()
    return found


def test_a_system_folder_can_be_moved_and_copied(folder: Path, tmp_path: Path) -> None:
    expected = said(Decoder.load(folder))
    assert expected == said(Decoder.load(folder / "system.toml"))
    copy = Path(shutil.copytree(folder, tmp_path / "a" / "copy"))
    moved = folder.rename(tmp_path / "moved")
    assert said(Decoder.load(copy)) == said(Decoder.load(moved)) == expected
    system = System.read(copy)
    assert {path.parent for path in system.paths} == {copy}
    tuned = system.write(copy / "tuned.toml")
    assert 'lm = "lm.o3.arpa"' in tuned.read_text()
    (tmp_path / "link").symlink_to(copy)
    assert said(Decoder.load(tmp_path / "link")) == expected


def test_a_folder_without_a_system_file(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"is a folder without system\.toml, so it is not a system"):
        System.read(tmp_path)


def test_a_packed_system(folder: Path, tmp_path: Path) -> None:
    packed = shutil.make_archive(str(tmp_path / "packed"), "zip", folder)
    with pytest.raises(DataError, match=r"packed\.zip: is a zip file\n.*unzip it"):
        System.read(packed)


def test_a_copied_file_says_what_is_missing_and_what_to_do(folder: Path, tmp_path: Path) -> None:
    away = tmp_path / "away"
    away.mkdir()
    tuned = System.read(folder).write(tmp_path / "tuned.toml")
    shutil.move(tuned, away / "tuned.toml")
    with pytest.raises(DataError, match=r"no such file or folder \(and 2 more\)") as caught:
        Decoder.load(away / "tuned.toml")
    error = caught.value
    assert error.problem.startswith(str(away / "system" / "phrase-table"))
    assert f"relative to the folder of the system file, {away}." in error.hint
    names = ("phrase-table", "lm.o3.arpa", f"reordering-table.{HIER}")
    listed = ", ".join(f"system/{name}" for name in names)
    assert f"copy what it names, too ({listed}), or write absolute paths" in error.hint
    shutil.copytree(folder, away / "system")  # as it says
    assert said(Decoder.load(away / "tuned.toml")) == said(Decoder.load(folder))


def test_a_text_module_is_a_part(folder: Path, tmp_path: Path) -> None:
    path = folder / "system.toml"
    assert System.read(folder).text_folder is None
    path.write_text('text = "text"\n' + path.read_text())
    system = System.read(folder)
    assert system.text_folder == folder / "text"
    assert system.text_folder in system.paths
    with pytest.raises(DataError, match="text: no such file or folder"):
        system.load()
    (folder / "text").mkdir()
    assert said(system.load())  # tokens are translated without it
    written = system.write(tmp_path / "other.toml")
    assert 'text = "system/text"' in written.read_text()
    assert System.read(written).model_dump() == system.model_dump() | {
        "phrase_table": Path("system/phrase-table"),
        "lm": Path("system/lm.o3.arpa"),
        "text": Path("system/text"),
        "reordering": (
            system.reordering[0].model_dump()
            | {"table": Path("system") / (system.reordering[0].table or "")},
        ),
    }
