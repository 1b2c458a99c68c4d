"""Every command ends soon after Ctrl-C or SIGTERM, whatever it is doing."""

from __future__ import annotations

import signal
import sys
import time
from pathlib import Path

import pytest

from tests.support import processes

# Calls that take many minutes and never return to Python: with the GIL, without it, in a thread.
CALLS = {
    "native code without the GIL": "hashlib.pbkdf2_hmac('sha256', b'', b'', 2**31 - 1)",
    "native code with the GIL": "sum(itertools.repeat(1, 1 << 50))",
    "a thread that is waited for": (
        "[*map_ordered(lambda _: hashlib.pbkdf2_hmac('sha256', b'', b'', 2**31 - 1), [1, 2], 2)]"
    ),
}
PROGRAM = """
import hashlib, itertools
from tartib.cli.problems import Stopped, catch_signals, tell_stopped
from tartib.engine import map_ordered
catch_signals()
try:
    print("ready", flush=True)
    {call}
except Stopped as stopped:
    tell_stopped(stopped)
"""


def wait_until_busy(process: int) -> None:
    """Wait until a process has worked for some tenths of a second more."""

    def ticks() -> int:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
        return int(fields[11]) + int(fields[12])

    enough = ticks() + 20
    while ticks() < enough:
        time.sleep(0.02)


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="asks Linux how long it worked")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
@pytest.mark.parametrize("call", CALLS)
def test_long_native_calls_end(call: str, number: signal.Signals) -> None:
    command = [sys.executable, "-c", PROGRAM.format(call=CALLS[call])]
    with processes.start(command, stdout=-1, stderr=-1) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == b"ready\n"
            wait_until_busy(process.pid)
            process.send_signal(number)
            told = process.communicate(timeout=60)[1]  # the calls take far longer
        finally:
            process.kill()
    assert process.returncode == 128 + number
    assert told.startswith(b"tartib: interrupted: what was finished is kept; ")


def test_a_process_that_goes_on_is_not_ended() -> None:
    code = """
import os, signal, time
from tartib import _native
from tartib.cli.problems import Stopped, catch_signals
catch_signals()
try:
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(60)
except Stopped:
    _native.cancel_stopping()
time.sleep(2)
print("still here")
"""
    assert processes.run_python(code).stdout == "still here\n"


def test_an_ignored_interrupt_stays_ignored() -> None:
    code = """
import os, signal
signal.signal(signal.SIGINT, signal.SIG_IGN)
from tartib.cli.problems import catch_signals
catch_signals()
os.kill(os.getpid(), signal.SIGINT)
print("still here")
"""
    assert processes.run_python(code).stdout == "still here\n"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_an_interrupt_in_a_destructor_ends_the_process(number: signal.Signals) -> None:
    code = f"""
import os, time
from tartib.cli.problems import Stopped, catch_signals, tell_stopped

class Deleted:
    def __del__(self):
        os.kill(os.getpid(), {number.value})
        time.sleep(0)

catch_signals()
try:
    del [Deleted()][0]
    time.sleep(60)
except Stopped as stopped:
    tell_stopped(stopped)
"""
    done = processes.run([sys.executable, "-c", code], check=False)
    assert done.returncode == 128 + number
    assert done.stderr == "tartib: interrupted: no output file was written\n"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
@pytest.mark.parametrize("module", ["tartib.cli", "typer", "tartib._native", "numpy"])
def test_an_interrupt_while_modules_are_imported(module: str, number: signal.Signals) -> None:
    code = f"""
import os, sys

class Interrupt:
    def find_spec(self, name, path=None, target=None):
        if name == {module!r}:
            os.kill(os.getpid(), {number.value})

sys.meta_path.insert(0, Interrupt())
from tartib.__main__ import main
sys.argv = ["tartib", "corpus", "synthetic", "--pairs", "2", "--out", "corpus"]
main()
"""
    done = processes.run([sys.executable, "-c", code], check=False)
    assert done.returncode == 128 + number
    assert done.stderr == "tartib: interrupted: no output file was written\n"


def test_other_exceptions_in_destructors_are_reported() -> None:
    code = """
from tartib.cli.problems import catch_signals

class Deleted:
    def __del__(self):
        raise ValueError("seen")

catch_signals()
del [Deleted()][0]
"""
    assert "ValueError: seen" in processes.run_python(code).stderr
