"""Outputs that are killed at each of their steps, in a program of its own (`python -m …`).

A step is a call that changes what is on disk: a rename, a deletion, a flush, a new folder, a write
to a journal. Each one is tried in a forked process, which ends just before it.
"""

import os
import shutil
import sys
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any
from unittest import mock

from tartib import storage
from tartib.decoder.resumable_output import ResumableOutput, is_finished
from tartib.errors import OptionError
from tartib.storage import disk, names
from tests.support import paths, processes

KILLED = 9
STEPS: tuple[tuple[Any, str], ...] = (
    *((disk, name) for name in ("flush", "rename_new", "exchange")),
    *((Path, name) for name in ("rename", "replace", "unlink", "mkdir")),
    *((os, name) for name in ("unlink", "rmdir")),
    (names, "delete"),
    (ResumableOutput, "write"),
)
FORM = "tartib x"


def kill_at_every_step(kind: str, folder: Path) -> int:
    """Kill a writer at each of its steps and see what is left; return how often."""
    command = [sys.executable, "-m", "tests.support.killed_writes", kind, folder]
    return int(processes.run(command, cwd=paths.REPOSITORY).stdout)


def write_folder(target: Path, content: str) -> None:
    """Replace a folder."""
    with storage.new_folder(target, FORM, overwrite=True) as aside:
        storage.write_json(aside / "meta.json", {"format": FORM})
        with storage.new_folder(aside / "inner", FORM) as inner:
            storage.write_json(inner / "meta.json", {"format": FORM})
        (aside / "content").write_text(content)


def write_files(target: Path, content: str) -> None:
    """Replace two files."""
    with storage.new_files(target, target.with_name("other"), overwrite=True) as asides:
        for aside in asides:
            aside.write_text(content)


def write_journal(target: Path, content: str) -> None:
    """Write or continue two files, unless they are finished."""
    if is_finished(target):
        return
    targets = {"output": target, "nbest": target.with_name("other")}
    with ResumableOutput(targets, {"seed": 1}, resume=True) as output:
        for number in range(output.finished, 3):
            output.write({"output": f"{content}{number}\n".encode(), "nbest": b"n\n" * number})


def is_killed(write: Callable[[], None], step: int) -> bool:
    """Run a writer in a process that ends before a step; False if it has fewer steps."""
    process = os.fork()
    if process == 0:
        left = step

        def watched(function: Callable[..., Any]) -> Callable[..., Any]:
            def call(*args: Any, **kwargs: Any) -> Any:
                nonlocal left
                left -= 1
                if left == 0:
                    os._exit(KILLED)
                return function(*args, **kwargs)

            return call

        for owner, name in STEPS:
            setattr(owner, name, watched(getattr(owner, name)))
        try:
            write()
        except BaseException:
            sys.excepthook(*sys.exc_info())
            os._exit(1)
        os._exit(0)
    code = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
    assert code in (0, KILLED), code
    return code == KILLED


def kill_replacements(write: Callable[[Path, str], None], folder: Path, *, exchanges: bool) -> int:
    """Kill a writer that replaces something; what is there is old or new, and stays."""
    target = folder / "store"
    shown = target / "content" if write is write_folder else target
    step = 1
    while True:
        write(target, "old")
        if not is_killed(lambda: write(target, "new"), step):
            break
        if exchanges:
            assert shown.read_text() in ("old", "new"), step
        try:
            storage.check_free(target, overwrite=False)
        except OptionError as error:
            assert "exists already" in str(error)
        else:
            raise AssertionError(f"killed at step {step}: the output is free")
        assert shown.read_text() in ("old", "new"), step
        write(target, "newer")
        assert shown.read_text() == "newer", step
        assert [path.name for path in folder.glob(".*")] == [], step
        step += 1
    assert shown.read_text() == "new"
    return step - 1


def kill_journal(folder: Path) -> int:
    """Kill a writer that can be continued; it ends the same."""
    step = 1
    while True:
        target = folder / str(step) / "out"
        killed = is_killed(partial(write_journal, target, "line "), step)
        if killed:
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                write_journal(target, "line ")
        assert target.read_text() == "line 0\nline 1\nline 2\n", step
        assert target.with_name("other").read_text() == "n\nn\nn\n", step
        if killed:
            write_journal(target, "line ")
        assert {path.name for path in target.parent.iterdir()} == {"other", "out"}, step
        shutil.rmtree(target.parent)
        if not killed:
            return step - 1
        step += 1


def main(kind: str, folder: str) -> None:
    """Kill what was asked for."""
    place = Path(folder)
    mock.patch.object(disk, "_flush").start()  # only the order of steps matters
    if kind == "journal":
        print(kill_journal(place))
        return
    exchanges = kind != "folder without exchange"
    if not exchanges:
        mock.patch.object(disk, "_rename_with_flags", return_value=False).start()
    write = write_files if kind == "files" else write_folder
    print(kill_replacements(write, place, exchanges=exchanges))


if __name__ == "__main__":
    main(*sys.argv[1:])
