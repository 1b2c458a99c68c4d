"""`import tartib`: what it exports, and what the documentation uses."""

import importlib
import importlib.util
import re
from pathlib import Path

import pytest

import tartib

ROOT = Path(__file__).parents[1]
PAGES = sorted(
    path
    for path in (ROOT / "README.md", *(ROOT / "docs").rglob("*.md"))
    if "results" not in path.parts
)


def names_used(text: str) -> set[str]:
    """Return what stands after ``tartib.`` or is imported from a module of Tartib."""
    found = set(re.findall(r"\btartib\.(\w+(?:\.\w+)*)", text))
    for module, names in re.findall(r"^from tartib\.?([\w.]*) import ([\w, ]+)$", text, re.M):
        found |= {f"{module}.{name.strip()}".lstrip(".") for name in names.split(",")}
    return found


def exists(name: str) -> bool:
    """Tell whether a dotted name leads to a module or to something in one."""
    found: object = tartib
    path = "tartib"
    for part in name.split("."):
        path = f"{path}.{part}"
        if hasattr(found, part):
            found = getattr(found, part)
        elif importlib.util.find_spec(path) is not None:
            found = importlib.import_module(path)
        else:
            return False
    return True


def test_names_are_found_in_text() -> None:
    text = "`tartib.Decoder.load`\nfrom tartib import A, B\nfrom tartib.lm import C\n"
    assert names_used(text) == {"Decoder.load", "A", "B", "lm", "lm.C"}
    assert exists("Decoder.load")
    assert exists("reordering.model")
    assert not exists("reordering.nothing")
    assert not exists("Nothing")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_names_in_the_documentation_exist(page: Path) -> None:
    unknown = {name for name in names_used(page.read_text()) if not exists(name)}
    assert unknown == set()


def test_everything_exported_can_be_loaded() -> None:
    assert set(tartib.__all__) <= set(dir(tartib))
    for name in tartib.__all__:
        assert getattr(tartib, name) is not None
    for name in ("compare", "read_svmlight", "Prior", "run_classification", "run_translation"):
        assert name in tartib.__all__
