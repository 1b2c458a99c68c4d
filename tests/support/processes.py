"""Processes that tests start: their environment and signals are the same wherever tests run."""

import os
import signal
import subprocess
import sys
import threading
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)


def fork(run: Callable[[], object]) -> int:
    """Run something in a fork, which ends with 0, or with a traceback and 1; return its number."""
    process = os.fork()
    if process == 0:
        code = 1
        try:
            run()
            code = 0
        except BaseException:
            traceback.print_exc()
        finally:
            sys.stderr.flush()
            os._exit(code)
    return process


@contextmanager
def default_signals() -> Iterator[None]:
    """Let processes that are started inside have the usual signals.

    A background job of a script ignores SIGINT from its start, `nohup` makes it ignore SIGHUP, and
    children inherit both, and blocked signals as well. A handler is not inherited: a child has the
    default instead.
    """
    assert threading.current_thread() is threading.main_thread()
    ignored = [number for number in SIGNALS if signal.getsignal(number) is signal.SIG_IGN]
    blocked = signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)
    try:
        for number in ignored:
            signal.signal(number, _leave_alone)
        yield
    finally:
        for number in ignored:
            signal.signal(number, signal.SIG_IGN)
        signal.pthread_sigmask(signal.SIG_SETMASK, blocked)


def _leave_alone(number: int, frame: Any) -> None:
    """Handle a signal as if it were ignored."""


def environment(**changes: str) -> dict[str, str]:
    """Return the environment of the tests (see `tests/conftest.py`) with changes."""
    return {**os.environ, "PYTHONIOENCODING": "utf-8", **changes}


def start(command: Sequence[object], **options: Any) -> subprocess.Popen[Any]:
    """Start a process with the usual signals; ``options`` are those of `subprocess.Popen`."""
    options.setdefault("env", environment())
    options.setdefault("stdin", subprocess.DEVNULL)
    with default_signals():
        return subprocess.Popen([*map(str, command)], **options)


def run(
    command: Sequence[object], *, stdin: str | None = None, check: bool = True, **options: Any
) -> subprocess.CompletedProcess[str]:
    """Run a process to its end and return what it wrote; ``check`` that it ended well."""
    pipe = subprocess.PIPE
    options.setdefault("encoding", "utf-8")
    given = subprocess.DEVNULL if stdin is None else pipe
    with start(command, stdin=given, stdout=pipe, stderr=pipe, **options) as process:
        try:
            out, err = process.communicate(stdin)
        except BaseException:
            process.kill()
            raise
    assert not check or process.returncode == 0, err
    return subprocess.CompletedProcess([*map(str, command)], process.returncode, out, err)


def run_python(code: str, *arguments: object, **options: Any) -> subprocess.CompletedProcess[str]:
    """Run a program in an interpreter of its own; ``options`` are those of `run`."""
    return run([sys.executable, "-c", code, *arguments], **options)
