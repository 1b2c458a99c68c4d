"""What a user is told when a command is interrupted or the system refuses something."""

from __future__ import annotations

import errno
import io
import os
import re
import signal
import sys
import tempfile
import threading
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import BinaryIO, NoReturn, TextIO, cast

from tartib.cli import output

_SECONDS_TO_STOP = 1.5  # after that, what is half-written is left for the next command to remove
_SECONDS_TO_RETRY = 0.01  # until an interrupt that Python dropped comes again
NO_SPACE = (errno.ENOSPC, errno.EDQUOT)
_NOT_ALLOWED = (errno.EACCES, errno.EPERM, errno.EROFS)


class Stopped(SystemExit):
    """An interrupt or a request to end; commands add notes that say what was kept."""

    code: int


def _stop(number: int, _: FrameType | None) -> NoReturn:
    """End as an exception does, so that what is half-written is cleared away."""
    raise Stopped(128 + number)


def _stop_again(dropped: sys.UnraisableHookArgs) -> None:
    """Repeat an interrupt that came where Python drops exceptions, such as in a destructor."""
    if not isinstance(dropped.exc_value, Stopped):
        sys.__unraisablehook__(dropped)
        return
    number = dropped.exc_value.code - 128
    again = threading.Timer(_SECONDS_TO_RETRY, os.kill, (os.getpid(), number))
    again.daemon = True
    again.start()


class ClosedStream(io.TextIOBase):
    """Takes the place of a standard stream that was closed before the command began."""

    def __init__(self, name: str) -> None:
        self._name = name

    def write(self, text: str) -> int:  # noqa: ARG002
        """Refuse."""
        raise OSError(errno.EBADF, "is closed: open it, or write to a file", self._name)

    @property
    def buffer(self) -> BinaryIO:
        """Refuse."""
        raise OSError(errno.EBADF, "is closed: open it, or write to a file", self._name)


def open_streams() -> None:
    """Make standard streams that are closed usable: errors go nowhere, results are refused."""
    if sys.stderr is None:
        sys.stderr = Path(os.devnull).open("w")  # noqa: SIM115
    if sys.stdout is None:
        sys.stdout = cast(TextIO, ClosedStream("standard output"))


def catch_signals() -> None:
    """Turn Ctrl-C and SIGTERM into `Stopped`; an ignored Ctrl-C stays ignored.

    A process that does not get there in time, because native code runs or threads are waited for,
    ends all the same.
    """
    from tartib import _native  # here: a list of commands needs no native code

    signal.signal(signal.SIGTERM, _stop)
    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
        signal.signal(signal.SIGINT, _stop)
    sys.unraisablehook = _stop_again
    _native.limit_stopping(_SECONDS_TO_STOP)


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
    output.print_problem(f"interrupted: {'; '.join(notes)}")
    from tartib import _native

    _native.stopping_told()
    sys.exit(stopped.code)


def name_option(message: str) -> str:
    """Call an option by the name that the user gave it, where a message begins with Python's."""
    name, space, rest = message.partition(" ")
    option = f"--{name.replace('_', '-')}"
    given = any(argument.partition("=")[0] == option for argument in sys.argv)
    return f"{option}{space}{rest}" if given else message


def name_options(message: str) -> str:
    """Call what ends training by its names here, not in Python."""
    named = re.sub(r"\b(max_iter|tol|epsilon)\b", lambda m: "--" + m[0].replace("_", "-"), message)
    named = re.sub(r" \(StandardScaler;[^)]*\)", "", named)
    return re.sub(r"\btake MaxEnt\b", "take -c maxent", named)


def forget_output() -> bool:
    """Drop what standard output cannot take, which Python would try to write again at the end.

    Returns
    -------
    bool
        Whether there was something to drop.
    """
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return True
    return False


def advice(error: OSError, *, printing: bool = False) -> str:
    """Return which file is concerned, what is wrong, and what to do.

    ``printing`` says that standard output takes no more.
    """
    from tartib.storage import shown_name  # here: a list of commands needs no storage

    name = shown_name(error.filename) if isinstance(error.filename, str) else None
    problem = error.strerror or str(error)
    place = f"{name}: " if name else "standard output: " if printing else ""
    if error.errno in NO_SPACE and printing and not name:
        return f"{place}no space left on the disk ({problem})\n  free some, or write elsewhere"
    if error.errno in NO_SPACE:
        return (
            f"{place}no space left on the disk ({problem})\n"
            "  free some space, or choose another disk: with --out for results, with the "
            f"environment variable TMPDIR for temporary files (now {tempfile.gettempdir()})"
        )
    if error.errno in _NOT_ALLOWED:
        hint = "check the permissions of the file and its folder, or choose another folder"
        return f"{place}{problem}\n  {hint}"
    if error.errno == errno.EFBIG:
        hint = (
            "the file is too large for this disk or for `ulimit -f`: write elsewhere, or raise it"
        )
        return f"{place}{problem}\n  {hint}"
    if error.errno == errno.ENOENT:
        return f"{place}{problem}\n  check the name and that its folder exists"
    return f"{place}{problem}"


def memory_advice(error: MemoryError) -> str:
    """Return what memory was needed for, and what to do."""
    # NumPy says how much it asked for; our own code only where it happened.
    asked = str(error) if "allocate" in str(error) else "the system has no more to give"
    frames = [frame.f_globals["__name__"] for frame, _ in traceback.walk_tb(error.__traceback__)]
    ours = [name for name in frames if name.startswith("tartib.")]
    place = f" in {ours[-1]}" if ours else ""
    return (
        f"not enough memory{place}: {asked}\n"
        "  use fewer jobs (--jobs 1) or a part of the data, close other programs, or raise the "
        "limit (ulimit -v shows it)"
    )
