"""No argument whatsoever may crash the interpreter."""

import threading
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tartib import _native

pytestmark = pytest.mark.native
NUMBERS = st.lists(st.integers(-5, 5000) | st.integers(-(2**63), 2**63 - 1), max_size=6)
DTYPES = st.sampled_from([np.int64, np.int32, np.uint32, np.uint64, np.float64, np.uint8])


@st.composite
def arrays(draw: st.DrawFn) -> Any:
    values = np.array(draw(NUMBERS), np.int64).astype(draw(DTYPES))
    shape = draw(st.sampled_from(["plain", "stepped", "reversed", "two-dimensional", "read-only"]))
    if shape == "stepped":
        return np.repeat(values, 2)[::2]
    if shape == "reversed":
        return values[::-1]
    if shape == "two-dimensional":
        return values.reshape(1, -1)
    if shape == "read-only":
        values.flags.writeable = False
    return values


REFUSALS = (TypeError, ValueError, IndexError, MemoryError)


@settings(max_examples=500)
@given(arrays(), arrays(), arrays(), arrays(), st.integers(-2, 300))
def test_extract_phrases(f: Any, e: Any, links: Any, offsets: Any, length: int) -> None:
    try:
        pairs, ends = _native.extract_phrases(f, e, links, offsets, length)
    except REFUSALS:
        return
    assert len(pairs) == (ends[-1] if len(ends) else 0)


NAMES = st.none() | st.just(("a", "b", "c", "d"))


@settings(max_examples=500)
@given(st.tuples(*[arrays()] * 8), st.tuples(NAMES, NAMES, NAMES))
def test_moses_lines(given_arrays: Any, names: Any) -> None:
    vocabularies = [_native.Vocabulary(), _native.Vocabulary()]
    for vocabulary in vocabularies:
        vocabulary.intern(b"w")
    try:
        block = _native.PhraseBlock(*given_arrays)
        _native.moses_lines(vocabularies[0], vocabularies[1], block, *names)
    except REFUSALS:
        return


def offsets(*values: int) -> Any:
    return np.array(values, np.int64)


def test_damaged_arguments_are_told_apart() -> None:
    links = np.array([0], np.uint32)
    good = (offsets(0, 2), offsets(0, 2), links, offsets(0, 1))
    assert len(_native.extract_phrases(*good, 7)[0]) > 0
    for number, bad, said in (
        (0, offsets(0, 2, 3), "offsets differ in length"),
        (0, offsets(2, 0), "source_offsets are damaged"),
        (0, offsets(-1, 0), "source_offsets are damaged"),
        (1, offsets(0, 5000), "too long"),
        (3, offsets(0, 2), "link_offsets are damaged"),
        (2, np.array([5], np.uint32), "beyond its sentence"),
        (2, np.array([5 << 16], np.uint32), "beyond its sentence"),
    ):
        arguments: Any = [*good, 7]
        arguments[number] = bad
        with pytest.raises((ValueError, IndexError), match=said):
            _native.extract_phrases(*arguments)


def test_moses_lines_checks_pairs_and_ids() -> None:
    vocabulary = _native.Vocabulary()
    vocabulary.intern(b"w")
    ids, places, links = np.zeros(2, np.int32), offsets(0, 2), np.zeros(1, np.uint32)
    text: Any = (ids, places, ids, places, links, offsets(0, 1))

    def lines(pair: int, text: Any = text) -> bytes:
        pairs = np.array([pair], np.uint64)
        arguments: Any = (*text, pairs, offsets(0, 1))
        block = _native.PhraseBlock(*arguments)
        return _native.moses_lines(vocabulary, vocabulary, block, None, None, None)[0]

    assert lines(1 << 32 | 1 << 40) == b"w ||| w ||| 0-0\n"
    with pytest.raises(IndexError, match="reaches beyond its sentence"):
        lines(3 << 32 | 1 << 40)
    with pytest.raises(ValueError, match="not in the vocabulary"):
        lines(1 << 32 | 1 << 40, (np.array([0, 7], np.int32), *text[1:]))


@pytest.mark.parametrize("wrong", [None, 3, "text", object()])
def test_wrong_types(wrong: Any) -> None:
    vocabulary = _native.Vocabulary()
    with pytest.raises(TypeError):
        vocabulary.intern(wrong)
    with pytest.raises(TypeError):
        _native.encode_block(wrong, vocabulary, b"", b"", None, 10, False)
    with pytest.raises(TypeError):
        _native.extract_phrases(wrong, wrong, wrong, wrong, 7)


def test_one_vocabulary_cannot_serve_both_sides() -> None:
    vocabulary = _native.Vocabulary()
    with pytest.raises(ValueError, match="a vocabulary each"):
        _native.encode_block(vocabulary, vocabulary, b"a\n", b"b\n", None, 10, False)
    other = _native.Vocabulary()
    for length in (0, 5000):
        with pytest.raises(ValueError, match="max_length is out of range"):
            _native.encode_block(vocabulary, other, b"a\n", b"b\n", None, length, False)


def test_vocabularies_can_be_shared_by_threads() -> None:
    source, target = _native.Vocabulary(), _native.Vocabulary()
    text = b"".join(b"w%d\n" % (i % 3000) for i in range(6000))

    def encode() -> None:
        for _ in range(5):
            _native.encode_block(source, target, text, text, None, 10, False)
            source.join()
            source.word(0)

    threads = [threading.Thread(target=encode) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(source) == len(target) == 3000
