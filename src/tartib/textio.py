"""Bytes of text files, plain or compressed, in blocks of whole lines.

Compression is recognised by a file's first bytes, so a missing suffix does no harm; what is written
is compressed as its name says.
"""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import sys
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path
from typing import BinaryIO, Protocol, cast

import numpy as np
import zstandard

from tartib.errors import DataError
from tartib.wording import counted

STANDARD_INPUT = "-"
BLOCK_LINES = 10_000
# Limits, which docs/formats.md lists.
MAX_LINE = 1 << 20  # bytes
MAX_EXPANSION = 1000  # bytes that a byte of compressed data may become,
FREE_EXPANSION = 1 << 30  # in files that become larger than this
_CHUNK = 1 << 20
_ZSTD_CHUNK = 1 << 13  # what is read becomes at most some 32,000 times as large, in memory
_SAMPLE = 1 << 12
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")


Text = str | Path | Iterable[str]  # a file's name, or lines


class Readable(Protocol):
    """Anything that gives bytes."""

    def read(self, size: int, /) -> bytes:
        """Return some bytes, about ``size`` of them; none at the end."""
        ...


class Writable(Protocol):
    """Anything that takes bytes."""

    def write(self, data: bytes, /) -> int:
        """Take all of them."""
        ...


class _ZstdReader:
    """Zstandard frames in a row; unlike the package's own reader, a cut one is an error."""

    def __init__(self, raw: Readable) -> None:
        self._raw = raw
        self._frame = zstandard.ZstdDecompressor().decompressobj()
        self._started = False

    def read(self, _size: int, /) -> bytes:
        while True:
            rest = self._frame.unused_data if self._frame.eof else b""
            chunk = rest or self._raw.read(_ZSTD_CHUNK)
            if not chunk:
                if self._started and not self._frame.eof:
                    raise EOFError("the last frame is cut short")
                return b""
            if self._frame.eof:
                self._frame = zstandard.ZstdDecompressor().decompressobj()
            self._started = True
            if out := self._frame.decompress(chunk):
                return out


_FORMATS: tuple[tuple[str, bytes, Callable[[BinaryIO], Readable]], ...] = (
    (".gz", b"\x1f\x8b", lambda raw: gzip.GzipFile(fileobj=raw)),
    (".bz2", b"BZh", bz2.BZ2File),
    (".xz", b"\xfd7zXZ\x00", lzma.LZMAFile),
    (".zst", b"\x28\xb5\x2f\xfd", _ZstdReader),
)
_WRITERS: dict[str, Callable[[BinaryIO], AbstractContextManager[Writable]]] = {
    ".gz": lambda raw: gzip.GzipFile("", "wb", 6, raw, 0),  # no name, no time: the same bytes
    ".bz2": lambda raw: bz2.BZ2File(raw, "wb"),
    ".xz": lambda raw: lzma.LZMAFile(raw, "wb"),  # noqa: SIM115 -- closed by `text_writer`
    ".zst": lambda raw: zstandard.ZstdCompressor().stream_writer(raw, closefd=False),
}
_DAMAGED = (EOFError, zlib.error, lzma.LZMAError, zstandard.ZstdError, OSError)


class ByteStream:
    """A file's decompressed bytes; every failure is a `DataError` that names the file.

    Parameters
    ----------
    path
        A file, or ``-`` for standard input.
    any_encoding
        Whether the text may be UTF-16, which XML parsers read and nothing else does.
    """

    def __init__(self, path: str | Path, *, any_encoding: bool = False) -> None:
        self.path = str(path)
        self._unchecked = not any_encoding
        self._raw = self._open()
        start = self._raw.peek(8) if isinstance(self._raw, io.BufferedReader) else b""
        self._stream: Readable = self._raw
        self._compressed = False
        self._expanded = 0
        for _, magic, opener in _FORMATS:
            if start.startswith(magic):
                self._stream, self._compressed = opener(self._raw), True
                return
        for suffix, *_ in _FORMATS:
            if self.path.endswith(suffix):
                self._raw.close()
                hint = f"make it again, or drop the suffix {suffix} if it is not compressed"
                problem = "is empty" if not start else "is not compressed"
                raise DataError(path, None, f"named {suffix}, but it {problem}", hint)

    def _open(self) -> BinaryIO:
        if self.path == STANDARD_INPUT:
            if sys.stdin is None:
                raise DataError(self.path, None, "is closed", "give a file, or a pipe to read from")
            return sys.stdin.buffer
        try:
            return cast(BinaryIO, Path(self.path).open("rb"))
        except FileNotFoundError:
            hint = "check the name and the folder that you are in"
            raise DataError(self.path, None, "no such file", hint) from None
        except IsADirectoryError:
            hint = "give the name of a file in it"
            raise DataError(self.path, None, "is a folder, not a file", hint) from None
        except ValueError:  # NUL
            hint = "correct the name"
            raise DataError(self.path, None, "is not the name of a file", hint) from None
        except OSError as error:
            hint = "check that you may read it"
            raise DataError(self.path, None, f"cannot be opened ({error.strerror})", hint) from None

    def read(self, size: int = _CHUNK, /) -> bytes:
        """Return some of the bytes that follow, as soon as there are any; none at the end."""
        chunk = self._read(size)
        if self._unchecked and is_utf16(chunk[:_SAMPLE]):
            name = "FILE" if self.path == STANDARD_INPUT else self.path
            hint = f"convert it: iconv -f UTF-16 -t UTF-8 {name} > {name}.utf8"
            raise DataError(self.path, None, "is UTF-16 text; text must be UTF-8", hint)
        self._unchecked = False
        if self._compressed:
            self._expanded += len(chunk)
            self._check_expansion()
        return chunk

    def _check_expansion(self) -> None:
        if self._expanded <= FREE_EXPANSION:
            return
        try:
            size = self._raw.tell()
        except OSError:  # a pipe does not tell
            return
        check_expansion(self.path, size, self._expanded)

    def _read(self, size: int) -> bytes:
        try:
            if isinstance(self._stream, io.BufferedReader):
                return self._stream.read1(size)
            return self._stream.read(size)
        except _DAMAGED as error:
            problem = f"cannot be read ({error})"
            hint = "check the disk, or copy the file again"
            if self._compressed:
                problem = f"compressed data is cut short or damaged ({error})"
                hint = "download or compress the file again"
            raise DataError(self.path, None, problem, hint) from None

    def __enter__(self) -> ByteStream:
        return self

    def __exit__(self, *_: object) -> None:
        if self.path != STANDARD_INPUT:
            self._raw.close()


def check_expansion(path: str | Path, compressed: int, expanded: int) -> None:
    """Refuse data that is so much larger than its compressed form that it cannot be text."""
    if expanded > FREE_EXPANSION and expanded > MAX_EXPANSION * compressed:
        problem = f"its {compressed:,} bytes expand to more than {MAX_EXPANSION:,} times as many"
        hint = "this is no text; if it is, decompress it first"
        raise DataError(path, None, problem, hint)


def long_line(path: str | Path, line: int, longest: int) -> DataError:
    """Return the error about a line beyond the limit."""
    problem = f"a line of more than {longest:,} bytes"
    hint = "check that this is text with one sentence per line, and cut what is longer"
    return DataError(path, line, problem, hint)


def compression_of(name: str | Path) -> str:
    """Return the suffix that says how a file is compressed; empty for a plain one."""
    suffix = Path(name).suffix
    return suffix if suffix in _WRITERS else ""


@contextmanager
def text_writer(path: Path, name: str | Path) -> Iterator[Writable]:
    """Open a temporary file to write to, compressed as its final ``name`` says."""
    with ExitStack() as stack:
        file = cast(BinaryIO, stack.enter_context(path.open("wb")))
        suffix = compression_of(name)
        yield stack.enter_context(_WRITERS[suffix](file)) if suffix else file


def line_blocks(
    stream: Readable,
    lines: int = BLOCK_LINES,
    *,
    at_once: bool = False,
    longest: int = MAX_LINE,
) -> Iterator[bytes]:
    """Cut a stream into blocks of exactly ``lines`` lines; the last one may have fewer.

    With ``at_once`` a block ends also where the next line is not there yet, as in a pipe that waits
    for an answer. A line of more than ``longest`` bytes is an error, before all of it was read.

    Lines end with a line feed only: the other line ends of Unicode are part of a line.
    """
    parts: list[bytes] = []
    wanted = lines
    first = True
    number, begun = 1, 0  # of the last line, which has not ended yet, and its bytes so far
    while chunk := stream.read(_CHUNK):
        if first:
            chunk, first = chunk.removeprefix(BYTE_ORDER_MARK), False
        ends = np.flatnonzero(np.frombuffer(chunk, np.uint8) == ord("\n")) + 1
        begin = used = 0
        sizes = np.diff(ends, prepend=-begun, append=len(chunk))
        sizes[:-1] -= 1  # the line feed
        if sizes.max() > longest:
            path = getattr(stream, "path", getattr(stream, "name", "the text"))
            raise long_line(path, number + int(np.argmax(sizes > longest)), longest)
        number, begun = number + len(ends), int(sizes[-1])
        while len(ends) - used >= wanted:
            used += wanted
            end = int(ends[used - 1])
            yield b"".join((*parts, chunk[begin:end]))
            parts, begin, wanted = [], end, lines
        if at_once and used < len(ends):
            yield b"".join((*parts, chunk[begin : int(ends[-1])]))
            parts, begin, wanted = [], int(ends[-1]), lines
        else:
            wanted -= len(ends) - used
        parts.append(chunk[begin:])
    if rest := b"".join(parts):
        yield rest


def text_blocks(text: Text, *, at_once: bool = False) -> Iterator[bytes]:
    """Give a file's text, or lines, in blocks of whole lines; ``at_once``: see `line_blocks`."""
    if isinstance(text, str | Path):
        with ByteStream(text) as stream:
            yield from line_blocks(stream, at_once=at_once)
        return
    block: list[bytes] = []
    for line in text:
        block.append(line.removesuffix("\n").replace("\n", " ").encode() + b"\n")
        if len(block) == BLOCK_LINES:
            yield b"".join(block)
            block = []
    if block:
        yield b"".join(block)


def name_of_text(text: Text) -> str | Path:
    """Return what errors call a text."""
    return text if isinstance(text, str | Path) else "the lines given"


def read_lines(path: str | Path) -> list[str]:
    """Return the lines of a text, without line feeds, nor returns before them."""
    lines = []
    with ByteStream(path) as stream:
        for block in line_blocks(stream):
            for line in block.removesuffix(b"\n").split(b"\n"):
                try:
                    lines.append(line.removesuffix(b"\r").decode())
                except UnicodeDecodeError as error:
                    problem = f"invalid UTF-8 at byte {error.start + 1}"
                    hint = "convert the text to UTF-8, for example with iconv"
                    raise DataError(path, len(lines) + 1, problem, hint) from None
    return lines


def read_parallel(
    source: str | Path, references: Sequence[str | Path]
) -> tuple[list[str], list[list[str]]]:
    """Return the lines of a text and of its translations, all of the same number, not zero."""
    lines = read_lines(source)
    if not lines:
        raise DataError(source, None, "is empty", "give a file with a line for each sentence")
    found = []
    for path in references:
        found.append(read_lines(path))
        if len(found[-1]) != len(lines):
            problem = f"has {counted(len(found[-1]), 'line')}, and {source} has {len(lines):,}"
            hint = "line n of a reference is the translation of line n of the source"
            raise DataError(path, None, problem, hint)
    return lines, found


def is_utf16(start: bytes) -> bool:
    """Tell whether a file that begins so is UTF-16: by its mark, or because spaces have NULs."""
    if start.startswith(_UTF16_MARKS):
        return True
    units = np.frombuffer(start[: len(start) // 2 * 2], np.uint8).reshape(-1, 2)
    for low, high in (units.T, units.T[::-1]):
        spaces = (low == ord(" ")) | (low == ord("\n"))
        if spaces.any() and not high[spaces].any() and low.all():
            return True
    return False


def count_lines(block: bytes) -> int:
    """Return the number of lines, a last one without line feed included."""
    return block.count(b"\n") + (bool(block) and not block.endswith(b"\n"))


def kind_of_text(start: bytes) -> str:
    """Guess from its first lines what a text is, for errors about the wrong file."""
    lines = [line.strip() for line in start.split(b"\n", 100)[:100]]
    if b"\\data\\" in lines:
        return "an ARPA file, a language model"
    if b" ||| " in lines[0]:
        return "a phrase table or a reordering table"
    return ""


def split_words(line: str) -> list[str]:
    """Cut a line at spaces and tabs only, as in training: no other Unicode space is one."""
    line = line.removesuffix("\n").removesuffix("\r")
    return [word for word in line.replace("\t", " ").replace("\n", " ").split(" ") if word]
