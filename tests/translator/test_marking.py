"""Forced translations in raw text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, cast
from unittest.mock import Mock

import pytest

from tartib import Decoder, Translator
from tartib.decoder.copies import copies
from tartib.text.normalisation import GAP, GLUE
from tartib.translator import marker_of
from tartib.translator.marking import _MARKS, _prepared_parts
from tests.support import systems

if TYPE_CHECKING:
    from tartib.text import TextModel, TextSide

MARK = "\uffed"


@dataclass(frozen=True)
class Side:
    """Cuts full stops off, with a mark, and makes the first letter small."""

    language: str = "de"

    def prepare(self, line: str) -> str:
        line = " ".join(re.sub(r"\.(?=\s|$)", f" {MARK}.", line).split())
        return line[:1].lower() + line[1:]

    def restore(self, tokens: str | Sequence[str], *, like: str | None = None) -> str:
        text = (tokens if isinstance(tokens, str) else " ".join(tokens)).replace(f" {MARK}", "")
        return text[:1].upper() + text[1:] if like is not None and like[:1].isupper() else text


@dataclass(frozen=True)
class Sides:
    source: Side = Side("de")
    target: Side = Side("en")


@pytest.fixture
def translator(tmp_path: Path) -> Translator:
    decoder = Decoder.load(systems.write_toml(tmp_path, limit=0))
    return Translator(decoder, cast("TextModel", Sides()), n_jobs=1)


def test_placeholders_stay(translator: Translator) -> None:
    found = translator.translate("Every {name} finds www.example.org.")
    forced = [step.target for step in found.translation.best.steps if step.forced]
    assert forced == [("{name}",), ("www.example.org",)]
    assert {"{name}", "www.example.org."} <= set(found.text.split())


def test_terms_keep_their_case(translator: Translator, tmp_path: Path) -> None:
    """Though a sentence that begins with one would have a small letter."""
    (tmp_path / "terms").write_text("Window\tThe Thing.\n")
    translator.marker = marker_of(translator.decoder, translator.text, terms=tmp_path / "terms")
    for line in ("Every old Window.", "Window."):
        found = translator.translate(line)
        assert "The Thing." in found.text
        (step,) = (s for s in found.translation.best.steps if s.forced)
        assert step.target == ("The", "Thing", f"{MARK}.")


def test_tags_in_raw_text(translator: Translator) -> None:
    translator.marker = marker_of(translator.decoder, translator.text, markup="-")
    line = 'Every <x translation="Old R&amp;D">Old Window</x>.'
    found = translator.translate(line)
    assert found.source == "Every Old Window."
    assert found.translation.source == ("every", "Old", "Window", f"{MARK}.")
    assert "Old R&D" in found.text


def test_tags_leave_the_tokens_as_they_are(translator: Translator) -> None:
    """A tag inside of a word cuts it; then each part has tokens of its own."""
    translator.marker = marker_of(translator.decoder, translator.text, markup="-")
    for line, tokens in (
        ('<x translation="A">Every Old</x>.', ["every", "Old", f"{MARK}."]),
        ('Every. <x translation="A">Old.</x>', ["every", f"{MARK}.", "Old", f"{MARK}."]),
        ('Every<x translation="A">Old</x>', ["every", "old"]),
    ):
        found = translator.translate(line)
        assert list(found.translation.source) == tokens
        (forced,) = (step for step in found.translation.best.steps if step.forced)
        assert tokens[forced.start].lower().startswith(("every", "old"))
        assert found.text == found.text[:1].upper() + found.text[1:]


def test_thousands_of_tags_are_parts_by_themselves() -> None:
    """The tokens of what is before each tag would take long."""
    side = Mock(prepare=Mock(side_effect=str.strip))
    parts = ["a house ", "b "] * 2000
    assert _prepared_parts(cast("TextSide", side), parts)[:2] == ["a house", "b"]
    assert side.prepare.call_count == len(parts)


def test_marks_are_those_of_the_text_module() -> None:
    assert set(_MARKS) == {GLUE, GAP}
    assert copies([f"{GAP}{{x}}{GLUE}"])


def test_tokens_are_not_raw(tmp_path: Path) -> None:
    translator = Translator(Decoder.load(systems.write_toml(tmp_path)), n_jobs=1)
    found = translator.translate("every {name}")
    assert not any(step.forced for step in found.translation.best.steps)
