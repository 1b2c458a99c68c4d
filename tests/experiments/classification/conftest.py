"""A small experiment that the tests of classification share; none of them changes it."""

from pathlib import Path

import pytest

from tartib.experiments import ClassificationOptions, Results, run_classification
from tartib.synthetic import write_corpus
from tests.support.experiment_runs import SMALL_CLASSIFICATION


@pytest.fixture(scope="session")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("experiment") / "corpus"
    source, target, alignment = write_corpus(folder, 300, n_jobs=1)
    return {"source": source, "target": target, "alignment": alignment}


@pytest.fixture(scope="session")
def options(files: dict[str, Path]) -> ClassificationOptions:
    return ClassificationOptions.make({**files, **SMALL_CLASSIFICATION})


@pytest.fixture(scope="session")
def finished(options: ClassificationOptions, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("experiment") / "out"
    run_classification(options, out)
    return out


@pytest.fixture(scope="session")
def results(finished: Path) -> Results:
    return Results.model_validate_json((finished / "results.json").read_text())
