"""MIRA, PRO and MERT against slow twins, and on problems whose answer is known."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tartib.errors import OptionError
from tartib.tuning import MertOptions, MiraOptions, Pool, ProOptions, mert, mira, pro
from tartib.tuning.pro import sample_pairs, sentence_bleu
from tests.oracles import tuning as oracle
from tests.support.examples import examples
from tests.support.pools import cosine, random_pool, solvable_pool

pytestmark = pytest.mark.native
SEEDS = st.integers(0, 1 << 30)
TUNERS: dict[str, tuple[Callable[..., Any], Any]] = {
    "mira": (mira, MiraOptions(sparse_rate=1)),
    "pro": (pro, ProOptions(mixture=1)),
    "mert": (mert, MertOptions(restarts=4)),
}


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


@examples(150)
@given(SEEDS, st.integers(1, 6), st.integers(0, 3), st.integers(1, 4), st.sampled_from((0.01, 0.5)))
def test_mira_is_its_twin(seed: int, sentences: int, n_sparse: int, epochs: int, c: float) -> None:
    pool = random_pool(seed, sentences, n_sparse=n_sparse)
    random = rng(seed)
    start = random.normal(size=3 + n_sparse)
    rates = random.choice((0.0, 0.1, 1.0), len(start))
    orders = [random.permutation(sentences) for _ in range(epochs)]
    ours, bleus = pool.native.mira(start, rates, np.concatenate(orders), c, 0.9)
    theirs, their_bleus = oracle.mira(
        oracle.Lists(pool), start.tolist(), rates.tolist(), [o.tolist() for o in orders], c, 0.9
    )
    assert bleus == pytest.approx(their_bleus)
    assert ours == pytest.approx(theirs)
    assert (ours[rates == 0] == start[rates == 0]).all()


@examples(200)
@given(SEEDS, st.integers(1, 6), st.integers(1, 8))
def test_line_search_is_exact(seed: int, sentences: int, most: int) -> None:
    pool = random_pool(seed, sentences, most)
    weights, direction = rng(seed).normal(size=(2, 3))
    step, bleu = pool.native.search_line(weights, direction)
    best, here = oracle.search_line(oracle.Lists(pool), weights.tolist(), direction.tolist())
    assert bleu == pytest.approx(best, abs=1e-12)
    assert pool.bleu(weights + step * direction) == pytest.approx(best, abs=1e-12)
    assert step != 0 or bleu == pytest.approx(here, abs=1e-12)


@examples(200)
@given(SEEDS, st.integers(1, 5), st.integers(1, 8))
def test_line_search_with_ties(seed: int, sentences: int, most: int) -> None:
    """Whole numbers make many lines equal or parallel; the twin counts in fractions."""
    rows = random_pool(seed, sentences, most).rows
    pool = Pool(sentences, 3)
    dense = rng(seed).integers(-2, 3, rows.dense.shape).astype(np.float32)
    pool.add(replace(rows, dense=dense))
    weights, direction = rng(seed).integers(-2, 3, (2, 3)).tolist()
    step, bleu = pool.native.search_line(*np.array([weights, direction], np.float64))
    lists: Any = oracle.Lists(pool)
    lists.features = [[[Fraction(v) for v in row] for row in part] for part in lists.features]
    best, here = oracle.search_line(lists, weights, direction)
    assert bleu == pytest.approx(best, abs=1e-12)
    there = [w + Fraction(step) * d for w, d in zip(weights, direction, strict=True)]
    assert lists.bleu(there) == pytest.approx(best, abs=1e-12)
    assert step != 0 or bleu == pytest.approx(here, abs=1e-12)


def test_line_search_with_equal_lines() -> None:
    """Rows that a direction does not tell apart, and lines that all meet in one point."""
    pool = random_pool(1, 8, 6)
    still = np.zeros(3)
    weights = np.array([0.5, -1.0, 0.25])
    assert pool.native.search_line(weights, still) == (0.0, pool.bleu(weights))
    step, bleu = pool.native.search_line(still, weights)
    assert bleu == max(pool.bleu(weights), pool.bleu(-weights))
    assert pool.bleu(step * weights) == bleu


@examples(20)
@given(SEEDS)
def test_mert_never_loses(seed: int) -> None:
    pool = random_pool(seed, 6, 8)
    start = rng(seed).normal(size=3)
    fixed = np.array([False, True, False])
    found = mert(pool, start, MertOptions(restarts=2, directions=2), rng(seed), fixed=fixed)
    assert pool.bleu(found) >= pool.bleu(start) - 1e-12
    assert found[1] == start[1]


@pytest.mark.parametrize("name", TUNERS)
def test_known_best_weights_are_found(name: str) -> None:
    tuner, options = TUNERS[name]
    best = np.array([1.0, -0.5, 0.25, 0.75, 0.1])
    pool = solvable_pool(best, 0)
    start = np.array([-0.3, 0.3, 0.3, 0.3, 0.3])
    found = tuner(pool, start, options, rng())
    assert pool.bleu(start) < 0.75 * pool.bleu(best)
    assert pool.bleu(found) > 0.99 * pool.bleu(best)
    assert cosine(found, best) > 0.98


@pytest.mark.parametrize("name", ["mira", "pro"])
def test_known_sparse_weights_are_found(name: str) -> None:
    tuner, options = TUNERS[name]
    best = np.concatenate(([1.0, -0.5, 0.25], rng(3).normal(size=20)))
    pool = solvable_pool(best, 20)
    start = np.concatenate(([-0.3, 0.3, 0.3], np.zeros(20)))
    found = tuner(pool, start, options, rng())
    assert pool.bleu(found) > 0.97 * pool.bleu(best)
    assert cosine(found, best) > 0.9


@pytest.mark.parametrize("name", TUNERS)
def test_the_seed_decides_and_nothing_else(name: str) -> None:
    tuner, options = TUNERS[name]
    pool = random_pool(5, 40, 12, n_dense=4)
    start, fixed = np.array([0.4, 0.3, -0.2, 0.1]), np.array([False, False, False, True])
    jobs = [{"n_jobs": 1}, {"n_jobs": 3}] if name == "mert" else [{}, {}]
    one, two = (tuner(pool, start, options, rng(1), fixed=fixed, **job) for job in jobs)
    assert (one == two).all()
    other = tuner(pool, start, options, rng(2), fixed=fixed)
    assert (other != one).any()
    assert one[3] == start[3]


def test_mert_refuses_sparse_features() -> None:
    with pytest.raises(OptionError, match="MERT cannot tune 2 sparse features: choose mira or pro"):
        mert(random_pool(0, n_sparse=2), np.ones(5), MertOptions(), rng())


def test_sentence_bleu_by_hand() -> None:
    stats = np.array([[6, 6, 5, 3, 2, 1, 6, 5, 4, 3], [3, 6, 3, 2, 1, 0, 3, 2, 1, 0]], np.int32)
    full = (5 / 6 * 4 / 6 * 3 / 5 * 2 / 4) ** 0.25
    assert sentence_bleu(stats) == pytest.approx([full, np.exp(1 - 6 / 3)])
    nothing = np.zeros((1, 10), np.int32)
    assert sentence_bleu(nothing).tolist() == [0.0]


def test_pairs_are_drawn_evenly() -> None:
    """All pairs that differ enough come equally often, both ways round, and no other one does."""
    bleus = np.array([0.5, 0.5, 0.1, 0.3, 0.52, 0.9, 0.2])  # two sentences, of five and two
    offsets = np.array([0, 5, 7])
    options = ProOptions(candidates=20_000, kept=20_000)
    better, worse = sample_pairs(bleus, offsets, options, rng())
    counts = Counter(zip(better.tolist(), worse.tolist(), strict=True))
    unlike = [(0, 2), (0, 3), (1, 2), (1, 3), (3, 2), (4, 2), (4, 3)]
    assert set(counts) == {*unlike, (5, 6)}
    # A pair is drawn with a probability of 2 in 25: five standard deviations.
    expected, deviation = 20_000 * 2 / 25, np.sqrt(20_000 * 2 / 25 * 23 / 25)
    assert all(abs(counts[pair] - expected) < 5 * deviation for pair in unlike)
    assert abs(counts[5, 6] - 10_000) < 5 * np.sqrt(20_000 / 4)


def test_pairs_that_differ_most_are_kept() -> None:
    random = rng(1)
    bleus = random.random(300)
    options = ProOptions(candidates=1000, kept=50)
    better, worse = sample_pairs(bleus, np.array([0, 300]), options, rng(2))
    drawn = rng(2).integers(0, 300, (1000, 2))
    gains = np.sort(np.abs(bleus[drawn[:, 0]] - bleus[drawn[:, 1]]))[::-1]
    assert (bleus[better] - bleus[worse]).tolist() == gains[:50].tolist()


def test_pro_needs_differences() -> None:
    pool = random_pool(0, 3, 1)
    with pytest.raises(OptionError, match="no two translations of a sentence differ by"):
        pro(pool, np.ones(3), ProOptions(), rng())


def test_pro_mixes_with_the_weights_before() -> None:
    pool = random_pool(2, 30, 10)
    start = np.array([1.0, -1.0, 1.0])
    whole, tenth = (pro(pool, start, ProOptions(mixture=share), rng()) for share in (1.0, 0.1))
    assert np.abs(whole).sum() == pytest.approx(3)
    assert tenth == pytest.approx(0.9 * start + 0.1 * whole)


def test_pro_without_weights_before() -> None:
    pool = random_pool(2, 30, 10, n_sparse=2)
    nothing, ones = np.zeros(5), np.ones(5)
    found = pro(pool, nothing, ProOptions(mixture=1), rng())
    assert cosine(found, pro(pool, ones, ProOptions(mixture=1), rng())) == pytest.approx(1)


def test_pro_where_dense_features_tell_nothing() -> None:
    """Sparse weights stay on a scale that a decoder can work with."""
    rows = random_pool(2, 30, 10, n_sparse=2).rows
    pool = Pool(30, 3, 2)
    pool.add(replace(rows, dense=np.ones_like(rows.dense)))
    found = pro(pool, np.ones(5), ProOptions(), rng())
    assert found[:3] == pytest.approx(np.full(3, 0.5))
    assert 0 < np.abs(found[3:]).max() < 100


def test_rows_out_of_order_are_refused() -> None:
    rows = random_pool(3, 4, 6).rows
    with pytest.raises(ValueError, match="out of order"):
        Pool(4, 3).add(rows.take(np.arange(len(rows))[::-1]))


def test_equal_translations_are_kept_once() -> None:
    pool = random_pool(3, 4, 6, n_sparse=2)
    rows, before = pool.rows, len(pool)
    assert not len(pool.add(rows))
    assert len(pool) == before
    empty = Pool(4, 3, 2)
    twice = rows.take(np.repeat(np.arange(len(rows)), 2))
    assert len(empty.add(twice)) == before
    for name in ("sentences", "stats", "dense", "indptr", "indices", "values"):
        assert (getattr(empty.rows, name) == getattr(rows, name)).all()
