"""``tartib translate`` with tags and glossaries."""

import json
from pathlib import Path

import pytest

from tests.support import systems
from tests.support.commands import invoke, tartib_here
from tests.support.systems import SOURCE

NAME = "hier-mslr-bidirectional-fe"


@pytest.fixture
def system(tmp_path: Path) -> Path:
    return systems.write_toml(tmp_path, NAME, stack_size=50)


def translated(*arguments: object, stdin: str) -> str:
    return invoke("translate", *arguments, stdin=stdin).stdout


def refused(*arguments: object, code: int = 1) -> str:
    return " ".join(tartib_here("translate", *arguments, code=code).stderr.split())


def test_markup(system: Path) -> None:
    text = 'every <x translation="new thing||other thing" prob="0.1||0.9">old window</x> .\n'
    (found,) = translated(system, "--markup", stdin=text).splitlines()
    assert "other thing" in found
    plain = translated(system, stdin=text)
    assert 'translation="new' in plain
    (line,) = translated(system, "--markup", "--json", stdin=text).splitlines()
    forced = [step for step in json.loads(line)["steps"] if step["forced"]]
    assert [(s["source"], s["target"]) for s in forced] == [("old window", "other thing")]


def test_terms(system: Path, tmp_path: Path) -> None:
    terms = tmp_path / "terms.tsv"
    terms.write_text("# ours\nold window\tNEW THING\nOLD\tshorter\n")
    text = "every old window .\nold\n"
    first, second = translated(system, "--terms", terms, stdin=text).splitlines()
    assert "NEW THING" in first
    assert second != "shorter"
    found = translated(system, "--terms", terms, "--ignore-case", stdin=text).splitlines()
    assert found == [first, "shorter"]
    both = translated(system, "--terms", terms, "--inclusive", "--json", stdin=text)
    assert len(both.splitlines()) == 2


def test_mistakes_have_their_line(system: Path, tmp_path: Path) -> None:
    text = tmp_path / "text"
    text.write_text('a\na <x translation="b">c\n')
    said = refused(system, text, "--markup")
    assert "text:2: a tag is not closed" in said
    (tmp_path / "terms").write_text("a b\n")
    said = refused(system, text, "--terms", tmp_path / "terms")
    assert "terms:1: 0 tabs instead of one" in said
    for arguments, problem in (
        (["--ignore-case"], "--ignore-case needs --terms"),
        (["--inclusive"], "--inclusive needs --terms or --markup"),
        (["--markup", "--documents"], "--markup has one sentence on each line"),
    ):
        assert problem in refused(system, *arguments, code=2)


def test_resuming_with_another_glossary(system: Path, tmp_path: Path) -> None:
    """What a glossary did before is not continued with a changed one; a mistake has its line."""
    lines = SOURCE.read_text().splitlines()[:5]
    text, out, terms = tmp_path / "text", tmp_path / "out", tmp_path / "terms"
    text.write_text("\n".join([*lines, "<x>", ""]))
    terms.write_text("every\tANY\n")
    options = [system, text, "--out", out, "--markup", "--terms", terms]
    assert "text:6: a tag is not closed" in refused(*options)
    assert "text:6:" in refused(*options, "--resume")
    terms.write_text("every\tALL\n")
    assert "forced" in refused(*options, "--resume")
