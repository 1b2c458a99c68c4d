"""No argument of native word alignment can crash the interpreter: what is wrong is refused."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tartib import _native
from tests.support.examples import examples
from tests.support.native_arguments import REFUSALS, arrays, offsets

pytestmark = pytest.mark.native

symmetrise: Any = _native.symmetrise
HEURISTICS = st.sampled_from(list(_native.Heuristic))


@examples(500)
@given(st.tuples(*[arrays()] * 6, HEURISTICS))
def test_symmetrise(arguments: Any) -> None:
    try:
        links, found = symmetrise(*arguments)
    except REFUSALS:
        return
    assert found[0] == 0
    assert found[-1] == len(links)


def test_damaged_arguments_are_told_apart() -> None:
    link = np.array([1 << 16 | 1], np.uint32)
    good: Any = (offsets(0, 2), offsets(0, 2), link, offsets(0, 1), link, offsets(0, 1))
    heuristic = _native.Heuristic.GROW_DIAG
    assert symmetrise(*good, heuristic)[0].tolist() == link.tolist()
    for number, bad, said in (
        (0, offsets(0, 2, 3), "offsets differ in length"),
        (0, offsets(2, 0), "source_offsets are not valid offsets"),
        (1, offsets(-1, 0), "target_offsets are not valid offsets"),
        (1, offsets(0, 65_536), "too long"),
        (3, offsets(0, 2), "offsets of links are not valid offsets"),
        (5, offsets(0, 1, 1), "offsets differ in length"),
        (2, np.array([2], np.uint32), "beyond its sentence"),
        (4, np.array([2 << 16], np.uint32), "beyond its sentence"),
    ):
        arguments: Any = list(good)
        arguments[number] = bad
        with pytest.raises((ValueError, IndexError), match=said):
            symmetrise(*arguments, heuristic)
    for wrong in (None, 99, -1, "grow"):
        with pytest.raises(TypeError):
            symmetrise(*good, wrong)


WORDS, SENTENCES = 3, 3
JUMPS = len(_native.JointAligner(1, 1).jumps(True))
Values = st.SearchStrategy[Any]


def mostly(fitting: Values, others: Values) -> Values:
    """Draw what fits, so that the next argument is looked at as well; once in a while another."""
    return st.integers(0, 19).flatmap(lambda n: others if n == 13 else fitting)


def small(largest: int) -> Values:
    """Draw a number from 0; or one that is a step too far, or nothing that a number should be."""
    wrong = [-1, largest + 1, 1025, 1 << 31, 1 << 32, (1 << 63) - 1, -(1 << 63)]
    return mostly(st.integers(0, largest), st.sampled_from(wrong))


def vectors(values: Values, dtype: Any, size: int) -> Values:
    """Draw arrays of a type and size; or of any other."""
    fitting = st.lists(values, min_size=size, max_size=size).map(lambda v: np.array(v, dtype))
    return mostly(fitting, arrays())


def ids(dtype: Any, size: int) -> Values:
    wrong = [WORDS, np.iinfo(dtype).max, np.iinfo(dtype).min]
    return vectors(mostly(st.integers(0, WORDS - 1), st.sampled_from(wrong)), dtype, size)


COUNTS = mostly(
    st.sampled_from([0.0, 1.0, 0.5, 1e-30, 1e-45, 2.0**20, 2.0**40]),
    st.sampled_from([-1.0, -1e-45, np.nan, np.inf, 2.0**41, 1e38]),
)
SHARES = mostly(st.sampled_from([1.0, 0.5, 1e-19]), st.sampled_from([0.0, -1.0, np.nan, np.inf]))
OFFSETS = mostly(
    st.lists(st.integers(0, 4), min_size=2, max_size=2).map(lambda v: offsets(0, *sorted(v), 4)),
    vectors(st.integers(-1, 5000), np.int64, 4),
)
SIDE = (ids(np.int32, 4), OFFSETS, mostly(st.just(WORDS), small(1 << 31)))
WORD = ids(np.uint32, 3)
COUNT = vectors(COUNTS, np.float32, 3)
OF_WORDS = vectors(COUNTS, np.float64, WORDS)
OF_JUMPS = mostly(SHARES.map(lambda p: np.full(JUMPS, p)), vectors(SHARES, np.float64, JUMPS + 1))
THREADS = mostly(st.integers(1, 3), small(1024))
SENTENCE = small(SENTENCES)


class Call(NamedTuple):
    """A call of a method of the aligner; the text is put in front if the method takes one."""

    method: str
    arguments: tuple[Any, ...]


def calls(method: str, *arguments: st.SearchStrategy[Any]) -> st.SearchStrategy[Call]:
    return st.tuples(*arguments).map(lambda given: Call(method, given))


CALLS = (
    calls("find_candidates", mostly(st.integers(1, 4), small(4)), WORD, WORD, COUNT, COUNT, THREADS)
    | calls("restore", WORD, WORD, COUNT, COUNT, *[OF_WORDS] * 4, OF_JUMPS, OF_JUMPS)
    | calls("count", st.just(0) | SENTENCE, SENTENCE, st.booleans(), THREADS)
    | calls("maximise", st.booleans(), THREADS)
    | calls("align", st.just(0) | SENTENCE, SENTENCE, SHARES, THREADS)
    | calls("posteriors", SENTENCE)
    | calls("cells", COUNTS)
)
WITH_TEXT = {"find_candidates", "count", "align", "posteriors"}


@examples(500)
@given(st.tuples(*SIDE, *SIDE))
def test_alignment_text(arguments: Any) -> None:
    try:
        text = _native.AlignmentText(*arguments)
    except REFUSALS:
        return
    assert text.sentences == len(arguments[1]) - 1 == len(arguments[4]) - 1


def whole() -> _native.AlignmentText:
    """Return three sentence pairs: one with an empty side, and one with too many links to count."""
    words = np.arange(1_104, dtype=np.int32) % WORDS
    places = offsets(0, 3, 4, 1_104), offsets(0, 2, 2, 1_104)
    return _native.AlignmentText(words, places[0], WORDS, words, places[1], WORDS)


@examples(500)
@given(mostly(st.just(WORDS), small(WORDS)), st.lists(CALLS, max_size=6))
def test_joint_aligner(words: int, given_calls: list[Call]) -> None:
    """Any calls in any order: links lie in their sentences, and probabilities are such."""
    try:
        aligner: Any = _native.JointAligner(words, WORDS)
    except REFUSALS:
        return
    text = whole()
    for method, arguments in given_calls:
        before = (text,) if method in WITH_TEXT else ()
        try:
            found = getattr(aligner, method)(*before, *arguments)
        except REFUSALS:
            continue
        if method == "align":
            for positions, sure, own, own_sure in found:
                assert positions.min(initial=0) >= -1
                assert max(positions.max(initial=0), own.max(initial=0)) < 1_102
                assert ((sure >= 0) & (sure < 1.001)).all()
                assert ((own_sure >= 0) & (own_sure < 1.001)).all()
        if method == "posteriors":
            assert all(((p >= 0) & (p < 1.001)).all() for p in found)


def test_priors_that_64_bits_cannot_add_up() -> None:
    words = 16
    aligner = _native.JointAligner(1, words)
    ids, nothing = np.zeros(1, np.int32), np.zeros(words, np.float32)
    text = _native.AlignmentText(ids, offsets(0, 1), 1, ids, offsets(0, 1), words)
    pairs = np.zeros(words, np.uint32), np.arange(words, dtype=np.uint32)
    aligner.find_candidates(text, 1, *pairs, nothing, np.full(words, 2.0**38, np.float32), 1)
    aligner.maximise(False, 1)
    assert aligner.counts(True)[0].tolist() == [2.0**42]
    with pytest.raises(ValueError, match="the priors add up to too much"):
        aligner.find_candidates(text, 1, *pairs, nothing, np.full(words, 2.0**40, np.float32), 1)
