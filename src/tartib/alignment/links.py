"""`Links`: word alignment apart from its text, and the lines of Pharaoh format."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tartib import ragged
from tartib.bitext import Bitext
from tartib.errors import DataError, OptionError
from tartib.ragged import Offsets
from tartib.storage import new_files
from tartib.textio import read_lines, split_words, text_writer
from tartib.wording import counted

LAST_POSITION = 65_534  # of a word in its sentence: positions have 16 bits
# Some links leave their sentences by mistake; more than this share, and the text is another.
_MOST_OUTSIDE = 0.05
_AT_ONCE = 4096  # sentences whose links are Python's numbers at a time
_LINK = re.compile(r"(\d{1,18})-(\d{1,18})", re.ASCII)
_HINT = "links are source-target, counted from 0, as in 0-0 1-2: check that the files fit"


@dataclass(frozen=True, eq=False)
class Links:
    """The links of some sentences.

    Attributes
    ----------
    positions
        Source and target position, from 0, of each link.
    offsets
        Sentence ``i`` has the links ``positions[offsets[i]:offsets[i + 1]]``.
    """

    positions: NDArray[np.uint16]
    offsets: Offsets

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __iter__(self) -> Iterator[list[tuple[int, int]]]:
        links = [(i, j) for i, j in self.positions.tolist()]
        return (links[a:b] for a, b in pairwise(self.offsets.tolist()))

    @classmethod
    def of(cls, sentences: Iterable[Iterable[tuple[int, int]]]) -> Links:
        """Make them of plain lists, one for each sentence."""
        lists = [list(links) for links in sentences]
        positions = np.array([link for links in lists for link in links], np.int64).reshape(-1, 2)
        if positions.min(initial=0) < 0 or positions.max(initial=0) > LAST_POSITION:
            raise OptionError(f"positions of links are numbers from 0 to {LAST_POSITION:,}")
        sizes = np.array([len(links) for links in lists], np.int64)
        return cls(positions.astype(np.uint16), ragged.offsets_of(sizes))

    @classmethod
    def of_targets(cls, sources: ArrayLike, offsets: Offsets) -> Links:
        """Make them of the one source word that each target word has.

        Parameters
        ----------
        sources
            For each target word of all sentences the position of its source word from 1; 0 if it
            has none.
        offsets
            Where the target sentences begin among them.
        """
        position = np.asarray(sources, np.int64)
        target = np.arange(len(position)) - np.repeat(offsets[:-1], ragged.lengths_of(offsets))
        linked = position > 0
        before = np.concatenate(([0], np.cumsum(linked)))  # links before each word
        pairs = np.column_stack((position[linked] - 1, target[linked]))
        return cls(pairs.astype(np.uint16), before[offsets])

    @classmethod
    def of_lines(cls, bitext: Bitext) -> Links:
        """Return the links of each line that a bitext was read from; skipped lines have none."""
        counts = np.zeros(lines_read(bitext), np.int64)
        counts[bitext.lines - 1] = ragged.lengths_of(bitext.link_offsets)
        return cls(np.asarray(bitext.links), ragged.offsets_of(counts))

    @classmethod
    def read(cls, path: str | Path) -> Links:
        """Read lines in Pharaoh format, ``0-0 1-2 …``."""
        return cls.of(_read_line(line, path, n) for n, line in enumerate(read_lines(path), 1))

    @classmethod
    def join(cls, parts: Sequence[Links]) -> Links:
        """Put consecutive sentences together."""
        nothing = np.empty((0, 2), np.uint16)
        positions = np.concatenate([nothing, *(part.positions for part in parts)])
        return cls(positions, ragged.concatenate([part.offsets for part in parts]))

    def choose(self, kept: NDArray[np.bool_]) -> Links:
        """Return some of the links, given whether each is among them."""
        owners = ragged.owners_of(self.offsets)[kept]
        counts = np.bincount(owners, minlength=len(self))
        return Links(self.positions[kept], ragged.offsets_of(counts))

    @property
    def packed(self) -> NDArray[np.uint32]:
        """The links as the native code takes them, two positions in one integer."""
        return np.ascontiguousarray(self.positions).reshape(-1).view(np.uint32)

    def slice(self, begin: int, end: int) -> Links:
        """Return consecutive sentences, without copying a link."""
        return Links(*ragged.cut(self.positions, self.offsets, begin, end))

    def turned(self) -> Links:
        """Return the same links with source and target exchanged."""
        return Links(self.positions[:, ::-1], self.offsets)


def lines_read(bitext: Bitext) -> int:
    """Return how many lines a bitext was read from, as far as that is known."""
    skipped = bitext.skipped.too_long + bitext.skipped.empty
    return max(len(bitext) + skipped, int(bitext.lines.max(initial=0)))


def line_lengths(bitext: Bitext) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the number of words of each line read, source and target.

    Those of a skipped line are not known: any position may be in it.
    """
    sides = []
    for text in (bitext.source, bitext.target):
        lengths = np.full(lines_read(bitext), np.iinfo(np.int64).max)
        lengths[bitext.lines - 1] = text.lengths
        sides.append(lengths)
    return sides[0], sides[1]


def fitting(links: Links, lengths: Sequence[NDArray[np.int64]]) -> NDArray[np.bool_]:
    """Return for each link whether it lies in its sentence, given `line_lengths`."""
    sentence = ragged.owners_of(links.offsets)
    inside = [links.positions[:, side] < lengths[side][sentence] for side in (0, 1)]
    return np.logical_and(*inside)


def mostly_fitting(
    links: Links, lengths: Sequence[NDArray[np.int64]], name: str
) -> NDArray[np.bool_]:
    """Return the same; if more than one in twenty leaves its sentence, that is an error."""
    kept = fitting(links, lengths)
    outside, most = int(np.count_nonzero(~kept)), _MOST_OUTSIDE * len(kept)
    if outside > most:
        problem = f"{outside:,} of {counted(len(kept), 'link')} leave their sentences"
        hint = "check that source and target text are those of these links"
        if np.count_nonzero(~fitting(links, lengths[::-1])) <= most:
            hint = "they fit if source and target text are exchanged: check their order"
        raise DataError(name, None, problem, hint)
    return kept


def check_position(position: int, path: str | Path, line: int) -> int:
    """Return a position from 0; one that no sentence has is an error of the file."""
    if position > LAST_POSITION:
        problem = f"position {position} is beyond {LAST_POSITION:,}"
        raise DataError(path, line, problem, "no sentence is that long: check the file")
    return position


def _read_line(line: str, path: str | Path, number: int) -> Iterator[tuple[int, int]]:
    for text in split_words(line):
        link = _LINK.fullmatch(text)
        if link is None:
            raise DataError(path, number, f"not a link: {text!r}", _HINT)
        source, target = (check_position(int(digits), path, number) for digits in link.groups())
        yield source, target


def write_alignment(
    bitext: Bitext,
    path: str | Path,
    *,
    probabilities: tuple[NDArray[np.float32], str | Path] | None = None,
    overwrite: bool = False,
) -> None:
    """Write links in Pharaoh format, a line for each line read; skipped ones have none.

    Parameters
    ----------
    bitext
        The text with links.
    path
        The file; compressed as its name says.
    probabilities
        One for each link, and another file for them, which gets them in the same places.
    overwrite
        Replace files that exist.
    """
    with new_alignment(bitext, path, probabilities=probabilities, overwrite=overwrite):
        pass


@contextmanager
def new_alignment(
    bitext: Bitext,
    path: str | Path,
    *,
    probabilities: tuple[NDArray[np.float32], str | Path] | None = None,
    overwrite: bool = False,
) -> Iterator[None]:
    """Write links as `write_alignment` does; files get their names when the block has ended."""
    links = Links.of_lines(bitext)
    columns = [(path, _pharaoh_lines(links))]
    if probabilities is not None:
        values, other = probabilities
        columns.append((other, _number_lines(values, links.offsets)))
    with new_files(*(Path(name) for name, _ in columns), overwrite=overwrite) as asides:
        for aside, (name, lines) in zip(asides, columns, strict=True):
            with text_writer(aside, name) as file:
                for line in lines:
                    file.write(line.encode() + b"\n")
        yield


def _pharaoh_lines(links: Links) -> Iterator[str]:
    for begin in range(0, len(links), _AT_ONCE):
        for line in links.slice(begin, min(begin + _AT_ONCE, len(links))):
            yield " ".join(f"{i}-{j}" for i, j in line)


def _number_lines(values: NDArray[np.float32], offsets: Offsets) -> Iterator[str]:
    for begin in range(0, len(offsets) - 1, _AT_ONCE):
        for a, b in pairwise(offsets[begin : begin + _AT_ONCE + 1].tolist()):
            yield " ".join(f"{p:.4f}" for p in values[a:b].tolist())
