"""Word alignment through sil-thot: both directions at once, then symmetrised.

Each direction is trained in a process of its own, because thot holds the GIL. Sentences cross over
as arrays of ids, and thot sees ids for words, so no word can clash with the names it reserves.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import replace
from itertools import pairwise
from multiprocessing import get_context, parent_process
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnContext, SpawnProcess
from multiprocessing.queues import Queue
from pathlib import Path
from queue import Empty
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tartib import ragged
from tartib.bitext import Bitext, Text
from tartib.engine import check_seed, count_jobs
from tartib.errors import OptionError, TartibError
from tartib.progress import Advance, progress_bar
from tartib.storage import new_files
from tartib.textio import text_writer

HEURISTICS = (
    "grow-diag-final-and",
    "grow-diag-final",
    "grow-diag",
    "grow",
    "och",
    "union",
    "intersection",
)


# The models, each with the longest sentence that thot aligns; longer ones it passes over silently.
ALIGNERS = {
    "eflomal": 1024,
    "fast_align": 1024,
    "ibm1": 1024,
    "hmm": 200,
    "ibm3": 200,
    "ibm4": 200,
}
DEFAULT_ALIGNER = "eflomal"
DEFAULT_SEED = 1
DEFAULT_SAMPLERS = 3

# thot's own defaults for the number of EM iterations: the last model of a chain, and those before.
_LAST_ITERATIONS, _EARLIER_ITERATIONS = 4, 5


class _Direction(NamedTuple):
    """All that a worker needs to align one direction."""

    number: int
    aligner: str
    seed: int
    samplers: int
    source: tuple[NDArray[np.int32], NDArray[np.int64]]
    target: tuple[NDArray[np.int32], NDArray[np.int64]]


class _Message(NamedTuple):
    """How far a worker is, and in the end what it found."""

    number: int
    share: float
    links: NDArray[np.uint16] | None = None
    error: str | None = None


def align(
    bitext: Bitext,
    aligner: str = DEFAULT_ALIGNER,
    heuristic: str = "grow-diag-final-and",
    *,
    seed: int = DEFAULT_SEED,
    samplers: int = DEFAULT_SAMPLERS,
    n_jobs: int | None = None,
    progress: bool = False,
) -> Bitext:
    """Align the words of a bitext, whatever links it had.

    A script that calls this needs the guard ``if __name__ == "__main__"``, since processes are
    started.

    Parameters
    ----------
    bitext
        The text. Models learn from this text alone, so some thousand sentence pairs are needed.
    aligner
        ``eflomal`` (default), ``fast_align``, ``ibm1``, ``hmm``, ``ibm3`` or ``ibm4``.
    heuristic
        How the two directions are combined; see `HEURISTICS`.
    seed
        For ``eflomal``, which draws samples; the others are not random.
    samplers
        For ``eflomal``: how many independent chains are averaged. Time grows in proportion: 1 is
        fast, 3 good, 5 a little better.
    n_jobs
        Number of cores, None for all. The result is the same for any number.
    progress
        Show a progress bar on a terminal.

    Returns
    -------
    Bitext
        The same text with links.
    """
    _check_options(bitext, aligner, heuristic, samplers)
    check_seed(seed)
    if len(bitext) == 0:
        return replace(bitext, aligned=True)
    sides = [(text.ids, text.offsets) for text in (bitext.source, bitext.target)]
    directions = [
        _Direction(0, aligner, seed, samplers, sides[0], sides[1]),
        _Direction(1, aligner, seed, samplers, sides[1], sides[0]),
    ]
    forward, backward = _run(directions, count_jobs(n_jobs), progress)
    found = list(_symmetrise(bitext, forward, backward, heuristic))
    links, offsets = ragged.stack(found)
    return replace(bitext, links=links.astype(np.uint16), link_offsets=offsets, aligned=True)


def _check_options(bitext: Bitext, aligner: str, heuristic: str, samplers: int) -> None:
    if aligner not in ALIGNERS:
        raise OptionError(f"unknown aligner {aligner!r}: it is one of {', '.join(ALIGNERS)}")
    if heuristic not in HEURISTICS:
        raise OptionError(f"unknown heuristic {heuristic!r}: it is one of {', '.join(HEURISTICS)}")
    if samplers < 1:
        raise OptionError(f"samplers must be 1 or more, got {samplers}")
    for text in (bitext.source, bitext.target):
        longest = int(text.lengths.max(initial=0))
        if longest > ALIGNERS[aligner]:
            raise OptionError(
                f"{aligner} aligns sentences of at most {ALIGNERS[aligner]} tokens, and there "
                f"is one of {longest}: read the text with a lower limit, or take another aligner"
            )


def _run(directions: list[_Direction], workers: int, progress: bool) -> list[NDArray[np.uint16]]:
    """Align every direction, each in a process of its own, as many at a time as there are cores."""
    at_once = min(workers, len(directions))
    context = get_context("spawn")
    messages: Queue[_Message] = context.Queue()
    threads = max(1, workers // at_once)
    started = [_Worker(context, direction, messages, threads) for direction in directions]
    try:
        with progress_bar("Aligning", 100 * len(directions), "steps", shown=progress) as advance:
            results = _follow(started, at_once, messages, advance)
        return [results[d.number] for d in directions]
    finally:
        for worker in started:
            worker.end()


class _Worker:
    """A process that aligns one direction."""

    def __init__(
        self,
        context: SpawnContext,
        direction: _Direction,
        messages: Queue[_Message],
        threads: int,
    ) -> None:
        self._direction = direction
        self._receiver, self._sender = context.Pipe(duplex=False)
        self._starting: Future[None] | None = None
        arguments = (self._receiver, messages, threads)
        self.process = context.Process(target=_work, args=arguments, daemon=True)

    def start(self) -> None:
        """Start the process, then send it the text.

        A thread starts it, which no interrupt ends halfway: the process is known then, and can be
        ended.
        """
        thread = ThreadPoolExecutor(1)
        self._starting = thread.submit(self._start)
        thread.shutdown(wait=False)
        self._starting.result()
        self._receiver.close()
        with suppress(BrokenPipeError):  # it has ended: `_check_alive` says so
            self._sender.send(self._direction)

    def _start(self) -> None:
        # The process inherits this: Ctrl-C at a terminal is for its parent, which ends it.
        signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGINT, signal.SIGTERM))
        self.process.start()

    def end(self) -> None:
        """End the process: it is done, or not wanted any more."""
        if self._starting is not None:
            wait([self._starting])
        if self.process.pid is not None:
            self.process.kill()
            self.process.join()


def _follow(
    workers: list[_Worker], at_once: int, messages: Queue[_Message], advance: Advance
) -> dict[int, NDArray[np.uint16]]:
    """Start the workers, move the bar as they report, and collect what they found."""
    waiting = list(workers)
    processes = [worker.process for worker in workers]
    results: dict[int, NDArray[np.uint16]] = {}
    shown = [0] * len(processes)
    while len(results) < len(processes):
        running = sum(process.is_alive() for process in processes)
        while waiting and running < at_once:
            waiting.pop(0).start()
            running += 1
        try:
            message = messages.get(timeout=0.2)
        except Empty:
            _check_alive(processes)
            continue
        if message.error is not None:
            raise TartibError(f"the aligner failed: {message.error}")
        percent = int(100 * message.share)
        advance(percent - shown[message.number])
        shown[message.number] = percent
        if message.links is not None:
            results[message.number] = message.links
    return results


def _check_alive(processes: list[SpawnProcess]) -> None:
    for process in processes:
        if process.exitcode is not None and process.exitcode < 0:
            raise TartibError(
                "the aligner was killed, perhaps because memory ran out: "
                "try one job, another aligner or less text"
            )
        if process.exitcode:
            raise TartibError(
                "the aligner could not start; a script that calls align() needs the guard "
                'if __name__ == "__main__"'
            )


def _work(receiver: Connection, messages: Queue[_Message], threads: int) -> None:
    try:
        direction: _Direction = receiver.recv()
    except EOFError:  # nobody wants the result any more
        return
    # OpenMP reads its number of threads when thot is first imported, which is after this.
    os.environ["OMP_NUM_THREADS"] = str(threads)
    parent = parent_process()

    def report(share: float) -> None:
        if parent is not None and not parent.is_alive():
            os._exit(1)  # killed, so that it could not end us
        messages.put(_Message(direction.number, share))

    try:
        links = _align_direction(direction, report)
    except Exception as error:
        messages.put(_Message(direction.number, 0.0, error=f"{type(error).__name__}: {error}"))
    else:
        messages.put(_Message(direction.number, 1.0, links))


def _align_direction(direction: _Direction, report: Callable[[float], None]) -> NDArray[np.uint16]:
    """Return for each target word the source position from 1 that it is linked to, 0 for none."""
    models, iterations = _chain(direction)
    last = models[-1]
    for source, target in zip(
        _as_words(*direction.source), _as_words(*direction.target), strict=True
    ):
        last.add_sentence_pair(source, target)
    last.emit_training_alignments = True
    steps = 0
    for stage, model in enumerate(models):
        model.start_training()
        # eflomal plans its number of sweeps from the size of the text, and knows it only now.
        planned = iterations[stage] or model.scheduled_iterations
        total = steps + planned + sum(iterations[stage + 1 :])
        for _ in range(planned):
            model.train()
            steps += 1
            report(0.95 * steps / total)
        model.end_training()
    links = [
        last.get_training_alignment(n)[1].to_list() for n in range(len(direction.source[1]) - 1)
    ]
    return np.concatenate([np.array(row, np.uint16) for row in links])


def _as_words(ids: NDArray[np.int32], offsets: NDArray[np.int64]) -> Iterator[list[str]]:
    for begin, end in pairwise(offsets):
        yield [str(i) for i in ids[begin:end].tolist()]


def _chain(direction: _Direction) -> tuple[list[Any], list[int]]:
    """Return the models to train one after another, each starting from the one before."""
    from thot import alignment as thot

    name = direction.aligner
    if name == "eflomal":
        sampler = thot.EflomalAlignmentModel()
        sampler.seed = direction.seed
        sampler.num_samplers = direction.samplers
        return [sampler], [0]
    if name == "fast_align":
        fast = thot.FastAlignModel()
        fast.variational_bayes = True
        return [fast], [_LAST_ITERATIONS]
    first = thot.Ibm1AlignmentModel()
    models: list[Any] = [first]
    if name != "ibm1":
        models.append(thot.HmmAlignmentModel(first))
    if name in ("ibm3", "ibm4"):
        models.append(thot.Ibm3AlignmentModel(models[-1]))
    if name == "ibm4":
        models.append(thot.Ibm4AlignmentModel(models[-1]))
    return models, [_EARLIER_ITERATIONS] * (len(models) - 1) + [_LAST_ITERATIONS]


def _symmetrise(
    bitext: Bitext, forward: NDArray[np.uint16], backward: NDArray[np.uint16], heuristic: str
) -> Iterator[NDArray[np.int64]]:
    """Yield the links of each sentence: `forward` is by target word, `backward` by source word."""
    from thot.common import WordAlignmentMatrix

    names = {"intersection": "intersect", "och": "och_symmetrize"}
    method = names.get(heuristic, heuristic.replace("-", "_"))
    for to_source, to_target in zip(
        _cut(forward, bitext.target), _cut(backward, bitext.source), strict=True
    ):
        rows, columns = len(to_target), len(to_source)
        matrix = WordAlignmentMatrix(rows, columns)
        matrix.put_list(to_source.tolist())
        other = WordAlignmentMatrix(columns, rows)
        other.put_list(to_target.tolist())
        other.transpose()
        getattr(matrix, method)(other)
        yield np.argwhere(matrix.to_numpy())


def _cut(values: NDArray[np.uint16], text: Text) -> Iterator[NDArray[np.uint16]]:
    return (values[a:b] for a, b in pairwise(text.offsets))


def write_alignment(bitext: Bitext, path: str | Path, *, overwrite: bool = False) -> None:
    """Write links in Pharaoh format, a line for each line read; skipped ones have none."""
    skipped = bitext.skipped.too_long + bitext.skipped.empty
    lines = [""] * max(len(bitext) + skipped, int(bitext.lines.max(initial=0)))
    links = bitext.links.tolist()
    offsets = bitext.link_offsets.tolist()
    for sentence, line in enumerate(bitext.lines.tolist()):
        part = links[offsets[sentence] : offsets[sentence + 1]]
        lines[line - 1] = " ".join(f"{i}-{j}" for i, j in part)
    with new_files(Path(path), overwrite=overwrite) as (aside,), text_writer(aside, path) as file:
        file.write("".join(line + "\n" for line in lines).encode())
