"""Optional libraries, where they are installed."""

from __future__ import annotations

from pathlib import Path

import pytest

from tartib import unverified
from tartib.errors import DataError, OptionError
from tartib.text import TextModel, TextOptions, learn_text
from tests.text.ordinary import SENTENCES

LANGUAGES = ("de", "en", "ar", "hi", "ja", "th")


def learnt(language: str, **options: object) -> TextModel:
    pairs = [(line, line) for line in SENTENCES[language]] * 3
    return learn_text(pairs, (language, language), TextOptions.model_validate(options))


@pytest.mark.parametrize("method", ["bpe", "unigram"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_pieces_come_back(language: str, method: str, tmp_path: Path) -> None:
    pytest.importorskip("sentencepiece")
    model = learnt(language, subwords=method, subword_size=100, segmentation="characters")
    model.save(tmp_path / "text")
    loaded = TextModel.load(tmp_path / "text")
    for line in [*SENTENCES[language], *SENTENCES["en"], *SENTENCES["ja"], "x\x00￭▁ ||| 😀"]:
        prepared = loaded.source.prepare(line)
        assert prepared == model.source.prepare(line)
        restored = loaded.source.restore(prepared, like=line)
        if line in SENTENCES[language]:
            assert loaded.source.normalise(restored) == loaded.source.normalise(line)


def test_pieces_of_text_without_spaces() -> None:
    pytest.importorskip("sentencepiece")
    side = learnt("ja", subwords="unigram", subword_size=200).source
    assert side.segmentation == "runs"
    line = "2004年、彼は東京へ行きました。"
    tokens = side.prepare(line).split()
    assert 5 < len(tokens) < len(line)
    assert side.restore(tokens) == line


def test_pieces_have_marks_and_addresses_have_none() -> None:
    pytest.importorskip("sentencepiece")
    side = learnt("de", subwords="bpe", subword_size=100).source
    tokens = side.prepare("(Müllersche) info@beispiel.de 1.234,56 {name}").split()
    assert tokens[-3:] == ["info@beispiel.de", "1.234,56", "{name}"]
    assert len(tokens) > 5
    assert side.restore(tokens) == "(Müllersche) info@beispiel.de 1.234,56 {name}"


def test_the_same_text_gives_the_same_pieces() -> None:
    pytest.importorskip("sentencepiece")
    for method in ("bpe", "unigram"):
        first, again = (learnt("de", subwords=method).source.subwords for _ in range(2))
        assert first is not None
        assert again is not None
        assert first.model == again.model


def test_a_damaged_model_of_pieces(tmp_path: Path) -> None:
    pytest.importorskip("sentencepiece")
    learnt("de", subwords="bpe").save(tmp_path / "text")
    path = tmp_path / "text" / "source.subwords"
    path.write_bytes(path.read_bytes()[:100])
    with pytest.raises(DataError, match="damaged"):
        TextModel.load(tmp_path / "text")
    with unverified(), pytest.raises(DataError, match="is not a model of sentencepiece"):
        TextModel.load(tmp_path / "text")


def test_no_words_to_learn_pieces_from() -> None:
    pytest.importorskip("sentencepiece")
    with pytest.raises(OptionError, match="no words to learn subwords from"):
        learn_text([("1", "2")], ("", ""), TextOptions.model_validate({"subwords": "bpe"}))


@pytest.mark.parametrize(("language", "library"), [("ja", "fugashi"), ("zh", "jieba")])
@pytest.mark.filterwarnings("ignore")
def test_dictionaries(language: str, library: str) -> None:
    pytest.importorskip(library)
    side = learnt(language).source
    assert side.segmentation == library
    for line in SENTENCES[language]:
        prepared = side.prepare(line)
        assert side.normalise(side.restore(prepared)) == side.normalise(line)
    if language == "ja":
        assert "東京" in side.prepare("東京へ行きます。").split()
    else:
        assert "北京" in side.prepare("我明天去北京。").split()
