"""Experiments that are killed and continued end as if nothing had happened."""

from pathlib import Path
from typing import Any

import pytest

from tartib.experiments import ClassificationOptions, TranslationOptions
from tartib.synthetic import write_corpus
from tests.support.killed_runs import kill_and_continue

TINY: dict[str, Any] = {
    "max_phrase_length": 3,
    "cutoff": 2,
    "samples": 10,
    "examples": 1,
    "jobs": 1,
}
CLASSIFICATION: dict[str, Any] = {
    "orientations": ("word-msd",),
    "features": ("S1",),
    "classifiers": ("svm", "naive-bayes"),
    "regression_epsilons": (),
    "scaling_shares": (),
}
TRANSLATION: dict[str, Any] = {
    "systems": ("svm:S1",),
    "runs": 1,
    "iterations": 2,
    "nbest_size": 10,
    "cube_pops": 20,
    "lm_order": 2,
    "word_order": False,
}


@pytest.fixture(scope="module")
def classification(tmp_path_factory: pytest.TempPathFactory) -> ClassificationOptions:
    source, target, alignment = write_corpus(tmp_path_factory.mktemp("text") / "a", 80, n_jobs=1)
    files = {"source": source, "target": target, "alignment": alignment}
    return ClassificationOptions.make({**files, **TINY, **CLASSIFICATION})


@pytest.fixture(scope="module")
def translation(tmp_path_factory: pytest.TempPathFactory) -> TranslationOptions:
    folder = tmp_path_factory.mktemp("text")
    source, target, alignment = write_corpus(folder / "train", 80, n_jobs=1)
    test, reference, _ = write_corpus(folder / "test", 4, 1, n_jobs=1)
    files: dict[str, Any] = {"train": (source, target), "alignment": alignment}
    files |= {"dev": test, "dev_reference": (reference,)}
    files |= {"test": test, "test_reference": (reference,)}
    return TranslationOptions.make({**files, **TINY, **TRANSLATION})


def test_classification_killed_before_a_stage_is_finished(
    classification: ClassificationOptions, tmp_path: Path
) -> None:
    quick = classification.model_copy(update={"tune": False, "classifiers": ("svm",)})
    stages = ["corpus", "rows", "examples"]
    assert kill_and_continue("classification", quick, tmp_path, stages) == 3


@pytest.mark.campaign
def test_translation_killed_before_a_stage_is_finished(
    translation: TranslationOptions, tmp_path: Path
) -> None:
    quick = translation.model_copy(update={"tune": False})
    stages = ["fit", "tuned", "decoded"]
    assert kill_and_continue("translation", quick, tmp_path, stages) == 3


@pytest.mark.campaign
def test_classification_killed_at_every_step(
    classification: ClassificationOptions, tmp_path: Path
) -> None:
    assert kill_and_continue("classification", classification, tmp_path) > 50


@pytest.mark.campaign
def test_translation_killed_at_every_step(translation: TranslationOptions, tmp_path: Path) -> None:
    assert kill_and_continue("translation", translation, tmp_path) > 50
