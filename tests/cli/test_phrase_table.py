"""``tartib phrase-table``, as a user meets it."""

import json
from pathlib import Path

import pytest

from tartib import PhraseTable
from tartib.textio import ByteStream
from tests.support import paths
from tests.support.commands import tartib_here

GOLDEN = paths.GOLDEN / "moses" / "decode"
pytestmark = pytest.mark.native


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("cli") / "phrases"
    train = [GOLDEN / f"train.{name}" for name in ("src", "tgt", "align")]
    text = ("-s", train[0], "-t", train[1], "-a", train[2])
    tartib_here("extract", *text, "--max-phrase-length", 5, "--out", folder)
    return folder


def test_all_outputs(store: Path, tmp_path: Path) -> None:
    table, text, prefix = tmp_path / "table", tmp_path / "phrase-table", tmp_path / "lex"
    outputs = ("--out", table, "--moses", text, "--lexical", prefix)
    done = tartib_here("phrase-table", store, *outputs, "--signature")
    assert "2,944" in done.stdout
    assert "2,436" in done.stdout
    assert "corpus:" in done.stderr
    assert sorted(text.read_text().splitlines()) == sorted(
        (GOLDEN / "phrase-table").read_text().splitlines()
    )
    for suffix in ("f2e", "e2f"):
        found = (tmp_path / f"lex.{suffix}").read_text().splitlines()
        assert sorted(found) == sorted((GOLDEN / f"lex.{suffix}").read_text().splitlines())
    assert len(PhraseTable.load(table)) == 2944


def test_outputs_are_compressed_as_their_names_say(store: Path, tmp_path: Path) -> None:
    text, prefix = tmp_path / "phrase-table.gz", tmp_path / "lex.zst"
    tartib_here("phrase-table", store, "--moses", text, "--lexical", prefix)
    assert len(PhraseTable.read_moses(text)) == 2944
    for side in ("f2e", "e2f"):
        with ByteStream(tmp_path / f"lex.{side}.zst") as stream:
            found = b"".join(iter(stream.read, b"")).splitlines()
        assert sorted(found) == sorted((GOLDEN / f"lex.{side}").read_bytes().splitlines())
    assert (
        "exists already"
        in tartib_here(
            "phrase-table", store, "--out", tmp_path / "table", "--lexical", prefix, code=1
        ).stderr
    )


def test_reordering_tables_are_those_of_moses(store: Path, tmp_path: Path) -> None:
    for name in ("hier-msd-backward-fe", "wbe-msd-bidirectional-fe"):
        out = tmp_path / name
        done = tartib_here("reordering-table", store, "--type", name, "--out", out)
        assert "2,944" in done.stdout
        assert "corpus:" not in done.stderr
        golden = GOLDEN / f"reordering-table.{name}"
        assert sorted(out.read_bytes().splitlines()) == sorted(golden.read_bytes().splitlines())
    assert "exists already" in tartib_here("reordering-table", store, "--out", out, code=1).stderr
    bad = ("--out", tmp_path / "bad", "--type", "hier-msd")
    assert "{fe,f}" in tartib_here("reordering-table", store, *bad, code=1).stderr


def test_reordering_table_of_source_phrases_in_json(store: Path, tmp_path: Path) -> None:
    given = ("--type", "phrase-mslr-forward-f", "--smoothing", 0, "--out", tmp_path / "table.xz")
    found = json.loads(tartib_here("reordering-table", store, *given, "--json").stdout)
    with ByteStream(tmp_path / "table.xz") as stream:
        lines = b"".join(iter(stream.read, b"")).splitlines()
    assert (found["lines"], found["columns"]) == (len(lines), 4)
    assert found["bytes"] == (tmp_path / "table.xz").stat().st_size
    for line in lines:
        assert sum(map(float, line.split(b" ||| ")[1].split())) == pytest.approx(1, abs=1e-5)


def test_options_and_json(store: Path, tmp_path: Path) -> None:
    chosen = ("--discounting", "kneser-ney", "--min-count", 2, "--significance-pruning", "a+e")
    arguments = ("phrase-table", store, "--out", tmp_path / "table", "--table-limit", 1, "--json")
    found = json.loads(tartib_here(*arguments, *chosen, "-j", 2).stdout)
    table = PhraseTable.load(tmp_path / "table")
    assert found["rows"] == found["source_phrases"] == len(table) < 1000
    assert found["bytes"] == table.nbytes
    assert found["word_pairs"] == 62
    assert found["signature"] == table.signature
    assert (
        "discounting:kneser-ney|min_count:2|significance_pruning:a+e|table_limit:1|"
        in table.signature
    )
    assert (table.counts[:, 2] >= 2).all()


def test_what_is_refused(store: Path, tmp_path: Path) -> None:
    assert "--moses" in tartib_here("phrase-table", store, code=2).stderr
    out = ("--out", tmp_path / "table")
    refused = tartib_here("phrase-table", store, *out, "--significance-pruning", "x", code=1)
    assert "a number, a+e or a-e" in refused.stderr
    (tmp_path / "lex.e2f").touch()
    lexical = ("--lexical", tmp_path / "lex")
    assert "exists already" in tartib_here("phrase-table", store, *out, *lexical, code=1).stderr
    assert not (tmp_path / "table").exists()
    missing = tartib_here("phrase-table", tmp_path / "nowhere", *out, code=1)
    assert "no such folder" in missing.stderr


def test_help_teaches() -> None:
    shown = tartib_here("phrase-table", "--help").stdout
    assert "Example:\n\n    tartib phrase-table" in shown
    assert "p(f|e), lex(f|e), p(e|f)" in shown
