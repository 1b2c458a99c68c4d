"""Commands where little of what a terminal session has is there."""

import sys
from pathlib import Path

import pytest

from tartib.synthetic import write_corpus
from tests.support import processes
from tests.support.commands import tartib_here

NOTHING: dict[str, str] = {}
# What Python makes of a locale without UTF-8, if it may not choose another one.
ASCII = {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}
LATIN = {"PYTHONIOENCODING": "latin-1"}


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    return list(write_corpus(tmp_path_factory.mktemp("corpus") / "corpus", 60, n_jobs=1))


def run(environment: dict[str, str], *arguments: object) -> tuple[str, str]:
    command = [sys.executable, "-m", "tartib", *arguments]
    done = processes.run(command, env=environment)
    return done.stdout, done.stderr


@pytest.mark.parametrize("environment", [NOTHING, ASCII, LATIN], ids=["nothing", "ascii", "latin"])
def test_output_is_utf8(corpus: list[Path], tmp_path: Path, environment: dict[str, str]) -> None:
    source, target, links = corpus
    store = tmp_path / "مخزن"
    tartib_here("extract", "-s", source, "-t", target, "-a", links, "--out", store)
    shown, _ = run(environment, "show", store, "--sentence", 1, "--limit", 1000)
    assert source.read_text(encoding="utf-8").split()[0] in shown
    _, noted = run(environment, "show", store, "--word", "nowhere")
    assert "No phrase pair" in noted


# As `tartib` does before a command that draws; the font list, which takes long, is not needed.
IMPORTS = """
import sys
from tartib.cli import main
sys.argv = ["tartib", "--version"]
try:
    main()
finally:
    import matplotlib
    matplotlib.get_cachedir()
"""


def test_matplotlib_without_a_home_folder_is_quiet() -> None:
    done = processes.run([sys.executable, "-c", IMPORTS], env={"HOME": "/dev/null"})
    assert done.stderr == ""


@pytest.mark.campaign
def test_no_home_folder(corpus: list[Path], tmp_path: Path) -> None:
    """Matplotlib keeps a list of fonts there; that it cannot is nothing to tell users."""
    source, target, links = corpus
    text = ("-s", source, "-t", target, "-a", links, "--out", tmp_path / "out")
    less = (
        "-f",
        "S1",
        "-c",
        "svm",
        "--no-tune",
        "--regression-epsilons",
        "",
        "--scaling-shares",
        "",
    )
    given = ("--cutoff", 1, "--orientations", "hier-msd")
    _, noted = run({"HOME": "/dev/null"}, "experiment", "classification", *text, *less, *given)
    assert "atplotlib" not in noted
    assert (tmp_path / "out" / "report.html").exists()
