"""The command line, as a user meets it."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support import paths
from tests.support.commands import start_tartib, tartib, tartib_here
from tests.support.processes import environment, run, run_python

GOLDEN = paths.GOLDEN / "moses"
TOY = ("-s", GOLDEN / "toy.src", "-t", GOLDEN / "toy.tgt", "-a", GOLDEN / "toy.align")
TEXT = TOY[:4]


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("cli") / "phrases"
    tartib_here("extract", *TOY, "--out", folder)
    return folder


def test_help_teaches() -> None:
    shown = tartib_here("--help").stdout
    for command in (
        "demo",
        "align",
        "extract",
        "show",
        "phrase-table",
        "reordering-table",
        "dataset",
        "train",
        "evaluate",
        "explain",
        "translate",
        "corpus",
        "experiment",
    ):
        assert command in shown
    assert "Example:\n\n    tartib extract" in tartib_here("extract", "--help").stdout
    shown = " ".join(tartib_here("align", "-h").stdout.split())
    assert "joint, the default: both directions at once, trained to agree" in shown


def test_help_loads_nothing_heavy() -> None:
    code = (
        "import sys; from tartib.cli import app\n"
        "heavy = {'numpy', 'thot', 'zstandard', 'tartib._native'} & set(sys.modules)\n"
        "sys.exit(f'loaded {heavy}' if heavy else 0)"
    )
    run_python(code)


def test_warnings_are_ours_and_not_those_of_numpy() -> None:
    code = (
        "import warnings, numpy, tartib.cli as cli\n"
        "cli.app = lambda: (numpy.log(numpy.zeros(1)), warnings.warn('take care'))\n"
        "cli.main()"
    )
    assert run_python(code).stderr == "tartib: warning: take care\n"


def test_version() -> None:
    import tartib as package

    assert tartib("--version").stdout.strip() == f"tartib {package.__version__}"


def test_extract_prints_a_table(tmp_path: Path) -> None:
    done = tartib("extract", *TOY, "--out", tmp_path / "phrases")
    assert "phrase pairs of 60 sentence pairs" in done.stdout
    assert "backward" in done.stdout
    assert "corpus:" not in done.stderr


def test_extract_json(tmp_path: Path) -> None:
    done = tartib(
        "extract", *TOY, "--out", tmp_path / "p", "--json", "-j", 1, "--max-phrase-length", 3
    )
    data = json.loads(done.stdout)
    assert data["pairs"] == len((GOLDEN / "extract.max3").read_text().splitlines())
    assert sum(data["counts"]["forward"].values()) == data["pairs"]


def test_extract_moses(tmp_path: Path) -> None:
    tartib_here("extract", *TOY, "--moses", tmp_path, "--orientation", "wbe-mslr")
    assert (tmp_path / "extract.o").read_bytes() == (GOLDEN / "extract.wbe-mslr.o").read_bytes()
    assert (tmp_path / "extract.inv").read_bytes() == (GOLDEN / "extract.max7.inv").read_bytes()
    assert sorted(p.name for p in tmp_path.iterdir()) == ["extract", "extract.inv", "extract.o"]


def test_extract_from_standard_input(tmp_path: Path) -> None:
    done = tartib("extract", "-b", "-", "-o", tmp_path / "p", "--json", stdin="a b\tx y\t0-0 1-1\n")
    assert json.loads(done.stdout)["pairs"] == 3


def test_skipped_sentences_are_reported(tmp_path: Path) -> None:
    done = tartib_here("extract", *TOY, "-o", tmp_path / "p", "--max-sentence-length", 5)
    assert "sentence pairs of more than 5 tokens." in done.stderr


def test_one_skipped_sentence_is_no_plural(tmp_path: Path) -> None:
    (tmp_path / "both.tsv").write_text("a\tb\t0-0\na b c\tx\t0-0\n", encoding="utf-8")
    limit = ("--max-sentence-length", 2, "-o", tmp_path / "p")
    done = tartib_here("extract", "--bitext", tmp_path / "both.tsv", *limit)
    assert "Skipped 1 sentence pair of more than 2 tokens." in done.stderr


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("extract", *TOY), 2, "give --out, --moses, or both"),
        (("extract", *TEXT, "-o", "x"), 2, "give --alignment"),
        (("extract", "-a", "x", "-o", "x"), 2, "give --source and --target, or --bitext"),
        (("extract", *TEXT, "-a", "nowhere", "-o", "x"), 1, "error: nowhere: no such file"),
        (("extract", *TOY, "-o", "x", "--orientation", "up-down"), 1, "unknown orientation"),
        (
            ("extract", *TOY, "-o", "x", "--max-phrase-length", "0"),
            1,
            "--max-phrase-length must be 1 to 255",
        ),
        (("extract", *TOY, "-o", "x", "-j", "0"), 1, "jobs must be 1 to 1,024"),
        (("extract", "-b", "x.tmx", "--languages", "ar", "-o", "x"), 1, "two codes such as ar-en"),
        (("show", "nowhere"), 1, "nowhere: no such folder"),
        (("align", *TEXT, "-o", "x", "--aligner", "giza"), 1, "unknown aligner"),
        (("corpus", "synthetic", "--pairs", "-1", "-o", "x"), 2, "Invalid value for '--pairs"),
    ],
)
def test_errors(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: tuple[object, ...],
    code: int,
    said: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    done = tartib_here(*arguments, code=code)
    assert said in done.stderr
    assert done.stdout == ""
    assert list(tmp_path.iterdir()) == []


def test_existing_output_is_kept(store: Path) -> None:
    before = (store / "pairs.npy").read_bytes()
    done = tartib_here("extract", *TOY, "--out", store, "--max-phrase-length", 2, code=1)
    assert "exists already" in done.stderr
    assert (store / "pairs.npy").read_bytes() == before


def test_output_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    done = tartib_here("extract", *TOY, "--out", tmp_path / "file" / "phrases", code=1)
    assert "tartib: error: " in done.stderr
    assert "is a file, not a folder" in done.stderr


@pytest.mark.parametrize("output", ["--out", "--moses"])
def test_a_disk_that_fills_up(tmp_path: Path, output: str) -> None:
    import resource

    def small_files() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (4000, 4000))

    arguments = [*TOY, output, tmp_path / "out"]
    done = run(
        [sys.executable, "-m", "tartib", "extract", *arguments],
        check=False,
        preexec_fn=small_files,
        # The limit would cut off the compiled modules that Python writes, for all later tests.
        env=environment(TMPDIR=str(tmp_path), PYTHONDONTWRITEBYTECODE="1"),
    )
    assert done.returncode == 1
    assert ": the file is too large for this disk or for ulimit -f" in done.stderr
    assert ".partial-" not in done.stderr
    assert "raise the limit (ulimit -f)" in done.stderr
    assert [path.name for path in tmp_path.rglob("*") if path.is_file()] == []


def test_show(store: Path) -> None:
    done = tartib_here("show", store, "--limit", 3)
    assert "3 of " in done.stdout
    assert "dor zam" in done.stdout
    swaps = json.loads(tartib_here("show", store, "--label", "swap", "--random", "--json").stdout)
    assert len(swaps["pairs"]) == 20
    assert {pair["backward"] for pair in swaps["pairs"]} == {"swap"}
    line = json.loads(tartib_here("show", store, "--sentence", 2, "--json", "--word", "gir").stdout)
    assert {pair["line"] for pair in line["pairs"]} == {2}
    assert all("gir" in pair["source"] for pair in line["pairs"])
    other = tartib_here("show", store, "--orientation", "word-mslr", "--label", "dleft")
    assert "dleft" in other.stdout
    assert "has no class 'dleft'" in tartib_here("show", store, "--label", "dleft", code=1).stderr


def test_show_says_when_there_is_nothing(store: Path) -> None:
    assert "No phrase pair" in tartib_here("show", store, "--word", "nowhere").stderr
    assert (
        "it is one of backward, forward"
        in tartib_here("show", store, "--direction", "up", code=1).stderr
    )


def test_nothing_is_replaced_unasked(tmp_path: Path) -> None:
    (tmp_path / "corpus").mkdir()
    mine = [tmp_path / "corpus" / "thesis", tmp_path / "extract", tmp_path / "links"]
    for path in mine:
        path.write_text("mine")
    tartib_here("extract", *TOY, "--moses", tmp_path, code=1)
    tartib_here("align", *TEXT, "--out", tmp_path / "links", code=1)
    assert "was not made by Tartib" in tartib_here("demo", "--out", tmp_path, code=1).stderr
    assert sorted(path for path in tmp_path.rglob("*") if path.is_file()) == mine
    assert {path.read_text() for path in mine} == {"mine"}
    tartib_here("extract", *TOY, "--moses", tmp_path, "--overwrite")
    assert (tmp_path / "extract").read_text() != "mine"


def test_dataset(store: Path, tmp_path: Path) -> None:
    given = ("--features", "S7", "--cutoff", 0, "--signature")
    done = tartib_here("dataset", store, *given, "--out", tmp_path / "rows")
    assert "Its most frequent features" in done.stdout
    assert "features:S7|cutoff:0" in done.stderr
    arguments = ("--svmlight", tmp_path / "x", "--hash-bits", 12, "--share", 0.5, "--collapse")
    data = json.loads(tartib_here("dataset", store, *arguments, "--json").stdout)
    assert data["columns"] == 4096
    assert data["rows"] < data["pairs"]
    assert len((tmp_path / "x").read_text().splitlines()) == data["pairs"]
    before = sorted(path.name for path in tmp_path.iterdir())
    said = tartib_here("dataset", store, "--out", tmp_path / "rows", code=1).stderr
    assert "exists already" in said
    said = tartib_here(
        "dataset", store, "--out", tmp_path / "y", "--features", "S99", code=1
    ).stderr
    assert "unknown feature set 'S99'" in said
    tartib_here("dataset", store, "--svmlight", tmp_path / "new" / "x")
    assert (tmp_path / "new" / "x").exists()
    shutil.rmtree(tmp_path / "new")
    for option in (("--share", 1.5), ("--direction", "up")):
        tartib_here("dataset", store, "--out", tmp_path / "y", *option, code=1)
    copy = shutil.copytree(store, tmp_path / "copy")
    said = tartib_here("dataset", copy, "--out", copy, "--overwrite", code=1).stderr
    assert "holds tartib phrase pairs: it is not replaced by tartib dataset with features" in said
    shutil.rmtree(copy)
    said = tartib_here("dataset", store, code=2).stderr
    assert "give --out, --svmlight, or both" in said
    assert sorted(path.name for path in tmp_path.iterdir()) == before


def test_no_alignment_is_an_error(tmp_path: Path) -> None:
    done = tartib("extract", "-b", "-", "-o", tmp_path / "p", stdin="a b\tx y\n", code=1)
    assert "has no word alignment: give one, or make one (tartib align)" in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_defaults_are_those_of_the_library() -> None:
    from inspect import signature

    from tartib import alignment, extraction
    from tartib.cli import align, extract

    for command, function in (
        (align.align, alignment.align),
        (extract.extract, extraction.extract_phrases),
    ):
        library = signature(function).parameters
        for name, parameter in signature(command).parameters.items():
            if name in library and name not in ("bitext", "out", "orientation"):
                assert parameter.default == library[name].default, name


def test_show_into_a_closed_pipe(store: Path) -> None:
    pipe = subprocess.PIPE
    show = start_tartib("show", store, "--limit", 100000, "--json", stdout=pipe, stderr=pipe)
    assert show.stdout is not None
    assert show.stderr is not None
    show.stdout.read(10)
    show.stdout.close()
    assert b"Traceback" not in show.stderr.read()
    show.stderr.close()
    show.wait()


def test_align(tmp_path: Path) -> None:
    done = tartib("align", *TEXT, "--out", tmp_path / "links", "--aligner", "ibm1")
    assert "Aligned 60 sentence pairs" in done.stderr
    assert len((tmp_path / "links").read_text().splitlines()) == 60
    data = json.loads(
        tartib("align", *TEXT, "-o", tmp_path / "l2", "--aligner", "ibm1", "--json").stdout
    )
    assert data["sentences"] == 60


def test_synthetic_corpus(tmp_path: Path) -> None:
    tartib_here("corpus", "synthetic", "--pairs", 20, "--out", tmp_path / "c", "--seed", 3)
    files = [tmp_path / "c" / f"synthetic.{kind}" for kind in ("ar", "en", "align")]
    assert [len(path.read_text().splitlines()) for path in files] == [20, 20, 20]
    assert "SYNTHETIC" in (tmp_path / "c" / "README.txt").read_text()
    tartib_here("corpus", "synthetic", "--pairs", 20, "--out", tmp_path / "c", code=1)
