"""Jobs in processes of their own."""

import fcntl
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tartib.errors import OptionError, TartibError
from tartib.experiments.run.jobs import JobServer
from tartib.experiments.run.workspace import Workspace
from tests.support import jobs, paths, processes


def test_jobs_run_in_processes_of_their_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", str(paths.REPOSITORY))  # for the module of the jobs
    with JobServer() as server:
        server.run(jobs.note_process, tmp_path / "a")
        server.run(jobs.note_process, tmp_path / "b")
        first, second = (int((tmp_path / name).read_text()) for name in "ab")
        assert len({first, second, os.getpid()}) == 3
        with pytest.raises(OptionError, match="not this one"):
            server.run(jobs.refuse)
        with pytest.raises(RuntimeError, match="ZeroDivisionError"):
            server.run(jobs.fail)
        with pytest.raises(TartibError, match="ended by signal 9; it may have needed more memory"):
            server.run(jobs.die)
        server.run(jobs.note_process, tmp_path / "c")  # and the server lives on


def test_an_interrupt_while_the_server_starts_is_the_callers() -> None:
    server = JobServer()._start()
    os.kill(server.pid, signal.SIGINT)
    server.communicate()
    assert server.returncode == 0


@pytest.mark.campaign
def test_jobs_that_are_stopped_leave_no_noise() -> None:
    code = """
from tartib.errors import TartibError
from tartib.experiments.run.jobs import JobServer
from tests.support import jobs
with JobServer() as server:
    try:
        server.run(jobs.die_with_a_semaphore)
    except TartibError:
        print("stopped")
"""
    ended = processes.run_python(code, cwd=paths.REPOSITORY)
    assert (ended.stdout, ended.stderr) == ("stopped\n", "")


def test_the_next_run_waits_for_a_job_that_a_killed_run_left(tmp_path: Path) -> None:
    code = """
import sys
from tartib.experiments.run.jobs import JobServer
from tartib.experiments.run.workspace import Workspace
from tests.support import jobs
with Workspace(sys.argv[1]).opened() as lock, JobServer(lock=lock) as server:
    server.run(jobs.tell_and_wait)
"""
    command = [sys.executable, "-c", code, tmp_path / "out"]
    run = processes.start(command, stderr=subprocess.PIPE, cwd=paths.REPOSITORY)
    assert run.stderr is not None
    server, job = map(int, run.stderr.readline().split())  # the job is running now
    os.kill(server, signal.SIGSTOP)  # so that it cannot end the job when the run is killed
    run.kill()
    run.wait()
    with (tmp_path / "out" / ".jobs").open() as lock, pytest.raises(BlockingIOError):
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    os.kill(server, signal.SIGCONT)
    with Workspace(tmp_path / "out").opened():
        # Files, and with them the lock, are closed a moment before a process is gone.
        while is_running(server) or is_running(job):
            time.sleep(0.01)
    run.stderr.close()


def is_running(process: int) -> bool:
    """Whether a process is there and has not ended; an ended one may wait for its parent."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False
