"""Sentence pairs as people wrote them, out of all formats of parallel text."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from tartib.bitext.formats import RawBlock, raw_blocks
from tartib.errors import DataError

_UTF8_HINT = "convert the file to UTF-8: iconv -f ISO-8859-1 -t UTF-8 FILE > FILE.utf8"


def raw_pairs(
    source: str | Path, target: str | Path | None = None, languages: tuple[str, str] | None = None
) -> Iterator[tuple[str, str]]:
    """Yield the sentence pairs of two files, or of one that holds both sides.

    Nothing is left out or changed; a pair may have an empty side.

    Parameters
    ----------
    source, target
        As for `read_blocks`.
    languages
        Source and target language, for the formats that hold several (TMX, OPUS zip).
    """
    for block in raw_blocks(source, target, None, languages):
        sides = (_lines(block, 0), _lines(block, 1))
        yield from zip(*sides, strict=True)


def _lines(block: RawBlock, side: int) -> list[str]:
    data = (block.source, block.target)[side]
    lines = data.removesuffix(b"\n").split(b"\n") if data else []
    found = []
    for number, line in enumerate(lines):
        try:
            found.append(line.removesuffix(b"\r").decode())
        except UnicodeDecodeError as error:
            problem = f"invalid UTF-8 at byte {error.start + 1}"
            place = block.place(side, number)
            raise DataError(block.names[side], place, problem, _UTF8_HINT) from None
    return found
