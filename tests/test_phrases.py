"""The store of phrase pairs: selecting, joining, saving, refusing damage."""

import json
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tartib import Bitext, DataError, OptionError, PhrasePairs, extract_phrases
from tests.support.examples import examples
from tests.support.strategies import Aligned, aligned_pairs

pytestmark = pytest.mark.native
SENTENCES = st.lists(aligned_pairs(longest=5), min_size=1, max_size=12)


def phrases_of(pairs: list[Aligned]) -> PhrasePairs:
    bitext = Bitext.from_lines(*zip(*(pair.lines() for pair in pairs), strict=True))
    return extract_phrases(bitext, n_jobs=1)


def same(one: PhrasePairs, other: PhrasePairs) -> bool:
    return list(one) == list(other) and one.offsets.tolist() == other.offsets.tolist()


@pytest.fixture
def small() -> PhrasePairs:
    """Two sentences: one swapped, one in order."""
    source = ["الكتاب الجديد", "a b"]
    return extract_phrases(
        Bitext.from_lines(source, ["the new book", "x y"], ["0-0 0-2 1-1", "0-0 1-1"])
    )


def test_a_pair_in_words(small: PhrasePairs) -> None:
    assert len(small) == 5
    first = small[0]
    assert (first.sentence, first.source, first.target) == (
        0,
        ["الكتاب", "الجديد"],
        ["the", "new", "book"],
    )
    assert first.links == [(0, 0), (0, 2), (1, 1)]
    assert (first.backward, first.forward) == ("mono", "mono")
    assert small[-1] == (1, ["b"], ["y"], 1, 1, [(0, 0)], "mono", "mono")
    with pytest.raises(IndexError, match="no pair 5"):
        small[5]
    with pytest.raises(TypeError, match="one at a time"):
        small[1:3]  # type: ignore[index]


@given(SENTENCES, st.floats(0, 1), st.integers(0, 9))
def test_split_is_by_sentence_and_loses_nothing(
    pairs: list[Aligned], held_out: float, seed: int
) -> None:
    phrases = phrases_of(pairs)
    train, held = phrases.split(held_out=held_out, seed=seed)
    assert len(train) + len(held) == len(phrases)
    assert not set(train.sentences.tolist()) & set(held.sentences.tolist())
    assert same(PhrasePairs.concatenate([train, held]), phrases)
    assert same(PhrasePairs.concatenate([held, train]), phrases)
    again = phrases.split(held_out=held_out, seed=seed)
    assert same(again[0], train)


def test_split_sizes_and_seeds() -> None:
    phrases = phrases_of([Aligned(1, 1, [(0, 0)])] * 1000)
    train, held = phrases.split(held_out=0.1, seed=3)
    assert (len(train), len(held)) == (900, 100)
    assert held.sentences.tolist() != phrases.split(held_out=0.1, seed=4)[1].sentences.tolist()
    assert "held_out:0.1,seed:3" in held.signature


@given(SENTENCES, st.data())
def test_filter_keeps_what_is_asked(pairs: list[Aligned], data: st.DataObject) -> None:
    phrases = phrases_of(pairs)
    keep = data.draw(st.lists(st.booleans(), min_size=len(phrases), max_size=len(phrases)))
    kept = phrases.filter(np.array(keep, np.bool_))
    assert list(kept) == [pair for pair, wanted in zip(phrases, keep, strict=True) if wanted]


@given(SENTENCES, st.data())
def test_repeated_pairs_stay_in_their_sentences(pairs: list[Aligned], data: st.DataObject) -> None:
    phrases = phrases_of(pairs)
    times = data.draw(st.lists(st.integers(0, 3), min_size=len(phrases), max_size=len(phrases)))
    found = phrases.repeated(np.array(times, np.int32))
    assert list(found) == [
        pair for pair, count in zip(phrases, times, strict=True) for _ in range(count)
    ]


def test_repeated_takes_a_number_for_each_pair(small: PhrasePairs) -> None:
    for times in ([1, 1], [1, 1, -1, 1, 1]):
        with pytest.raises(OptionError, match="give 5 numbers from 0 on"):
            small.repeated(np.array(times))


def test_sample(small: PhrasePairs) -> None:
    assert len(small.sample(1.0)) == len(small)
    assert len(small.sample(0.4, by="pair")) == 2
    assert len(set(small.sample(0.5, seed=1).sentences)) == 1
    with pytest.raises(OptionError, match="share must be between 0 and 1"):
        small.sample(1.5)
    with pytest.raises(OptionError, match="the seed must be a number from 0"):
        small.sample(0.5, seed=-1)
    with pytest.raises(OptionError, match="sample by"):
        small.sample(0.5, by="word")
    with pytest.raises(OptionError, match="by 'sentence' only"):
        small.split(by="pair")
    with pytest.raises(OptionError, match="5 booleans"):
        small.filter(np.ones(4, np.bool_))
    with pytest.raises(OptionError, match="2 booleans"):
        small.of_sentences(np.ones(5, np.bool_))


@given(SENTENCES, SENTENCES)
def test_concatenation_of_corpora(one: list[Aligned], other: list[Aligned]) -> None:
    parts = [phrases_of(one), phrases_of(other)]
    if parts[0].bitext.fingerprint == parts[1].bitext.fingerprint:
        return
    joined = PhrasePairs.concatenate(parts)
    assert same(joined, phrases_of(one + other))


def test_parts_of_several_corpora_come_together_by_corpus() -> None:
    first = phrases_of([Aligned(2, 2, [(0, 0), (1, 1)])] * 10)
    second = phrases_of([Aligned(3, 3, [(0, 2), (1, 1)])] * 5)
    train, held_out = first.split(held_out=0.5)
    joined = PhrasePairs.concatenate([train, second, held_out])
    assert len(joined.bitext) == 15
    assert same(joined, PhrasePairs.concatenate([first, second]))
    assert "train_without:0.5,seed:0+whole+held_out:0.5,seed:0" in joined.signature


def test_concatenation_of_nothing() -> None:
    with pytest.raises(OptionError, match="nothing to concatenate"):
        PhrasePairs.concatenate([])


def test_find(small: PhrasePairs) -> None:
    assert small.find(line=2).tolist() == [2, 3, 4]
    assert small.find(words=["new"]).tolist() == [0, 1]
    assert small.find(words=["new", "الكتاب"]).tolist() == [0]
    assert small.find(words=["nowhere"]).tolist() == []
    assert small.find(words="new").tolist() == [0, 1]
    assert small.find(line=99).tolist() == []
    assert small.find().tolist() == [0, 1, 2, 3, 4]
    with pytest.raises(OptionError, match="it is one of backward, forward, forward-moses"):
        small.find(direction="sideways")
    labels = [pair.forward for pair in small]
    assert small.find(label="mono", direction="forward").tolist() == [
        i for i, label in enumerate(labels) if label == "mono"
    ]
    with pytest.raises(OptionError, match="hier-msd has no class 'dleft'"):
        small.find(label="dleft")
    assert small.reading_as("word-mslr").find(label="dleft").tolist() == []
    assert str(small.orientation) == "hier-msd"


@given(SENTENCES, st.integers(1, 20), st.floats(0, 1))
def test_chunks_cover_all_pairs_in_order(pairs: list[Aligned], size: int, share: float) -> None:
    phrases = phrases_of(pairs).sample(share)
    chunks = list(phrases.chunks(size))
    covered = [int(phrases.offsets[end] - phrases.offsets[begin]) for begin, end in chunks]
    assert sum(covered) == len(phrases)
    assert all(count > 0 for count in covered)
    assert all(first[1] <= second[0] for first, second in pairwise(chunks))


@examples(30)
@given(SENTENCES)
def test_save_and_load(tmp_path_factory: pytest.TempPathFactory, pairs: list[Aligned]) -> None:
    phrases, _ = phrases_of(pairs).split(held_out=0.3)
    loaded = phrases.save(tmp_path_factory.mktemp("store") / "phrases")
    assert same(loaded, phrases)
    assert loaded.signature == phrases.signature
    assert loaded.counts() == phrases.counts()


@pytest.fixture
def store(tmp_path: Path, small: PhrasePairs) -> Path:
    small.save(tmp_path / "phrases")
    return tmp_path / "phrases"


def test_store_is_about_a_dozen_bytes_a_pair(tmp_path: Path) -> None:
    pairs = [Aligned(7, 7, [(i, i) for i in range(7)])] * 100
    phrases_of(pairs).save(tmp_path / "phrases")
    size = (tmp_path / "phrases" / "pairs.npy").stat().st_size
    assert size < 9 * 28 * 100


@pytest.mark.parametrize(
    "name",
    [
        "pairs.npy",
        "pair_offsets.npy",
        "source_ids.npy",
        "links.npy",
        "target.vocabulary",
        "meta.json",
    ],
)
def test_missing_part(store: Path, name: str) -> None:
    (store / name).unlink()
    with pytest.raises(DataError, match=r"missing|cannot be read|has no meta.json"):
        PhrasePairs.load(store)


@pytest.mark.usefixtures("unverified")
@pytest.mark.parametrize("name", ["pairs.npy", "pair_offsets.npy", "source_ids.npy", "links.npy"])
def test_truncated_part(store: Path, name: str) -> None:
    whole = (store / name).read_bytes()
    (store / name).write_bytes(whole[:-3])
    with pytest.raises(DataError, match="not a readable array"):
        PhrasePairs.load(store)


@pytest.mark.usefixtures("unverified")
def test_parts_of_another_store(store: Path, tmp_path: Path) -> None:
    phrases_of([Aligned(2, 2, [(0, 0)])] * 9).save(tmp_path / "other")
    for name in ("pairs.npy", "pair_offsets.npy", "lines.npy", "target_offsets.npy"):
        mixed = (store / name).read_bytes()
        (store / name).write_bytes((tmp_path / "other" / name).read_bytes())
        with pytest.raises(DataError, match=r"does not cut|different number of sentences"):
            PhrasePairs.load(store)
        (store / name).write_bytes(mixed)
    PhrasePairs.load(store)


@pytest.mark.usefixtures("unverified")
@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"format": "something else"}, "holds 'something else', not a store of phrase pairs"),
        ({"version": 1}, "has format version 1; this Tartib reads version 4\n.*make it again"),
        ({"orientation": "x"}, "unknown orientation 'x'"),
        ({"orientation": 5}, "orientation must be a string, not 5"),
        ({"max_phrase_length": 1.5}, "max_phrase_length must be a whole number from 1 to "),
        ({"max_phrase_length": 0}, "max_phrase_length must be a whole number from 1 to "),
        ({"max_phrase_length": True}, "max_phrase_length must be a whole number from 1 to "),
        ({"history": "abc"}, "history must be a list of strings, not 'abc'"),
        ({"skipped": {"what": 1}}, "lacks the required field 'too_long'"),
        ({"skipped": [1]}, "skipped must be an object"),
        (
            {"skipped": {"too_long": "x", "empty": 0, "one_sided": 0}},
            "too_long must be a whole number from 0 to ",
        ),
    ],
)
def test_foreign_description(store: Path, change: dict[str, object], said: str) -> None:
    meta = json.loads((store / "meta.json").read_text())
    (store / "meta.json").write_text(json.dumps({**meta, **change}))
    with pytest.raises((DataError, OptionError), match=said):
        PhrasePairs.load(store)


def test_not_a_store(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"has no meta\.json, so it is not a store of phrase pairs"):
        PhrasePairs.load(tmp_path)
    with pytest.raises(DataError, match="no such folder"):
        PhrasePairs.load(tmp_path / "nothing")
    (tmp_path / "file").touch()
    with pytest.raises(DataError, match="is a file, not a folder"):
        PhrasePairs.load(tmp_path / "file")


@pytest.mark.usefixtures("unverified")
def test_words_and_pairs_that_are_not_there(store: Path) -> None:
    """Found where they are used, should nothing compare the checksums."""
    ids = np.load(store / "source_ids.npy")
    np.save(store / "source_ids.npy", ids + 10_000)
    with pytest.raises(DataError, match="sentence 1 has a word that is not in the vocabulary"):
        PhrasePairs.load(store)[0]
    np.save(store / "source_ids.npy", ids)
    pairs = np.load(store / "pairs.npy")
    pairs["source_start"] += 5_000
    np.save(store / "pairs.npy", pairs)
    loaded = PhrasePairs.load(store)
    with pytest.raises(DataError, match="pair 1 reaches beyond its sentence"):
        loaded[0]
    with pytest.raises(DataError, match="a phrase pair reaches beyond its sentence, in sentences"):
        loaded.block(0, len(loaded.bitext))
    with pytest.raises(DataError, match="reaches beyond its sentence"):
        loaded.find(words=[loaded.bitext.source.vocabulary[0]])
