"""Sparse reordering features in a system's file, and where their words come from."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tartib.decoder import Decoder, System
from tartib.decoder.system_sections import read_weights
from tartib.errors import DataError, OptionError
from tartib.phrase_table import PhraseTable
from tests.support import systems
from tests.support.decoding import make_table

pytestmark = pytest.mark.native
NAME = "phr-src-first-top3-w-0"


def write(folder: Path, section: str, weights: str = "") -> Path:
    """Write a system with sparse features."""
    path = systems.write_toml(folder, "none", stack_size=20)
    text = path.read_text().replace("[search]", f"[sparse-reordering]\n{section}\n[search]")
    path.write_text(text + (f"\n[sparse-weights]\n{weights}\n" if weights else ""))
    return path


def test_frequent_words_are_those_of_many_pairs() -> None:
    lines = (
        "a ||| u ||| 1 1 ||| 0-0 ||| 9 5 5",
        "a b ||| u v ||| 1 1 ||| 0-0 ||| 2 2 2",
        "a b ||| w ||| 1 1 ||| 0-0 ||| 2 2 1",
        "c ||| w ||| 1 1 ||| 0-0 ||| 4 4 4",
    )
    table = make_table(list(lines))
    assert table.frequent_words("source", 2) == ["a", "c"]  # 8 and 4 times
    assert table.frequent_words("source", 9) == ["a", "c", "b"]
    assert table.frequent_words("target", 2) == ["u", "w"]  # 7 and 5 times
    with pytest.raises(OptionError, match="no counts"):
        make_table(["a ||| u ||| 1 1"]).frequent_words("source", 2)


@pytest.mark.usefixtures("unverified")
def test_frequent_words_of_a_phrase_without_rows(tmp_path: Path) -> None:
    """No program of ours writes such a table, and it can be read."""
    lines = [f"{word} ||| {word} ||| 1 ||| 0-0 ||| 1 1 {n}" for n, word in enumerate("abc", 1)]
    make_table(lines).save(tmp_path / "table")
    path = tmp_path / "table" / "row_offsets.npy"
    np.save(path, np.array([0, 1, 3, 3]))
    assert PhraseTable.load(tmp_path / "table").frequent_words("source", 3) == ["b", "a"]


def test_top_words_by_default(tmp_path: Path) -> None:
    decoder = Decoder.load(write(tmp_path, ""))
    assert decoder.sparse is not None
    assert decoder.sparse.features.kinds == ("phrase",)
    table = decoder.table
    places = len(table.frequent_words("source", 200)) + len(table.frequent_words("target", 200))
    assert len(decoder.layout.sparse) == 2 * 3 * places
    assert all("-top200-" in name for name in decoder.layout.sparse)


def test_a_system_is_written_as_it_was_read(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("ka\nlo\nka\n")
    (tmp_path / "groups").write_text("ka\t7\nlo\t7\nmi\t12\n")
    section = (
        'orientation = "phrase-mslr"\ntop = 2\nsource-words = "mine.txt"\n'
        'target-classes = "groups"\nfeatures = ["phrase", "between"]'
    )
    path = write(tmp_path, section, '"btn-src-first-mine-ka-3" = 0.5')
    system = System.read(path)
    decoder = system.load()
    names = decoder.layout.sparse
    assert "phr-src-last-mine-lo-2" in names
    assert "phr-tgt-first-groups-cluster_12-3" in names
    assert decoder.weights[decoder.layout.n_dense + names.index("btn-src-first-mine-ka-3")] == 0.5
    tuned = {**decoder.layout.mapping(decoder.weights), "phr-tgt-first-groups-cluster_7-0": [-2.0]}
    again = System.read(system.with_weights(tuned).write(tmp_path / "deeper" / "tuned.toml"))
    assert again.sparse_reordering is not None
    assert len(again.paths) == 4
    assert again.load().layout.mapping(again.load().weights) == tuned


def test_words_are_read_as_text_is(tmp_path: Path) -> None:
    """Line ends of other systems, a byte order mark, and spaces that are part of a word."""
    (tmp_path / "words").write_bytes("\ufeffka\r\nl\u00a0o\r\n".encode())
    decoder = Decoder.load(write(tmp_path, 'source-words = "words"'))
    assert decoder.sparse is not None
    assert list(decoder.sparse.features.lists[0].labels) == ["ka", "l\u00a0o"]


def test_weights_in_a_file_of_their_own(tmp_path: Path) -> None:
    path = tmp_path / "weights.toml"
    path.write_text('[weights]\nLM0 = 0.5\n[sparse-weights]\n"phr-src-first-a-the-0" = 1.5\n')
    assert read_weights(path) == {"LM0": (0.5,), "phr-src-first-a-the-0": (1.5,)}
    path.write_text("[weights]\nLM0 = 0.5\n[sparse-weights]\nx = [true]\n")
    with pytest.raises(DataError, match="not a number"):
        read_weights(path)


@pytest.mark.parametrize(
    ("section", "weights", "message"),
    [
        ("top = 0", "", "top"),
        ('features = ["phrases"]', "", "phrase"),
        ('orientation = "hier"', "", "hier"),
        ("", '"phr-src-first-top200-nowhere-0" = 1', r"\[sparse-weights\]: no feature"),
        ("", '"LM0" = "1"', "sparse-weights"),
        ('source-words = "none"', "", "none"),
        ('source-words = "bad"', "", "bad:2: a line must have exactly one word"),
        ('source-classes = "bad"', "", "bad:1: a line must have a word, a tab and a class"),
        ('source-classes = "both"', "", "both:3: 'a' is in class '2' here and in '1' before"),
    ],
)
def test_bad_sections(tmp_path: Path, section: str, weights: str, message: str) -> None:
    (tmp_path / "bad").write_text("one\ntwo words\n")
    (tmp_path / "both").write_text("a\t1\na\t1\na\t2\n")
    with pytest.raises(DataError, match=message):
        Decoder.load(write(tmp_path, section, weights))


def test_a_list_with_a_name_of_two_words(tmp_path: Path) -> None:
    """It would be part of the names of features, which n-best lists separate by spaces."""
    (tmp_path / "two words").write_text("a\n")
    with pytest.raises(OptionError, match="is one word, not 'two words'; rename a file"):
        Decoder.load(write(tmp_path, 'source-words = "two words"'))
