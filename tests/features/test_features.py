"""Feature sets against the papers' examples, their twin, and each other's ways of encoding."""

import json
from collections.abc import Callable
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tartib import Bitext, DataError, OptionError, PhrasePairs, Vocabulary, extract_phrases
from tartib.features import Candidate, Candidates, FeatureEncoder, FeatureSet
from tests.oracles import features as oracle
from tests.support.examples import examples
from tests.support.strategies import Aligned, aligned_pairs

pytestmark = pytest.mark.native
JOIN = " and "

# SVM paper, Table 3: the sentence pair, with its three phrase pairs as the only links.
PAPER = Bitext.from_lines(["f1 f2 f3 f4 f5 f6"], ["e1 e2 e3 e4 e5"], ["0-0 1-0 2-4 4-3 5-1 5-2"])
BOUNDARIES = ["source word “f3”", "source word “f5”", "target word “e4”", "target word “e5”"]
LINKS = ["“f3” linked to “e5”", "“f5” linked to “e4”"]
NEAR = ["source word before “f2”", "source word after “f6”"]
FAR = [
    "source word before “f2”",
    "source word 2 before “f1”",
    "source word 3 before: sentence start",
    "source word after “f6”",
    "source word 2 after: sentence end",
]
TABLE_3 = {
    "S1": (
        [
            "source word “f3”",
            "source word “f4”",
            "source word “f5”",
            "target word “e4”",
            "target word “e5”",
        ],
        {1},
    ),
    "S2": (BOUNDARIES, {1}),
    "S3": (LINKS, {1}),
    "S4": (BOUNDARIES + NEAR, {1}),
    "S5": (BOUNDARIES + NEAR, {2}),
    "S6": (BOUNDARIES + NEAR, {1, 2}),
    "S7": (LINKS + NEAR, {1}),
    "S8": (LINKS + NEAR, {2}),
    "S9": (LINKS + NEAR, {1, 2}),
    "S10": (BOUNDARIES + FAR, {1}),
    "S11": (BOUNDARIES + FAR, {2}),
    "S12": (BOUNDARIES + FAR, {1, 2}),
    "S13": (LINKS + FAR, {1}),
    "S14": (LINKS + FAR, {2}),
    "S15": (LINKS + FAR, {1, 2}),
}


def named(encoder: FeatureEncoder, columns: np.ndarray) -> set[frozenset[str]]:
    return {frozenset(encoder.name(int(c)).split(JOIN)) for c in columns}


def rows(encoder: FeatureEncoder, phrases: PhrasePairs, n_jobs: int = 1) -> list[np.ndarray]:
    found = []
    for offsets, columns in encoder.encode(phrases, n_jobs):
        assert offsets[0] == 0
        found += np.split(columns, offsets[1:-1]) if len(offsets) > 1 else []
    return found


def places(phrases: PhrasePairs) -> list[oracle.Place]:
    return [
        oracle.Place(
            phrases.bitext[pair.sentence].source,
            pair.source_start,
            len(pair.source),
            pair.target,
            pair.links,
        )
        for pair in phrases
    ]


ROLES = {
    "source word “f3”": "first source word “f3”",
    "source word “f5”": "last source word “f5”",
    "target word “e4”": "first target word “e4”",
    "target word “e5”": "last target word “e5”",
}


@pytest.mark.parametrize("name", TABLE_3)
@pytest.mark.parametrize("roles", [False, True])
def test_table_3_of_the_svm_paper(name: str, roles: bool) -> None:
    base, degrees = TABLE_3[name]
    if roles and name != "S1":
        base = [ROLES.get(feature, feature) for feature in base]
    phrases = extract_phrases(PAPER, max_phrase_length=7)
    (index,) = (i for i, p in enumerate(phrases) if p.source == ["f3", "f4", "f5"])
    pair = phrases.filter(np.arange(len(phrases)) == index)
    encoder = FeatureEncoder.fit(pair, FeatureSet(name, roles=roles), cutoff=0)
    assert set(encoder.base_features(pair, 0)) == set(base)
    (row,) = rows(encoder, pair)
    expected = {frozenset(subset) for d in degrees for subset in combinations(base, d)}
    assert named(encoder, row) == expected
    assert len(row) == len(expected)
    if name == "S5":
        assert len(row) == 15  # the paper prints 13 and leaves out e5-f2 and e5-f6


@pytest.mark.parametrize(
    ("source", "target", "features"),
    [
        (
            ["f1", "f2"],
            ["e1"],
            [
                "“f1” linked to “e1”",
                "“f2” linked to “e1”",
                "source word before: sentence start",
                "source word after “f3”",
            ],
        ),
        (
            ["f3", "f4", "f5"],
            ["e4", "e5"],
            [
                "“f3” linked to “e5”",
                "“f5” linked to “e4”",
                "source word before “f2”",
                "source word after “f6”",
            ],
        ),
        # The paper's feature 7, f6, is printed for this pair too, but it is a word of the pair.
        (
            ["f6"],
            ["e2", "e3"],
            [
                "“f6” linked to “e2”",
                "“f6” linked to “e3”",
                "source word before “f5”",
                "source word after: sentence end",
            ],
        ),
    ],
)
def test_table_1_of_the_mlr_paper(
    source: list[str], target: list[str], features: list[str]
) -> None:
    phrases = extract_phrases(PAPER)
    encoder = FeatureEncoder.fit(phrases, "MLR", cutoff=0)
    (index,) = (i for i, p in enumerate(phrases) if (p.source, p.target) == (source, target))
    assert set(encoder.base_features(phrases, index)) == set(features)
    assert named(encoder, rows(encoder, phrases)[index]) == {frozenset([f]) for f in features}
    # The table itself has nothing beyond the sentence.
    printed = {f for f in features if "sentence start" not in f and "sentence end" not in f}
    for name in ("S7-paper", "MLR-paper"):
        encoder = FeatureEncoder.fit(phrases, name, cutoff=0)
        assert set(encoder.base_features(phrases, index)) == printed
        assert named(encoder, rows(encoder, phrases)[index]) == {frozenset([f]) for f in printed}


SETS = st.builds(
    FeatureSet,
    phrase=st.sampled_from(["all-words", "boundaries", "alignments"]),
    context=st.integers(0, 3),
    anova=st.sets(st.integers(1, 3), min_size=1),
    roles=st.booleans(),
    edges=st.booleans(),
    classes=st.sampled_from([0, 0, 2, 3]),
)


def corpus(pairs: list[Aligned]) -> PhrasePairs:
    # Few different words, so that features recur and words repeat within a phrase.
    lines = []
    for pair in pairs:
        source = " ".join(f"f{i % 3}" for i in range(pair.words_f))
        target = " ".join(f"e{j % 3}" for j in range(pair.words_e))
        lines.append((source, target, pair.lines()[2]))
    return extract_phrases(
        Bitext.from_lines(*zip(*lines, strict=True)), max_phrase_length=3, n_jobs=1
    )


def twin(encoder: FeatureEncoder, place: oracle.Place) -> set[frozenset[str]]:
    """Return the features of a pair, of words and of the encoder's classes."""
    sets, words = encoder.features, encoder.words

    def base(class_of: Callable[[str, str], str] | None = None) -> frozenset[str]:
        parts = {"roles": sets.roles, "edges": sets.edges}
        return oracle.base_features(place, sets.phrase, sets.context, class_of=class_of, **parts)

    def class_of(side: str, word: str) -> str:
        known = words.source if side == "source" else words.target
        found = words.classes[side]
        return found.name(int(found.numbers[list(known).index(word)]))

    of_words = oracle.anova(base(), sets.anova)
    return of_words | (oracle.anova(base(class_of), sets.anova) if sets.classes else set())


@given(st.lists(aligned_pairs(longest=5), min_size=1, max_size=5), SETS, st.integers(0, 4))
def test_agrees_with_the_twin(pairs: list[Aligned], features: FeatureSet, cutoff: int) -> None:
    phrases = corpus(pairs)
    encoder = FeatureEncoder.fit(phrases, features, cutoff=cutoff, n_jobs=1)
    expected = [twin(encoder, place) for place in places(phrases)]
    kept = oracle.dictionary(expected, cutoff)
    names = [frozenset(encoder.name(c).split(JOIN)) for c in range(encoder.n_features)]
    assert dict(zip(names, encoder.counts.tolist(), strict=True)) == kept
    assert encoder.counts.tolist() == sorted(encoder.counts.tolist(), reverse=True)
    for row, features_of_row in zip(rows(encoder, phrases), expected, strict=True):
        assert named(encoder, row) == features_of_row & set(kept)
        assert len(set(row.tolist())) == len(row)


@examples(30)
@given(st.lists(aligned_pairs(longest=5), min_size=1, max_size=6), SETS)
def test_candidates_are_encoded_as_training_pairs(
    pairs: list[Aligned], features: FeatureSet
) -> None:
    phrases = corpus(pairs)
    encoder = FeatureEncoder.fit(phrases, features, cutoff=1)
    trained = rows(encoder, phrases)
    for sentence in range(len(phrases.bitext)):
        begin, end = phrases.offsets[sentence], phrases.offsets[sentence + 1]
        given_pairs = [phrases[i] for i in range(begin, end)]
        offsets, columns = encoder.encode_candidates(
            phrases.bitext[sentence].source,
            [Candidate(p.source_start, len(p.source), p.target, p.links) for p in given_pairs],
        )
        assert len(offsets) == len(given_pairs) + 1
        found = np.split(columns, offsets[1:-1])
        for row, expected in zip(found, trained[begin:end], strict=False):
            assert row.tolist() == expected.tolist()


@examples(15)
@given(st.lists(aligned_pairs(longest=5), min_size=1, max_size=4), st.sampled_from(["S6", "S9"]))
def test_threads_and_memory_do_not_matter(pairs: list[Aligned], name: str) -> None:
    phrases = corpus(pairs * 60)
    alone = FeatureEncoder.fit(phrases, name, cutoff=5, n_jobs=1)
    tight = FeatureEncoder.fit(phrases, name, cutoff=5, n_jobs=3, memory=64)
    assert np.array_equal(alone.keys, tight.keys)
    assert np.array_equal(alone.counts, tight.counts)
    assert np.array_equal(alone.codes, tight.codes)
    for one, other in zip(rows(alone, phrases, 1), rows(tight, phrases, 2), strict=True):
        assert one.tolist() == other.tolist()


def test_words_unknown_to_the_training_part_are_in_no_feature() -> None:
    train = corpus([Aligned(3, 3, [(0, 0), (1, 1), (2, 2)])])
    encoder = FeatureEncoder.fit(train, "S4", cutoff=0)
    other = extract_phrases(Bitext.from_lines(["new f1 f0"], ["e0 e1 new"], ["0-2 1-1 2-0"]))
    for row, place in zip(rows(encoder, other), places(other), strict=True):
        base = oracle.base_features(place, "boundaries", 1, roles=True)
        known = {feature for feature in base if "new" not in feature}
        names = {name for feature in named(encoder, row) for name in feature}
        assert names <= known
    assert any(len(row) for row in rows(encoder, other))


def test_words_that_come_after_binding_are_unknown() -> None:
    train = corpus([Aligned(3, 3, [(0, 0), (1, 1), (2, 2)])])
    encoder = FeatureEncoder.fit(train, "S2", cutoff=0)
    source, target = Vocabulary(), Vocabulary()
    bound = encoder.bind(source, target)
    ids = np.array([source.add("later")], np.int32), np.array([target.add("too")], np.int32)
    one, none = np.array([1], np.int64), np.array([0], np.int64)
    offsets = np.array([0, 1], np.int64)
    links = np.zeros(1, np.uint32)
    pair = Candidates(ids[0], none, one, ids[1], offsets, links, offsets)
    found, columns = bound.candidates(pair)
    assert found.tolist() == [0, 0]
    assert columns.tolist() == []


def test_hashed_columns_do_not_depend_on_the_corpus() -> None:
    one = extract_phrases(Bitext.from_lines(["a b"], ["x y"], ["0-0 1-1"]))
    other = extract_phrases(Bitext.from_lines(["z", "a b"], ["q", "x y"], ["0-0", "0-0 1-1"]))
    encoder = FeatureEncoder.hashed("S6", 20)
    for ours, theirs in zip(rows(encoder, one), rows(encoder, other)[1:], strict=True):
        assert sorted(ours.tolist()) == sorted(theirs.tolist())
    assert encoder.base_features(one, 0)[0] == "first source word “a”"


def test_hashing_needs_no_dictionary() -> None:
    phrases = corpus([Aligned(4, 4, [(0, 1), (1, 0), (2, 2), (3, 3)])] * 3)
    encoder = FeatureEncoder.hashed("S6", 20)
    assert encoder.n_features == 1 << 20
    exact = FeatureEncoder.fit(phrases, "S6", cutoff=0)
    pairs = list(zip(rows(encoder, phrases), rows(exact, phrases), strict=True))
    assert all(len(hashed) == len(row) for hashed, row in pairs)
    assert len({c for hashed, _ in pairs for c in hashed.tolist()}) == exact.n_features
    small = rows(FeatureEncoder.hashed("S6", 2), phrases)
    assert all(len(set(row.tolist())) == len(row) for row in small)
    assert {c for row in small for c in row.tolist()} == {0, 1, 2, 3}
    assert encoder.name(7) == "hash:7"


def test_factors() -> None:
    bitext = Bitext.from_lines(
        ["كتب|V الولد|N رسالة|N"], ["boy|N wrote|V letter|N"], ["0-1 1-0 2-2"]
    )
    phrases = extract_phrases(bitext)
    features = FeatureSet("S7", phrase_factor=0, context_factor=1)
    encoder = FeatureEncoder.fit(phrases, features, cutoff=0)
    (index,) = (i for i, p in enumerate(phrases) if p.source == ["الولد|N"])
    expected = {"“الولد” linked to “boy”", "source word before “V”", "source word after “N”"}
    assert set(encoder.base_features(phrases, index)) == expected
    offsets, columns = encoder.encode_candidates(
        ["كتب|V", "الولد|N", "رسالة|N"], [Candidate(1, 1, ["boy|N"], [(0, 0)])]
    )
    assert named(encoder, columns) == {frozenset([name]) for name in expected}
    assert len(offsets) == 2
    with pytest.raises(OptionError, match="has no factor 2"):
        FeatureEncoder.fit(phrases, FeatureSet("S7", phrase_factor=2))


def test_degree_four() -> None:
    phrases = corpus([Aligned(3, 3, [(0, 0), (1, 1), (2, 2)])])
    features = FeatureSet(phrase="boundaries", context=2, anova={4})
    encoder = FeatureEncoder.fit(phrases, features, cutoff=0)
    for row, place in zip(rows(encoder, phrases), places(phrases), strict=True):
        assert named(encoder, row) == oracle.anova(
            oracle.base_features(place, "boundaries", 2, roles=True), [4]
        )


@pytest.mark.parametrize(
    ("given_parts", "said"),
    [
        ({"name": "S16"}, "unknown feature set 'S16': it is S1 … S15 or MLR"),
        ({"name": "S16-paper"}, "unknown feature set 'S16-paper': it is S1 … S15 or MLR"),
        ({"name": "S6,context=2"}, "S6 already sets context and anova"),
        ({"name": "S6,roles=maybe"}, "unknown part 'roles=maybe' of the feature set"),
        ({"name": "S6,phrase_factor=x"}, "unknown part 'phrase_factor=x' of the feature set"),
        ({"name": "S1", "context": 2}, "give a name, or phrase, context and anova"),
        ({"name": "S7", "context": 0}, "give a name, or phrase, context and anova"),
        ({"anova": [1.5]}, "anova degrees must be 1 to 4"),
        ({"phrase": "letters"}, "unknown phrase template 'letters'"),
        ({"context": 33}, "context must be 0 to 32 words"),
        ({"anova": []}, "anova degrees must be 1 to 4"),
        ({"anova": [5]}, "anova degrees must be 1 to 4"),
        ({"phrase_factor": -1}, "factors are counted from 0"),
        ({"context_factor": 1.5}, "factors are counted from 0"),
        ({"context": 1.0}, "context must be 0 to 32 words"),
        ({"roles": []}, "roles must be true or false, not \\[\\]"),
        ({"edges": 2}, "edges must be true or false, not 2"),
    ],
)
def test_impossible_sets(given_parts: dict[str, object], said: str) -> None:
    with pytest.raises(OptionError, match=said):
        FeatureSet(**given_parts)  # type: ignore[arg-type]


def test_sets_know_their_names() -> None:
    assert str(FeatureSet("s7")) == "S7"
    assert FeatureSet("MLR") == FeatureSet("S7")
    assert str(FeatureSet(phrase="alignments", context=1)) == "S7"
    odd = FeatureSet(context=2, anova={3, 1}, roles=False, context_factor=1)
    assert str(odd) == "boundaries,context=2,anova=1+3,no-roles,context_factor=1"
    assert not FeatureSet("S7", roles=True).roles  # aligned words have no roles
    assert FeatureSet.from_dict(odd.as_dict()) == odd
    assert hash(FeatureSet("S1")) == hash(FeatureSet("S1"))
    assert FeatureSet(str(odd)) == odd


@pytest.mark.parametrize("number", range(1, 16))
def test_sets_of_the_papers(number: int) -> None:
    paper, ours = FeatureSet(f"S{number}-paper"), FeatureSet(f"s{number}")
    assert (paper.phrase, paper.context, paper.anova) == (ours.phrase, ours.context, ours.anova)
    assert not paper.roles
    assert not paper.edges
    assert ours.roles == (ours.phrase == "boundaries")
    assert ours.edges == (ours.context > 0)
    # S1 and S3 have neither first and last words nor context: ours are the papers'.
    assert str(paper) == (f"S{number}" if number in (1, 3) else f"S{number}-paper")
    assert str(FeatureSet(f"S{number}-PAPER")) == str(paper)


@given(SETS, st.none() | st.integers(0, 2), st.none() | st.integers(0, 2))
def test_a_set_can_be_made_from_its_name(
    features: FeatureSet, phrase_factor: int | None, context_factor: int | None
) -> None:
    features = replace_factors(features, phrase_factor, context_factor)
    assert FeatureSet(str(features)) == features
    assert FeatureSet.from_dict(features.as_dict()) == features


def replace_factors(features: FeatureSet, phrase: int | None, context: int | None) -> FeatureSet:
    parts = {**features.as_dict(), "phrase_factor": phrase, "context_factor": context}
    return FeatureSet.from_dict(parts)


def test_sets_say_what_they_are() -> None:
    assert FeatureSet("S6").describe() == (
        "S6: first and last words of both phrases as different features; one source word before "
        "and after; "
        "each by itself and in pairs"
    )
    assert FeatureSet("S1").describe() == "S1: all words of both phrases; each by itself"
    assert FeatureSet("S14").describe() == (
        "S14: linked word pairs; 3 source words before and after; in pairs"
    )
    assert "first and last words of both phrases; " in FeatureSet("S2", roles=False).describe()
    assert FeatureSet("S3", phrase_factor=1).describe().endswith("; factor 1 of phrase words")


@pytest.fixture
def encoder() -> FeatureEncoder:
    return FeatureEncoder.fit(corpus([Aligned(3, 3, [(0, 0), (1, 1), (2, 2)])]), "S6", cutoff=0)


def test_save_and_load(tmp_path: Path, encoder: FeatureEncoder) -> None:
    encoder.save(tmp_path / "features")
    loaded = FeatureEncoder.load(tmp_path / "features")
    phrases = corpus([Aligned(4, 4, [(0, 0), (1, 1), (3, 2)])])
    for one, other in zip(rows(encoder, phrases), rows(loaded, phrases), strict=True):
        assert one.tolist() == other.tolist()
    assert [loaded.name(c) for c in range(5)] == [encoder.name(c) for c in range(5)]
    assert loaded.signature == encoder.signature
    hashed = FeatureEncoder.hashed("S2", 10)
    hashed.save(tmp_path / "hashed")
    assert FeatureEncoder.load(tmp_path / "hashed").hash_bits == 10


@pytest.mark.usefixtures("unverified")
def test_damaged_encoder(tmp_path: Path, encoder: FeatureEncoder) -> None:
    encoder.save(tmp_path / "features")
    keys = np.load(tmp_path / "features" / "keys.npy")
    np.save(tmp_path / "features" / "keys.npy", keys[:-1])
    with pytest.raises(DataError, match="arrays of different lengths"):
        FeatureEncoder.load(tmp_path / "features")
    np.save(tmp_path / "features" / "keys.npy", np.full_like(keys, 7))
    with pytest.raises(DataError, match=r"keys\.npy: is damaged"):
        FeatureEncoder.load(tmp_path / "features")
    np.save(tmp_path / "features" / "keys.npy", keys)
    codes = np.load(tmp_path / "features" / "codes.npy")
    np.save(tmp_path / "features" / "codes.npy", codes + np.uint64(50 << 28))
    with pytest.raises(DataError, match="refers to unknown word ids"):
        FeatureEncoder.load(tmp_path / "features")
    np.save(tmp_path / "features" / "codes.npy", codes)
    meta = json.loads((tmp_path / "features" / "meta.json").read_text())
    changes: list[tuple[dict[str, object], str]]
    changes = [
        ({"hash_bits": 99}, "hash_bits must be a whole number from 1 to 31, not 99"),
        ({"hash_bits": 10}, "contradicts the other files of the folder"),
        ({"cutoff": "x"}, "cutoff must be a whole number from 0 to 4,294,967,295, not 'x'"),
        ({"cutoff": 2.5}, "cutoff must be a whole number"),
        ({"words": {}}, "contradicts the other files of the folder"),
        ({"features": {"phrase": 5}}, "has a field with a wrong value"),
        ({"features": 5}, "has a field with a wrong value"),
    ]
    for change, problem in changes:
        (tmp_path / "features" / "meta.json").write_text(json.dumps({**meta, **change}))
        with pytest.raises(DataError, match=problem):
            FeatureEncoder.load(tmp_path / "features")
    with pytest.raises(IndexError, match="no column -1"):
        encoder.name(-1)
    with pytest.raises(DataError, match="no such folder; a feature encoder is a folder"):
        FeatureEncoder.load(tmp_path / "nothing")


def test_options_are_checked() -> None:
    phrases = corpus([Aligned(1, 1, [(0, 0)])])
    with pytest.raises(OptionError, match="cutoff must be 0 or more"):
        FeatureEncoder.fit(phrases, "S1", cutoff=-1)
    with pytest.raises(OptionError, match="hash_bits must be from 1 to 31"):
        FeatureEncoder.hashed("S1", 32)


def test_conjunctions_that_would_fill_the_memory_are_refused() -> None:
    words = " ".join(f"w{i}" for i in range(100))
    phrases = extract_phrases(
        Bitext.from_lines([words], [words], ["0-0 99-99"]), max_phrase_length=100, n_jobs=1
    )
    with pytest.raises(OptionError, match="too many conjunctions"):
        FeatureEncoder.fit(phrases, FeatureSet(phrase="all-words", anova={4}))


def test_nothing_to_count() -> None:
    phrases = extract_phrases(Bitext.from_lines([], [], []))
    encoder = FeatureEncoder.fit(phrases, "S6")
    assert encoder.n_features == 0
    assert rows(encoder, phrases) == []
