"""The plan of a translation experiment."""

from typing import Any

from tartib.experiments import TranslationOptions
from tartib.experiments.run.classifiers import Fit
from tartib.experiments.translation.plan import TranslationPlan
from tartib.features import FeatureSet


def test_factors_reach_the_rows_of_the_classifiers(files: dict[str, Any]) -> None:
    asked = {"systems": "svm:S6,mlr:S7-paper", "context_factor": 2}
    plan = TranslationPlan.of(TranslationOptions.make({**files, **asked}))
    models = [model for part in plan.parts for model in plan.models(part)]
    found = {FeatureSet(model.rows.features) for model in models if isinstance(model, Fit)}
    assert found == {FeatureSet(name, context_factor=2) for name in ("S6", "S7-paper")}
    assert {fit for group in plan.groups() for fit in group.fits} <= set(models)


def test_all_models_learn_from_what_was_asked_for(files: dict[str, Any]) -> None:
    for name in ("pairs", "derivations"):
        asked = {"systems": "lexicalised+svm:S6,mlr:S4", "learn_from": name}
        plan = TranslationPlan.of(TranslationOptions.make({**files, **asked}))
        models = [model for part in plan.parts for model in plan.models(part)]
        assert len(models) == 3
        assert {model.division.learn_from for model in models} == {name}
