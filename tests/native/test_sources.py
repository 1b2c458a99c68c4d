"""What holds for all C++ sources: their layers, one reader of numbers, no unsafe casts."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

NATIVE = Path(__file__).parents[2] / "native"
SOURCES = sorted(path for path in NATIVE.rglob("*") if path.suffix in (".hpp", ".cpp"))

# From the lowest to the highest, in the order of the Python layers.
LAYERS = (
    "base",
    "bitext",
    "lm",
    "word_classes",
    "alignment",
    "phrases",
    "phrase_table",
    "features",
    "dataset",
    "models",
    "reordering",
    "decoder",
    "tuning",
    "bindings",
)

# What reads or writes numbers by the process' locale, or may; base/numbers.hpp is for that.
_LOCALE = re.compile(
    r"\b(strto(f|d|ld|l|ll|ul|ull)|sto(f|d|ld|i|l|ll|ul|ull)|ato(f|i|l|ll)|v?[sf]?n?w?printf|to_string|to_wstring|setlocale)\b"
    r"|<(iostream|sstream|iomanip|locale|clocale|cstdio|stdio\.h|format)>"
)


def without_comments(path: Path) -> str:
    return re.sub(r"//[^\n]*", "", path.read_text(encoding="utf-8"))


def test_folders_are_layers() -> None:
    assert {path.parent.name for path in SOURCES} == set(LAYERS)
    assert all(path.parent.parent == NATIVE for path in SOURCES)


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_includes_point_downwards(path: Path) -> None:
    included = re.findall(r'#include "([^"]+)"', path.read_text(encoding="utf-8"))
    for name in included:
        assert (NATIVE / name).is_file(), f"{path} includes {name}, which does not exist"
        layer = Path(name).parent.name
        assert LAYERS.index(layer) <= LAYERS.index(path.parent.name), f"{path} includes {name}"


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_numbers_are_read_and_written_in_one_place(path: Path) -> None:
    found = _LOCALE.search(without_comments(path))
    assert found is None, f"{path}: {found[0]}; use base/numbers.hpp"
    if path.name != "numbers.hpp":
        assert "<charconv>" not in path.read_text(encoding="utf-8")


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_no_cast_reads_one_type_as_another(path: Path) -> None:
    assert "reinterpret_cast" not in without_comments(path), "copy_as or std::bit_cast does it"
    assert "may_alias" not in without_comments(path)


def test_only_bindings_know_python() -> None:
    for path in SOURCES:
        if path.parent.name != "bindings":
            assert "nanobind" not in path.read_text(encoding="utf-8"), path
