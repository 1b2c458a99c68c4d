"""What users are told when a command is interrupted, or the disk is full."""

from __future__ import annotations

import errno
import os
import signal
import sys
from pathlib import Path

import pytest

from tartib.bitext import Skipped
from tartib.cli import output
from tartib.cli.problems import advice
from tests.support import processes
from tests.support.commands import start_tartib


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


def test_a_full_disk_names_what_to_do() -> None:
    with Path("/dev/full").open("w") as full:
        command = [sys.executable, "-m", "tartib", "--version"]
        with processes.start(command, stdout=full, stderr=-1) as process:
            told = process.communicate(timeout=60)[1]
    text = told if isinstance(told, str) else told.decode()
    assert process.returncode == 1
    assert "no space left on the disk" in text
    assert "TMPDIR" in text
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
