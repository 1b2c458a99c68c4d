"""Datasets: building, collapsing, svmlight files, and refusing damage."""

import gzip
import json
import shutil
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tartib import Bitext, DataError, OptionError, PhrasePairs, _native, extract_phrases
from tartib.dataset import Dataset, build_dataset, read_svmlight, write_svmlight
from tartib.features import FeatureEncoder
from tartib.synthetic import generate, lines
from tests.oracles import dataset as oracle
from tests.support.examples import examples

pytestmark = pytest.mark.native


@pytest.fixture(scope="module")
def phrases() -> PhrasePairs:
    text = [side.decode().split("\n")[:-1] for side in lines(list(generate(120)))]
    return extract_phrases(Bitext.from_lines(*text))


@pytest.fixture(scope="module")
def encoder(phrases: PhrasePairs) -> FeatureEncoder:
    return FeatureEncoder.fit(phrases, "S6", cutoff=2)


def same(one: Dataset, other: Dataset) -> bool:
    arrays = all(
        np.array_equal(getattr(one, name), getattr(other, name))
        for name in ("indptr", "indices", "y")
    )
    return arrays and one.classes == other.classes and one.n_features == other.n_features


def test_rows_and_labels(phrases: PhrasePairs, encoder: FeatureEncoder) -> None:
    dataset = build_dataset(phrases, encoder)
    assert len(dataset) == len(phrases)
    assert dataset.classes == ("mono", "swap", "other")
    assert np.array_equal(dataset.y, phrases.labels())
    _, columns = next(encoder.encode(phrases))
    assert np.array_equal(dataset.indices[: len(columns)], columns)
    dataset.check()
    forward = build_dataset(phrases, encoder, orientation="word-mslr", direction="forward")
    assert np.array_equal(forward.y, phrases.labels("word-mslr", "forward"))
    assert "direction:forward" in forward.signature


def test_on_disk_equals_in_memory(
    tmp_path: Path, phrases: PhrasePairs, encoder: FeatureEncoder
) -> None:
    in_memory = build_dataset(phrases, encoder, n_jobs=1)
    on_disk = build_dataset(phrases, encoder, n_jobs=3, out=tmp_path / "data")
    assert same(in_memory, on_disk)
    assert on_disk.signature == in_memory.signature
    assert isinstance(on_disk.indices, np.memmap)
    with pytest.raises(OptionError, match="exists already"):
        build_dataset(phrases, encoder, out=tmp_path / "data")
    assert same(in_memory.save(tmp_path / "copy"), in_memory)


def test_scipy(phrases: PhrasePairs, encoder: FeatureEncoder) -> None:
    dataset = build_dataset(phrases, encoder)
    matrix = dataset.to_scipy()
    assert matrix.shape == (len(dataset), encoder.n_features)
    assert matrix.nnz == len(dataset.indices)
    assert np.shares_memory(matrix.indices, dataset.indices)
    assert sorted(matrix[5].indices) == sorted(dataset.row(5))
    assert set(np.unique(matrix.data)) == {1.0}


ROWS = st.lists(
    st.tuples(
        st.dictionaries(st.integers(0, 3), st.sampled_from([1.0, 2.5]), max_size=3),
        st.integers(0, 1),
        st.integers(1, 3),
    ),
    max_size=30,
)


def dataset_of(
    rows: list[tuple[dict[int, float], int, int]], *, values: bool, weights: bool
) -> Dataset:
    sizes = [len(row) for row, _, _ in rows]
    columns = [column for row, _, _ in rows for column in sorted(row)]
    return Dataset(
        np.concatenate(([0], np.cumsum(sizes))).astype(np.int64),
        np.array(columns, np.int32),
        np.array([label for _, label, _ in rows], np.int32),
        classes=("a", "b"),
        n_features=4,
        values=np.array([r[c] for r, _, _ in rows for c in sorted(r)], np.float32)
        if values
        else None,
        weights=np.array([w for _, _, w in rows], np.float64) if weights else None,
    )


@given(ROWS, st.booleans(), st.booleans())
def test_collapse_agrees_with_the_twin(
    rows: list[tuple[dict[int, float], int, int]], values: bool, weights: bool
) -> None:
    dataset = dataset_of(rows, values=values, weights=weights)
    collapsed = dataset.collapse()
    assert collapsed.weights is not None
    expected = oracle.collapse(
        [[(c, row[c] if values else 1.0) for c in sorted(row)] for row, _, _ in rows],
        [label for _, label, _ in rows],
        [float(weight) if weights else 1.0 for _, _, weight in rows],
    )
    found = []
    for i in range(len(collapsed)):
        begin, end = collapsed.indptr[i], collapsed.indptr[i + 1]
        ones = np.ones(end - begin) if collapsed.values is None else collapsed.values[begin:end]
        row = [(int(c), float(v)) for c, v in zip(collapsed.row(i), ones, strict=True)]
        found.append((row, int(collapsed.y[i]), float(collapsed.weights[i])))
    assert found == expected


def test_collapse_gains(phrases: PhrasePairs) -> None:
    encoder = FeatureEncoder.fit(phrases, "S2", cutoff=10)
    dataset = build_dataset(phrases, encoder)
    collapsed = dataset.collapse()
    assert len(collapsed) < len(dataset)
    assert collapsed.weights is not None
    assert collapsed.weights.sum() == len(dataset)
    assert same(collapsed.collapse(), collapsed)


@given(ROWS, st.booleans())
def test_svmlight_round_trip(
    tmp_path_factory: pytest.TempPathFactory,
    rows: list[tuple[dict[int, float], int, int]],
    values: bool,
) -> None:
    dataset = dataset_of(rows, values=values, weights=False)
    path = tmp_path_factory.mktemp("svmlight") / "data"
    write_svmlight(dataset, path)
    read = read_svmlight(path, zero_based=False)
    assert np.array_equal(read.indptr, dataset.indptr)
    assert np.array_equal(read.indices, dataset.indices)
    assert [int(read.classes[label]) for label in read.y] == dataset.y.tolist()
    ours = np.ones(len(read.indices)) if dataset.values is None else dataset.values
    theirs = np.ones(len(read.indices)) if read.values is None else read.values
    assert np.array_equal(ours, theirs)


def test_svmlight_of_weighted_rows_repeats_them(tmp_path: Path) -> None:
    dataset = dataset_of([({1: 1.0}, 0, 2), ({0: 1.0, 3: 1.0}, 1, 1)], values=False, weights=True)
    write_svmlight(dataset, tmp_path / "data")
    assert (tmp_path / "data").read_text() == "0 2:1\n0 2:1\n1 1:1 4:1\n"
    assert dataset.weights is not None
    dataset.weights[0] = 0.5
    with pytest.raises(DataError, match="cannot hold weights that are not whole numbers"):
        write_svmlight(dataset, tmp_path / "other")
    assert [path.name for path in tmp_path.iterdir()] == ["data"]


def test_svmlight_of_others(tmp_path: Path) -> None:
    text = "# made by hand\n+1 1:0.5 7:1 # a comment\n\n-1 qid:3 2:1e-3\n+1\n"
    (tmp_path / "x.gz").write_bytes(gzip.compress(text.encode()))
    dataset = read_svmlight(tmp_path / "x.gz")
    assert dataset.classes == ("-1", "1")
    assert dataset.y.tolist() == [1, 0, 1]
    assert dataset.indptr.tolist() == [0, 2, 3, 3]
    assert dataset.indices.tolist() == [0, 6, 1]
    assert dataset.values is not None
    assert dataset.values.tolist() == pytest.approx([0.5, 1, 0.001])
    assert read_svmlight(tmp_path / "x.gz", zero_based=True).indices.tolist() == [1, 7, 2]
    held_out = read_svmlight(tmp_path / "x.gz", n_features=99, classes=("1", "-1", "7"))
    assert (held_out.n_features, held_out.y.tolist()) == (99, [0, 1, 0])
    with pytest.raises(DataError, match="has the unknown label -1"):
        read_svmlight(tmp_path / "x.gz", classes=("1",))
    with pytest.raises(DataError, match="has 7 columns, not 3"):
        read_svmlight(tmp_path / "x.gz", n_features=3)
    (tmp_path / "large").write_text("1234567 1:1e-50\n1234568 1:1\n")
    assert read_svmlight(tmp_path / "large").classes == ("1234567", "1234568")
    (tmp_path / "zero").write_text("1 0:1 3:1\n")
    assert read_svmlight(tmp_path / "zero").indices.tolist() == [0, 3]
    with pytest.raises(DataError, match="has a column 0"):
        read_svmlight(tmp_path / "zero", zero_based=False)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("1 1:1\nmono 1:1\n", "x:2: 'mono' is not a label"),
        ("nan 1:1\n", "x:1: 'nan' is not a label"),
        ("1 1:1\n\n1 two:1\n", "x:3: 'two:1' is not a feature"),
        ("1 7\n", "x:1: '7' is not a feature"),
        ("1 -1:1\n", "x:1: '-1:1' is not a feature"),
        ("1 4294967296:1\n", "x:1: '4294967296:1' is not a feature"),
        ("1 3:inf\n", "x:1: '3:inf' has no finite value"),
        ("1 3:1e999\n", "x:1: '3:1e999' has no finite value"),
        ("1 3:\n", "x:1: '3:' has no finite value"),
        ("1 3:1 2:1\n", "x:1: '2:1' is out of order"),
        ("1 3:1 3:1\n", "x:1: '3:1' is out of order"),
    ],
)
def test_bad_svmlight(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "x").write_text(text)
    with pytest.raises(DataError, match=said):
        read_svmlight(tmp_path / "x")


@examples(300)
@given(st.binary(max_size=80))
def test_random_bytes_as_svmlight(content: bytes) -> None:
    _native.read_svmlight(content)


@pytest.mark.usefixtures("unverified")
def test_damaged_files(tmp_path: Path, phrases: PhrasePairs, encoder: FeatureEncoder) -> None:
    build_dataset(phrases, encoder, out=tmp_path / "data")

    def damaged(name: str, change: Any) -> Path:
        folder = tmp_path / "damaged"
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(tmp_path / "data", folder)
        change(folder / name)
        return folder

    for name in ("indptr.npy", "indices.npy", "y.npy"):
        with pytest.raises(DataError, match="not a readable array"):
            Dataset.load(damaged(name, lambda path: path.write_bytes(path.read_bytes()[:-1])))
        with pytest.raises(DataError, match="missing"):
            Dataset.load(damaged(name, lambda path: path.unlink()))
        shorter = damaged(name, lambda path: np.save(path, np.load(path)[:-1]))
        with pytest.raises(DataError, match=r"does not cut|entries, not"):
            Dataset.load(shorter)
    with pytest.raises(DataError, match="has labels outside the range of classes"):
        Dataset.load(damaged("y.npy", lambda path: np.save(path, np.load(path) + 77)))
    foreign = Dataset.load(damaged("indices.npy", lambda path: np.save(path, -np.load(path) - 7)))
    with pytest.raises(OptionError, match="a column is not between"):
        foreign.to_scipy()
    wrong: tuple[tuple[str, object], ...]
    wrong = (("classes", None), ("classes", "abc"), ("n_features", -4), ("n_features", 1.5))
    for key, value in (*wrong, ("weights", 1), ("signature", 7)):
        with pytest.raises(DataError, match=rf"meta.json: {key} must be "):
            Dataset.load(damaged("meta.json", partial(change_meta, key=key, value=value)))
    encoder.save(tmp_path / "features")
    with pytest.raises(DataError, match="holds 'tartib features', not a dataset"):
        Dataset.load(tmp_path / "features")


def change_meta(path: Path, key: str, value: object) -> None:
    path.write_text(json.dumps({**json.loads(path.read_text()), key: value}))


def test_impossible_entries_are_found() -> None:
    for change, said in (
        ({"n_features": 1}, "a column is not between 0 and 0"),
        ({"classes": ()}, "a label is not between"),
    ):
        dataset = dataset_of([({1: 1.0}, 0, 1)], values=False, weights=False)
        for name, value in change.items():
            setattr(dataset, name, value)
        with pytest.raises(OptionError, match=said):
            dataset.check()


def test_a_disk_that_fills_up_leaves_nothing(
    tmp_path: Path,
    phrases: PhrasePairs,
    encoder: FeatureEncoder,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("tartib.storage.ArrayWriter.append", full)
    with pytest.raises(DataError, match="no space left on this disk"):
        build_dataset(phrases, encoder, out=tmp_path / "data")
    assert list(tmp_path.iterdir()) == []
