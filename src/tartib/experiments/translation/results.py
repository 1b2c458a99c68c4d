"""What a translation experiment found, as data: the schema of its ``results.json``.

BLEU is in percent, times are in seconds, memory is in megabytes (2^20).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tartib.experiments.run.results import CorpusResults, ExperimentResults, Record


class TestText(Record):
    """A text that weights are tuned on, or that systems are compared on."""

    __test__ = False  # for pytest, which looks for such names

    sentences: int
    words: int
    references: int


class TestSet(TestText):
    """A text that systems are compared on.

    Attributes
    ----------
    name
        As it was given; ``test`` if it was given without one.
    metrics
        Names of the scores, each with its signature.
    alignment_given
        Whether the right word order is from an alignment that was given, not from an automatic one.
    """

    name: str
    metrics: dict[str, str]
    alignment_given: bool


class TuningIteration(Record):
    """One decoding of the development text."""

    number: int
    bleu: float
    seconds: float


class TestRun(Record):
    """A translation of a test set: its scores by the name of the metric, its time and memory."""

    __test__ = False

    scores: dict[str, float]
    seconds: float
    peak_mb: float
    words_per_second: float


class SystemRun(Record):
    """A system tuned and tested once.

    Attributes
    ----------
    seed
        Of the tuning.
    iterations, chosen, stopped
        How it went, the iteration whose weights were taken, and why it ended.
    n_weights
        How many weights were tuned.
    dev_bleu
        Of the chosen weights.
    tuning_seconds, tuning_peak_mb
        Of the tuning.
    tests
        Its translation of each test set, by name; the first set is the main one.
    """

    seed: int
    iterations: list[TuningIteration]
    chosen: int
    stopped: str
    n_weights: int
    dev_bleu: float
    tuning_seconds: float
    tuning_peak_mb: float
    tests: dict[str, TestRun]

    def on(self, test: str | None = None) -> TestRun:
        """Return the translation of a test set, by default of the first."""
        return self.tests[next(iter(self.tests)) if test is None else test]


class Difference(Record):
    """A system's score minus that of the baseline, over all runs of both.

    ``p_value`` is that of this comparison alone; ``adjusted`` is for the number of comparisons (see
    `tartib.experiments.translation.comparison.adjusted`).
    """

    value: float
    low: float
    high: float
    p_value: float
    adjusted: float


class SystemResults(Record):
    """A system over all its runs.

    Attributes
    ----------
    name, title
        Such as ``svm:S6+sparse``, and as tables show it.
    row
        The name of the papers' system that it is compared with.
    runs
        One for each seed.
    differences
        To the baseline, by the names of the test set and of the metric; none for the baseline.
    """

    name: str
    title: str
    row: str
    runs: list[SystemRun]
    differences: dict[str, dict[str, Difference]]

    def mean(self, figure: Callable[[SystemRun], float]) -> float:
        """Return the mean of a figure over the runs."""
        return float(np.mean([figure(run) for run in self.runs]))

    def deviation(self, figure: Callable[[SystemRun], float]) -> float | None:
        """Return the standard deviation of a figure over the runs; None of one run."""
        if len(self.runs) < 2:
            return None
        return float(np.std([figure(run) for run in self.runs], ddof=1))

    def score(self, metric: str, test: str | None = None) -> float:
        """Return the mean of a score on a test set, by default on the first."""
        return self.mean(lambda run: run.on(test).scores[metric])

    def difference(self, metric: str, test: str | None = None) -> Difference | None:
        """Return the difference from the baseline on a test set, by default on the first."""
        if not self.differences:
            return None
        name = next(iter(self.differences)) if test is None else test
        return self.differences[name].get(metric)


class ModelResults(Record):
    """A reordering model in one direction, as trained on all but the held-out sentences.

    ``accuracy`` is that on the held-out sentences; ``parameter`` and ``value`` are the
    hyper-parameter that was chosen on them.
    """

    name: str
    title: str
    direction: str
    parameter: str
    value: float
    temperature: float
    accuracy: float
    n_parameters: int
    bytes: int
    compact_bytes: int
    seconds: float
    peak_mb: float


class SharedPart(Record):
    """The phrase table or the language model, which all systems have."""

    name: str
    entries: int
    bytes: int


class StageResults(Record):
    """Time and memory of one stage."""

    name: str
    seconds: float
    peak_mb: float


class Move(Record):
    """A phrase of a translation: its source words [start, end), its words and its orientation."""

    start: int
    end: int
    words: list[str]
    orientation: str


class Output(Record):
    """What one or more systems, by their titles, made of a sentence; BLEU is of this sentence."""

    systems: list[str]
    bleu: float
    moves: list[Move]


class MovedSentence(Record):
    """A test sentence whose words the systems put in different orders.

    Attributes
    ----------
    line
        In the test text, from 1.
    source, references
        The sentence and what it should become.
    outputs
        Of the first run of each system, the baseline's first; equal ones are there once.
    """

    line: int
    source: list[str]
    references: list[str]
    outputs: list[Output]


class OracleRow(Record):
    """What the baseline's translations would be with some knowledge of the references."""

    title: str
    scores: dict[str, float]


class TranslationResults(ExperimentResults):
    """A whole translation experiment.

    Attributes
    ----------
    corpus
        The training text.
    dev, tests
        The text to tune on, and those to test on: the first one is the main one.
    orientation, direction
        Of the reordering models.
    baseline
        Name of the system that the others are compared with.
    primary
        Name of the system whose BLEU on the first test set is compared with the baseline's by
        itself; None if there is none.
    given_up
        Names of the systems that were tuned once only, as they were too far below the best.
    systems
        In the order of the papers' tables.
    models, shared, stages, examples, oracle
        See there; the oracle is empty unless it was asked for.
    """

    corpus: CorpusResults
    dev: TestText
    tests: list[TestSet]
    orientation: str
    direction: str
    baseline: str
    primary: str | None
    given_up: list[str]
    systems: list[SystemResults]
    models: list[ModelResults]
    shared: list[SharedPart]
    stages: list[StageResults]
    examples: list[MovedSentence]
    oracle: list[OracleRow]

    @property
    def test(self) -> TestSet:
        """The first test set."""
        return self.tests[0]

    @property
    def base(self) -> SystemResults:
        """The baseline."""
        return next(system for system in self.systems if system.name == self.baseline)

    def on(self, test: str) -> TranslationResults:
        """Return the results with one of the test sets alone."""
        systems = [
            system.model_copy(
                update={
                    "runs": [
                        run.model_copy(update={"tests": {test: run.tests[test]}})
                        for run in system.runs
                    ],
                    "differences": {
                        name: d for name, d in system.differences.items() if name == test
                    },
                }
            )
            for system in self.systems
        ]
        chosen = [one for one in self.tests if one.name == test]
        return self.model_copy(update={"tests": chosen, "systems": systems})
