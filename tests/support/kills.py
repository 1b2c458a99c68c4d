"""Commands that are killed at a chosen step, so that no test depends on when a process is seen."""

import signal
import sys

from tests.support import processes

# Runs a command and kills it where the n-th call of any of some methods would begin.
PROGRAM = """
import os, signal, sys
from importlib import import_module
methods, left, *arguments = sys.argv[1:]
left = int(left)

def watched(method):
    def call(*args, **kwargs):
        global left
        left -= 1
        if not left:
            os.kill(os.getpid(), signal.SIGKILL)
        return method(*args, **kwargs)
    return call

for name in methods.split(","):
    module, _, rest = name.partition(":")
    owner, _, method = rest.partition(".")
    owner = getattr(import_module(module), owner)
    setattr(owner, method, watched(getattr(owner, method)))
sys.argv = ["tartib", *arguments]
from tartib.cli import main
main()
"""
_STORAGE = ("disk.rename_new", "disk.exchange", "disk.flush", "names.delete")
# Whatever changes which output is there: renames, flushes, and the deletion of what is left.
STEPS = ",".join(
    ("pathlib:Path.rename", "pathlib:Path.replace", *(f"tartib.storage:{s}" for s in _STORAGE))
)


def is_killed(methods: str, at: int, *arguments: object) -> bool:
    """Run a command that dies before the ``at``-th call of a method; False if it ended before.

    Parameters
    ----------
    methods
        As ``module:Class.method``, separated by commas.
    """
    command = [sys.executable, "-c", PROGRAM, methods, at, *arguments]
    done = processes.run(command, check=False)
    assert done.returncode in (0, -signal.SIGKILL), done.stderr
    return done.returncode != 0
