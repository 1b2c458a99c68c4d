"""From scores to calibrated probabilities: a temperature and a smoothed prior.

p(o | x) ∝ exp(s_o / T) · p₀(o | f, e)^b,   p₀ = m p(o) + (1 - m) p(o | f, e)

T is the temperature (Guo et al. 2017); p₀ mixes the global distribution of orientations with a
lexicalised one, as in Xiang, Ge and Ittycheriah 2011. 1/T and b are fitted on held-out pairs (the
log-loss is convex in both); m is given.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from tartib.errors import OptionError
from tartib.models.base import log_softmax
from tartib.reordering.keys import check_granularity

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Prior:
    """A lexicalised prior that smooths a classifier.

    Parameters
    ----------
    granularity
        Granularity of the lexicalised model: ``fe``, ``f`` or ``e``.
    mixing
        m, the share of the global distribution, from 0 to 1.
    smoothing
        Smoothing of the lexicalised model.
    """

    granularity: str = "fe"
    mixing: float = 0.1
    smoothing: float = 0.5

    def __post_init__(self) -> None:
        check_granularity(self.granularity)
        if not 0 <= self.mixing <= 1:
            raise OptionError(f"the share of the global prior must be 0 to 1, not {self.mixing}")


@dataclass(frozen=True)
class Calibration:
    """The fitted parameters: ``scale`` is 1/T, ``prior`` is b."""

    scale: float = 1.0
    prior: float = 0.0

    def __post_init__(self) -> None:
        if not (0 < self.scale < np.inf and 0 <= self.prior < np.inf):
            raise OptionError(f"invalid calibration: scale {self.scale}, prior {self.prior}")

    @property
    def temperature(self) -> float:
        """T."""
        return 1 / self.scale

    def log_probabilities(self, scores: Floats, log_prior: Floats | None) -> Floats:
        """Return log p(o | x) for rows of scores and of log p₀."""
        combined = self.scale * scores
        if log_prior is not None:
            combined = combined + self.prior * log_prior
        found: Floats = log_softmax(combined)
        return found


def fit_calibration(
    scores: Floats, log_prior: Floats | None, y: NDArray[np.integer]
) -> Calibration:
    """Find the 1/T and b with the lowest log-loss on held-out pairs."""
    if len(y) == 0:
        raise OptionError("calibration needs held-out pairs, and there are none")
    inputs = [scores] if log_prior is None else [scores, log_prior]
    rows = np.arange(len(y))

    def loss(parameters: Floats) -> tuple[float, Floats]:
        log_p = log_softmax(sum(a * part for a, part in zip(parameters, inputs, strict=True)))
        residual = np.exp(log_p)
        residual[rows, y] -= 1
        gradient = [float((residual * part).sum()) / len(y) for part in inputs]
        return -float(log_p[rows, y].mean()), np.array(gradient)

    start = np.array([1.0, 0.0][: len(inputs)])
    # A scale of 0 would ignore the classifier, and mean an infinite temperature.
    bounds = [(1e-3, None), (0.0, None)][: len(inputs)]
    best = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=bounds).x
    return Calibration(float(best[0]), float(best[1]) if len(best) > 1 else 0.0)
