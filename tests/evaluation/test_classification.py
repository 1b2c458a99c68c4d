"""Figures of classifiers, beside those of scikit-learn."""

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics

from tartib import OptionError
from tartib.evaluation import ClassificationReport, ClassificationStatistics
from tests.support.examples import examples

CLASSES = ("mono", "swap", "other")
LABELS = [0, 1, 2]

# Small whole numbers make ties, zeros and ones frequent.
ROW = st.lists(st.integers(0, 5), min_size=3, max_size=3).filter(any)
SAMPLES = st.lists(st.tuples(ROW, st.sampled_from(LABELS), st.integers(0, 3)), max_size=20)


def columns(samples: list[Any]) -> tuple[Any, Any, Any]:
    """Return probabilities, true classes and weights."""
    p = np.array([row for row, _, _ in samples], np.float64).reshape(-1, 3)
    p /= p.sum(axis=1, keepdims=True)
    y = np.array([label for _, label, _ in samples], np.int64)
    return p, y, np.array([weight for _, _, weight in samples], np.float64)


@examples(300)
@given(SAMPLES.filter(lambda samples: any(weight for _, _, weight in samples)))
def test_agrees_with_scikit_learn(samples: list[Any]) -> None:
    p, y, w = columns(samples)
    report = ClassificationStatistics.of(p, y, CLASSES, w).report()
    said = p.argmax(axis=1)
    options = {"sample_weight": w, "labels": LABELS}
    np.testing.assert_allclose(report.confusion, metrics.confusion_matrix(y, said, **options))
    np.testing.assert_allclose(report.accuracy, metrics.accuracy_score(y, said, sample_weight=w))
    np.testing.assert_allclose(report.error_rate, 1 - report.accuracy)
    expected = metrics.precision_recall_fscore_support(y, said, zero_division=0, **options)
    found = (report.precision, report.recall, report.f1, report.support)
    for ours, theirs in zip(found, expected, strict=True):
        np.testing.assert_allclose(ours, theirs)
    macro = metrics.f1_score(y, said, average="macro", zero_division=0, **options)
    np.testing.assert_allclose(report.macro_f1, macro)
    np.testing.assert_allclose(report.log_loss, metrics.log_loss(y, p, **options), atol=1e-14)


def calibration_error(p: Any, y: Any, w: Any) -> float:
    """Sum over the bins, one by one."""
    top, right = p.max(axis=1), p.argmax(axis=1) == y
    error = 0.0
    for b in range(15):
        inside = (top > b / 15) & (top <= (b + 1) / 15)
        error += abs(float((w * (top - right))[inside].sum()))
    return error / float(w.sum())


@examples(200)
@given(st.integers(0, 2**32 - 1), st.integers(1, 50))
def test_calibration_and_brier(seed: int, size: int) -> None:
    random = np.random.default_rng(seed)
    p = random.dirichlet([0.3, 0.3, 0.3], size)
    y, w = random.integers(0, 3, size), random.uniform(0.1, 2, size)
    report = ClassificationStatistics.of(p, y, CLASSES, w).report()
    np.testing.assert_allclose(report.calibration_error, calibration_error(p, y, w))
    distance = ((p - np.eye(3)[y]) ** 2).sum(axis=1)
    np.testing.assert_allclose(report.brier, np.average(distance, weights=w))


@examples(200)
@given(SAMPLES, st.integers(0, 20), st.integers(1, 7))
def test_parts_add_up_to_the_whole(samples: list[Any], cut: int, chunk: int) -> None:
    p, y, w = columns(samples)
    with pytest.MonkeyPatch.context() as patch:
        whole = ClassificationStatistics.of(p, y, CLASSES, w)
        patch.setattr("tartib.evaluation.classification._CHUNK", chunk)
        parts = [
            ClassificationStatistics.of(p[s], y[s], CLASSES, w[s])
            for s in (slice(cut), slice(cut, None))
        ]
    total = parts[0] + parts[1]
    for name in ("confusion", "log_loss", "brier", "bins"):
        np.testing.assert_allclose(getattr(total, name), getattr(whole, name), atol=1e-12)


@given(SAMPLES)
def test_weights_act_as_duplicates(samples: list[Any]) -> None:
    p, y, w = columns(samples)
    times = w.astype(np.int64)
    weighted = ClassificationStatistics.of(p, y, CLASSES, w).report().as_dict()
    copies = ClassificationStatistics.of(np.repeat(p, times, axis=0), np.repeat(y, times), CLASSES)
    flat = {name: value for name, value in copies.report().as_dict().items() if name != "classes"}
    for name, value in flat.items():
        np.testing.assert_allclose(weighted[name], value, atol=1e-12)


# Table 4 of the SVM paper: lexicalised model, in percent of all samples.
TABLE_4 = np.array([[68.9, 0.9, 1.3], [6.4, 2.6, 0.8], [14.2, 0.6, 4.4]])


def table_4() -> ClassificationReport:
    nothing = ClassificationStatistics.nothing(CLASSES)
    return ClassificationStatistics(CLASSES, TABLE_4, 0.0, 0.0, nothing.bins).report()


def possible(matrix: Any, k: int) -> Any:
    """Return the lowest and highest share in row k whose matrix rounds to the one given."""
    right, wrong = matrix[k, k], np.delete(matrix[k], k)
    ends = [(right + e, (wrong - e).sum()) for e in (-0.05, 0.05)]
    return np.array([100 * r / (r + w) for r, w in ends])


def test_the_papers_columns() -> None:
    report = table_4()
    columns = report.paper_columns()
    printed = zip(CLASSES, (97.0, 26.8, 23.0), (77.0, 63.5, 68.4), strict=True)
    for k, (name, precision, recall) in enumerate(printed):
        # The matrix is printed with one decimal, so its ratios tell theirs within bounds only.
        for found, expected, matrix in (
            (columns[name]["Precision"], precision, TABLE_4),
            (columns[name]["Recall"], recall, TABLE_4.T),
        ):
            low, high = possible(matrix, k)
            assert low < found < high
            assert low - 0.05 < expected < high + 0.05
            assert found == pytest.approx(expected, abs=0.8)
    assert report.accuracy == pytest.approx(0.759, abs=0.001)
    assert report.most_frequent == pytest.approx(0.711, abs=0.001)
    assert columns["mono"]["Precision"] == 100 * report.recall[0]


def test_text() -> None:
    p = np.array([[0.7, 0.2, 0.1], [0.6, 0.3, 0.1], [0.1, 0.8, 0.1], [0.3, 0.3, 0.4]])
    report = ClassificationStatistics.of(p, np.array([0, 1, 1, 0]), CLASSES).report()
    assert str(report).splitlines() == [
        "class  precision %  recall %  F1 %  samples",
        "mono          50.0      50.0  50.0        2",
        "swap         100.0      50.0  66.7        2",
        "other          0.0       0.0   0.0        0",
        "",
        "confusion, % of all samples",
        "true \\ predicted  mono  swap  other",
        "mono              25.0   0.0   25.0",
        "swap              25.0  25.0    0.0",
        "other              0.0   0.0    0.0",
        "",
        "accuracy %              50.00",
        "error rate %            50.00",
        "most frequent class %   50.00",
        "macro F1 %              38.89",
        "calibration error %     37.50",
        "log-loss, nats         0.7469",
    ]


def test_json() -> None:
    figures = table_4().as_dict()
    assert json.loads(json.dumps(figures)) == figures
    assert figures["classes"]["swap"]["support"] == pytest.approx(9.8)
    assert figures["confusion"] == TABLE_4.tolist()
    np.testing.assert_allclose(np.sum(figures["confusion_percent"]), 100)


def test_no_samples() -> None:
    report = ClassificationStatistics.of(np.zeros((0, 3)), [], CLASSES).report()
    figures = report.as_dict()
    assert figures["accuracy"] == figures["error_rate"] == figures["log_loss"] == 0
    assert "accuracy" in str(report)


def test_certain_and_wrong_is_not_infinite() -> None:
    report = ClassificationStatistics.of([[1, 0, 0]], [1], CLASSES).report()
    assert report.log_loss == pytest.approx(-np.log(np.finfo(np.float64).eps))
    assert report.brier == 2


def test_single_precision_is_good_enough() -> None:
    p = np.random.default_rng(0).dirichlet(np.ones(3), 1000).astype(np.float32)
    report = ClassificationStatistics.of(p, p.argmax(axis=1), CLASSES).report()
    assert report.accuracy == 1


GOOD = [[0.5, 0.25, 0.25]]


@pytest.mark.parametrize(
    ("p", "y", "weights", "said"),
    [
        ([[0.5, 0.5]], [0], None, "a row for each sample and 3 columns: 1 by 2 given"),
        ([0.5, 0.25, 0.25], [0], None, "a row for each sample and 3 columns: 3 given"),
        ([["a", "b", "c"]], [0], None, "must be numbers"),
        ([[np.nan, 0.5, 0.5]], [0], None, "must not be negative or NaN"),
        ([[1.5, -0.25, -0.25]], [0], None, "must not be negative or NaN"),
        ([[0.5, 0.5, 0.5]], [0], None, "must sum up to 1, not to 1.5"),
        ([[np.inf, 0, 0]], [0], None, "must sum up to 1, not to inf"),
        ([[0, 0, 0]], [0], None, "must sum up to 1, not to 0"),
        (GOOD, [0, 1], None, "give 1 true classes"),
        (GOOD, [0.0], None, "integers from 0, got float64"),
        (GOOD, [3], None, "must be 0 to 2, got 3 to 3"),
        (GOOD, [-1], None, "must be 0 to 2, got -1 to -1"),
        (GOOD, [0], [1, 2], "give 1 weights, one for each sample"),
        (GOOD, [0], [-1], "weights must be finite and not negative"),
        (GOOD, [0], [np.inf], "weights must be finite and not negative"),
    ],
)
def test_bad_arguments(p: Any, y: Any, weights: Any, said: str) -> None:
    with pytest.raises(OptionError, match=said):
        ClassificationStatistics.of(p, y, CLASSES, weights)


def test_classes_must_agree() -> None:
    one = ClassificationStatistics.nothing(CLASSES)
    with pytest.raises(OptionError, match="different classes cannot be added up: mono, swap"):
        one + ClassificationStatistics.nothing(("a", "b"))
    with pytest.raises(OptionError, match="at least one class is needed"):
        ClassificationStatistics.of([[]], [0], ())
    with pytest.raises(TypeError):
        one + 3  # type: ignore[operator]
