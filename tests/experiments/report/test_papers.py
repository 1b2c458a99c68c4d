"""The papers' figures, as typed in, agree with one another as far as the print does."""

import numpy as np
import pytest

from tartib.experiments.report import papers as paper

HALF = 0.05  # what rounding to one decimal may hide
SHARES = np.array(paper.CONFUSION).sum(axis=1)
OF_SHARES = 3 * HALF  # each is a sum of three rounded figures

# The print contradicts itself: see the module's docstring.
WRONG_F1 = {("svm", "S11", "mono"), ("svm", "S13", "swap")}
WRONG_ACCURACY = {("maxent", "S14")}
WRONG_SUM = {("maxent", "S11"), ("maxent", "S12"), ("maxent", "S14"), ("maxent", "S15")} | {
    ("svm", "S13")
}
WRONG_LINES = {("MultiUN", "Arabic"), ("MultiUN", "English")}

ROWS = [
    (classifier, features, row)
    for classifier, rows in paper.TABLES_5_6.items()
    for features, row in rows.items()
]


def harmonic(a: float, b: float) -> float:
    return 2 * a * b / (a + b)


def f1_agrees(precision: float, recall: float, f1: float) -> bool:
    low = harmonic(precision - HALF, recall - HALF) - HALF
    high = harmonic(precision + HALF, recall + HALF) + HALF
    return low <= f1 <= high


def test_every_feature_set_is_there() -> None:
    names = [f"S{n}" for n in range(1, 16)]
    assert {c: list(rows) for c, rows in paper.TABLES_5_6.items()} == {
        "maxent": names,
        "svm": names,
    }
    assert paper.TABLES_5_6["maxent"]["S11"].minutes == 15 * 60 + 11
    assert paper.TABLES_5_6["svm"]["S6"].scores.recall == (95.1, 60.0, 47.4)
    assert paper.TABLES_5_6["svm"]["S6"].scores.precision == (85.2, 72.1, 72.4)


def test_f1_is_the_harmonic_mean() -> None:
    wrong = {
        (classifier, features, name)
        for classifier, features, row in ROWS
        for name, *figures in zip(
            paper.CLASSES, row.scores.precision, row.scores.recall, row.scores.f1, strict=True
        )
        if not f1_agrees(*figures)
    }
    assert wrong == WRONG_F1
    lexicalised = paper.TABLE_4
    assert all(map(f1_agrees, lexicalised.precision, lexicalised.recall, lexicalised.f1))


def test_accuracy_is_recall_by_the_shares_of_the_classes() -> None:
    wrong = set()
    for classifier, features, row in ROWS:
        recall = np.array(row.scores.recall)
        slack = 2 * HALF + OF_SHARES * recall.sum() / 100
        if abs(row.scores.accuracy - SHARES @ recall / 100) > slack:
            wrong.add((classifier, features))
    assert wrong == WRONG_ACCURACY


def test_predictions_sum_up_to_all_pairs() -> None:
    wrong = set()
    for classifier, features, row in ROWS:
        recall, precision = np.array(row.scores.recall), np.array(row.scores.precision)
        low = ((SHARES - OF_SHARES) * (recall - HALF) / (precision + HALF)).sum()
        high = ((SHARES + OF_SHARES) * (recall + HALF) / (precision - HALF)).sum()
        if not low <= 100 <= high:
            wrong.add((classifier, features))
    assert wrong == WRONG_SUM


def test_table_4_gives_its_columns_under_the_usual_names() -> None:
    confusion = np.array(paper.CONFUSION)
    right = np.diag(confusion)
    assert right.sum() == pytest.approx(paper.TABLE_4.accuracy)
    np.testing.assert_allclose(SHARES, [71.1, 9.8, 19.2])
    for printed, others in (
        (paper.TABLE_4.recall, SHARES - right),
        (paper.TABLE_4.precision, confusion.sum(axis=0) - right),
    ):
        # The two other cells of a row or column hide half a unit each.
        low = 100 * (right - HALF) / (right - HALF + others + 2 * HALF) - HALF
        high = 100 * (right + HALF) / (right + HALF + others - 2 * HALF) + HALF
        assert ((low <= printed) & (printed <= high)).all()


def test_table_1() -> None:
    wrong = set()
    for corpus, sides in paper.TABLE_1.items():
        for side in sides:
            share = 100 * side.vocabulary / side.words
            assert share == pytest.approx(side.vocabulary_share, abs=0.006)
            if abs(side.words / side.sentences - side.words_per_line) > 1:
                wrong.add((corpus, side.language))
    assert wrong == WRONG_LINES


def test_the_dual_method_is_almost_four_times_as_fast() -> None:
    """As the MLR paper's text has it."""
    table = paper.MLR_TABLE_2
    assert 3.5 < table[None].minutes / table[0.1].minutes < 4
    assert table[1.0].error_rate > table[0.1].error_rate > table[0.01].error_rate
