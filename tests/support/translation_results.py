"""Results of a translation experiment made by hand, for tests of tables and reports."""

from collections.abc import Sequence

from tartib.experiments.run.results import CorpusResults, Side
from tartib.experiments.translation.comparison import adjusted
from tartib.experiments.translation.results import (
    Difference,
    ModelResults,
    Move,
    MovedSentence,
    OracleRow,
    Output,
    SharedPart,
    StageResults,
    SystemResults,
    SystemRun,
    TestRun,
    TestSet,
    TestText,
    TranslationResults,
    TuningIteration,
)
from tartib.experiments.translation.systems import PAPER_SYSTEMS, SystemParts

METRICS = ("BLEU", "NIST", "BLEU-ref0", "tau", "FRS")
# Of each system: BLEU above the baseline, and the p-value.
GAINS = {
    "none": (-0.8, 0.004),
    "lexicalised": (0.0, 1.0),
    "lexicalised+sparse": (0.2, 0.3),
    "svm:S6+sparse": (1.1, 0.002),
    "svm:S7+sparse": (0.9, 0.01),
    "maxent:S6+sparse": (1.0, 0.004),
    "maxent:S7+sparse": (0.3, 0.2),
    "primal-mlr:S7": (0.6, 0.02),
    "mlr:S7": (0.7, 0.03),
}


def example_move(start: int, end: int, words: str, orientation: str = "mono") -> Move:
    return Move(start=start, end=end, words=words.split(), orientation=orientation)


def example_sentence() -> MovedSentence:
    return MovedSentence(
        line=7,
        source=["قرأ", "الولد", "<الكتاب>", "الجديد", "."],
        references=["the boy read the new <book> ."],
        outputs=[
            Output(
                systems=["lexicalised", "no reordering model"],
                bleu=20.5,
                moves=[
                    example_move(0, 1, "read"),
                    example_move(1, 2, "the boy"),
                    example_move(2, 3, "the <book>"),
                    example_move(3, 5, "new ."),
                ],
            ),
            Output(
                systems=["SVM S6 + sparse"],
                bleu=100.0,
                moves=[
                    example_move(1, 2, "the boy", "dright"),
                    example_move(0, 1, "read", "swap"),
                    example_move(3, 4, "the new", "dright"),
                    example_move(2, 3, "<book>", "swap"),
                    example_move(4, 5, "."),
                ],
            ),
        ],
    )


def example_run(bleu: float, seed: int, tests: Sequence[str] = ("test",)) -> SystemRun:
    return SystemRun(
        seed=seed,
        iterations=[
            TuningIteration(number=n, bleu=bleu - 3 + n, seconds=20.0) for n in range(1, 4)
        ],
        chosen=3,
        stopped="3 iterations",
        n_weights=14,
        dev_bleu=bleu,
        tuning_seconds=60.0,
        tuning_peak_mb=300.0,
        tests={test: example_test_run(bleu) for test in tests},
    )


def example_test_run(bleu: float) -> TestRun:
    return TestRun(
        scores={
            "BLEU": bleu,
            "NIST": bleu / 5,
            "BLEU-ref0": bleu - 5,
            "tau": 2 * bleu,
            "FRS": bleu + 30,
        },
        seconds=12.0,
        peak_mb=250.0,
        words_per_second=900.0,
    )


def example_system(
    name: str,
    runs: int,
    gain: float,
    p_value: float,
    adjusted: Sequence[float] | None = None,
    tests: Sequence[str] = ("test",),
) -> SystemResults:
    """Make a system; ``adjusted`` are the p-values of the tests for the number of comparisons."""
    parts = SystemParts.parse(name)
    change = Difference(
        value=gain, low=gain - 0.6, high=gain + 0.6, p_value=p_value, adjusted=p_value
    )
    changes = {
        test: dict.fromkeys(METRICS, change.model_copy(update={"adjusted": p}))
        for test, p in zip(tests, adjusted or [p_value] * len(tests), strict=True)
    }
    return SystemResults(
        name=name,
        title=parts.title,
        row=parts.row,
        runs=[example_run(38 + gain + 0.2 * (k - (runs - 1) / 2), k, tests) for k in range(runs)],
        differences={} if name == "lexicalised" else changes,
    )


def example_model(name: str, title: str, parameters: int) -> ModelResults:
    return ModelResults(
        name=name,
        title=title,
        direction="backward",
        parameter="C",
        value=0.01,
        temperature=1.2,
        accuracy=0.8,
        n_parameters=parameters,
        bytes=8 * parameters,
        compact_bytes=4 * parameters,
        seconds=3.5,
        peak_mb=420.0,
    )


def example_translation(
    systems: tuple[str, ...] = PAPER_SYSTEMS,
    runs: int = 3,
    tests: tuple[str, ...] = ("test",),
    primary: str | None = None,
    oracle: list[OracleRow] | None = None,
) -> TranslationResults:
    """Make an experiment with some of the papers' systems."""
    p_values = {
        (test, name): GAINS[name][1] for test in tests for name in systems if name != "lexicalised"
    }
    found = adjusted(p_values, None if primary is None else (tests[0], primary))
    side = Side(name="ar", words=9200, words_per_line=9.2, vocabulary=1100, vocabulary_share=0.12)
    return TranslationResults(
        title="train.ar → train.en: translation",
        signature="experiment:translation|seed:0|version:0.1.0",
        version="0.1.0",
        options={"runs": runs},
        machine="2 cores, 8 GB",
        jobs=2,
        seconds=1234.5,
        corpus=CorpusResults(
            sentences=1000,
            source=side,
            target=side,
            links=9800,
            pairs=10000,
            max_phrase_length=7,
            skipped={"empty": 0},
        ),
        dev=TestText(sentences=100, words=1500, references=1),
        tests=[
            TestSet(
                name=test,
                sentences=120,
                words=1600,
                references=4,
                metrics=dict.fromkeys(METRICS, "nrefs:4|seed:0"),
                alignment_given=False,
            )
            for test in tests
        ],
        orientation="hier-msd",
        direction="backward",
        baseline="lexicalised",
        primary=primary,
        given_up=[],
        systems=[
            example_system(
                name, runs, *GAINS[name], [found.get((test, name), 1.0) for test in tests], tests
            )
            for name in systems
        ],
        models=[
            example_model("lexicalised", "lexicalised", 60_000),
            example_model("svm:S6", "SVM S6", 15_000),
        ],
        shared=[SharedPart(name="phrase table", entries=70_000, bytes=9_000_000)],
        stages=[StageResults(name="phrase pairs", seconds=4.0, peak_mb=99.0)],
        examples=[example_sentence()],
        oracle=[] if oracle is None else oracle,
    )
