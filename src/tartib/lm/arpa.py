"""ARPA files: the text form of back-off models that all tools read."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from tartib import _native
from tartib.errors import DataError
from tartib.lm.table import Table
from tartib.progress import Advance, progress_bar
from tartib.storage import new_files
from tartib.textio import ByteStream, Writable, kind_of_text, line_blocks, text_writer
from tartib.vocabulary import Vocabulary

_PLACES = 1 << 16


def read_arpa(path: str | Path, *, progress: bool = False) -> Table:
    """Read a plain or compressed ARPA file; an error names the first bad line."""
    vocabulary = Vocabulary()
    reader = _native.ArpaReader(vocabulary.native)
    with (
        ByteStream(path) as stream,
        progress_bar("reading ARPA", None, "n-grams", shown=progress) as advance,
    ):
        listed = 0
        start = b""
        for chunk in line_blocks(stream):
            start = start or chunk
            _check(path, reader.feed(chunk), start)
            advance(reader.listed - listed)
            listed = reader.listed
        _check(path, reader.finish(), start)
    ngrams, reach, counts = reader.table()
    return Table(vocabulary, ngrams, int(reach), tuple(counts.tolist()))


def _check(path: str | Path, defect: tuple[int, bytes] | None, start: bytes) -> None:
    if defect is None:
        return
    if "phrase table" in (kind := kind_of_text(start)):
        hint = "give a language model: a folder of `tartib lm estimate --out`, or an ARPA file"
        raise DataError(path, None, f"this looks like {kind}", hint)
    line, problem = defect
    hint = "correct the line, or create or download the file again"
    raise DataError(path, max(line, 1), problem.decode(errors="replace"), hint)


def write_arpa(
    model: _native.LanguageModel,
    counts: Sequence[int],
    path: str | Path,
    *,
    overwrite: bool = False,
    progress: bool = False,
) -> None:
    """Write an ARPA file; compressed as its name says: ``.gz``, ``.bz2``, ``.xz``, ``.zst``."""
    orders = _orders(model, counts)
    with (
        new_files(Path(path), overwrite=overwrite) as (aside,),
        text_writer(aside, path) as file,
        progress_bar("writing ARPA", sum(counts), "n-grams", shown=progress) as advance,
    ):
        head = "\n".join(f"ngram {n}={count}" for n, count in enumerate(counts, 1))
        file.write(f"\\data\\\n{head}\n".encode())
        for n in range(1, model.order + 1):
            file.write(f"\n\\{n}-grams:\n".encode())
            _write_order(model, orders, n, file, advance)
        file.write(b"\n\\end\\\n")


def _write_order(
    model: _native.LanguageModel, orders: _native.Orders, n: int, file: Writable, advance: Advance
) -> None:
    for begin in range(0, len(orders), _PLACES):
        lines = model.arpa_lines(orders, n, begin, min(begin + _PLACES, len(orders)))
        file.write(lines)
        advance(lines.count(b"\n"))


def _orders(model: _native.LanguageModel, counts: Sequence[int]) -> _native.Orders:
    """Return the order of the n-gram in each place; an error if some could not be written."""
    hint = "estimate the model again, or load its ARPA file"
    try:
        orders = model.orders()
    except IndexError as error:
        raise DataError("the language model", None, f"is damaged: {error}", hint) from None
    found = np.bincount(orders, minlength=model.order + 1)[1:].tolist()
    if found != list(counts):
        problem = f"is damaged: it has {found} n-grams by order, not {list(counts)}"
        raise DataError("the language model", None, problem, hint)
    return orders
