"""Run the ordinary tests again and again beside busy loops, in different surroundings.

``python -m tests.support.under_load RUNS`` takes the surroundings in turn: as they are; in the
background of a script (signals ignored, no terminal); an empty environment; and, for root only,
another user, who may read the repository but not write to it.
"""

import multiprocessing
import os
import pwd
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tests.support.paths import REPOSITORY

LOOPS = 4
USER = "nobody"
TESTS = ("-m", "pytest", "-p", "no:cacheprovider", "-n", "2", "--dist", "worksteal")


def main(runs: int) -> int:
    """Run the tests and print how often they passed; 1 if they did not always."""
    kinds, passed = list(surroundings().items()), 0
    with busy_loops():
        for run in range(runs):
            kind, options = kinds[run % len(kinds)]
            began = time.monotonic()
            code = run_python(*TESTS, **options)
            passed += code == 0
            verdict = f"FAILED with exit code {code}" if code else "passed"
            seconds = time.monotonic() - began
            print(f"run {run + 1} of {runs}, {kind}: {verdict}, {seconds:.0f} s", flush=True)
    print(f"{passed} of {runs} runs passed")
    return int(passed < runs)


def surroundings() -> dict[str, dict[str, Any]]:
    """Return options of `subprocess.Popen` for each kind of surroundings."""
    kinds: dict[str, dict[str, Any]] = {
        "foreground": {},
        "background": {"preexec_fn": ignore_signals, "start_new_session": True},
        "empty environment": {"env": {}},
    }
    if os.geteuid() == 0:
        group = pwd.getpwnam(USER).pw_gid
        kinds[f"user {USER}"] = {"user": USER, "group": group, "extra_groups": (), "env": {}}
        try:
            run_python("-c", "", **kinds[f"user {USER}"])
        except PermissionError:
            sys.exit(f"{USER} cannot run {sys.executable}: make .venv with another (make PYTHON=…)")
    return kinds


def run_python(*arguments: str, **options: Any) -> int:
    command = [sys.executable, "-B", *arguments]
    return subprocess.call(command, cwd=REPOSITORY, stdin=subprocess.DEVNULL, **options)


def ignore_signals() -> None:
    for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)


@contextmanager
def busy_loops() -> Iterator[None]:
    """Keep all cores busy; the loops end with this process, even if it is killed."""
    loops = [multiprocessing.Process(target=spin, args=(os.getpid(),)) for _ in range(LOOPS)]
    for loop in loops:
        loop.start()
    try:
        yield
    finally:
        for loop in loops:
            loop.kill()
            loop.join()


def spin(parent: int) -> None:
    while os.getppid() == parent:
        sum(range(1_000_000))


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1])))
