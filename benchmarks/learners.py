"""The classifiers on data that has nothing to do with translation, beside other people's.

Run: python -m benchmarks.learners [--toy]

Rows are drawn so that they look like public problems: long TF-IDF rows of few classes, a hundred
classes, a million columns, dense rows. All learners get the same matrices, in the form that they
take without a copy, and one core; C = 1, for logistic regression σ = 1, everywhere. A fifth of the
rows is held out. Vowpal Wabbit's seconds include reading text; it is skipped where it is missing.
"""

from __future__ import annotations

import importlib.util
import resource
import subprocess
import sys
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix, load_npz, save_npz

from benchmarks.harness import Settings, measure, print_table, run
from benchmarks.peers import forget_peak, memory

# Name: rows, columns, classes, entries per row; values "tfidf", "ones" or "dense".
PROBLEMS = {
    "few classes, long TF-IDF rows": (18_000, 50_000, 12, 150, "tfidf"),
    "a hundred classes": (20_000, 30_000, 100, 60, "tfidf"),
    "a million columns, rows of ones": (100_000, 1_000_000, 3, 30, "ones"),
    "dense rows": (20_000, 200, 10, 200, "dense"),
}
LEARNERS: dict[str, tuple[str, dict[str, Any]]] = {
    "MulticlassSVM": ("tartib.models", {"C": 1.0, "n_jobs": 1}),
    "LinearSVC, Crammer–Singer (LIBLINEAR)": (
        "sklearn.svm",
        {"C": 1.0, "multi_class": "crammer_singer"},
    ),
    "LinearSVC, one against the rest (LIBLINEAR)": ("sklearn.svm", {"C": 1.0}),
    "DualMLR": ("tartib.models", {"sigma": 1.0, "n_jobs": 1}),
    "MaxEnt": ("tartib.models", {"sigma": 1.0, "n_jobs": 1}),
    "LogisticRegression, L-BFGS (scikit-learn)": ("sklearn.linear_model", {"C": 1.0}),
}
VOWPAL = "--loss_function logistic --passes 10 -b 22"


def draw(rows: int, columns: int, classes: int, entries: int, values: str, seed: int = 0) -> Any:  # noqa: ANN401
    """Draw rows whose columns follow Zipf's law, of which each class prefers some."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, classes, rows)
    if values == "dense":
        centres = rng.normal(0, 0.15, (classes, columns))
        return (centres[y] + rng.normal(size=(rows, columns))).astype(np.float32), y
    ranks = np.exp(rng.uniform(0, np.log(columns), (rows, entries))).astype(np.int64) - 1
    topical = rng.random((rows, entries)) < 0.15
    ranks = np.where(topical, (ranks * classes + y[:, None]) % columns, ranks)
    indptr = np.arange(rows + 1) * entries
    X = csr_matrix(
        (np.ones(rows * entries, np.float32), ranks.reshape(-1), indptr), (rows, columns)
    )
    X.sum_duplicates()
    if values == "ones":
        X.data[:] = 1
        return X, y
    frequency = np.bincount(X.indices, minlength=columns)
    X.data *= np.log((1 + rows) / (1 + frequency))[X.indices].astype(np.float32) + 1
    norms = np.sqrt(np.asarray(X.multiply(X).sum(axis=1)).ravel())
    X.data /= np.repeat(norms, np.diff(X.indptr)).astype(np.float32)
    return X, y


def load(folder: str, name: str) -> tuple[Any, NDArray[np.int64]]:
    """Read one part of a problem."""
    path = Path(folder)
    dense = path / f"{name}.npy"
    return np.load(dense) if dense.exists() else load_npz(path / f"{name}.npz"), np.load(
        path / f"{name}.y.npy"
    )


def write(folder: Path, shape: tuple[Any, ...]) -> None:
    """Draw a problem and write its parts."""
    folder.mkdir()
    X, y = draw(*shape)
    split = len(y) * 4 // 5
    for name, part in (("train", slice(split)), ("test", slice(split, None))):
        np.save(folder / f"{name}.y.npy", y[part])
        if isinstance(X, np.ndarray):
            np.save(folder / f"{name}.npy", X[part])
        else:
            save_npz(folder / f"{name}.npz", X[part])


def fit(folder: str, name: str) -> tuple[float, float, float, str]:
    """Train one learner; return processor seconds, megabytes above the data, accuracy, passes."""
    module, options = LEARNERS[name]
    learner = getattr(importlib.import_module(module), name.partition(",")[0])(**options)
    (X, y), (test, truth) = load(folder, "train"), load(folder, "test")
    forget_peak()
    before, began = memory("VmRSS"), time.process_time()
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        learner.fit(X, y)
    seconds, above = time.process_time() - began, memory("VmHWM") - before
    stopped = "" if not any("onverge" in str(w.message) for w in said) else " (not converged)"
    passes = f"{int(np.max(learner.n_iter_))}{stopped}"
    return seconds, above, float((learner.predict(test) == truth).mean()), passes


def vowpal(folder: str) -> tuple[float, float, float, str] | None:
    """Train Vowpal Wabbit, one against all; None where it is not installed."""
    if importlib.util.find_spec("vowpalwabbit") is None:
        return None
    path, classes = Path(folder), 0
    for name in ("train", "test"):
        X, y = load(folder, name)
        rows, classes = csr_matrix(X), int(y.max()) + 1
        with (path / f"{name}.vw").open("w") as file:
            for i, label in enumerate(y.tolist()):
                place = slice(rows.indptr[i], rows.indptr[i + 1])
                entries = zip(rows.indices[place].tolist(), rows.data[place].tolist(), strict=True)
                file.write(f"{label + 1} | {' '.join(f'{j}:{v:.6g}' for j, v in entries)}\n")
    command: list[str | Path] = [sys.executable, "-m", "vowpalwabbit", "--quiet"]
    data: list[str | Path] = [
        "-d",
        path / "train.vw",
        "-f",
        path / "vw.model",
        "--cache_file",
        path / "vw.cache",
        "-k",
    ]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([*command, *data, "--oaa", str(classes), *VOWPAL.split()], check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    test: list[str | Path] = [
        "-t",
        "-d",
        path / "test.vw",
        "-i",
        path / "vw.model",
        "-p",
        path / "vw.answers",
    ]
    subprocess.run([*command, *test], check=True)
    right = np.loadtxt(path / "vw.answers", ndmin=2)[:, 0] - 1 == load(folder, "test")[1]
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return seconds, after.ru_maxrss / 1024, float(right.mean()), "10"


def learners(settings: Settings) -> None:
    """Compare on problems of other fields."""
    rows: list[tuple[object, ...]] = []
    for problem, (count, columns, *shape) in PROBLEMS.items():
        folder = settings.scratch / f"learners-{len(rows)}"
        smaller = 50 if settings.toy else 1
        write(folder, (count // smaller, max(columns // smaller, 50), *shape))
        for name in LEARNERS:
            try:
                found = measure(fit, str(folder), name).result
            except ValueError as refused:
                rows.append((problem, name, "", "", "", str(refused)))
                continue
            seconds, above, accuracy, passes = found
            row = (f"{seconds:.2f}", f"{above:.0f}", f"{100 * accuracy:.2f}", passes)
            rows.append((problem, name, *row))
            print(*rows[-1], sep=" | ", flush=True)
        other = measure(vowpal, str(folder)).result  # in a process without other children's memory
        if other is not None:
            figures = (f"{other[0]:.2f}", f"{other[1]:.0f}", f"{100 * other[2]:.2f}", other[3])
            rows.append((problem, f"Vowpal Wabbit {VOWPAL}", *figures))
            print(*rows[-1], sep=" | ", flush=True)
    titles = ("problem", "learner", "s", "MB above the data", "accuracy %", "passes")
    print_table("Learners on other data, one core", titles, rows)


if __name__ == "__main__":
    run((learners,), __doc__ or "")
