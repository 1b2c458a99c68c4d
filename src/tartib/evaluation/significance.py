"""Whether a difference of two systems could be chance: paired bootstrap resampling.

P. Koehn, "Statistical significance tests for machine translation evaluation", EMNLP 2004: draw as
many sentences as there are, with replacement, the same for both systems, and look how often the
difference changes its sign.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tartib.errors import OptionError

# Drawn sentences held at once, over all samples of a chunk; three such arrays live together.
_CHUNK = 1 << 20

Floats = NDArray[np.float64]
Score = Callable[[Floats], Floats]


@dataclass(frozen=True)
class BootstrapDifference:
    """How much better the first system is than the second.

    Attributes
    ----------
    difference
        Score of the first minus score of the second, on all sentences.
    low, high
        Percentile interval of the difference over the samples.
    p_value
        Two-sided: twice the share of samples that speak against the difference, that is,
        2 (n + 1) / (samples + 1) and at most 1, where n counts the samples with a difference ≤ 0 or
        those with one ≥ 0, whichever are fewer. Never 0, and below 1 - level where the interval
        lies clearly on one side of 0.
    """

    difference: float
    low: float
    high: float
    p_value: float


def paired_bootstrap(
    a: ArrayLike,
    b: ArrayLike,
    score: Score,
    *,
    samples: int = 1000,
    seed: int = 0,
    level: float = 0.95,
) -> BootstrapDifference:
    """Compare two systems on the same sentences.

    Parameters
    ----------
    a, b
        Sufficient statistics of each system: a row for each sentence, in the same order, such as
        right answers and all answers.
    score
        Maps sums of such rows, an array of shape (n, columns), to n scores.
    samples
        How often the sentences are drawn anew.
    seed
        The same seed gives the same samples.
    level
        Share of the samples inside the interval.
    """
    first, second = _check_statistics(a, b)
    if samples < 1:
        raise OptionError(f"at least one sample must be drawn: {samples} asked for")
    if not 0 < level < 1:
        raise OptionError(f"the level of an interval is between 0 and 1: {level} given")
    whole = _scores(score, first.sum(axis=0, keepdims=True))
    whole -= _scores(score, second.sum(axis=0, keepdims=True))
    parts = [
        _scores(score, counts @ first) - _scores(score, counts @ second)
        for counts in _draws(len(first), samples, seed)
    ]
    drawn = np.concatenate(parts)
    low, high = np.quantile(drawn, [(1 - level) / 2, (1 + level) / 2])
    against = min(np.count_nonzero(drawn <= 0), np.count_nonzero(drawn >= 0))
    p_value = min(1.0, 2 * (int(against) + 1) / (samples + 1))
    return BootstrapDifference(float(whole[0]), float(low), float(high), p_value)


def _draws(sentences: int, samples: int, seed: int) -> Iterator[Floats]:
    """Yield how often each sentence (column) was drawn in each sample (row), some samples a time.

    The draws do not depend on how many samples are made at once.
    """
    random = np.random.default_rng(seed)
    at_once = max(1, _CHUNK // sentences)
    for begin in range(0, samples, at_once):
        rows = min(at_once, samples - begin)
        drawn = random.integers(0, sentences, size=(rows, sentences))
        drawn += sentences * np.arange(rows)[:, None]
        counts = np.bincount(drawn.ravel(), minlength=rows * sentences)
        yield counts.reshape(rows, sentences).astype(np.float64)


def _scores(score: Score, sums: Floats) -> Floats:
    scores = np.array(score(sums), np.float64)
    if scores.shape != (len(sums),):
        raise OptionError(
            f"the score of {len(sums)} rows of sums must be {len(sums)} numbers: "
            f"an array of shape {scores.shape} came back"
        )
    if not np.isfinite(scores).all():
        raise OptionError("the score of some sample is not a finite number")
    return scores


def _check_statistics(a: ArrayLike, b: ArrayLike) -> tuple[Floats, Floats]:
    first, second = np.asarray(a, np.float64), np.asarray(b, np.float64)
    if first.ndim != 2 or first.shape != second.shape:
        raise OptionError(
            "statistics of both systems are a row for each sentence and the same columns: "
            f"arrays of shape {first.shape} and {second.shape} given"
        )
    if not len(first):
        raise OptionError("there must be a sentence at least")
    if not (np.isfinite(first).all() and np.isfinite(second).all()):
        raise OptionError("statistics must be finite numbers")
    return first, second
