"""The lexicalised model: its keys, its estimates, and Moses' tables of them."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_matrix
from sklearn.exceptions import NotFittedError
from sklearn.utils.estimator_checks import parametrize_with_checks

from tartib import Bitext, OptionError, PhrasePairs, _native, extract_phrases
from tartib.features import Candidate, Candidates
from tartib.moses import write_reordering_table
from tartib.reordering.inputs import LEVELS, PhraseHasher, candidate_keys, phrase_keys
from tartib.reordering.lexicalised import LexicalisedModel
from tests.oracles import lexicalised
from tests.support import paths
from tests.support.examples import examples
from tests.support.strategies import Aligned, aligned_pairs

DECODE = paths.GOLDEN / "moses" / "decode"
TABLES = sorted(DECODE.glob("reordering-table.*"))
GRANULARITIES = st.sampled_from(["fe", "f", "e"])
pytestmark = pytest.mark.native


def invented(max_phrase_length: int = 5) -> PhrasePairs:
    bitext = Bitext.read(*(DECODE / f"train.{side}" for side in ("src", "tgt", "align")))
    return extract_phrases(bitext, max_phrase_length=max_phrase_length)


def small(*sentences: str) -> PhrasePairs:
    """Extract from sentences that are translated word by word."""
    links = [" ".join(f"{i}-{i}" for i in range(len(s.split()))) for s in sentences]
    return extract_phrases(
        Bitext.from_lines(list(sentences), list(sentences), links), max_phrase_length=3
    )


# Keys.


@examples(100)
@given(st.lists(aligned_pairs(longest=5), min_size=1, max_size=4), GRANULARITIES, st.integers(1, 2))
def test_keys_agree_with_the_twin(pairs: list[Aligned], granularity: str, n_jobs: int) -> None:
    phrases = extract_phrases(Bitext.from_lines(*zip(*(p.lines() for p in pairs), strict=True)))
    expected = [lexicalised.pair_key(p.source, p.target, granularity) for p in phrases]
    assert phrase_keys(phrases, granularity, n_jobs).tolist() == expected


@examples(200)
@given(st.text(st.characters(exclude_characters=" \t\n", exclude_categories=["Cs"]), min_size=1))
def test_word_hashes_agree_with_the_twin(word: str) -> None:
    vocabulary = _native.Vocabulary()
    vocabulary.intern(word.encode())
    assert _native.word_hashes(vocabulary).tolist() == [lexicalised.word_hash(word)]


def test_keys_never_change() -> None:
    """Saved models hold keys; a change of the hash must not go unseen."""
    candidate = Candidate(0, 2, ["the", "international", "book"], [])
    frozen = {"fe": 0x4DE654217D89686D, "f": 0x1F4625CB7091EA63, "e": 0x95E19FC7F2121E51}
    for granularity, key in frozen.items():
        assert candidate_keys(["الكتاب", "الدولي"], [candidate], granularity).tolist() == [key]


def test_keys_are_those_of_any_corpus() -> None:
    one, other = small("a b c", "d e"), small("e d d", "c", "a b c")
    for granularity in LEVELS:
        keys = [
            {(tuple(p.source), tuple(p.target)): k for p, k in zip(q, ks.tolist(), strict=True)}
            for q, ks in ((q, phrase_keys(q, granularity)) for q in (one, other))
        ]
        shared = keys[0].keys() & keys[1].keys()
        assert len(shared) == 8
        assert all(keys[0][pair] == keys[1][pair] for pair in shared)
    different = {*phrase_keys(one, "f").tolist()} & {*phrase_keys(one, "e").tolist()}
    assert not different, "a word is not the same thing on both sides"


def test_keys_tell_phrases_apart() -> None:
    phrases = small("a b", "ab", "b a", "a a b", "a", "aaaaaaaa aaaaaaaaa", "aaaaaaaaa aaaaaaaa")
    texts = [(*p.source, "|", *p.target) for p in phrases]
    assert len({*phrase_keys(phrases).tolist()}) == len(set(texts))


def test_candidates_have_the_keys_of_pairs() -> None:
    phrases = invented(3)
    for granularity in LEVELS:
        keys = phrase_keys(phrases, granularity)
        for sentence in range(20):
            begin, end = phrases.offsets[sentence : sentence + 2]
            pairs = [phrases[i] for i in range(begin, end)]
            candidates = [
                Candidate(p.source_start, len(p.source), p.target, p.links) for p in pairs
            ]
            source = phrases.bitext[sentence][0]
            found = candidate_keys(source, candidates, granularity)
            assert (found == keys[begin:end]).all()
    assert len(candidate_keys(["a"], [])) == 0


def test_words_without_letters() -> None:
    vocabulary = small("a").bitext.source.vocabulary
    hasher = PhraseHasher(vocabulary, vocabulary)

    def keys(source: int, target: int) -> Any:
        ids = np.array([source], np.int32), np.array([target], np.int32)
        zero, one, ends = (np.array(at, np.int64) for at in ([0], [1], [0, 1]))
        links = np.zeros(1, np.uint32)
        pair = Candidates(ids[0], zero, one, ids[1], ends, links, ends)
        return hasher.candidates(pair).tolist()

    assert len({keys(s, t)[0] for s in (0, -1) for t in (0, -1)}) == 4
    with pytest.raises(OptionError, match="a word has no hash"):
        keys(1, 0)


def test_damaged_candidates_are_refused() -> None:
    for candidate in (
        Candidate(0, 2, ["x"], []),
        Candidate(0, 1, [], []),
        Candidate(-1, 1, "x", []),
    ):
        with pytest.raises(OptionError, match="reaches beyond its sentence, or is empty"):
            candidate_keys(["a"], [candidate])
    with pytest.raises(OptionError, match="unknown granularity 'ef': it is one of fe, f, e"):
        candidate_keys(["a"], [], "ef")
    with pytest.raises(OptionError, match="unknown granularity"):
        phrase_keys(small("a"), "word")


def test_chunks_do_not_show(monkeypatch: pytest.MonkeyPatch) -> None:
    phrases = invented(2)
    whole = phrase_keys(phrases)
    monkeypatch.setattr("tartib.reordering.inputs._CHUNK_PAIRS", 7)
    assert (phrase_keys(phrases) == whole).all()


ROWS = st.lists(
    st.dictionaries(st.integers(0, 5), st.sampled_from([0.0, -0.0, 1.0, -1.5, 3e30]), max_size=4),
    max_size=6,
)


@given(ROWS, st.randoms(use_true_random=False))
def test_row_keys_agree_with_the_twin(rows: list[dict[int, float]], random: Any) -> None:
    shuffled = [random.sample(list(row.items()), len(row)) for row in rows]
    indptr = np.cumsum([0, *map(len, shuffled)])
    items = [item for row in shuffled for item in row]
    columns = np.array([column for column, _ in items], np.int32)
    values = np.array([value for _, value in items], np.float32)
    keys = _native.row_keys(indptr, columns, values).tolist()
    assert keys == [lexicalised.row_key(sorted(row.items())) for row in rows]
    sets = [frozenset((c, v) for c, v in row.items() if v != 0) for row in rows]
    assert [keys.index(k) for k in keys] == [sets.index(s) for s in sets]
    ones = _native.row_keys(indptr, columns, np.ones_like(values))
    assert (_native.row_keys(indptr, columns, None) == ones).all()


KEYS = st.lists(st.integers(0, 9) | st.integers(0, 2**64 - 1) | st.just(2**64 - 1), max_size=80)


@examples(300)
@given(KEYS, KEYS)
def test_search_agrees_with_numpy(keys: list[int], others: list[int]) -> None:
    given_keys = np.array(keys, np.uint64)
    unique, inverse = _native.unique_keys(given_keys)
    expected = np.unique(given_keys, return_inverse=True)
    assert (unique == expected[0]).all()
    assert (inverse == expected[1]).all()
    wanted = np.array([*others, *keys], np.uint64)
    places = {key: place for place, key in enumerate(unique.tolist())}
    expected_places = [places.get(key, -1) for key in wanted.tolist()]
    assert _native.find_keys(unique, wanted).tolist() == expected_places
    few = [_native.find_keys(unique, wanted[i : i + 1])[0] for i in range(len(wanted))]
    assert few == expected_places


def test_search_among_many() -> None:
    random = np.random.default_rng(0)
    spread = random.integers(0, 2**64, 20_000, np.uint64)
    for keys in (spread, spread % np.uint64(5_000), np.arange(20_000, dtype=np.uint64)):
        unique, inverse = _native.unique_keys(keys)
        assert (unique == np.unique(keys)).all()
        assert (unique[inverse] == keys).all()
        assert (_native.find_keys(unique, keys) == inverse).all()
        assert (_native.find_keys(unique, keys[:50]) == inverse[:50]).all()


# The model.

LABELS, SMALL = st.integers(0, 2), st.integers(0, 4)
SAMPLES = st.lists(st.tuples(SMALL, SMALL, LABELS, st.integers(0, 3)), max_size=30)
SMOOTHINGS = st.sampled_from([0, 0.5, 1, 0.01])


def columns(samples: list[Any]) -> tuple[list[Any], Any, Any]:
    """Return keys at two levels, classes and weights."""
    first, second, y, weights = np.array(samples, np.int64).reshape(-1, 4).T
    return [first.astype(np.uint64), second.astype(np.uint64)], y, weights.astype(np.float64)


@examples(300)
@given(SAMPLES, SAMPLES, SMOOTHINGS)
def test_agrees_with_the_twin(train: list[Any], test: list[Any], smoothing: float) -> None:
    levels, y, weights = columns(train)
    model = LexicalisedModel(smoothing=smoothing).fit_keys(levels, y, 3, weights)
    twin = lexicalised.Model(3, smoothing)
    for *keys, label, weight in train:
        twin.add(keys, label, weight)
    found = model.predict_proba_keys(columns(test)[0])
    expected = np.reshape([twin.predict(keys[:2]) for keys in test], (-1, 3))
    np.testing.assert_allclose(found, expected, rtol=1e-15)
    assert model.n_parameters == 3 * (len(twin.counts) - ("all" in twin.counts))


@given(SAMPLES)
def test_weights_act_as_duplicates(samples: list[Any]) -> None:
    levels, y, weights = columns(samples)
    weighted = LexicalisedModel().fit_keys(levels, y, 3, weights).state()
    times = weights.astype(np.int64)
    copies = LexicalisedModel().fit_keys(
        [np.repeat(keys, times) for keys in levels], np.repeat(y, times), 3
    )
    for name, array in copies.state().items():
        np.testing.assert_array_equal(weighted[name], array)


def keys_of(*values: int) -> Any:
    return np.array(values, np.uint64)


def test_back_off() -> None:
    y = np.array([0, 0, 1, 2])
    model = LexicalisedModel(smoothing=0).fit_keys([keys_of(1, 1, 2, 3), keys_of(7, 7, 7, 8)], y, 3)
    found = model.predict_proba_keys([keys_of(1, 9, 9), keys_of(8, 7, 9)])
    expected = np.array([[1, 0, 0], [2 / 3, 1 / 3, 0], [0.5, 0.25, 0.25]])
    np.testing.assert_allclose(found, expected)
    np.testing.assert_allclose(model.prior, [0.5, 0.25, 0.25])


@pytest.mark.parametrize("granularity", ["fe", "f", "e"])
def test_unknown_words_are_like_rare_ones(granularity: str) -> None:
    # The source words 1 and 2 are rare, 3 is not, and 4 is not there.
    seen = [(1, 0), (1, 2), (2, 2), *[(3, 1)] * 6, (9, 0)]
    source = keys_of(*(word for word, _ in seen))
    y = np.array([label for _, label in seen])
    levels = {"fe": [source + np.uint64(100), source], "f": [source], "e": [source]}[granularity]
    model = LexicalisedModel(granularity, 0.5).fit_keys(levels, y, 3)
    words = keys_of(1, 2, 3, 4)  # 9 is a phrase of several words
    found = model.predict_unknown_word(words)
    rare = np.array([1, 0, 2]) + 0.5
    assert found == pytest.approx(model.prior if granularity == "e" else rare / rare.sum())
    assert model.predict_unknown_word(keys_of(3, 4)) == pytest.approx(model.prior)


def test_a_model_serves_another_corpus() -> None:
    train, other = small("a b", "a b"), small("x", "b a b")
    levels = [phrase_keys(train, level) for level in LEVELS["fe"]]
    model = LexicalisedModel().fit_keys(levels, train.labels(), 3)
    found = model.predict_proba_keys([phrase_keys(other, level) for level in LEVELS["fe"]])
    known = [pair.source in (["a"], ["b"], ["a", "b"]) for pair in other]
    assert ((found != model.prior).any(axis=1) == known).all()


def test_one_class_and_no_samples() -> None:
    one = LexicalisedModel().fit_keys([keys_of(4)], np.array([0]), 1)
    assert one.predict_proba_keys([keys_of(4, 5)]).tolist() == [[1.0], [1.0]]
    for smoothing in (0, 0.5):
        empty = LexicalisedModel(smoothing=smoothing).fit_keys([keys_of()], np.array([]), 4)
        assert empty.predict_proba_keys([keys_of(4)]).tolist() == [[0.25] * 4]
        assert empty.predict_proba_keys([keys_of()]).shape == (0, 4)
        assert empty.n_parameters == 0


def test_counts_are_exact() -> None:
    y, weights = np.array([0, 0]), np.array([2.0**24, 1.0])
    large = LexicalisedModel().fit_keys([keys_of(1, 1)], y, 2, weights)
    assert large.counts_[0].dtype == np.float64
    assert large.counts_[0].tolist() == [[2**24 + 1, 0]]
    assert LexicalisedModel().fit_keys([keys_of(1, 1)], y, 2).counts_[0].dtype == np.float32


def test_arrays_need_not_be_contiguous() -> None:
    keys, y = keys_of(1, 2, 1, 2, 3, 4)[::2], np.array([0, 1, 1, 0, 1, 1])[::2]
    model = LexicalisedModel().fit_keys([keys], y, 2)
    assert model.counts_[0].tolist() == [[1, 1], [0, 1]]
    assert model.predict_proba_keys([keys]).shape == (3, 2)


def test_state_makes_the_same_model() -> None:
    phrases = invented(3)
    levels = [phrase_keys(phrases, level) for level in LEVELS["fe"]]
    model = LexicalisedModel("fe", 0.1).fit_keys(levels, phrases.labels(), 3)
    again = LexicalisedModel.from_state(model.state(), "fe", 0.1)
    assert (again.predict_proba_keys(levels) == model.predict_proba_keys(levels)).all()
    assert again.n_parameters == model.n_parameters > 0


def state(**changes: Any) -> dict[str, Any]:
    good = {"prior_counts": np.ones(2), "keys_0": keys_of(1, 2), "counts_0": np.ones((2, 2))}
    return {name: a for name, a in {**good, **changes}.items() if a is not None}


@pytest.mark.parametrize(
    ("damaged", "said"),
    [
        (state(keys_0=None), "must have prior_counts, and keys and counts of each level"),
        (state(keys_1=keys_of(1)), "must have prior_counts, and keys and counts of each level"),
        ({"prior_counts": np.ones(2)}, "must have prior_counts, and keys and counts of each level"),
        ({}, "must have prior_counts, and keys and counts of each level"),
        (state(keys_0=keys_of(2, 1)), "keys_0 must be 64-bit keys in ascending order"),
        (state(keys_0=keys_of(2, 2)), "keys_0 must be 64-bit keys in ascending order"),
        (state(keys_0=np.array([1, 2])), "keys_0 must be 64-bit keys"),
        (state(keys_0=keys_of(1)), r"counts_0 must be 1 rows of 2 counts: \(2, 2\)"),
        (state(counts_0=np.ones((2, 3))), "counts_0 must be 2 rows of 2 counts"),
        (state(counts_0=np.ones((2, 2), np.int64)), "counts_0 must be floating point: int64"),
        (state(counts_0=np.full((2, 2), np.nan)), "counts_0 must be 0 or more, and finite"),
        (state(counts_0=np.eye(2) * [1, 0]), "counts_0 has a key that was never seen"),
        (state(prior_counts=-np.ones(2)), "prior_counts must be 0 or more, and finite"),
        (state(prior_counts=np.ones(0)), "prior_counts must be 1 rows of 0 counts"),
    ],
)
def test_damaged_states_are_refused(damaged: dict[str, Any], said: str) -> None:
    LexicalisedModel.from_state(state())
    with pytest.raises(OptionError, match=said):
        LexicalisedModel.from_state(damaged)


@pytest.mark.parametrize(
    ("levels", "y", "n_classes", "weights", "said"),
    [
        ([], [], 2, None, "at least one level"),
        ([np.array([1])], [0], 2, None, "one-dimensional arrays of uint64"),
        ([keys_of(1).reshape(1, 1)], [0], 2, None, "one-dimensional arrays of uint64"),
        ([keys_of(1), keys_of(1, 2)], [0], 2, None, "levels differ in length: 1 and 2"),
        ([keys_of(1)], [0, 1], 2, None, "give 1 classes as integers"),
        ([keys_of(1)], [0.5], 2, None, "give 1 classes as integers"),
        ([keys_of(1)], [2], 2, None, "classes must be 0 to 1: 2 to 2 given"),
        ([keys_of(1)], [-1], 2, None, "classes must be 0 to 1: -1 to -1 given"),
        ([keys_of(1)], [0], 0, None, "n_classes must be 1 or more, not 0"),
        ([keys_of(1)], [0], 2, [1, 1], "give 1 weights"),
        ([keys_of(1)], [0], 2, [-1], "weights must be 0 or more, and finite"),
        ([keys_of(1)], [0], 2, [np.nan], "weights must be 0 or more, and finite"),
    ],
)
def test_bad_arguments(levels: Any, y: Any, n_classes: int, weights: Any, said: str) -> None:
    with pytest.raises(OptionError, match=said):
        LexicalisedModel().fit_keys(levels, np.array(y), n_classes, weights)


def test_options_are_checked_when_fitting() -> None:
    for options, said in (
        ({"granularity": "x"}, "unknown granularity 'x'"),
        ({"smoothing": -1}, "smoothing must be 0 or more and finite, not -1"),
        ({"smoothing": np.nan}, "smoothing must be 0 or more and finite, not nan"),
    ):
        model = LexicalisedModel(**options)
        with pytest.raises(OptionError, match=said):
            model.fit_keys([keys_of(1)], np.array([0]), 2)
    with pytest.raises(NotFittedError, match="not fitted yet"):
        LexicalisedModel().predict_proba_keys([keys_of(1)])
    fitted = LexicalisedModel().fit_keys([keys_of(1)], np.array([0]), 2)
    with pytest.raises(OptionError, match="has 1 levels of keys, not 2"):
        fitted.predict_proba_keys([keys_of(1), keys_of(1)])


@given(st.lists(st.tuples(SMALL, SMALL, LABELS, st.integers(0, 3)), min_size=1), SAMPLES)
def test_rows_are_counted_as_keys(train: list[Any], test: list[Any]) -> None:
    twin = lexicalised.Model(3, 0.5)
    for first, second, label, weight in [*train, (0, 0, 0, 1), (0, 0, 1, 1), (0, 0, 2, 1)]:
        twin.add([(first, second)], label, weight)
    rows = np.array([*train, (0, 0, 0, 1), (0, 0, 1, 1), (0, 0, 2, 1)])
    names = np.array(["mono", "swap", "other"])
    model = LexicalisedModel().fit(rows[:, :2], names[rows[:, 2]], rows[:, 3])
    assert model.classes_.tolist() == ["mono", "other", "swap"]
    wanted = np.reshape([sample[:2] for sample in [*test, (9, 9)]], (-1, 2))
    found = model.predict_proba(wanted)[:, [0, 2, 1]]
    np.testing.assert_allclose(found, [twin.predict([tuple(row)]) for row in wanted.tolist()])
    assert (model.predict_proba(csr_matrix(wanted))[:, [0, 2, 1]] == found).all()
    assert (model.predict(wanted) == model.classes_[found[:, [0, 2, 1]].argmax(axis=1)]).all()


def test_keys_and_rows_are_not_mixed_up() -> None:
    model = LexicalisedModel().fit([[1.0], [2.0]], [0, 1])
    model.fit_keys([keys_of(1)], np.array([0]), 2)
    with pytest.raises(OptionError, match="trained by fit_keys: use predict_proba_keys"):
        model.predict([[1.0]])


@parametrize_with_checks([LexicalisedModel(), LexicalisedModel("f", 0)])  # type: ignore[untyped-decorator]
def test_scikit_learn_conventions(estimator: Any, check: Any) -> None:
    check(estimator)


# Moses' tables.


@pytest.mark.parametrize("golden", TABLES, ids=lambda path: path.name)
def test_golden_tables(tmp_path: Path, golden: Path) -> None:
    model, classes, direction, condition = golden.name.split(".")[1].split("-")
    written = write_reordering_table(
        invented(),
        tmp_path / "table",
        f"{model}-{classes}",
        direction=direction,
        condition=condition,
    )
    assert written.read_bytes() == golden.read_bytes()


def test_there_are_golden_tables() -> None:
    assert len(TABLES) == 4


@pytest.mark.parametrize("condition", ["f", "e", "fe"])
def test_tables_of_one_side(tmp_path: Path, condition: str) -> None:
    phrases = invented(3)
    twin = lexicalised.Model(2, 0.1)
    sides = {}
    for pair, label in zip(phrases, phrases.labels("hier-leftright", "forward-moses"), strict=True):
        texts = {"f": [pair.source], "e": [pair.target], "fe": [pair.source, pair.target]}
        text = "".join(" ".join(words) + " ||| " for words in texts[condition])
        sides[text] = [text]
        twin.add([text], int(label))
    expected = [
        text + " ".join(f"{value:g}" for value in twin.predict(keys)) + "\n"
        for text, keys in sorted(sides.items())
    ]
    path = write_reordering_table(
        phrases,
        tmp_path / "table",
        "hier-leftright",
        direction="forward",
        condition=condition,
        smoothing=0.1,
        n_jobs=2,
    )
    assert path.read_text() == "".join(expected)


def test_tables_are_written_whole_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "table"
    phrases = small("a b")
    with pytest.raises(OptionError, match="unknown direction 'sideways': it is one of backward"):
        write_reordering_table(phrases, path, direction="sideways")
    with pytest.raises(OptionError, match="unknown granularity 'ef'"):
        write_reordering_table(phrases, path, condition="ef")
    assert list(tmp_path.iterdir()) == []
    write_reordering_table(phrases, path)
    with pytest.raises(OptionError, match="exists already"):
        write_reordering_table(phrases, path)
    nothing = phrases.filter(np.zeros(len(phrases), np.bool_))
    write_reordering_table(nothing, path, overwrite=True)
    assert path.read_bytes() == b""
