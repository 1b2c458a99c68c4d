"""Temperature and prior, fitted on held-out pairs."""

import numpy as np
import pytest

from tartib import OptionError
from tartib.reordering import Calibration, Prior
from tartib.reordering.calibration import fit_calibration


def test_fitted_calibration_is_the_best() -> None:
    rng = np.random.default_rng(0)
    scores, prior = rng.normal(0, 1, (5000, 3)), np.log(rng.dirichlet(np.ones(3), 5000))
    truth = Calibration(2.5, 0.7)
    p = np.exp(truth.log_probabilities(scores, prior))
    y = (p.cumsum(axis=1) < rng.random((5000, 1))).sum(axis=1).clip(max=2)
    found = fit_calibration(scores, prior, y)
    assert found.scale == pytest.approx(2.5, rel=0.1)
    assert found.prior == pytest.approx(0.7, rel=0.1)
    assert found.temperature == 1 / found.scale
    assert fit_calibration(scores, None, y).prior == 0
    with pytest.raises(OptionError, match="needs held-out pairs"):
        fit_calibration(scores[:0], None, y[:0])
    with pytest.raises(OptionError, match="must be 0 to 1"):
        Prior(mixing=1.5)
