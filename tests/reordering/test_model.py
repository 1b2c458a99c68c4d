"""Reordering models: directions, candidates, calibration, tuning, explanation."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from tartib import Bitext, OptionError, PhrasePairs, extract_phrases
from tartib.features import Candidate, Candidates
from tartib.models import DualMLR, Epoch, MulticlassSVM
from tartib.reordering import KINDS, Prior, ReorderingModel
from tests.support.reordering import Parts, Train, candidates_of

pytestmark = pytest.mark.native

ALL = ["svm", "mlr", "lexicalised"]


@pytest.mark.parametrize("classifier", ALL)
def test_directions(classifier: str, parts: Parts, trained: Train) -> None:
    training, test = parts
    both = trained(classifier=classifier)
    assert both.directions == ("backward", "forward")
    for direction in ("backward", "forward"):
        one = ReorderingModel("S6", classifier, direction, cutoff=2).fit(training)
        found = one.predict_proba(test)
        np.testing.assert_array_equal(found, both.predict_proba(test, direction))
        np.testing.assert_allclose(found.sum(axis=1), 1)
        report = one.evaluate(test)
        truth = test.labels(direction=direction)
        assert report.accuracy == pytest.approx((found.argmax(axis=1) == truth).mean())
        loss = -np.log(found[np.arange(len(test)), truth]).mean()
        assert report.log_loss == pytest.approx(loss)
        assert report.accuracy > np.bincount(truth).max() / len(truth)
        assert report.accuracy == both.evaluate(test, direction).accuracy
    backward = both.predict_proba(test)
    np.testing.assert_array_equal(backward, both.predict_proba(test, "backward"))
    assert (backward != both.predict_proba(test, "forward")).any()


def test_what_it_says_of_itself(trained: Train, phrases: PhrasePairs) -> None:
    model = trained()
    assert model.classes_.tolist() == ["mono", "swap", "other"]
    weights = [part.classifier.estimator.weights_ for part in model.models_.values()]
    assert model.n_parameters == sum(np.count_nonzero(part) for part in weights)
    assert f"corpus:{phrases.bitext.fingerprint}" in model.signature
    for word in ("backward:MulticlassSVM(C=0.03,", "forward:", "shrinking=safe", "features:"):
        assert word in model.signature
    assert "n_jobs" not in model.signature


def test_jobs_change_nothing(parts: Parts, trained: Train) -> None:
    one = trained(classifier="mlr")
    other = trained(classifier="mlr", n_jobs=1)
    np.testing.assert_array_equal(one.predict_proba(parts[1]), other.predict_proba(parts[1]))


@pytest.mark.parametrize("orientation", ["word-mslr", "phrase-leftright", "hier-monotonicity"])
def test_orientations(orientation: str, parts: Parts, trained: Train) -> None:
    model = trained(orientation=orientation)
    found = model.predict_proba(parts[1], "forward")
    assert found.shape == (len(parts[1]), len(model.classes_))
    assert model.evaluate(parts[1], "forward").accuracy > 1 / len(model.classes_)


@pytest.mark.parametrize(
    ("classifier", "options"),
    [
        ("svm", {}),
        ("mlr", {"features": "S15"}),
        ("svm", {"prior": Prior("fe"), "calibrate": "affine"}),
        ("svm", {"hash_bits": 16}),
        ("lexicalised", {}),
    ],
)
def test_candidates_are_pairs_in_words(
    classifier: str, options: dict[str, Any], parts: Parts, trained: Train
) -> None:
    model, test = trained(classifier=classifier, **options), parts[1]
    for direction in model.directions:
        expected = model.predict_proba(test, direction)
        for sentence in np.unique(test.sentences)[:10].tolist():
            source, candidates, at = candidates_of(test, sentence)
            found = model.predict_candidates(source, candidates, direction)
            np.testing.assert_allclose(found, expected[at], rtol=1e-12)
            pairs, vocabularies = Candidates.of(source, candidates)
            logs = model.bind(*vocabularies).log_probabilities(pairs)[direction]
            np.testing.assert_allclose(np.exp(logs), expected[at], rtol=1e-5)
    assert model.predict_candidates(["unheard"], []).shape == (0, 3)
    unknown = model.predict_candidates(["unheard", "of"], [Candidate(0, 1, ["new"], [(0, 0)])])
    assert unknown.sum() == pytest.approx(1)


def test_calibration_and_prior_help(parts: Parts, trained: Train) -> None:
    test = parts[1]
    plain = trained(calibrate="none").evaluate(test)
    calibrated = trained(calibrate="temperature")
    with_prior = trained(calibrate="temperature", prior=Prior())
    assert calibrated.models_["backward"].calibration.temperature < 1
    assert calibrated.models_["backward"].calibration.prior == 0
    assert calibrated.evaluate(test).log_loss < 0.9 * plain.log_loss
    assert calibrated.evaluate(test).accuracy == pytest.approx(plain.accuracy, abs=0.03)
    assert with_prior.evaluate(test).log_loss < 0.9 * plain.log_loss
    affine = trained()  # what an SVM has unless one asks otherwise
    assert affine.models_["backward"].calibration.kind == "affine"
    assert "calibration:affine,affine" in affine.signature
    assert affine.evaluate(test).log_loss < 1.02 * calibrated.evaluate(test).log_loss
    assert trained(classifier="mlr").models_["backward"].calibration.kind == "none"
    assert with_prior.n_parameters > calibrated.n_parameters
    for direction in with_prior.directions:
        assert with_prior.models_[direction].prior is not None


@pytest.mark.parametrize("classifier", ALL)
def test_tuning_keeps_the_best_of_its_table(classifier: str, parts: Parts) -> None:
    training, test = parts
    kind = KINDS[classifier]
    model = ReorderingModel("S1", classifier, cutoff=2, tune=()).fit(training, test)
    steps = model.tuning_["backward"]
    values = [step.value for step in steps if step.class_weight is None]
    assert values == sorted(values)
    if kind.tunes_weights:  # at the best value weights of classes are tried
        assert [step.class_weight for step in steps[len(values) :]] == ["balanced", "sqrt-balanced"]
        assert len({step.value for step in steps[len(values) :]}) == 1
    assert kind.path[len(kind.path) // 2] in values
    assert {step.option for step in steps} == {kind.parameter}
    (chosen,) = [step for step in steps if step.chosen]
    assert chosen.log_loss == min(step.log_loss for step in steps)
    kept = model.models_["backward"].classifier.estimator
    assert getattr(kept, kind.parameter) == chosen.value
    assert not hasattr(kept, "_last")
    report = model.evaluate(test)
    assert report.accuracy == chosen.accuracy
    assert report.log_loss == pytest.approx(chosen.log_loss)
    if classifier == "svm":  # also where its own probabilities are asked for
        plain = ReorderingModel("S1", "svm", cutoff=2, tune=(chosen.value,), calibrate="none")
        assert plain.fit(training, test).evaluate(test).log_loss > chosen.log_loss


@pytest.mark.parametrize("classifier", ["svm", "lexicalised"])
def test_weights_are_trained_again_on_everything(classifier: str, parts: Parts) -> None:
    options: dict[str, Any] = {"cutoff": 2, "calibrate": "temperature", "random_state": 4}
    model = ReorderingModel("S1", classifier, **options).fit(parts[0])
    everything = ReorderingModel("S1", classifier, cutoff=2, calibrate="none").fit(parts[0])
    part = ReorderingModel("S1", classifier, **options, refit=False).fit(parts[0])
    found, whole, without = (m.models_["backward"] for m in (model, everything, part))
    inputs = next(model._inputs(parts[1], found))
    np.testing.assert_array_equal(found.scores(inputs), whole.scores(inputs))
    assert (found.scores(inputs) != without.scores(next(part._inputs(parts[1], without)))).any()
    assert found.calibration.temperature == pytest.approx(without.calibration.temperature, rel=0.1)


def test_tuning_without_a_development_part(parts: Parts) -> None:
    model = ReorderingModel("S1", "svm", cutoff=2, tune=(0.3, 0.003), dev_share=0.2).fit(parts[0])
    assert [step.value for step in model.tuning_["backward"]] == [0.3, 0.003]
    assert "train_without:0.2," not in model.trained_on_  # trained again on all of them
    model.set_params(refit=False).fit(parts[0])
    assert "train_without:0.2" in model.trained_on_
    with pytest.raises(OptionError, match="C must be a positive number"):
        ReorderingModel("S1", "svm", tune=(0.0,)).fit(parts[0])


@pytest.mark.parametrize("classifier", [MulticlassSVM(C=0.05), DualMLR(0.3, shrinking="safe")])
def test_classifiers_of_ones_own(classifier: Any, parts: Parts) -> None:
    model = ReorderingModel("S1", classifier, cutoff=2).fit(parts[0])
    assert not hasattr(classifier, "weights_")  # what was given is a pattern, and stays as it was
    assert model.evaluate(parts[1]).accuracy > 0.5


def test_workspace(tmp_path: Path, parts: Parts, trained: Train) -> None:
    model = ReorderingModel(
        "S6", "svm", "bidirectional", cutoff=2, workspace=tmp_path / "work"
    ).fit(parts[0])
    expected = trained().predict_proba(parts[1], "forward")
    np.testing.assert_array_equal(model.predict_proba(parts[1], "forward"), expected)
    assert (tmp_path / "work" / "rows").is_dir()


@pytest.mark.parametrize("classifier", ["svm", "mlr"])
@pytest.mark.parametrize("direction", ["backward", "forward"])
def test_explanations_add_up(classifier: str, direction: str, parts: Parts, trained: Train) -> None:
    model, test = trained(classifier=classifier), parts[1]
    expected = model.predict_proba(test, direction)
    truth = test.labels(direction=direction)
    for pair in (0, 7, len(test) - 1):
        found = model.explain(test, pair, direction)
        np.testing.assert_allclose(list(found.probabilities.values()), expected[pair], rtol=1e-6)
        pulls = np.array([list(pull.weights.values()) for pull in found.pulls])
        np.testing.assert_allclose(pulls.sum(axis=1), 0, atol=1e-6)
        scores = pulls.sum(axis=0)
        np.testing.assert_allclose(np.diff(scores), np.diff(np.log(expected[pair])), atol=1e-5)
        strengths = np.abs(pulls).max(axis=1)
        assert (np.diff(strengths) <= 0).all()
        assert found.truth == model.classes_[truth[pair]]
        assert found.pair == test[pair]
        assert found.source == test.bitext[found.pair.sentence].source
        assert "(constant)" in {pull.feature for pull in found.pulls}
        json.dumps(found.as_dict())


def test_unknown_features_are_named(parts: Parts, trained: Train) -> None:
    text = Bitext.from_lines(["xx yy"], ["vv ww"], ["0-0 1-1"])
    strange = extract_phrases(text)
    found = trained().explain(strange, 0)
    assert any("xx" in name for name in found.unknown)
    known = trained().explain(parts[0], 0)
    assert len(known.unknown) < len(known.pulls)


def test_strongest(trained: Train) -> None:
    model = trained()
    assert model.encoder_ is not None
    names = [model.encoder_.name(column) for column in range(model.encoder_.n_features)]
    for direction in model.directions:
        for number, label in enumerate(model.classes_):
            found = model.strongest(label, 10, direction)
            assert len(found) == 10
            weights = model.models_[direction].classifier.estimator.weights_[: len(names), :3]
            centred = (weights - weights.mean(axis=1, keepdims=True, dtype=float))[:, number]
            best = sorted(centred, reverse=True)[:10]
            assert [weight for _, weight in found] == pytest.approx(best)
            for name, weight in found:
                assert centred[names.index(name)] == pytest.approx(weight)


def test_what_cannot_be_asked(parts: Parts, trained: Train) -> None:
    model = trained(direction="backward")
    test = parts[1]
    for ask in (model.predict_proba, model.iter_proba, model.evaluate):
        with pytest.raises(OptionError, match="was trained for backward, not for 'forward'"):
            ask(test, "forward")
    with pytest.raises(OptionError, match="not for 'up'"):
        model.predict_candidates(["a"], [], "up")
    with pytest.raises(OptionError, match="a candidate reaches beyond its sentence"):
        model.predict_candidates(["a"], [Candidate(0, 2, ["b"], [])])
    with pytest.raises(
        OptionError, match="the model has no class 'dleft': it has mono, swap, other"
    ):
        model.strongest("dleft")
    for pair in (-1, len(test)):
        with pytest.raises(OptionError, match=f"there is no pair {pair}"):
            model.explain(test, pair)
    with pytest.raises(OptionError, match="unknown direction 'up'"):
        ReorderingModel(direction="up").fit(test)
    with pytest.raises(OptionError, match="unknown classifier 'oracle': it is one of svm, mlr"):
        ReorderingModel(classifier="oracle").fit(test)
    nothing = test.filter(np.zeros(len(test), np.bool_))
    assert model.predict_proba(nothing).shape == (0, 3)
    with pytest.raises(OptionError, match="no phrase pairs to evaluate on"):
        model.evaluate(nothing)
    with pytest.raises(OptionError, match="no phrase pairs to train on"):
        ReorderingModel().fit(nothing)


def test_before_training(phrases: PhrasePairs, tmp_path: Path) -> None:
    model = ReorderingModel()
    for ask in (
        lambda: model.predict_proba(phrases),
        lambda: model.predict_candidates(["a"], []),
        lambda: model.explain(phrases, 0),
        lambda: model.strongest("mono"),
        lambda: model.save(tmp_path / "model"),
        lambda: model.signature,
        lambda: model.directions,
        lambda: model.held_out_of(phrases),
        lambda: model.n_parameters,
    ):
        with pytest.raises(NotFittedError, match="not trained yet: call fit, or load one"):
            ask()
    assert list(tmp_path.iterdir()) == []


def test_a_fit_that_fails_leaves_no_model(parts: Parts) -> None:
    model = ReorderingModel("S1", MulticlassSVM(0.01), cutoff=2).fit(parts[0])

    def interrupt(_: Epoch) -> None:
        raise KeyboardInterrupt

    model.set_params(classifier__callback=interrupt)
    with pytest.raises(KeyboardInterrupt):
        model.fit(parts[0])
    with pytest.raises(NotFittedError, match="not trained yet"):
        model.predict_proba(parts[1])


def test_parameters_are_stored_as_given(parts: Parts) -> None:
    given: dict[str, Any] = {
        "features": "s1",
        "classifier": "svm",
        "direction": "backward",
        "orientation": "word-msd",
        "cutoff": 2,
        "prior": Prior("f"),
        "dev_share": 0.2,
        "random_state": 3,
    }
    model = ReorderingModel(**given)
    assert {name: model.get_params()[name] for name in given} == given
    model.fit(parts[0])
    assert {name: model.get_params()[name] for name in given} == given
    assert {name for name in vars(model) if name.endswith("_")} == {
        "classes_", "orientation_", "encoder_", "models_", "tuning_", "trained_on_",
    }  # fmt: skip
    fresh = clone(model)
    assert fresh.get_params() == model.get_params()
    assert not hasattr(fresh, "models_")
    assert fresh.set_params(cutoff=3).cutoff == 3
    again = clone(model).fit(parts[0])
    np.testing.assert_array_equal(again.predict_proba(parts[1]), model.predict_proba(parts[1]))


def test_predicted_labels(parts: Parts, trained: Train) -> None:
    model, test = trained(), parts[1]
    for direction in model.directions:
        best = model.predict_proba(test, direction).argmax(axis=1)
        np.testing.assert_array_equal(model.predict(test, direction), model.classes_[best])
    nothing = test.filter(np.zeros(len(test), np.bool_))
    assert model.predict(nothing).tolist() == []
