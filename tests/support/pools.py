"""Pools of translations for the tests of tuners."""

from __future__ import annotations

import numpy as np

from tartib.tuning import Pool, Rows


def random_pool(
    seed: int, n_sentences: int = 5, most: int = 6, n_dense: int = 3, n_sparse: int = 0
) -> Pool:
    """Return up to ``most`` translations of each sentence, with anything as features."""
    rng = np.random.default_rng(seed)
    sentences = np.repeat(np.arange(n_sentences), rng.integers(1, most + 1, n_sentences))
    count = len(sentences)
    lengths = rng.integers(1, 12, count)
    totals = np.maximum(0, lengths[:, None] - np.arange(4))
    matches = np.minimum.accumulate(rng.integers(0, totals + 1), axis=1)
    stats = np.column_stack((lengths, rng.integers(1, 12, n_sentences)[sentences], matches, totals))
    each = rng.integers(0, n_sparse + 1, count)
    chosen = [np.sort(rng.choice(n_sparse, size, replace=False)) for size in each]
    pool = Pool(n_sentences, n_dense, n_sparse)
    pool.add(
        Rows(
            sentences,
            stats.astype(np.int32),
            rng.normal(size=(count, n_dense)).astype(np.float32),
            np.cumsum([0, *each], dtype=np.int64),
            np.concatenate([np.zeros(0, np.int32), *chosen]).astype(np.int32),
            rng.normal(size=int(each.sum())).astype(np.float32),
        )
    )
    return pool


def solvable_pool(best: np.ndarray, n_sparse: int, seed: int = 0) -> Pool:
    """Return translations that are the better the higher their score with the best weights."""
    rng = np.random.default_rng(seed)
    n_sentences, each, words = 200, 30, 30
    count, n_dense = n_sentences * each, len(best) - n_sparse
    features = rng.normal(size=(count, len(best))).astype(np.float32)
    features[:, n_dense:] *= rng.random((count, n_sparse)) < 0.5
    scores = (features @ best / np.linalg.norm(best)).astype(np.float64)
    right = np.clip(np.round(words / 2 + 4 * scores), 4, words).astype(int)
    totals = np.broadcast_to(words - np.arange(4), (count, 4))
    matches = np.maximum(right[:, None] - 1 * np.arange(4), 1)
    stats = np.column_stack((np.full((count, 2), words), matches, totals))
    places = features[:, n_dense:] != 0
    pool = Pool(n_sentences, n_dense, n_sparse)
    pool.add(
        Rows(
            np.repeat(np.arange(n_sentences), each),
            stats.astype(np.int32),
            features[:, :n_dense].copy(),
            np.concatenate(([0], np.cumsum(places.sum(axis=1)))).astype(np.int64),
            np.nonzero(places)[1].astype(np.int32),
            features[:, n_dense:][places],
        )
    )
    return pool


def cosine(left: np.ndarray, right: np.ndarray) -> float:
    return float(left @ right / np.linalg.norm(left) / np.linalg.norm(right))
