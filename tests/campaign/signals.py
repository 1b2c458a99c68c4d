"""Commands that get SIGTERM or Ctrl-C at many moments: ``python -m tests.campaign.signals``.

Half of the moments are steps of the command, the others amounts of processor time, so that they
fall into its computations too. Each time the command ends soon, says so, keeps what it says that it
keeps, and leaves outputs that are whole, or none.
"""

from __future__ import annotations

import argparse
import shutil
import signal
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from tests.campaign.commands import EXPERIMENTS, READING, WRITING, Command, Ended, Runs, tree
from tests.campaign.materials import SENTENCES, Materials
from tests.campaign.worker import scratch

SECONDS = 2.0  # of processor time that an interrupted command may still use
SIGNALS = (signal.SIGTERM, signal.SIGINT)
COMMANDS = (*WRITING, *READING, *EXPERIMENTS)


class Interrupts:
    """One command, interrupted again and again.

    Parameters
    ----------
    command
        The command.
    folder
        For all that is written, with ``materials`` to work with.
    """

    def __init__(self, command: Command, folder: Path) -> None:
        self._command = command
        self._runs = Runs(folder)
        self._materials = Materials(folder / "materials")
        self.slowest = 0.0

    def run(self, moments: int) -> Counter[str]:
        """Interrupt by each signal at some moments; return how often it did and did not end."""
        self._runs.warm_up(self._command.arguments(self._materials, self._runs.out))
        whole = self._start()
        assert whole.code == 0, whole.error
        after = tree(self._runs.out)
        counts: Counter[str] = Counter()
        for number in SIGNALS:
            for moment in range(moments):
                share = (moment + 0.5) / moments
                at = 1 + int(share * len(whole.steps)) if moment % 2 and whole.steps else 0
                spent = 0.0 if at else share * whole.total
                where = f"{self._command.name}: {number.name} at {at or spent}"
                ended = self._start(at, number, spent)
                counts[self._check(ended, number, where, after)] += 1
        return counts

    def _start(
        self, at: int = 0, number: signal.Signals = signal.SIGTERM, after: float = 0.0
    ) -> Ended:
        shutil.rmtree(self._runs.out, ignore_errors=True)
        self._runs.out.mkdir()
        arguments = self._command.arguments(self._materials, self._runs.out)
        return self._runs.run(
            arguments, at=at, action=number, after=after, clock=self._command.clock
        )

    def _check(
        self, ended: Ended, number: signal.Signals, where: str, after: dict[str, bytes]
    ) -> str:
        assert "Traceback" not in ended.error, f"{where}: {ended.error}"
        assert "Exception ignored" not in ended.error, f"{where}: {ended.error}"
        assert ended.seconds < SECONDS, f"{where}: {ended.seconds:.2f} processor seconds"
        self.slowest = max(self.slowest, ended.seconds)
        found = tree(self._runs.out)
        if ended.code == 0:
            assert found == after, f"{where}: ended well with other outputs"
            return "ended before"
        if ended.code == 128 + number and "interrupted: " not in ended.error and found == after:
            return "ended before"  # the signal came when all was done and said
        if ended.code == -number:  # before the command line listens, or when all is done
            assert not found or found == after, f"{where}: killed with leftovers"
            return "not caught"
        assert ended.code == 128 + number, f"{where}: exit code {ended.code}: {ended.error}"
        assert "interrupted: " in ended.error, f"{where}: {ended.error}"
        # On a busy machine the time to clear up may be over before it got a turn; it says so then.
        cut_off = "removed by the next command" in ended.error
        for name, data in found.items():
            kept = ".unfinished" in name and self._command.resumable
            kept |= cut_off and any(part.startswith(".") for part in Path(name).parts)
            step = self._command.workspace and name.startswith(self._command.workspace)
            assert kept or step or after.get(name) == data, f"{where}: left {name}"
        return "interrupted"


def interrupt_all(
    commands: list[Command], folder: Path, moments: int, pairs: int
) -> Iterator[tuple[str, Counter[str], float]]:
    """Interrupt commands; yield what came of it, and the longest time that one took to end."""
    Materials(folder / "materials", pairs).make()
    for command in commands:
        found = Interrupts(command, folder)
        counts = found.run(moments)
        yield command.name, counts, found.slowest


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.campaign.signals", description=__doc__)
    names = [command.name for command in COMMANDS]
    parser.add_argument(
        "--command", action="append", choices=names, help="all but experiment by default"
    )
    parser.add_argument("--moments", type=int, default=50, help="for each of two signals")
    parser.add_argument("--pairs", type=int, default=SENTENCES, help="sentence pairs to work on")
    given = parser.parse_args()
    usual = [command.name for command in (*WRITING, *READING)]
    chosen = [command for command in COMMANDS if command.name in (given.command or usual)]
    total: Counter[str] = Counter()
    with scratch() as folder:
        for name, counts, slowest in interrupt_all(chosen, folder, given.moments, given.pairs):
            said = ", ".join(f"{count:,} {outcome}" for outcome, count in sorted(counts.items()))
            print(f"{name}: {said}; at most {slowest:.2f} s more", flush=True)
            total += counts
    print(f"all: {total.total():,} signals, {total['interrupted']:,} interrupted")


if __name__ == "__main__":
    main()
