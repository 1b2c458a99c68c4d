"""A build killed at random steps and continued, in a program of its own (`python -m …`)."""

from __future__ import annotations

import fcntl
import os
import random
import shutil
import signal
import sys
from pathlib import Path
from unittest import mock

from tartib.build import BuildOptions, build_system
from tartib.build import report as _report  # noqa: F401
from tartib.experiments.run import jobs
from tests.support import paths, processes
from tests.support.drawing import without_drawing
from tests.support.killed_runs import ForkedServer
from tests.support.raw_text import TINY, files_of
from tests.support.steps import Step, Watcher, different_steps, read_steps


def kill_and_continue(train: tuple[Path, Path], folder: Path, kills: int) -> int:
    """Kill a build at random steps, and see that it continues; return how often."""
    command = [sys.executable, "-m", "tests.support.killed_builds", *train, folder, kills]
    environment = processes.environment(OPENBLAS_NUM_THREADS="1")
    done = processes.run(command, cwd=paths.REPOSITORY, env=environment)
    return int(done.stdout)


class Builds:
    """One build, run again and again."""

    def __init__(self, train: tuple[str, str], folder: Path) -> None:
        self._options = BuildOptions.make({**TINY, "train": train})
        self._folder = folder
        self.place = folder / "built"
        self.system = self.place / "system"

    def run(self, kill_at: int = 0) -> tuple[int, list[Step]]:
        """Build; return the signal that ended it, or 0, and the steps."""
        self.place.mkdir(exist_ok=True)
        log = self._folder / "steps"
        log.unlink(missing_ok=True)
        process = processes.fork(lambda: self._be_run(Watcher(self.place, log, kill_at)))
        status = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
        assert status in (0, -signal.SIGKILL), f"the build ended with {status}"
        lock = self.place / "system.work" / ".lock"
        if lock.exists():  # until the killed processes of the stages are gone
            with lock.open() as file:
                fcntl.flock(file, fcntl.LOCK_EX)
        return -status, read_steps(log)

    def _be_run(self, watcher: Watcher) -> None:
        os.setsid()  # a group that is killed as one
        watcher.watch()
        forked = mock.patch.object(jobs.JobServer, "_start", lambda server: ForkedServer(server))
        with forked, without_drawing():
            build_system(self._options, self.system, pack_as=self.place / "system.zip")


def main(source: str, target: str, folder: str, kills: str) -> None:
    """Kill and continue at some steps, drawn with a fixed seed."""
    builds = Builds((source, target), Path(folder))
    ended, seen = builds.run()
    assert ended == 0
    expected = files_of(builds.system)
    steps = list(different_steps(seen, builds.place))
    chosen = random.Random(0).sample(steps, int(kills))
    for step in chosen:
        shutil.rmtree(builds.place)
        ended, _ = builds.run(step.number)
        assert ended == signal.SIGKILL, f"not killed at {step}"
        if builds.system.exists():
            assert files_of(builds.system) == expected, f"killed at {step}: not whole"
        ended, _ = builds.run()
        assert ended == 0, f"killed at {step}: cannot be continued"
        assert files_of(builds.system) == expected, f"killed at {step}: other bytes"
        assert (builds.place / "system.zip").is_file()
    print(len(chosen))


if __name__ == "__main__":
    main(*sys.argv[1:])
