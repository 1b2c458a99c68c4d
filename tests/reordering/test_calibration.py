"""Temperature, affine map and prior, fitted on held-out pairs."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.special import log_softmax

from tartib import OptionError
from tartib.reordering import Calibration, Prior
from tartib.reordering.calibration import choose_calibration, fit_calibration
from tests.support.examples import examples


def drawn(truth: Calibration, rows: int = 5000, seed: int = 0) -> Any:
    """Draw scores, a prior, and classes as a calibration says."""
    rng = np.random.default_rng(seed)
    scores, prior = rng.normal(0, 1, (rows, 3)), np.log(rng.dirichlet(np.ones(3), rows))
    p = np.exp(truth.log_probabilities(scores, prior if truth.prior else None))
    return scores, prior, (p.cumsum(axis=1) < rng.random((rows, 1))).sum(axis=1).clip(max=2)


def loss(calibration: Calibration, scores: Any, prior: Any, y: Any) -> float:
    return -float(calibration.log_probabilities(scores, prior)[np.arange(len(y)), y].mean())


def test_fitted_calibration_is_the_best() -> None:
    scores, prior, y = drawn(Calibration(2.5, 0.7))
    found = fit_calibration(scores, prior, y)
    assert found.scale == pytest.approx(2.5, rel=0.1)
    assert found.prior == pytest.approx(0.7, rel=0.1)
    assert found.temperature == 1 / found.scale
    assert found.kind == "temperature"
    assert fit_calibration(scores, None, y).prior == 0
    with pytest.raises(OptionError, match="needs held-out pairs"):
        fit_calibration(scores[:0], None, y[:0])
    with pytest.raises(OptionError, match="must be 0 to 1"):
        Prior(mixing=1.5)


def test_an_affine_map_is_found_again() -> None:
    matrix = ((0.5, -0.5, 0.0), (0.0, 0.8, -0.8), (0.0, 0.0, 0.0))
    truth = Calibration(1.5, 0.0, matrix, (1.0, -1.5, 0.5))
    scores, _, y = drawn(truth, 20_000)
    found = fit_calibration(scores, None, y, "affine")
    assert found.kind == "affine"
    p, q = (np.exp(c.log_probabilities(scores, None)) for c in (truth, found))
    assert np.abs(p - q).mean() < 0.01
    temperature = fit_calibration(scores, None, y)
    assert loss(found, scores, None, y) < 0.9 * loss(temperature, scores, None, y)
    # Frequencies match: the gradient of the biases is almost 0.
    np.testing.assert_allclose(q.mean(axis=0), np.bincount(y) / len(y), atol=1e-3)


@examples(25)
@given(st.integers(0, 1000), st.booleans())
def test_affine_is_the_optimum(seed: int, with_prior: bool) -> None:
    """Newton's method against a general minimiser of the same penalised loss."""
    scores, prior, y = drawn(Calibration(1.2, 0.4), 60, seed)
    given_prior = prior if with_prior else None
    base = fit_calibration(scores, given_prior, y)
    found = fit_calibration(scores, given_prior, y, "affine")
    inputs = np.hstack([base.scale * scores, *([prior] if with_prior else []), np.ones((60, 1))])
    start = base.log_probabilities(scores, given_prior)

    def penalised(flat: Any) -> float:
        M = flat.reshape(-1, 3)
        log_p = log_softmax(start + inputs @ M, axis=1)
        return float((M**2).sum() / 2 - log_p[np.arange(60), y].sum())

    best = minimize(penalised, np.zeros(inputs.shape[1] * 3)).fun
    M = np.array([*found.matrix, found.bias])
    M[:3] /= base.scale
    assert penalised(M.reshape(-1)) <= best + 1e-5


def test_few_pairs_stay_near_the_temperature() -> None:
    scores, _, y = drawn(Calibration(2.0), 12)
    found = fit_calibration(scores, None, y, "affine")
    assert np.abs([*found.matrix, found.bias]).max() < 2
    one = fit_calibration(np.zeros((4, 3)), None, np.zeros(4, np.int64), "affine")
    assert np.isfinite(one.log_probabilities(np.zeros((1, 3)), None)).all()


def test_slopes_are_what_scores_add() -> None:
    matrix = ((0.5, -0.5, 0.0), (0.0, 0.8, -0.8), (0.1, 0.0, 0.0))
    for calibration in (Calibration(2.0), Calibration(2.0, 0.0, matrix, (1.0, 0.0, -1.0))):
        scores = np.random.default_rng(0).normal(size=(5, 3))
        by_hand = scores @ calibration.slopes(3) + (calibration.bias or 0.0)
        expected = log_softmax(by_hand, axis=1)
        np.testing.assert_allclose(calibration.log_probabilities(scores, None), expected)


def test_what_does_not_fit_together() -> None:
    odd: list[tuple[Any, Any]] = [((), (1.0,)), (((1.0,),), ()), (((1.0, 2.0),), (1.0,))]
    for matrix, bias in odd:
        with pytest.raises(OptionError, match="matrix and bias do not fit together"):
            Calibration(1.0, 0.0, matrix, bias)
    with pytest.raises(OptionError, match="do not fit together"):
        Calibration(1.0, 0.0, ((np.nan,),), (1.0,))
    fitting = Calibration(1.0, 0.0, ((1.0, 0.0), (0.0, 1.0)), (0.0, 0.0))
    fitting.check(2, with_prior=False)
    with pytest.raises(ValueError, match="has 2 inputs and 2 classes, not 4 and 2"):
        fitting.check(2, with_prior=True)


def test_a_temperature_is_kept_where_an_affine_map_would_do_harm() -> None:
    """The pairs of one sentence are alike: here those of a sentence are all of one class."""
    rng = np.random.default_rng(0)
    scores = rng.normal(0, 1, (5, 3)).repeat(30, axis=0)
    y = np.array([0, 1, 2, 0, 1]).repeat(30)
    assert fit_calibration(scores, None, y, "affine").kind == "affine"
    assert choose_calibration(scores, None, y, "affine").kind == "temperature"
    assert choose_calibration(scores[:3], None, y[:3], "affine").kind == "temperature"


def test_an_affine_map_is_taken_where_it_pays() -> None:
    truth = Calibration(1.5, 0.0, ((0.0, 0.0, 0.0),) * 3, (1.0, -1.5, 0.5))
    scores, _, y = drawn(truth, 1000)
    found = choose_calibration(scores, None, y, "affine")
    assert found == fit_calibration(scores, None, y, "affine")
    assert choose_calibration(scores, None, y, "temperature").kind == "temperature"
