"""Moses' text files, read and written."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import ExitStack
from pathlib import Path

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
