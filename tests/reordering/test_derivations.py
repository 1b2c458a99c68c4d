"""Derivations are drawn as their definition says, and are what a decoder could do."""

from collections import Counter
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tartib import Bitext, OptionError, PhrasePairs, _native, extract_phrases
from tartib.features import FeatureEncoder
from tartib.reordering import ReorderingModel, sample_derivations
from tests.oracles import derivations as oracle
from tests.support.examples import examples
from tests.support.reordering import Parts
from tests.support.strategies import Aligned, aligned_pairs

pytestmark = pytest.mark.native

DRAWS = 2000
PRICES = st.tuples(*[st.sampled_from([0.0, 0.5, 1.0, 3.0])] * 3)


def extracted(pair: Aligned, times: int = 1) -> PhrasePairs:
    return extract_phrases(
        Bitext.from_lines(*([line] * times for line in pair.lines())), max_phrase_length=4
    )


def places(phrases: PhrasePairs) -> list[oracle.Pair]:
    return [
        oracle.Pair(b, b + m, i, i + n) for b, i, m, n, _ in map(tuple, phrases.records.tolist())
    ]


@examples(100)
@given(aligned_pairs(longest=5), PRICES, st.booleans(), st.randoms(use_true_random=False))
def test_derivations_are_drawn_with_their_probabilities(
    pair: Aligned, prices: oracle.Prices, counted: bool, random: Random
) -> None:
    pairs = places(extracted(pair))
    keys = [[random.randint(0, 3) for _ in pairs] for _ in range(3)]
    counts = [[random.randint(0, 4) for _ in pairs] for _ in range(3)]
    weights = oracle.log_weights(pairs, keys, counts, counted, prices)
    expected = oracle.derivations(pairs, weights, (pair.words_f, pair.words_e), prices)

    many = extracted(pair, DRAWS)
    uses = _native.derivation_uses(
        many.block(0, DRAWS),
        [np.tile(np.array(level, np.uint64), DRAWS) for level in keys],
        [np.tile(np.array(level, np.int32), DRAWS) for level in counts],
        np.full(DRAWS, counted, np.uint8),
        0,
        1,
        0,
        prices,
    ).reshape(DRAWS, len(pairs))

    found = Counter(tuple(np.flatnonzero(row).tolist()) for row in uses)
    assert uses.max(initial=0) <= 1
    assert found.keys() <= expected.keys()
    for derivation, probability in expected.items():
        spread = np.sqrt(probability * (1 - probability) / DRAWS)
        assert abs(found[derivation] / DRAWS - probability) < 6 * spread + 3 / DRAWS


def test_steps_cover_a_sentence_without_overlaps(phrases: PhrasePairs) -> None:
    steps = sample_derivations(phrases, 1)
    assert 0 < len(steps) < len(phrases)
    text = phrases.bitext
    for side, limits in (("source", text.source.offsets), ("target", text.target.offsets)):
        covered = np.zeros(limits[-1], np.int64)
        for sentence, record in zip(steps.sentences, steps.records, strict=True):
            begin = limits[sentence] + record[f"{side}_start"]
            covered[begin : begin + record[f"{side}_length"]] += 1
        assert covered.max() == 1
        assert covered.mean() > 0.95


def test_pairs_keep_their_order_and_occur_as_often_as_they_are_used(phrases: PhrasePairs) -> None:
    steps = sample_derivations(phrases, 3, seed=5)
    assert steps.signature_parts[-1] == ("then", "derivations:3,seed:5")
    for sentence in range(len(phrases.bitext)):
        all_pairs = phrases.records[phrases.offsets[sentence] : phrases.offsets[sentence + 1]]
        own = steps.records[steps.offsets[sentence] : steps.offsets[sentence + 1]]
        order = all_pairs.tolist()
        at = [order.index(record) for record in own.tolist()]
        assert at == sorted(at)
        assert max(Counter(at).values()) <= 3


def test_draws_depend_on_seed_and_sentence_alone(phrases: PhrasePairs, parts: Parts) -> None:
    steps = sample_derivations(phrases, 2, seed=1, n_jobs=1)
    again = sample_derivations(phrases, 2, seed=1, n_jobs=2)
    assert steps.records.tobytes() == again.records.tobytes()
    assert steps.records.tobytes() != sample_derivations(phrases, 2, seed=2).records.tobytes()
    train, held_out = parts
    both = [sample_derivations(part, 2, seed=1, known=phrases) for part in (train, held_out)]
    assert PhrasePairs.concatenate(both).records.tobytes() == steps.records.tobytes()


def test_phrases_of_one_sentence_only_are_not_preferred() -> None:
    text = ["a b", "a", "b", "a", "b", "c d"], ["A B", "A", "B", "A", "B", "C D"]
    links = ["0-0 1-1", "0-0", "0-0", "0-0", "0-0", "0-0 1-1"]
    phrases = extract_phrases(Bitext.from_lines(*text, links))
    steps = sample_derivations(phrases, 50)
    lengths = np.bincount(steps.records["source_length"][steps.sentences == 0], minlength=3)
    assert lengths[1] > 95
    # If another sentence has it, too, it is as good as its parts.
    lines = (["a b", *text[0]], ["A B", *text[1]], ["0-0 1-1", *links])
    twice = extract_phrases(Bitext.from_lines(*lines))
    steps = sample_derivations(twice, 50)
    lengths = np.bincount(steps.records["source_length"][steps.sentences == 0], minlength=3)
    assert lengths[2] > 10


def test_held_out_sentences_are_judged_by_the_known_ones(parts: Parts) -> None:
    train, held_out = parts
    alone = sample_derivations(held_out, 2)
    known = sample_derivations(held_out, 2, known=train)
    assert alone.records.tobytes() != known.records.tobytes()
    other = extract_phrases(Bitext.from_lines(["x"], ["y"], ["0-0"]))
    assert len(sample_derivations(other, 2, known=train)) == 2


def test_nothing_gives_nothing(phrases: PhrasePairs) -> None:
    none = phrases.filter(np.zeros(len(phrases), np.bool_))
    assert len(sample_derivations(none)) == 0
    assert len(sample_derivations(none, known=phrases)) == 0


def test_narrow_pairs_that_are_missing_leave_out_a_step() -> None:
    """In a filtered store no pair of a span may be free of another one's words."""
    phrases = extract_phrases(Bitext.from_lines(["a x b"], ["A B"], ["0-0 2-1"]))
    records = phrases.records
    wide = (records["target_length"] == 1) & (records["source_length"] == 2)
    steps = sample_derivations(phrases.filter(wide), 20)
    assert wide.sum() == 2
    assert len(steps) == 20


@pytest.mark.parametrize("samples", [0, 1001])
def test_the_number_of_derivations_is_checked(phrases: PhrasePairs, samples: int) -> None:
    with pytest.raises(OptionError, match="1 to 1,000 derivations"):
        sample_derivations(phrases, samples)


@pytest.mark.parametrize("classifier", ["lexicalised", "mlr"])
def test_models_learn_from_steps(classifier: str, parts: Parts) -> None:
    train, held_out = parts
    model, same = (
        ReorderingModel("S4", classifier, hash_bits=16, learn_from=name, random_state=3)
        for name in ("derivations", "pairs")
    )
    steps = sample_derivations(train, seed=3)
    model.fit(train)
    assert model.trained_on_ == same.fit(steps).trained_on_ == steps.signature
    np.testing.assert_array_equal(model.predict_proba(held_out), same.predict_proba(held_out))


@pytest.mark.parametrize("refit", [False, True])
def test_models_are_calibrated_on_steps(refit: bool, parts: Parts) -> None:
    train, held_out = parts
    given: dict[str, Any] = {"hash_bits": 16, "calibrate": "temperature"}
    model = ReorderingModel("S4", "mlr", learn_from="derivations", refit=refit, **given).fit(train)
    rest, dev = train.split(held_out=0.1, seed=0)
    asked = sample_derivations(dev, known=rest)
    same = ReorderingModel("S4", "mlr", **given).fit(sample_derivations(rest), asked)
    found = [each.models_["backward"].calibration.temperature for each in (model, same)]
    assert found[0] == found[1]
    assert (model.trained_on_ == same.trained_on_) == (not refit)
    if not refit:
        np.testing.assert_array_equal(model.predict_proba(held_out), same.predict_proba(held_out))


def test_features_are_counted_on_all_pairs(parts: Parts) -> None:
    model = ReorderingModel("S4", "mlr", cutoff=2, learn_from="derivations").fit(parts[0])
    assert model.encoder_ is not None
    assert model.encoder_.n_features == FeatureEncoder.fit(parts[0], "S4", cutoff=2).n_features


def test_what_models_learn_from_is_checked(parts: Parts) -> None:
    with pytest.raises(OptionError, match=r"learn from pairs or derivations .*, not 'steps'"):
        ReorderingModel("S4", learn_from="steps").fit(parts[0])
