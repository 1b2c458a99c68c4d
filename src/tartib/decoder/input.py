"""Sentences to translate: the lines of a file or of standard input, as soon as they arrive."""

from __future__ import annotations

import hashlib
import select
import sys
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import NamedTuple

from tartib.decoder.long_sentences import MAX_WORDS
from tartib.errors import DataError
from tartib.textio import BYTE_ORDER_MARK, MAX_LINE, STANDARD_INPUT, ByteStream, long_line


class SentenceReader:
    """The lines of a text; only a line feed ends a line.

    Parameters
    ----------
    path
        A file, plain or compressed, or ``-`` for standard input.
    """

    def __init__(self, path: str | Path) -> None:
        self._path = path
        self._stream = ByteStream(path)
        self._lines: deque[bytes] = deque()
        self._begun: list[bytes] = []  # of a line whose end has not arrived yet
        self._ended = False

    def __enter__(self) -> SentenceReader:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stream.__exit__(kind, error, trace)

    def __iter__(self) -> Iterator[str]:
        number = 0
        while self._fill(number + 1):
            line = self._lines.popleft()
            if len(line) > MAX_LINE:
                raise long_line(self._path, number + 1, MAX_LINE)
            if number == 0:
                line = line.removeprefix(BYTE_ORDER_MARK)
            number += 1
            if line.count(b" ") + line.count(b"\t") >= MAX_WORDS and len(line.split()) > MAX_WORDS:
                problem = f"a line of more than {MAX_WORDS:,} words"
                hint = "give one sentence per line; cut what is longer"
                raise DataError(self._path, number, problem, hint)
            try:
                yield line.decode()
            except UnicodeDecodeError as error:
                problem = f"invalid UTF-8 at byte {error.start + 1}"
                hint = "convert the text to UTF-8, for example with iconv"
                raise DataError(self._path, number, problem, hint) from None

    def _fill(self, number: int) -> bool:
        """Wait for the line of this number; False at the end."""
        while not self._lines and not self._ended:
            if sum(map(len, self._begun)) > MAX_LINE:
                raise long_line(self._path, number, MAX_LINE)
            first, *others = self._stream.read().split(b"\n")
            if not first and not others:
                self._ended = True
                others = [b""] if any(self._begun) else []
            self._begun.append(first)
            if others:
                self._lines.append(b"".join(self._begun))
                self._lines.extend(others[:-1])
                self._begun = [others[-1]]
        return bool(self._lines)

    def ready(self) -> bool:
        """Whether the next line, or the end, has arrived already."""
        if self._lines or self._ended or str(self._path) != STANDARD_INPUT:
            return True
        try:
            return bool(select.select([sys.stdin.buffer], [], [], 0)[0])
        except (OSError, ValueError):  # not something that select can ask
            return True


class Fingerprint(NamedTuple):
    """Hash and number of lines of a text, to tell whether it has changed."""

    sha256: str
    lines: int

    @classmethod
    def of(cls, path: str | Path) -> Fingerprint | None:
        """Read a whole file; None for standard input and pipes, which can be read only once."""
        if str(path) == STANDARD_INPUT or Path(path).is_fifo() or Path(path).is_char_device():
            return None
        digest = hashlib.sha256()
        lines, last = 0, b"\n"
        with ByteStream(path) as stream:
            while chunk := stream.read():
                digest.update(chunk)
                lines += chunk.count(b"\n")
                last = chunk[-1:]
        return cls(digest.hexdigest(), lines + (last != b"\n"))
