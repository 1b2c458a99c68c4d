"""Encoding of lines, by Python's own string methods."""

import re


def tokens(line: str) -> list[str]:
    """Split at spaces and tabs only."""
    return [token for token in re.split("[ \t]+", line.removesuffix("\r")) if token]


def encode(lines: list[str]) -> tuple[list[list[int]], list[str]]:
    """Return the ids of each line's tokens, and the words in order of first appearance."""
    words: dict[str, int] = {}
    ids = [[words.setdefault(token, len(words)) for token in tokens(line)] for line in lines]
    return ids, list(words)


def links(line: str) -> list[tuple[int, int]]:
    """Read Pharaoh links."""
    return [(int(i), int(j)) for i, _, j in (token.partition("-") for token in tokens(line))]
