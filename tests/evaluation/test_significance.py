"""Paired bootstrap resampling, beside a loop that draws sentence by sentence."""

from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tartib import OptionError
from tartib.evaluation import approximate_randomisation, paired_bootstrap, significance
from tartib.evaluation.significance import holm
from tests.support.examples import examples


def accuracy(sums: Any) -> Any:
    return sums[:, 0] / sums[:, 1]


def f1(sums: Any) -> Any:
    """A score that is no mean over sentences: right, predicted, true."""
    return 2 * sums[:, 0] / (sums[:, 1] + sums[:, 2] + 1)


def answers(random: np.random.Generator, sentences: int, share: float) -> Any:
    """Draw right answers and all answers of each sentence."""
    asked = random.integers(1, 20, sentences)
    return np.column_stack([random.binomial(asked, share), asked])


def by_loop(a: Any, b: Any, score: Any, samples: int, seed: int, level: float) -> Any:
    random = np.random.default_rng(seed)
    differences = []
    for _ in range(samples):
        drawn = random.integers(0, len(a), len(a))
        first, second = (sum(system[i] for i in drawn) for system in (a, b))
        differences.append(float((score(first[None]) - score(second[None]))[0]))
    low, high = np.quantile(differences, [(1 - level) / 2, 1 - (1 - level) / 2])
    not_above = sum(d <= 0 for d in differences)
    not_below = sum(d >= 0 for d in differences)
    return low, high, min(1, 2 * (min(not_above, not_below) + 1) / (samples + 1))


@examples(40)
@given(st.integers(0, 2**32 - 1), st.integers(1, 12), st.integers(1, 30), st.integers(1, 40))
def test_agrees_with_a_loop(seed: int, sentences: int, samples: int, chunk: int) -> None:
    random = np.random.default_rng(seed)
    a, b = random.integers(0, 9, (2, sentences, 3)).astype(np.float64)
    before = significance._CHUNK
    significance._CHUNK = chunk  # fewer sentences than one sample has, up to several samples
    try:
        found = paired_bootstrap(a, b, f1, samples=samples, seed=seed, level=0.8)
    finally:
        significance._CHUNK = before
    low, high, p_value = by_loop(a, b, f1, samples, seed, 0.8)
    np.testing.assert_allclose([found.low, found.high], [low, high], atol=1e-12)
    assert found.p_value == pytest.approx(p_value)
    whole = f1(a.sum(axis=0, keepdims=True)) - f1(b.sum(axis=0, keepdims=True))
    assert found.difference == pytest.approx(whole[0])


def test_a_system_is_not_better_than_itself() -> None:
    a = answers(np.random.default_rng(1), 50, 0.7)
    found = paired_bootstrap(a, a, accuracy)
    assert (found.difference, found.low, found.high, found.p_value) == (0, 0, 0, 1)


def test_equal_quality_is_no_difference() -> None:
    random = np.random.default_rng(2)
    asked = np.full(400, 10)
    a, b = (np.column_stack([random.binomial(10, 0.7, 400), asked]) for _ in range(2))
    found = paired_bootstrap(a, b, accuracy)
    assert found.low < 0 < found.high
    assert found.p_value > 0.05


def test_exchange_turns_the_sign() -> None:
    random = np.random.default_rng(3)
    a, b = answers(random, 60, 0.72), answers(random, 60, 0.7)
    one, other = paired_bootstrap(a, b, accuracy), paired_bootstrap(b, a, accuracy)
    assert one.difference == -other.difference
    assert (one.low, one.high) == pytest.approx((-other.high, -other.low))
    assert one.p_value == other.p_value


def test_a_clearly_better_system() -> None:
    random = np.random.default_rng(4)
    a, b = answers(random, 300, 0.9), answers(random, 300, 0.6)
    found = paired_bootstrap(a, b, accuracy, samples=999)
    assert 0.2 < found.low < found.difference < found.high < 0.4
    assert found.p_value == pytest.approx(2 / 1000)


def test_a_higher_level_is_a_wider_interval() -> None:
    random = np.random.default_rng(5)
    a, b = answers(random, 100, 0.7), answers(random, 100, 0.65)
    narrow, wide = (paired_bootstrap(a, b, accuracy, level=level) for level in (0.5, 0.99))
    assert wide.low < narrow.low < narrow.high < wide.high


def test_intervals_cover_the_truth() -> None:
    """Of 300 intervals at 90 % some 270 hold the true difference; 5 deviations are 26."""
    random = np.random.default_rng(6)
    covered = 0
    for trial in range(300):
        asked = np.full(80, 10)
        a = np.column_stack([random.binomial(10, 0.75, 80), asked])
        b = np.column_stack([random.binomial(10, 0.7, 80), asked])
        found = paired_bootstrap(a, b, accuracy, samples=300, seed=trial, level=0.9)
        covered += found.low <= 0.05 <= found.high
    assert 244 <= covered <= 296


def test_the_seed_decides() -> None:
    random = np.random.default_rng(7)
    a, b = answers(random, 40, 0.7), answers(random, 40, 0.65)
    assert paired_bootstrap(a, b, accuracy, seed=1) == paired_bootstrap(a, b, accuracy, seed=1)
    assert paired_bootstrap(a, b, accuracy, seed=1) != paired_bootstrap(a, b, accuracy, seed=2)


@pytest.mark.parametrize(
    ("a", "b", "options", "text"),
    [
        ([[1, 2]], [[1, 2, 3]], {}, r"the same columns: arrays of shape \(1, 2\) and \(1, 3\)"),
        ([1, 2], [1, 2], {}, "a row for each sentence"),
        (np.zeros((0, 2)), np.zeros((0, 2)), {}, "at least one sentence"),
        ([[np.nan, 1]], [[1, 1]], {}, "statistics must be finite"),
        ([[1, 2]], [[1, 2]], {"samples": 0}, "samples must be 1 or more"),
        ([[1, 2]], [[1, 2]], {"level": 1.0}, "between 0 and 1, got 1.0"),
    ],
)
def test_arguments_that_cannot_be_used(a: Any, b: Any, options: Any, text: str) -> None:
    with pytest.raises(OptionError, match=text):
        paired_bootstrap(a, b, accuracy, **options)


def test_scores_that_cannot_be_used() -> None:
    with pytest.raises(OptionError, match="must be 1 numbers"):
        paired_bootstrap([[1, 2]], [[1, 2]], lambda sums: sums)
    with pytest.raises(OptionError, match="not a finite number"):
        paired_bootstrap([[1, 2]], [[1, 2]], lambda sums: np.full(len(sums), np.inf))


def dealt_by_hand(a: Any, b: Any, score: Any) -> float:
    """Return the p-value of all ways to deal out, which are few: no samples, and no +1."""
    real = abs(float((score(a.sum(axis=0)[None]) - score(b.sum(axis=0)[None]))[0]))
    as_large = 0.0
    for swaps in product([False, True], repeat=len(a)):
        swap = np.array(swaps)[:, None]
        one, other = np.where(swap, b, a).sum(axis=0), np.where(swap, a, b).sum(axis=0)
        difference = abs(float((score(one[None]) - score(other[None]))[0]))
        as_large += difference >= real - 1e-12
    return as_large / float(2 ** len(a))


@examples(20)
@given(st.integers(0, 2**32 - 1), st.integers(1, 7))
def test_randomisation_nears_the_exact_test(seed: int, sentences: int) -> None:
    a, b = np.random.default_rng(seed).integers(0, 9, (2, sentences, 3)).astype(np.float64)
    found = approximate_randomisation(a, b, f1, samples=4000, seed=seed)
    assert found == pytest.approx(dealt_by_hand(a, b, f1), abs=0.045)  # 5.7 deviations at most


@examples(40)
@given(
    st.integers(0, 2**32 - 1),
    st.integers(1, 6),
    st.integers(1, 3),
    st.integers(1, 3),
    st.integers(1, 60),
)
def test_each_output_of_a_sentence_goes_to_someone(
    seed: int, sentences: int, first: int, second: int, chunk: int
) -> None:
    """Columns count outputs by sentence: each system gets as many of each as it had."""
    runs = np.zeros((first + second, sentences, sentences * (first + second)))
    for run in range(first + second):
        for sentence in range(sentences):
            runs[run, sentence, sentence * (first + second) + run] = 1
    before = significance._CHUNK
    significance._CHUNK = chunk
    try:
        parts = list(significance.dealt_sums(runs[:first], runs[first:], 30, seed))
    finally:
        significance._CHUNK = before
    one, other = (np.concatenate(side) for side in zip(*parts, strict=True))
    assert one.shape == other.shape == (30, runs.shape[2])
    assert ((one + other) == 1).all()
    assert (one.reshape(30, sentences, -1).sum(axis=2) == first).all()
    whole = next(significance.dealt_sums(runs[:first], runs[first:], 30, seed))
    np.testing.assert_array_equal(one, whole[0])


def test_outputs_are_dealt_evenly() -> None:
    """Each of three outputs goes to the system with one run in a third of the samples."""
    runs = np.eye(3)[:, None, :]
    one, _ = next(significance.dealt_sums(runs[:1], runs[1:], 9000, 0))
    assert np.abs(one.sum(axis=0) - 3000).max() < 5 * np.sqrt(9000 * 2 / 9)


def test_randomisation_of_equal_and_of_different_systems() -> None:
    random = np.random.default_rng(8)
    a, b = answers(random, 300, 0.9), answers(random, 300, 0.6)
    assert approximate_randomisation(a, a, accuracy) == 1
    assert approximate_randomisation(a, b, accuracy, samples=999) == 1 / 1000
    assert approximate_randomisation(b, a, accuracy, samples=999) == 1 / 1000
    other = answers(random, 300, 0.9)
    assert approximate_randomisation(a, other, accuracy) > 0.01


def test_randomisation_keeps_its_level() -> None:
    """Of 400 comparisons of equals some 40 are below 0.1; 5 deviations are 30."""
    random = np.random.default_rng(9)
    p_values = [
        approximate_randomisation(
            answers(random, 40, 0.7), answers(random, 40, 0.7), accuracy, samples=200, seed=trial
        )
        for trial in range(400)
    ]
    assert 10 <= sum(p <= 0.1 for p in p_values) <= 70


def test_randomisation_of_what_cannot_be_used() -> None:
    with pytest.raises(OptionError, match="the same columns"):
        approximate_randomisation([[1, 2]], [[1, 2, 3]], accuracy)
    with pytest.raises(OptionError, match="samples must be 1 or more"):
        approximate_randomisation([[1, 2]], [[1, 2]], accuracy, samples=0)
    with pytest.raises(OptionError, match="statistics must be finite"):
        approximate_randomisation(np.array([[[1, 2]], [[np.nan, 2]]]), [[1, 2]], accuracy)


def test_holm_adjusts_for_the_number_of_comparisons() -> None:
    assert holm([]) == []
    assert holm([0.03]) == [0.03]
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.9, 0.5]) == [1.0, 1.0]
