"""How good the probabilities of the SVM are, beside those of logistic regression.

Run: python -m benchmarks.calibration --source S --target T --alignment A [--toy]

A tenth of the sentences is held out to test on, a tenth of the others to calibrate on. All models
are trained on the rest, each for two values of C or σ, of which the one with the lower log-loss
after calibration counts. Seconds are processor seconds of both trainings and calibrations.
"""

from __future__ import annotations

import time
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.harness import Settings, print_table, run
from tartib import Bitext, extract_phrases
from tartib.features import FeatureEncoder
from tartib.models import MaxEnt, MulticlassSVM
from tartib.models.base import Classifier
from tartib.models.trace import peak_megabytes
from tartib.orientation import OrientationModel
from tartib.reordering import Examples, read_inputs, train_direction

SETS = ("S6", "S4")
LABELS = ("word-msd", "hier-msd")
FEW = 2  # active features of a row that is nearly empty


@dataclass(frozen=True)
class Learner:
    """A classifier, the values of its regularisation option to try, and how it is calibrated."""

    classifier: Classifier
    values: tuple[float, ...]
    calibrate: str


CS, SIGMAS = (0.01, 0.03), (0.2, 0.4)
LEARNERS = {
    "logistic regression": Learner(MaxEnt(), SIGMAS, "none"),
    "SVM, no intercept, temperature": Learner(
        MulticlassSVM(fit_intercept=False), CS, "temperature"
    ),
    "SVM, affine": Learner(MulticlassSVM(), CS, "affine"),
    "SVM, sqrt-balanced, affine": Learner(
        MulticlassSVM(class_weight="sqrt-balanced"), CS, "affine"
    ),
}


def measure_learner(learner: Learner, parts: tuple[Examples, ...]) -> tuple[Any, float, float]:
    """Return the report on the last part, the mean p(mono) of nearly empty rows, and seconds."""
    train, dev, test = parts
    began = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = train_direction(
            learner.classifier, train, dev, tune=learner.values, calibrate=learner.calibrate
        )
    seconds = time.process_time() - began
    mono = model.probabilities(test)[nearly_empty(test), 0].mean()
    return model.evaluate([test], test.y, test.classes), float(mono), seconds


def nearly_empty(examples: Examples) -> Any:  # noqa: ANN401
    """Mark the rows with few active features."""
    return np.diff(examples.rows.indptr) <= FEW if examples.rows is not None else []


def calibrations(settings: Settings) -> None:
    """Compare calibrations and weights of classes with logistic regression."""
    corpus = settings.main_corpus(20_000)
    phrases = extract_phrases(Bitext.read(corpus.source, corpus.target, corpus.alignment))
    rest, test = phrases.split(held_out=0.1, seed=0)
    parts = (*rest.split(held_out=0.1, seed=0), test)
    rows: list[tuple[object, ...]] = []
    for features in SETS[:1] if settings.toy else SETS:
        encoder = FeatureEncoder.fit(parts[0], features)
        inputs = [read_inputs(part, encoder) for part in parts]
        for labels in LABELS[:1] if settings.toy else LABELS:
            model = OrientationModel.parse(labels)
            examples = tuple(
                known.labelled(part.labels(model), model.labels)
                for known, part in zip(inputs, parts, strict=True)
            )
            few = nearly_empty(examples[2])
            base = 0.0
            for name, learner in LEARNERS.items():
                found, mono, seconds = measure_learner(learner, examples)
                base = base or found.log_loss
                row = (
                    f"{features} {labels}", name, f"{found.log_loss:.4f}",
                    f"{found.log_loss / base:.3f}", f"{100 * found.accuracy:.2f}",
                    f"{100 * found.calibration_error:.2f}", f"{100 * mono:.1f}",
                    f"{100 * (examples[2].y[few] == 0).mean():.1f}", f"{seconds:.0f}",
                    f"{peak_megabytes():.0f}",
                )  # fmt: skip
                rows.append(row)
                print(*row, sep=" | ", flush=True)
    columns = (
        "rows", "model", "log-loss", "of logistic regression's", "accuracy %",
        "calibration error %", f"p(mono) %, {FEW} features or fewer", "in truth", "s", "peak MB",
    )  # fmt: skip
    print_table(f"Probabilities: {corpus.name}, {len(parts[0]):,} pairs", columns, rows)


if __name__ == "__main__":
    run((calibrations,), __doc__ or "")
