"""Extraction against its twin, its definition, and itself in other settings."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tartib import Bitext, DataError, OptionError, OrientationModel, PhrasePairs, extract_phrases
from tartib.bitext import read_blocks
from tartib.orientation import DIRECTIONS, MODELS
from tests.oracles import extraction as oracle
from tests.support import paths
from tests.support.examples import examples
from tests.support.processes import start
from tests.support.strategies import Aligned, aligned_pairs

GOLDEN = paths.GOLDEN / "moses"
pytestmark = pytest.mark.native


def golden_bitext() -> Bitext:
    return Bitext.read(GOLDEN / "toy.src", GOLDEN / "toy.tgt", GOLDEN / "toy.align")


def bitext_of(pairs: list[Aligned]) -> Bitext:
    return Bitext.from_lines(*zip(*(pair.lines() for pair in pairs), strict=True))


def spans(phrases: PhrasePairs) -> list[oracle.Pair]:
    r = phrases.records
    f, e = r["source_start"].astype(int), r["target_start"].astype(int)
    columns = (f, f + r["source_length"] - 1, e, e + r["target_length"] - 1)
    return [oracle.Pair(*map(int, row)) for row in zip(*columns, strict=True)]


@examples(3000)
@given(aligned_pairs(), st.integers(1, 8))
def test_agrees_with_the_twin(pair: Aligned, limit: int) -> None:
    expected = oracle.extract(*pair, limit)
    phrases = extract_phrases(bitext_of([pair]), max_phrase_length=limit, n_jobs=1)
    assert spans(phrases) == [found.pair for found in expected]
    for model in ("word", "phrase", "hier"):
        names = OrientationModel(model, "mslr").labels
        for direction in DIRECTIONS:
            labels = [names[label] for label in phrases.labels(f"{model}-mslr", direction)]
            assert labels == [found.orientations[model][direction] for found in expected]


def labels_by_place(pair: Aligned, limit: int, direction: str) -> dict[oracle.Pair, list[int]]:
    """Return the labels of each pair in all models and class sets."""
    phrases = extract_phrases(bitext_of([pair]), max_phrase_length=limit, n_jobs=1)
    columns = [
        phrases.labels(f"{model}-{classes}", direction).tolist()
        for model in MODELS
        for classes in ("mslr", "msd", "monotonicity", "leftright")
    ]
    return dict(zip(spans(phrases), map(list, zip(*columns, strict=True)), strict=True))


@examples(1000)
@given(aligned_pairs(), st.integers(1, 8))
def test_forward_is_the_mirror_image_of_backward(pair: Aligned, limit: int) -> None:
    words_f, words_e, links = pair
    backwards = Aligned(words_f, words_e, [(words_f - 1 - f, words_e - 1 - e) for f, e in links])
    following = labels_by_place(pair, limit, "forward")
    before = labels_by_place(backwards, limit, "backward")
    places = oracle.mirrored(words_f, words_e, list(following))
    assert dict(zip(places, following.values(), strict=True)) == before


def test_forward_looks_where_pairs_begin_and_moses_where_they_end() -> None:
    bitext = Bitext.from_lines(["a b c d"], ["w x y z"], ["0-0 1-2 2-1 3-3"])
    phrases = extract_phrases(bitext, "hier-mslr")
    first = spans(phrases).index(oracle.Pair(0, 0, 0, 0))
    # After a comes the block b c = x y, which begins in the row of x and ends in that of y.
    following = {d: phrases.labels(direction=d)[first] for d in ("forward", "forward-moses")}
    names = phrases.orientation.labels
    assert {d: names[label] for d, label in following.items()} == {
        "forward": "mono",
        "forward-moses": "dright",
    }


@examples(300)
@given(aligned_pairs(longest=7), st.integers(1, 7))
def test_pairs_are_exactly_the_consistent_ones(pair: Aligned, limit: int) -> None:
    def consistent(f0: int, f1: int, e0: int, e1: int) -> bool:
        inside = [(f0 <= f <= f1, e0 <= e <= e1) for f, e in pair.links]
        return (True, True) in inside and all(f == e for f, e in inside)

    defined = {
        oracle.Pair(f0, f1, e0, e1)
        for f0 in range(pair.words_f)
        for f1 in range(f0, min(pair.words_f, f0 + limit))
        for e0 in range(pair.words_e)
        for e1 in range(e0, min(pair.words_e, e0 + limit))
        if consistent(f0, f1, e0, e1)
    }
    found = spans(extract_phrases(bitext_of([pair]), max_phrase_length=limit))
    assert len(found) == len(set(found))
    assert set(found) == defined


@examples(20)
@given(st.lists(aligned_pairs(longest=5), min_size=1, max_size=3), st.integers(2, 4))
def test_same_result_on_any_number_of_threads(pairs: list[Aligned], n_jobs: int) -> None:
    bitext = bitext_of(pairs * 900)  # more than one chunk
    alone, together = (extract_phrases(bitext, n_jobs=n) for n in (1, n_jobs))
    assert np.array_equal(alone.records, together.records)
    assert np.array_equal(alone.offsets, together.offsets)


def test_stream_equals_memory(tmp_path: Path) -> None:
    blocks = read_blocks(GOLDEN / "toy.src", GOLDEN / "toy.tgt", GOLDEN / "toy.align")
    streamed = extract_phrases(blocks, out=tmp_path / "phrases")
    in_memory = extract_phrases(golden_bitext())
    assert np.array_equal(streamed.records, in_memory.records)
    assert np.array_equal(streamed.offsets, in_memory.offsets)
    assert streamed.signature == in_memory.signature


def test_sentences_without_links_or_words_beyond_them() -> None:
    bitext = Bitext.from_lines(["a", "a b c", "a"], ["x y", "x", "x"], ["", "1-0", "0-0"])
    phrases = extract_phrases(bitext, max_phrase_length=2)
    assert np.diff(phrases.offsets).tolist() == [0, 3, 1]
    assert [" ".join(p.source) for p in phrases] == ["b", "b c", "a b", "a"]


def test_text_without_alignment_is_refused(tmp_path: Path) -> None:
    text = Bitext.from_lines(["a b"], ["x y"])
    with pytest.raises(OptionError, match="has no word alignment"):
        extract_phrases(text)
    with pytest.raises(OptionError, match="has no word alignment"):
        extract_phrases(read_blocks(GOLDEN / "toy.src", GOLDEN / "toy.tgt"), out=tmp_path / "p")
    assert list(tmp_path.iterdir()) == []


def test_empty_bitext() -> None:
    phrases = extract_phrases(Bitext.from_lines([], [], []))
    assert len(phrases) == 0
    assert phrases.counts() == {"mono": 0, "swap": 0, "other": 0}


@pytest.mark.parametrize("length", [0, 256, -1])
def test_refuses_impossible_lengths(length: int) -> None:
    with pytest.raises(OptionError, match="max_phrase_length must be 1 to 255"):
        extract_phrases(golden_bitext(), max_phrase_length=length)


def test_refuses_unknown_orientation() -> None:
    with pytest.raises(OptionError, match="unknown orientation 'hier-xyz'"):
        extract_phrases(golden_bitext(), "hier-xyz")


def test_stream_needs_a_folder() -> None:
    with pytest.raises(OptionError, match="give `out`"):
        extract_phrases(iter([golden_bitext()]))


def test_does_not_replace_an_existing_store(tmp_path: Path) -> None:
    first = extract_phrases(golden_bitext(), out=tmp_path / "phrases")
    with pytest.raises(OptionError, match="exists already"):
        extract_phrases(golden_bitext(), max_phrase_length=3, out=tmp_path / "phrases")
    assert len(PhrasePairs.load(tmp_path / "phrases")) == len(first)
    extract_phrases(golden_bitext(), max_phrase_length=3, out=tmp_path / "phrases", overwrite=True)
    assert len(PhrasePairs.load(tmp_path / "phrases")) < len(first)
    assert [path.name for path in tmp_path.iterdir()] == ["phrases"]


def test_error_in_the_stream_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "bad").write_text("0-0\n" * 3)
    blocks = read_blocks(GOLDEN / "toy.src", GOLDEN / "toy.tgt", tmp_path / "bad")
    with pytest.raises(DataError, match="files of unequal length"):
        extract_phrases(blocks, out=tmp_path / "phrases")
    assert [path.name for path in tmp_path.iterdir()] == ["bad"]


ENDLESS = """
import sys, tartib
block = tartib.Bitext.from_lines(["a b"] * 1000, ["x y"] * 1000, ["0-0 1-1"] * 1000)
def stream():
    while True:
        yield block
tartib.extract_phrases(stream(), out=sys.argv[1])
"""


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
def test_killed_extraction_leaves_no_store(tmp_path: Path, number: signal.Signals) -> None:
    store = tmp_path / "phrases"
    process = start([sys.executable, "-c", ENDLESS, store], stderr=subprocess.PIPE, cwd=tmp_path)
    deadline = time.monotonic() + 300
    while not list(tmp_path.glob(".phrases.partial-*/pairs.npy")):
        assert time.monotonic() < deadline
        time.sleep(0.02)
    os.kill(process.pid, number)
    process.communicate()
    assert not store.exists()
    leftovers = list(tmp_path.iterdir())
    assert len(leftovers) == (1 if number == signal.SIGKILL else 0)
    # The next run clears what the killed one could not.
    extract_phrases(golden_bitext(), out=store)
    assert [path.name for path in tmp_path.iterdir()] == ["phrases"]
