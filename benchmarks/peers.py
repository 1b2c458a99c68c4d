"""Classifiers to measure, ours and other people's, each in a process of its own.

What is returned is the time of training alone, the memory above the data, and how good the model
is on held-out rows.
"""

from __future__ import annotations

import importlib.util
import re
import resource
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tartib.dataset import Dataset
from tartib.models.probabilities import log_softmax


@dataclass(frozen=True)
class Outcome:
    """What training gave: processor and wall seconds, megabytes above the data, held-out figures.

    ``solver`` is the part of the processor time that the solver took, without checks and
    conversions of its input; ``unit`` that of one scoring pass over the training rows on one core.
    """

    cpu: float
    wall: float
    above_mb: float
    peak_mb: float
    accuracy: float
    log_loss: float
    gap: float | None = None
    epochs: int = 0
    solver: float | None = None
    unit: float = 0.0
    active: tuple[float, ...] = ()


STATUS = Path("/proc/self/status")


def memory(field: str) -> float:
    """Return VmRSS, the memory in use, or VmHWM, its peak, in megabytes; elsewhere the peak."""
    if not STATUS.exists():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    found = re.search(rf"{field}:\s+(\d+)", STATUS.read_text())
    return int(found.group(1)) / 1024 if found else 0.0


def forget_peak() -> None:
    """Begin to look for the peak anew, where the system can do so."""
    if STATUS.exists():
        Path("/proc/self/clear_refs").write_text("5")


def load(folder: str) -> Dataset:
    """Read a dataset into memory, so that all learners begin with the same bytes."""
    mapped = Dataset.load(folder)
    return Dataset(
        np.array(mapped.indptr),
        np.array(mapped.indices),
        np.array(mapped.y),
        classes=mapped.classes,
        n_features=mapped.n_features,
    )


def figures(scores: NDArray[Any], y: NDArray[np.int32]) -> tuple[float, float]:
    """Return held-out accuracy and log-loss of the soft-max of scores."""
    log_p = log_softmax(np.asarray(scores, np.float64))
    return float((scores.argmax(axis=1) == y).mean()), -float(log_p[np.arange(len(y)), y].mean())


def timed(fit: Callable[[], Any], held_out: Dataset, scores: Callable[[], Any]) -> dict[str, Any]:
    """Train, and say what it took."""
    forget_peak()
    before, wall, cpu = memory("VmRSS"), time.perf_counter(), time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # loose tolerances are meant to be loose
        fit()
    taken = {
        "cpu": time.process_time() - cpu,
        "wall": time.perf_counter() - wall,
        "peak_mb": memory("VmHWM"),
        "above_mb": memory("VmHWM") - before,
    }
    accuracy, loss = figures(scores(), held_out.y)
    return {**taken, "accuracy": accuracy, "log_loss": loss}


def ours(train: str, test: str, name: str, options: dict[str, Any]) -> Outcome:
    """Train one of Tartib's classifiers."""
    import tartib.models as models

    rows, held_out = load(train), load(test)
    model = getattr(models, name)(**options)
    with clocked(type(model), "_solve" if hasattr(model, "_solve") else "_run_epochs") as solver:
        taken = timed(lambda: model.fit(rows), held_out, lambda: model.scores(held_out))
    trace = getattr(model, "trace_", [])
    gap = getattr(model, "dual_gap_", None)
    if "n_jobs" in options:
        model.set_params(n_jobs=1)
    units = []
    for _ in range(3):
        began = time.process_time()
        model.scores(rows)
        units.append(time.process_time() - began)
    return Outcome(
        **taken,
        gap=gap,
        epochs=getattr(model, "n_iter_", 0),
        solver=solver[0],
        unit=min(units),
        active=tuple(epoch.active for epoch in trace if epoch.epoch),
    )


@contextmanager
def clocked(owner: Any, name: str) -> Iterator[list[float]]:  # noqa: ANN401
    """Add up the processor seconds of a function of a module or class."""
    real, seconds = getattr(owner, name), [0.0]

    def timed_call(*arguments: Any, **options: Any) -> Any:  # noqa: ANN401
        began = time.process_time()
        try:
            return real(*arguments, **options)
        finally:
            seconds[0] += time.process_time() - began

    setattr(owner, name, timed_call)
    try:
        yield seconds
    finally:
        setattr(owner, name, real)


def liblinear(train: str, test: str, C: float, tolerance: float) -> Outcome:
    """Train scikit-learn's LinearSVC (LIBLINEAR, Crammer and Singer)."""
    from sklearn.svm import LinearSVC, _base

    rows, held_out = load(train), load(test)
    matrix, test_matrix = rows.to_scipy(), held_out.to_scipy()
    model = LinearSVC(
        multi_class="crammer_singer", C=C, tol=tolerance, fit_intercept=False, max_iter=1000
    )
    with clocked(_base.liblinear, "train_wrap") as solver:
        taken = timed(
            lambda: model.fit(matrix, rows.y),
            held_out,
            lambda: model.decision_function(test_matrix),
        )
    return Outcome(**taken, epochs=int(model.n_iter_), solver=solver[0])


def logistic(train: str, test: str, C: float, tolerance: float) -> Outcome:
    """Train scikit-learn's LogisticRegression (SciPy's L-BFGS)."""
    from sklearn.linear_model import LogisticRegression, _logistic

    rows, held_out = load(train), load(test)
    matrix, test_matrix = rows.to_scipy(), held_out.to_scipy()
    model = LogisticRegression(
        C=C, tol=tolerance, solver="lbfgs", fit_intercept=False, max_iter=500
    )
    with clocked(_logistic.optimize, "minimize") as solver:
        taken = timed(
            lambda: model.fit(matrix, rows.y),
            held_out,
            lambda: model.decision_function(test_matrix),
        )
    return Outcome(**taken, epochs=int(model.n_iter_[0]), solver=solver[0])


def vowpal_lines(folder: str, path: Path) -> None:
    """Write a dataset as Vowpal Wabbit reads it."""
    rows = Dataset.load(folder)
    with path.open("w") as file:
        for i, label in enumerate(rows.y.tolist()):
            file.write(f"{label + 1} | {' '.join(map(str, rows.row(i).tolist()))}\n")


def vowpal(train: str, test: str, folder: str, options: str) -> Outcome | None:
    """Train Vowpal Wabbit by its own driver; None where it is not installed.

    Its time includes reading text into its cache, as it does in practice.
    """
    if importlib.util.find_spec("vowpalwabbit") is None:
        return None
    files = {name: Path(folder) / f"{name}.vw" for name in ("train", "test")}
    for name, source in (("train", train), ("test", test)):
        if not files[name].exists():
            vowpal_lines(source, files[name])
    model, cache, answers = (Path(folder) / f"vw.{name}" for name in ("model", "cache", "answers"))
    command = [sys.executable, "-m", "vowpalwabbit", "--quiet"]
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(
        [
            *command,
            "-d",
            files["train"],
            "-f",
            model,
            "--cache_file",
            cache,
            "-k",
            *options.split(),
        ],
        capture_output=True,
        check=True,
    )
    after, wall = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter() - began
    subprocess.run([*command, "-t", "-d", files["test"], "-i", model, "-p", answers], check=True)
    predicted = np.loadtxt(answers, ndmin=2)[:, 0] - 1
    accuracy = float((predicted == Dataset.load(test).y).mean())
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Outcome(cpu, wall, 0.0, after.ru_maxrss / 1024, accuracy, float("nan"))
