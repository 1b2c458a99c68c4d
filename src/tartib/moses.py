"""Moses' text files, read and written."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tartib import _native
from tartib.engine import map_ordered
from tartib.errors import OptionError
from tartib.orientation import TABLE_DIRECTIONS, OrientationModel, parse_all
from tartib.phrases import PhrasePairs
from tartib.progress import progress_bar
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

    def lines(sentences: tuple[int, int]) -> tuple[int, tuple[bytes, bytes, bytes]]:
        begin, end = sentences
        written = _native.moses_lines(
            phrases.bitext.source.vocabulary.native,
            phrases.bitext.target.vocabulary.native,
            phrases.block(begin, end),
            *names,
        )
        return int(phrases.offsets[end] - phrases.offsets[begin]), written

    Path(folder).mkdir(parents=True, exist_ok=True)
    paths = tuple(Path(folder) / name for name in ("extract", "extract.inv", "extract.o"))
    with (
        new_files(*paths, overwrite=overwrite) as asides,
        ExitStack() as stack,
        progress_bar("Writing", len(phrases), "pairs", shown=progress) as advance,
    ):
        files = [stack.enter_context(aside.open("wb")) for aside in asides]
        for count, texts in map_ordered(lines, phrases.chunks(_CHUNK_PAIRS), n_jobs):
            for file, text in zip(files, texts, strict=True):
                file.write(text)
            advance(count)
    return paths[0], paths[1], paths[2]


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
        ``backward`` for orientation to the previous phrase, ``forward`` to the next,
        ``bidirectional`` for both, previous first.
    condition
        ``fe`` for a line for each phrase pair, ``f`` for each source phrase; ``e`` for each target
        phrase, which is for others to read: Moses has no such tables.
    smoothing
        Added to every count.
    overwrite
        Replace the file.
    n_jobs
        Number of threads; None for all cores.
    """
    # Here, so that extraction need not load the classifiers.
    from tartib.models import LexicalisedModel, phrase_keys

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
        texts, place = _distinct_texts(phrases, keys, model.keys_[0], condition, n_jobs)
        numbers = _numbers(np.hstack(estimates)[place])
        order = sorted(range(len(texts)), key=texts.__getitem__)
        for begin in range(0, len(order), _CHUNK_PAIRS):
            part = order[begin : begin + _CHUNK_PAIRS]
            file.write(b"".join(texts[line] + numbers[line] for line in part))
    return Path(path)


def _distinct_texts(
    phrases: PhrasePairs,
    keys: NDArray[np.uint64],
    distinct: NDArray[np.uint64],
    condition: str,
    n_jobs: int | None,
) -> tuple[list[bytes], NDArray[np.int64]]:
    """Return what distinct phrases' lines begin with, and which of the distinct keys is whose."""
    place = _native.find_keys(distinct, keys)
    first = np.empty(len(distinct), np.int64)
    first[place[::-1]] = np.arange(len(keys))[::-1]  # of several values the last one stays
    keep = np.zeros(len(keys), np.bool_)
    keep[first] = True
    return list(_texts(phrases.filter(keep), condition, n_jobs)), place[keep]


def _texts(phrases: PhrasePairs, condition: str, n_jobs: int | None) -> Iterator[bytes]:
    """Yield ``f ||| e ||| `` for each pair, or one side of it."""

    def lines(sentences: tuple[int, int]) -> tuple[bytes, bytes, bytes]:
        return _native.moses_lines(
            phrases.bitext.source.vocabulary.native,
            phrases.bitext.target.vocabulary.native,
            phrases.block(*sentences),
            None,
            None,
            None,
        )

    for direct, inverse, _ in map_ordered(lines, phrases.chunks(_CHUNK_PAIRS), n_jobs):
        for line in (inverse if condition == "e" else direct).split(b"\n")[:-1]:
            end = line.rindex(_SEPARATOR) if condition == "fe" else line.index(_SEPARATOR)
            yield line[: end + len(_SEPARATOR)]


def _numbers(estimates: NDArray[np.float64]) -> list[bytes]:
    """Format rows as C++ streams do, each distinct one once: most phrases are rare."""
    known: dict[tuple[float, ...], bytes] = {}
    rows = []
    for values in map(tuple, estimates.tolist()):
        if values not in known:
            known[values] = " ".join(f"{value:g}" for value in values).encode() + b"\n"
        rows.append(known[values])
    return rows
