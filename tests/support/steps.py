"""Steps of a program: every change that it makes to some folder, and what happens at one of them.

A step is something made, opened for writing, renamed, deleted or flushed to disk. Python announces
them (audit events; `tartib.storage` its flushes), in the process as in those forked from it.
At the step with a given number all of these processes are killed, or get a signal, or find the disk
full. Nothing depends on how fast they are.
"""

from __future__ import annotations

import errno
import json
import mmap
import os
import signal
import struct
import sys
import time
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

EVENTS = ("open", "os.mkdir", "os.rename", "os.remove", "os.rmdir", "os.truncate", "tartib.flush")
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT
TORN, MADE, BEFORE = "torn", "made", "before"


class Step(NamedTuple):
    """A change to a folder.

    Attributes
    ----------
    number
        From 1.
    event
        Its name.
    path
        What changes; of a rename the new name.
    state
        ``before`` it; ``made``: an opened file is there, but empty; ``torn``: of a file that is
        about to be flushed, the last block was not written.
    """

    number: int
    event: str
    path: str
    state: str


class Watcher:
    """An audit hook that counts the steps of a process and all its forks, and acts at one of them.

    Parameters
    ----------
    folder
        What happens below it are steps.
    log
        Gets a line for each step.
    at
        The number of the step to act at; 0 for none.
    action
        A signal for the process, which for SIGKILL all processes of its group get; or None: the
        step fails, as if the disk were full.
    """

    def __init__(
        self, folder: Path, log: Path, at: int = 0, action: signal.Signals | None = signal.SIGKILL
    ) -> None:
        self._folder = str(folder)
        self._log = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        self._at = at
        self._action = action
        self._count = mmap.mmap(-1, 16)  # shared with forks; steps, and seconds at the action
        self._busy = False
        self._process = os.getpid()

    @property
    def seconds(self) -> float:
        """Processor seconds that the process had used at the action; 0 if it was not reached."""
        return float(struct.unpack("d", self._count[8:])[0])

    def watch(self) -> None:
        """Begin, in the process to watch."""
        self._process = os.getpid()
        sys.addaudithook(self)

    def __call__(self, event: str, arguments: tuple[Any, ...]) -> None:
        """Hear of an audit event."""
        if event not in EVENTS or self._busy or not self._changes(event, arguments):
            return
        self._busy = True  # what is done here is no step
        try:
            path = self._path(event, arguments)
            self._step(event, path, BEFORE)
            if event == "open" and not Path(path).exists():
                os.close(os.open(path, os.O_WRONLY | os.O_CREAT, 0o666))
                self._step(event, path, MADE)
            if event == "tartib.flush" and Path(path).is_file():
                self._step(event, path, TORN)
        finally:
            self._busy = False

    def _changes(self, event: str, arguments: tuple[Any, ...]) -> bool:
        """Whether an event is about to change the folder."""
        if event == "open" and not (isinstance(arguments[2], int) and arguments[2] & WRITING):
            return False
        path = self._path(event, arguments)
        if event == "os.mkdir" and Path(path).exists():
            return False  # refused in any case
        return path.startswith(self._folder)

    def _path(self, event: str, arguments: tuple[Any, ...]) -> str:
        """Return what changes; of a rename the new name."""
        given = arguments[1 if event == "os.rename" else 0]
        if event == "os.truncate" and isinstance(given, int):
            return _name_of(given)
        if not isinstance(given, str | bytes | os.PathLike):
            return ""  # a descriptor
        path = os.fsdecode(given)
        if event in ("os.remove", "os.rmdir") and arguments[1] >= 0:
            # Trees are deleted by names relative to a descriptor of their folder.
            return f"{_name_of(arguments[1])}/{path}"
        return path

    def _step(self, event: str, path: str, state: str) -> None:
        number = struct.unpack("q", self._count[:8])[0] + 1
        self._count[:8] = struct.pack("q", number)
        os.write(self._log, (json.dumps([number, event, path, state]) + "\n").encode())
        if number == self._at:
            self._count[8:] = struct.pack("d", time.process_time())
            self._act(path, state)

    def _act(self, path: str, state: str) -> None:
        if state == TORN:
            size = Path(path).stat().st_size
            os.truncate(path, max(0, size - 1 - size % 4096))
        if self._action is None:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), path)
        if self._action == signal.SIGKILL:
            os.killpg(0, signal.SIGKILL)
            signal.pause()
        os.kill(self._process, self._action)


def read_steps(log: Path) -> list[Step]:
    """Return the steps that a watcher noted."""
    lines = log.read_text(encoding="utf-8").splitlines() if log.exists() else []
    return [Step(*json.loads(line)) for line in lines]


def different_steps(steps: Sequence[Step], folder: Path) -> Iterator[Step]:
    """Yield all steps, but of those inside of one hidden folder only the first and the last.

    Nobody looks into a hidden folder: the next run deletes it.
    """

    def hidden(step: Step) -> str:
        names = Path(step.path).relative_to(folder).parts[:-1]
        return next((name for name in names if name.startswith(".")), "")

    for place, inside in groupby(steps, hidden):
        first, *others = inside
        yield first
        yield from others if not place else others[-1:]


def _name_of(descriptor: int) -> str:
    try:
        return str(Path(f"/proc/self/fd/{descriptor}").readlink())
    except OSError:
        return ""
