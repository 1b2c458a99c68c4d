"""Text in blocks of lines, from files or from memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from tartib.textio import BLOCK_LINES, ByteStream, line_blocks

Text = str | Path | Iterable[str]  # a file's name, or lines


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
