"""The main findings about one orientation, in words and in a few large figures."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tartib.evaluation.significance import holm
from tartib.experiments.classification.results import Cell, OrientationResults, Run
from tartib.experiments.report.findings import Headline

# Classifiers in the order of the tables, with the names to print; others follow as they occur.
CLASSIFIERS = {
    "maxent": "MaxEnt",
    "svm": "multiclass SVM",
    "mlr": "dual MLR",
    "mlr-eg": "dual MLR, EG",
    "primal-mlr": "primal MLR",
    "maxent-l1": "MaxEnt with L1",
    "naive-bayes": "naive Bayes",
}


def accuracy(cell: Cell) -> float:
    """Return the mean accuracy in percent."""
    return 100 * cell.mean(lambda run: run.scores.accuracy)


def most_frequent(orientation: OrientationResults) -> tuple[str, float]:
    """Return the most frequent class of the test pairs and its share in percent."""
    counts = np.sum([run.scores.confusion for run in orientation.lexicalised.runs], axis=(0, 2))
    most = int(np.argmax(counts))
    return orientation.classes[most], 100 * float(counts[most]) / max(float(counts.sum()), 1.0)


def adjusted_p_values(orientation: OrientationResults) -> dict[tuple[str, str], float]:
    """Return the p-value of each feature set and classifier against the lexicalised model.

    They are adjusted for the number of all these comparisons.
    """
    known = [(cell, cell.difference) for cell in orientation.cells if cell.difference is not None]
    adjusted = holm([difference.p_value for _, difference in known])
    names = ((cell.features, cell.classifier) for cell, _ in known)
    return dict(zip(names, adjusted, strict=True))


def ratio(orientation: OrientationResults, figure: Callable[[Run], float]) -> float | None:
    """Return MaxEnt's figure divided by the SVM's: the geometric mean over common feature sets."""
    found = {(c.features, c.classifier): c.mean(figure) for c in orientation.cells}
    logs = [
        np.log(value / found[features, "svm"])
        for (features, classifier), value in found.items()
        if classifier == "maxent" and found.get((features, "svm"), 0) > 0 and value > 0
    ]
    return float(np.exp(np.mean(logs))) if logs else None


def headlines(orientation: OrientationResults) -> list[Headline]:
    """Return the large figures that there are results for."""
    name, share = most_frequent(orientation)
    found = [
        Headline(f"{accuracy(orientation.lexicalised):.1f}", "%", "lexicalised model"),
        Headline(f"{share:.1f}", "%", f"most frequent class, {name}"),
    ]
    if orientation.best is not None:
        best = orientation.cells[orientation.best]
        label = f"best accuracy: {_name(best)} on {best.features}"
        found.insert(0, Headline(f"{accuracy(best):.1f}", "%", label))
    for figure, label in ((seconds_of, "training time"), (memory_of, "peak memory")):
        times = ratio(orientation, figure)
        if times is not None:
            found.append(Headline(f"{times:.1f}", "×", f"{label}, MaxEnt to SVM"))
    return found


def sentences(orientation: OrientationResults) -> list[str]:
    """Say the same in words."""
    name, share = most_frequent(orientation)
    lexicalised = accuracy(orientation.lexicalised)
    said = [
        f"The lexicalised model is right for {lexicalised:.1f} % of the test pairs; "
        f"{share:.1f} % of them are {name}."
    ]
    if orientation.best is not None:
        best = orientation.cells[orientation.best]
        said.insert(0, _about_best(best, accuracy(best) - lexicalised))
    time, memory = ratio(orientation, seconds_of), ratio(orientation, memory_of)
    if time is not None and memory is not None:
        said.append(
            f"Where both were trained on the same features, MaxEnt took {time:.1f} times as long "
            f"as the SVM and needed {memory:.1f} times its memory (rows included, not the "
            "interpreter)."
        )
    return [sentence.replace(" %", "\u202f%") for sentence in said]


def _about_best(best: Cell, gain: float) -> str:
    words = f"{_name(best)} on {best.features} is right for {accuracy(best):.1f} %"
    words = words[:1].upper() + words[1:]
    way = "above" if gain >= 0 else "below"
    words += f", {abs(gain):.1f} points {way} the lexicalised model"
    if best.difference is not None:
        low, high = 100 * best.difference.low, 100 * best.difference.high
        words += f" (95 % interval {low:+.1f} to {high:+.1f})".replace("-", "−")
    return words + "."


def _name(cell: Cell) -> str:
    return CLASSIFIERS.get(cell.classifier, cell.classifier)


def seconds_of(run: Run) -> float:
    """Return the training time."""
    return run.seconds


def memory_of(run: Run) -> float:
    """Return the memory of training, without the interpreter's."""
    return run.peak_mb - run.start_mb
