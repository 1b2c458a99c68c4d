"""Models as decoders load them: the same numbers, and no scikit-learn."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tartib.features.candidates import Candidates
from tartib.reordering import KINDS, FrozenModel, Prior, ReorderingModel, load_for_decoding
from tartib.reordering.classifiers import PairClassifier
from tartib.reordering.frozen import NAMES
from tests.support.processes import run_python
from tests.support.reordering import Parts, Train, candidates_of

pytestmark = pytest.mark.native


@pytest.mark.parametrize(
    ("classifier", "options"),
    [
        ("svm", {}),
        ("svm", {"hash_bits": 16, "prior": Prior()}),
        ("mlr", {"features": "S15", "direction": "forward"}),
        ("mlr", {"features": "S9-classes"}),
        ("mlr", {"prior": Prior("f", 0.3, 1.0), "calibrate": "affine"}),
        ("maxent-l1", {}),
        ("naive-bayes", {"orientation": "word-mslr", "direction": "backward"}),
        ("lexicalised", {}),
        ("lexicalised", {"calibrate": "affine", "direction": "forward"}),
    ],
)
def test_the_same_numbers(
    classifier: str, options: dict[str, Any], parts: Parts, trained: Train, tmp_path: Path
) -> None:
    trained(classifier=classifier, **options).save(tmp_path / "model")
    whole = ReorderingModel.load(tmp_path / "model", n_jobs=1)
    frozen = load_for_decoding(tmp_path / "model")
    assert isinstance(frozen, FrozenModel)
    assert frozen.feature_name == whole.feature_name
    assert frozen.directions == whole.directions
    assert frozen.orientation_ == whole.orientation_
    assert (frozen.encoder_ is None) == (whole.encoder_ is None)
    test = parts[1]
    for sentence in np.unique(test.sentences)[:5].tolist():
        source, candidates, _ = candidates_of(test, sentence)
        pairs, vocabularies = Candidates.of(source, candidates)
        found = frozen.bind(*vocabularies).log_probabilities(pairs)
        expected = whole.bind(*vocabularies).log_probabilities(pairs)
        assert list(found) == list(expected)
        for direction, values in found.items():
            np.testing.assert_array_equal(values, expected[direction])


def test_names_are_those_of_the_classifiers() -> None:
    assert {(kind.estimator.__name__, kind.penalty): name for name, kind in KINDS.items()} == NAMES


def test_what_is_not_known_is_loaded_as_a_whole(trained: Train, tmp_path: Path) -> None:
    """A classifier in one direction and a lexicalised model in the other."""
    model, other = trained(), trained(classifier="lexicalised")
    mixed = ReorderingModel.from_directions(
        {"backward": model.models_["backward"], "forward": other.models_["forward"]},
        encoder=model.encoder_,
        orientation=model.orientation_,
        trained_on=model.trained_on_,
    )
    mixed.save(tmp_path / "mixed")
    found = load_for_decoding(tmp_path / "mixed")
    assert isinstance(found, ReorderingModel)
    assert isinstance(found.models_["forward"].classifier, PairClassifier)


def test_decoding_does_not_import_scikit_learn(trained: Train, tmp_path: Path) -> None:
    for classifier in ("svm", "lexicalised"):
        trained(classifier=classifier).save(tmp_path / classifier)
    code = (
        "import sys; from pathlib import Path\n"
        "from tartib.reordering.frozen import load_for_decoding\n"
        "from tartib import Translator, Decoder\n"
        f"models = [load_for_decoding(Path({str(tmp_path)!r}, name)) for name in ('svm', "
        "'lexicalised')]\n"
        "heavy = {'sklearn', 'scipy', 'sacrebleu', 'tartib.models.base'} & set(sys.modules)\n"
        "sys.exit(f'loaded {heavy}' if heavy else 0)"
    )
    run_python(code)
