"""Minimum error rate training (Och, ACL 2003); ``native/tuning/mert.hpp`` has the method."""

from __future__ import annotations

import numpy as np

from tartib.decoder.features import Vector
from tartib.engine import count_jobs
from tartib.errors import OptionError
from tartib.tuning.options import MertOptions
from tartib.tuning.pool import Mask, Pool


def mert(
    pool: Pool,
    weights: Vector,
    options: MertOptions,
    rng: np.random.Generator,
    *,
    fixed: Mask | None = None,
    n_jobs: int | None = None,
) -> Vector:
    """Return weights with which the best translations of the pool have the best BLEU score.

    Parameters
    ----------
    pool
        Translations of each sentence, without sparse features.
    weights
        Where to start, besides random starts.
    options
        Of MERT.
    rng
        For starts and directions.
    fixed
        Weights that are not tuned.
    n_jobs
        Threads; None for all cores.
    """
    if pool.n_sparse:
        raise OptionError(
            f"MERT cannot tune {pool.n_sparse:,} sparse features: choose mira or pro instead"
        )
    free = np.ones(len(weights)) if fixed is None else (~fixed).astype(float)
    others = rng.normal(size=(options.restarts, len(weights))) * free
    sizes = np.abs(others).sum(axis=1, keepdims=True) / max(np.abs(weights * free).sum(), 1e-6)
    starts = np.vstack((weights, np.where(free, others / sizes, weights)))
    shape = (len(starts), options.directions, len(weights))
    directions = rng.normal(size=shape) * free
    found, bleus = pool.native.mert(
        starts.reshape(-1), (free == 0).astype(np.uint8), directions.reshape(-1), count_jobs(n_jobs)
    )
    best = int(np.argmax(bleus))
    return found[best * len(weights) :][: len(weights)]
