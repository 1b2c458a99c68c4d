"""The file formats of parallel text, each turned into blocks of source and target lines."""

from __future__ import annotations

import lzma
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice, zip_longest
from pathlib import Path

from tartib.bitext.tmx import read_units
from tartib.errors import DataError, OptionError
from tartib.textio import (
    BLOCK_LINES,
    ByteStream,
    Readable,
    check_expansion,
    count_lines,
    line_blocks,
)
from tartib.wording import counted

_COMPRESSION = (".gz", ".bz2", ".xz", ".zst")
_DAMAGED_ZIP = (
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    EOFError,
    OSError,
    RuntimeError,
    NotImplementedError,
    UnicodeDecodeError,
)


@dataclass(frozen=True)
class RawBlock:
    """Consecutive lines of a bitext, not yet looked at.

    Attributes
    ----------
    source, target, alignment
        The lines of each side; no alignment where there is none.
    names
        Where the three came from, for error messages.
    first_line
        Number of the first line, from 1.
    places
        Line in the file of each line of the block, where that is not simply counting on.
    one_sided
        How many units before the block's end lacked one of the two languages.
    """

    source: bytes
    target: bytes
    alignment: bytes | None
    names: tuple[str, str, str]
    first_line: int
    places: Sequence[int] | None = None
    one_sided: int = 0

    def place(self, side: int, line: int) -> int:
        """Return the line in the side's file for the ``line``-th of this block, from 0."""
        own_file = self.names[side] != self.names[0]
        if self.places is None or own_file:
            return self.first_line + line
        return self.places[line]


def raw_blocks(
    source: str | Path,
    target: str | Path | None,
    alignment: str | Path | None,
    languages: tuple[str, str] | None,
) -> Iterator[RawBlock]:
    """Open whatever holds the text and yield its blocks."""
    names = [str(path) for path in (source, target, alignment) if path is not None]
    if names.count("-") > 1:
        raise OptionError("standard input (-) can be one of the files only")
    if target is not None:
        return _two_files(source, target, alignment)
    kind = _suffix(source)
    if kind == ".zip":
        return _opus_zip(Path(source), alignment, languages)
    if kind == ".tmx":
        return _with_alignment(_tmx(source, languages), source, alignment)
    if kind == ".tsv" or str(source) == "-":
        return _tsv(source, alignment)
    raise OptionError(
        f"{source}: give the target side too, or one file that holds both sides (.tsv, .tmx, .zip)"
    )


def _suffix(path: str | Path) -> str:
    suffixes = [s.lower() for s in Path(path).suffixes]
    while suffixes and suffixes[-1] in _COMPRESSION:
        suffixes.pop()
    return suffixes[-1] if suffixes else ""


def _two_files(
    source: str | Path, target: str | Path, alignment: str | Path | None
) -> Iterator[RawBlock]:
    with ByteStream(source) as sources, ByteStream(target) as targets:
        blocks = _together(sources, targets, (str(source), str(target)))
        yield from _with_alignment(blocks, source, alignment)


def _together(sources: Readable, targets: Readable, names: tuple[str, str]) -> Iterator[RawBlock]:
    line = 1
    streams = (line_blocks(sources), line_blocks(targets))
    for source, target in zip_longest(*streams, fillvalue=b""):
        counts = (count_lines(source), count_lines(target))
        if counts[0] != counts[1]:
            rest = [sum(map(count_lines, stream)) for stream in streams]
            totals = tuple(line - 1 + c + r for c, r in zip(counts, rest, strict=True))
            raise _unequal(names, totals)
        yield RawBlock(source, target, None, (*names, ""), line)
        line += counts[0]


def _with_alignment(
    blocks: Iterator[RawBlock], text: str | Path, alignment: str | Path | None
) -> Iterator[RawBlock]:
    """Add the lines of an alignment file to blocks of the file ``text``."""
    if alignment is None:
        yield from blocks
        return
    line = 1
    with ByteStream(alignment) as stream:
        links = line_blocks(stream)
        for block in blocks:
            here = next(links, b"")
            count, wanted = count_lines(here), count_lines(block.source)
            if count != wanted:
                rest = sum(count_lines(b.source) for b in blocks), sum(map(count_lines, links))
                totals = (line - 1 + wanted + rest[0], line - 1 + count + rest[1])
                raise _unequal((str(text), str(alignment)), totals)
            if block.alignment is not None:
                hint = "leave the file out, or cut the third column off"
                problem = "has an alignment of its own, and another one was given"
                raise DataError(text, None, problem, hint)
            names = (*block.names[:2], str(alignment))
            yield replace(block, alignment=here, names=names, first_line=line)
            line += wanted
        if extra := sum(map(count_lines, links)):
            raise _unequal((str(text), str(alignment)), (line - 1, line - 1 + extra))


def _unequal(names: tuple[str, str], totals: tuple[int, ...]) -> DataError:
    shorter = 0 if totals[0] < totals[1] else 1
    lines = counted(totals[0], "line")
    problem = f"files of unequal length: {names[0]} has {lines}, {names[1]} has {totals[1]:,}"
    hint = "line n of each file must belong to the same sentence pair: find what is missing"
    return DataError(names[shorter], totals[shorter] or None, problem, hint)


def _tsv(path: str | Path, alignment: str | Path | None) -> Iterator[RawBlock]:
    with ByteStream(path) as stream:
        yield from _with_alignment(_tsv_blocks(stream, str(path)), path, alignment)


def _tsv_blocks(stream: Readable, name: str) -> Iterator[RawBlock]:
    first = 1
    columns = 0
    for block in line_blocks(stream):
        rows = [
            row.removesuffix(b"\r").split(b"\t") for row in block.removesuffix(b"\n").split(b"\n")
        ]
        columns = columns or len(rows[0])
        for line, row in enumerate(rows, first):
            if len(row) != columns or not 2 <= columns <= 3:
                wanted = "2 or 3" if not 2 <= columns <= 3 else f"{columns} as in line 1"
                hint = "a line is source, target and optionally alignment, separated by tabs"
                raise DataError(name, line, f"{len(row)} columns, not {wanted}", hint)
        sides = [b"".join(row[c] + b"\n" for row in rows) for c in range(columns)]
        yield RawBlock(sides[0], sides[1], sides[2] if columns == 3 else None, (name,) * 3, first)
        first += len(rows)


def _tmx(path: str | Path, languages: tuple[str, str] | None) -> Iterator[RawBlock]:
    done = 0
    with ByteStream(path, any_encoding=True) as stream:
        units = read_units(stream, str(path), languages)
        while batch := list(islice(units, BLOCK_LINES)):
            both = [unit for unit in batch if unit.source is not None and unit.target is not None]
            yield RawBlock(
                b"".join(f"{unit.source}\n".encode() for unit in both),
                b"".join(f"{unit.target}\n".encode() for unit in both),
                None,
                (str(path),) * 3,
                done + 1,
                [unit.line for unit in both],
                len(batch) - len(both),
            )
            done += len(both)


def _opus_zip(
    path: Path, alignment: str | Path | None, languages: tuple[str, str] | None
) -> Iterator[RawBlock]:
    hint = "fetch the archive again"
    with ByteStream(path):  # for its errors about missing files and folders
        pass
    try:
        with zipfile.ZipFile(path) as archive:
            members = _zip_sides(path, archive.namelist(), languages)
            names = tuple(f"{path}/{member}" for member in members)
            for member in map(archive.getinfo, members):
                check_expansion(path, member.compress_size, member.file_size)
            with archive.open(members[0]) as sources, archive.open(members[1]) as targets:
                blocks = _together(sources, targets, (names[0], names[1]))
                yield from _with_alignment(blocks, names[0], alignment)
    except _DAMAGED_ZIP as error:
        problem = f"archive is cut short or damaged ({error})"
        raise DataError(path, None, problem, hint) from None


def _zip_sides(
    path: Path, members: list[str], languages: tuple[str, str] | None
) -> tuple[str, str]:
    """Find ``name.ar-en.ar`` and ``name.ar-en.en`` in an archive."""
    sides = {member.rpartition(".")[2]: member for member in members if _is_side(member)}
    wanted = languages or _languages_of(list(sides.values()))
    if wanted is None or not all(language in sides for language in wanted):
        found = ", ".join(sorted(sides)) or "none"
        problem = (
            f"has no two files named like corpus.xx-yy.xx and corpus.xx-yy.yy (found: {found})"
        )
        hint = "take the download in 'moses' format, and give the two languages in order"
        raise DataError(path, None, problem, hint)
    return sides[wanted[0]], sides[wanted[1]]


def _is_side(member: str) -> bool:
    parts = Path(member).name.split(".")
    return len(parts) >= 3 and parts[-1] in parts[-2].split("-")


def _languages_of(members: list[str]) -> tuple[str, str] | None:
    pairs = {Path(member).name.split(".")[-2] for member in members}
    if len(pairs) != 1:
        return None
    source, _, target = pairs.pop().partition("-")
    return source, target
