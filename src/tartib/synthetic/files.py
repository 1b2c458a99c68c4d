"""The synthetic corpus as files, written by several processes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from functools import partial
from pathlib import Path

from tartib.engine import map_ordered
from tartib.errors import OptionError
from tartib.progress import progress_bar
from tartib.storage import new_folder, write_bytes, write_json
from tartib.synthetic.corpus import BLOCK_SIZE, block, lines

FORMAT = "tartib synthetic corpus"
VERSION = 1
FILES = ("synthetic.ar", "synthetic.en", "synthetic.align")
_LABEL = """SYNTHETIC corpus made by `tartib corpus synthetic`: {pairs} sentence pairs, seed {seed}.

The words are real Arabic and English, the sentences are invented by a grammar and the alignment is
exact by construction. It is for demos, tests and measurements of scale; results on it say nothing
about real Arabic or English.
"""


def write_corpus(
    folder: str | Path,
    pairs: int,
    seed: int = 0,
    *,
    overwrite: bool = False,
    n_jobs: int | None = None,
    progress: bool = False,
) -> tuple[Path, Path, Path]:
    """Write source, target and alignment of the first ``pairs`` sentence pairs.

    Parameters
    ----------
    folder
        Folder for ``synthetic.ar``, ``synthetic.en``, ``synthetic.align`` and a README that says
        what they are.
    pairs
        Number of sentence pairs; they are streamed, so any number fits in memory.
    seed
        The same seed gives the same corpus.
    overwrite
        Replace the folder if it exists.
    n_jobs
        Number of processes; None means all cores. The corpus is the same for any number.
    progress
        Show a progress bar on a terminal.

    Returns
    -------
    tuple of Path
        The three files.
    """
    if pairs < 0:
        raise OptionError(f"pairs must be 0 or more, got {pairs}")
    with (
        new_folder(folder, FORMAT, overwrite=overwrite) as aside,
        ExitStack() as stack,
        progress_bar("Writing", pairs, "sentence pairs", shown=progress) as advance,
    ):
        files = [stack.enter_context((aside / name).open("wb")) for name in FILES]
        write_bytes(aside / "README.txt", _LABEL.format(pairs=pairs, seed=seed).encode())
        meta = {"format": FORMAT, "version": VERSION, "pairs": pairs, "seed": seed}
        write_json(aside / "meta.json", meta)
        work = partial(_block_lines, seed=seed)
        # Starting processes takes longer than making a few blocks.
        jobs = 1 if pairs <= 10 * BLOCK_SIZE else n_jobs
        for texts, (_, count) in zip(
            map_ordered(work, _blocks(pairs), jobs, processes=True), _blocks(pairs), strict=True
        ):
            for file, text in zip(files, texts, strict=True):
                file.write(text)
            advance(count)
    source, target, alignment = (Path(folder) / name for name in FILES)
    return source, target, alignment


def _blocks(pairs: int) -> Iterator[tuple[int, int]]:
    """Yield the number of each block and how many of its pairs are needed."""
    for begin in range(0, pairs, BLOCK_SIZE):
        yield begin // BLOCK_SIZE, min(BLOCK_SIZE, pairs - begin)


def _block_lines(wanted: tuple[int, int], seed: int) -> tuple[bytes, bytes, bytes]:
    index, count = wanted
    return lines(block(index, seed)[:count])
