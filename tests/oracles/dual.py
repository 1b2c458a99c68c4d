"""Dual methods in NumPy: the papers' formulas sample by sample, and the block scheme around them.

A Step answers for one sample: ``row`` its number, ``s`` its scores, ``A`` = x·x. Logistic
regression holds log α, as the kernels do.
"""

from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import logsumexp, wrightomega, xlogy

Floats = Any  # NumPy arrays of float64
LANES, BLOCK_ROWS = 2, 64


class Step(Protocol):
    tau: float

    def violation(self, row: int, s: Floats, alpha: Floats) -> float: ...
    def update(self, row: int, A: float, s: Floats, alpha: Floats) -> Floats: ...
    def coefficients(self, row: int, alpha: Floats) -> Floats: ...
    def potential(self, row: int, alpha: Floats) -> float: ...
    def loss(self, row: int, s: Floats) -> float: ...
    def blend(self, before: Floats, after: Floats, gamma: float) -> Floats: ...


@dataclass
class Svm:
    y: NDArray[Any]
    C: Floats  # of each sample
    tau: float = 1.0

    def gradient(self, row: int, s: Floats) -> Floats:
        G: Floats = s + 1.0  # eq. 10
        G[self.y[row]] -= 1
        return G

    def bounds(self, row: int, classes: int) -> Floats:
        bounds = np.zeros(classes)
        bounds[self.y[row]] = self.C[row]
        return bounds

    def violation(self, row: int, s: Floats, alpha: Floats) -> float:
        G, free = self.gradient(row, s), alpha < self.bounds(row, len(s)) - 1e-12
        return float(G.max() - G[free].min()) if free.any() else -np.inf  # eq. 12

    def update(self, row: int, A: float, s: Floats, alpha: Floats) -> Floats:
        """Algorithm 1, with the sum of α_ik over k, which eq. 9 forgets, held at 0."""
        C, y, classes = float(self.C[row]), int(self.y[row]), len(s)
        bounds = self.bounds(row, classes)
        if A == 0:
            return np.where(np.arange(classes) == y, C, -C / (classes - 1))
        B = self.gradient(row, s) - A * alpha
        D = np.sort(B + A * bounds)[::-1]
        r, beta = 1, D[0] - A * C
        while r < classes and beta < r * D[r]:
            beta += D[r]
            r += 1
        best: Floats = np.minimum(bounds, (beta / r - B) / A)
        return np.where(best > bounds - 1e-12 * C, bounds, best)

    def coefficients(self, row: int, alpha: Floats) -> Floats:  # noqa: ARG002
        return alpha

    def potential(self, row: int, alpha: Floats) -> float:
        return float(np.delete(alpha, self.y[row]).sum())

    def loss(self, row: int, s: Floats) -> float:
        G = self.gradient(row, s)
        return float(self.C[row] * (G.max() - G[self.y[row]]))

    def blend(self, before: Floats, after: Floats, gamma: float) -> Floats:
        return before + gamma * (after - before)


@dataclass
class Mlr:
    y: NDArray[Any]
    q: Floats  # weight of each sample
    tau: float  # σ²

    def violation(self, row: int, s: Floats, log_alpha: Floats) -> float:
        gradient = log_alpha - s  # eq. 12, without what is constant over k
        return float(gradient.max() - gradient.min()) if self.q[row] > 0 else -np.inf  # eq. 16

    def update(self, row: int, A: float, s: Floats, log_alpha: Floats) -> Floats:
        """Return the best α of this sample: log α_k + c α_k = s_k + c α_k(before) + λ, Σ α_k = 1.

        With u = c α each equation reads log u + u = something, which Wright's ω solves; λ is found
        by bracketing.
        """
        c = self.tau * self.q[row] * A
        if c == 0:
            return s - logsumexp(s)
        t = s + c * np.exp(log_alpha)

        def alpha(shift: float) -> Floats:
            return wrightomega(t + shift + np.log(c)).real / c

        width = np.abs(t).max() + c + np.log(len(s)) + 1
        shift = brentq(lambda shift: alpha(shift).sum() - 1, -width, width, xtol=1e-15, rtol=1e-15)
        return t + shift - c * alpha(shift)

    def coefficients(self, row: int, log_alpha: Floats) -> Floats:
        own = np.arange(len(log_alpha)) == self.y[row]
        return self.tau * self.q[row] * (own - np.exp(log_alpha))  # eq. 10

    def potential(self, row: int, log_alpha: Floats) -> float:
        alpha = np.exp(log_alpha)
        return float(self.q[row] * xlogy(alpha, alpha).sum())

    def loss(self, row: int, s: Floats) -> float:
        return float(self.q[row] * (logsumexp(s) - s[self.y[row]]))

    def blend(self, before: Floats, after: Floats, gamma: float) -> Floats:
        with np.errstate(divide="ignore"):
            return np.log((1 - gamma) * np.exp(before) + gamma * np.exp(after))


class ExponentiatedGradient(Mlr):
    def update(self, row: int, A: float, s: Floats, log_alpha: Floats) -> Floats:
        """Lines 10 to 18 of the MLR paper's Algorithm 1."""
        before = np.exp(log_alpha)
        for halvings in range(1, 11):
            eta = 0.5**halvings
            z = log_alpha - eta * (log_alpha - s)  # eq. 11
            z -= logsumexp(z)
            after = np.exp(z)
            entropy = xlogy(after, after).sum() - xlogy(before, before).sum()
            step = self.tau * self.q[row] * (before - after)  # w changes by step · x
            weights = (s @ step + A * (step @ step) / 2) / self.tau  # ‖w‖² / (2σ²) changes by this
            if self.q[row] * entropy + weights <= 0:  # eq. 13
                return z
        return log_alpha


@dataclass
class BlockSolver:
    """X is dense, with the column of ones if there is an intercept."""

    X: Floats
    step: Step
    alpha: Floats
    epsilon: float
    shrink: bool
    intercept: bool = False  # whether the last column of X is that of the intercept
    active: NDArray[np.bool_] = field(init=False)
    w: Floats = field(init=False)  # features × classes

    def __post_init__(self) -> None:
        self.active = np.ones(len(self.X), np.bool_)
        self.w = self.weights()

    def run(self, blocks: list[int], length: int = 1) -> dict[str, float]:
        parts = [blocks[begin : begin + length] for begin in range(0, len(blocks), length)]
        stats = {"visited": 0, "updated": 0, "shrunk": 0, "damped": 0, "worst": 0.0, "loss": 0.0}
        for begin in range(0, len(parts), LANES):
            lanes = [self.lane(part, stats) for part in parts[begin : begin + LANES]]
            change = np.sum([lane[0] for lane in lanes], axis=0)
            after = {row: alpha for lane in lanes for row, alpha in lane[1].items()}
            gain = sum(
                self.step.potential(row, alpha) - self.step.potential(row, self.alpha[row])
                for row, alpha in after.items()
            )
            slope, square = (self.w * change).sum() + self.step.tau * gain, (change**2).sum()
            gamma = 1.0
            busy = sum(bool(lane[1]) for lane in lanes)
            if busy > 1 and -slope < 0.999 * square:
                gamma = max(-slope / square, 1 / busy)
                stats["damped"] += 1
            self.w += gamma * change
            for row, alpha in after.items():
                if gamma < 1:
                    alpha = self.step.blend(self.alpha[row], alpha, gamma)
                self.alpha[row] = alpha
        return stats

    def run_rows(self, rows: list[int]) -> dict[str, float]:
        """Visit samples one after another."""
        stats = {"visited": 0, "updated": 0, "shrunk": 0, "damped": 0, "worst": 0.0, "loss": 0.0}
        for row in rows:
            x, alpha = self.X[row], self.alpha[row]
            if not self.active[row] or not self.needs_change(row, x @ self.w, alpha, stats):
                continue
            after = self.step.update(row, x @ x, x @ self.w, alpha)
            moved = self.step.coefficients(row, after) - self.step.coefficients(row, alpha)
            self.w += np.outer(x, moved)
            self.alpha[row] = after
        return stats

    def needs_change(self, row: int, s: Floats, alpha: Floats, stats: dict[str, float]) -> bool:
        violation = self.step.violation(row, s, alpha)
        stats["visited"] += 1
        stats["worst"] = max(stats["worst"], violation)
        stats["loss"] += self.step.loss(row, s)
        if violation > self.epsilon:
            stats["updated"] += 1
            return True
        self.active[row] = not self.shrink
        stats["shrunk"] += self.shrink
        return False

    def lane(self, blocks: list[int], stats: dict[str, float]) -> tuple[Floats, dict[int, Floats]]:
        w, after = self.w.copy(), {}
        spread = np.ones(self.X.shape[1])  # within the lane, changes of the intercept count more
        if self.intercept:
            spread[-1] = (LANES + 1) / 2
        places = [block * BLOCK_ROWS + row for block in blocks for row in range(BLOCK_ROWS)]
        for row in places:
            if row >= len(self.X) or not self.active[row]:
                continue
            x, alpha = self.X[row], self.alpha[row]
            if not self.needs_change(row, x @ w, alpha, stats):
                continue
            after[row] = self.step.update(row, x @ (spread * x), x @ w, alpha)
            moved = self.step.coefficients(row, after[row]) - self.step.coefficients(row, alpha)
            w += np.outer(spread * x, moved)
        return (w - self.w) / spread[:, None], after

    def weights(self) -> Floats:
        """Return w(α) by its definition."""
        rows = enumerate(self.alpha)
        return self.X.T @ np.array([self.step.coefficients(row, alpha) for row, alpha in rows])

    def potential(self) -> float:
        return sum(self.step.potential(row, alpha) for row, alpha in enumerate(self.alpha))

    def loss(self) -> float:
        return sum(self.step.loss(row, x @ self.w) for row, x in enumerate(self.X))

    def violations(self) -> Floats:
        found = [self.step.violation(r, x @ self.w, self.alpha[r]) for r, x in enumerate(self.X)]
        return np.array(found)
