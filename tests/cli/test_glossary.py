"""The glossary: every option of every command, with one type and one meaning."""

from __future__ import annotations

from pathlib import Path

import pytest
from pydantic import BaseModel

from tartib.decoder import SearchOptions
from tartib.experiments import ClassificationOptions, TranslationOptions
from tests.support.command_options import commands, options_of

GLOSSARY = Path(__file__).parents[2] / "docs" / "glossary.md"
# What an option takes, as its help page says it, and the glossary's word for that.
TYPES: dict[str | None, str] = {
    **dict.fromkeys(("FILE", "FOLDER", "PATH", "FILE FILE", "PREFIX"), "path"),
    **dict.fromkeys(("SHARE", "SHARES"), "share"),
    **dict.fromkeys(("N", "NUMBER", "NUMBERS"), "number"),
    **dict.fromkeys(("NAME", "NAMES", "WORD", "LANGUAGES"), "name"),
    "STAGE.OPTION=VALUE": "setting",
    None: "flag",
}


def rows() -> dict[str, tuple[str, str, set[str]]]:
    """Return type, meaning and commands of the options in the glossary."""
    found = {}
    for line in GLOSSARY.read_text(encoding="utf-8").splitlines():
        if line.startswith("| `--"):
            option, kind, meaning, users = (part.strip() for part in line.strip("|").split(" | "))
            assert option not in found, f"{option} is there twice"
            found[option.strip("`")] = (kind, meaning, set(users.split(", ")))
    return found


def options() -> dict[str, dict[str, str]]:
    """Return the type of each option by command."""
    found: dict[str, dict[str, str]] = {}
    for name, command in commands().items():
        for long, option in options_of(command).items():
            kind = TYPES[None if option.is_flag else option.metavar]
            found.setdefault(long, {})[name.removeprefix("tartib ")] = kind
    return found


def test_options_and_glossary_are_the_same() -> None:
    assert sorted(rows()) == sorted(options())


@pytest.mark.parametrize("option", sorted(options()))
def test_an_option_has_one_type_and_its_commands_are_named(option: str) -> None:
    kind, meaning, users = rows()[option]
    assert set(options()[option].values()) == {kind}
    assert users == set(options()[option])
    assert meaning


def test_no_two_options_mean_the_same() -> None:
    meanings = [meaning for _, meaning, _ in rows().values() if meaning != "several of them"]
    assert len(meanings) == len(set(meanings))


@pytest.mark.parametrize("model", [ClassificationOptions, TranslationOptions, SearchOptions])
def test_keys_of_toml_files_are_options(model: type[BaseModel]) -> None:
    keys = {f"--{field.replace('_', '-')}" for field in model.model_fields}
    assert keys - set(options()) == set()


def test_terms_are_there_once_and_sorted() -> None:
    text = GLOSSARY.read_text(encoding="utf-8").partition("## Options")[0]
    lines = [line for line in text.splitlines() if line.startswith("| ")][1:]
    terms = [line.removeprefix("| ").split(" | ")[0].strip("`").lower() for line in lines]
    assert len(terms) == len(set(terms)) > 40
    assert terms == sorted(terms, key=lambda term: term.replace("ε", "epsilon"))
