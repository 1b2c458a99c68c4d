"""Help pages: every command's, on a narrow and on a wide terminal."""

from __future__ import annotations

import re

import pytest
from typer.main import get_command
from typer.testing import CliRunner

from tartib.cli import app
from tartib.cli.help import help_page
from tests.support.command_options import commands, options_of

COMMANDS = commands()


def page(name: str, width: int) -> str:
    context = get_command(app).make_context(name, ["--help"], resilient_parsing=True)
    context.info_name = name
    return re.sub(r"\x1b\[[0-9;]*m", "", help_page(COMMANDS[name], context, width))


@pytest.mark.parametrize("width", [80, 140])
@pytest.mark.parametrize("name", COMMANDS)
def test_a_page_fits_and_breaks_no_word(name: str, width: int) -> None:
    text = page(name, width)
    assert "<" not in text.replace("<s>, </s> and <unk>", "").replace("< input.txt", "")
    assert "None" not in text
    assert max(map(len, text.split("\n"))) <= width
    whole = set(page(name, 10_000).replace("\\\n", " ").split())
    assert {word for word in text.split() if word != "\\"} <= whole


@pytest.mark.parametrize("name", COMMANDS)
def test_a_page_begins_with_what_one_can_do_and_has_an_example(name: str) -> None:
    first, usage, *others = page(name, 80).split("\n\n")
    assert re.match(r"[A-Z]", first)
    assert first.endswith(".")
    assert usage.startswith("Usage: ")
    if not hasattr(COMMANDS[name], "commands"):
        lines = "\n".join(others).split("\n")
        assert any(line.startswith(f"    {name}") for line in lines), "no example"


@pytest.mark.parametrize("name", COMMANDS)
def test_options_are_named_and_explained(name: str) -> None:
    for long, option in options_of(COMMANDS[name]).items():
        assert option.help, long
        assert option.is_flag or option.metavar, long


def test_the_commands_print_these_pages() -> None:
    done = CliRunner().invoke(app, ["lm", "query", "--help"], env={"COLUMNS": "80"})
    assert done.stdout.startswith("Print ")
    assert "      --words  " in done.stdout
    assert "-j, --jobs N" in done.stdout


def test_long_commands_go_on_with_a_backslash() -> None:
    text = page("tartib experiment translation", 80)
    example = next(part for part in text.split("\n\n") if part.startswith("    tartib experiment"))
    first, *others = example.split("\n")
    assert first.endswith(" \\")
    assert others[-1].startswith("        ")
    assert others[-1].endswith(" results/")
