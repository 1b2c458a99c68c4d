"""How good a classifier's answers are: sufficient statistics, and the figures made of them.

`ClassificationStatistics` are sums over samples, so those of parts of the data add up to those of
the whole; a `ClassificationReport` is computed from them and from nothing else.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tartib.errors import OptionError

CALIBRATION_BINS = 15

# Probabilities may miss a sum of 1 by what float32 soft-max misses it by.
_SUM_TOLERANCE = 1e-4
_CHUNK = 1 << 18

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class ClassificationStatistics:
    """Sums over samples; add those of several parts with ``+``.

    Attributes
    ----------
    classes
        Names of the classes.
    confusion
        Weight of the samples of each true class (rows) by the class predicted (columns): the one
        with the highest probability, the first of several.
    log_loss
        Sum of -ln p(true class). A probability below float64's epsilon, 2.2e-16, counts as that, as
        in scikit-learn.
    brier
        Sum of Σ_k (p_k - [k is the true class])², between 0 and 2 for each sample.
    bins
        Calibration: for each of 15 equal parts of [0, 1] that the highest probability can fall in
        (an edge belongs to the part below it) the weight, the sum of that probability, and the
        weight of the right answers.
    """

    classes: tuple[str, ...]
    confusion: Floats
    log_loss: float
    brier: float
    bins: Floats

    @classmethod
    def of(
        cls,
        probabilities: ArrayLike,
        y: ArrayLike,
        classes: Sequence[str],
        weights: ArrayLike | None = None,
    ) -> ClassificationStatistics:
        """Sum up the answers of a classifier.

        Parameters
        ----------
        probabilities
            A row for each sample, a column for each class.
        y
            The true classes, as indices into ``classes``.
        classes
            Names of the classes.
        weights
            Each sample counts so often; by default once.
        """
        names = tuple(str(name) for name in classes)
        given = _check_probabilities(probabilities, len(names))
        truth = _check_truth(y, len(given), len(names))
        weight = _check_weights(weights, len(given))
        total = cls.nothing(names)
        for begin in range(0, len(given), _CHUNK):
            part = slice(begin, begin + _CHUNK)
            total += cls._sum(names, _normalised(given[part]), truth[part], weight[part])
        return total

    @classmethod
    def nothing(cls, classes: Sequence[str]) -> ClassificationStatistics:
        """Return the statistics of no samples."""
        size = len(classes)
        bins = np.zeros((CALIBRATION_BINS, 3))
        return cls(tuple(classes), np.zeros((size, size)), 0.0, 0.0, bins)

    @classmethod
    def _sum(
        cls, classes: tuple[str, ...], p: Floats, y: NDArray[np.int64], weight: Floats
    ) -> ClassificationStatistics:
        size, rows = len(classes), np.arange(len(p))
        predicted = p.argmax(axis=1)
        confusion = np.bincount(y * size + predicted, weight, size * size).astype(np.float64)
        of_truth = np.maximum(p[rows, y], np.finfo(np.float64).eps)
        brier = (p**2).sum(axis=1) - 2 * p[rows, y] + 1
        top = p[rows, predicted]
        place = np.clip(np.ceil(top * CALIBRATION_BINS).astype(np.int64) - 1, 0, None)
        place = np.minimum(place, CALIBRATION_BINS - 1)
        right = weight * (predicted == y)
        sums = (np.bincount(place, w, CALIBRATION_BINS) for w in (weight, weight * top, right))
        return cls(
            classes,
            confusion.reshape(size, size),
            -float(weight @ np.log(of_truth)),
            float(weight @ brier),
            np.column_stack(list(sums)),
        )

    def __add__(self, other: ClassificationStatistics) -> ClassificationStatistics:
        if not isinstance(other, ClassificationStatistics):
            return NotImplemented
        if other.classes != self.classes:
            raise OptionError(
                "statistics of different classes cannot be added up: "
                f"{', '.join(self.classes)} and {', '.join(other.classes)}"
            )
        return ClassificationStatistics(
            self.classes,
            self.confusion + other.confusion,
            self.log_loss + other.log_loss,
            self.brier + other.brier,
            self.bins + other.bins,
        )

    def report(self) -> ClassificationReport:
        """Return the figures."""
        return ClassificationReport.of(self)


@dataclass(frozen=True, eq=False)
class ClassificationReport:
    """The figures of a classifier. 0 / 0 is 0, as in scikit-learn.

    Attributes
    ----------
    classes
        Names of the classes.
    confusion
        Weight of the samples of each true class (rows) by predicted class (columns).
    accuracy
        Share of right answers.
    precision, recall, f1, support
        By class: share of its predictions that are right, share of its samples that are found, the
        harmonic mean of both, and the weight of its samples.
    macro_f1
        Mean of ``f1`` over the classes.
    log_loss
        Mean of -ln p(true class), in nats.
    brier
        Mean of Σ_k (p_k - [k is the true class])².
    calibration_error
        Expected calibration error: how far the highest probability is from the share of right
        answers, over 15 bins, weighted by their samples.
    most_frequent
        Share of the most frequent class: the accuracy of always saying that one.
    """

    classes: tuple[str, ...]
    confusion: Floats
    accuracy: float
    precision: Floats
    recall: Floats
    f1: Floats
    support: Floats
    macro_f1: float
    log_loss: float
    brier: float
    calibration_error: float
    most_frequent: float

    @classmethod
    def of(cls, statistics: ClassificationStatistics) -> ClassificationReport:
        """Compute the figures."""
        confusion = statistics.confusion
        right, support, said = np.diag(confusion), confusion.sum(axis=1), confusion.sum(axis=0)
        f1 = _ratio(2 * right, support + said)
        count, confidence, correct = statistics.bins.T
        total = float(support.sum())
        return cls(
            classes=statistics.classes,
            confusion=confusion,
            accuracy=_share(float(right.sum()), total),
            precision=_ratio(right, said),
            recall=_ratio(right, support),
            f1=f1,
            support=support,
            macro_f1=float(f1.mean()),
            log_loss=_share(statistics.log_loss, total),
            brier=_share(statistics.brier, total),
            calibration_error=_share(float(np.abs(confidence - correct).sum()), float(count.sum())),
            most_frequent=_share(float(support.max()), total),
        )

    @property
    def error_rate(self) -> float:
        """Share of wrong answers; 0 of no samples."""
        return 1 - self.accuracy if self.support.any() else 0.0

    @property
    def percent(self) -> Floats:
        """The confusion matrix in percent of all samples, as in the SVM paper's Table 4."""
        return 100 * _ratio(self.confusion, self.confusion.sum())

    def paper_columns(self) -> dict[str, dict[str, float]]:
        """Return percentages under the names that the SVM paper's Tables 4 to 6 give them.

        What those tables call "Precision" is divided by the samples of the true class, that is,
        what everybody calls recall, and their "Recall" is precision.
        """
        return {
            name: {"Precision": 100 * float(recall), "Recall": 100 * float(precision)}
            for name, precision, recall in zip(
                self.classes, self.precision, self.recall, strict=True
            )
        }

    def as_dict(self) -> dict[str, Any]:
        """Return all figures as plain numbers, lists and dictionaries, for JSON."""
        by_class = {"precision": self.precision, "recall": self.recall, "f1": self.f1}
        return {
            "classes": {
                name: {figure: float(values[k]) for figure, values in by_class.items()}
                | {"support": float(self.support[k])}
                for k, name in enumerate(self.classes)
            },
            "confusion": self.confusion.tolist(),
            "confusion_percent": self.percent.tolist(),
            "accuracy": self.accuracy,
            "error_rate": self.error_rate,
            "macro_f1": self.macro_f1,
            "log_loss": self.log_loss,
            "brier": self.brier,
            "calibration_error": self.calibration_error,
            "most_frequent": self.most_frequent,
        }

    def __str__(self) -> str:
        figures = zip(self.classes, self.precision, self.recall, self.f1, self.support, strict=True)
        by_class = [
            [name, *(f"{100 * value:.1f}" for value in values), f"{support:,.10g}"]
            for name, *values, support in figures
        ]
        matrix = [
            [name, *(f"{share:.1f}" for share in row)]
            for name, row in zip(self.classes, self.percent, strict=True)
        ]
        whole = [
            ["accuracy %", f"{100 * self.accuracy:.2f}"],
            ["error rate %", f"{100 * self.error_rate:.2f}"],
            ["most frequent class %", f"{100 * self.most_frequent:.2f}"],
            ["macro F1 %", f"{100 * self.macro_f1:.2f}"],
            ["calibration error %", f"{100 * self.calibration_error:.2f}"],
            ["log-loss, nats", f"{self.log_loss:.4f}"],
        ]
        return "\n\n".join(
            (
                _aligned([["class", "precision %", "recall %", "F1 %", "samples"], *by_class]),
                "confusion, % of all samples\n"
                + _aligned([["true \\ predicted", *self.classes], *matrix]),
                _aligned(whole),
            )
        )


def _aligned(rows: Sequence[Sequence[str]]) -> str:
    """Lay out a table: the first column to the left, the others to the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = (
        [row[0].ljust(widths[0]), *(c.rjust(w) for c, w in zip(row[1:], widths[1:], strict=True))]
        for row in rows
    )
    return "\n".join("  ".join(line) for line in lines)


def _ratio(part: Floats, whole: ArrayLike) -> Floats:
    """Divide; 0 / 0 is 0."""
    whole = np.broadcast_to(np.asarray(whole, np.float64), part.shape)
    result = np.zeros(part.shape)
    np.divide(part, whole, out=result, where=whole > 0)
    return result


def _share(part: float, whole: float) -> float:
    return part / whole if whole > 0 else 0.0


def _check_probabilities(probabilities: ArrayLike, n_classes: int) -> NDArray[Any]:
    """Return an array of the right shape; chunks of it are looked at more closely."""
    given = np.asarray(probabilities)
    if n_classes < 1:
        raise OptionError("at least one class is needed")
    if given.ndim != 2 or given.shape[1] != n_classes:
        shape = " by ".join(map(str, given.shape))
        raise OptionError(
            f"probabilities are a row for each sample and {n_classes} columns: {shape} given"
        )
    if given.dtype.kind not in "fiub":
        raise OptionError(f"probabilities must be numbers, got {given.dtype}")
    return given


def _normalised(given: NDArray[Any]) -> Floats:
    """Refuse what cannot be probabilities, and take out the error of rounding."""
    p = given.astype(np.float64)
    if not (p >= 0).all():
        raise OptionError("probabilities must not be negative or NaN")
    sums = p.sum(axis=1, keepdims=True)
    wrong = np.flatnonzero(~(np.abs(sums - 1) <= _SUM_TOLERANCE))
    if len(wrong):
        raise OptionError(f"probabilities must sum up to 1, not to {sums[wrong[0], 0]:g}")
    p /= sums
    return p


def _check_truth(y: ArrayLike, length: int, n_classes: int) -> NDArray[np.int64]:
    truth = np.asarray(y)
    if truth.shape != (length,):
        raise OptionError(f"give {length:,} true classes, one for each sample")
    if truth.size and truth.dtype.kind not in "iu":
        raise OptionError(f"true classes must be integers from 0, got {truth.dtype}")
    if truth.size and not 0 <= truth.min() <= truth.max() < n_classes:
        low, high = truth.min(), truth.max()
        raise OptionError(f"true classes must be 0 to {n_classes - 1}, got {low} to {high}")
    return truth.astype(np.int64)


def _check_weights(weights: ArrayLike | None, length: int) -> Floats:
    if weights is None:
        return np.ones(length)
    weight = np.asarray(weights, np.float64)
    if weight.shape != (length,):
        raise OptionError(f"give {length:,} weights, one for each sample")
    if not (np.isfinite(weight) & (weight >= 0)).all():
        raise OptionError("weights must be finite and not negative")
    return weight
