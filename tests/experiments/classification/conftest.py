"""A small experiment that the tests of classification share; none of them changes it."""

from pathlib import Path

import pytest

from tartib.experiments import ClassificationOptions, Results, run_classification
from tartib.synthetic import write_corpus
from tests.support.drawing import without_saving
from tests.support.experiment_runs import SMALL_CLASSIFICATION
from tests.support.shared import shared_folder


@pytest.fixture(scope="session")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    def make(folder: Path) -> None:
        write_corpus(folder / "corpus", 300, n_jobs=1)

    made = shared_folder(tmp_path_factory, "classification-text", make) / "corpus" / "synthetic"
    sides = {"source": ".ar", "target": ".en", "alignment": ".align"}
    return {side: made.with_suffix(suffix) for side, suffix in sides.items()}


@pytest.fixture(scope="session")
def options(files: dict[str, Path]) -> ClassificationOptions:
    return ClassificationOptions.make({**files, **SMALL_CLASSIFICATION})


@pytest.fixture(scope="session")
def finished(options: ClassificationOptions, tmp_path_factory: pytest.TempPathFactory) -> Path:
    def make(folder: Path) -> None:
        with without_saving():  # `test_figures` looks at files
            run_classification(options, folder / "out")

    return shared_folder(tmp_path_factory, "classification", make) / "out"


@pytest.fixture(scope="session")
def results(finished: Path) -> Results:
    return Results.model_validate_json((finished / "results.json").read_text())
