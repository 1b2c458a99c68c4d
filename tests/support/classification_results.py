"""A small experiment made by hand, with everything filled, for tests of tables and reports."""

import numpy as np

from tartib.experiments.classification.results import (
    Cell,
    Coverage,
    Difference,
    Epoch,
    OrientationResults,
    Part,
    Regression,
    Results,
    Run,
    ScalePoint,
    Scores,
    Split,
    Tried,
)
from tartib.experiments.run.results import CorpusResults, Example, Side

CLASSES = {"msd": ["mono", "swap", "other"], "mslr": ["mono", "swap", "dright", "dleft"]}
CONFUSION = {
    "msd": [[680, 15, 25], [60, 35, 5], [110, 10, 60]],
    "mslr": [[680, 15, 15, 10], [60, 35, 3, 2], [60, 5, 40, 5], [45, 5, 5, 15]],
}
PARAMETER = {"svm": "C", "maxent": "sigma", "mlr": "C", "naive-bayes": "alpha", "lexicalised": ""}


def example_scores(classes: str, right: int) -> Scores:
    """Make all figures from a confusion matrix in which this many more pairs are right."""
    confusion = np.array(CONFUSION[classes], np.float64)
    confusion[-1, 0] -= right
    confusion[-1, -1] += right
    hits, true, said = np.diag(confusion), confusion.sum(axis=1), confusion.sum(axis=0)
    f1 = 2 * hits / (true + said)
    return Scores(
        accuracy=hits.sum() / confusion.sum(),
        macro_f1=f1.mean(),
        log_loss=0.62 - right / 1000,
        calibrated_log_loss=0.58 - right / 1000,
        temperature=1.25,
        precision=(hits / said).tolist(),
        recall=(hits / true).tolist(),
        f1=f1.tolist(),
        confusion=confusion.tolist(),
    )


def example_trace(epochs: int, shrinking: bool) -> list[Epoch]:
    return [
        Epoch(
            epoch=n,
            objective=-100 * (1 - 0.5**n) if shrinking else 100 * (1 + 0.5**n),
            active=0.4 ** (n - 1) if shrinking else 1.0,
            seconds=0.02 * n,
        )
        for n in range(1, epochs + 1)
    ]


def example_run(classes: str, right: int, *, shrinking: bool = True, share: float = 1.0) -> Run:
    """Make one training; a larger ``right`` is better, larger and slower."""
    values = (0.01, 0.1, 1.0)
    return Run(
        value=0.1,
        tuning=[
            Tried(value=v, accuracy=0.77 - 0.01 * (v != 0.1), log_loss=0.6 + v, chosen=v == 0.1)
            for v in values
        ],
        tuning_seconds=1.5 + right,
        seconds=0.35 * (1 + right) ** 1.5 * share,
        peak_mb=150.0 + 20 * right * share,
        start_mb=100.0,
        rows_mb=30.0 + 5 * right * share,
        pairs=int(8000 * share),
        n_features=1200 * (1 + right),
        n_parameters=3600 * (1 + right),
        bytes=180_000 * (1 + right) ** 2,
        compact_bytes=90_000 * (1 + right) ** 2,
        scores=example_scores(classes, right),
        trace=example_trace(8, shrinking),
    )


def example_cell(classes: str, features: str, classifier: str, right: int, folds: int) -> Cell:
    shrinking = classifier in ("svm", "mlr")
    difference = None
    if classifier != "lexicalised":
        gain = right / 1000
        difference = Difference(
            accuracy=gain, low=gain - 0.008, high=gain + 0.008, p_value=0.001 if right > 8 else 0.4
        )
    return Cell(
        features=features,
        classifier=classifier,
        parameter=PARAMETER.get(classifier, "sigma"),
        options=f"{classifier}(seed=1)",
        runs=[example_run(classes, right + 2 * k, shrinking=shrinking) for k in range(folds)],
        difference=difference,
    )


def example_regressions(classes: str, folds: int) -> list[Regression]:
    rows: list[tuple[float | None, int]] = [(None, 30), (0.01, 29), (0.1, 28), (1.0, 4)]
    return [
        Regression(
            epsilon=epsilon,
            cell=example_cell(classes, "S7", "primal-mlr" if epsilon is None else "mlr", n, folds),
        )
        for epsilon, n in rows
    ]


def example_pair(classes: str) -> Example:
    truth, rest = CLASSES[classes][1], CLASSES[classes][2:]
    return Example(
        line=17,
        source=["كتب", "الولد", "<رسالة>", "طويلة", "."],
        target=["the", "boy", "wrote", "a", "long", "<letter>", "."],
        links=[(0, 2), (1, 1), (2, 5), (3, 4), (4, 6)],
        source_start=2,
        source_length=1,
        target_start=5,
        target_length=1,
        truth=truth,
        lexicalised={"mono": 0.7, truth: 0.2, **{name: 0.1 / len(rest) for name in rest}},
        best={"mono": 0.2, truth: 0.7, **{name: 0.1 / len(rest) for name in rest}},
        pulls=[("<رسالة> ~ letter", 0.81), ("next source word = طويلة", 0.42)],
    )


def example_orientation(name: str, folds: int) -> OrientationResults:
    classes = name.split("-")[1]
    sets = [("S1", 0), ("S3", 5), ("S4", 9), ("S6", 20), ("S7", 14), ("S15", 24), ("my_set&", 12)]
    cells = [
        example_cell(classes, features, classifier, right + bonus, folds)
        for classifier, bonus in (("maxent", 0), ("svm", 2))
        for features, right in sets
    ]
    cells += [
        example_cell(classes, "S7", "mlr", 15, folds),
        example_cell(classes, "S7", "naive-bayes", 3, folds),
    ]
    return OrientationResults(
        name=name,
        direction="backward",
        classes=CLASSES[classes],
        counts=[7200, 1000, 1800] if classes == "msd" else [7200, 1000, 1100, 700],
        lexicalised=example_cell(classes, "", "lexicalised", 0, folds),
        coverage=[
            Coverage(known="pair", share=0.42, accuracy=0.86),
            Coverage(known="source", share=0.33, accuracy=0.75),
            Coverage(known="none", share=0.25, accuracy=0.66),
        ],
        cells=cells,
        regression_features="S7",
        regressions=example_regressions(classes, folds),
        curves={"svm": example_trace(9, True), "mlr": example_trace(12, True)},
        scaling_features="S7",
        scaling=[
            ScalePoint(classifier=c, share=s, run=example_run(classes, right, share=s))
            for c, right in (("svm", 16), ("mlr", 15), ("maxent", 14))
            for s in (0.25, 0.5, 1.0)
        ],
        best=12,
        strongest={
            name: [(f"word_{k} & {name}", 1.0 - k / 10) for k in range(3)]
            for name in CLASSES[classes]
        },
        examples=[example_pair(classes)],
    )


def example_results(folds: int = 2) -> Results:
    """Make an experiment with two orientations; with one fold there are no deviations."""
    return Results(
        title="Arabic–English, 1_000 sentences & more",
        signature="corpus:0123abcd|folds:2|seed:1|version:0.1.0",
        version="0.1.0",
        options={"features": ["S1", "S3"], "folds": folds, "seed": 1},
        machine="2 cores, 8 GB",
        jobs=2,
        seconds=83.5,
        corpus=CorpusResults(
            sentences=1000,
            source=Side(
                name="ar", words=9200, words_per_line=9.2, vocabulary=1100, vocabulary_share=0.1196
            ),
            target=Side(
                name="en", words=10500, words_per_line=10.5, vocabulary=800, vocabulary_share=0.0762
            ),
            links=9800,
            pairs=10000,
            max_phrase_length=7,
            skipped={"empty": 3},
        ),
        splits=[
            Split(
                train=Part(sentences=800 + k, pairs=8000 + k),
                development=Part(sentences=100, pairs=1000),
                test=Part(sentences=100 - k, pairs=1000 - k),
            )
            for k in range(folds)
        ],
        feature_seconds={"S1": 0.2, "S3": 0.15, "S4": 0.3, "S6": 1.1, "S7": 0.4, "S15": 2.5},
        orientations=[example_orientation(name, folds) for name in ("word-msd", "hier-mslr")],
    )
