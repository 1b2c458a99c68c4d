"""The dual solvers: steps and block scheme against their slow twins; threads change no bit."""

from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any, cast
from unittest import mock

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.sparse import csr_matrix

from tartib import _native
from tartib.models import dual_epoch
from tartib.models.dual import DualOptions, solve_dual
from tartib.models.dual import Problem as DualProblem
from tartib.models.dual_epoch import slice_bounds, visiting_order
from tartib.models.trace import Tracer
from tests.oracles import dual as oracle
from tests.support.examples import examples

pytestmark = pytest.mark.native
KINDS = ("svm", "coordinate", "exponentiated")


@dataclass
class Problem:
    """Random rows, and both solvers of one kind for them."""

    kind: str
    X: csr_matrix
    y: Any
    weights: Any
    classes: int
    strength: float  # C or σ²
    intercept: bool
    epsilon: float
    shrink: bool
    valued: bool

    def __post_init__(self) -> None:
        shape = len(self.y), self.classes
        self.alpha = np.zeros(shape, np.float64 if self.valued else np.float32)
        if self.kind != "svm":
            small = 0.0 if self.kind == "coordinate" else 1e-3
            with np.errstate(divide="ignore"):
                self.alpha[:] = np.log(small / (self.classes - 1))
                self.alpha[np.arange(len(self.y)), self.y] = np.log1p(-small)

    def samples(self) -> _native.Samples:
        return _native.Samples(
            self.X.indptr.astype(np.int64),
            self.X.indices.astype(np.int32),
            self.X.data.astype(np.float32) if self.valued else None,
            self.X.shape[1],
            self.intercept,
        )

    def native(self, threads: int = 1) -> _native.DualSolver:
        data = (self.samples(), self.y, self.weights, self.classes, self.alpha.reshape(-1))
        rest = (self.epsilon, self.shrink, threads)
        if self.kind == "svm":
            solver = _native.DualSolver.svm(*data, self.strength, *rest)
        else:
            paper = self.kind == "exponentiated"
            solver = _native.DualSolver.mlr(*data, self.strength, paper, 0.0, *rest)
        solver.refresh()
        return solver

    def oracle(self) -> oracle.BlockSolver:
        X = self.X.toarray().astype(np.float64)
        if self.intercept:
            X = np.hstack((X, np.ones((len(X), 1))))
        q = np.ones(len(X)) if self.weights is None else self.weights
        if self.kind == "svm":
            bounds = self.strength * q
            step: oracle.Step = oracle.Svm(
                self.y, bounds.astype(self.alpha.dtype).astype(np.float64)
            )
        else:
            made = oracle.Mlr if self.kind == "coordinate" else oracle.ExponentiatedGradient
            step = made(self.y, q, self.strength)
        alpha = self.alpha.astype(np.float64)
        return oracle.BlockSolver(X, step, alpha, self.epsilon, self.shrink, self.intercept)

    def w(self, solver: _native.DualSolver) -> Any:
        features = self.X.shape[1] + self.intercept
        return solver.weights().reshape(features, -1)[:, : self.classes]

    def linear(self) -> Any:
        """α, which two solvers that agree have close to each other even where log α is not."""
        return self.alpha if self.kind == "svm" else np.exp(self.alpha)


def random_problem(seed: int, rows: int, **options: Any) -> Problem:
    rng = np.random.default_rng(seed)
    classes, valued = options["classes"], options["valued"]
    columns = int(rng.integers(1, 30))
    X = csr_matrix(rng.random((rows, columns)) < rng.uniform(0.02, 0.5), dtype=np.float32)
    if valued:
        X.data = rng.normal(0, 1, X.nnz).astype(np.float32)
    # Uneven weights, so that no two samples tie: which side of a tie rounding falls is luck.
    weights = rng.uniform(0.2, 2, rows) if options.pop("weighted") else None
    if weights is not None:
        weights[rng.random(rows) < 0.1] = 0.0
    y = rng.integers(0, classes, rows).astype(np.int32)
    return Problem(X=X, y=y, weights=weights, **options)


def problems(kind: str, *, valued: bool) -> st.SearchStrategy[Problem]:
    return st.builds(
        random_problem,
        seed=st.integers(0, 2**32),
        rows=st.sampled_from([1, 2, 63, 64, 65, 130, 200, 530]),
        kind=st.just(kind),
        classes=st.sampled_from([2, 3, 4, 5, 17]),
        strength=st.sampled_from([0.05, 0.3, 1.0]),
        intercept=st.booleans(),
        # The coordinate step is only as exact as epsilon asks, its twin is exact. In single
        # precision rounding would decide about violations of 1e-9, and so about shrinking.
        epsilon=st.just(1e-9)
        if kind == "coordinate"
        else st.sampled_from([1e-9, 0.05, 0.3] if valued else [0.05, 0.3]),
        shrink=st.booleans() if valued or kind != "coordinate" else st.just(False),
        valued=st.just(valued),
        weighted=st.booleans() if valued else st.just(True),
    )


def orders(seed: int, blocks: int, epochs: int) -> list[Any]:
    rng = np.random.default_rng(seed)
    return [rng.permutation(blocks) for _ in range(epochs)]


@pytest.mark.parametrize("kind", KINDS)
@examples(15)
@given(data=st.data(), seed=st.integers(0, 1000), length=st.integers(1, 4))
def test_rows_with_values(kind: str, data: st.DataObject, seed: int, length: int) -> None:
    problem = data.draw(problems(kind, valued=True))
    slow, fast = problem.oracle(), problem.native()
    for order in orders(seed, fast.blocks, 3):
        expected, found = slow.run(order.tolist(), length), fast.run(order, length)
        counts = {name: getattr(found, name) for name in expected}
        assert counts == pytest.approx(expected, rel=1e-8, abs=1e-8)
        np.testing.assert_allclose(problem.w(fast), slow.w, rtol=1e-8, atol=1e-8)
        np.testing.assert_allclose(
            problem.linear(), slow.alpha if kind == "svm" else np.exp(slow.alpha), atol=1e-8
        )
    np.testing.assert_allclose(slow.w, slow.weights(), atol=1e-8)
    assert fast.norm == pytest.approx((slow.w**2).sum(), rel=1e-7, abs=1e-10)
    assert fast.potential == pytest.approx(slow.potential(), rel=1e-7, abs=1e-9)


@pytest.mark.parametrize("kind", KINDS)
@examples(15)
@given(data=st.data(), valued=st.booleans(), seed=st.integers(0, 1000))
def test_one_row_after_another(kind: str, data: st.DataObject, valued: bool, seed: int) -> None:
    problem = data.draw(problems(kind, valued=valued))
    slow, fast = problem.oracle(), problem.native()
    tight = 1e-8 if valued else 2e-3
    for order in orders(seed, len(problem.y), 2):
        expected, found = slow.run_rows(order.tolist()), fast.run_rows(order)
        if valued:
            counts = {name: getattr(found, name) for name in expected}
            assert counts == pytest.approx(expected, rel=tight, abs=tight)
        np.testing.assert_allclose(problem.w(fast), slow.w, rtol=tight, atol=tight)
        linear = slow.alpha if kind == "svm" else np.exp(slow.alpha)
        np.testing.assert_allclose(problem.linear(), linear, atol=tight)
    norm = (slow.w**2).sum()
    assert fast.norm == pytest.approx(norm, rel=10 * tight, abs=tight)
    assert fast.potential == pytest.approx(slow.potential(), rel=10 * tight, abs=10 * tight)


@pytest.mark.parametrize("kind", KINDS)
@examples(10)
@given(data=st.data(), seed=st.integers(0, 1000), length=st.integers(1, 4))
def test_rows_of_ones(kind: str, data: st.DataObject, seed: int, length: int) -> None:
    problem = data.draw(problems(kind, valued=False))
    slow, fast = problem.oracle(), problem.native()
    for order in orders(seed, fast.blocks, 2):
        slow.run(order.tolist(), length)
        fast.run(order, length)
    np.testing.assert_allclose(problem.w(fast), slow.w, rtol=2e-3, atol=2e-3)
    linear = slow.alpha if kind == "svm" else np.exp(slow.alpha)
    np.testing.assert_allclose(problem.linear(), linear, atol=2e-3)


@pytest.mark.parametrize("kind", KINDS)
@examples(12)
@given(data=st.data(), valued=st.booleans(), seed=st.integers(0, 1000))
def test_check_and_refresh(kind: str, data: st.DataObject, valued: bool, seed: int) -> None:
    problem = data.draw(problems(kind, valued=valued))
    assume(problem.epsilon > 1e-6 or valued)
    fast = problem.native()
    tight = 1e-9 if valued else 2e-4
    for order in orders(seed, fast.blocks, 2):
        fast.run(order)
    tracked = fast.norm, fast.potential, problem.w(fast).copy()
    slow = problem.oracle()  # begins where the fast one has come to
    slow.w = problem.w(fast).astype(np.float64)
    violations = slow.violations()
    rows = len(violations)
    found = fast.check(0, rows)
    border = np.abs(violations - problem.epsilon) < tight  # rounding may decide either way
    sure = int((violations[~border] > problem.epsilon).sum())
    assert sure <= found.violators <= sure + int(border.sum())
    assert found.worst == pytest.approx(max(0.0, violations.max()), abs=tight)
    assert found.loss == pytest.approx(slow.loss(), rel=tight, abs=tight)
    assert found.potential == pytest.approx(slow.potential(), rel=tight, abs=tight)
    fast.refresh()
    assert tracked[0] == pytest.approx(fast.norm, rel=tight, abs=tight)
    assert tracked[1] == pytest.approx(fast.potential, rel=tight, abs=tight)
    np.testing.assert_allclose(problem.w(fast), tracked[2], rtol=tight, atol=tight)
    np.testing.assert_allclose(problem.w(fast), slow.weights(), rtol=tight, atol=tight)


def toy(kind: str = "svm", rows: int = 1000, **options: Any) -> Problem:
    given_options: dict[str, Any] = {
        "kind": kind, "classes": 3, "strength": 0.3, "intercept": True, "epsilon": 0.1,
        "shrink": True, "valued": False, "weighted": True,
    }  # fmt: skip
    return random_problem(5, rows, **{**given_options, **options})


@pytest.mark.parametrize("kind", KINDS)
def test_the_active_set(kind: str) -> None:
    problem = toy(kind)
    solver = problem.native()
    order = np.arange(solver.blocks)
    first = solver.run(order)
    assert (first.visited, first.visited - first.updated) == (1000, first.shrunk)
    left = 1000 - first.shrunk
    second = solver.run(order)
    assert second.visited == left
    assert solver.check(0, 1000).violators > 0  # looks, and makes nothing active
    assert solver.run(order).visited == left - second.shrunk
    solver.activate()
    assert solver.run(order).visited == 1000


def test_checks_of_parts_add_up() -> None:
    solver = toy().native()
    solver.run(np.arange(solver.blocks))
    whole, parts = solver.check(0, 1000), [solver.check(0, 70), solver.check(70, 1000)]
    assert whole.violators == sum(part.violators for part in parts)
    assert whole.worst == max(part.worst for part in parts)
    assert whole.loss == pytest.approx(sum(part.loss for part in parts))


def test_without_shrinking_every_row_is_visited() -> None:
    solver = toy(shrink=False, epsilon=10.0).native()
    for _ in range(2):
        stats = solver.run(np.arange(solver.blocks))
        assert (stats.visited, stats.updated, stats.shrunk) == (1000, 0, 0)


@pytest.mark.parametrize("kind", KINDS)
def test_the_dual_never_rises(kind: str) -> None:
    problem = toy(kind, valued=True, shrink=False, epsilon=1e-9)
    solver = problem.native()
    tau = 1.0 if kind == "svm" else problem.strength
    last = np.inf
    for order in orders(1, solver.blocks, 8):
        solver.run(order)
        now = solver.norm / (2 * tau) + solver.potential
        assert now <= last + 1e-9 * abs(now)
        last = now


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("valued", [False, True])
@pytest.mark.parametrize("classes", [3, 7])
def test_threads_change_no_bit(kind: str, valued: bool, classes: int) -> None:
    results = []
    never, soon = 0.0, 1e9  # when threads leave the work to one of them
    for threads, cores in ((1, never), (2, never), (2, soon), (3, never), (5, soon)):
        problem = toy(
            kind, rows=5000, valued=valued, classes=classes, epsilon=0.02, strength=1.0,
            intercept=False,
        )  # fmt: skip
        solver = problem.native(threads)
        solver.set_least_cores(cores)
        stats = [solver.run(order, 20) for order in orders(2, solver.blocks, 3)]
        found = solver.check(0, 5000)
        stats += [solver.run(order) for order in orders(3, solver.blocks, 20)]
        results.append(
            (
                solver.weights().tobytes(),
                problem.alpha.tobytes(),
                solver.norm,
                solver.potential,
                [(s.visited, s.updated, s.shrunk, s.damped, s.worst, s.loss) for s in stats],
                (found.violators, found.worst, found.loss, found.potential),
            )
        )
    assert all(result == results[0] for result in results[1:])
    assert sum(entry[3] for entry in results[0][4]) > 0  # some rounds were damped


def test_weights_are_a_copy() -> None:
    solver = toy().native()
    before = solver.weights()
    solver.run(np.arange(solver.blocks))
    assert not before.any()
    assert solver.weights().any()


def test_no_rows() -> None:
    samples = _native.Samples(np.zeros(1, np.int64), np.empty(0, np.int32), None, 3, True)
    y, alpha = np.empty(0, np.int32), np.empty(0, np.float32)
    solver = _native.DualSolver.svm(samples, y, None, 2, alpha, 1.0, 0.1, True, 2)
    assert solver.blocks == 0
    assert solver.run(np.empty(0, np.int64)).visited == 0
    assert solver.check(0, 0).violators == 0
    solver.refresh()
    assert not solver.weights().any()


@given(st.integers(0, 3000), st.integers(0, 5))
def test_the_order_visits_each_block_once(blocks: int, seed: int) -> None:
    order = visiting_order(np.random.default_rng(seed), blocks)
    assert order.dtype == np.int64
    assert sorted(order.tolist()) == list(range(blocks))


@pytest.mark.parametrize("kind", ["svm", "coordinate"])
@pytest.mark.parametrize("strength", [1.0, 30.0, 1000.0])
def test_strong_steps_lower_the_objective(kind: str, strength: float) -> None:
    """Long rows of ones and little regularisation: single precision must not lose its way."""
    options: dict[str, Any] = {
        "classes": 3,
        "intercept": True,
        "epsilon": 0.01,
        "shrink": False,
    }
    rng = np.random.default_rng(0)
    X = csr_matrix(rng.random((300, 100)) < 0.3, dtype=np.float32)
    y = rng.integers(0, 3, 300).astype(np.int32)
    found = []
    for valued in (False, True):
        problem = Problem(
            kind=kind, X=X, y=y, weights=None, strength=strength, valued=valued, **options
        )
        solver = problem.native()
        tau = 1.0 if kind == "svm" else strength
        objectives = []
        for order in orders(1, 300, 10):
            solver.run_rows(order)
            objectives.append(solver.norm / (2 * tau) + solver.potential)
        assert objectives == sorted(objectives, reverse=True)
        found.append(objectives[-1])
    assert found[0] == pytest.approx(found[1], rel=1e-2)


@given(st.integers(0, 3000), st.integers(1, 1000), st.integers(0, 5))
def test_the_order_visits_each_row_once(rows: int, window: int, seed: int) -> None:
    with mock.patch.object(dual_epoch, "_WINDOW_ROWS", window):
        order = dual_epoch.row_order(np.random.default_rng(seed), rows)
    assert order.dtype == np.int64
    assert sorted(order.tolist()) == list(range(rows))
    begins = order[::window] // window  # rows of one window are visited together
    assert len(set(begins.tolist())) >= len(begins) - 1


def test_the_order_is_random_and_lanes_read_on_in_several_places() -> None:
    one, other = (visiting_order(np.random.default_rng(seed), 64 * 128) for seed in (0, 1))
    assert not np.array_equal(one, other)
    visits = one.reshape(-1, dual_epoch._LANE_BLOCKS)  # of a lane between two merges
    lanes = np.concatenate([visits[lane :: oracle.LANES] for lane in range(oracle.LANES)])
    streams = lanes.reshape(-1, dual_epoch._STREAMS)
    assert (np.diff(streams, axis=0) == 1).mean() > 0.98
    assert (np.abs(np.diff(streams, axis=1)) > 1).mean() > 0.98


@pytest.mark.parametrize(("shrinking", "epochs"), [("safe", 51), ("paper", 4), (None, 51)])
def test_training_ends_where_rounding_holds_a_sample(shrinking: str | None, epochs: int) -> None:
    """A sample that is updated without any effect must not be visited a thousand times."""
    looked = SimpleNamespace(worst=0.5, loss=0.0, norm=1.0)
    passed = SimpleNamespace(
        visited=1, updated=1, shrunk=0, rounds=1, gamma=1.0, worst=0.5, loss=1.0
    )
    solver = SimpleNamespace(
        blocks=1, norm=1.0, potential=-1.0,
        run_rows=lambda _: passed, check=lambda *_: looked, activate=lambda: None,
        set_epsilon=lambda _: None, sum_weights=lambda **_: None, weights=lambda _: np.zeros(1),
    )  # fmt: skip
    options = DualOptions(tol=1e-15, epsilon=0.1, shrinking=shrinking, max_iter=100, seed=0)
    problem = DualProblem(
        count=1, tau=1.0, weight=1.0, at_zero=1.0, violation=lambda share: share, small=False
    )
    stub, tracer = cast(_native.DualSolver, solver), Tracer(None, lambda _: None)
    solution = solve_dual(stub, problem, options, tracer)
    assert solution.epochs == epochs  # the first, and those that change nothing


@examples(12)
@given(data=st.data(), valued=st.booleans(), seed=st.integers(0, 1000))
def test_the_average_of_weights(data: st.DataObject, valued: bool, seed: int) -> None:
    problem = data.draw(problems("svm", valued=valued))
    solver = problem.native()
    assert solver.check(0, len(problem.y), averaged=True).norm == solver.check(0, 0).norm
    solver.sum_weights(anew=True)
    seen = []
    for order in orders(seed, solver.blocks, 3):
        solver.run(order)
        solver.sum_weights()
        seen.append(problem.w(solver).astype(np.float64))
    mean, padded = np.mean(seen, axis=0), solver.weights(averaged=True)
    tight = 1e-12 if valued else 1e-5
    np.testing.assert_allclose(
        padded.reshape(len(mean), -1)[:, : problem.classes], mean, rtol=tight, atol=tight
    )
    found, slow = solver.check(0, len(problem.y), averaged=True), problem.oracle()
    slow.w = mean
    assert found.norm == pytest.approx((mean**2).sum(), rel=tight, abs=tight)
    assert found.loss == pytest.approx(slow.loss(), rel=100 * tight, abs=100 * tight)
    np.testing.assert_array_equal(problem.w(solver), seen[-1])  # w itself goes on as before


def test_epsilon_can_change_between_epochs() -> None:
    solver = toy(shrink=False, epsilon=0.05).native()
    solver.set_epsilon(10.0)
    assert solver.run(np.arange(solver.blocks)).updated == 0
    solver.set_epsilon(0.05)
    assert solver.run(np.arange(solver.blocks)).updated > 0
    with pytest.raises(ValueError, match="epsilon is out of range"):
        solver.set_epsilon(np.nan)


@given(st.integers(0, 3000), st.sampled_from([1, 2, 4, 8]), st.integers(1, 9))
def test_slices_are_whole_rounds(blocks: int, unit: int, least: int) -> None:
    found = slice_bounds(blocks, unit, least, 1 << 14)
    assert [begin for begin, _ in found] == [0, *(end for _, end in found)][: len(found)]
    assert (found[-1][1] if found else 0) == blocks
    assert all(begin % unit == 0 for begin, _ in found)
    assert len(found) >= min(least, blocks // unit) // 2
