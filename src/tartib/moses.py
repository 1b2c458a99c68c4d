"""Moses' text files, read and written."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tartib import _native
from tartib.engine import map_ordered
from tartib.errors import OptionError
from tartib.orientation import TABLE_DIRECTIONS, OrientationModel, parse_all
from tartib.phrases import PhrasePairs
from tartib.progress import Advance, progress_bar
from tartib.storage import new_files
from tartib.textio import text_writer

# Pairs formatted in one go: a few megabytes of text, which stay in the processor's cache.
_CHUNK_PAIRS = 10_000

_SEPARATOR = b" ||| "


def write_extract(
    phrases: PhrasePairs,
    folder: str | Path,
    orientations: str | OrientationModel | Iterable[str | OrientationModel] | None = None,
    *,
    overwrite: bool = False,
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
    overwrite
        Replace files of these names.
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
    names = (models.get("word"), models.get("phrase"), models.get("hier"))

    Path(folder).mkdir(parents=True, exist_ok=True)
    paths = tuple(Path(folder) / name for name in ("extract", "extract.inv", "extract.o"))
    with (
        new_files(*paths, overwrite=overwrite) as asides,
        ExitStack() as stack,
        progress_bar("Writing", len(phrases), "pairs", shown=progress) as advance,
    ):
        files = [stack.enter_context(aside.open("wb")) for aside in asides]
        lines = partial(_extract_lines, phrases, names)
        for count, texts in map_ordered(lines, phrases.chunks(_CHUNK_PAIRS), n_jobs):
            for file, text in zip(files, texts, strict=True):
                file.write(text)
            advance(count)
    return paths[0], paths[1], paths[2]


def _extract_lines(
    phrases: PhrasePairs,
    names: Sequence[tuple[str, str, str, str] | None],
    sentences: tuple[int, int],
) -> tuple[int, tuple[bytes, bytes, bytes]]:
    """Return the number of pairs of some sentences, and their lines in Moses' three files."""
    begin, end = sentences
    word, phrase, hier = names
    lines = _native.moses_lines(
        phrases.bitext.source.vocabulary.native,
        phrases.bitext.target.vocabulary.native,
        phrases.block(begin, end),
        word,
        phrase,
        hier,
    )
    return int(phrases.offsets[end] - phrases.offsets[begin]), lines


def write_reordering_table(
    phrases: PhrasePairs,
    path: str | Path,
    orientation: str | OrientationModel | None = None,
    *,
    direction: str = "backward",
    condition: str = "fe",
    smoothing: float = 0.5,
    overwrite: bool = False,
    n_jobs: int | None = None,
    progress: bool = False,
) -> Path:
    """Write what Moses' ``lexical-reordering-score`` does, byte for byte the same.

    Parameters
    ----------
    phrases
        The training pairs. Their distinct phrases are held in memory.
    path
        The file, in Moses' naming ``reordering-table.hier-msd-backward-fe`` and so on; compressed
        as a further suffix says.
    orientation
        The orientation model; by default the one of ``phrases``.
    direction
        ``backward``, ``forward`` as Moses sees it (``forward-moses``), or ``bidirectional`` for
        both, backward first.
    condition
        ``fe`` for a line for each phrase pair, ``f`` for each source phrase, ``e`` for each target
        phrase; Moses itself does not read the last.
    smoothing
        Added to every count.
    overwrite
        Replace the file.
    n_jobs
        Number of threads; None for all cores.
    progress
        Show progress bars on a terminal.
    """
    # Imported here, because importing classifiers takes a second that extraction need not wait.
    from tartib.reordering import LexicalisedModel, phrase_keys

    if direction not in TABLE_DIRECTIONS:
        known = ", ".join(TABLE_DIRECTIONS)
        raise OptionError(f"unknown direction {direction!r}: it is one of {known}")
    orientations = OrientationModel.parse(orientation or phrases.orientation)
    keys = phrase_keys(phrases, condition, n_jobs)
    estimates = []
    for side in TABLE_DIRECTIONS[direction]:
        model = LexicalisedModel(condition, smoothing)
        model.fit_keys([keys], phrases.labels(orientations, side), len(orientations.labels))
        estimates.append(model.predict_proba_keys(model.keys_)[:, orientations.table_order])
    with new_files(Path(path), overwrite=overwrite) as (aside,), text_writer(aside, path) as file:
        distinct, place = _distinct(phrases, keys, model.keys_[0])
        count = int(distinct.offsets[-1])
        with progress_bar("Reading", count, "phrases", shown=progress) as advance:
            texts = list(_texts(distinct, condition, n_jobs, advance))
        with progress_bar("Writing", count, "lines", shown=progress) as advance:
            for lines in _lines(texts, np.hstack(estimates), place):
                file.write(b"".join(lines))
                advance(len(lines))
    return Path(path)


def _distinct(
    phrases: PhrasePairs, keys: NDArray[np.uint64], distinct: NDArray[np.uint64]
) -> tuple[PhrasePairs, NDArray[np.int64]]:
    """Return one phrase pair for each distinct key, and the keys' places in the same order."""
    place = _native.find_keys(distinct, keys)
    first = np.empty(len(distinct), np.int64)
    first[place[::-1]] = np.arange(len(keys))[::-1]  # of several values the last one stays
    keep = np.zeros(len(keys), np.bool_)
    keep[first] = True
    return phrases.filter(keep), place[keep]


def _texts(
    phrases: PhrasePairs, condition: str, n_jobs: int | None, advance: Advance
) -> Iterator[bytes]:
    """Yield ``f ||| e ||| `` for each pair, or one side of it."""
    lines = partial(_extract_lines, phrases, (None, None, None))
    for count, (direct, inverse, _) in map_ordered(lines, phrases.chunks(_CHUNK_PAIRS), n_jobs):
        lines_of = (inverse if condition == "e" else direct).split(b"\n")[:-1]
        advance(count)
        for line in lines_of:
            end = line.rindex(_SEPARATOR) if condition == "fe" else line.index(_SEPARATOR)
            yield line[: end + len(_SEPARATOR)]


def _lines(
    texts: list[bytes], estimates: NDArray[np.float64], place: NDArray[np.int64]
) -> Iterator[list[bytes]]:
    """Yield lines in the order of their bytes, some at a time."""
    order = np.array(sorted(range(len(texts)), key=texts.__getitem__), np.int64)
    known: dict[tuple[float, ...], bytes] = {}  # numbers that were formatted: most phrases are rare
    for begin in range(0, len(order), _CHUNK_PAIRS):
        part = order[begin : begin + _CHUNK_PAIRS]
        rows = map(tuple, estimates[place[part]].tolist())
        yield [texts[i] + _numbers(row, known) for i, row in zip(part.tolist(), rows, strict=True)]


def _numbers(row: tuple[float, ...], known: dict[tuple[float, ...], bytes]) -> bytes:
    """Format numbers as C++ streams do, once."""
    if row not in known:
        known[row] = " ".join(f"{value:g}" for value in row).encode() + b"\n"
    return known[row]
