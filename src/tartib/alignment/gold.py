"""Gold links: what people who know both languages linked, to evaluate alignments by."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from tartib.alignment.links import (
    Links,
    check_position,
    fitting,
    line_lengths,
    lines_read,
    mostly_fitting,
)
from tartib.bitext import Bitext
from tartib.errors import DataError, OptionError
from tartib.textio import read_lines, split_words
from tartib.wording import counted

_MOST_SENTENCES = 100_000  # nobody links more by hand
_PHARAOH = re.compile(r"(\d{1,18})([-?p])(\d{1,18})", re.ASCII)
_PHARAOH_HINT = (
    "a line holds the links of a sentence, source-target, counted from 0, as in 0-0 1-2; links "
    "that are only possible are written 0?1 or 0p1"
)
_NUMBERED = re.compile(
    r"(\d{1,18}) (\d{1,18}) (\d{1,18})(?: ([SP])(?: \d*\.?\d+(?:[eE][-+]?\d+)?)?)?", re.ASCII
)
_NUMBERED_HINT = (
    "a line is a link: number of the sentence, source position, target position, each counted "
    "from 1, and S (sure) or P (possible), as in 18 1 2 S"
)


class _Link(NamedTuple):
    sentence: int
    source: int
    target: int
    sure: bool


@dataclass(frozen=True, eq=False)
class GoldLinks:
    """Sure and possible links of some sentences.

    Attributes
    ----------
    sure
        Links that belong to the alignment.
    possible
        Links that may belong to it; the sure ones are among them.
    name
        Where they came from, for error messages.
    complete
        Whether the file has a line for each sentence. In the other format a sentence without
        links is not mentioned, so there may be more sentences than are known.
    outside
        How many links were left out because they leave their sentences; see `within`.
    """

    sure: Links
    possible: Links
    name: str = "the gold links"
    complete: bool = True
    outside: int = 0

    def __len__(self) -> int:
        return len(self.sure)

    @classmethod
    def of(
        cls,
        sure: Iterable[Iterable[tuple[int, int]]],
        possible: Iterable[Iterable[tuple[int, int]]] | None = None,
    ) -> GoldLinks:
        """Make them of plain lists, one for each sentence, of (source, target) from 0."""
        certain = [set(links) for links in sure]
        others = [set(links) for links in possible] if possible is not None else certain
        if len(certain) != len(others):
            raise OptionError(
                f"sure links of {counted(len(certain), 'sentence')}, and possible ones of "
                f"{len(others):,}"
            )
        both = [sorted(s | p) for s, p in zip(certain, others, strict=True)]
        return cls(Links.of(map(sorted, certain)), Links.of(both))

    @classmethod
    def read(cls, path: str | Path) -> GoldLinks:
        """Read gold links in either of two formats.

        Pharaoh: a line for each sentence, positions from 0, ``0-0 1-2`` for sure links, ``0?1`` or
        ``0p1`` for possible ones. NAACL (that of the shared tasks on word alignment, 2003 and
        2005): a line for each link, ``18 1 2 S``, number of the sentence, source and target
        position from 1, and S or P; S where neither is given. Positions of a file that links 0 to
        0 anywhere count from 0. What the first line looks like decides.
        """
        lines = read_lines(path)
        first = next((line.strip() for line in lines if line.strip()), None)
        if first is None:
            problem = "has no links" if lines else "is empty"
            raise DataError(path, None, problem, "give a file of links made by hand")
        complete = not split_words(first)[0].isdecimal()
        links = list(_pharaoh(lines, path) if complete else _numbered(lines, path))
        sentences = len(lines) if complete else max(link.sentence for link in links) + 1
        sure: list[set[tuple[int, int]]] = [set() for _ in range(sentences)]
        possible: list[set[tuple[int, int]]] = [set() for _ in range(sentences)]
        for sentence, source, target, is_sure in links:
            (sure if is_sure else possible)[sentence].add((source, target))
        return replace(cls.of(sure, possible), name=str(path), complete=complete)

    def padded(self, sentences: int) -> GoldLinks:
        """Return the same links for more sentences; those at the end have none."""
        missing = Links.of([[]] * (sentences - len(self)))
        return replace(
            self,
            sure=Links.join([self.sure, missing]),
            possible=Links.join([self.possible, missing]),
        )

    def within(self, bitext: Bitext, *, whole: bool = False) -> GoldLinks:
        """Return the links that fit a text, line by line; others are left out and counted.

        If more than one in twenty does not fit, the links are of another text: an error.

        Parameters
        ----------
        bitext
            The text, of which gold sentence n is line n.
        whole
            Whether the text is that of the gold links alone: then it must have as many lines.
        """
        lines = lines_read(bitext)
        if len(self) > lines or (whole and self.complete and len(self) < lines):
            sentences = counted(len(self), "sentence")
            problem = f"has links of {sentences}, and the text has {counted(lines, 'line')}"
            hint = "sentence n of the gold links must be line n of the text: check the files"
            raise DataError(self.name, None, problem, hint)
        gold = self.padded(lines) if whole else self
        lengths = [side[: len(gold)] for side in line_lengths(bitext)]
        kept = mostly_fitting(gold.possible, lengths, self.name)
        return replace(
            gold,
            sure=gold.sure.choose(fitting(gold.sure, lengths)),
            possible=gold.possible.choose(kept),
            outside=int(np.count_nonzero(~kept)),
        )


def _pharaoh(lines: Sequence[str], path: str | Path) -> Iterator[_Link]:
    for number, line in enumerate(lines, 1):
        for text in split_words(line):
            link = _PHARAOH.fullmatch(text)
            if link is None:
                raise DataError(path, number, f"not a link: {text!r}", _PHARAOH_HINT)
            source, target = (check_position(int(link[n]), path, number) for n in (1, 3))
            yield _Link(number - 1, source, target, link[2] == "-")


def _numbered(lines: Sequence[str], path: str | Path) -> list[_Link]:
    """Read a link of each line.

    Where 0 stands for no word, at most one position of a line is 0; a line of two counts from 0.
    """
    places: list[int] = []
    links: list[_Link] = []
    for number, line in enumerate(lines, 1):
        words = split_words(line)
        if not words:
            continue
        link = _NUMBERED.fullmatch(" ".join(words))
        if link is None:
            raise DataError(path, number, f"not a link: {line.strip()!r}", _NUMBERED_HINT)
        sentence, source, target = (int(link[n]) for n in (1, 2, 3))
        if not 1 <= sentence <= _MOST_SENTENCES:
            problem = f"sentence number {sentence:,} is not from 1 to {_MOST_SENTENCES:,}"
            raise DataError(path, number, problem, _NUMBERED_HINT)
        places.append(number)
        links.append(_Link(sentence - 1, source, target, link[4] != "P"))
    first = 0 if any(link.source == link.target == 0 for link in links) else 1
    return [_counted_from(first, link, path, at) for at, link in zip(places, links, strict=True)]


def _counted_from(first: int, link: _Link, path: str | Path, line: int) -> _Link:
    """Return a link with positions from 0."""
    if min(link.source, link.target) < first:
        hint = (
            "0 stands for no word in some files: leave such lines out; or it counts from 0: add 1 "
            "to all positions"
        )
        raise DataError(path, line, "position 0, and positions count from 1 here", hint)
    source, target = (check_position(p - first, path, line) for p in (link.source, link.target))
    return link._replace(source=source, target=target)
