"""From text in any format to blocks of a `Bitext`, with an error of its own for every defect."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tartib import _native
from tartib.bitext.corpus import Bitext, Skipped, Text
from tartib.bitext.formats import RawBlock, raw_blocks
from tartib.errors import DataError, OptionError
from tartib.progress import progress_bar
from tartib.vocabulary import Vocabulary


@dataclass(frozen=True)
class ReadOptions:
    """How parallel text is read.

    Attributes
    ----------
    max_sentence_length
        Sentence pairs with more tokens than this on either side are skipped and counted.
    skip_empty
        Skip and count sentence pairs with an empty side; by default they are an error, because in
        a line-aligned corpus they usually mean that the files are not parallel any more.
    languages
        Source and target language, for the formats that hold several (TMX, OPUS zip).
    """

    max_sentence_length: int = 100
    skip_empty: bool = False
    languages: tuple[str, str] | None = None

    def __post_init__(self) -> None:
        if not 1 <= self.max_sentence_length <= _native.MAX_SENTENCE_LENGTH:
            limit = _native.MAX_SENTENCE_LENGTH
            raise OptionError(
                f"max_sentence_length must be 1 to {limit}, got {self.max_sentence_length}"
            )
        if isinstance(self.languages, str):
            raise OptionError(f"languages are a pair such as ('ar', 'en'), not {self.languages!r}")


def language_pair(text: str) -> tuple[str, str]:
    """Read source and target language from ``ar-en`` or ``ar-EG,en-GB``."""
    codes = text.split("," if "," in text else "-")
    if len(codes) != 2 or not all(codes):
        raise OptionError(f"languages are two codes such as ar-en or ar-EG,en-GB, not {text!r}")
    return codes[0], codes[1]


def read_blocks(
    source: str | Path,
    target: str | Path | None = None,
    alignment: str | Path | None = None,
    *,
    options: ReadOptions | None = None,
    progress: bool = False,
) -> Iterator[Bitext]:
    """Read as `Bitext.read` does, but yield blocks of sentences that share their vocabularies.

    Only one block is in memory at a time, so the corpus may be larger than memory.
    """
    options = options or ReadOptions()
    vocabularies = (Vocabulary(), Vocabulary())
    with progress_bar("Reading", None, "sentence pairs", shown=progress) as advance:
        for raw in raw_blocks(source, target, alignment, options.languages):
            block = _encode(raw, vocabularies, options)
            yield block
            advance(len(block))


def encode_lines(
    source: Iterable[str],
    target: Iterable[str],
    alignment: Iterable[str] | None,
    options: ReadOptions | None,
) -> Bitext:
    """Encode lists of sentences; see `Bitext.from_lines`."""
    if any(isinstance(side, str) for side in (source, target, alignment)):
        raise OptionError("give lists of sentences, not one string")
    sides = [list(source), list(target), [] if alignment is None else list(alignment)]
    if len(sides[0]) != len(sides[1]) or (alignment is not None and len(sides[0]) != len(sides[2])):
        counts = ", ".join(str(len(side)) for side in sides)
        raise OptionError(f"source, target and alignment differ in length: {counts}")
    if any("\n" in line for side in sides for line in side):
        raise OptionError("a sentence contains a line break")
    try:
        text = ["".join(line + "\n" for line in side).encode() for side in sides]
    except UnicodeEncodeError as error:
        raise OptionError(f"a sentence cannot be written as UTF-8 ({error.reason})") from None
    names = ("source", "target", "alignment")
    links = None if alignment is None else text[2]
    raw = RawBlock(text[0], text[1], links, names, 1)
    return _encode(raw, (Vocabulary(), Vocabulary()), options or ReadOptions())


def _encode(
    raw: RawBlock, vocabularies: tuple[Vocabulary, Vocabulary], options: ReadOptions
) -> Bitext:
    source, target = vocabularies
    block = _native.encode_block(
        source.native,
        target.native,
        raw.source,
        raw.target,
        raw.alignment,
        options.max_sentence_length,
        options.skip_empty,
    )
    if block["defect"] is not _native.TextDefect.NONE:
        raise _defect(raw, block)
    return Bitext(
        Text(block["source_ids"], block["source_offsets"], source),
        Text(block["target_ids"], block["target_offsets"], target),
        block["links"].view(np.uint16).reshape(-1, 2),
        block["link_offsets"],
        block["lines"] + raw.first_line,
        Skipped(block["too_long"], block["empty"], raw.one_sided),
        aligned=raw.alignment is not None,
    )


_SWAPPED = (
    "all links here fit if read as target-source: give the source and target files the other way "
    "round, or turn the links: sed -E 's/([0-9]+)-([0-9]+)/\\2-\\1/g'"
)
# {text} is the offending piece, {column} its first byte.
_DEFECTS = {
    _native.TextDefect.INVALID_UTF8: (
        "invalid UTF-8 at byte {column}",
        "convert the file to UTF-8, for example with iconv",
    ),
    _native.TextDefect.NUL_BYTE: (
        "a NUL byte at byte {column}",
        "this is not text, or it is UTF-16: convert it to UTF-8",
    ),
    _native.TextDefect.EMPTY_LINE: (
        "an empty line",
        "remove the line from all the files of the corpus, or skip empty lines (--skip-empty)",
    ),
    _native.TextDefect.RESERVED_TOKEN: (
        "the token {text} at byte {column} is reserved: it separates fields in Moses' files",
        "replace it in the text, for example by |",
    ),
    _native.TextDefect.MALFORMED_LINK: (
        "malformed link {text} at byte {column}",
        "a link is two positions from 0 joined by a hyphen, source first, such as 0-0 or 3-12",
    ),
    _native.TextDefect.LINK_BEYOND_SOURCE: (
        "link {text} at byte {column} points beyond the source sentence",
        "positions count from 0, source first: check that the alignment is of this corpus",
    ),
    _native.TextDefect.LINK_BEYOND_TARGET: (
        "link {text} at byte {column} points beyond the target sentence",
        "positions count from 0, source first: check that the alignment is of this corpus",
    ),
    _native.TextDefect.MISSING_LINE: (
        "the other files have a line here",
        "the files must have the same number of lines",
    ),
}


def _defect(raw: RawBlock, block: dict[str, Any]) -> DataError:
    message = _DEFECTS[block["defect"]]
    text = block["defect_text"].decode(errors="replace")
    problem = message[0].format(text=text, column=block["defect_column"] + 1)
    side = block["side"]
    line = raw.place(side, block["defect_line"])
    hint = message[1]
    if "points beyond" in problem and _fits_turned(raw):
        hint = _SWAPPED
    return DataError(raw.names[side], line, problem, hint)


def _fits_turned(raw: RawBlock) -> bool:
    """Tell whether every link of a block fits its sentence if read as target-source."""
    sides = (raw.target, raw.source, raw.alignment or b"")
    for source, target, links in zip(*(side.split(b"\n") for side in sides), strict=False):
        lengths = (len(source.split()), len(target.split()))
        for link in links.split():
            i, hyphen, j = link.partition(b"-")
            if not (hyphen and i.isdigit() and j.isdigit()):
                return False
            if int(i) >= lengths[0] or int(j) >= lengths[1]:
                return False
    return True
