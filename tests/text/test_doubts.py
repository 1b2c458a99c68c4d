"""Warnings about lines that are not like the training text."""

from __future__ import annotations

import pytest

from tartib.text import TextModel, learn_text

GERMAN = [
    "Das ist das Haus, in dem die Familie wohnt.",
    "Ich habe es nicht gewusst, und er hat es auch nicht gesagt.",
    "Die Kinder sind im Garten, aber der Hund ist es nicht.",
    "Wir haben das Buch, das auf dem Tisch liegt, nicht gesehen.",
] * 5
ENGLISH = [
    "This is the house in which the family lives, you know.",
    "I did not know it, and he has not said it, either.",
    "The children are in the garden, but the dog is not.",
    "We have not seen the book that lies on the table, you see.",
] * 5
JAPANESE = ["自分 の 事 を しろ 。", "私 は 少し も 泳げ な い 。"] * 10


@pytest.fixture(scope="module")
def model() -> TextModel:
    return learn_text(zip(GERMAN, ENGLISH, strict=True), ("de", "en"))


def test_ordinary_lines_are_not_doubted(model: TextModel) -> None:
    assert model.source.doubts(GERMAN, model.target) == []
    assert model.target.doubts(ENGLISH, model.source) == []
    assert model.source.doubts(["Guten Tag!"], model.target) == []
    assert model.source.doubts([], model.target) == []
    assert model.source.doubts(["ja", "1,5 %"], model.target) == []


def test_another_script(model: TextModel) -> None:
    (warning,) = model.source.doubts(["Привет, как дела у тебя сегодня?"], model.target)
    assert warning == "100% of the letters are Cyrillic; the training text was Latin"


def test_one_short_line_in_another_script(model: TextModel) -> None:
    (warning,) = model.source.doubts(["Привет!"], model.target)
    assert warning == "100% of the letters are Cyrillic; the training text was Latin"
    assert model.source.doubts(["Das ist Привет"], model.target) == []
    assert model.source.doubts(["я"], model.target) == []


def test_the_other_language(model: TextModel) -> None:
    (warning,) = model.source.doubts(["This is not what we have seen in the garden."], model.target)
    assert warning == "it looks like en, not like de: are the languages swapped?"
    assert model.source.doubts(["This is not what we have seen in the garden."]) == []


def test_tokenised_or_without_capitals(model: TextModel) -> None:
    (warning,) = model.source.doubts(["Das ist , wie ich sagte , das Haus ."], model.target)
    assert warning.startswith("it looks tokenised (spaces before commas and full stops)")
    (warning,) = model.source.doubts(["das ist, wie ich sagte, das haus in dem garten."])
    assert warning.startswith("it has no capitals, and the training text had")


def tokenised(lines: list[str]) -> list[str]:
    return [line.lower().replace(",", " ,").replace(".", " .") for line in lines]


def test_raw_lines_to_a_tokenised_side() -> None:
    pairs = zip(tokenised(GERMAN), tokenised(ENGLISH), strict=True)
    side = learn_text(pairs, ("de", "en")).source
    warnings = side.doubts(GERMAN[:2])
    assert [warning.split(",")[0] for warning in warnings] == [
        "it looks like raw text",
        "it has capitals",
    ]
    assert side.prepare("Das ist (so), das.") == "das ist ( so ) , das ."
    assert side.restore("das ist , das .") == "das ist , das ."


def test_segmented_or_not() -> None:
    segmented = learn_text(zip(JAPANESE, JAPANESE, strict=True), ("ja", "ja")).source
    raw = [line.replace(" ", "") for line in JAPANESE]
    assert not segmented.unspaced
    assert segmented.prepare(JAPANESE[0]) == JAPANESE[0]
    assert any("no spaces between words" in warning for warning in segmented.doubts(raw))
    assert any("no spaces between words" in warning for warning in segmented.doubts(raw[1:2]))
    assert segmented.doubts(["東京"]) == []
    side = learn_text(zip(raw, raw, strict=True), ("ja", "ja")).source
    assert side.unspaced
    assert any("has spaces between words" in warning for warning in side.doubts(JAPANESE))
