"""Jobs in processes of their own, so that the peak memory of each can be measured.

A server imports everything once and forks a process for each job; that costs milliseconds, and an
interpreter of its own would cost a second. (`multiprocessing` would import the caller's script
again.) When the caller is gone, even killed, the server notices, stops the job and ends.
"""

from __future__ import annotations

import importlib
import os
import pickle
import select
import signal
import struct
import subprocess
import sys
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import TracebackType
from typing import Any, BinaryIO, Self

from tartib.errors import TartibError

# What the caller understands without a traceback: mistakes of the user, a full disk or memory.
_PLAIN = (TartibError, OSError, MemoryError)
Job = tuple[Callable[..., None], tuple[Any, ...]]
_LENGTH = struct.Struct("<Q")
# Semaphores of a job that was stopped are removed by Python, and nobody need hear of it.
_QUIET = "ignore:resource_tracker:UserWarning"


class JobServer:
    """Runs functions of Tartib's modules, each call in a fresh process; a context manager.

    The server is started by the first call.

    Parameters
    ----------
    module
        What the jobs need, imported once.
    lock
        A file descriptor that all processes inherit, of `Workspace.opened`.
    """

    def __init__(
        self, module: str = "tartib.experiments.run.classifiers", lock: int | None = None
    ) -> None:
        self._module = module
        self._inherited = () if lock is None else (lock,)
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._process is None:
            return
        for stream in (self._process.stdin, self._process.stdout):
            assert stream is not None  # noqa: S101 -- asked for in _start
            stream.close()
        self._process.wait()

    def run(self, function: Callable[..., None], *arguments: object) -> None:
        """Run a function of a module to its end; what it raises is raised here."""
        if self._process is None:
            self._process = self._start()
        try:
            _send(self._process.stdin, (function, arguments))
            answer = _receive(self._process.stdout)
        except (EOFError, BrokenPipeError):
            raise TartibError(f"the process for {function.__name__} could not be started") from None
        if isinstance(answer, _PLAIN):
            raise answer
        if answer is not None:
            raise RuntimeError(f"{function.__name__} failed:\n{answer}")

    def _start(self) -> subprocess.Popen[bytes]:
        code = (
            # The caller decides what an interrupt means.
            "import signal; signal.signal(signal.SIGINT, signal.SIG_IGN); "
            "signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT]); "
            f"from tartib.experiments.run import jobs; jobs.serve({self._module!r})"
        )
        with _interrupts_held():
            return subprocess.Popen(  # noqa: S603 -- our own code
                [sys.executable, "-W", _QUIET, "-c", code],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                # BLAS is not used by any job, and its threads do not survive a fork.
                env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
                pass_fds=self._inherited,
            )


@contextmanager
def _interrupts_held() -> Iterator[None]:
    """Hold Ctrl-C back, here for a moment, and in a new process until it ignores it."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _send(stream: BinaryIO | Any, value: object) -> None:  # noqa: ANN401
    data = pickle.dumps(value)
    stream.write(_LENGTH.pack(len(data)) + data)
    stream.flush()


def _receive(stream: BinaryIO | Any) -> Any:  # noqa: ANN401
    head = stream.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        raise EOFError
    data = stream.read(_LENGTH.unpack(head)[0])
    return pickle.loads(data)  # noqa: S301 -- from our own process, through a pipe


def serve(module: str) -> None:
    """Take jobs from standard input, one after another, until it closes."""
    requests = os.fdopen(os.dup(0), "rb", buffering=0)
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a job prints must not get between the answers
    importlib.import_module(module)
    while True:
        try:
            job: Job = _receive(requests)
        except EOFError:
            return
        answer = _run_forked(job, requests.fileno())
        with suppress(BrokenPipeError):  # the caller was killed meanwhile
            _send(answers, answer)


def _run_forked(job: Job, caller: int) -> object:
    """Run one job in a fork and return what went wrong, or None; end with the caller."""
    reading, writing = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of forks beside threads
        process = os.fork()
    if process == 0:
        os.close(reading)
        _run_and_exit(job, writing)
    os.close(writing)
    with os.fdopen(reading, "rb") as told:
        ready, _, _ = select.select([reading, caller], [], [])
        if reading not in ready:
            os.kill(process, signal.SIGKILL)  # nothing but its end comes from a waiting caller
            os.waitpid(process, 0)
            os._exit(1)
        data = told.read()
    _, status = os.waitpid(process, 0)
    if data:
        return pickle.loads(data)  # noqa: S301 -- from our own process, through a pipe
    code = os.waitstatus_to_exitcode(status)
    if code == 0:
        return None
    reason = f"signal {-code}" if code < 0 else f"exit code {code}"
    advice = "; it may have needed more memory than there is" if code == -signal.SIGKILL else ""
    return TartibError(f"the process of a stage ended by {reason}{advice}")


def _run_and_exit(job: Job, told: int) -> None:
    """Be the job's process."""
    function, arguments = job
    answer: object = None
    code = 0
    try:
        function(*arguments)
    except _PLAIN as error:
        answer, code = error, 1
    except BaseException:  # whatever it is, the caller must hear of it
        answer, code = traceback.format_exc(), 1
    finally:
        if answer is not None:
            with os.fdopen(told, "wb") as stream:
                stream.write(pickle.dumps(answer))
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
