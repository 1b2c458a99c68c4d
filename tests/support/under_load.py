"""Run the ordinary tests again and again on a busy machine, in different surroundings.

``python -m tests.support.under_load RUNS [AT_ONCE]`` takes the surroundings in turn: as they are;
in the background of a script (signals ignored, no terminal); an empty environment; and, for root
only, another user, who may read the repository but not write to it. Beside each run four other
processes are busy: those of the runs at the same time (two each), and loops.
"""

import multiprocessing
import os
import pwd
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tests.support.paths import REPOSITORY

OTHERS = 4  # busy processes beside a run
WORKERS = 2  # of each run
USER = "nobody"
TESTS = ("-m", "pytest", "-p", "no:cacheprovider", "-n", f"{WORKERS}", "--dist", "worksteal")


def main(runs: int, at_once: int = 1) -> int:
    """Run the tests and print how often they passed; 1 if they did not always."""
    kinds, passed, begun = list(surroundings().items()), 0, 0
    running: list[Run] = []
    with busy_loops(max(0, OTHERS - WORKERS * (at_once - 1))):
        while begun < runs or running:
            while begun < runs and len(running) < at_once:
                begun += 1
                running.append(Run(begun, *kinds[(begun - 1) % len(kinds)]))
            time.sleep(0.2)
            for run in [run for run in running if run.has_ended()]:
                running.remove(run)
                passed += run.tell(runs)
    print(f"{passed} of {runs} runs passed")
    return int(passed < runs)


class Run:
    """One run of the tests, which has begun."""

    def __init__(self, number: int, kind: str, options: dict[str, Any]) -> None:
        self._number, self._kind = number, kind
        self._began = time.monotonic()
        self._printed = tempfile.TemporaryFile()  # noqa: SIM115
        self._process = start_python(
            *TESTS, stdout=self._printed, stderr=subprocess.STDOUT, **options
        )

    def has_ended(self) -> bool:
        """Whether it has."""
        return self._process.poll() is not None

    def tell(self, runs: int) -> bool:
        """Print how it ended, and what it printed if it failed; return whether it passed."""
        code, seconds = self._process.wait(), time.monotonic() - self._began
        if code:
            self._printed.seek(0)
            print(self._printed.read().decode(errors="replace"))
        verdict = f"FAILED with exit code {code}" if code else "passed"
        print(f"run {self._number} of {runs}, {self._kind}: {verdict}, {seconds:.0f} s", flush=True)
        self._printed.close()
        return code == 0


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
            start_python("-c", "", **kinds[f"user {USER}"]).wait()
        except PermissionError:
            sys.exit(f"{USER} cannot run {sys.executable}: make .venv with another (make PYTHON=…)")
    return kinds


def start_python(*arguments: str, **options: Any) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-B", *arguments]
    return subprocess.Popen(command, cwd=REPOSITORY, stdin=subprocess.DEVNULL, **options)


def ignore_signals() -> None:
    for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)


@contextmanager
def busy_loops(count: int) -> Iterator[None]:
    """Keep cores busy; the loops end with this process, even if it is killed."""
    loops = [multiprocessing.Process(target=spin, args=(os.getpid(),)) for _ in range(count)]
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
    sys.exit(main(*map(int, sys.argv[1:])))
