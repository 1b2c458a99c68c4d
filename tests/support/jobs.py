"""Jobs for the tests of `JobServer`, in a module that its processes can import."""

import os
import signal
from multiprocessing import get_context
from pathlib import Path

from tartib.errors import OptionError


def note_process(path: Path) -> None:
    path.write_text(str(os.getpid()))


def refuse() -> None:
    raise OptionError("not this one")


def fail() -> None:
    raise ZeroDivisionError


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def die_with_a_semaphore() -> None:
    semaphore = get_context("spawn").Semaphore()
    with semaphore:
        die()


def tell_and_wait() -> None:
    """Write the numbers of the server's process and of this one, and never end."""
    os.write(2, f"{os.getppid()} {os.getpid()}\n".encode())
    while True:
        signal.pause()
