"""What users are told when a command is interrupted, or the disk is full."""

from __future__ import annotations

import errno
import os
import signal
import sys
import time
from pathlib import Path

import pytest
from sklearn.exceptions import ConvergenceWarning

from tartib.bitext import Skipped
from tartib.cli import output
from tartib.cli.problems import advice, name_option, name_options
from tartib.models import MulticlassSVM
from tests.support import processes
from tests.support.commands import start_tartib, tartib_here
from tests.support.problems import rows_of_values


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_is_told(tmp_path: Path, number: signal.Signals) -> None:
    for side in ("source", "target"):
        os.mkfifo(tmp_path / side)
    sides = ("-s", tmp_path / "source", "-t", tmp_path / "target")
    with (
        start_tartib("align", *sides, "-o", tmp_path / "links", stderr=-1) as process,
        (tmp_path / "source").open("w"),  # waits until the command reads
    ):
        process.send_signal(number)
        told = process.communicate(timeout=60)[1]
    assert process.returncode == 128 + number
    text = told if isinstance(told, str) else told.decode()
    assert text.strip() == "tartib: interrupted: no output file was written"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["source", "target"]


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="asks Linux for the workers")
def test_an_interrupt_while_aligners_start(tmp_path: Path) -> None:
    """They import for a while, and then are sent more text than a pipe holds."""
    for side in ("source", "target"):
        (tmp_path / side).write_text("a b c d e f g h i j\n" * 5000)
    sides = ("-s", tmp_path / "source", "-t", tmp_path / "target", "--aligner", "eflomal")
    with start_tartib("align", *sides, "-o", tmp_path / "links", stderr=-1) as process:
        listed = Path(f"/proc/{process.pid}/task/{process.pid}/children")
        while len(listed.read_text().split()) < 2:  # multiprocessing's tracker, and a worker
            assert process.poll() is None
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        told = process.communicate(timeout=60)[1]
    assert process.returncode == 130
    text = told if isinstance(told, str) else told.decode()
    assert text.strip() == "tartib: interrupted: no output file was written"


def test_a_full_disk_names_what_to_do() -> None:
    with Path("/dev/full").open("w") as full:
        command = [sys.executable, "-m", "tartib", "--version"]
        with processes.start(command, stdout=full, stderr=-1) as process:
            told = process.communicate(timeout=60)[1]
    text = told if isinstance(told, str) else told.decode()
    assert process.returncode == 1
    assert "no space left on the disk" in text
    assert "standard output: " in text
    assert "Traceback" not in text


@pytest.mark.parametrize(
    ("number", "told"),
    [
        (errno.ENOSPC, "out/x: no space left on the disk"),
        (errno.EACCES, "out/x: Permission denied\n  check the permissions"),
        (errno.ENOENT, "out/x: No such file or directory\n  check the name"),
        (errno.EIO, "out/x: Input/output error"),
    ],
)
def test_advice(number: int, told: str) -> None:
    assert advice(OSError(number, os.strerror(number), "out/x")).startswith(told)


def test_one_is_no_plural(capsys: pytest.CaptureFixture[str]) -> None:
    output.note_skipped(Skipped(too_long=1, empty=2, one_sided=1), 100)
    assert capsys.readouterr().err == (
        "Skipped 1 sentence pair of more than 100 tokens.\n"
        "Skipped 2 sentence pairs with an empty side.\n"
        "Skipped 1 unit without one of the two languages.\n"
    )


def test_commands_count_one_as_one(tmp_path: Path) -> None:
    for name, line in {"f": "a", "e": "b", "links": "0-0"}.items():
        (tmp_path / name).write_text(f"{line}\n")
    sides = ("-s", tmp_path / "f", "-t", tmp_path / "e", "-a", tmp_path / "links")
    said = tartib_here("extract", *sides, "--out", tmp_path / "phrases").stdout
    assert "1 phrase pair of 1 sentence pair in" in said
    assert "1 of 1 phrase pair (" in tartib_here("show", tmp_path / "phrases").stdout
    for command in ("phrase-table", "reordering-table"):
        said = tartib_here(command, tmp_path / "phrases", "--out", tmp_path / command).stdout
        assert "of 1 extracted pair in" in said


def test_too_little_memory_is_said(tmp_path: Path) -> None:
    code = """
import sys
from unittest import mock
import numpy as np
from tartib.cli import main
sys.argv = ["tartib", "show", "x"]
with mock.patch("tartib.phrases.PhrasePairs.load", lambda _: np.zeros(1 << 62, np.int8)):
    main()
"""
    done = processes.run_python(code, check=False, cwd=tmp_path)
    assert done.returncode == 1
    assert done.stderr.startswith("tartib: error: not enough memory in tartib.cli.show: Unable to ")
    assert "use fewer jobs (--jobs 1) or a part of the data" in done.stderr
    assert "Traceback" not in done.stderr


def test_closed_streams(tmp_path: Path) -> None:
    """A shell closes them by ``>&-``: what was to be printed is refused, errors go nowhere."""
    made = ["corpus", "synthetic", "--pairs", "20", "--out"]
    shown = [sys.executable, "-m", "tartib", "info", str(tmp_path / "corpus")]
    tartib_here(*made, tmp_path / "corpus")
    for command, closed, code in ((shown, 1, 1), ([*shown[:3], *made, str(tmp_path / "b")], 2, 0)):
        with processes.start(
            ["sh", "-c", f'exec "$@" {closed}>&-', "sh", *command], stdout=-1, stderr=-1
        ) as process:
            told = process.communicate(timeout=60)[1]
        assert process.returncode == code
        text = told if isinstance(told, str) else told.decode()
        assert ("standard output: is closed" in text) == (closed == 1)
        assert "Traceback" not in text


@pytest.mark.parametrize(
    "command",
    [
        ("align", "-s", "x", "-t", "y"),
        ("lm", "estimate", "-i", "x"),
        ("phrase-table", "x"),
        ("reordering-table", "x"),
        ("train", "x"),
    ],
)
def test_outputs_that_cannot_be_written(tmp_path: Path, command: tuple[str, ...]) -> None:
    """They are refused before any input is read."""
    (tmp_path / "file").touch()
    for out, problem in (
        (tmp_path / "file" / "out", "is a file, not a folder"),
        (tmp_path / ("x" * 240), "its name has more than"),
    ):
        assert problem in tartib_here(*command, "--out", out, code=1).stderr


def test_hidden_names_are_not_shown() -> None:
    hidden = "/data/.out.partial-my-host.org-77-0a1b2c3d/pairs.npy"
    assert advice(OSError(errno.EIO, "broken", hidden)) == "/data/out/pairs.npy: broken"


def test_options_have_their_own_names(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["tartib", "train", "--dev-share=2"])
    assert name_option("dev_share must be less") == "--dev-share must be less"
    assert name_option("held_out must be less") == "held_out must be less"


def test_what_ends_training_is_named_as_on_the_command_line() -> None:
    X, y = rows_of_values()
    with pytest.warns(ConvergenceWarning) as warned:
        MulticlassSVM(1e3, max_iter=2, tol=1e-12).fit(X, y)
    said = name_options(str(warned[0].message))
    assert "raise --max-iter or --tol, regularise more, bring all columns to a similar " in said
    assert "scale around 0, or take -c maxent, which scales columns itself" in said
