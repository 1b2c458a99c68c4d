"""``tartib lm``."""

import gzip
import json
import select
import subprocess
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tartib import LanguageModel
from tartib.cli import app
from tartib.errors import DataError, OptionError
from tests.support.commands import start_tartib
from tests.support.kenlm import GOLDEN, golden_scores

TEXT, QUERIES = str(GOLDEN / "text"), str(GOLDEN / "queries")


def run(*arguments: str | Path, text: str | None = None) -> str:
    result = CliRunner().invoke(app, ["lm", *map(str, arguments)], input=text)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == 0, result.output
    return result.stdout


def test_estimate_and_query(tmp_path: Path) -> None:
    out, arpa = tmp_path / "lm", tmp_path / "lm.arpa.gz"
    said = run(
        "estimate", "--text", TEXT, "--order", "3", "--prune", "0,1", "-o", out, "--arpa", arpa
    )
    assert "829" in said
    assert b"ngram 3=711\n" in gzip.decompress(arpa.read_bytes())
    assert run("query", out, QUERIES) == run("query", arpa, QUERIES)
    assert LanguageModel.load(out).counts == (364, 829, 711)
    facts = json.loads(run("estimate", "-i", TEXT, "-n", "3", "-o", out, "--overwrite", "--json"))
    assert facts["counts"] == [364, 2768, 5079]
    assert "order:3" in facts["signature"]
    with pytest.raises(OptionError, match="exists already"):
        run("estimate", "--text", TEXT, "--out", out)


def test_query_prints_as_kenlm() -> None:
    lines = run("query", GOLDEN / "text.o5.arpa", QUERIES).splitlines()
    golden = (GOLDEN / "queries.o5.scores").read_text().splitlines()
    assert len(lines) == len(golden)
    for line, expected in zip(lines, golden, strict=True):
        names, numbers = parts(line)
        golden_names, golden_numbers = parts(expected)
        assert names == golden_names
        assert numbers == pytest.approx(golden_numbers, abs=1e-4)


def parts(line: str) -> tuple[list[str], list[float]]:
    fields = line.split()
    return (
        [field for field in fields if not field[-1].isdigit()],
        [float(field) for field in fields if field[-1].isdigit()],
    )


def test_query_words_and_json() -> None:
    text = Path(QUERIES).read_text()
    plain = run("query", GOLDEN / "text.o5.arpa", "--words", text=text).splitlines()
    said = run("query", GOLDEN / "text.o5.arpa", QUERIES, "--words", "--json")
    rows = [json.loads(line) for line in said.splitlines()]
    totals, unknown = golden_scores()
    assert [row["log10_p"] for row in rows[:-1]] == pytest.approx(totals, abs=1e-5)
    assert [row["unknown"] for row in rows[:-1]] == unknown
    assert [sum(not word["known"] for word in row["words"]) for row in rows[:-1]] == unknown
    assert rows[-1]["perplexity"] == pytest.approx(43.04955, abs=1e-4)
    assert plain[0].startswith("w8=2 -1.5903803\tw36=1 -2.9697294\t")
    assert plain[0].endswith("Total: -25.497172 OOV: 0")


def test_query_of_a_pipe_and_of_a_file_are_the_same() -> None:
    text = Path(QUERIES).read_text()
    for more in ((), ("--json",)):
        found = run("query", GOLDEN / "text.o5.arpa", *more, text=text)
        assert found == run("query", GOLDEN / "text.o5.arpa", QUERIES, *more)


def test_an_answer_comes_before_the_next_question() -> None:
    command, pipe = ("lm", "query", GOLDEN / "text.o3.arpa"), subprocess.PIPE
    with start_tartib(*command, stdin=pipe, stdout=pipe, text=True) as process:
        assert process.stdin
        assert process.stdout
        for line in ("w8 w36\n", "\n", "zzz\n"):
            process.stdin.write(line)
            process.stdin.flush()
            if not select.select([process.stdout], [], [], 300)[0]:
                process.kill()
            assert process.stdout.readline().startswith("Total: -")
        process.stdin.close()
        assert len(process.stdout.readlines()) == 4


def test_query_of_nothing() -> None:
    said = run("query", GOLDEN / "text.o3.arpa", text="")
    assert "Tokens:\t0" in said
    assert "Perplexity including OOVs:\t–\nPerplexity excluding OOVs:\t–\n" in said
    last = run("query", GOLDEN / "text.o3.arpa", "--json", text="").splitlines()[-1]
    assert json.loads(last)["perplexity"] is None


def test_bad_options(tmp_path: Path) -> None:
    runner = CliRunner()
    nowhere = runner.invoke(app, ["lm", "estimate", "--text", TEXT])
    assert nowhere.exit_code == 2
    assert "--arpa" in nowhere.output
    words = runner.invoke(app, ["lm", "estimate", "--text", TEXT, "-o", "x", "--prune", "a"])
    assert words.exit_code == 2
    assert "takes numbers" in words.output
    parts = runner.invoke(app, ["lm", "estimate", "--text", TEXT, "-o", "x", "--prune", "0,1.5"])
    assert parts.exit_code == 2
    with pytest.raises(DataError, match="standard input: text too small"):
        run("estimate", "--text", "-", "--out", tmp_path / "lm", text="a b\n")
    run(
        "estimate", "-i", "-", "-o", tmp_path / "lm", "--discount-fallback", "0.5,1,1.5", text="a\n"
    )
    with pytest.raises(DataError, match="no such file"):
        run("query", tmp_path / "nothing")
