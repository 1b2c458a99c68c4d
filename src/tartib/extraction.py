"""Phrase pairs from a word-aligned bitext, with their orientations."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tartib import _native, ragged
from tartib.bitext import Bitext
from tartib.engine import map_ordered
from tartib.errors import OptionError
from tartib.orientation import OrientationModel
from tartib.phrases import RECORD, PhrasePairs, phrase_writer
from tartib.progress import Advance, progress_bar
from tartib.storage import ArrayBuffer

_CHUNK_SENTENCES = 1000

Extracted = tuple[Bitext, NDArray[Any], NDArray[np.int64]]


def extract_phrases(
    bitext: Bitext | Iterable[Bitext],
    orientation: str | OrientationModel = "hier-msd",
    max_phrase_length: int = 7,
    *,
    out: str | Path | None = None,
    overwrite: bool = False,
    n_jobs: int | None = None,
    progress: bool = False,
) -> PhrasePairs:
    """Extract all phrase pairs that agree with the word alignment.

    Word, phrase and hierarchical orientation are all found in the one pass, at the finest class
    set; ``orientation`` only says which one the result shows when none is named.

    Parameters
    ----------
    bitext
        A corpus with its alignment, or a stream of its blocks (`read_blocks`) for corpora larger
        than memory.
    orientation
        ``word``, ``phrase`` or ``hier``, a hyphen, and ``msd``, ``mslr``, ``monotonicity`` or
        ``leftright``.
    max_phrase_length
        The longest phrase, in words, on either side.
    out
        Folder for the store. Pairs are written as they are found, so memory does not grow with
        their number. Without it they stay in memory, eight bytes each.
    overwrite
        Replace ``out`` if it exists.
    n_jobs
        Number of threads; None for all cores. The result is the same for any number.
    progress
        Show a progress bar on a terminal.

    Returns
    -------
    PhrasePairs
        In Moses' order; memory-mapped if ``out`` is given.
    """
    model = OrientationModel.parse(orientation)
    longest = _native.MAX_PHRASE_LENGTH
    if not 1 <= max_phrase_length <= longest:
        raise OptionError(f"max_phrase_length must be 1 to {longest}, got {max_phrase_length}")
    if out is None and not isinstance(bitext, Bitext):
        raise OptionError("a stream of blocks needs a folder to write to: give `out`")
    total = len(bitext) if isinstance(bitext, Bitext) else None
    with progress_bar("Extracting", total, "sentence pairs", shown=progress) as advance:
        chunks = _extract_chunks(bitext, max_phrase_length, n_jobs, advance)
        if isinstance(bitext, Bitext) and out is None:
            return _in_memory(bitext, chunks, model, max_phrase_length)
        assert out is not None  # noqa: S101 -- checked above
        with phrase_writer(
            out, orientation=model, max_phrase_length=max_phrase_length, overwrite=overwrite
        ) as sink:
            for chunk in chunks:
                sink.append(*chunk)
    return PhrasePairs.load(out, vocabularies=sink.corpus.vocabularies)


def _extract_chunks(
    bitext: Bitext | Iterable[Bitext], max_phrase_length: int, n_jobs: int | None, advance: Advance
) -> Iterator[Extracted]:
    blocks = [bitext] if isinstance(bitext, Bitext) else bitext
    chunks = (chunk for block in blocks for chunk in _chunks(block))
    for extracted in map_ordered(
        partial(_extract, max_phrase_length=max_phrase_length), chunks, n_jobs
    ):
        yield extracted
        advance(len(extracted[0]))


def _chunks(block: Bitext) -> Iterator[Bitext]:
    """Cut a block small enough for the cores to share; what was skipped goes with the first."""
    if not block.aligned:
        raise OptionError("the text has no word alignment: give one, or make one (tartib align)")
    for number, chunk in enumerate(block.blocks(_CHUNK_SENTENCES)):
        yield replace(chunk, skipped=block.skipped) if number == 0 else chunk
    if len(block) == 0:
        yield block


def _extract(chunk: Bitext, max_phrase_length: int) -> Extracted:
    pairs, offsets = _native.extract_phrases(
        chunk.source.offsets,
        chunk.target.offsets,
        chunk.packed_links,
        chunk.link_offsets,
        max_phrase_length,
    )
    return chunk, pairs.view(RECORD), offsets


def _in_memory(
    bitext: Bitext, chunks: Iterator[Extracted], model: OrientationModel, max_phrase_length: int
) -> PhrasePairs:
    records, offsets = ArrayBuffer(RECORD), ArrayBuffer(np.int64)
    offsets.append(np.zeros(1, np.int64))
    for _, found, found_offsets in chunks:
        offsets.append(ragged.following(found_offsets, len(records)))
        records.append(found)
    return PhrasePairs(
        bitext,
        records.finish(),
        offsets.finish(),
        orientation=model,
        max_phrase_length=max_phrase_length,
    )
