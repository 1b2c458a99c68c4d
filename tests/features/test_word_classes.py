"""Features of word classes: how they are learnt, named, saved and refused."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tartib import Bitext, DataError, OptionError, PhrasePairs, WordClasses, extract_phrases
from tartib.features import FeatureEncoder, FeatureSet
from tartib.word_classes import DEFAULT_CLASSES as DEFAULT

pytestmark = pytest.mark.native
# Nouns stand where nouns stand; "rabbit" is there once.
SOURCE = [*(f"{a} {b}" for a in ("the", "a", "one") for b in ("dog", "cat", "fish")), "the rabbit"]
TARGET = [line.upper() for line in SOURCE]
LINKS = ["0-0 1-1"] * len(SOURCE)
NOUNS, ARTICLES = "class 2 (“dog”, “cat”, “fish”, …)", "class 1 (“the”, “a”, “one”, …)"


FEATURES = "boundaries,context=1,anova=1+2,classes=2"  # S6 with two classes


def phrases_of(source: list[str], target: list[str]) -> PhrasePairs:
    return extract_phrases(Bitext.from_lines(source, target, ["0-0 1-1"] * len(source)))


@pytest.fixture
def phrases() -> PhrasePairs:
    return phrases_of(SOURCE, TARGET)


@pytest.fixture
def encoder(phrases: PhrasePairs) -> FeatureEncoder:
    return FeatureEncoder.fit(phrases, FEATURES, cutoff=0)


def names(encoder: FeatureEncoder, phrases: PhrasePairs) -> list[set[str]]:
    return [
        {encoder.name(int(column)) for column in row}
        for offsets, columns in encoder.encode(phrases, 1)
        for row in np.split(columns, offsets[1:-1])
    ]


def test_classes_are_those_of_the_text(encoder: FeatureEncoder) -> None:
    for use, text in (("source", SOURCE), ("target", TARGET), ("context", SOURCE)):
        learnt = WordClasses.learn(text, 2)
        found = encoder.words.classes[use]
        words = getattr(encoder.words, use)
        assert dict(zip(words, found.numbers.tolist(), strict=True)) == learnt.numbers
        assert list(found.examples) == [tuple(members[:3]) for members in learnt]


def test_names(encoder: FeatureEncoder, phrases: PhrasePairs) -> None:
    (index,) = (
        i for i, pair in enumerate(phrases) if (pair.sentence, pair.source) == (9, ["rabbit"])
    )
    base = {
        "first source word “rabbit”",
        f"first source word in {NOUNS}",
        f"last source word in {NOUNS}",
        "first target word in class 2 (“DOG”, “CAT”, “FISH”, …)",
        "source word before “the”",
        f"source word before in {ARTICLES}",
        "source word after: sentence end",
        "source word after in a class: sentence end",
    }
    assert base <= set(encoder.base_features(phrases, index))
    joined = {
        f"first source word in {NOUNS} and source word before in {ARTICLES}",
        f"source word before in {ARTICLES} and source word after in a class: sentence end",
    }
    found = names(encoder, phrases)[index]
    assert base | joined <= found
    assert not [name for name in found if "word “" in name and "in class" in name]
    links = FeatureEncoder.fit(phrases, "S3,classes=2", cutoff=0)
    assert f"{NOUNS} linked to class 2 (“DOG”, “CAT”, “FISH”, …)" in links.base_features(
        phrases, index
    )


def test_a_rare_word_has_the_features_of_its_class(phrases: PhrasePairs) -> None:
    encoder = FeatureEncoder.fit(phrases, "S2,classes=2", cutoff=4)
    (index,) = (
        i for i, pair in enumerate(phrases) if (pair.sentence, pair.source) == (9, ["rabbit"])
    )
    found = names(encoder, phrases)[index]
    assert f"first source word in {NOUNS}" in found
    assert not [name for name in found if "rabbit" in name]


def test_unknown_words_have_no_class(encoder: FeatureEncoder) -> None:
    other = phrases_of(["the bird"], ["THE BIRD"])
    (index,) = (i for i, pair in enumerate(other) if pair.source == ["bird"])
    expected = {
        "source word before “the”",
        f"source word before in {ARTICLES}",
        "source word after: sentence end",
        "source word after in a class: sentence end",
    }
    found = names(encoder, other)[index]
    assert {name for name in found if " and " not in name} == expected
    shown = {name for name in encoder.base_features(other, index) if " “bird”" not in name}
    assert {name for name in shown if " “BIRD”" not in name} == expected


def test_held_out_sentences_are_not_learnt_from() -> None:
    """A word that is only in them has no class, and they change none of the others."""
    both = phrases_of([*SOURCE, "dog the", "bird cat"], [*TARGET, "DOG THE", "BIRD CAT"])
    train = both.of_sentences(np.arange(len(both.bitext)) < len(SOURCE))
    encoder = FeatureEncoder.fit(train, "S6,classes=2", cutoff=0)
    alone = FeatureEncoder.fit(phrases_of(SOURCE, TARGET), "S6,classes=2", cutoff=0)
    for use in ("source", "target", "context"):
        *known, bird = encoder.words.classes[use].numbers.tolist()
        assert known == alone.words.classes[use].numbers.tolist()
        assert bird == 0


def test_classes_of_factors() -> None:
    phrases = phrases_of([" ".join(f"{w}|x" for w in s.split()) for s in SOURCE], TARGET)
    features = FeatureSet("S4", context_factor=1, classes=2)
    with pytest.raises(OptionError, match="has no factor 1"):
        FeatureEncoder.fit(phrases, FeatureSet("S4", phrase_factor=1, classes=2))
    encoder = FeatureEncoder.fit(phrases, features, cutoff=0)
    assert encoder.words.classes["context"].examples == (("x",),)
    assert encoder.words.classes["source"].examples[0][0] == "the|x"


@pytest.mark.parametrize(
    ("given", "name", "classes"),
    [
        ("s6-classes", "S6-classes", DEFAULT),
        ("S4-paper-classes", "S4-paper-classes", DEFAULT),
        ("MLR-classes", "S7-classes", DEFAULT),
        ("S6,classes=20", "S6,classes=20", 20),
        (f"S6,classes={DEFAULT}", "S6-classes", DEFAULT),
        ("S6-classes,no-roles", "S6-classes,no-roles", DEFAULT),
        ("S5-classes", "S5-classes", DEFAULT),
        ("boundaries,anova=4,classes=3", "boundaries,context=0,anova=4,classes=3", 3),
        ("S6", "S6", 0),
    ],
)
def test_sets_and_their_names(given: str, name: str, classes: int) -> None:
    features = FeatureSet(given)
    assert (str(features), features.classes) == (name, classes)
    assert FeatureSet(name) == FeatureSet.from_dict(features.as_dict()) == features


def test_sets_say_what_they_are() -> None:
    said = FeatureSet("S4,classes=20").describe()
    assert said.endswith("; each by itself; the same of 20 classes of words on each side")


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"name": "S6", "classes": 1}, "number of word classes must be from 2 to 1,000, not 1"),
        ({"name": "S6,classes=1001"}, "must be from 2 to 1,000, not 1001"),
        ({"name": "S6", "classes": -2}, "must be from 2 to 1,000, not -2"),
        ({"name": "S6", "classes": 2.5}, "classes is a whole number, not 2.5"),
        ({"name": "S6", "classes": True}, "classes is a whole number, not True"),
        ({"name": "S6-classes20"}, "unknown feature set 'S6-classes20'"),
        ({"name": "S6-classes-paper"}, "unknown feature set"),
    ],
)
def test_impossible_sets(given: dict[str, Any], said: str) -> None:
    with pytest.raises(OptionError, match=said):
        FeatureSet(**given)


def test_classes_need_a_dictionary() -> None:
    with pytest.raises(OptionError, match="S6-classes has word classes, which are learnt with a"):
        FeatureEncoder.hashed("S6-classes", 20)


def test_nothing_to_learn_from() -> None:
    empty = extract_phrases(Bitext.from_lines([], [], []))
    encoder = FeatureEncoder.fit(empty, "S6-classes")
    assert encoder.n_features == 0
    assert names(encoder, phrases_of(SOURCE, TARGET))[0] == set()


def test_save_and_load(tmp_path: Path, encoder: FeatureEncoder, phrases: PhrasePairs) -> None:
    encoder.save(tmp_path / "features")
    loaded = FeatureEncoder.load(tmp_path / "features")
    assert names(loaded, phrases) == names(encoder, phrases)
    assert loaded.base_features(phrases, 0) == encoder.base_features(phrases, 0)
    assert loaded.signature == encoder.signature


@pytest.mark.usefixtures("unverified")
def test_damaged_classes(tmp_path: Path, encoder: FeatureEncoder) -> None:
    folder = tmp_path / "features"
    encoder.save(folder)
    path, numbers = folder / "source.classes.npy", encoder.words.classes["source"].numbers
    for wrong in (numbers[:-1], numbers - 2, numbers + 2):
        np.save(path, wrong)
        with pytest.raises(DataError, match="does not fit the other files of the folder"):
            FeatureEncoder.load(folder)
    np.save(path, numbers)
    codes = np.load(folder / "codes.npy")
    np.save(folder / "codes.npy", codes + (codes > np.uint64(0)) * np.uint64(50 << 28))
    with pytest.raises(DataError, match="refers to unknown word ids"):
        FeatureEncoder.load(folder)
    np.save(folder / "codes.npy", codes)
    meta = json.loads((folder / "meta.json").read_text())
    changes: list[dict[str, Any]] = [
        {"classes": None},
        {"classes": {"source": [5]}},
        {"classes": 5},
    ]
    for change in changes:
        (folder / "meta.json").write_text(json.dumps({**meta, **change}))
        with pytest.raises(DataError, match="has a field with a wrong value"):
            FeatureEncoder.load(folder)
    change = {"hash_bits": 10, "cutoff": None}
    (folder / "meta.json").write_text(json.dumps({**meta, **change}))
    with pytest.raises(DataError, match="contradicts the other files of the folder"):
        FeatureEncoder.load(folder)
