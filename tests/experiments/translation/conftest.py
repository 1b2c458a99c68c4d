"""A small experiment that the tests of translation share; none of them changes it."""

from pathlib import Path
from typing import Any

import pytest

from tartib.experiments import TranslationOptions, TranslationResults, run_translation
from tartib.synthetic import write_corpus
from tests.support.drawing import without_saving
from tests.support.experiment_runs import SMALL_TRANSLATION
from tests.support.shared import shared_folder


@pytest.fixture(scope="session")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = shared_folder(tmp_path_factory, "translation-text", _write_texts)
    return {
        "train": (folder / "train.ar", folder / "train.en"),
        "alignment": folder / "train.align",
        "dev": folder / "dev.ar",
        "dev_reference": (folder / "dev.en",),
        "test": folder / "test.ar",
        "test_reference": (folder / "test.en", folder / "test.2.en"),
    }


def _write_texts(folder: Path) -> None:
    made = write_corpus(folder / "corpus", 340, n_jobs=1)
    parts = {"train": slice(0, 300), "dev": slice(300, 320), "test": slice(320, 340)}
    for path, side in zip(made, ("ar", "en", "align"), strict=True):
        lines = path.read_text().splitlines()
        for name, part in parts.items():
            (folder / f"{name}.{side}").write_text("".join(f"{s}\n" for s in lines[part]))
    second = [
        line.replace("the ", "that ") for line in (folder / "test.en").read_text().split("\n")
    ]
    (folder / "test.2.en").write_text("\n".join(second))


@pytest.fixture(scope="session")
def options(files: dict[str, Any]) -> TranslationOptions:
    return TranslationOptions.make({**files, **SMALL_TRANSLATION})


@pytest.fixture(scope="session")
def finished(options: TranslationOptions, tmp_path_factory: pytest.TempPathFactory) -> Path:
    def make(folder: Path) -> None:
        with without_saving():  # `test_report` looks at files
            run_translation(options, folder / "out")

    return shared_folder(tmp_path_factory, "translation", make) / "out"


@pytest.fixture(scope="session")
def results(finished: Path) -> TranslationResults:
    return TranslationResults.model_validate_json((finished / "results.json").read_text())
