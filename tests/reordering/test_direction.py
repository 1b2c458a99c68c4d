"""Training one direction, and the search for the best hyper-parameter."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tartib import Bitext, OptionError, extract_phrases
from tartib.features import FeatureEncoder
from tartib.models import MulticlassSVM
from tartib.models.base import Classifier
from tartib.orientation import OrientationModel
from tartib.reordering import (
    LEVELS,
    Examples,
    LexicalisedModel,
    Prior,
    ReorderingModel,
    read_inputs,
    train_direction,
)
from tartib.reordering.direction import climb
from tartib.synthetic import generate, lines


@pytest.mark.parametrize("lowest", range(11))
def test_tuning_climbs_to_the_lowest_loss(lowest: int) -> None:
    tried: list[int] = []

    def loss(value: float) -> float:
        tried.append(int(value))
        return abs(value - lowest) + 0.1 * (value > lowest)

    climb(loss, list(range(11)))
    assert {lowest - 1, lowest, lowest + 1} & set(range(11)) <= set(tried)
    assert len(tried) == len(set(tried)) <= 3 + abs(lowest - 5)


@pytest.fixture(scope="module")
def parts() -> tuple[Examples, Examples, FeatureEncoder]:
    text = [side.decode().split("\n")[:-1] for side in lines(list(generate(300, seed=3)))]
    train, dev = extract_phrases(Bitext.from_lines(*text)).split(held_out=0.25, seed=1)
    encoder = FeatureEncoder.fit(train, "S4", cutoff=2)
    made = [
        read_inputs(pairs, encoder, LEVELS["fe"]).labelled(pairs.labels(), pairs.orientation.labels)
        for pairs in (train, dev)
    ]
    return made[0], made[1], encoder


@pytest.mark.native
@pytest.mark.parametrize("classifier", ["svm", "mlr", "lexicalised", MulticlassSVM(C=0.1)])
def test_one_direction(classifier: Any, parts: tuple[Examples, Examples, FeatureEncoder]) -> None:
    train, dev, _ = parts
    plain = train_direction(classifier, train)
    assert plain.tuning == []
    assert plain.prior is None
    calibrated = train_direction(classifier, train, dev, calibrate="temperature")
    np.testing.assert_array_equal(calibrated.scores(dev), plain.scores(dev))
    losses = [model.evaluate([dev], dev.y, dev.classes).log_loss for model in (plain, calibrated)]
    assert losses[1] <= losses[0]
    tuned = train_direction(classifier, train, dev, tune=())
    assert sum(step.chosen for step in tuned.tuning) == 1
    (chosen,) = [step for step in tuned.tuning if step.chosen]
    assert getattr(tuned.classifier.estimator, chosen.option) == chosen.value
    if not isinstance(classifier, str):
        assert not hasattr(classifier, "weights_")  # what was given is only copied


@pytest.mark.native
def test_directions_make_a_model(
    parts: tuple[Examples, Examples, FeatureEncoder], tmp_path: Path
) -> None:
    train, dev, encoder = parts
    one = train_direction("mlr", train, dev, prior=Prior())
    model = ReorderingModel.from_directions(
        {"forward": one},
        encoder=encoder,
        orientation=OrientationModel.parse("hier-msd"),
        trained_on="these",
    )
    assert model.directions == ("forward",)
    assert model.get_params()["direction"] == "forward"
    model.save(tmp_path / "model")
    loaded = ReorderingModel.load(tmp_path / "model")
    assert loaded.trained_on_ == "these"
    assert loaded.models_["forward"].calibration == one.calibration
    assert loaded.models_["forward"].n_parameters == one.n_parameters


@pytest.mark.native
def test_what_one_direction_needs(parts: tuple[Examples, Examples, FeatureEncoder]) -> None:
    train, dev, _ = parts
    for options in ({"tune": ()}, {"calibrate": "affine"}, {"prior": Prior()}):
        with pytest.raises(OptionError, match="need a development set"):
            train_direction("svm", train, **options)
    with pytest.raises(OptionError, match="needs no lexicalised prior"):
        train_direction(LexicalisedModel(), train, dev, prior=Prior())
    with pytest.raises(OptionError, match="Dummy is not a classifier"):
        train_direction(Dummy(), train)


class Dummy(Classifier):
    """A classifier that is neither linear nor lexicalised."""
