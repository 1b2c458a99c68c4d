"""Experiments killed at chosen steps and continued, in a program of its own (`python -m …`).

At each step (see `tests.support.steps`) all processes of a run are killed at once.
"""

import fcntl
import json
import os
import shutil
import signal
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any
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
from tests.support.drawing import without_drawing
from tests.support.experiment_runs import found_in
from tests.support.steps import Step, Watcher, different_steps, read_steps

PUBLISHED = ("figures", "models/*", "systems", "translations")
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
        process = processes.fork(lambda: self._be_run(Watcher(self.out, log, kill_at)))
        status = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
        assert status in (0, -signal.SIGKILL), f"the run ended with {status}"
        self._wait_for_the_others()
        return -status, read_steps(log)

    def _wait_for_the_others(self) -> None:
        """Wait until the killed processes of the stages, forked with the run's lock, are gone."""
        lock = self.out / ".lock"
        if lock.exists():
            with lock.open() as file:
                fcntl.flock(file, fcntl.LOCK_EX)

    def _be_run(self, watcher: Watcher) -> None:
        os.setsid()  # a group that is killed as one
        watcher.watch()
        forked = mock.patch.object(jobs.JobServer, "_start", lambda server: ForkedServer(server))
        with forked, without_drawing():
            self._run(self._options, self.out)

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
    chosen = _records(seen, stages) if stages else list(different_steps(seen, runs.out))
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


if __name__ == "__main__":
    main(*sys.argv[1:])
