"""Whether a difference of two systems could be chance.

Paired bootstrap resampling (P. Koehn, "Statistical significance tests for machine translation
evaluation", EMNLP 2004): draw as many sentences as there are, with replacement, the same for both
systems, and look how often the difference changes its sign.

Approximate randomisation (S. Riezler and J. Maxwell, "On some pitfalls in automatic evaluation and
significance testing for MT", 2005): if the systems were the same, it would not matter which of two
outputs of a sentence is whose. Deal them out anew, sentence by sentence, and look how often the
difference becomes as large as the real one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tartib.errors import OptionError

MAX_SAMPLES = 1_000_000  # docs/formats.md lists it
# Drawn sentences held at once, over all samples of a chunk; three such arrays live together.
_CHUNK = 1 << 20
# Differences below this are rounding: sums of the same numbers in another order differ so.
_NOTHING = 1e-10

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
    check_options(samples, level)
    whole = _scores(score, first.sum(axis=0, keepdims=True))
    whole -= _scores(score, second.sum(axis=0, keepdims=True))
    parts = [
        _scores(score, counts @ first) - _scores(score, counts @ second)
        for counts in sentence_draws(len(first), samples, seed)
    ]
    drawn = np.concatenate(parts)
    return BootstrapDifference(float(whole[0]), *interval(drawn, level), bootstrap_p_value(drawn))


def approximate_randomisation(
    a: ArrayLike, b: ArrayLike, score: Score, *, samples: int = 1000, seed: int = 0
) -> float:
    """Return the two-sided p-value of the difference of two systems.

    It is (n + 1) / (samples + 1), where n counts the samples with a difference that is as large
    as the real one, in either direction. Never 0.

    Parameters
    ----------
    a, b
        Sufficient statistics of each system, sentences × columns, or runs × sentences × columns
        where a system was tuned several times. All outputs of a sentence, of any run, are dealt out
        anew to the systems, each of which gets as many as it had; a system's score is that of all
        its runs put together (Clark et al. 2011).
    score
        Maps sums of such rows, an array of shape (n, columns), to n scores.
    samples
        How often the outputs are dealt out.
    seed
        The same seed gives the same samples.
    """
    first, second = (_runs(system) for system in (a, b))
    for run in (*first, *second):
        _check_statistics(run, second[0])
    check_options(samples)
    real = _scores(score, first.sum(axis=(0, 1))[None])
    real -= _scores(score, second.sum(axis=(0, 1))[None])
    drawn = [
        _scores(score, one) - _scores(score, other)
        for one, other in dealt_sums(first, second, samples, seed)
    ]
    return randomisation_p_value(np.concatenate(drawn), float(real[0]))


def _runs(statistics: ArrayLike) -> Floats:
    given = np.asarray(statistics, np.float64)
    return given if given.ndim == 3 and len(given) else given[None]


def check_options(samples: int, level: float = 0.95) -> None:
    """Refuse what no test can work with."""
    if samples < 1:
        raise OptionError(f"samples must be 1 or more, got {samples}")
    if samples > MAX_SAMPLES:
        raise OptionError(f"samples must be at most {MAX_SAMPLES:,}, got {samples:,}")
    if not 0 < level < 1:
        raise OptionError(f"the level of an interval must be between 0 and 1, got {level}")


def interval(drawn: Floats, level: float) -> tuple[float, float]:
    """Return the percentile interval that holds this share of the samples."""
    low, high = np.quantile(drawn, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


def bootstrap_p_value(drawn: Floats) -> float:
    """Return how likely a difference is chance; see `BootstrapDifference`."""
    against = min(np.count_nonzero(drawn <= _NOTHING), np.count_nonzero(drawn >= -_NOTHING))
    return min(1.0, 2 * (int(against) + 1) / (len(drawn) + 1))


def randomisation_p_value(drawn: Floats, real: float) -> float:
    """Return how likely a difference is chance; see `approximate_randomisation`."""
    as_large = np.count_nonzero(np.abs(drawn) >= abs(real) - _NOTHING)
    return (int(as_large) + 1) / (len(drawn) + 1)


def holm(p_values: Sequence[float]) -> list[float]:
    """Adjust p-values for the number of comparisons (S. Holm, 1979).

    The smallest of m is multiplied by m, the next by m - 1, and so on; none becomes smaller than
    one before it, nor larger than 1. With all of those below 0.05 called significant, the chance
    that any of them is a false alarm stays below 0.05.

    Notes
    -----
    A bootstrap of n samples has no p-value below 2 / (n + 1), so m comparisons need more than
    40 m samples to be able to show anything.
    """
    adjusted, largest = [0.0] * len(p_values), 0.0
    for rank, at in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        largest = min(1.0, max(largest, (len(p_values) - rank) * p_values[at]))
        adjusted[at] = largest
    return adjusted


def sentence_draws(sentences: int, samples: int, seed: int) -> Iterator[Floats]:
    """Yield how often each sentence (column) was drawn in each sample (row), in chunks.

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


def dealt_sums(
    first: Floats, second: Floats, samples: int, seed: int
) -> Iterator[tuple[Floats, Floats]]:
    """Yield the sums of both systems in each sample (row), some samples at a time.

    Both are runs × sentences × columns; the number of runs may differ. The samples do not depend
    on how many are made at once, nor on the columns.
    """
    random = np.random.default_rng(seed)
    outputs = np.concatenate((first, second)).swapaxes(0, 1)  # sentences × runs of both × columns
    sentences, runs, columns = outputs.shape
    flat = outputs.reshape(sentences * runs, columns)
    total = flat.sum(axis=0)
    at_once = max(1, _CHUNK // len(flat))
    for begin in range(0, samples, at_once):
        rows = min(at_once, samples - begin)
        places = random.random((rows, sentences, runs)).argsort(axis=2)
        sums = (places < len(first)).reshape(rows, -1).astype(np.float64) @ flat
        yield sums, total - sums


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
        raise OptionError("at least one sentence is needed")
    if not (np.isfinite(first).all() and np.isfinite(second).all()):
        raise OptionError("statistics must be finite numbers")
    return first, second
