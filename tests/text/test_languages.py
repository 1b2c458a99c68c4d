"""Languages of file names."""

from __future__ import annotations

import pytest

from tartib import OptionError
from tartib.text import check_language, language_of


@pytest.mark.parametrize(
    ("name", "language"),
    [
        ("train.raw.de.xz", "de"),
        ("/data/en/train.fr", "fr"),
        ("europarl-v7.de-en.en", "en"),
        ("europarl-v7.de-en.de.gz", "de"),
        ("corpus.ar", "ar"),
        ("de.txt", "de"),
        ("train_ja.txt.zst", "ja"),
        ("news-2013.deu", "de"),
        ("wiki.zh-CN", "zh"),
        ("wiki.pt_BR.txt", "pt"),
        ("wiki.zh-Hant", "zh"),
        ("german.txt", "de"),
        ("train.tok", ""),
        ("corpus.txt", ""),
        ("corpus.de-en", ""),
        ("", ""),
        ("-", ""),
    ],
)
def test_language_of(name: str, language: str) -> None:
    assert language_of(name) == language


@pytest.mark.parametrize(
    ("given", "code"),
    [
        ("de", "de"), ("DE", "de"), ("deu", "de"), ("German", "de"), ("english", "en"),
        ("pt-BR", "pt"), ("zh_Hant_TW", "zh"), ("tok", "tok"), ("xx", "xx"), ("", ""),
    ],
)  # fmt: skip
def test_check_language(given: str, code: str) -> None:
    assert check_language(given) == code


@pytest.mark.parametrize("given", ["klingon", "d", "d1", "train.de", "de|en", "-de", "dé"])
def test_what_is_no_code_is_an_error(given: str) -> None:
    with pytest.raises(OptionError, match="is not a code of a language"):
        check_language(given)
