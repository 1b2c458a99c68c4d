"""Control characters of a corpus are shown, not obeyed; files and pipes keep them exactly."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.support import paths, systems
from tests.support.commands import tartib, tartib_here
from tests.support.terminal import on_terminal

WORD = "a\x1b]0;title\x07b\x9b2Jc\u202ed"
ACTING = ("\x1b]0;", "\x07", "\x9b", "\u202e")


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("escapes")
    for side in ("source", "target"):
        (folder / side).write_text(f"{WORD} x\n", encoding="utf-8")
    (folder / "links").write_text("0-0 1-1\n")
    sides = ("-s", folder / "source", "-t", folder / "target", "-a", folder / "links")
    tartib_here("extract", *sides, "--out", folder / "phrases")
    return folder


def test_show(corpus: Path) -> None:
    for said in (
        tartib_here("show", corpus / "phrases").stdout,
        tartib_here("show", corpus / "phrases", "--json").stdout,
        on_terminal("show", corpus / "phrases"),
    ):
        assert not [sign for sign in ACTING if sign in said]
    pairs = json.loads(tartib_here("show", corpus / "phrases", "--json").stdout)["pairs"]
    assert WORD in pairs[0]["source"]  # programs read what is there


def test_errors(corpus: Path, tmp_path: Path) -> None:
    (tmp_path / "links").write_bytes(b"0-\x1b[31m0\n")
    sides = ("-s", corpus / "source", "-t", corpus / "target", "-a", tmp_path / "links")
    said = tartib_here("extract", *sides, "--out", tmp_path / "out", code=1).stderr
    assert r"malformed link 0-\x1b[31m0" in said
    assert "\x1b" not in said
    said = tartib_here("show", tmp_path / "no\x1b[31mfolder", code=1).stderr
    assert "\x1b" not in said


def test_translations(tmp_path: Path) -> None:
    """A word that no table knows stays as it is: exactly in a pipe, shown on a terminal."""
    system = systems.write_toml(tmp_path)
    (tmp_path / "text").write_text(f"{WORD}\n", encoding="utf-8")
    assert tartib("translate", system, tmp_path / "text").stdout.strip("\n") == WORD
    tartib("translate", system, tmp_path / "text", "--out", tmp_path / "out")
    assert (tmp_path / "out").read_text(encoding="utf-8") == f"{WORD}\n"
    said = on_terminal("translate", system, tmp_path / "text")
    assert r"a\x1b]0;title\x07b\u009b2Jc\u202ed" in said
    assert not [sign for sign in ACTING if sign in said]


def test_traces(tmp_path: Path) -> None:
    """Words are shown with escapes; the marks around right-to-left words do their work."""
    system = systems.write_toml(tmp_path)
    (tmp_path / "text").write_text(f"{WORD} كتاب\n", encoding="utf-8")
    arguments = ("translate", system, tmp_path / "text", "--trace-out", "-")
    for said in (tartib(*arguments).stderr, on_terminal(*arguments)):
        assert "\u2068كتاب\u2069" in said
        assert r"a\x1b]0;title\x07b\u009b2Jc\u202ed" in said
        assert "\\u2068" not in said


def test_commands_print_through_one_module() -> None:
    """`typer.echo` and `print` know nothing of escapes."""
    folder = paths.REPOSITORY / "src" / "tartib" / "cli"
    for path in folder.glob("*.py"):
        text = path.read_text(encoding="utf-8")
        found = re.findall(r"typer\.echo\(|(?<![\w.])print\(|sys\.std\w+\.buffer\.write\(", text)
        allowed = {"output.py": len(found), "__init__.py": 1}.get(path.name, 0)  # --version
        assert len(found) <= allowed, path
