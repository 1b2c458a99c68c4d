"""Tokens are lossless: what is prepared can be restored."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tartib.text import TextModel, TextOptions, TextSide, learn_text
from tests.support.examples import examples
from tests.text.ordinary import SENTENCES

LANGUAGES = ("en", "de", "fr", "it", "tr", "ar", "he", "hi", "ko", "ja", "zh", "th", "")


def learnt(language: str, **options: object) -> TextSide:
    lines = SENTENCES.get(language, ("",))
    model: TextModel = learn_text(
        ((line, line) for line in lines),
        (language, language),
        TextOptions.model_validate(options),
    )
    return model.source


SIDES = {language: learnt(language, case="none") for language in LANGUAGES}
SIDES["ja, runs"] = learnt("ja", case="none", segmentation="runs")
AS_PEOPLE_WRITE = st.lists(
    st.one_of(
        st.sampled_from("aB1 .,'\"’“”-–()%$@/:;!?&#<>{}|_¿«»…\u00a0\u200b\u200d\ufeff￭▁"),
        st.sampled_from("ßéİışñ日本語のカー、。「」（）ไทยกำअिक्षعَـكةى가はพ你好\u0301\u0654ｱ！"),
        st.sampled_from(['<a b="c d">', "<b c=", " 16. ", "👍🏽", "👩\u200d💻", ': "', "<br />"]),
        st.characters(),
    ),
    max_size=60,
).map("".join)


@pytest.mark.parametrize("language", SENTENCES)
@pytest.mark.parametrize("case", ["none", "true"])
def test_ordinary_sentences_come_back(language: str, case: str) -> None:
    side = learnt(language, case=case, quotes="keep", diacritics="keep")
    for line in SENTENCES[language]:
        assert side.restore(side.prepare(line), like=line) == side.normalise(line)


@pytest.mark.parametrize("language", SENTENCES)
def test_ordinary_sentences_come_back_with_their_signs_made_plain(language: str) -> None:
    side = learnt(language)
    for line in SENTENCES[language]:
        found = side.restore(side.prepare(line), like=line)
        assert side.normalise(found) == side.normalise(line)


@pytest.mark.parametrize("language", SIDES)
@given(line=AS_PEOPLE_WRITE)
@examples(200)
def test_any_text_comes_back(language: str, line: str) -> None:
    side = SIDES[language]
    prepared = side.prepare(line)
    assert side.normalise(side.restore(prepared)) == side.normalise(line)
    assert all(prepared.split(" ")) or not prepared
    assert "|||" not in prepared.split(" ")


@pytest.mark.parametrize("language", LANGUAGES)
@given(line=AS_PEOPLE_WRITE)
@examples(200)
def test_normalising_twice_is_normalising_once(language: str, line: str) -> None:
    normalise = SIDES[language].normalise
    once = normalise(line)
    assert normalise(once) == once
    assert once == " ".join(once.split())
    once.encode()  # no halves of characters


@given(tokens=st.lists(st.text(st.sampled_from("ab.,'\"￭▁日ก-–<>="), min_size=1), max_size=12))
@examples(200)
def test_any_tokens_can_be_restored(tokens: list[str]) -> None:
    for side in SIDES.values():
        restored = side.restore(tokens)
        assert "￭" not in restored
        assert "▁" not in restored
        assert restored == side.restore(" ".join(tokens))
