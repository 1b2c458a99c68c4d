"""What is told on standard error, beside a live screen, too."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from tartib.cli import output
from tartib.progress import live_console


def test_notes_go_above_a_live_screen(capsys: pytest.CaptureFixture[str]) -> None:
    drawn = io.StringIO()
    with live_console(Console(file=drawn, width=20)):
        output.print_problem("warning: sides [of the text] seem to be swapped")
    output.print_note("and after it")
    assert drawn.getvalue() == "tartib: warning: sides [of the text] seem to be swapped\n"
    assert capsys.readouterr().err == "and after it\n"
