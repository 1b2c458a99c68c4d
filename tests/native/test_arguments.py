"""No argument whatsoever may crash the interpreter."""

import threading
from contextlib import suppress
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tartib import _native
from tests.support.examples import examples
from tests.support.native_arguments import REFUSALS, arrays, offsets

pytestmark = pytest.mark.native


@examples(500)
@given(arrays(), arrays(), arrays(), arrays(), st.integers(-2, 300))
def test_extract_phrases(f: Any, e: Any, links: Any, offsets: Any, length: int) -> None:
    try:
        pairs, found = _native.extract_phrases(f, e, links, offsets, length)
    except REFUSALS:
        return
    assert found[0] == 0
    assert found[-1] == len(pairs)


NAMES = st.none() | st.just(("a", "b", "c", "d"))


@examples(500)
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


def test_damaged_arguments_are_told_apart() -> None:
    links = np.array([0], np.uint32)
    good = (offsets(0, 2), offsets(0, 2), links, offsets(0, 1))
    assert len(_native.extract_phrases(*good, 7)[0]) > 0
    for number, bad, said in (
        (0, offsets(0, 2, 3), "offsets differ in length"),
        (0, offsets(2, 0), "source_offsets are not valid offsets"),
        (0, offsets(-1, 0), "source_offsets are not valid offsets"),
        (1, offsets(0, 5000), "too long"),
        (3, offsets(0, 2), "link_offsets are not valid offsets"),
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
    with pytest.raises(ValueError, match="separate vocabularies"):
        _native.encode_block(vocabulary, vocabulary, b"a\n", b"b\n", None, 10, False)
    other = _native.Vocabulary()
    for length in (0, 5000):
        with pytest.raises(ValueError, match="max_sentence_length is out of range"):
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


IDS = st.lists(st.integers(-3, 5) | st.integers(-(2**31), 2**31 - 1), max_size=5)


@examples(300)
@given(
    st.sampled_from(list(_native.PhraseTemplate)) | st.integers(-1, 3),
    st.integers(-1, 40),
    st.tuples(st.booleans(), st.booleans()),
    arrays(),
    st.tuples(*[arrays()] * 6),
)
def test_feature_templates(
    phrase: Any,
    context: int,
    switches: tuple[bool, bool],
    degrees: Any,
    maps: Any,
) -> None:
    try:
        _native.FeatureTemplates.make(phrase, context, *switches, degrees, *maps)
    except REFUSALS:
        return


def templates(degree: int = 2) -> _native.FeatureTemplates:
    none = np.empty(0, np.int32)
    degrees = np.array([1, degree], np.int64)
    chosen = (_native.PhraseTemplate.BOUNDARIES, 1, False, True)
    return _native.FeatureTemplates.make(*chosen, degrees, none, none, none, none, none, none)


@examples(500)
@given(st.tuples(*[arrays()] * 7))
def test_encode_candidates(given_arrays: Any) -> None:
    index = _native.FeatureIndex.hashed(8)
    try:
        found, columns = _native.encode_candidates(templates(), index, *given_arrays)
    except REFUSALS:
        return
    assert found[0] == 0
    assert found[-1] == len(columns)


@examples(500)
@given(st.tuples(*[arrays()] * 7), st.integers(1020, 1030), st.integers(-1, 70))
def test_score_candidates(given_arrays: Any, size: int, classes: int) -> None:
    index = _native.FeatureIndex.hashed(8)
    arguments: Any = (*given_arrays, [np.ones(size, np.float32)] * 2, classes)
    try:
        found = _native.score_candidates(templates(), index, *arguments)
        offsets, _ = _native.encode_candidates(templates(), index, *given_arrays)
    except REFUSALS:
        return
    assert size in (1024, 1028)
    sizes = np.diff(offsets) + (size == 1028)
    for scores in found:
        assert scores.reshape(-1, classes).tolist() == [[float(n)] * classes for n in sizes]


@examples(300)
@given(st.tuples(*[arrays()] * 8), IDS)
def test_features_of_blocks(given_arrays: Any, keys: list[int]) -> None:
    sketch = _native.FeatureSketch.make(4)
    counter = _native.FeatureCounter.make(sketch, 0, 2)
    try:
        block = _native.PhraseBlock(*given_arrays)
        index = _native.FeatureIndex.of_keys(np.array(keys, np.int64).astype(np.uint64))
        sketch.add(templates(), block)
        counter.add(templates(), block)
        counter.finish()
        _native.encode_rows(templates(), index, block)
    except REFUSALS:
        return


def test_counters_that_do_not_fit_are_refused() -> None:
    ids, places, links = np.zeros(2, np.int32), offsets(0, 2), np.zeros(1, np.uint32)
    pairs = np.array([1 << 32 | 1 << 40], np.uint64)
    block = _native.PhraseBlock(
        ids, places, ids, places, links, offsets(0, 1), pairs, offsets(0, 1)
    )
    sketch = _native.FeatureSketch.make(4)
    sketch.add(templates(3), block)
    narrow = _native.FeatureCounter.make(sketch, 0, 2)
    with pytest.raises(ValueError, match="too narrow"):
        narrow.add(templates(3), block)
    for other in (narrow, _native.FeatureCounter.make(sketch, 0, 3)):
        with pytest.raises(ValueError, match="cannot be added up"):
            narrow.merge(other)
    with pytest.raises(ValueError, match="sketches differ in size"):
        sketch.merge(_native.FeatureSketch.make(5))
    with pytest.raises(ValueError, match="bits are out of range"):
        _native.FeatureSketch.make(41)
    with pytest.raises(ValueError, match="a key occurs twice"):
        _native.FeatureIndex.of_keys(np.array([7, 7], np.uint64))


@examples(500)
@given(arrays(), arrays(), st.none() | arrays(), arrays(), st.none() | arrays())
def test_rows(indptr: Any, indices: Any, values: Any, labels: Any, weights: Any) -> None:
    try:
        first, total = _native.collapse_rows(indptr, indices, values, labels, weights)
        _native.write_svmlight(indptr, indices, values, labels, 1)
    except REFUSALS:
        return
    assert len(first) == len(total) <= len(labels)


@examples(500)
@given(arrays(), arrays(), st.integers(-1, 4), st.tuples(*[arrays()] * 5))
def test_candidate_keys(f: Any, e: Any, sides: int, given_arrays: tuple[Any, ...]) -> None:
    try:
        keys = _native.candidate_keys(f, e, sides, *given_arrays)
    except REFUSALS:
        return
    assert len(keys) == len(given_arrays[1])


@examples(500)
@given(st.tuples(*[arrays()] * 8), arrays(), arrays(), st.integers(-1, 4))
def test_block_keys(given_arrays: Any, f: Any, e: Any, sides: int) -> None:
    try:
        block = _native.PhraseBlock(*given_arrays)
        _native.block_keys(block, f, e, sides)
    except REFUSALS:
        return


def test_block_keys_need_every_hash() -> None:
    ids, places, links = np.array([-7, 1], np.int32), offsets(0, 2), np.zeros(1, np.uint32)
    pairs = np.array([1 << 32 | 1 << 40], np.uint64)
    block = _native.PhraseBlock(
        ids, places, ids, places, links, offsets(0, 1), pairs, offsets(0, 1)
    )
    two, one = np.zeros(2, np.uint64), np.zeros(1, np.uint64)
    assert len(_native.block_keys(block, two, two, 3)) == 1
    for hashes in ((one, two), (two, one)):
        with pytest.raises(ValueError, match="a word has no hash"):
            _native.block_keys(block, *hashes, 3)
    for sides in (0, 4):
        with pytest.raises(ValueError, match="no such sides"):
            _native.block_keys(block, two, two, sides)


@examples(500)
@given(
    st.tuples(*[arrays()] * 8),
    st.lists(arrays(), min_size=3, max_size=3),
    st.lists(arrays(), min_size=3, max_size=3),
    arrays(),
    st.tuples(*[st.integers(-(2**63), 2**63 - 1)] * 2),
    st.tuples(*[st.floats()] * 3),
)
def test_derivation_uses(
    given_arrays: Any, keys: Any, counts: Any, counted: Any, numbers: Any, prices: Any
) -> None:
    try:
        block = _native.PhraseBlock(*given_arrays)
        _native.derivation_uses(block, keys, counts, counted, numbers[0], 1, numbers[1], prices)
    except REFUSALS:
        return


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"keys": [np.zeros(1, np.uint64)] * 2 + [np.zeros(2, np.uint64)]}, "each phrase pair"),
        ({"counts": [np.zeros(0, np.int32)] * 3}, "each phrase pair"),
        ({"counted": np.zeros(2, np.uint8)}, "each sentence"),
        ({"samples": 0}, "number of derivations"),
        ({"samples": 1001}, "number of derivations"),
        ({"prices": (1.0, 1.0, -1.0)}, "price"),
        ({"prices": (1.0, np.nan, 1.0)}, "price"),
        ({"prices": (1.0, 1.0, np.inf)}, "price"),
    ],
)
def test_derivation_uses_are_checked(change: dict[str, Any], problem: str) -> None:
    ids, places = np.zeros(2, np.int32), offsets(0, 2)
    pair = np.array([1 << 32 | 1 << 40], np.uint64)
    block = _native.PhraseBlock(
        ids, places, ids, places, np.zeros(0, np.uint32), offsets(0, 0), pair, offsets(0, 1)
    )
    fitting: dict[str, Any] = {
        "keys": [np.zeros(1, np.uint64)] * 3,
        "counts": [np.full(1, -(2**31), np.int32)] * 3,
        "counted": np.ones(1, np.uint8),
        "first_sentence": 2**63 - 1,
        "samples": 2,
        "seed": 0,
        "prices": (1e6,) * 3,
    }
    assert _native.derivation_uses(block, **fitting).shape == (1,)
    with pytest.raises(ValueError, match=problem):
        _native.derivation_uses(block, **{**fitting, **change})


@examples(500)
@given(arrays(), arrays(), st.none() | arrays())
def test_keys(first: Any, second: Any, values: Any) -> None:
    for kernel, arguments in (
        (_native.row_keys, (first, second, values)),
        (_native.find_keys, (first, second)),  # keys that do not rise, too
        (_native.unique_keys, (first,)),
        (_native.word_hashes, (first,)),
    ):
        try:
            kernel(*arguments)
        except REFUSALS:
            continue


@examples(500)
@given(st.tuples(*[arrays()] * 4), st.none() | arrays(), st.integers(-1, 70), st.integers(-1, 9))
def test_log_loss(given_arrays: Any, weights: Any, classes: int, threads: int) -> None:
    indptr, indices, y, w = given_arrays
    try:
        samples = _native.Samples(indptr, indices, None, 5000, True)
        units = np.ones(5001)
        _native.LogLoss(samples, y, weights, classes, units, 1, 1, threads).evaluate(w, w.copy())
    except REFUSALS:
        return


def test_log_loss_checks_its_arguments() -> None:
    samples = _native.Samples(offsets(0, 1, 2), np.array([0, 1], np.int32), None, 2, True)
    y, q, units = np.array([0, 1], np.int32), np.ones(2), np.ones(3)
    for labels, weights, classes, threads, message in (
        (y, None, 1, 1, "classes are out of range"),
        (y, None, 1025, 1, "classes are out of range"),
        (y, None, 2, 0, "threads are out of range"),
        (y[:1], None, 2, 1, "there must be one label for each row"),
        (y + 1, None, 2, 1, "a label is out of range"),
        (y, q[:1], 2, 1, "there must be one weight for each row"),
        (y, -q, 2, 1, "a weight is negative or not finite"),
    ):
        with pytest.raises(ValueError, match=message):
            _native.LogLoss(samples, labels, weights, classes, units, 0, 0, threads)
    with pytest.raises(ValueError, match="there must be one unit for each feature"):
        _native.LogLoss(samples, y, q, 2, np.ones(2), 0, 0, 1)
    for ridge, lasso in ((-1, 0), (np.nan, 0), (0, np.inf)):
        with pytest.raises(ValueError, match="the penalty is out of range"):
            _native.LogLoss(samples, y, q, 2, units, ridge, lasso, 1)
    loss = _native.LogLoss(samples, y, q, 2, units, 1, 1, 3)
    assert loss.evaluate(np.zeros(6), np.zeros(6)) == pytest.approx(2 * np.log(2))
    for absurd in (np.inf, np.nan, 1e300):
        loss.evaluate(np.full(6, absurd), np.zeros(6))
    with pytest.raises(ValueError, match="weights have the wrong size"):
        loss.evaluate(np.zeros(7), np.zeros(6))
    with pytest.raises(ValueError, match="vectors differ in length"):
        loss.evaluate(np.zeros(6), np.zeros(5))
    with pytest.raises(TypeError):
        loss.evaluate(np.zeros(6), np.zeros(6, np.float32))


@examples(300)
@given(st.tuples(*[arrays()] * 5), st.integers(-1, 9), st.integers(-1, 9), st.booleans())
def test_lbfgs(given_arrays: Any, history: int, threads: int, kinks: bool) -> None:
    first, second, third, fourth, out = given_arrays
    with suppress(*REFUSALS):
        curvature = _native.Curvature(len(first), history, threads)
        for _ in range(3):
            curvature.learn(first, second, third, fourth)
        curvature.direction(first, out)
    with suppress(*REFUSALS):
        _native.move(first, second, np.nan, third, kinks, out, threads)
    with suppress(*REFUSALS):
        _native.pseudo_gradient(first, second, third, out, threads)


def test_lbfgs_checks_its_arguments() -> None:
    three, two = np.ones(3), np.ones(2)
    for size, history, threads, message in (
        (-1, 1, 1, "the size is out of range"),
        (1 << 41, 1, 1, "the size is out of range"),
        (3, 0, 1, "the history is out of range"),
        (3, 1025, 1, "the history is out of range"),
        (3, 1, 0, "threads are out of range"),
    ):
        with pytest.raises(ValueError, match=message):
            _native.Curvature(size, history, threads)
    curvature = _native.Curvature(3, 2, 1)
    for place in range(4):
        vectors = [two if place == i else three for i in range(4)]
        with pytest.raises(ValueError, match="vectors differ in length"):
            curvature.learn(*vectors)
    for pair in ((two, three), (three, two)):
        with pytest.raises(ValueError, match="vectors differ in length"):
            curvature.direction(*pair)
    for place in range(4):
        a, b, c, d = (two if place == i else three for i in range(4))
        with pytest.raises(ValueError, match="vectors differ in length"):
            _native.move(a, b, 1.0, c, True, d, 1)
        with pytest.raises(ValueError, match="vectors differ in length"):
            _native.pseudo_gradient(a, b, c, d, 1)


@examples(500)
@given(st.tuples(*[arrays()] * 5), st.none() | arrays(), st.integers(-1, 70), st.integers(-1, 9))
def test_sgd(given_arrays: Any, weights: Any, classes: int, length: int) -> None:
    indptr, indices, y, start, begins = given_arrays
    try:
        samples = _native.Samples(indptr, indices, None, 5000, True)
        _native.SgdSolver(samples, y, weights, classes, start, 0).run(begins, length, 1, 1)
    except REFUSALS:
        return


def test_sgd_checks_its_arguments() -> None:
    samples = _native.Samples(offsets(0, 1, 2), np.array([0, 1], np.int32), None, 2, True)
    y, start = np.array([0, 1], np.int32), np.zeros(6)
    solver = _native.SgdSolver(samples, y, np.array([1e300, 1e-300]), 2, start, 0)
    solver.run(offsets(0, 1), 2, 1e300, 1e300)  # absurd, and still no crash
    assert len(solver.weights()) == 6
    infinite = np.full(6, np.inf)
    _native.SgdSolver(samples, y, None, 2, infinite, 0).run(offsets(0, 1), 1, 1, 1)
    for labels, classes, weights, steps, message in (
        (y, 1025, start, 0, "classes are out of range"),
        (y - 1, 2, start, 0, "a label is out of range"),
        (y, 2, start[:5], 0, "weights have the wrong size"),
        (y, 2, start, np.nan, "steps are out of range"),
    ):
        with pytest.raises(ValueError, match=message):
            _native.SgdSolver(samples, labels, None, classes, weights, steps)
    for begins, length, eta0, lam, message in (
        ((0, 2), 1, 1, 1, "a row is out of range"),
        ((-1,), 1, 1, 1, "a row is out of range"),
        ((0,), 0, 1, 1, "the length is out of range"),
        ((0,), 3, 1, 1, "the length is out of range"),
        ((0,), 1, 0, 1, "eta0 is out of range"),
        ((0,), 1, 1, np.inf, "lambda is out of range"),
    ):
        with pytest.raises(ValueError, match=message):
            solver.run(offsets(*begins), length, eta0, lam)


@examples(500)
@given(st.tuples(*[arrays()] * 3), st.none() | arrays(), st.integers(-1, 70), st.integers(-1, 9))
def test_count_features(given_arrays: Any, weights: Any, classes: int, threads: int) -> None:
    indptr, indices, y = given_arrays
    try:
        samples = _native.Samples(indptr, indices, None, 5000, False)
        found = _native.count_features(samples, y, weights, classes, False, threads)
    except REFUSALS:
        return
    assert len(found) == 5000 * classes


def test_count_features_checks_its_arguments() -> None:
    samples = _native.Samples(offsets(0, 1, 2), np.array([0, 1], np.int32), None, 2, True)
    y = np.array([0, 1], np.int32)
    assert _native.count_features(samples, y, None, 2, True, 9).tolist() == [1, 0, 0, 1, 1, 1]
    for labels, classes, threads, message in (
        (y, 0, 1, "classes are out of range"),
        (y, 1025, 1, "classes are out of range"),
        (y, 1, 1, "a label is out of range"),
        (y, 2, 1025, "threads are out of range"),
        (y[:1], 2, 1, "there must be one label for each row"),
    ):
        with pytest.raises(ValueError, match=message):
            _native.count_features(samples, labels, None, classes, False, threads)
