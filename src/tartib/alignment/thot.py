"""Word alignment through sil-thot: both directions at once.

Each direction is trained in a process of its own, because thot holds the GIL. Sentences cross over
as arrays of ids, and thot sees ids for words, so no word can clash with the names it reserves.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import suppress
from itertools import pairwise
from multiprocessing import get_context, parent_process
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnContext, SpawnProcess
from multiprocessing.queues import Queue
from queue import Empty
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tartib.alignment.links import Links
from tartib.bitext import Bitext
from tartib.errors import TartibError
from tartib.progress import Advance, progress_bar

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


def align_directions(
    bitext: Bitext, aligner: str, *, seed: int, samplers: int, workers: int, progress: bool
) -> tuple[Links, Links]:
    """Return the links of both directions, forward (a link for each target word) and backward.

    The parameters are those of `tartib.alignment.align`, checked already.
    """
    sides = [(text.ids, text.offsets) for text in (bitext.source, bitext.target)]
    directions = [
        _Direction(0, aligner, seed, samplers, sides[0], sides[1]),
        _Direction(1, aligner, seed, samplers, sides[1], sides[0]),
    ]
    to_source, to_target = _run(directions, workers, progress)
    return (
        Links.of_targets(to_source, bitext.target.offsets),
        Links.of_targets(to_target, bitext.source.offsets).turned(),
    )


def _run(directions: list[_Direction], workers: int, progress: bool) -> list[NDArray[np.uint16]]:
    """Align every direction, each in a process of its own, as many at a time as there are cores."""
    at_once = min(workers, len(directions))
    context = get_context("spawn")
    messages: Queue[_Message] = context.Queue()
    threads = max(1, workers // at_once)
    started = [_Worker(context, direction, messages, threads) for direction in directions]
    try:
        with progress_bar(
            f"Aligning with {directions[0].aligner}", 100 * len(directions), "steps", shown=progress
        ) as advance:
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
