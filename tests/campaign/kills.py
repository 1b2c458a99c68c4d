"""Commands killed at their steps and run again: ``python -m tests.campaign.kills``.

After a kill each output is the old one, the new one or, where there was none, not there. The same
command, or the same with ``--resume``, then ends as if nothing had happened, and leaves nothing.

With ``--full`` the disk is full at the step instead: the command says so, with advice, and leaves
nothing half-written either.
"""

from __future__ import annotations

import argparse
import shutil
import signal
from collections import Counter
from collections.abc import Iterator
from itertools import accumulate
from pathlib import Path

from tartib.storage import manifest
from tests.campaign.commands import WRITING, Command, Ended, Runs, files_below, tree
from tests.campaign.materials import Materials
from tests.campaign.worker import scratch
from tests.support.steps import EVENTS, Step, different_steps

Tree = dict[str, bytes]
FILLING = ("open", "os.mkdir", "os.rename", "tartib.flush")  # steps that need space
_MANIFEST = f"/{manifest.NAME}"


class Kills:
    """One command, killed at its steps.

    Parameters
    ----------
    command
        The command.
    folder
        For all that is written, with ``materials`` and ``others`` to work with.
    overwrite
        Whether there are outputs already, of other inputs.
    full
        Whether the disk is full at the step instead.
    """

    def __init__(self, command: Command, folder: Path, *, overwrite: bool, full: bool) -> None:
        self._full = full
        self._command = command
        self._runs = Runs(folder)
        self._overwrite = overwrite
        self._new, self._old = Materials(folder / "materials"), Materials(folder / "others", 7)
        self._runs.warm_up(self._arguments(self._new))
        self._before: Tree = {}
        self._old_tree: Tree = {}
        if overwrite:
            self._begin()
            self._end(self._arguments(self._old))
            self._before = files_below(self._runs.out)
            self._old_tree = tree(self._runs.out)

    def _arguments(self, materials: Materials, *more: str) -> list[object]:
        return [*self._command.arguments(materials, self._runs.out), *more]

    def _begin(self) -> None:
        """Make the folder of the outputs what it was before the command."""
        shutil.rmtree(self._runs.out, ignore_errors=True)
        self._runs.out.mkdir()
        for name, data in self._before.items():
            path = self._runs.out / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)

    def _end(self, arguments: list[object], where: str = "") -> list[Step]:
        ended = self._runs.run(arguments)
        assert ended.code == 0, f"{where}: {ended.error}"
        return ended.steps

    def run(self, event: str, *, every: bool) -> Counter[str]:
        """Kill at each step, or only at those that others can tell apart; return their numbers.

        Only steps of one event are counted, if one is given.
        """
        flags = ["--overwrite"] if self._overwrite else []
        self._begin()
        steps = self._end(self._arguments(self._new, *flags))
        after = tree(self._runs.out)
        assert not [name for name in after if "/." in f"/{name}"], f"leftovers: {list(after)}"
        chosen = steps if every else list(different_steps(steps, self._runs.out))
        counts: Counter[str] = Counter()
        for step in chosen:
            if event not in ("", step.event) or (self._full and step.event not in FILLING):
                continue
            self._kill(step, flags, after)
            counts[step.event if step.state == "before" else f"{step.event} {step.state}"] += 1
        return counts

    def _kill(self, step: Step, flags: list[str], after: Tree) -> None:
        happened = "found a full disk" if self._full else "killed"
        where = f"{self._command.name} {' '.join(flags)} {happened} at {step}"
        self._begin()
        action = None if self._full else signal.SIGKILL
        arguments = self._arguments(self._new, *flags)
        ended = self._runs.run(arguments, at=step.number, action=action)
        if self._full:
            self._check_advice(where, ended)
        else:
            assert ended.code == -signal.SIGKILL, f"{where}: not killed: {ended.error}"
        self._check_outputs(where, after)
        more = ["--resume"] if self._command.resumable else []
        again = self._runs.run(self._arguments(self._new, *flags, *more))
        if again.code and not flags and not more and "exists already" in again.error:
            # One of the outputs had its name; the others are made by asking for it.
            again = self._runs.run(self._arguments(self._new, "--overwrite"))
        assert again.code == 0, f"{where}: cannot be run again: {again.error}"
        found = tree(self._runs.out)
        assert found.keys() == after.keys(), f"{where}: {sorted(found.keys() ^ after.keys())}"
        for name, data in after.items():
            assert found[name] == data, f"{where}: {name} is another than without a kill"

    def _check_advice(self, where: str, ended: Ended) -> None:
        """Check what a user is told, and that nothing is left but what can be continued."""
        assert ended.code == 1, f"{where}: exit code {ended.code}: {ended.error}"
        assert "no space left" in ended.error, f"{where}: {ended.error}"
        assert "Traceback" not in ended.error, f"{where}: {ended.error}"
        hidden = [name for name in tree(self._runs.out) if "/." in f"/{name}"]
        left = [name for name in hidden if ".unfinished" not in name]
        assert not left, f"{where}: leftovers: {left}"

    def _check_outputs(self, where: str, after: Tree) -> None:
        """Check that what has the name of an output is the old or the new one, completely."""
        folders = {n.removesuffix(_MANIFEST) for n in after if n.endswith(_MANIFEST)}
        trees = (tree(self._runs.out), self._old_tree, after)
        found, old, new = (_by_output(files, folders) for files in trees)
        for name in old.keys() | found.keys():
            if "/." in f"/{name}":
                continue
            if self._command.workspace and name.startswith(self._command.workspace):
                self._check_whole(where, self._runs.out / name)
            else:
                assert found.get(name) in (old.get(name), new.get(name)), f"{where}: {name}"

    def _check_whole(self, where: str, output: Path) -> None:
        """Check an output that may also be of an earlier part of the command."""
        verified = self._runs.run(["verify", output])
        assert verified.code == 0, f"{where}: {output.name}: {verified.error}"


def _by_output(files: Tree, folders: set[str]) -> dict[str, Tree]:
    """Group files by the output that they belong to: one of the folders, or else themselves."""
    found: dict[str, Tree] = {}
    for name, data in files.items():
        *above, _ = accumulate(name.split("/"), "{}/{}".format)
        output = next((folder for folder in above if folder in folders), name)
        found.setdefault(output, {})[name] = data
    return found


def kill_all(
    commands: list[Command], folder: Path, event: str = "", *, every: bool, full: bool
) -> Iterator[tuple[str, Counter[str]]]:
    """Kill commands with and without outputs to replace; yield the number of kills by event."""
    Materials(folder / "materials").make()
    Materials(folder / "others", 7).make()
    for command in commands:
        for overwrite in (False, True):
            name = f"{command.name}{' --overwrite' if overwrite else ''}"
            yield (
                name,
                Kills(command, folder, overwrite=overwrite, full=full).run(event, every=every),
            )


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.campaign.kills", description=__doc__)
    names = [command.name for command in WRITING]
    parser.add_argument("--command", action="append", choices=names, help="all by default")
    parser.add_argument("--every", action="store_true", help="at every step")
    parser.add_argument("--full", action="store_true", help="a full disk instead of a kill")
    parser.add_argument("--event", choices=EVENTS, default="", help="only at steps of this kind")
    given = parser.parse_args()
    chosen = [command for command in WRITING if command.name in (given.command or names)]
    total: Counter[str] = Counter()
    with scratch() as folder:
        for name, counts in kill_all(
            chosen, folder, given.event, every=given.every, full=given.full
        ):
            print(f"{name}: {counts.total():,} {'faults' if given.full else 'kills'}", flush=True)
            total += counts
    for event, count in sorted(total.items()):
        print(f"{event:20} {count:6,}")
    print(f"{'all':20} {total.total():6,}")


if __name__ == "__main__":
    main()
