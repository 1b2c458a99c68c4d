"""Paragraphs cut into sentences, and put together."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tartib.text import join_sentences, split_sentences
from tests.support.examples import examples
from tests.text.ordinary import SENTENCES


@pytest.mark.parametrize(
    ("language", "sentences"),
    [
        ("en", ["Mr. Smith left at 5 p.m. on Monday.", "He (J. R. Jones) said: “No!”", "Why? "]),
        ("en", ["It cost $3.50.", "See www.example.org.", "Then e.g. the U.S. Senate voted."]),
        ("en", ["“Really?” he asked.", "“Yes.”", "It was 2004.", "The end..."]),
        ("de", ["Am 13. Dezember kam Dr. Kohl.", "Das war 2004.", "Z. B. hier, bzw. dort."]),
        ("de", ["„Wirklich?“", "Er lachte – und ging.", "Nr. 5 blieb!"]),
        ("es", ["¿Dónde está el Sr. García?", "¡No lo sé!", "«Bien», dijo."]),
        ("fr", ["M. Dupont est là.", "« Bien ! »", "Oui."]),
        ("ru", ["Он родился в 1950 г. в Москве.", "Это всё.", "Почему?"]),
        ("ar", ["هل رأيته؟", "نعم."]),
        ("hi", ["यह किताब है।", "वह घर है।"]),
        ("el", ["Πού είναι;"]),
        ("", [""]),
    ],
)
def test_sentences(language: str, sentences: list[str]) -> None:
    sentences = [sentence.strip() for sentence in sentences if sentence]
    assert split_sentences(" ".join(sentences), language) == sentences


def test_sentences_without_spaces_between_them() -> None:
    text = "彼は「行く。」と言った。本当？はい！3.5は数。"
    found = split_sentences(text, "ja")
    assert found[-3:] == ["本当？", "はい！", "3.5は数。"]
    assert join_sentences(found) == text
    assert split_sentences("他来了。你呢？“好。”他说。", "zh")[:2] == ["他来了。", "你呢？"]


@pytest.mark.parametrize("language", SENTENCES)
def test_paragraphs_come_back(language: str) -> None:
    paragraph = join_sentences(SENTENCES[language])
    assert join_sentences(split_sentences(paragraph, language)) == paragraph


@given(st.text(st.sampled_from("aA1 .!?。」\"'(\n-") | st.characters(), max_size=60))
@examples(200)
def test_nothing_gets_lost(text: str) -> None:
    sentences = split_sentences(text, "de")
    assert "".join("".join(sentences).split()) == "".join(text.split())
    assert all(sentences)


def test_long_paragraphs() -> None:
    assert len(split_sentences("Das ist es. " * 20_000, "de")) == 20_000
    split_sentences("." * 100_000 + "A. " * 20_000 + " " * 100_000, "de")
