"""What a user is told when a command is interrupted or the system refuses something."""

from __future__ import annotations

import errno
import os
import signal
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import NoReturn

import typer

_NO_SPACE = (errno.ENOSPC, errno.EDQUOT)
_NOT_ALLOWED = (errno.EACCES, errno.EPERM, errno.EROFS)


class Stopped(SystemExit):
    """An interrupt or a request to end; commands add notes that say what was kept."""


def _stop(number: int, _: FrameType | None) -> NoReturn:
    """End as an exception does, so that what is half-written is cleared away."""
    raise Stopped(128 + number)


def catch_signals() -> None:
    """Turn Ctrl-C and SIGTERM into `Stopped`; an ignored Ctrl-C stays ignored."""
    signal.signal(signal.SIGTERM, _stop)
    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
        signal.signal(signal.SIGINT, _stop)


@contextmanager
def note_if_stopped(message: Callable[[], str]) -> Iterator[None]:
    """Add to an interrupt what was kept and how to go on; ``message`` is called only then."""
    try:
        yield
    except Stopped as stopped:
        stopped.add_note(message())
        raise


def tell_stopped(stopped: Stopped) -> NoReturn:
    """Say that the command was interrupted and what was kept; then end."""
    notes = getattr(stopped, "__notes__", []) or ["no output file was written"]
    typer.echo(f"tartib: interrupted: {'; '.join(notes)}", err=True)
    sys.exit(stopped.code)


def forget_output() -> None:
    """Drop what standard output cannot take, which Python would try to write again at the end."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def advice(error: OSError) -> str:
    """Return which file is concerned, what is wrong, and what to do."""
    name = error.filename if isinstance(error.filename, str) else None
    problem = error.strerror or str(error)
    place = f"{name}: " if name else ""
    if error.errno in _NO_SPACE:
        return (
            f"{place}no space left on the disk ({problem})\n"
            "  free some space, or choose another disk: with --out for results, with the "
            f"environment variable TMPDIR for temporary files (now {tempfile.gettempdir()})"
        )
    if error.errno in _NOT_ALLOWED:
        hint = "check the permissions of the file and its folder, or choose another folder"
        return f"{place}{problem}\n  {hint}"
    if error.errno == errno.EFBIG:
        hint = "this disk, or `ulimit -f`, allows no larger file: choose another folder or limit"
        return f"{place}{problem}\n  {hint}"
    if error.errno == errno.ENOENT:
        return f"{place}{problem}\n  check the name and that its folder exists"
    return f"{place}{problem}"
