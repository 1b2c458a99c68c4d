"""Small experiments, and what they found, to be compared."""

import json
from pathlib import Path
from typing import Any

MEASURED = (
    "seconds",
    "tuning_seconds",
    "peak_mb",
    "start_mb",
    "feature_seconds",
    "tuning_peak_mb",
    "words_per_second",
)

SMALL_CLASSIFICATION: dict[str, Any] = {
    "max_phrase_length": 4,
    "orientations": ("word-msd", "hier-mslr"),
    "features": ("S1", "S4"),
    "classifiers": ("svm", "mlr"),
    "cutoff": 2,
    "tune_pairs": 1000,
    "regression_epsilons": (1.0, 0.1),
    "primal_epochs": 2,
    "scaling_features": "S4",
    "scaling_classifiers": ("svm", "naive-bayes"),
    "scaling_shares": (0.5, 1.0),
    "samples": 100,
    "examples": 2,
}
SMALL_TRANSLATION: dict[str, Any] = {
    "systems": ("lexicalised", "svm:S6+sparse"),
    "runs": 1,
    "iterations": 2,
    "nbest_size": 20,
    "cube_pops": 50,
    "max_phrase_length": 4,
    "lm_order": 3,
    "cutoff": 2,
    "sparse_words": 20,
    "samples": 100,
    "word_order": False,
    "examples": 2,
}


def without_times(value: Any) -> Any:
    """Take out of results what differs from run to run: seconds and memory."""
    if isinstance(value, dict):
        return {k: without_times(v) for k, v in value.items() if k not in MEASURED}
    return [without_times(v) for v in value] if isinstance(value, list) else value


def found_in(out: Path) -> Any:
    return without_times(json.loads((out / "results.json").read_text()))


def stages_of(out: Path) -> dict[str, int]:
    return {file.name: file.stat().st_mtime_ns for file in (out / "stages").iterdir()}
