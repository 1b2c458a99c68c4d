"""Estimation of language models."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tartib import DataError, LanguageModel, OptionError, _native
from tests.oracles import lm as oracle
from tests.support.examples import examples
from tests.support.paths import GOLDEN

pytestmark = pytest.mark.native
SMALL = ["a b a", "a c", "", "b"]
LINES = st.lists(
    st.lists(st.sampled_from("abcde"), max_size=8).map(" ".join), min_size=1, max_size=25
)


def arpa_of(model: LanguageModel, folder: Path) -> oracle.Model:
    model.write_arpa(folder / "model.arpa", overwrite=True)
    return oracle.read_arpa((folder / "model.arpa").read_text())


def assert_equal(found: oracle.Model, expected: oracle.Model) -> None:
    assert found.keys() == expected.keys()
    keys = list(expected)
    np.testing.assert_allclose(
        [found[key] for key in keys], [expected[key] for key in keys], rtol=0, atol=1e-5
    )


@pytest.mark.parametrize(
    ("text", "golden", "prune", "fallback"),
    [
        ("kenlm/text", "kenlm/text.o5.arpa", (0,), False),
        ("kenlm/text", "kenlm/text.o3.arpa", (0, 0, 0), False),
        ("kenlm/text", "kenlm/text.o3.prune011.arpa", (0, 1), False),
        ("moses/decode/train.tgt", "moses/decode/lm.o3.arpa", (0,), True),
    ],
)
def test_equals_lmplz(
    tmp_path: Path, text: str, golden: str, prune: Sequence[int], fallback: bool
) -> None:
    expected = oracle.read_arpa((GOLDEN / golden).read_text())
    order = max(map(len, expected))
    model = LanguageModel.estimate(GOLDEN / text, order, prune, fallback)
    assert_equal(arpa_of(model, tmp_path), expected)
    lengths = np.bincount([len(ngram) for ngram in expected])
    assert model.counts == tuple(lengths[1:].tolist())


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("lm")


@given(LINES, st.integers(1, 4), st.lists(st.integers(0, 3), max_size=3), st.integers(1, 3))
def test_equals_twin(
    folder: Path, lines: list[str], order: int, prune: list[int], n_jobs: int
) -> None:
    thresholds = [0, *sorted(prune)][:order]
    model = LanguageModel.estimate(lines, order, thresholds, True, n_jobs=n_jobs)
    filled = thresholds + thresholds[-1:] * (order - len(thresholds))
    assert_equal(arpa_of(model, folder), oracle.estimate(lines, order, filled))


@given(LINES, st.integers(1, 6), st.booleans(), st.data())
def test_probabilities_sum_to_one(
    lines: list[str], order: int, pruned: bool, data: st.DataObject
) -> None:
    prune = (0, 1) if pruned and order > 1 else (0,)
    model = LanguageModel.estimate(lines, order, prune, True)
    words = [word for word in model.vocabulary if word != "<s>"]
    context = data.draw(st.lists(st.sampled_from([*words, "unseen"]), max_size=6))
    begin = data.draw(st.booleans())
    scores = model.native.score_next(model.ids(context), model.ids(words), begin)
    assert np.sum(10.0 ** scores.astype(np.float64)) == pytest.approx(1, abs=1e-5)


@examples(20)
@given(st.integers(0, 1 << 30), st.integers(1, 6))
def test_result_does_not_depend_on_threads(seed: int, order: int) -> None:
    rng = np.random.default_rng(seed)
    words = np.minimum(rng.zipf(1.3, 30_000), 500)
    lines = [" ".join(map(str, line)) for line in np.array_split(words, 1500)]
    one, five = (
        LanguageModel.estimate(lines, order, (0, 1)[:order], True, n_jobs=n) for n in (1, 5)
    )
    np.testing.assert_array_equal(one._table.ngrams, five._table.ngrams)
    assert one.counts == five.counts


def test_lines_and_files_are_the_same(tmp_path: Path) -> None:
    (tmp_path / "text").write_bytes(b"a b a\r\na\tc\n\n  b \n")
    given = LanguageModel.estimate(SMALL, 2, discount_fallback=True)
    read = LanguageModel.estimate(tmp_path / "text", 2, discount_fallback=True)
    np.testing.assert_array_equal(given._table.ngrams, read._table.ngrams)
    assert "lines:4|words:6" in read.signature
    assert "order:2" in read.signature


def test_own_fallback(tmp_path: Path) -> None:
    model = LanguageModel.estimate(["a b a", "a", "b"], 1, discount_fallback=(0.25, 0.5, 0.75))
    # 3 </s>, 3 a, 2 b: discounts of 0.75, 0.75 and 0.5 are shared by </s>, a, b and <unk>.
    found = arpa_of(model, tmp_path)
    assert 10 ** found["b",][0] == pytest.approx((2 - 0.5) / 8 + 2 / 8 / 4)
    assert 10 ** found["<unk>",][0] == pytest.approx(2 / 8 / 4)
    assert found["<s>",] == (0, 0)


def test_text_too_small() -> None:
    said = r"too small .* discounts of 1-grams \(1 of count 1, .*\n.*--discount-fallback"
    with pytest.raises(DataError, match=said):
        LanguageModel.estimate(SMALL, 2)


@pytest.mark.parametrize("text", [[], [""]])
def test_no_words(text: list[str], tmp_path: Path) -> None:
    if not text:
        with pytest.raises(DataError, match="the text is empty"):
            LanguageModel.estimate(text, discount_fallback=True)
        return
    found = arpa_of(LanguageModel.estimate(text, 3, discount_fallback=True), tmp_path)
    assert_equal(found, oracle.estimate(text, 3, (0, 0, 0)))


def test_empty_file(tmp_path: Path) -> None:
    (tmp_path / "text").touch()
    with pytest.raises(DataError, match="text: the text is empty"):
        LanguageModel.estimate(tmp_path / "text")


@pytest.mark.parametrize("symbol", ["<s>", "</s>", "<unk>"])
def test_symbols_in_the_text(symbol: str) -> None:
    lines = ["a b", f"a {symbol} b"]
    with pytest.raises(DataError, match=rf"lines given:2: the symbol {symbol}"):
        LanguageModel.estimate(lines, 2, discount_fallback=True)
    skipping = LanguageModel.estimate(lines, 2, discount_fallback=True, skip_symbols=True)
    clean = LanguageModel.estimate(["a b", "a b"], 2, discount_fallback=True)
    np.testing.assert_array_equal(skipping._table.ngrams, clean._table.ngrams)
    assert "skipped-symbols:1" in skipping.signature


@pytest.mark.parametrize(("text", "said"), [(b"a\n\xff\n", "2: not UTF-8"), (b"\0", "1: a NUL")])
def test_unreadable_text(tmp_path: Path, text: bytes, said: str) -> None:
    (tmp_path / "text").write_bytes(text)
    with pytest.raises(DataError, match=said):
        LanguageModel.estimate(tmp_path / "text")


@pytest.mark.parametrize(
    ("order", "prune", "fallback", "said"),
    [
        (0, (0,), True, "order must be from 1 to 6: 0"),
        (7, (0,), True, "order must be from 1 to 6: 7"),
        (2, (1,), True, "words cannot be pruned"),
        (2, (0, -1), True, "must be 0 or more"),
        (3, (0, 2, 1), True, "lower than the one before"),
        (2, (0, 0, 0), True, "more thresholds than orders, which are 2"),
        (2, (0,), (0.5, 1.0), "give three"),
        (2, (0,), (0.5, 1.0, 3.5), "from 0 to 1, 2 and 3"),
        (2, (0,), (float("nan"), 1.0, 2.0), "from 0 to 1, 2 and 3"),
    ],
)
def test_bad_options(
    order: int, prune: Sequence[int], fallback: bool | Sequence[float], said: str
) -> None:
    with pytest.raises(OptionError, match=said):
        LanguageModel.estimate(SMALL, order, prune, fallback)


def test_thresholds_of_the_native_estimator_never_fall() -> None:
    text = _native.LmText(_native.Vocabulary(), False)
    text.add(b"a b c a b\n" * 3)
    estimator = _native.LmEstimator(text, 3, 1)
    for threshold in (0, 2):
        estimator.count(threshold)
        estimator.estimate(0.5, 1, 1.5)
    with pytest.raises(ValueError, match="threshold must not fall"):
        estimator.count(1)


def test_threads_take_turns_with_an_estimator() -> None:
    text = _native.LmText(_native.Vocabulary(), False)
    text.add(b"".join(b"u%d v%d w%d\n" % (i % 97, i % 31, i % 7) for i in range(5000)))
    estimator = _native.LmEstimator(text, 3, 1)

    def step(_: int) -> None:
        for call in (partial(estimator.count, 0), partial(estimator.estimate, 0.5, 1, 1.5)):
            with suppress(ValueError):  # out of turn
                call()

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(step, range(64)))
    expected = LanguageModel.estimate(
        (f"u{i % 97} v{i % 31} w{i % 7}" for i in range(5000)), 3, (0,), (0.5, 1.0, 1.5)
    )
    assert tuple(estimator.finish()[2]) == expected.counts


def test_steps_out_of_turn() -> None:
    vocabulary = _native.Vocabulary()
    text = _native.LmText(vocabulary, False)
    with pytest.raises(ValueError, match="not empty"):
        _native.LmText(vocabulary, False)
    with pytest.raises(ValueError, match="no text"):
        _native.LmEstimator(text, 2, 1)
    text.add(b"a b\n")
    for order, threads in ((0, 1), (7, 1), (2, 0)):
        with pytest.raises(ValueError, match="out of range"):
            _native.LmEstimator(text, order, threads)
    estimator = _native.LmEstimator(text, 1, 1)
    with pytest.raises(ValueError, match="nothing is counted"):
        estimator.estimate(0.5, 1, 1.5)
    with pytest.raises(ValueError, match="not all orders"):
        estimator.finish()
    with pytest.raises(ValueError, match="threshold"):
        estimator.count(-1)
    assert estimator.count(0) == [2, 3, 0, 0, 0]
    with pytest.raises(ValueError, match="no order to count"):
        estimator.count(0)
    with pytest.raises(ValueError, match="discount is out of range"):
        estimator.estimate(2, 1, 1.5)
    estimator.estimate(0.5, 1, 1.5)
    estimator.finish()
    with pytest.raises(ValueError, match="not all orders"):
        estimator.finish()
