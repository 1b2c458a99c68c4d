"""Every command that takes a while, on a tiny corpus, run in a forked process."""

from __future__ import annotations

import ctypes
import gc
import json
import os
import shutil
import signal
import sys
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from tartib.cli import main
from tartib.storage import manifest
from tests.campaign.materials import Materials
from tests.support.commands import tartib_here
from tests.support.steps import Step, Watcher, read_steps

Arguments = Callable[[Materials, Path], list[object]]
TIMEOUT = 300  # seconds by the clock, after which a command counts as stuck


@dataclass(frozen=True)
class Command:
    """A command.

    Attributes
    ----------
    name
        Its own, or of one of its forms.
    arguments
        All but ``--overwrite`` and ``--resume``, from materials and the folder of the outputs.
    resumable
        Whether it can be continued by ``--resume``.
    workspace
        How names of the outputs begin that it fills step by step, if there are any.
    clock
        Where other processes do its work, moments are by the clock, else by its processor time.
    """

    name: str
    arguments: Arguments
    resumable: bool = False
    workspace: str = ""
    clock: int = time.CLOCK_PROCESS_CPUTIME_ID


def _text(m: Materials) -> list[object]:
    return ["-s", m.source, "-t", m.target]


WRITING = (
    Command(
        "align",
        lambda m, o: [
            *("align", *_text(m), "--out", o / "links", "--probabilities", o / "sure"),
            *("--save", o / "aligner", "-j", 1),
        ],
    ),
    Command(
        "align-fast",
        lambda m, o: ["align", *_text(m), "--aligner", "fast_align", "--out", o / "links"],
        clock=time.CLOCK_MONOTONIC,
    ),
    Command("corpus", lambda m, o: ["corpus", "synthetic", "--pairs", m.pairs, "--out", o / "a"]),
    Command(
        "extract",
        lambda m, o: [
            *("extract", *_text(m), "-a", m.alignment, "--max-phrase-length", 3),
            *("--out", o / "phrases", "--moses", o / "moses", "-j", 1),
        ],
    ),
    Command(
        "phrase-table",
        lambda m, o: [
            *("phrase-table", m.phrases, "--out", o / "table", "--moses", o / "table.gz"),
            *("--lexical", o / "lex", "-j", 1),
        ],
    ),
    Command(
        "reordering-table",
        lambda m, o: ["reordering-table", m.phrases, "--out", o / "reordering.gz", "-j", 1],
    ),
    Command(
        "dataset",
        lambda m, o: [
            *("dataset", m.phrases, "-f", "S1", "--cutoff", 1, "--out", o / "rows"),
            *("--svmlight", o / "rows.svm", "-j", 1),
        ],
    ),
    Command(
        "train",
        lambda m, o: [
            *("train", m.phrases, "-f", "S1", "--cutoff", 1, "--out", o / "model"),
            *("--max-iter", 5, "--workspace", o / "space", "-j", 1),
        ],
        workspace="space/",
    ),
    Command("predict", lambda m, o: ["predict", m.model, m.phrases, "--out", o / "out.tsv"]),
    Command(
        "lm",
        lambda m, o: [
            *(
                "lm",
                "estimate",
                "--text",
                m.target,
                "--order",
                2,
                "--discount-fallback",
                "0.5,1,1.5",
            ),
            *("--out", o / "lm", "--arpa", o / "lm.arpa", "-j", 1),
        ],
    ),
    Command(
        "translate",
        lambda m, o: [
            *("translate", m.system, m.source, "--out", o / "out", "--nbest-out", o / "nbest"),
            *("--nbest-size", 3, "--alignment-out", o / "links", "--trace-out", o / "trace"),
            *("--search-graph-out", o / "graph", "-j", 1),
        ],
        resumable=True,
    ),
    Command(
        "translate-pipe",
        lambda m, o: [
            *("translate", m.system, m.source, "--nbest-out", o / "nbest", "--nbest-size", 3),
            *("-j", 1),
        ],
    ),
    Command(
        "tune",
        lambda m, o: [
            *("tune", m.system, "-s", m.source, "-r", m.target, "--out", o / "tuned.toml"),
            *("--iterations", 2, "--nbest-size", 3, "--runs", 2, "-j", 1),
        ],
        resumable=True,
    ),
)
EXPERIMENTS = (
    Command(
        "experiment",
        lambda m, o: [
            *("experiment", "classification", *_text(m), "-a", m.alignment, "--out", o / "found"),
            *("--max-phrase-length", 3, "--cutoff", 1, "--orientations", "word-msd", "-f", "S1"),
            *("-c", "svm", "--samples", 10, "--examples", 1, "-j", 1),
        ],
        workspace="found/",
        clock=time.CLOCK_MONOTONIC,
    ),
)
READING = (
    Command("verify", lambda m, _: ["verify", m.phrases, m.table, m.lm, m.model, m.system]),
    Command("info", lambda m, _: ["info", m.model]),
    Command("show", lambda m, _: ["show", m.phrases, "--limit", 1000]),
    Command("evaluate", lambda m, _: ["evaluate", m.model, m.phrases]),
    Command("explain", lambda m, _: ["explain", m.model, m.phrases, "--pair", 1]),
    Command("lm-query", lambda m, _: ["lm", "query", m.lm, m.target, "--words"]),
    Command(
        "score",
        lambda m, _: ["score", "-r", m.target, "--baseline", m.target, m.target, "--samples", 100],
    ),
    Command(
        "score-order",
        lambda m, _: [
            *("score", "-r", m.target, m.target, "-s", m.source, "-a", m.alignment),
            *("--reference-alignment", m.alignment),
        ],
    ),
)


class Ended(NamedTuple):
    """How a command ended.

    Attributes
    ----------
    code
        Its exit code; of a signal that ended it, the negative number.
    error
        What it wrote to standard error.
    steps
        What it did to the folder of its outputs.
    seconds
        Processor time from the moment at which something happened to it, or from its beginning;
        0 where moments are by the clock, which depends on what else the machine does.
    total
        Processor time of all of it, or its time by the clock.
    """

    code: int
    error: str
    steps: list[Step]
    seconds: float
    total: float


class Runs:
    """Runs commands in forked processes, one at a time, with outputs in one folder.

    Parameters
    ----------
    folder
        For the outputs (in ``out``) and for logs.
    """

    def __init__(self, folder: Path) -> None:
        self.out = folder / "out"
        self._log, self._error = folder / "steps", folder / "error"
        self._out_file = folder / "printed"

    def warm_up(self, arguments: list[object]) -> None:
        """Run a command here, so that forks need not import what it does."""
        shutil.rmtree(self.out, ignore_errors=True)
        self.out.mkdir()
        tartib_here(*arguments)

    def run(
        self,
        arguments: list[object],
        *,
        at: int = 0,
        action: signal.Signals | None = signal.SIGKILL,
        after: float = 0.0,
        clock: int = time.CLOCK_PROCESS_CPUTIME_ID,
    ) -> Ended:
        """Run a command.

        Parameters
        ----------
        arguments
            Its words.
        at, action
            The step at which something happens to it, and what, as in `Watcher`.
        after
            Instead of at a step: the seconds after which the signal comes.
        clock
            By which these seconds count.
        """
        for file in (self._log, self._error):
            file.unlink(missing_ok=True)
        watcher = Watcher(self.out, self._log, at, action)
        sys.stdout.flush()
        began = time.monotonic()
        process = os.fork()
        if process == 0:
            timer = (after, action, clock) if after and action is not None else None
            self._be_run([str(word) for word in arguments], watcher, timer)
        while True:
            ended, status, used = os.wait4(process, os.WNOHANG)
            if ended:
                break
            if time.monotonic() - began > TIMEOUT:
                os.killpg(process, signal.SIGKILL)
                os.wait4(process, 0)
                raise AssertionError(f"{arguments} is stuck at {at or after}")
            time.sleep(0.01)
        total, rest = used.ru_utime + used.ru_stime, 0.0
        if clock == time.CLOCK_MONOTONIC:
            total = time.monotonic() - began
        else:
            rest = total - (after or watcher.seconds)
        return Ended(
            os.waitstatus_to_exitcode(status),
            self._error.read_text(encoding="utf-8"),
            read_steps(self._log),
            rest,
            total,
        )

    def _be_run(
        self,
        arguments: list[str],
        watcher: Watcher,
        timer: tuple[float, signal.Signals, int] | None,
    ) -> None:
        """Be the forked process, which never returns."""
        code = 70
        try:
            os.setsid()  # a group that is killed as one
            gc.freeze()
            for number, path in ((1, self._out_file), (2, self._error)):
                opened = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
                os.dup2(opened, number)
            for number in (signal.SIGINT, signal.SIGTERM):
                signal.signal(number, signal.SIG_DFL)
            watcher.watch()
            if timer is not None:
                _send_after(*timer)
            sys.argv = ["tartib", *arguments]
            code = _exit_code(main)
            for number in (signal.SIGINT, signal.SIGTERM):
                signal.signal(number, signal.SIG_IGN)
        except SystemExit as late:  # the one signal came when the command had ended
            code = int(late.code or 0)
        except BaseException:
            traceback.print_exc()
        finally:
            for stream in (sys.stdout, sys.stderr):
                stream.flush()
            os._exit(code)


def _exit_code(run: Callable[[], None]) -> int:
    """Run something that may call `sys.exit`, and return the code."""
    try:
        run()
    except SystemExit as stop:
        return int(stop.code or 0)
    return 0


class _Event(ctypes.Structure):
    """The C struct sigevent of Linux: value, signal, way of notification, and space."""

    _fields_ = (
        ("value", ctypes.c_void_p),
        ("signal", ctypes.c_int),
        ("notify", ctypes.c_int),
        ("space", ctypes.c_char * 48),
    )


class _Timer(ctypes.Structure):
    """The C struct itimerspec: interval and value, each seconds and nanoseconds."""

    _fields_ = (("interval", ctypes.c_long * 2), ("value", ctypes.c_long * 2))


def _send_after(seconds: float, action: signal.Signals, clock: int) -> None:
    """Have the system send this process a signal after some seconds by one of its clocks."""
    library = ctypes.CDLL(None, use_errno=True)
    timer = ctypes.c_void_p()
    event = _Event(None, int(action), 0, b"")
    assert library.timer_create(ctypes.c_int(clock), ctypes.byref(event), ctypes.byref(timer)) == 0
    whole, rest = divmod(seconds, 1)
    when = _Timer((0, 0), (int(whole), int(rest * 1e9) or 1))
    assert library.timer_settime(timer, 0, ctypes.byref(when), None) == 0


def files_below(folder: Path) -> dict[str, bytes]:
    """Return all files below a folder, by name, and hidden folders that are empty."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() if path.is_file() else b""
        for path in sorted(folder.rglob("*"))
        if path.is_file() or (path.name.startswith(".") and not any(path.iterdir()))
    }


def tree(folder: Path) -> dict[str, bytes]:
    """Return the files below a folder, to be compared.

    Of a manifest only the checksums: it also says which command made the folder, and whether that
    one continued or replaced something is no difference here.
    """
    found = files_below(folder)
    for name in found:
        if name.endswith(manifest.NAME) and "/." not in f"/{name}":
            found[name] = json.dumps(json.loads(found[name])["files"]).encode()
    return found
