"""Words and their ids, numbered in order of first appearance."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tartib import _native
from tartib.errors import DataError
from tartib.storage import DAMAGED, read_bytes, write_bytes


class Vocabulary:
    """A two-way map between words and ids ``0 … len-1``."""

    def __init__(self, words: Iterable[str] = ()) -> None:
        self.native = _native.Vocabulary()
        for word in words:
            self.add(word)

    def __len__(self) -> int:
        return len(self.native)

    def __contains__(self, word: object) -> bool:
        return isinstance(word, str) and self.native.find(word.encode()) >= 0

    def __getitem__(self, index: int) -> str:
        return self.native.word(index).decode()

    def __iter__(self) -> Iterator[str]:
        return iter(self.native.join().decode().split("\n")[:-1])

    def __repr__(self) -> str:
        return f"<Vocabulary of {len(self):,} words>"

    def id(self, word: str) -> int | None:
        """Return a word's id, None for an unknown word."""
        found = self.native.find(word.encode())
        return None if found < 0 else found

    def ids(self, words: Iterable[str], others: dict[str, int]) -> NDArray[np.int32]:
        """Return the ids of words.

        Parameters
        ----------
        words
            Any words.
        others
            Those that the vocabulary does not have, with ids from -1 downwards; new ones are added.
        """
        ids = []
        for word in words:
            known = self.native.find(word.encode())
            ids.append(known if known >= 0 else others.setdefault(word, -1 - len(others)))
        return np.array(ids, np.int32)

    def add(self, word: str) -> int:
        """Return a word's id, giving it one if it is new."""
        if not word or any(c in word for c in " \t\n"):
            raise ValueError(f"not a word: {word!r} (words have no spaces and are not empty)")
        return self.native.intern(word.encode())

    def save(self, path: Path) -> None:
        """Write one word a line, in the order of the ids."""
        write_bytes(path, self.native.join())

    @classmethod
    def load(cls, path: Path) -> Vocabulary:
        """Read what `save` wrote."""
        vocabulary = cls()
        try:
            bad_line = vocabulary.native.add_lines(read_bytes(path))
        except OSError as error:
            raise DataError(path, None, f"cannot be read ({error.strerror})", DAMAGED) from None
        if bad_line >= 0:
            problem = "an empty, repeated or incomplete word"
            raise DataError(path, bad_line + 1, problem, DAMAGED)
        return vocabulary
