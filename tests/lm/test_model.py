"""Queries of language models, and the form in which they are saved."""

import contextlib
import json
import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tartib import DataError, LanguageModel, OptionError, Vocabulary, _native
from tartib.engine import map_ordered
from tests.oracles import lm as oracle
from tests.support.examples import examples
from tests.support.kenlm import GOLDEN, golden_scores

pytestmark = pytest.mark.native
LINES = st.lists(
    st.lists(st.sampled_from("abcd"), max_size=8).map(" ".join), min_size=1, max_size=20
)

SENTENCE = st.lists(st.sampled_from(["a", "b", "c", "d", "unseen", "<unk>"]), max_size=10)


@pytest.fixture(scope="module")
def golden() -> LanguageModel:
    return LanguageModel.load(GOLDEN / "text.o5.arpa")


def test_queries_equal_kenlm(golden: LanguageModel) -> None:
    queries = (GOLDEN / "queries").read_text().splitlines()
    totals, unknown = golden_scores()
    assert [golden.score(line) for line in queries] == pytest.approx(totals, abs=1e-5)
    (scores,) = golden.score_lines(queries)
    np.testing.assert_allclose(scores.log10_p, totals, atol=1e-5)
    assert scores.unknown.tolist() == unknown
    known = [sum(w.known for w in golden.word_scores(line)) for line in queries]
    assert known == (scores.tokens - scores.unknown).tolist()
    assert golden.perplexity(queries) == pytest.approx(43.049553, abs=1e-4)


@given(LINES, st.integers(1, 6), SENTENCE)
@example(
    ["a a", "a b", "a a a a", "a a a a", "a a b a a", "b a b b a", "b a b b a", "b a b b a"],
    4,
    ["a"],
)
def test_scores_equal_recursion(lines: list[str], order: int, words: list[str]) -> None:
    model = LanguageModel.estimate(lines, order, discount_fallback=True)
    listed = oracle.estimate(lines, order, [0] * order)
    expected = oracle.sentence_scores(listed, words, order)
    found = model.word_scores(words)
    assert [word.log10_p for word in found] == pytest.approx(expected, abs=1e-5)
    assert model.score(words) == pytest.approx(sum(expected), abs=1e-4)
    known = ["<s>", *(w if (w,) in listed else "<unk>" for w in words), "</s>"]
    for i, word in enumerate(found, 1):
        endings = [tuple(known[i + 1 - n : i + 1]) for n in range(1, min(order, i + 1) + 1)]
        assert word.length == max(len(ngram) for ngram in endings if ngram in listed)
        assert word.known == (known[i] != "<unk>")


@given(LINES, st.integers(1, 5), st.booleans(), SENTENCE, st.booleans())
def test_states_are_minimal_and_enough(
    lines: list[str], order: int, pruned: bool, words: list[str], begin: bool
) -> None:
    prune = (0, 1) if pruned and order > 1 else (0,)
    model = LanguageModel.estimate(lines, order, prune, discount_fallback=True)
    thresholds = [0] + [int(pruned)] * (order - 1)
    listed = oracle.estimate(lines, order, thresholds)
    state = model.native.state_after(model.ids(words), begin)
    kept = tuple(model.vocabulary[int(i)] for i in state[::-1])
    every = np.arange(len(model.vocabulary), dtype=np.uint32)
    whole = model.native.score_next(model.ids(words), every, begin)
    history = (("<s>",) if begin else ()) + tuple(w if w in model else "<unk>" for w in words)
    assert history[len(history) - len(kept) :] == kept
    assert len(kept) < order
    # Enough: the kept words alone give every next word the score that the whole history gives.
    context = history[max(0, len(history) - order + 1) :]
    expected = [oracle.score(listed, context, word) for word in model.vocabulary]
    np.testing.assert_allclose(whole, expected, atol=1e-5)
    np.testing.assert_allclose(
        [oracle.score(listed, kept, word) for word in model.vocabulary], expected, atol=1e-9
    )
    # Minimal: some listed n-gram goes on where the state begins, or its back-off counts.
    if kept:
        assert listed[kept][1] != 0 or any(g[:-1] == kept for g in listed)


def test_parts_of_sentences(golden: LanguageModel) -> None:
    words = ["w2", "w120", "w67"]
    whole = golden.word_scores(words)
    assert golden.score(words, end=False) == pytest.approx(sum(w.log10_p for w in whole[:-1]))
    assert golden.score("w2", begin=False, end=False) == pytest.approx(
        golden.native.score_next(golden.ids([]), golden.ids(["w2"]), False)[0]
    )
    assert golden.score(" w2\tw120  w67 ") == golden.score(words)
    assert "w2" in golden
    assert "nowhere" not in golden
    assert 7 not in golden
    assert repr(golden) == "<LanguageModel of order 5: 19,406 n-grams>"


def test_save_and_load(tmp_path: Path, golden: LanguageModel) -> None:
    golden.save(tmp_path / "lm")
    loaded = LanguageModel.load(tmp_path / "lm")
    assert isinstance(loaded._table.ngrams.base, np.memmap)
    assert (loaded.order, loaded.counts) == (5, golden.counts)
    assert loaded.signature == golden.signature
    queries = GOLDEN / "queries"
    assert loaded.perplexity(queries) == golden.perplexity(queries)
    with pytest.raises(OptionError, match="exists already"):
        golden.save(tmp_path / "lm")
    golden.save(tmp_path / "lm", overwrite=True)


def test_threads_ask_at_once(golden: LanguageModel) -> None:
    text = (GOLDEN / "text").read_bytes()
    expected = golden.native.score_lines(text)[0]
    for totals, *_ in map_ordered(golden.native.score_lines, [text] * 8, 4):
        np.testing.assert_array_equal(totals, expected)


def test_empty_text_has_no_perplexity(golden: LanguageModel) -> None:
    assert np.isnan(golden.perplexity([]))
    assert golden.perplexity([""]) == pytest.approx(10 ** -golden.score(""))


def small_table() -> tuple[Vocabulary, np.ndarray[tuple[int, ...], np.dtype[np.uint32]], int]:
    table = LanguageModel.estimate(["a b", "b"], 2, discount_fallback=True)._table
    return table.vocabulary, table.ngrams.copy(), table.reach


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"table": np.zeros(3, np.uint32)}, "wrong size"),
        ({"table": np.zeros(0, np.uint32)}, "words is out of range"),
        ({"words": 0}, "words is out of range"),
        ({"words": 1 << 40}, "words is out of range"),
        ({"words": 4}, "wrong number of words"),
        ({"reach": -1}, "reach is out of range"),
        ({"reach": 1 << 20}, "reach is out of range"),
        ({"order": 0}, "order is out of range"),
        ({"order": 7}, "order is out of range"),
    ],
)
def test_parts_that_do_not_fit(change: dict[str, object], said: str) -> None:
    vocabulary, table, reach = small_table()
    parts = {
        "vocabulary": vocabulary.native,
        "table": table,
        "words": 5,
        "reach": reach,
        "order": 2,
    }
    with pytest.raises(ValueError, match=said):
        _native.LanguageModel(**{**parts, **change})  # type: ignore[arg-type]


def test_ids_of_a_vocabulary(golden: LanguageModel) -> None:
    words = ["w2", "unseen", "</s>", "w1"]
    assert golden.ids_of(Vocabulary(words)).tolist() == golden.ids(words).tolist()
    assert golden.ids_of(Vocabulary()).tolist() == []
    assert golden.ids_of(golden.vocabulary).tolist() == list(range(len(golden.vocabulary)))


def test_ids_out_of_range(golden: LanguageModel) -> None:
    good, bad = np.zeros(1, np.uint32), np.full(1, 1 << 20, np.uint32)
    for call in (
        lambda: golden.native.score_ids(bad, True),
        lambda: golden.native.score_next(bad, good, True),
        lambda: golden.native.score_next(good, bad, True),
        lambda: golden.native.state_after(bad, True),
    ):
        with pytest.raises(ValueError, match="not in the model"):
            call()
    orders = golden.native.orders()
    with pytest.raises(ValueError, match="another model"):
        golden.native.arpa_lines(orders[:-1], 1, 0, 1)
    with pytest.raises(ValueError, match="begin or end is out of range"):
        golden.native.arpa_lines(orders, 1, 0, len(orders) + 1)
    for order in (0, 6):
        with pytest.raises(ValueError, match="order is out of range"):
            golden.native.arpa_lines(orders, order, 0, len(orders))
    for order in (1, 2, 3):
        wrong = np.full(len(orders), order, np.uint8)
        with pytest.raises(IndexError, match="table of n-grams is damaged"):
            golden.native.arpa_lines(wrong, order, 0, len(orders))


@given(st.data())
def test_random_tables_do_no_harm(data: st.DataObject) -> None:
    vocabulary, table, _ = small_table()
    value = st.one_of(st.integers(0, 20), st.just(0xFFFFFFFF), st.integers(0, 0xFFFFFFFF))
    for place in range(len(table)):
        table[place] = data.draw(value)
    places = len(table) // 4 - 5
    model = _native.LanguageModel(vocabulary.native, table, 5, places - 1, 3)
    for words in (b"a b a b\n", b"b b b a\n"):
        model.score_lines(words)
    try:
        orders = model.orders()
    except IndexError:
        return
    for order in (1, 2, 3):
        model.arpa_lines(orders, order, 0, len(orders))


@examples(60)
@given(
    st.sampled_from(["meta.json", "ngrams.npy", "words.vocabulary"]),
    st.floats(0, 1),
    st.binary(max_size=8),
    st.booleans(),
)
def test_damaged_files(name: str, where: float, damage: bytes, cut: bool) -> None:
    model = LanguageModel.estimate(["a b", "b"], 2, discount_fallback=True)
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "lm"
        model.save(folder)
        content = (folder / name).read_bytes()
        at = int(where * len(content))
        rest = b"" if cut else content[at + len(damage) :]
        (folder / name).write_bytes(content[:at] + damage + rest)
        with contextlib.suppress(DataError):
            damaged = LanguageModel.load(folder)
            damaged.score("a b c")
            damaged.write_arpa(folder / "arpa")


@pytest.mark.usefixtures("unverified")
@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"counts": None}, "counts must be a list of whole numbers from 0 to .*, not None"),
        ({"counts": []}, "counts must be a list of whole numbers"),
        ({"counts": [5, True]}, "counts must be a list of whole numbers"),
        ({"counts": [5, 1 << 32]}, "counts must be a list of whole numbers"),
        ({"reach": "far"}, "reach must be a whole number from 0 to .*, not 'far'"),
        ({"signature": 7}, "signature must be a string, not 7"),
        ({"reach": 1 << 31}, "do not fit together"),
        ({"counts": [4, 6]}, "not have as many n-grams"),
        ({"counts": [5, 1, 1, 1, 1, 1, 1]}, "not have as many n-grams"),
        ({"counts": [5, 1, 1, 1, 1, 0, 0]}, "do not fit together"),
        ({"version": 1}, "format version 1"),
        ({"format": "a cake"}, "not a language model"),
    ],
)
def test_damaged_description(tmp_path: Path, change: dict[str, object], said: str) -> None:
    LanguageModel.estimate(["a b", "b"], 2, discount_fallback=True).save(tmp_path / "lm")
    meta = tmp_path / "lm" / "meta.json"
    meta.write_text(json.dumps({**json.loads(meta.read_text()), **change}))
    with pytest.raises(DataError, match=said):
        LanguageModel.load(tmp_path / "lm")


@pytest.mark.usefixtures("unverified")
def test_wrong_counts_are_not_written(tmp_path: Path) -> None:
    model = LanguageModel.estimate(["a b", "b"], 3, discount_fallback=True)
    model.save(tmp_path / "lm")
    words, pairs, triples = model.counts
    meta = tmp_path / "lm" / "meta.json"
    wrong = [words, pairs - 1, triples + 1]
    meta.write_text(json.dumps({**json.loads(meta.read_text()), "counts": wrong}))
    with pytest.raises(DataError, match=rf"damaged: it has \[{words}, {pairs}, {triples}\] n-g"):
        LanguageModel.load(tmp_path / "lm").write_arpa(tmp_path / "arpa")
    assert not (tmp_path / "arpa").exists()
