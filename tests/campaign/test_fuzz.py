"""Damaged files of every format are refused, or give what undamaged ones do; nothing crashes."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import tartib
from tartib.reordering import KINDS
from tests.campaign.formats import FORMATS
from tests.support.campaigns import run_campaign


def named_formats() -> Iterator[str]:
    """Find what ``meta.json`` files are told to be: constants such as FORMAT = "tartib …"."""
    for path in Path(tartib.__file__).parent.rglob("*.py"):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.Assign):
                for part in ast.walk(node.value):
                    if isinstance(part, ast.Constant) and str(part.value).startswith("tartib "):
                        yield str(part.value)


def test_every_format_has_a_fuzzer() -> None:
    fuzzed = {constant for form in FORMATS.values() for constant in form.constants}
    assert set(named_formats()) == fuzzed
    assert {f"model-{kind}" for kind in KINDS} <= set(FORMATS)


@pytest.mark.parametrize("count", [5, pytest.param(200, marks=pytest.mark.campaign)])
def test_damaged_files(count: int) -> None:
    run_campaign("fuzz", "--count", count)
