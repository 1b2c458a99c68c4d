"""Results of tuning: iterations, runs, and several runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from tartib.decoder.features import FeatureLayout, Vector


@dataclass(frozen=True)
class Iteration:
    """One decoding of the development set, and what was learned from it.

    Attributes
    ----------
    seed
        Of the run that it belongs to.
    number
        From 1.
    weights
        With which it was decoded.
    bleu
        In percent, as sacreBLEU computes it from text that is tokenised already.
    new, pool
        Number of new translations, and of all translations after that.
    change
        Sum of the absolute differences between these weights and the next.
    seconds, peak_mb
        Time of the iteration, and peak memory of the process until then.
    validation_bleu
        BLEU of the same weights on sentences that nothing is learnt from, if there are any.
    """

    seed: int
    number: int
    weights: Vector
    bleu: float
    new: int
    pool: int
    change: float
    seconds: float
    peak_mb: float
    validation_bleu: float | None = None

    @property
    def judged(self) -> float:
        """The BLEU score that weights are chosen by."""
        return self.bleu if self.validation_bleu is None else self.validation_bleu

    def as_dict(self) -> dict[str, Any]:
        """Return all but the weights, for JSON."""
        return {name: value for name, value in vars(self).items() if name != "weights"}


@dataclass(frozen=True)
class TuningResult:
    """Result of one run of tuning.

    Attributes
    ----------
    layout
        Names of the weights.
    iterations
        All of them.
    stopped
        Why it ended.
    """

    layout: FeatureLayout
    iterations: tuple[Iteration, ...]
    stopped: str

    @property
    def best(self) -> Iteration:
        """The iteration with the best BLEU score, the first of equals.

        If sentences were kept aside for validation, the score is that on those.
        """
        return max(self.iterations, key=lambda iteration: iteration.judged)

    @property
    def weights(self) -> Vector:
        """The best weights; the absolute values of the dense ones that were tuned sum to 1."""
        return self.best.weights

    @property
    def seconds(self) -> float:
        """Time of all iterations."""
        return sum(iteration.seconds for iteration in self.iterations)


@dataclass(frozen=True)
class TuningRuns:
    """Results of several runs that differ only in their seeds.

    Attributes
    ----------
    runs
        One result for each seed: scores of a tuned system should be reported with their spread
        (Clark et al., ACL 2011).
    """

    runs: tuple[TuningResult, ...]

    @property
    def layout(self) -> FeatureLayout:
        """Names of the weights."""
        return self.runs[0].layout

    @property
    def weights(self) -> Vector:
        """The mean of all runs' weights."""
        mean: Vector = np.mean([run.weights for run in self.runs], axis=0)
        return mean
