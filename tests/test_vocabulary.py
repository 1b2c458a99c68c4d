"""Words and ids."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tartib import DataError, Vocabulary

pytestmark = pytest.mark.native
WORDS = st.text(
    st.characters(exclude_characters=" \t\n", exclude_categories=["Cs"]), min_size=1, max_size=12
)


@given(st.lists(WORDS, max_size=60))
def test_agrees_with_a_dictionary(words: list[str]) -> None:
    expected: dict[str, int] = {}
    vocabulary = Vocabulary()
    for word in words:
        assert vocabulary.add(word) == expected.setdefault(word, len(expected))
    assert list(vocabulary) == list(expected)
    assert len(vocabulary) == len(expected)
    for word, number in expected.items():
        assert vocabulary.id(word) == number
        assert vocabulary[number] == word
        assert word in vocabulary
    assert vocabulary.id("never seen\t") is None


def test_many_words() -> None:
    words = [f"w{i}" for i in range(50_000)]
    vocabulary = Vocabulary(words)
    assert len(vocabulary) == 50_000
    assert all(vocabulary.id(word) == i for i, word in enumerate(words))


@pytest.mark.parametrize("word", ["", "a b", "a\tb", "a\n"])
def test_refuses_what_is_no_word(word: str) -> None:
    with pytest.raises(ValueError, match="not a word"):
        Vocabulary([word])


@pytest.mark.parametrize("index", [-1, 1, 1 << 40])
def test_unknown_id(index: int) -> None:
    with pytest.raises(IndexError):
        Vocabulary(["a"])[index]


def test_save_and_load(tmp_path: Path) -> None:
    Vocabulary(["كتاب", "a\u2028b", "c"]).save(tmp_path / "words")
    assert list(Vocabulary.load(tmp_path / "words")) == ["كتاب", "a\u2028b", "c"]


@pytest.mark.parametrize(
    ("content", "line"), [(b"a\nb", 2), (b"a\na\n", 2), (b"a\n\n", 2), (b"\xff\n", 1)]
)
def test_damaged_file(tmp_path: Path, content: bytes, line: int) -> None:
    (tmp_path / "words").write_bytes(content)
    said = f"words:{line}: an empty, repeated or incomplete word"
    with pytest.raises(DataError, match=said):
        Vocabulary.load(tmp_path / "words")


def test_missing_file(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="cannot be read"):
        Vocabulary.load(tmp_path / "words")
