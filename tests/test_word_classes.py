"""Word classes: the exchange algorithm against its twin, files, and errors."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tartib import DataError, OptionError, Vocabulary, WordClasses, _native, ragged
from tartib.word_classes import learn_numbers, read_classes
from tests.oracles import word_classes as oracle
from tests.support.examples import examples
from tests.support.native_arguments import REFUSALS, arrays

pytestmark = pytest.mark.native
SENTENCES = st.lists(st.lists(st.sampled_from("abcdefg"), max_size=7), min_size=1, max_size=8)
# Two kinds of words that stand in each other's place, and a rare word of each kind.
TEXT = [*(f"{a} {b}" for a in "abc" for b in "xyz"), "a w", "v x"]


def exchange_of(sentences: list[list[str]], number: int) -> tuple[_native.ClassExchange, list[str]]:
    vocabulary = Vocabulary()
    ids = np.array([vocabulary.add(word) for words in sentences for word in words], np.int32)
    offsets = ragged.offsets_of([len(words) for words in sentences])
    vocabulary.add("absent")
    return _native.ClassExchange(vocabulary.native, ids, offsets, number), list(vocabulary)[:-1]


@examples(300)
@given(SENTENCES, st.integers(1, 5))
def test_agrees_with_the_twin(sentences: list[list[str]], number: int) -> None:
    exchange, words = exchange_of(sentences, number)
    expected = oracle.start(sentences, words, number)
    reached = -np.inf
    for _ in range(20):
        *found, absent = exchange.classes().tolist()
        assert dict(zip(words, found, strict=True)) == expected
        assert absent == -1
        assert exchange.objective() == pytest.approx(oracle.objective(sentences, expected))
        assert exchange.objective() > reached
        reached = exchange.objective()
        moved = exchange.run_round()
        assert moved == oracle.run_round(sentences, expected, number)
        if moved == 0:
            break
    assert moved == 0
    likelihood = exchange.objective() + exchange.word_term()
    assert likelihood == pytest.approx(oracle.log_likelihood(sentences, expected))
    assert exchange.counts().tolist() == [
        *(sum(line.count(word) for line in sentences) for word in words),
        0,
    ]


@examples(100)
@given(SENTENCES, st.integers(2, 5))
def test_no_move_improves_what_was_learnt(sentences: list[list[str]], number: int) -> None:
    if not any(sentences):
        return
    learnt = WordClasses.learn([" ".join(words) for words in sentences], number)
    best = oracle.objective(sentences, learnt.numbers)
    for word in learnt.numbers:
        for other in range(1, number + 1):
            moved = oracle.objective(sentences, {**learnt.numbers, word: other})
            assert moved <= best + 3 * oracle.GAIN


def test_words_of_a_kind_are_put_together() -> None:
    learnt = WordClasses.learn(TEXT, 2)
    assert sorted(map(sorted, learnt)) == [["a", "b", "c", "v"], ["w", "x", "y", "z"]]
    assert len(learnt) == 2
    assert learnt["v"] == learnt["a"] != learnt["w"]
    assert "q" not in learnt
    # The first class is that of most running words; its most frequent word comes first.
    assert [members[0] for members in learnt] == ["a", "x"]
    assert "classes:2|lines:11|words:22|" in learnt.signature
    classes = {word: learnt[word] for word in learnt.numbers}
    expected = oracle.log_likelihood([line.split() for line in TEXT], classes)
    assert learnt.perplexity == pytest.approx(np.exp(-expected / 33))


def test_classes_are_numbered_without_gaps() -> None:
    learnt = WordClasses.learn(["a a b", "", "a"], 5)
    assert sorted(set(learnt.numbers.values())) == list(range(1, len(learnt) + 1))
    absent = Vocabulary(["a", "b"])
    ids, offsets = np.array([1, 1], np.int32), np.array([0, 2], np.int64)
    assert learn_numbers(ids, offsets, absent, 3).numbers.tolist() == [0, 1]
    nothing = learn_numbers(ids[:0], offsets[:1], absent, 3)
    assert nothing.numbers.tolist() == [0, 0]
    assert nothing.log_likelihood == 0


@pytest.mark.parametrize("name", ["classes", "classes.gz"])
def test_save_and_load(tmp_path: Path, name: str) -> None:
    learnt = WordClasses.learn(TEXT, 2)
    learnt.save(tmp_path / name)
    loaded = WordClasses.load(tmp_path / name)
    assert list(loaded) == list(learnt)
    assert loaded.numbers == learnt.numbers
    labels = {word: str(number) for word, number in learnt.numbers.items()}
    assert read_classes(tmp_path / name) == labels  # as the decoder's sparse features read them
    with pytest.raises(OptionError, match="exists already"):
        learnt.save(tmp_path / name)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a 1\n", ":1: a line must have a word, a tab and a class"),
        ("a\t1\nb\t\n", ":2: a line must have a word, a tab and a class"),
        ("a\t1\na\t2\n", ":2: 'a' is in class '2' here and in '1' before"),
        ("a\tverb\n", "has a class 'verb', which is not a number from 1"),
        ("a\t0\n", "has a class '0', which"),
        ("a\t1001\n", "has a class '1001', which"),
        (f"a\t{'1' * 5000}\n", "which is not a number from 1"),
        ("a\t²\n", "has a class '²', which"),
    ],
)
def test_files_that_are_no_classes(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "bad").write_text(text)
    with pytest.raises(DataError, match=message):
        WordClasses.load(tmp_path / "bad")


@pytest.mark.parametrize(
    ("text", "line", "problem"),
    [
        (b"a b\n\xff\n", 2, "not UTF-8"),
        (b"a\n" * 10_003 + b"b\0c\n", 10_004, "a NUL byte"),
        (b"\n \n", None, "the text has no words"),
        (b"", None, "the text has no words"),
    ],
)
def test_bad_text(tmp_path: Path, text: bytes, line: int | None, problem: str) -> None:
    (tmp_path / "text").write_bytes(text)
    with pytest.raises(DataError, match=problem) as caught:
        WordClasses.learn(tmp_path / "text")
    assert caught.value.line == line


@pytest.mark.parametrize("number", [1, 1001, -3])
def test_impossible_numbers_of_classes(number: int) -> None:
    with pytest.raises(OptionError, match=r"must be from 2 to 1,000, not "):
        WordClasses.learn(["a b"], number)


@examples(300)
@given(arrays(), arrays(), st.integers(-1, 1001))
def test_no_argument_crashes(ids: Any, offsets: Any, number: int) -> None:
    vocabulary = Vocabulary(["a", "b", "c"])
    try:
        exchange = _native.ClassExchange(vocabulary.native, ids, offsets, number)
    except REFUSALS:
        return
    exchange.run_round()
    assert set(exchange.classes().tolist()) <= set(range(-1, number))


def test_damaged_arguments_are_told_apart() -> None:
    native = Vocabulary(["a", "b"]).native
    ids, offsets = np.array([0, 1], np.int32), np.array([0, 2], np.int64)
    with pytest.raises(ValueError, match="number of classes is out of range"):
        _native.ClassExchange(native, ids, offsets, 0)
    with pytest.raises(ValueError, match="offsets are not valid offsets"):
        _native.ClassExchange(native, ids, offsets + 1, 2)
    with pytest.raises(ValueError, match="not in the vocabulary"):
        _native.ClassExchange(native, ids + 1, offsets, 2)


@given(st.lists(st.text("ab \t\r\n", max_size=12), max_size=4))
def test_lines_become_ids_as_python_splits_them(parts: list[str]) -> None:
    text = "\n".join(parts)
    vocabulary = Vocabulary()
    ids, lengths, problem = _native.encode_lines(vocabulary.native, text.encode())
    lines = text.split("\n")[: -1 if text.endswith("\n") or not text else None]
    expected = [line.removesuffix("\r").replace("\t", " ").split(" ") for line in lines]
    words = [[word for word in line if word] for line in expected]
    assert [vocabulary[i] for i in ids] == [word for line in words for word in line]
    assert lengths.tolist() == [len(line) for line in words]
    assert problem == ""
