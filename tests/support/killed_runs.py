"""Experiments killed at chosen steps and continued, in a program of its own (`python -m …`).

A step is a change to the experiment's folder: something made, opened for writing, renamed or
deleted. Python announces each of them (an audit event), in the process of the run as in those of
its stages. At the step with a given number a hook kills all these processes at once. Nothing
depends on how fast they are.
"""

import fcntl
import json
import mmap
import os
import shutil
import signal
import struct
import sys
import traceback
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple
from unittest import mock

from tartib.experiments import (
    ClassificationOptions,
    TranslationOptions,
    run_classification,
    run_translation,
)
from tartib.experiments.classification import report as _classification_report  # noqa: F401
from tartib.experiments.run import jobs
from tartib.experiments.translation import report as _translation_report  # noqa: F401
from tests.support import paths, processes
from tests.support.experiment_runs import found_in

PUBLISHED = ("figures", "models/*", "systems", "translations")
EVENTS = ("open", "os.mkdir", "os.rename", "os.remove", "os.rmdir")
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT
EXPERIMENTS: dict[str, tuple[Any, Callable[..., Any]]] = {
    "classification": (ClassificationOptions, run_classification),
    "translation": (TranslationOptions, run_translation),
}


def kill_and_continue(kind: str, options: Any, folder: Path, stages: Sequence[str] = ()) -> int:
    """Kill an experiment at each of its steps, and see that it continues; return how often.

    Parameters
    ----------
    kind
        Of the experiment.
    options
        Its options.
    folder
        For all that is written.
    stages
        Kinds of stages, such as ``rows``: only kill just before the first one of each counts as
        finished. Nothing given: at every step.
    """
    values = json.dumps(options.model_dump(mode="json"))
    command = [sys.executable, "-m", "tests.support.killed_runs", kind, values, folder, *stages]
    environment = processes.environment(OPENBLAS_NUM_THREADS="1")
    done = processes.run(command, cwd=paths.REPOSITORY, env=environment)
    return int(done.stdout)


class Step(NamedTuple):
    """A change to the folder of an experiment; ``made``: a file is there already, but empty."""

    number: int
    event: str
    path: str
    made: bool


class Killer:
    """Counts the steps of a run and all its processes, and ends them at one of the steps.

    Parameters
    ----------
    out
        The folder of the experiment.
    log
        Gets a line for each step.
    kill_at
        The number of the step; 0 for none.
    """

    def __init__(self, out: Path, log: Path, kill_at: int) -> None:
        self._out = str(out)
        self._log = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        self._kill_at = kill_at
        self._count = mmap.mmap(-1, 8)  # shared with the processes of the stages
        self._busy = False

    def __call__(self, event: str, arguments: tuple[Any, ...]) -> None:
        """Hear of an audit event."""
        if self._busy or not self._changes(event, arguments):
            return
        self._busy = True  # what is done here is no step
        path = self._path(event, arguments)
        self._step(event, path, made=False)
        if event == "open" and not Path(path).exists():
            os.close(os.open(path, os.O_WRONLY | os.O_CREAT))
            self._step(event, path, made=True)
        self._busy = False

    def _changes(self, event: str, arguments: tuple[Any, ...]) -> bool:
        """Whether an event is about to change the folder of the experiment."""
        if event == "open" and not (isinstance(arguments[2], int) and arguments[2] & WRITING):
            return False
        return event in EVENTS and self._path(event, arguments).startswith(self._out)

    def _path(self, event: str, arguments: tuple[Any, ...]) -> str:
        """Return what changes; of a rename the new name."""
        given = arguments[1 if event == "os.rename" else 0]
        if not isinstance(given, str | bytes | os.PathLike):
            return ""  # a descriptor
        path = os.fsdecode(given)
        if event in ("os.remove", "os.rmdir") and arguments[1] >= 0:
            # Trees are deleted by names relative to a descriptor of their folder.
            return str(Path(f"/proc/self/fd/{arguments[1]}").readlink() / path)
        return path

    def _step(self, event: str, path: str, *, made: bool) -> None:
        number = struct.unpack("q", self._count[:8])[0] + 1
        self._count[:8] = struct.pack("q", number)
        os.write(self._log, (json.dumps([number, event, path, made]) + "\n").encode())
        if number == self._kill_at:
            os.killpg(0, signal.SIGKILL)
            signal.pause()


class ForkedServer:
    """The process of a job server, forked from this one: no interpreter has to be started."""

    def __init__(self, server: jobs.JobServer) -> None:
        requests, stdin = os.pipe()
        stdout, answers = os.pipe()
        self._process = os.fork()
        if self._process == 0:
            os.close(stdin)
            os.close(stdout)
            os.dup2(requests, 0)
            os.dup2(answers, 1)
            os.close(requests)
            os.close(answers)
            jobs.serve(server._module)
            os._exit(0)
        os.close(requests)
        os.close(answers)
        self.stdin = os.fdopen(stdin, "wb")
        self.stdout = os.fdopen(stdout, "rb")

    def wait(self) -> None:
        """Wait for its end."""
        os.waitpid(self._process, 0)


class Runs:
    """One experiment, run again and again."""

    def __init__(self, kind: str, values: dict[str, Any], folder: Path) -> None:
        make, self._run = EXPERIMENTS[kind]
        self._options = make(**values)
        self._folder = folder
        self.out = folder / "out"

    def run(self, kill_at: int = 0) -> tuple[int, list[Step]]:
        """Run the experiment; return the signal that ended it, or 0, and the steps."""
        log = self._folder / "steps"
        log.unlink(missing_ok=True)
        process = os.fork()
        if process == 0:
            self._be_run(Killer(self.out, log, kill_at))
        status = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
        assert status in (0, -signal.SIGKILL), f"the run ended with {status}"
        self._wait_for_the_others()
        lines = log.read_text().splitlines() if log.exists() else []
        return -status, [Step(*json.loads(line)) for line in lines]

    def _wait_for_the_others(self) -> None:
        """Wait until the killed processes of the stages, forked with the run's lock, are gone."""
        lock = self.out / ".lock"
        if lock.exists():
            with lock.open() as file:
                fcntl.flock(file, fcntl.LOCK_EX)

    def _be_run(self, killer: Killer) -> None:
        code = 1
        try:
            os.setsid()  # a group that is killed as one
            sys.addaudithook(killer)
            with mock.patch.object(jobs.JobServer, "_start", lambda server: ForkedServer(server)):
                self._run(self._options, self.out)
            code = 0
        except BaseException:
            traceback.print_exc()
        finally:
            sys.stderr.flush()
            os._exit(code)

    def outputs(self) -> dict[str, list[str]]:
        """Return the names of the files in each folder that is meant for users."""
        found = (path for pattern in PUBLISHED for path in self.out.glob(pattern))
        return {
            str(folder.relative_to(self.out)): sorted(
                str(path.relative_to(folder)) for path in folder.rglob("*")
            )
            for folder in found
            if not folder.name.startswith(".")
        }


def main(kind: str, values: str, folder: str, *stages: str) -> None:
    """Kill and continue an experiment at the steps that were asked for."""
    runs = Runs(kind, json.loads(values), Path(folder))
    ended, seen = runs.run()
    assert ended == 0
    results, outputs = found_in(runs.out), runs.outputs()
    chosen = _records(seen, stages) if stages else list(_different(seen, runs.out))
    for step in chosen:
        shutil.rmtree(runs.out)
        ended, _ = runs.run(step.number)
        assert ended == signal.SIGKILL, f"not killed at {step}"
        for name, files in runs.outputs().items():
            assert files == outputs[name], f"killed at {step}: {name} is not whole"
        ended, _ = runs.run()
        assert ended == 0, f"killed at {step}: cannot be continued"
        assert found_in(runs.out) == results, f"killed at {step}: the results differ"
        assert runs.outputs() == outputs, f"killed at {step}: the outputs differ"
    print(len(chosen))


def _records(steps: Sequence[Step], stages: Sequence[str]) -> list[Step]:
    """Return the steps that make the first stage of each kind count as finished."""
    records = [s for s in steps if s.event == "os.rename" and "/stages/" in s.path]
    wanted = (f"/stages/{stage}-" for stage in stages)
    return [
        next(step for step in records if name in step.path and step.path.endswith(".json"))
        for name in wanted
    ]


def _different(steps: Sequence[Step], out: Path) -> Iterator[Step]:
    """Yield all steps, but of those inside of one hidden folder only the first and the last.

    Nobody looks into a hidden folder: the next run deletes it.
    """

    def hidden(step: Step) -> str:
        names = Path(step.path).relative_to(out).parts[:-1]
        return next((name for name in names if name.startswith(".")), "")

    for folder, inside in groupby(steps, hidden):
        first, *others = inside
        yield first
        yield from others if not folder else others[-1:]


if __name__ == "__main__":
    main(*sys.argv[1:])
