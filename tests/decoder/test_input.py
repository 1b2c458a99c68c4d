"""Sentences to translate, read as training reads its text."""

import gzip
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tartib.bitext import Bitext, ReadOptions
from tartib.decoder.input import Fingerprint, SentenceReader
from tartib.errors import DataError
from tartib.textio import split_words

LETTERS = "ab \t\r\x0b\x0c\x1c\x85\u00a0\u2028\u3000\u200f"


class Pieces:
    """A stream that gives what it has in given pieces."""

    def __init__(self, pieces: list[bytes]) -> None:
        self._pieces = [piece for piece in pieces if piece]

    def read(self, _: int | None = -1, /) -> bytes:
        return self._pieces.pop(0) if self._pieces else b""


@given(st.lists(st.text(st.sampled_from(LETTERS + "\n"), max_size=8).map(str.encode), max_size=6))
def test_lines_end_at_line_feeds_only(pieces: list[bytes]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stdin", SimpleNamespace(buffer=Pieces(pieces)))
        found = list(SentenceReader("-"))
    expected = b"".join(pieces).decode().split("\n")
    assert found == (expected if expected[-1] else expected[:-1])


@given(st.text(st.sampled_from(LETTERS), max_size=12))
def test_words_are_those_of_training(line: str) -> None:
    text = Bitext.from_lines([line], ["x"], options=ReadOptions(skip_empty=True)).source
    assert [text.vocabulary[i] for i in text.ids.tolist()] == split_words(line)


def test_a_mark_at_the_beginning_is_no_letter(tmp_path: Path) -> None:
    path = tmp_path / "text.gz"
    path.write_bytes(gzip.compress(b"\xef\xbb\xbfa b\n\nc"))
    with SentenceReader(path) as reader:
        assert list(reader) == ["a b", "", "c"]
    fingerprint = Fingerprint.of(path)
    assert fingerprint is not None
    assert fingerprint.lines == 3
    assert Fingerprint.of("-") is None


def test_bad_text_has_a_line(tmp_path: Path) -> None:
    (tmp_path / "text").write_bytes(b"a\n\xff\n")
    with SentenceReader(tmp_path / "text") as reader, pytest.raises(DataError, match="text:2: inv"):
        list(reader)
