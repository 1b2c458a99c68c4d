"""Phrase pairs of the synthetic corpus, and models that are trained once."""

from typing import Any

import pytest

from tartib import Bitext, PhrasePairs, extract_phrases
from tartib.reordering import ReorderingModel
from tartib.synthetic import generate, lines
from tests.support.reordering import Parts, Train


@pytest.fixture(scope="session")
def phrases() -> PhrasePairs:
    text = [side.decode().split("\n")[:-1] for side in lines(list(generate(500, seed=2)))]
    return extract_phrases(Bitext.from_lines(*text), max_phrase_length=4)


@pytest.fixture(scope="session")
def parts(phrases: PhrasePairs) -> Parts:
    return phrases.split(held_out=0.25, seed=1)


@pytest.fixture(scope="session")
def trained(parts: Parts) -> Train:
    """Return a function that trains each model once."""
    made: dict[str, ReorderingModel] = {}

    def train(features: str = "S6", classifier: str = "svm", **options: Any) -> ReorderingModel:
        name = f"{features} {classifier} {options}"
        if name not in made:
            options = {"cutoff": 2, "direction": "bidirectional", **options}
            made[name] = ReorderingModel(features, classifier, **options).fit(parts[0])
        return made[name]

    return train
