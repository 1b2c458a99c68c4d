"""Pairwise ranking optimisation (Hopkins and May, EMNLP 2011).

For each sentence, pairs of translations are drawn, and those that differ most in sentence-level
BLEU are kept. A classifier learns from the difference of their features which one is better. Its
weights, mixed with the previous ones, are the new weights.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from tartib.decoder.features import Vector
from tartib.errors import OptionError
from tartib.models import MaxEnt
from tartib.tuning.options import ProOptions
from tartib.tuning.pool import Mask, Pool, Rows

Places = NDArray[np.int64]


def pro(
    pool: Pool,
    weights: Vector,
    options: ProOptions,
    rng: np.random.Generator,
    *,
    fixed: Mask | None = None,
) -> Vector:
    """Return weights with which the better of two translations has the higher score.

    Parameters
    ----------
    pool
        Translations of each sentence.
    weights
        The previous ones, which the result is mixed with.
    options
        Of PRO.
    rng
        For the pairs.
    fixed
        Weights that are not tuned.
    """
    better, worse = sample_pairs(sentence_bleu(pool.rows.stats), pool.offsets, options, rng)
    if not len(better):
        raise OptionError(
            f"no two translations of a sentence differ by {options.threshold} BLEU: check that the "
            "references belong to the source"
        )
    free = np.ones(len(weights), bool) if fixed is None else ~fixed
    differences = _matrix(pool, pool.rows.take(better)) - _matrix(pool, pool.rows.take(worse))
    differences = differences.multiply(free).tocsr().astype(np.float32)
    # Both ways round, as in the paper, though without an intercept one of the two would do.
    both = sparse.vstack((differences, -differences), format="csr")
    labels = np.repeat([1, 0], len(better))
    # One thread: a pass takes milliseconds, and several would wait for one another.
    model = MaxEnt(options.sigma, fit_intercept=False, max_iter=1000, n_jobs=1)
    found = model.fit(both, labels).coef_[0].astype(np.float64)
    # The classifier's scale shows its confidence in pairs; the mixture needs the previous scale.
    before, now = (np.abs((free * vector)[: pool.n_dense]).sum() for vector in (weights, found))
    if before > 0 and now > 0:
        found *= before / now
    return np.where(free, weights + options.mixture * (found - weights), weights)


def sentence_bleu(stats: NDArray[np.int32]) -> Vector:
    """Return BLEU+1 of each row: one more match and one more n-gram of two to four words."""
    found = stats.astype(np.float64)
    length, reference, matches, totals = found[:, 0], found[:, 1], found[:, 2:6], found[:, 6:]
    extra = np.array([0.0, 1.0, 1.0, 1.0])
    precisions = (matches + extra) / np.maximum(totals + extra, 1.0)
    shortness = np.minimum(0.0, 1.0 - reference / np.maximum(length, 0.5))
    return np.asarray(precisions.prod(axis=1) ** 0.25 * np.exp(shortness))


def sample_pairs(
    bleus: Vector, offsets: Places, options: ProOptions, rng: np.random.Generator
) -> tuple[Places, Places]:
    """Return rows that are better, and worse ones to compare them with.

    Parameters
    ----------
    bleus
        Sentence-level BLEU of all rows.
    offsets
        Where each sentence's rows begin and end.
    options
        Of each sentence ``candidates`` pairs are drawn, all with equal probability; of those that
        differ by ``threshold`` or more, the ``kept`` ones that differ most remain.
    rng
        For the pairs.
    """
    found = []
    for begin, end in zip(offsets[:-1].tolist(), offsets[1:].tolist(), strict=True):
        pairs = rng.integers(begin, max(end, begin + 1), (options.candidates, 2))
        if end - begin < 2:
            continue
        gains = bleus[pairs[:, 0]] - bleus[pairs[:, 1]]
        order = np.argsort(-np.abs(gains), kind="stable")[: options.kept]
        order = order[np.abs(gains[order]) >= options.threshold]
        chosen = pairs[order]
        found.append(np.where(gains[order, None] < 0, chosen[:, ::-1], chosen))
    every = np.concatenate([np.zeros((0, 2), np.int64), *found])
    return every[:, 0], every[:, 1]


def _matrix(pool: Pool, rows: Rows) -> sparse.csr_matrix:
    shape = (len(rows), pool.n_sparse)
    return sparse.hstack(
        (
            sparse.csr_matrix(rows.dense.astype(np.float64)),
            sparse.csr_matrix((rows.values.astype(np.float64), rows.indices, rows.indptr), shape),
        ),
        format="csr",
    )
