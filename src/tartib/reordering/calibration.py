"""From scores to calibrated probabilities: a temperature or an affine map, and a smoothed prior.

p(o | x) ∝ exp(s_o / T + Σ_k M_ko z_k + c_o) · p₀(o | f, e)^b,   p₀ = m p(o) + (1 - m) p(o | f, e)

T is the temperature (Guo et al. 2017); p₀ mixes the global distribution of orientations with a
lexicalised one, as in Xiang, Ge and Ittycheriah 2011; m is given. 1/T and b are fitted on held-out
pairs: the log-loss is convex in both. An affine calibration then adds a matrix M and a bias c; z
are the scores and, with a prior, log p₀. This is multinomial logistic regression on a few inputs,
convex again. A Gaussian prior with deviation 1 on M (for scores divided by T) and on c draws it
towards the temperature alone. With few held-out pairs the temperature alone is kept unless the
affine map has the lower log-loss in a cross-validation.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from tartib.errors import OptionError
from tartib.models.probabilities import log_softmax
from tartib.reordering.inputs import check_granularity

Floats = NDArray[np.float64]
Numbers = tuple[float, ...]

CALIBRATIONS = ("none", "temperature", "affine")
_STEPS = 50  # of Newton's method, which takes about eight
_PLENTY = 10_000  # with so many pairs an affine map never does harm,
_FOLDS = 5  # with fewer it is tried on a part of them first
_ENOUGH = 1e-6  # nats, summed over the pairs, that a last step may still gain


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
    """The fitted parameters.

    Parameters
    ----------
    scale, prior
        1/T and b.
    matrix
        M: a row for each score and, with a prior, for each log p₀; a column for each class. Empty
        for a temperature alone.
    bias
        c, one number per class; empty for a temperature alone.
    """

    scale: float = 1.0
    prior: float = 0.0
    matrix: tuple[Numbers, ...] = ()
    bias: Numbers = ()

    def __post_init__(self) -> None:
        if not (0 < self.scale < np.inf and 0 <= self.prior < np.inf):
            raise OptionError(f"invalid calibration: scale {self.scale}, prior {self.prior}")
        # Lists, as JSON has them, become tuples, so that equal calibrations are equal.
        object.__setattr__(self, "matrix", tuple(tuple(row) for row in self.matrix))
        object.__setattr__(self, "bias", tuple(self.bias))
        sizes = {len(row) for row in self.matrix} | {len(self.bias)}
        alone = bool(self.matrix) != bool(self.bias)
        if alone or len(sizes) > 1 or not np.isfinite([*self.bias, *sum(self.matrix, ())]).all():
            raise OptionError("invalid calibration: matrix and bias do not fit together")

    @property
    def kind(self) -> str:
        """One of `CALIBRATIONS`."""
        if self.bias:
            return "affine"
        return "none" if (self.scale, self.prior) == (1.0, 0.0) else "temperature"

    @property
    def temperature(self) -> float:
        """T."""
        return 1 / self.scale

    def slopes(self, n_classes: int) -> Floats:
        """Return what one unit of each score (row) adds to the logarithms of p (columns)."""
        plain = self.scale * np.eye(n_classes)
        return plain + np.array(self.matrix[:n_classes]) if self.bias else plain

    def check(self, n_classes: int, *, with_prior: bool) -> None:
        """Refuse an affine calibration of another number of classes or inputs."""
        shape = (n_classes * (2 if with_prior else 1), n_classes)
        if self.bias and (len(self.matrix), len(self.bias)) != shape:
            raise ValueError(
                f"the calibration has {len(self.matrix)} inputs and {len(self.bias)} classes, "
                f"not {shape[0]} and {shape[1]}"
            )

    def log_probabilities(self, scores: Floats, log_prior: Floats | None) -> Floats:
        """Return log p(o | x) for rows of scores and of log p₀."""
        combined = self.scale * scores
        if log_prior is not None:
            combined = combined + self.prior * log_prior
        if self.bias:
            inputs = scores if log_prior is None else np.hstack((scores, log_prior))
            # Not by BLAS: a row's result must not depend on the rows beside it.
            combined = combined + np.einsum("ij,jk->ik", inputs, np.array(self.matrix)) + self.bias
        found: Floats = log_softmax(combined)
        return found


def check_calibration(kind: str) -> str:
    """Refuse an unknown kind of calibration."""
    if kind not in CALIBRATIONS:
        raise OptionError(f"calibrate must be one of {', '.join(CALIBRATIONS)}, not {kind!r}")
    return kind


def fit_calibration(
    scores: Floats, log_prior: Floats | None, y: NDArray[np.integer], kind: str = "temperature"
) -> Calibration:
    """Find the calibration with the lowest log-loss on held-out pairs.

    Parameters
    ----------
    scores, log_prior
        One row per pair, one column per class; without a prior ``log_prior`` is None.
    y
        The classes.
    kind
        ``temperature`` or ``affine``.
    """
    if len(y) == 0:
        raise OptionError("calibration needs held-out pairs, and there are none")
    found = _fit_temperature(scores, log_prior, y)
    return _fit_affine(found, scores, log_prior, y) if kind == "affine" else found


def choose_calibration(
    scores: Floats, log_prior: Floats | None, y: NDArray[np.integer], kind: str
) -> Calibration:
    """Fit as `fit_calibration` does, but a temperature alone where an affine map would do harm."""
    affine = kind == "affine" and (len(y) >= _PLENTY or _affine_pays(scores, log_prior, y))
    return fit_calibration(scores, log_prior, y, "affine" if affine else "temperature")


def _affine_pays(scores: Floats, log_prior: Floats | None, y: NDArray[np.integer]) -> bool:
    """Whether an affine map beats the temperature on pairs that it has not seen.

    The pairs of a sentence stand together and are alike, so folds are runs of neighbours.
    """
    parts = np.array_split(np.arange(len(y)), min(_FOLDS, len(y)))
    if len(parts) < _FOLDS:
        return False
    gain = 0.0
    for test in parts:
        rest = np.setdiff1d(np.arange(len(y)), test)
        seen = None if log_prior is None else log_prior[rest]
        plain = _fit_temperature(scores[rest], seen, y[rest])
        affine = _fit_affine(plain, scores[rest], seen, y[rest])
        unseen = None if log_prior is None else log_prior[test]
        at = np.arange(len(test)), y[test]
        found = [c.log_probabilities(scores[test], unseen)[at].sum() for c in (affine, plain)]
        gain += float(found[0] - found[1])
    return gain > 0


def _fit_temperature(
    scores: Floats, log_prior: Floats | None, y: NDArray[np.integer]
) -> Calibration:
    """Fit 1/T and b."""
    from scipy.optimize import minimize  # takes long to import, and predictions need none of it

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


def _fit_affine(
    found: Calibration, scores: Floats, log_prior: Floats | None, y: NDArray[np.integer]
) -> Calibration:
    """Add a matrix and a bias to a temperature, by Newton's method with halved steps."""
    base = found.log_probabilities(scores, log_prior)
    parts = [found.scale * scores] + ([] if log_prior is None else [log_prior])
    inputs = np.hstack([*parts, np.ones((len(y), 1))])
    n_classes, rows = scores.shape[1], np.arange(len(y))

    def loss(M: Floats) -> tuple[float, Floats]:
        log_p = log_softmax(base + inputs @ M)
        return float((M * M).sum() / 2 - log_p[rows, y].sum()), log_p

    M = np.zeros((inputs.shape[1], n_classes))
    value, log_p = loss(M)
    for _ in range(_STEPS):
        step, gain = _newton_step(inputs, np.exp(log_p), y, M)
        size, new, new_log_p = 1.0, *loss(M - step)
        while new > value and size > _ENOUGH:
            size /= 2
            new, new_log_p = loss(M - size * step)
        if gain < _ENOUGH or new > value:
            break
        M, value, log_p = M - size * step, new, new_log_p
    M[:n_classes] *= found.scale  # back to scores as the classifier gives them
    return replace(found, matrix=tuple(map(tuple, M[:-1].tolist())), bias=tuple(M[-1].tolist()))


def _newton_step(
    inputs: Floats, p: Floats, y: NDArray[np.integer], M: Floats
) -> tuple[Floats, float]:
    """Return the step H⁻¹g of Newton's method, and what it would gain on a parabola."""
    size, n_classes = M.shape
    residual = p.copy()
    residual[np.arange(len(y)), y] -= 1
    gradient = (inputs.T @ residual + M).T.reshape(-1)
    hessian = np.zeros((n_classes, size, n_classes, size))
    for j in range(n_classes):
        for k in range(j, n_classes):
            weights = p[:, j] * ((j == k) - p[:, k])
            hessian[j, :, k] = inputs.T @ (weights[:, None] * inputs)
            hessian[k, :, j] = hessian[j, :, k].T
    flat = hessian.reshape(n_classes * size, -1) + np.eye(n_classes * size)
    step = np.linalg.solve(flat, gradient).astype(np.float64, copy=False)
    return step.reshape(n_classes, size).T, float(step @ gradient) / 2
