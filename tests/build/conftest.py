"""A small system, built once."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import pytest

from tartib.build import BuildOptions, Built, build_system
from tests.support.drawing import without_drawing
from tests.support.raw_text import TINY, raw_sentences, write_raw


class Tiny(NamedTuple):
    """The options of a build, and what came out."""

    options: BuildOptions
    built: Built
    reported: list[str]


@pytest.fixture(scope="session")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Tiny:
    folder = tmp_path_factory.mktemp("tiny")
    train = write_raw(folder, "train", raw_sentences(450))
    options = BuildOptions.make({**TINY, "train": train})
    reported: list[str] = []
    with without_drawing():
        built = build_system(
            options,
            folder / "system",
            pack_as=folder / "system.zip",
            report=reported.append,
        )
    return Tiny(options, built, reported)


@pytest.fixture
def raw(tmp_path: Path) -> Path:
    """A folder with raw text: train, dev."""
    write_raw(tmp_path, "train", raw_sentences(300))
    write_raw(tmp_path, "dev", raw_sentences(30, 1))
    return tmp_path
