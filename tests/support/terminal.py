"""A terminal of a test's own, where bars are drawn that a pipe never sees."""

import os
import pty
import re
import select
import termios
import time

from tests.support import processes
from tests.support.commands import start_tartib

TIMEOUT = 300.0  # only a process that hangs needs so long, even on a busy machine
ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\r")


def on_terminal(*arguments: object, rows: int = 24, columns: int = 80, typed: bytes = b"") -> str:
    """Run a command in a window of its own and return what it wrote there, without colours."""
    ours, theirs = pty.openpty()
    termios.tcsetwinsize(theirs, (rows, columns))
    environment = processes.environment(TERM="xterm-256color")
    for name in ("COLUMNS", "LINES"):
        environment.pop(name, None)
    with start_tartib(
        *arguments, stdin=theirs, stdout=theirs, stderr=theirs, env=environment,
        start_new_session=True,
    ) as process:  # fmt: skip
        os.close(theirs)
        os.write(ours, typed)  # the window keeps it until it is read
        try:
            text = ESCAPES.sub("", read_all(ours).decode())
        except BaseException:
            process.kill()
            raise
        finally:
            os.close(ours)
    assert process.returncode == 0, text
    assert "Traceback" not in text
    return text


def read_all(terminal: int) -> bytes:
    """Read until nobody can write any more."""
    data, deadline = b"", time.monotonic() + TIMEOUT
    while True:
        ready, _, _ = select.select([terminal], [], [], max(deadline - time.monotonic(), 0))
        assert ready, f"not finished after {TIMEOUT:.0f} s: {data[-2000:]!r}"
        try:
            found = os.read(terminal, 1 << 16)
        except OSError:  # how Linux tells the end
            found = b""
        if not found:
            return data
        data += found
