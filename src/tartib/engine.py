"""Run work on several cores, with the results in the order of the items."""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from typing import TypeVar

from tartib.errors import OptionError

MAX_JOBS = 1024  # native code takes no more threads
_thread = threading.local()

Item = TypeVar("Item")
Result = TypeVar("Result")


def count_jobs(n_jobs: int | None) -> int:
    """Return the number of workers: ``n_jobs``, or all usable cores if it is None or -1."""
    if n_jobs is None or n_jobs == -1:
        affinity = getattr(os, "sched_getaffinity", None)
        return len(affinity(0)) if affinity else os.cpu_count() or 1
    if not 1 <= n_jobs <= MAX_JOBS:
        raise OptionError(
            f"the number of jobs must be 1 to {MAX_JOBS:,}, got {n_jobs}; leave it out to use all "
            "cores"
        )
    return n_jobs


def check_seed(seed: int) -> int:
    """Return the seed if every random number generator accepts it."""
    if not 0 <= seed < 1 << 32:
        raise OptionError(f"the seed must be a number from 0 to 4294967295, got {seed}")
    return seed


def map_ordered(
    function: Callable[[Item], Result],
    items: Iterable[Item],
    n_jobs: int | None = None,
    *,
    processes: bool = False,
    ready: Callable[[], bool] | None = None,
) -> Iterator[Result]:
    """Apply a function to each item on several workers and yield the results in the items' order.

    Items are read lazily, with only a few per worker in progress, so memory stays bounded however
    long the stream is. With one worker everything happens in the calling thread. If reading an item
    fails, the error is raised after the results of the items before it.

    Parameters
    ----------
    function
        It should release the GIL, as native kernels do; with ``processes`` it must be picklable.
    items
        Read in the calling thread, one at a time.
    n_jobs
        Number of workers; None means all cores.
    processes
        Use processes instead of threads, for pure Python work.
    ready
        Returns whether the next item can be read without waiting. While it cannot, the results of
        the items before it are yielded; without ``ready``, they may have to wait for later items.
    """
    workers = count_jobs(n_jobs)
    if workers == 1:
        yield from map(function, items)
        return
    pool: Executor = (
        ProcessPoolExecutor(workers, mp_context=get_context("spawn"))
        if processes
        else ThreadPoolExecutor(workers, initializer=_begin_work)
    )
    pending: deque[Future[Result]] = deque()
    failure: Exception | None = None
    try:
        drawn = iter(items)
        while True:
            try:
                item = next(drawn)
            except StopIteration:
                break
            except Exception as error:
                failure = error
                break
            pending.append(pool.submit(function, item))
            while pending and (len(pending) > 2 * workers or not (ready is None or ready())):
                yield pending.popleft().result()
        while pending:
            yield pending.popleft().result()
        if failure is not None:
            raise failure
    finally:
        # The garbage collector may end us in one of our own threads, which cannot wait for itself.
        pool.shutdown(wait=not getattr(_thread, "is_worker", False), cancel_futures=True)


def _begin_work() -> None:
    _thread.is_worker = True
