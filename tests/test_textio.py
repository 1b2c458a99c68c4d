"""Streams of bytes: every compression, every way in which a file can be bad."""

import bz2
import gzip
import io
import lzma
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from tartib.errors import DataError
from tartib.textio import ByteStream, count_lines, line_blocks, split_words, text_writer

TEXT = "في البدء\nsecond line\n".encode() * 2000
COMPRESS: dict[str, Callable[[bytes], bytes]] = {
    "": bytes,
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
    ".zst": zstandard.ZstdCompressor().compress,
}


def read_all(path: Path) -> bytes:
    with ByteStream(path) as stream:
        return b"".join(iter(lambda: stream.read(1 << 12), b""))


@pytest.mark.parametrize("suffix", COMPRESS)
def test_what_is_written_is_what_its_name_says(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"text{suffix}"
    with text_writer(tmp_path / "aside", path) as file:
        for line in TEXT.splitlines(keepends=True):
            file.write(line)
    data = (tmp_path / "aside").read_bytes()
    (tmp_path / "aside").rename(path)
    assert read_all(path) == TEXT
    assert (data == TEXT) == (suffix == "")


@pytest.mark.parametrize("suffix", COMPRESS)
@pytest.mark.parametrize("named", [True, False])
def test_any_compression_with_or_without_its_suffix(
    tmp_path: Path, suffix: str, named: bool
) -> None:
    path = tmp_path / (f"text{suffix}" if named else "text")
    path.write_bytes(COMPRESS[suffix](TEXT))
    assert read_all(path) == TEXT


@pytest.mark.parametrize("suffix", [".gz", ".bz2", ".xz", ".zst"])
def test_parts_compressed_one_by_one(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"text{suffix}"
    path.write_bytes(COMPRESS[suffix](TEXT) + COMPRESS[suffix](b"more\n"))
    assert read_all(path) == TEXT + b"more\n"


@pytest.mark.parametrize("suffix", [".gz", ".bz2", ".xz", ".zst"])
def test_truncated_file(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"text{suffix}"
    whole = COMPRESS[suffix](TEXT)
    path.write_bytes(whole[: len(whole) - 5])
    with pytest.raises(
        DataError, match=r"text\..*compressed data is cut short or damaged"
    ) as error:
        read_all(path)
    assert "again" in error.value.hint


@pytest.mark.parametrize("suffix", [".gz", ".bz2", ".xz", ".zst"])
def test_damaged_file(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"text{suffix}"
    whole = bytearray(COMPRESS[suffix](TEXT))
    whole[len(whole) // 2 :] = b"\xff" * (len(whole) - len(whole) // 2)
    path.write_bytes(whole)
    with pytest.raises(DataError, match="compressed data is cut short or damaged"):
        read_all(path)


@pytest.mark.parametrize("suffix", [".gz", ".bz2", ".xz", ".zst"])
@pytest.mark.parametrize(
    ("content", "said"), [(b"plain\n", "is not compressed"), (b"", "is empty")]
)
def test_suffix_without_compression(tmp_path: Path, suffix: str, content: bytes, said: str) -> None:
    path = tmp_path / f"text{suffix}"
    path.write_bytes(content)
    with pytest.raises(DataError, match=f"named {suffix}, but it {said}"):
        read_all(path)


def test_first_bytes_decide_not_the_suffix(tmp_path: Path) -> None:
    path = tmp_path / "text.bz2"
    path.write_bytes(gzip.compress(TEXT))
    assert read_all(path) == TEXT


def test_missing_file(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="nothing: no such file\n  check the name"):
        read_all(tmp_path / "nothing")


def test_folder(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="is a folder, not a file"):
        read_all(tmp_path)


def test_byte_order_mark_is_dropped() -> None:
    assert list(line_blocks(io.BytesIO(b"\xef\xbb\xbfa\nb\n"), 1)) == [b"a\n", b"b\n"]


@given(st.binary(max_size=200), st.integers(1, 5), st.integers(1, 20))
def test_blocks_are_whole_lines(text: bytes, lines: int, chunk: int) -> None:
    class Slow:
        """Gives a few bytes at a time, as a pipe may."""

        def __init__(self) -> None:
            self.rest = io.BytesIO(text)

        def read(self, _size: int, /) -> bytes:
            return self.rest.read(chunk)

    blocks = list(line_blocks(Slow(), lines))
    if not text.startswith(b"\xef"):
        assert b"".join(blocks) == text
    assert all(count_lines(block) == lines for block in blocks[:-1])
    assert all(0 < count_lines(block) <= lines for block in blocks[-1:])


@given(st.binary(max_size=300), st.sampled_from(["", ".gz", ".bz2", ".xz", ".zst"]))
def test_random_bytes_are_read_or_refused(
    tmp_path_factory: pytest.TempPathFactory, content: bytes, suffix: str
) -> None:
    path = tmp_path_factory.mktemp("bytes") / f"file{suffix}"
    magic = COMPRESS[suffix](b"")[:6] if suffix else b""
    path.write_bytes(magic + content)
    try:
        read_all(path)
    except DataError as error:
        assert str(path) in str(error)


def test_closed_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(DataError, match="standard input: is closed"):
        ByteStream("-")


def test_words_are_what_spaces_and_tabs_separate() -> None:
    line = "a\u00a0b  c\td\x0be\u2028f \x1c\r\n"
    assert split_words(line) == ["a\u00a0b", "c", "d\x0be\u2028f", "\x1c"]
    assert split_words(" \t\n") == []


class Pipe:
    """Gives what was written, a piece at a time."""

    def __init__(self, *pieces: bytes) -> None:
        self.pieces = list(pieces)

    def read(self, _size: int, /) -> bytes:
        return self.pieces.pop(0) if self.pieces else b""


def test_blocks_at_once() -> None:
    pipe = Pipe(b"\xef\xbb\xbfa\n", b"b", b"c\nd\ne\nf", b"g", b"\n\n", b"h")
    blocks = line_blocks(pipe, 2, at_once=True)
    assert next(blocks) == b"a\n"
    assert len(pipe.pieces) == 5  # the next line was not waited for
    assert list(blocks) == [b"bc\nd\n", b"e\n", b"fg\n\n", b"h"]
