"""Commands on a real terminal, where bars are drawn that a pipe never sees."""

import io
import json
import re
import time
from contextlib import redirect_stderr
from pathlib import Path

import pytest

from tartib.phrases import PhrasePairs
from tartib.progress import progress_bar
from tartib.synthetic import write_corpus
from tests.support import systems
from tests.support.commands import tartib_here
from tests.support.terminal import ESCAPES, on_terminal


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("terminal") / "corpus"
    write_corpus(folder, 200, n_jobs=1)
    return folder


@pytest.fixture(scope="module")
def phrases(corpus: Path) -> Path:
    tartib_here("extract", *text(corpus), *links(corpus), "--out", corpus / "phrases")
    return corpus / "phrases"


def text(corpus: Path) -> tuple[object, ...]:
    return "-s", corpus / "synthetic.ar", "-t", corpus / "synthetic.en"


def links(corpus: Path) -> tuple[object, ...]:
    return "-a", corpus / "synthetic.align", "--max-phrase-length", 3


def test_corpus(tmp_path: Path) -> None:
    shown = on_terminal("corpus", "synthetic", "--pairs", 200, "--out", tmp_path / "corpus")
    assert "Writing" in shown
    assert "sentence pairs" in shown


def test_align(corpus: Path, tmp_path: Path) -> None:
    shown = on_terminal("align", *text(corpus), "--out", tmp_path / "links")
    assert "Reading" in shown
    assert "Aligning" in shown


def test_extract(corpus: Path, tmp_path: Path) -> None:
    out = ("--out", tmp_path / "phrases", "--moses", tmp_path / "moses")
    shown = on_terminal("extract", *text(corpus), *links(corpus), *out)
    assert "Extracting" in shown
    assert "Writing" in shown


def test_dataset(phrases: Path, tmp_path: Path) -> None:
    shown = on_terminal("dataset", phrases, "-f", "S1", "--cutoff", 2, "--out", tmp_path / "rows")
    assert "Counting" in shown
    assert "Encoding" in shown


def test_train(phrases: Path, tmp_path: Path) -> None:
    given = ("-f", "S1", "--cutoff", 2, "--tune-C", "0.1,0.01", "--trace-out", tmp_path / "trace")
    shown = on_terminal("train", phrases, *given, "--out", tmp_path / "model")
    assert re.search(r"SVM: epoch \d+, [\d.]+% active", shown)
    assert (tmp_path / "trace").read_text()


def test_translate(tmp_path: Path) -> None:
    system = systems.write_toml(tmp_path, stack_size=50)
    given = (systems.GOLDEN / "test.src", "--out", tmp_path / "out")
    shown = on_terminal("translate", system, *given)
    assert re.search(r"Translating .* sentences [\d,]+ words/s", shown)
    assert re.search(r"60 sentences, 487 words in .*;\naverage total -\d", shown)
    assert max(map(len, shown.splitlines()[-2:])) <= 80
    # Lines and a bar on one terminal would be in each other's way.
    assert "Translating" not in on_terminal("translate", system, systems.GOLDEN / "test.src")


def test_typed_text(tmp_path: Path) -> None:
    typed = b"every old window\n\x04"
    shown = on_terminal("translate", systems.write_toml(tmp_path, stack_size=50), typed=typed)
    assert "reading from the keyboard; end with Ctrl-D" in shown
    assert "ogi " in shown
    shown = on_terminal("lm", "query", systems.GOLDEN / "lm.o3.arpa", typed=typed)
    assert "reading from the keyboard; end with Ctrl-D" in shown
    assert "Total: -" in shown


def test_titles_of_narrow_tables_do_not_fold(tmp_path: Path) -> None:
    text = systems.GOLDEN / "train.tgt"
    given = ("--order", 2, "--discount-fallback", "0.5,1,1.5", "--out", tmp_path / "lm")
    assert "N-grams of the model\n" in on_terminal("lm", "estimate", "--text", text, *given)


@pytest.mark.campaign
def test_experiment_in_a_small_window(corpus: Path, tmp_path: Path) -> None:
    shown = on_terminal(
        *("experiment", "classification", *text(corpus), *links(corpus), "-o", tmp_path / "out"),
        *("-f", "S1", "-c", "svm", "--cutoff", 2, "--no-tune"),
        *("--regression-epsilons", "", "--scaling-shares", ""),
    )
    assert "Accuracy % and seconds of training" in shown
    assert re.search(r"\d+ of \d+ models, \d+ s", shown)
    assert (tmp_path / "out" / "report.html").exists()


class Terminal(io.StringIO):
    """Takes what would be drawn."""

    def isatty(self) -> bool:
        return True


@pytest.fixture
def window(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "100")


@pytest.mark.usefixtures("window")
@pytest.mark.parametrize("total", [None, 0, 2500])
def test_bar_that_never_moves(total: int | None) -> None:
    with redirect_stderr(Terminal()) as terminal, progress_bar("Counting", total, "pairs"):
        time.sleep(0.15)  # longer than from one frame to the next
    shown = ESCAPES.sub("", terminal.getvalue())
    assert "Counting" in shown
    assert "0 pairs" in shown
    assert "/s" not in shown


@pytest.mark.usefixtures("window")
@pytest.mark.parametrize("total", [None, 2500])
def test_bar_that_moves_slowly(total: int | None) -> None:
    with (
        redirect_stderr(Terminal()) as terminal,
        progress_bar("Counting", total, "pairs") as advance,
    ):
        for _ in range(2):
            time.sleep(0.15)
            advance(1250)
    shown = ESCAPES.sub("", terminal.getvalue())
    assert "0 pairs" in shown
    assert re.search(r"2,500 pairs [\d,]+/s", shown)
    assert ("0:00:00" in shown) == (total is not None)


@pytest.mark.usefixtures("window")
def test_bar_leaves_nothing_behind() -> None:
    with redirect_stderr(Terminal()) as terminal, progress_bar("Counting", 1, "pairs") as advance:
        advance(1)
    assert "Counting" in terminal.getvalue()
    assert terminal.getvalue().endswith("\x1b[2K")  # the line is empty again


@pytest.mark.usefixtures("window")
def test_bar_that_is_not_wanted() -> None:
    bar = progress_bar("Counting", 1, "pairs", shown=False)
    with redirect_stderr(Terminal()) as terminal, bar as advance:
        advance(1)
    assert terminal.getvalue() == ""


@pytest.fixture(scope="module")
def model(phrases: Path) -> Path:
    tartib_here("train", phrases, "--out", phrases.parent / "model", "--features", "S12")
    return phrases.parent / "model"


@pytest.mark.parametrize("columns", [80, 140])
def test_explain_breaks_no_word(phrases: Path, model: Path, columns: int) -> None:
    asked = ("explain", model, phrases, "--sentence", 3, "-n", 40)
    pair = PhrasePairs.load(phrases)
    whole = json.loads(tartib_here(*asked[:-2], "--json").stdout)
    known = {word for pull in whole["pulls"] for word in pull["feature"].split()}
    known |= {word for name in whole["unknown"] for word in f"{name};".split()}
    shown = on_terminal(*asked, rows=200, columns=columns)
    lines = shown.splitlines()
    drawn = [line for line in lines if "│" in line]
    assert max(map(len, lines)) <= columns, "else the terminal folds within words"
    cells = [line.split("│")[1].split() for line in drawn]
    assert {word for cell in cells for word in cell} <= known | {"probability"}
    sentence = pair.bitext[whole["pair"]["sentence"]]
    for text in (sentence.source, sentence.target):
        words = {word.strip("[]") for line in lines for word in line.split()}
        assert {word.strip("[]") for word in text} <= words
    folded = " ".join(shown.split())
    assert all(line in folded for line in whole["legend"])


def test_a_table_that_fits_no_terminal_becomes_lists(phrases: Path) -> None:
    shown = on_terminal("show", phrases, "--limit", 2, columns=40)
    assert max(len(line) for line in shown.splitlines() if "│" in line) <= 40
    first = PhrasePairs.load(phrases)[0]
    assert re.search(rf"│ source +│ {re.escape(' '.join(first.source))} ", shown)
