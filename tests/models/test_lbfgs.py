"""L-BFGS and OWL-QN: their kernels, and functions that can be minimised by hand."""

from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tartib import _native
from tartib.models.lbfgs import WINDOW, Solution, minimise
from tests.oracles import lbfgs
from tests.support.examples import examples

pytestmark = pytest.mark.native

TARGET = np.array([3.0, -2.0, 0.5, -0.5, 0.0])
SCALE = np.array([1.0, 10.0, 1.0, 100.0, 1.0])
SIZES = st.sampled_from([0, 1, 5, 17, 4095, 4096, 4097, 9000])


def parabola(x: Any, gradient: Any, strength: float = 0.0) -> float:
    gradient[:] = SCALE * (x - TARGET)
    return float(SCALE @ (x - TARGET) ** 2 / 2 + strength * np.abs(x).sum())


@examples(100)
@given(SIZES, st.integers(1, 5), st.integers(0, 12), st.booleans(), st.integers(0, 2**32 - 1))
def test_directions_agree_with_the_twin(
    size: int, history: int, count: int, ask: bool, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    bend = rng.uniform(0.5, 2.0, size)
    kernels = [_native.Curvature(size, history, threads) for threads in (1, 3)]
    steps: list[tuple[Any, Any]] = []
    found = np.zeros((2, size))
    for _ in range(count):
        x, s = rng.normal(size=(2, size))
        g, y = rng.normal(size=size), bend * s
        if rng.random() < 0.2:
            y = -y  # F would bend downwards: the step teaches nothing, and replaces the oldest
        for kernel, out in zip(kernels, found, strict=True):
            kernel.learn(x, x + s, g, g + y)
            if ask:
                kernel.direction(g, out)
        steps = steps[-(history - 1) :] if history > 1 else []
        if s @ y > 0:
            steps.append((s, y))
    slope = rng.normal(size=size)
    for kernel, out in zip(kernels, found, strict=True):
        assert len(kernel) == len(steps)
        kernel.direction(slope, out)
    assert (found[0] == found[1]).all()
    expected = lbfgs.direction(steps, slope)
    np.testing.assert_allclose(found[0], expected, rtol=1e-3, atol=1e-4)
    kernels[0].forget()
    kernels[0].direction(slope, found[0])
    np.testing.assert_allclose(found[0], -slope, rtol=1e-6)


@examples(100)
@given(SIZES, st.booleans(), st.sampled_from([0.0, 0.3, 1.0]), st.integers(0, 2**32 - 1))
def test_moves_agree_with_the_twin(size: int, kinks: bool, length: float, seed: int) -> None:
    rng = np.random.default_rng(seed)
    x, d, g = rng.normal(size=(3, size)) * rng.integers(0, 2, (3, size))
    strength = rng.uniform(0, 2, size)
    slope, out = np.empty((2, size))
    _native.pseudo_gradient(x, g, strength, slope, 2)
    np.testing.assert_allclose(slope, lbfgs.pseudo_gradient(x, g, strength), atol=1e-15)
    one, same = (_native.move(x, d, length, slope, kinks, out, threads) for threads in (1, 3))
    assert one == same
    expected = lbfgs.move(x, d, length, slope, kinks=kinks)
    np.testing.assert_allclose(out, expected, rtol=1e-15)
    assert one == pytest.approx(slope @ (expected - x), rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("strength", [0.0, 1.0])
def test_what_can_be_solved_by_hand(strength: float) -> None:
    function = partial(parabola, strength=strength)
    found = minimise(function, np.ones(5), np.full(5, strength), tol=1e-14, max_iter=200)
    expected = np.sign(TARGET) * np.maximum(np.abs(TARGET) - strength / SCALE, 0)
    np.testing.assert_allclose(found.x, expected, atol=1e-6)
    assert found.converged
    if strength:
        assert (found.x == 0).tolist() == (expected == 0).tolist()
    else:
        plain = minimise(parabola, np.ones(5), tol=1e-14, max_iter=200)
        np.testing.assert_allclose(plain.x, TARGET, atol=1e-6)
    assert not minimise(parabola, np.ones(5), tol=1e-14, max_iter=1).converged


def test_stops_when_ten_iterations_gain_little() -> None:
    def valley(x: Any, gradient: Any) -> float:  # Rosenbrock's: many short steps
        a, b = x
        gradient[:] = -400 * a * (b - a * a) - 2 * (1 - a), 200 * (b - a * a)
        return float(1 + 100 * (b - a * a) ** 2 + (1 - a) ** 2)

    values = [valley(np.array([-1.2, 1.0]), np.empty(2))]
    found = minimise(
        valley, np.array([-1.2, 1.0]), tol=0.02, max_iter=500,
        report=lambda _, value, __: values.append(value),
    )  # fmt: skip
    assert found.converged
    assert found.iterations == len(values) - 1
    falls = [(values[i] - values[i + WINDOW]) / WINDOW for i in range(len(values) - WINDOW)]
    small = [fall <= 0.02 * values[i + WINDOW] for i, fall in enumerate(falls)]
    assert small == [False] * (len(small) - 1) + [True]


def test_ends_at_once_where_nothing_is_to_be_gained() -> None:
    found = minimise(parabola, TARGET.copy(), tol=1e-6, max_iter=50)
    assert (found.iterations, found.converged) == (0, True)
    empty = minimise(lambda _x, _g: 0.0, np.zeros(0), tol=1e-6, max_iter=50)
    assert (empty.iterations, empty.converged) == (0, True)


def test_is_lost_without_harm() -> None:
    def lost(reply: float, slope: float) -> Solution:
        def evaluate(x: Any, gradient: Any) -> float:
            gradient[:] = slope
            return 0.0 if not x.any() else reply

        return minimise(evaluate, np.zeros(3), tol=1e-6, max_iter=50)

    for reply, slope in ((1.0, 1.0), (np.nan, 1.0), (np.inf, 1e300), (0.0, np.nan)):
        found = lost(reply, slope)
        assert not found.converged
        assert not found.x.any()
