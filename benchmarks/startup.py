"""Time until the command line answers, beside Python's own start.

Run: python -m benchmarks.startup [--toy]
"""

from __future__ import annotations

import subprocess
import sys
import time

from benchmarks.harness import Settings, print_table, run

COMMANDS = {
    "python -c pass": [sys.executable, "-c", "pass"],
    "python -c 'import numpy'": [sys.executable, "-c", "import numpy"],
    "python -c 'import tartib'": [sys.executable, "-c", "import tartib"],
    "tartib --help": [sys.executable, "-c", "from tartib.cli import main; main()", "--help"],
}


def seconds(command: list[str], repeat: int) -> float:
    times = []
    for _ in range(repeat):
        began = time.perf_counter()
        subprocess.run(command, check=True, capture_output=True)
        times.append(time.perf_counter() - began)
    return min(times)


def startup(settings: Settings) -> None:
    """Print the least of several starts."""
    taken = {name: seconds(c, 1 if settings.toy else 10) for name, c in COMMANDS.items()}
    python = taken["python -c pass"]
    rows = [(name, f"{s:.3f}", f"{s / python:.1f}") for name, s in taken.items()]
    print_table("Start-up", ("command", "seconds", "times Python"), rows)


if __name__ == "__main__":
    run((startup,), __doc__ or "")
