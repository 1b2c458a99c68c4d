"""Starts the programs of `tests.campaign`, which fork: not in a process that has threads."""

import sys

from tests.support import paths, processes


def run_campaign(name: str, *arguments: object) -> str:
    """Run ``python -m tests.campaign.NAME`` and return what it printed; it must end well."""
    command = [sys.executable, "-W", "ignore", "-m", f"tests.campaign.{name}", *arguments]
    environment = processes.environment(OPENBLAS_NUM_THREADS="1")
    done = processes.run(command, cwd=paths.REPOSITORY, env=environment, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
