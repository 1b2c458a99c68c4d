"""What a classification experiment found, as data: the schema of ``results.json``.

Shares, precision and the like are between 0 and 1, times in seconds, memory in megabytes (2^20).
Lists by class follow `OrientationResults.classes`; lists by fold have one entry without folds.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tartib.experiments.run.results import CorpusResults, Example, ExperimentResults, Record


class Part(Record):
    """Sentences (those that have phrase pairs) and pairs of a part of the corpus."""

    sentences: int
    pairs: int


class Split(Record):
    """What one fold was trained, tuned and tested on."""

    train: Part
    development: Part
    test: Part


class Scores(Record):
    """How good the answers on the test part are; ``confusion`` has a row for each true class.

    ``log_loss`` is that of the classifier's own probabilities (of an SVM the soft-max of its
    scores), ``calibrated_log_loss`` that after calibration on the development part (an SVM: affine;
    others: a temperature). All other figures are those after calibration.
    """

    accuracy: float
    macro_f1: float
    log_loss: float
    calibrated_log_loss: float
    temperature: float
    precision: list[float]
    recall: list[float]
    f1: list[float]
    confusion: list[list[float]]


class Epoch(Record):
    """One pass over the data: share of the samples still active, seconds since the start."""

    epoch: int
    objective: float
    active: float
    seconds: float


class Tried(Record):
    """What one value of a hyper-parameter gave on the development part."""

    value: float
    accuracy: float
    log_loss: float
    chosen: bool


class Run(Record):
    """One classifier trained once, in a process of its own, at the value chosen by tuning.

    ``seconds`` is the time of that one training, ``peak_mb`` the most memory of its process until
    then, of which ``start_mb`` are the interpreter and its libraries, and ``rows_mb`` the training
    rows. ``bytes`` is what the saved model takes on
    disk, ``compact_bytes`` the same with weights of 16 bits.
    """

    value: float
    tuning: list[Tried]
    tuning_seconds: float
    seconds: float
    peak_mb: float
    start_mb: float
    rows_mb: float
    pairs: int
    n_features: int
    n_parameters: int
    bytes: int
    compact_bytes: int
    scores: Scores
    trace: list[Epoch]


class Difference(Record):
    """A classifier's accuracy minus the lexicalised model's, by paired bootstrap over sentences."""

    accuracy: float
    low: float
    high: float
    p_value: float


class Cell(Record):
    """A feature set and a classifier, over all folds.

    ``features`` is empty for the lexicalised model. ``parameter`` names the hyper-parameter whose
    value each run tells; ``options`` are all options that have a say in what is learnt.
    """

    features: str
    classifier: str
    parameter: str
    options: str
    runs: list[Run]
    difference: Difference | None

    def mean(self, figure: Callable[[Run], float]) -> float:
        """Return the mean of a figure over the folds."""
        return float(np.mean([figure(run) for run in self.runs]))

    def deviation(self, figure: Callable[[Run], float]) -> float | None:
        """Return the standard deviation of a figure over the folds; None of one fold."""
        if len(self.runs) < 2:
            return None
        return float(np.std([figure(run) for run in self.runs], ddof=1))


class Coverage(Record):
    """Test pairs that the lexicalised model knows by the ``pair``, its ``source`` only, or not."""

    known: str
    share: float
    accuracy: float | None


class Regression(Record):
    """A row of the MLR paper's Table 2: primal, or dual at some ε."""

    epsilon: float | None
    cell: Cell


class ScalePoint(Record):
    """One point of Figure 2: a classifier trained on part of the training sentences."""

    classifier: str
    share: float
    run: Run


class OrientationResults(Record):
    """Everything about one orientation model.

    Attributes
    ----------
    name
        Such as ``word-msd``.
    direction
        ``backward`` or ``forward``.
    classes
        Names, such as mono, swap and other.
    counts
        Pairs of each class in the whole corpus.
    lexicalised, coverage
        SVM paper, Table 4.
    cells
        SVM paper, Tables 5 and 6, without the lexicalised model.
    regressions
        MLR paper, Table 2 and Figure 1; on the feature set ``regression_features``.
    curves
        The dual classifiers on that feature set, for the SVM paper's Figure 1: classifier's name
        and its trace.
    scaling
        SVM paper, Figure 2; on the feature set ``scaling_features``.
    best
        Index into ``cells`` of the most accurate one.
    strongest
        Of the best linear model, by class: features and their weights above the mean.
    examples
        See `Example`.
    """

    name: str
    direction: str
    classes: list[str]
    counts: list[int]
    lexicalised: Cell
    coverage: list[Coverage]
    cells: list[Cell]
    regression_features: str
    regressions: list[Regression]
    curves: dict[str, list[Epoch]]
    scaling_features: str
    scaling: list[ScalePoint]
    best: int | None
    strongest: dict[str, list[tuple[str, float]]]
    examples: list[Example]


class Results(ExperimentResults):
    """A whole classification experiment."""

    corpus: CorpusResults
    splits: list[Split]
    feature_seconds: dict[str, float]
    orientations: list[OrientationResults]
