"""The aligner joint: its steps against enumeration, its results against gold links."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from tartib import Bitext, OptionError, ReadOptions, TartibError, _native, align
from tartib.alignment import Alignment, AlignmentModel, GoldLinks, Lexicon, Links, evaluate
from tartib.alignment.joint import LEAST, PASSES
from tartib.synthetic import generate, lines
from tests.oracles.alignment_joint import Aligner, Matrix, Pair, attached, chosen

pytestmark = pytest.mark.native

WORDS = 3  # different ones on each side
sentences = st.lists(st.integers(0, WORDS - 1), max_size=3)
texts = st.lists(st.tuples(sentences, sentences), min_size=1, max_size=4)
Native = tuple[_native.JointAligner, _native.AlignmentText]


def flat(side: list[list[int]]) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Return the ids of all sentences, and where each begins."""
    ids = np.array([word for sentence in side for word in sentence], np.int32)
    return ids, np.cumsum([0, *map(len, side)], dtype=np.int64)


def native(
    text: list[Pair], width: int, priors: dict[tuple[int, int], float], words: int = WORDS
) -> Native:
    """Return the aligner of a text with its candidates found."""
    source, target = (flat([pair[k] for pair in text]) for k in (0, 1))
    bound = _native.AlignmentText(*source, words, *target, words)
    known = np.array(list(priors), np.uint32).reshape(-1, 2).T.copy()
    counts = np.array(list(priors.values()), np.float32)
    aligner = _native.JointAligner(words, words)
    aligner.find_candidates(bound, width, known[0], known[1], np.zeros_like(counts), counts, 2)
    return aligner, bound


@settings(max_examples=60)
@given(
    texts,
    st.lists(st.booleans(), max_size=3),
    st.integers(1, WORDS),
    st.dictionaries(
        st.tuples(st.integers(0, WORDS - 1), st.integers(0, WORDS - 1)),
        st.sampled_from([0.5, 3.0]),
        max_size=2,
    ),
)
def test_each_pass_is_that_of_enumeration(
    text: list[Pair], passes: list[bool], width: int, priors: dict[tuple[int, int], float]
) -> None:
    """Counts, perplexity and posteriors, after any sequence of passes."""
    oracle = Aligner(WORDS, WORDS)
    oracle.associate(text, width)
    for key in priors:
        oracle.counts.setdefault(key, 0.0)
    aligner, bound = native(text, width, priors)
    assert aligner.size == len(oracle.counts)
    for jumps in passes:
        expected = oracle.em(text, jumps, priors)
        seen = aligner.count(bound, 0, len(text), jumps, 2)
        aligner.maximise(jumps, 2)
        assert seen.forward == pytest.approx(expected.forward, rel=1e-4, abs=1e-4)
        assert seen.backward == pytest.approx(expected.backward, rel=1e-4, abs=1e-4)
        assert seen.source_tokens == expected.source_tokens
        assert seen.target_tokens == expected.target_tokens
        cells = zip(*aligner.cells(0.0), strict=True)
        found = {(int(f), int(e)): float(count) for f, e, count in cells}
        for key, count in oracle.counts.items():
            assert found.get(key, 0.0) == pytest.approx(count, rel=1e-3, abs=2e-4)
        for side in (0, 1):
            linked, nulls = aligner.counts(side == 0)
            assert linked == pytest.approx(oracle.linked[side], rel=1e-3, abs=1e-3)
            assert nulls == pytest.approx(oracle.nulls[side], rel=1e-3, abs=1e-3)
            jumps_found = aligner.jumps(bool(side))
            if jumps:
                assert jumps_found == pytest.approx([*oracle.jumps[side].values()], abs=1e-5)
    for number, pair in enumerate(text):
        if all(pair):
            both = oracle.posteriors(pair, jumps=True)
            for flat, known in zip(aligner.posteriors(bound, number), both, strict=True):
                assert flat == pytest.approx(np.ravel(known.links), abs=2e-3)


def test_long_sentences_are_aligned_by_words_alone() -> None:
    """With more links than are looked at together: IBM model 1, of what the others have taught."""
    words, length = 90, 1030
    rng = np.random.default_rng(0)
    short: list[Pair] = []
    for _ in range(400):
        source = rng.integers(0, words, 3)
        short.append((source.tolist(), rng.permutation((source + 7) % words).tolist()))
    long = rng.integers(0, words, length).tolist(), rng.integers(0, words, length - 10).tolist()
    assert len(long[0]) * len(long[1]) > _native.MOST_LINKS
    text = [*short, long]
    oracle = Aligner(words, words)
    oracle.associate(text, 20)
    aligner, bound = native(text, 20, {}, words)
    for _ in range(2):
        oracle.em(short, False, {})
        assert aligner.count(bound, 0, len(text), False, 2).source_tokens == 3 * len(short)
        aligner.maximise(False, 2)
    both = [known.links for known in oracle.posteriors(long, jumps=False)]
    found = aligner.align(bound, len(short), len(text), 0.05, 2)
    for side, (positions, sure, own, own_sure) in enumerate(found):
        forward, backward = both[side], both[1 - side]
        expected = chosen(forward, backward, 0.05)
        assert 100 < len(expected) < length
        for word, row in enumerate(forward):
            position, p = expected.get(word, (-1, 0.0))
            assert positions[word] == position
            assert sure[word] == pytest.approx(p, rel=1e-3)
            assert own[word] == row.index(max(row))
            assert own_sure[word] == pytest.approx(max(row), rel=1e-3)


@pytest.fixture(scope="module")
def gold() -> Bitext:
    text = [side.decode().split("\n")[:-1] for side in lines(list(generate(400, seed=5)))]
    return Bitext.from_lines(*text)


@pytest.fixture(scope="module")
def model(gold: Bitext) -> AlignmentModel:
    return AlignmentModel.train(gold)


def f1(found: Bitext, gold: Bitext) -> float:
    return evaluate(found, GoldLinks.of(Links.of_lines(gold)), samples=1).f1.score


def test_finds_most_gold_links(gold: Bitext) -> None:
    assert f1(align(gold), gold) > 0.8  # seen: 0.85; eflomal 0.83


def test_the_same_on_any_number_of_threads(gold: Bitext) -> None:
    one, three = (AlignmentModel.train(gold, n_jobs=n) for n in (1, 3))
    assert [p.perplexity for p in one.passes] == [p.perplexity for p in three.passes]
    first, last = one.align(gold, n_jobs=1), three.align(gold, n_jobs=3)
    assert np.array_equal(first.bitext.links, last.bitext.links)
    assert np.array_equal(first.probabilities, last.probabilities)


def test_passes_tell_how_well_words_are_predicted(gold: Bitext) -> None:
    told: list[float] = []
    trained = AlignmentModel.train(
        gold, callback=lambda done: told.append(done.perplexity[0] if done.perplexity else np.inf)
    )
    assert [done.jumps for done in trained.passes] == list(PASSES)
    assert told[0] == np.inf  # there are no parameters yet
    assert told[1] > told[2] > told[3] > told[4] > told[5]


def test_probabilities_are_those_of_the_links(gold: Bitext, model: AlignmentModel) -> None:
    found = model.align(gold)
    assert len(found.probabilities) == len(found.bitext.links)
    assert found.probabilities.min() >= LEAST
    sure = found.above(0.9)
    assert 0 < len(sure.links) < len(found.bitext.links)
    reference = GoldLinks.of(Links.of_lines(gold))
    precisions = [evaluate(b, reference, samples=1).precision.score for b in (found.bitext, sure)]
    assert precisions[1] > precisions[0]


def links_of(found: Alignment, sentence: int) -> dict[tuple[int, int], float]:
    """Return the links of a sentence with their probabilities."""
    begin, end = found.bitext.link_offsets[sentence : sentence + 2]
    sure = found.probabilities[begin:end].tolist()
    return dict(zip(found.bitext[sentence].links, sure, strict=True))


def matrices(model: AlignmentModel, text: Bitext, sentence: int) -> tuple[Matrix, Matrix]:
    """Return the posteriors of both directions, words × positions."""
    pair = text[sentence]
    forward, backward = model.posteriors(" ".join(pair.source), " ".join(pair.target))
    return forward.T.tolist(), backward.tolist()


@pytest.mark.parametrize("least", [None, 0.05, 0.0])
def test_links_are_what_each_word_believes_in_most(
    gold: Bitext, model: AlignmentModel, least: float | None
) -> None:
    """By the weighted geometric mean of the posteriors, from either side."""
    found = model.align(gold, heuristic="union", min_probability=least)
    limit = LEAST if least is None else least
    for n in range(20):
        forward, backward = matrices(model, gold, n)
        to_target = chosen(backward, forward, limit)
        expected = {(f, e): p for f, (e, p) in to_target.items()}
        expected |= {(f, e): p for e, (f, p) in chosen(forward, backward, limit).items()}
        assert links_of(found, n) == pytest.approx(expected, rel=1e-4)


@pytest.mark.parametrize("heuristic", ["grow-diag-final-and", "intersection", "union"])
@pytest.mark.parametrize("least", [0.5, 0.0, 0.99])
def test_words_without_a_link_are_attached(
    gold: Bitext, model: AlignmentModel, heuristic: str, least: float
) -> None:
    alone = model.align(gold, heuristic)
    found = model.align(gold, heuristic, attach=least)
    for n in range(60):
        expected = links_of(alone, n)
        attached(expected, *matrices(model, gold, n), least)
        assert links_of(found, n) == pytest.approx(expected, rel=1e-6)
        assert found.bitext[n].links == sorted(found.bitext[n].links)
    assert len(found.probabilities) == len(found.bitext.links) > len(alone.bitext.links)


def test_less_probable_links_are_found_or_left_out(gold: Bitext, model: AlignmentModel) -> None:
    found = {p: model.align(gold, min_probability=p) for p in (None, LEAST, 0.1, 0.8)}
    usual = found[None]
    assert np.array_equal(usual.bitext.links, found[LEAST].bitext.links)
    assert len(found[0.1].bitext.links) > len(usual.bitext.links)
    assert 0.1 <= found[0.1].probabilities.min() < LEAST
    assert np.array_equal(found[0.8].bitext.links, usual.above(0.8).links)
    assert np.array_equal(found[0.8].bitext.link_offsets, usual.above(0.8).link_offsets)
    through = align(gold, attach=0.5, min_probability=0.1)
    own = model.align(gold, attach=0.5, min_probability=0.1).bitext
    assert np.array_equal(through.links, own.links)


def test_options_of_the_aligner_joint_are_checked(gold: Bitext) -> None:
    with pytest.raises(OptionError, match=r"attach must be between 0 and 1, got 1\.5"):
        align(gold, attach=1.5)
    with pytest.raises(OptionError, match=r"min_probability must be between 0 and 1, got -0\.1"):
        align(gold, min_probability=-0.1)
    with pytest.raises(OptionError, match="ibm1 takes no attach: only joint does"):
        align(gold, "ibm1", attach=0.5)
    with pytest.raises(OptionError, match="ibm1 takes no min_probability: only joint does"):
        align(gold, "ibm1", min_probability=0.0)


def test_posteriors_of_a_sentence(gold: Bitext, model: AlignmentModel) -> None:
    pair = gold[0]
    forward, backward = model.posteriors(" ".join(pair.source), " ".join(pair.target))
    assert forward.shape == backward.shape == (len(pair.source), len(pair.target))
    assert (forward.sum(0) <= 1.001).all()
    assert (backward.sum(1) <= 1.001).all()
    with pytest.raises(OptionError, match="both sides need words"):
        model.posteriors("", "a")
    with pytest.raises(OptionError, match="more than 1,048,576 possible links"):
        model.posteriors("a " * 1100, "b " * 1100)


def test_words_that_a_model_does_not_know(gold: Bitext, model: AlignmentModel) -> None:
    assert model.unknown(gold) == (0.0, 0.0)
    known, other = gold[0].source[0], gold[0].target
    text = Bitext.from_lines([f"{known} x y z"], [" ".join(other)])
    assert model.unknown(text) == (0.75, 0.0)
    assert model.unknown(Bitext.from_lines([], [])) == (0.0, 0.0)


def test_sentences_with_too_many_links_are_counted() -> None:
    text = Bitext.from_lines(
        ["a " * 1100, "a"], ["b " * 1100, "b"], options=ReadOptions(max_sentence_length=2000)
    )
    assert AlignmentModel.train(text).too_long == 1


def test_long_sentences_without_a_clue_predict_themselves() -> None:
    """Each link has so small a share that a fixed limit would drop all counts."""
    text = Bitext.from_lines(
        ["a " * 400] * 5, ["b " * 400] * 5, options=ReadOptions(max_sentence_length=400)
    )
    last = AlignmentModel.train(text).passes[-1].perplexity
    assert last == pytest.approx((1.0, 1.0), abs=0.01)


def test_a_saved_model_aligns_as_the_first_did(
    gold: Bitext, model: AlignmentModel, tmp_path: Path
) -> None:
    model.save(tmp_path / "model")
    loaded = AlignmentModel.load(tmp_path / "model")
    assert loaded.signature == model.signature
    assert loaded.sentences == len(gold)
    first, again = model.align(gold), loaded.align(gold)
    assert np.array_equal(first.bitext.links, again.bitext.links)
    assert np.array_equal(first.bitext.link_offsets, again.bitext.link_offsets)
    assert again.probabilities == pytest.approx(first.probabilities, abs=1e-3)
    other = Bitext.from_lines(["unbekannt " + " ".join(gold[0].source)], ["new words " * 3])
    assert loaded.align(other).bitext.aligned


def test_a_saved_model_helps_a_few_sentences(gold: Bitext, model: AlignmentModel) -> None:
    few = gold.slice(0, 20)
    alone, helped = align(few), model.align(few).bitext
    with_priors = align(few, priors=model)
    assert f1(helped, few) > f1(alone, few) + 0.05
    assert f1(with_priors, few) > f1(alone, few) + 0.05


def test_a_lexicon_decides_what_the_text_leaves_open(tmp_path: Path) -> None:
    text = Bitext.from_lines(["haus grün"] * 3, ["house green"] * 3)
    (tmp_path / "lexicon").write_text("haus\tgreen\t20\ngrün house 20\n\n")
    found = align(text, priors=tmp_path / "lexicon")
    assert found[0].links == [(0, 1), (1, 0)]
    assert len(Lexicon.read(tmp_path / "lexicon")) == 2


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("haus", "has 1 fields"),
        ("a b c d", "has 4 fields"),
        ("a b -1", "'-1'"),
        ("a b nan", "nan"),
        ("a b 0", "not a count above 0, and at most 1,000,000: '0'"),
        ("a b 1e9", "not a count above 0"),
        ("haus house 1e6", "haus house is worth more than 1,000,000 links in all"),
    ],
)
def test_a_lexicon_with_a_bad_line(tmp_path: Path, line: str, problem: str) -> None:
    (tmp_path / "lexicon").write_text(f"haus house\n{line}\n")
    with pytest.raises(TartibError, match=problem) as raised:
        Lexicon.read(tmp_path / "lexicon")
    assert "lexicon:2" in str(raised.value)


def test_priors_beyond_what_the_native_code_can_count() -> None:
    text = Bitext.from_lines(["a b"], ["c d"])
    ids = np.array([0, 1], np.uint32)
    known = text.source.vocabulary, text.target.vocabulary
    lexicon = Lexicon(*known, ids, ids, np.array([2e12, 1], np.float32))
    with pytest.raises(OptionError, match="the prior counts of a word add up to more than"):
        align(text, priors=lexicon)


def test_hostile_text() -> None:
    """Empty sides, one word for all, identical sides, sentences beyond all measure."""
    long = ReadOptions(max_sentence_length=_native.MAX_SENTENCE_LENGTH)
    assert len(align(Bitext.from_lines([], []))) == 0
    same = Bitext.from_lines(["a a a", "a"], ["a a a", "a"])
    found = align(same)
    assert [found[n].links for n in (0, 1)] == [[(0, 0), (2, 2)], [(0, 0)]]
    words = " ".join(f"w{i % 500}" for i in range(_native.MAX_SENTENCE_LENGTH))
    short = [
        f"w{i} w{(7 * i + 1) % 500}" for i in range(500)
    ]  # which teach what the long one means
    sides = [words, words, *short], ["x " * 40, words, *short]
    huge = align(Bitext.from_lines(*sides, options=long), min_probability=0.05)
    pair = huge[1]
    assert len(pair.links) >= 500  # each word is there eight times
    assert all(pair.source[i] == pair.target[j] for i, j in pair.links)
    endless = Bitext.from_lines(["w " * 30_000, "a"], ["x", "b"], options=long)
    assert (len(endless), endless.skipped.too_long) == (1, 1)


def test_identical_sides_are_aligned_straight() -> None:
    side = [" ".join(f"w{(7 * s + i) % 50}" for i in range(8)) for s in range(200)]
    found = align(Bitext.from_lines(side, side))
    straight = (found.links[:, 0] == found.links[:, 1]).mean()
    assert straight > 0.97


def test_keys_are_aligned_in_place_of_words() -> None:
    source = [f"{stem}{ending} geht" for ending in "abcdefgh" for stem in ("hund", "katz")]
    keys = [f"{stem} geh" for _ in "abcdefgh" for stem in ("hund", "katz")]
    target = [f"goes {word}" for _ in "abcdefgh" for word in ("dog", "cat")]
    text = Bitext.from_lines(source, target)
    found = align(text, keys=Bitext.from_lines(keys, target))
    assert found.source.vocabulary is text.source.vocabulary
    assert all(found[i].links == [(0, 1), (1, 0)] for i in range(len(found)))
    with pytest.raises(OptionError, match="line 1 has 2 source words, and 1 keys"):
        align(text, keys=Bitext.from_lines([line.split()[0] for line in keys], target))


def test_arguments_are_checked_before_they_reach_the_core() -> None:
    aligner, bound = native([([0, 1], [0])], 2, {})
    ids, offsets = np.array([0, 9], np.int32), np.array([0, 2], np.int64)
    with pytest.raises(ValueError, match="not in the vocabulary"):
        _native.AlignmentText(ids, offsets, 3, ids, offsets, 3)
    with pytest.raises(ValueError, match="out of range"):
        aligner.count(bound, 0, 2, False, 1)
    with pytest.raises(ValueError, match="out of range"):
        aligner.align(bound, 0, 1, 0.1, 0)
    other = _native.AlignmentText(ids, offsets, 10, ids, offsets, 10)
    with pytest.raises(ValueError, match="other vocabularies"):
        aligner.count(other, 0, 1, False, 1)
