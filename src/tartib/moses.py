"""Moses' text files, read and written."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path

import numpy as np

from tartib import _native
from tartib.engine import map_ordered
from tartib.orientation import OrientationModel, parse_all
from tartib.phrases import PhrasePairs
from tartib.progress import progress_bar
from tartib.storage import new_files

# Pairs formatted in one go: a few megabytes of text, which stay in the processor's cache.
_CHUNK_PAIRS = 10_000


def write_extract(
    phrases: PhrasePairs,
    folder: str | Path,
    orientations: str | OrientationModel | Iterable[str | OrientationModel] | None = None,
    *,
    n_jobs: int | None = None,
    progress: bool = False,
) -> tuple[Path, Path, Path]:
    """Write the files of Moses' ``extract``, line for line the same.

    Parameters
    ----------
    phrases
        What to write.
    folder
        Gets the files ``extract``, ``extract.inv`` and ``extract.o``; made if need be.
    orientations
        The models whose fields of ``extract.o`` are filled, each with its class set; by default
        the one of ``phrases``.
    n_jobs
        Number of threads; None for all cores.
    progress
        Show a progress bar on a terminal.

    Returns
    -------
    tuple of Path
        The three files.
    """
    models = {m.model: m.names for m in parse_all(orientations or phrases.orientation)}
    names = tuple(models.get(model) for model in ("word", "phrase", "hier"))

    def lines(sentences: tuple[int, int]) -> tuple[int, tuple[bytes, bytes, bytes]]:
        begin, end = sentences
        text = phrases.bitext.slice(begin, end)
        offsets = phrases.offsets[begin : end + 1]
        records = np.ascontiguousarray(phrases.records[offsets[0] : offsets[-1]])
        written = _native.moses_lines(
            text.source.vocabulary.native,
            text.target.vocabulary.native,
            text.source.ids,
            text.source.offsets,
            text.target.ids,
            text.target.offsets,
            text.packed_links,
            text.link_offsets,
            records.view(np.uint64),
            offsets - offsets[0],
            *names,
        )
        return len(records), written

    paths = tuple(Path(folder) / name for name in ("extract", "extract.inv", "extract.o"))
    with (
        new_files(*paths) as asides,
        ExitStack() as stack,
        progress_bar("Writing", len(phrases), "pairs", shown=progress) as advance,
    ):
        files = [stack.enter_context(aside.open("wb")) for aside in asides]
        for count, texts in map_ordered(lines, _sentence_chunks(phrases), n_jobs):
            for file, text in zip(files, texts, strict=True):
                file.write(text)
            advance(count)
    return paths[0], paths[1], paths[2]


def _sentence_chunks(phrases: PhrasePairs) -> Iterator[tuple[int, int]]:
    """Cut the sentences into runs of about `_CHUNK_PAIRS` pairs."""
    begin = 0
    while begin < len(phrases.bitext):
        target = phrases.offsets[begin] + _CHUNK_PAIRS
        end = max(begin + 1, int(np.searchsorted(phrases.offsets, target)))
        end = min(end, len(phrases.bitext))
        yield begin, end
        begin = end
