"""The commands of ``tartib``: in a process of their own, or in this one, which is faster."""

import io
import os
import signal
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from typing import Any
from unittest import mock

from typer.testing import CliRunner, Result

from tartib import TartibError, _native
from tartib.cli import app, main
from tests.support import processes

WIDE = "200"  # columns, so that no message is broken into lines


def tartib(
    *arguments: object, code: int = 0, stdin: str | None = None
) -> subprocess.CompletedProcess[str]:
    """Run a command in a process of its own."""
    command = [sys.executable, "-m", "tartib", *arguments]
    done = processes.run(command, stdin=stdin, check=False, env=processes.environment(COLUMNS=WIDE))
    assert done.returncode == code, done.stderr
    assert "Traceback" not in done.stderr
    return done


def start_tartib(*arguments: object, **options: Any) -> subprocess.Popen[Any]:
    """Start a command in a process of its own; ``options`` are those of `subprocess.Popen`."""
    return processes.start([sys.executable, "-m", "tartib", *arguments], **options)


class _Printed(io.TextIOWrapper):
    """A stream in memory that takes text and bytes, as a terminal does."""

    def __init__(self) -> None:
        self._bytes = io.BytesIO()
        super().__init__(self._bytes, encoding="utf-8", write_through=True)

    @property
    def text(self) -> str:
        self.flush()
        return self._bytes.getvalue().decode()


def tartib_here(*arguments: object, code: int = 0) -> subprocess.CompletedProcess[str]:
    """Run a command in this process, with the messages that a user sees."""
    command = ["tartib", *map(str, arguments)]
    out, err, found = _Printed(), _Printed(), 0
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    with (
        mock.patch("sys.argv", command),
        mock.patch("sys.unraisablehook", sys.unraisablehook),
        mock.patch.dict(os.environ, COLUMNS=WIDE),
        redirect_stdout(out),
        redirect_stderr(err),
    ):
        try:
            main()
        except SystemExit as stop:
            found = int(stop.code or 0)
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)
            _native.cancel_stopping()
    assert found == code, err.text
    return subprocess.CompletedProcess(command, found, out.text, err.text)


def invoke(*arguments: object, code: int = 0, stdin: str = "") -> Result:
    """Run a command in this process; an error is the ``exception`` of the result."""
    result = CliRunner().invoke(app, [*map(str, arguments)], input=stdin)
    assert result.exit_code == code, result.output
    assert result.exception is None or isinstance(result.exception, TartibError | SystemExit)
    return result
