"""K-best MIRA (Cherry and Foster, NAACL 2012); ``native/tuning/mira.hpp`` has the method."""

from __future__ import annotations

import numpy as np

from tartib.decoder.features import Vector
from tartib.tuning.options import MiraOptions
from tartib.tuning.pool import Mask, Pool


def mira(
    pool: Pool,
    weights: Vector,
    options: MiraOptions,
    rng: np.random.Generator,
    *,
    fixed: Mask | None = None,
) -> Vector:
    """Return weights with which good translations score higher than bad ones, by a margin.

    Parameters
    ----------
    pool
        Translations of each sentence.
    weights
        Where to start.
    options
        Of MIRA.
    rng
        For the order of sentences.
    fixed
        Weights that are not tuned.
    """
    orders = [rng.permutation(pool.n_sentences) for _ in range(options.epochs)]
    stay = np.zeros(len(weights), bool) if fixed is None else fixed
    size = np.abs(weights[: pool.n_dense][~stay[: pool.n_dense]]).sum()
    words = max(1.0, float(pool.rows.stats[:, 1].mean()))
    factor = options.scale * words / size if size > 0 else 1.0
    rates = np.where(stay, 0.0, 1.0)
    rates[pool.n_dense :] *= options.sparse_rate
    found, _ = pool.native.mira(
        factor * weights,
        rates,
        np.concatenate(orders).astype(np.int64),
        options.c,
        options.decay,
    )
    return np.where(stay, weights, found / factor)
