"""Text files of tables, given to native readers block by block."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

from tartib.errors import DataError
from tartib.progress import progress_bar
from tartib.textio import ByteStream, count_lines, kind_of_text, line_blocks


class LineReader(Protocol):
    """A native reader; it returns the line, from 0, and the problem of what it cannot read."""

    def add(self, lines: bytes, /) -> tuple[int, str] | None:
        """Read whole lines."""
        ...


def read_text(path: str | Path, reader: LineReader, hint: str, progress: bool) -> int:
    """Give all lines of a file to a reader and return their number."""
    lines = 0
    with (
        ByteStream(path) as stream,
        progress_bar("Reading", None, "lines", shown=progress) as advance,
    ):
        for block in line_blocks(stream):
            if defect := reader.add(block):
                if lines == 0 and "ARPA" in (kind := kind_of_text(block)):
                    raise DataError(path, None, f"this looks like {kind}", hint)
                raise DataError(path, lines + defect[0] + 1, defect[1], hint)
            count = count_lines(block)
            lines += count
            advance(count)
    return lines
