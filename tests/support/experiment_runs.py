"""Experiments run, killed and compared: what tests of all experiments share."""

import json
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from tests.support import processes

MEASURED = (
    "seconds",
    "tuning_seconds",
    "peak_mb",
    "start_mb",
    "feature_seconds",
    "tuning_peak_mb",
    "words_per_second",
)


def without_times(value: Any) -> Any:
    """Take out of results what differs from run to run: seconds and memory."""
    if isinstance(value, dict):
        return {k: without_times(v) for k, v in value.items() if k not in MEASURED}
    return [without_times(v) for v in value] if isinstance(value, list) else value


def found_in(out: Path) -> Any:
    return without_times(json.loads((out / "results.json").read_text()))


def stages_of(out: Path) -> dict[str, int]:
    return {file.name: file.stat().st_mtime_ns for file in (out / "cells").iterdir()}


def run_apart(kind: str, options: Any, out: Path) -> subprocess.Popen[bytes]:
    """Start an experiment in an interpreter of its own."""
    program = (
        "import json, sys\n"
        f"from tartib.experiments import {kind.title()}Options, run_{kind}\n"
        f"options = {kind.title()}Options(**json.loads(sys.argv[1]))\n"
        f"run_{kind}(options, sys.argv[2])\n"
    )
    values = json.dumps(options.model_dump(mode="json"))
    return processes.start([sys.executable, "-c", program, values, out])


def kill_at_random(kind: str, options: Any, out: Path, *, kills: int, stages: int) -> int:
    """Kill an experiment again and again, each time some stages later; return how often.

    It ends early if the experiment does. What was finished must stay.
    """
    rng = random.Random(0)
    cells, most = out / "cells", 0
    for done in range(kills):
        process = run_apart(kind, options, out)
        wanted = (len(list(cells.iterdir())) if cells.is_dir() else 0) + rng.randint(1, stages)
        while process.poll() is None:
            if cells.is_dir() and len(list(cells.iterdir())) >= wanted:
                time.sleep(rng.random() * 0.05)  # somewhere in the middle of the next stage
                break
            time.sleep(0.005)
        if process.poll() is not None:
            return done
        process.send_signal(signal.SIGKILL)
        process.wait()
        finished = len([file for file in cells.iterdir() if not file.name.startswith(".")])
        assert finished >= most
        most = finished
    return kills
