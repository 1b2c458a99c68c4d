"""What the README shows runs as it stands."""

import re
import sys
from pathlib import Path

import pytest

from tests.support import paths
from tests.support.processes import run, run_python

README = paths.REPOSITORY / "README.md"


def blocks(language: str) -> str:
    return "\n".join(re.findall(rf"```{language}\n(.*?)```", README.read_text(), re.DOTALL))


@pytest.mark.campaign
def test_commands_and_python_run(tmp_path: Path) -> None:
    commands = blocks("sh").replace("tartib ", f"{sys.executable} -m tartib ")
    # Fewer sentences than the README has, since this is about the commands.
    commands = commands.replace("--pairs 5000", "--pairs 500")
    assert commands.count("-m tartib") == 21
    done = run(["sh", "-ec", commands], cwd=tmp_path)
    assert re.search(r"^ +0-0 +-2 +swap +swap ", done.stderr, re.MULTILINE)  # a verb that moves
    assert "differences from before" in done.stdout
    assert (tmp_path / "moses-files" / "extract.o").stat().st_size > 0
    assert (tmp_path / "results" / "report.html").stat().st_size > 0
    shown = run_python(blocks("python"), cwd=tmp_path).stdout
    assert "'swap':" in shown
    assert "'dleft':" in shown
    assert "PhrasePair(sentence=" in shown
    assert "calibration error %" in shown
    assert "museum" in shown


def test_links_lead_somewhere() -> None:
    for target in re.findall(r"\]\(([^)#:]+)\)", README.read_text()):
        assert (README.parent / target).exists(), target
