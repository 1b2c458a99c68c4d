"""Phrase tables on disk: Moses' text format, the binary form, reordering tables; damage."""

import gzip
import json
import shutil
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tartib import (
    Bitext,
    DataError,
    OptionError,
    PhraseTable,
    _native,
    extract_phrases,
    unverified,
)
from tartib.errors import ChangedDataError
from tartib.moses import write_reordering_table
from tartib.phrase_table import read_reordering_table
from tests.support import paths
from tests.support.examples import examples

GOLDEN = paths.GOLDEN / "moses" / "decode"
pytestmark = pytest.mark.native
ARRAYS = [
    "source_ids",
    "source_offsets",
    "row_offsets",
    "target_ids",
    "target_offsets",
    "links",
    "link_offsets",
    "scores",
    "counts",
    "slots",
]


@pytest.fixture(scope="module")
def golden() -> PhraseTable:
    return PhraseTable.read_moses(GOLDEN / "phrase-table")


def write(path: Path, *lines: str) -> Path:
    path.write_text("".join(line + "\n" for line in lines))
    return path


def words(min_size: int = 1) -> st.SearchStrategy[list[str]]:
    return st.lists(st.sampled_from(["a", "b", "|", "}", "é"]), min_size=min_size, max_size=3)


@st.composite
def lines(draw: st.DrawFn) -> list[str]:
    """Draw a table of any number of scores and counts."""
    n_scores, n_counts = draw(st.integers(1, 5)), draw(st.integers(0, 3))
    number = st.floats(0, 1, width=32).map(lambda x: f"{x:g}")
    rows = {}
    for _ in range(draw(st.integers(0, 8))):
        source, target = draw(words()), draw(words())
        scores = [draw(number) for _ in range(n_scores)]
        counts = [str(draw(st.integers(0, 999))) for _ in range(n_counts)]
        cell = st.tuples(st.integers(0, len(source) - 1), st.integers(0, len(target) - 1))
        links = [f"{i}-{j}" for i, j in draw(st.lists(cell, max_size=4))]
        fields: list[list[str]] = [source, target, scores, links, counts, [], []]
        text = " ||| ".join(" ".join(field) for field in fields)
        rows[tuple(source), tuple(target)] = " ".join(text.split())
    return list(rows.values())


@examples(200)
@given(lines(), st.integers(1, 2))
def test_text_and_binary_round_trips(
    tmp_path_factory: pytest.TempPathFactory, rows: list[str], n_jobs: int
) -> None:
    folder = tmp_path_factory.mktemp("table")
    table = PhraseTable.load(write(folder / "text", *rows))
    loaded = table.save(folder / "binary")
    written = loaded.write_moses(folder / "again", n_jobs=n_jobs).read_text().splitlines()

    def order(line: str) -> tuple[bytes, float, bytes]:
        source, target, scores = (field.strip() for field in line.split(" |||")[:3])
        numbers = [float(score) for score in scores.split()]
        direct = numbers[2] if len(numbers) > 2 else numbers[0]
        return f"{source} ||| ".encode(), -direct, f"{target} ||| ".encode()

    assert written == sorted(rows, key=order)
    assert len(loaded) == len(rows)
    assert loaded.n_phrases == len({line.split(" |||")[0] for line in rows})
    assert loaded.signature == table.signature


def test_golden_table_comes_back(golden: PhraseTable, tmp_path: Path) -> None:
    found = golden.write_moses(tmp_path / "table").read_text().splitlines()
    assert sorted(found) == (GOLDEN / "phrase-table").read_text().splitlines()
    assert golden.n_scores == 4
    assert golden.max_source_length == 5


def test_built_table_survives_the_binary_form(tmp_path: Path) -> None:
    train = (GOLDEN / f"train.{name}" for name in ("src", "tgt", "align"))
    built = PhraseTable.build(extract_phrases(Bitext.read(*train), max_phrase_length=5))
    loaded = built.save(tmp_path / "table")
    assert np.array_equal(loaded.scores, built.scores)
    assert np.array_equal(loaded.counts, built.counts)
    assert [loaded[row] for row in range(200)] == [built[row] for row in range(200)]
    assert loaded.lookup("a big bird") == built.lookup(["a", "big", "bird"]) != []


def test_compressed_text(golden: PhraseTable, tmp_path: Path) -> None:
    (tmp_path / "table.gz").write_bytes(gzip.compress((GOLDEN / "phrase-table").read_bytes()))
    assert len(PhraseTable.load(tmp_path / "table.gz")) == len(golden)


def test_tables_of_others(tmp_path: Path) -> None:
    path = write(tmp_path / "table", "a ||| y ||| 0.25", "b ||| x y ||| 1", "a ||| x ||| 0.75")
    table = PhraseTable.read_moses(path)
    assert [t.target for t in table.lookup("a")] == [["x"], ["y"]]
    assert table.lookup("a")[0] == (["x"], (0.75,), [], ())
    with_properties = "a ||| x ||| 1 1 1 1 2.718 ||| 0-0 ||| 1 1 1 ||| lm 0.5 ||| {{Tree [NP]}}"
    table = PhraseTable.read_moses(write(path, with_properties))
    assert table.n_scores == 5
    assert table.lookup("a")[0].counts == (1, 1, 1)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("a ||| x", "has 0 scores, but the lines before have 2"),
        ("a", "has no target phrase"),
        ("", "has no source phrase"),
        ("||| x ||| 1 1", "has no source phrase"),
        ("a ||| ||| 1 1", "has no target phrase"),
        ("a ||| x ||| 1 one", "'one' is not a score"),
        ("a ||| x ||| 1 nan", "'nan' is not a score"),
        ("a ||| x ||| 1 -0.5", "'-0.5' is not a score"),
        ("a ||| x ||| 1 1e99", "'1e99' is too large"),
        ("a ||| x ||| 1 1 ||| 0:0", "'0:0' is not a link such as 0-1"),
        ("a ||| x ||| 1 1 ||| 0-1", "the link '0-1' points beyond its phrases"),
        ("a ||| x ||| 1 1 ||| 99999-0", "the link '99999-0' points beyond its phrases"),
        ("a ||| x ||| 1 1 ||| ||| many", "'many' is not a count"),
        ("a ||| x ||| 1 1 ||| ||| 3 3", "has 2 counts, but the lines before have 0"),
        ("a \0 ||| x ||| 1 1", "has a NUL byte"),
        ("a ||| " + "x " * 5000 + "||| 1 1", "has a phrase that is too long"),
    ],
)
def test_defects_are_told_with_their_line(tmp_path: Path, line: str, message: str) -> None:
    path = write(tmp_path / "table", "a ||| x ||| 0.5 1", line, "b ||| y ||| 0.5 1")
    with pytest.raises(DataError, match="table:2: ") as caught:
        PhraseTable.read_moses(path)
    assert caught.value.problem == message
    assert "source ||| target ||| scores" in caught.value.hint


def test_first_line_without_scores(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="table:1: has no scores"):
        PhraseTable.read_moses(write(tmp_path / "table", "a ||| x |||"))


def test_bytes_that_are_no_text(tmp_path: Path) -> None:
    (tmp_path / "table").write_bytes(b"a ||| x\xff ||| 1\n")
    with pytest.raises(DataError, match="table:1: byte 8 is not UTF-8"):
        PhraseTable.read_moses(tmp_path / "table")


def change(folder: Path, name: str, at: Any, value: float) -> None:
    """Write other values to a place of an array."""
    array = np.load(folder / f"{name}.npy")
    array[at] = value
    np.save(folder / f"{name}.npy", array)


def test_outputs_are_not_replaced_unasked(golden: PhraseTable, tmp_path: Path) -> None:
    golden.save(tmp_path / "folder")
    golden.write_moses(tmp_path / "file")
    with pytest.raises(OptionError, match="exists already"):
        golden.save(tmp_path / "folder")
    with pytest.raises(OptionError, match="exists already"):
        golden.write_moses(tmp_path / "file")
    assert len(golden.save(tmp_path / "folder", overwrite=True)) == len(golden)


@pytest.mark.usefixtures("unverified")
@pytest.mark.parametrize("name", ["source_ids", "slots", "counts", "scores", "links"])
def test_a_cut_array(golden: PhraseTable, tmp_path: Path, name: str) -> None:
    golden.save(tmp_path / "table")
    path = tmp_path / "table" / f"{name}.npy"
    path.write_bytes(path.read_bytes()[:-5])
    with pytest.raises(DataError, match=f"{name}.npy: not a readable array"):
        PhraseTable.load(tmp_path / "table")
    path.unlink()
    with pytest.raises(DataError, match=f"{name}.npy: this part of the store is missing"):
        PhraseTable.load(tmp_path / "table")


@pytest.mark.usefixtures("unverified")
@pytest.mark.parametrize("name", ARRAYS)
@pytest.mark.parametrize("seed", range(3))
def test_random_bytes_never_crash(
    golden: PhraseTable, tmp_path: Path, name: str, seed: int
) -> None:
    golden.save(tmp_path / "table")
    path = tmp_path / "table" / f"{name}.npy"
    data = bytearray(path.read_bytes())
    random = np.random.default_rng(seed)
    for _ in range(1 if seed else 500):
        data[random.integers(128, len(data))] = random.integers(256)
    path.write_bytes(data)
    try:
        table = PhraseTable.load(tmp_path / "table")
    except DataError as error:
        assert name.split("_")[0] in str(error)
        return
    for phrase in ("a big bird", "the", "the the", "house ."):
        with suppress(ChangedDataError):
            table.lookup(phrase)
    with suppress(ChangedDataError):
        table.write_moses(tmp_path / "text")


@pytest.mark.usefixtures("unverified")
@pytest.mark.parametrize(
    ("name", "at", "value", "message"),
    [
        ("source_ids", 3, -1, "source_ids refer to unknown word ids"),
        ("target_ids", 3, 1 << 20, "target_ids refer to unknown word ids"),
        ("source_offsets", 1, 0, "source_offsets contain an empty phrase"),
        ("target_offsets", 1, 0, "target_offsets contain an empty phrase"),
        ("row_offsets", 1, -1, "row_offsets are not valid offsets"),
        ("link_offsets", 1, 1 << 40, "link_offsets are not valid offsets"),
        ("links", 0, 9, "links point beyond their phrases"),
        ("scores", 7, np.nan, "scores contain a negative number, NaN or infinity"),
        ("scores", 7, np.inf, "scores contain a negative number, NaN or infinity"),
        ("scores", 7, -1.0, "scores contain a negative number, NaN or infinity"),
        ("slots", slice(None), 1, "slots refer to phrases that do not exist"),
        ("slots", slice(None), (1 << 40) - 1, "slots refer to phrases that do not exist"),
    ],
)
def test_damage_is_told_where_it_is_used(
    golden: PhraseTable, tmp_path: Path, name: str, at: Any, value: float, message: str
) -> None:
    golden.save(tmp_path / "table")
    change(tmp_path / "table", name, at, value)
    table = PhraseTable.load(tmp_path / "table")
    with pytest.raises(ChangedDataError, match=message):
        table.check()
    with pytest.raises(ChangedDataError, match=message):
        table.frequent_words("source", 3)
    use: Callable[[], object] = partial(table.write_moses, tmp_path / "text")
    if name == "slots":
        use = partial(table.lookup, "a")
    with pytest.raises(ChangedDataError, match="is damaged, or was changed while it was in use"):
        use()
    assert not (tmp_path / "text").exists()


@pytest.mark.usefixtures("unverified")
@pytest.mark.parametrize(
    ("name", "at", "value", "message"),
    [
        ("source_offsets", 2, 1 << 62, "source_offsets contain an empty phrase or one that is too"),
        ("source_offsets", 2, -(1 << 63), "source_offsets contain an empty phrase or one that is"),
        ("source_offsets", 0, 1, "source_offsets are not valid offsets"),
        ("target_offsets", -1, 1, "target_offsets are not valid offsets"),
        ("row_offsets", 0, -1, "row_offsets are not valid offsets"),
        ("link_offsets", -1, 1 << 40, "link_offsets are not valid offsets"),
    ],
)
def test_arrays_that_do_not_fit_are_not_loaded(
    golden: PhraseTable, tmp_path: Path, name: str, at: int, value: int, message: str
) -> None:
    golden.save(tmp_path / "table")
    change(tmp_path / "table", name, at, value)
    with pytest.raises(DataError, match=message):
        PhraseTable.load(tmp_path / "table")


def test_a_damaged_row_is_not_shown(golden: PhraseTable, tmp_path: Path) -> None:
    for name, value in (("target_ids", 1 << 20), ("links", 9), ("links", 9 << 16)):
        golden.save(tmp_path / "table", overwrite=True)
        change(tmp_path / "table", name, 0, value)
        with unverified():
            table = PhraseTable.load(tmp_path / "table")
        with pytest.raises(ChangedDataError, match="is damaged"):
            table[0]
        assert table[len(table) - 1] == golden[len(golden) - 1]


@pytest.mark.usefixtures("unverified")
@pytest.mark.parametrize("name", ARRAYS)
def test_arrays_of_another_length(golden: PhraseTable, tmp_path: Path, name: str) -> None:
    golden.save(tmp_path / "table")
    path = tmp_path / "table" / f"{name}.npy"
    np.save(path, np.load(path)[:-1])
    with pytest.raises(DataError, match="damaged or was made by something else"):
        PhraseTable.load(tmp_path / "table")


@pytest.mark.usefixtures("unverified")
@pytest.mark.parametrize("number", [-1, 0, 5, "four", None])
def test_a_damaged_description(golden: PhraseTable, tmp_path: Path, number: object) -> None:
    golden.save(tmp_path / "table")
    path = tmp_path / "table" / "meta.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "n_scores": number}))
    with pytest.raises(DataError, match="damaged or was made by something else"):
        PhraseTable.load(tmp_path / "table")


def test_a_folder_of_something_else(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="not a phrase table"):
        PhraseTable.load(tmp_path)
    with pytest.raises(DataError, match="no such file"):
        PhraseTable.load(tmp_path / "nowhere")


def test_lookups_from_several_threads(golden: PhraseTable) -> None:
    phrases = [golden.native.source(phrase) for phrase in range(golden.n_phrases)]
    ids = np.concatenate(phrases)
    offsets = np.cumsum([0, *map(len, phrases)])
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: golden.native.find_all(ids, offsets), range(8)))
    assert all((each == np.arange(golden.n_phrases)).all() for each in found)
    unknown = np.full(len(ids), -1, np.int32)
    assert (golden.native.find_all(unknown, offsets) == -1).all()


def test_native_table_refuses_what_is_not_there(golden: PhraseTable) -> None:
    native = golden.native
    for call in (native.target, native.links, native.options, native.source):
        for index in (-1, len(golden)):
            with pytest.raises(IndexError):
                call(index)
    with pytest.raises(ValueError, match="offsets are not valid"):
        native.find_all(np.zeros(3, np.int32), np.array([0, 4]))
    with pytest.raises(ValueError, match="vocabularies do not belong"):
        _native.phrase_table_lines(
            native, np.zeros(0, np.float32), 0, _native.Vocabulary(), _native.Vocabulary(), 0, 1
        )


@pytest.mark.parametrize("name", ["hier-mslr-bidirectional-fe", "wbe-msd-bidirectional-fe"])
def test_golden_reordering_table(golden: PhraseTable, name: str) -> None:
    path = GOLDEN / f"reordering-table.{name}"
    values = read_reordering_table(path, golden)
    expected = {}
    for line in path.read_text().splitlines():
        source, target, numbers = line.split(" ||| ")
        expected[source, target] = [float(number) for number in numbers.split()]
    assert values.shape == (len(golden), 8 if "mslr" in name else 6)
    for phrase in range(0, golden.n_phrases, 7):
        source = " ".join(golden.source_vocabulary[int(w)] for w in golden.native.source(phrase))
        for row in range(*golden.native.options(phrase)):
            target = " ".join(golden[row].target)
            np.testing.assert_allclose(values[row], expected[source, target], rtol=1e-6)


def test_reordering_of_source_phrases(golden: PhraseTable, tmp_path: Path) -> None:
    train = (GOLDEN / f"train.{name}" for name in ("src", "tgt", "align"))
    phrases = extract_phrases(Bitext.read(*train), max_phrase_length=2)
    path = write_reordering_table(phrases, tmp_path / "table", condition="f")
    values = read_reordering_table(path, golden)
    for phrase in range(golden.n_phrases):
        rows = values[slice(*golden.native.options(phrase))]
        assert np.isnan(rows).all() == (len(golden.native.source(phrase)) > 2)
        assert np.isnan(rows).all() or (rows == rows[0]).all()


def test_pairs_without_reordering_have_no_number(golden: PhraseTable, tmp_path: Path) -> None:
    rows = ("a big bird ||| un gudo dube ||| 0.5 0.25 0.25", "zzz ||| x ||| 1 0 0")
    values = read_reordering_table(write(tmp_path / "table", *rows), golden)
    (found,) = np.flatnonzero(~np.isnan(values[:, 0]))
    assert golden[int(found)].target == ["un", "gudo", "dube"]
    assert values[found].tolist() == [0.5, 0.25, 0.25]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("a ||| un ||| 0.5", "has 1 probabilities, but the lines before have 2"),
        ("a ||| 0.5 0.5", "has a different number of fields"),
        ("a ||| un ||| 0.5 0.5 ||| 1", "has a different number of fields"),
        ("a ||| un ||| 0.5 1.5", "'1.5' is not a probability"),
        ("a ||| un ||| 0.5 x", "'x' is not a probability"),
        ("||| un ||| 0.5 0.5", "has an empty phrase"),
    ],
)
def test_defects_of_reordering_tables(
    golden: PhraseTable, tmp_path: Path, line: str, message: str
) -> None:
    path = write(tmp_path / "table", "a ||| un ||| 0.5 0.5", line)
    with pytest.raises(DataError, match=f"table:2: {message}"):
        read_reordering_table(path, golden)


def test_reordering_tables_of_another_kind(golden: PhraseTable, tmp_path: Path) -> None:
    with pytest.raises(DataError, match="table:1: is neither"):
        read_reordering_table(write(tmp_path / "table", "0.5 0.5"), golden)
    shutil.copy(GOLDEN / "phrase-table", tmp_path / "table")
    with pytest.raises(DataError, match="table:1: is neither"):
        read_reordering_table(tmp_path / "table", golden)
    (tmp_path / "table").write_bytes(b"")
    with pytest.raises(DataError, match="is empty"):
        read_reordering_table(tmp_path / "table", golden)
    vocabularies = (golden.source_vocabulary.native, golden.target_vocabulary.native)
    reader = _native.ReorderingTableReader(golden.native, *vocabularies)
    for _ in range(2):
        defect = reader.add(b"a ||| b ||| c ||| d ||| 0.5\n")
        assert defect is not None
        assert "is neither" in defect[1]
