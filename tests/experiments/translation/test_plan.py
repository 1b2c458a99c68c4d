"""The plan of a translation experiment."""

from dataclasses import replace
from typing import Any

import pytest

from tartib.errors import OptionError
from tartib.experiments import TranslationOptions
from tartib.experiments.run.classifiers import Fit, Lexicalised
from tartib.experiments.translation.plan import TranslationPlan
from tartib.features import FeatureSet


def test_factors_reach_the_rows_of_the_classifiers(files: dict[str, Any]) -> None:
    asked = {"systems": "svm:S6,mlr:S7-paper", "context_factor": 2}
    plan = TranslationPlan.of(TranslationOptions.make({**files, **asked}))
    models = list(plan.trained)
    found = {FeatureSet(model.rows.features) for model in models if isinstance(model, Fit)}
    assert found == {FeatureSet(name, context_factor=2) for name in ("S6", "S7-paper")}
    assert {fit for group in plan.groups() for fit in group.fits} <= set(models)


def test_all_models_learn_from_what_was_asked_for(files: dict[str, Any]) -> None:
    for name in ("pairs", "derivations"):
        asked = {"systems": "lexicalised+svm:S6,mlr:S4", "learn_from": name}
        plan = TranslationPlan.of(TranslationOptions.make({**files, **asked}))
        assert len(plan.trained) == 3
        assert {model.division.learn_from for model in plan.trained} == {name}


def test_a_model_may_learn_from_something_else(files: dict[str, Any]) -> None:
    systems = ("lexicalised", "mlr:S6", "mlr:S6[learn-from=derivations]")
    plan = TranslationPlan.of(TranslationOptions.make({**files, "systems": systems}))
    found = [model.division.learn_from for model in plan.trained]
    assert found == ["pairs", "pairs", "derivations"]
    rows = [group.rows for group in plan.groups()]
    assert [rows.division.learn_from for rows in rows] == ["pairs", "derivations"]
    titles = [stage.title for stage in plan.stages]
    assert len(titles) == len(set(titles))


def test_variants_share_what_they_do_not_change(files: dict[str, Any]) -> None:
    systems = (
        "lexicalised",
        "lexicalised[unknown-words=score]",
        "lexicalised[smoothing=0.1]",
        "svm:S6",
        "svm:S6[calibrate=temperature]",
        "svm:S6[class-weight=none]",
        "svm:S6[class-weight=balanced]",
        "svm:S6[C=0.1]",
        "svm:S6@limit=9",
        "svm:S6@word-mslr@bidirectional",
    )
    options = TranslationOptions.make({**files, "systems": systems})
    assert options.systems == systems
    plan = TranslationPlan.of(options)
    of = {name: plan.assembly(name) for name in systems}
    plain, scored = of["lexicalised"], of["lexicalised[unknown-words=score]"]
    assert plain.models == scored.models
    assert [used.unknown_words for used in (*plain.used, *scored.used)] == [None, "score"]
    assert plan.tuned("lexicalised", 0).key != plan.tuned("lexicalised[unknown-words=score]", 0).key
    smoothed = of["lexicalised[smoothing=0.1]"].models
    assert [(m.tune, m.smoothing) for m in smoothed if isinstance(m, Lexicalised)] == [(False, 0.1)]
    fits = {name: [m for m in of[name].models if isinstance(m, Fit)] for name in systems}
    ((svm,), (calibrated,), (unweighted,), (weighted,), (fixed,)) = (fits[n] for n in systems[3:8])
    assert svm.tuning == calibrated.tuning == unweighted.tuning is not None
    assert (svm.calibrate, calibrated.calibrate) == (None, "temperature")
    assert unweighted.overrides == (("class_weight", None),)
    assert weighted.tuning is not None
    assert weighted.tuning.options == weighted.overrides == (("class_weight", "balanced"),)
    assert fixed.tuning is None
    assert fixed.overrides == (("C", 0.1),)
    assert fits["svm:S6@limit=9"] == [svm]
    assert plan.decoded("svm:S6@limit=9", 0, "test").search.distortion_limit == 9
    assert plan.first_tuning("svm:S6@limit=9").search.distortion_limit == 9
    both = fits["svm:S6@word-mslr@bidirectional"]
    assert [fit.target.name for fit in both] == ["word-mslr-backward", "word-mslr-forward"]
    (group,) = plan.groups()
    assert {target.name for target in group.rows.targets} == {
        "hier-msd-backward",
        "word-mslr-backward",
        "word-mslr-forward",
    }
    assert len(group.fits) == 7
    titles = [stage.title for stage in plan.stages]
    assert len(titles) == len(set(titles))


def test_means_come_after_their_runs(files: dict[str, Any]) -> None:
    asked = {**files, "systems": "none@mean-weights,mlr:S6", "runs": 2, "mean_weights": True}
    options = TranslationOptions.make(asked)
    assert options.systems == (
        "lexicalised",
        "lexicalised@mean-weights",
        "none@mean-weights",
        "mlr:S6",
        "mlr:S6@mean-weights",
    )
    plan = TranslationPlan.of(options)
    titles = [stage.title for stage in plan.testing]
    first = titles.index("no reordering model, run 1: tuning")
    assert titles[first : first + 4] == [
        "no reordering model, run 1: tuning",
        "no reordering model, run 2: tuning",
        "no reordering model, mean-weights: development set",
        "no reordering model, mean-weights: test",
    ]
    assert titles.count("dual MLR S6, run 1: tuning") == 1
    assert [list(plan.runs(name)) for name in options.systems] == [[0, 1], [0], [0], [0, 1], [0]]
    fewer = replace(plan, given_up=frozenset({"mlr:S6", "mlr:S6@mean-weights"}))
    assert list(fewer.runs("mlr:S6")) == [0]
    assert "dual MLR S6, run 2: tuning" not in [stage.title for stage in fewer.testing]
    with pytest.raises(OptionError, match="mean-weights needs several runs"):
        TranslationOptions.make({**asked, "runs": 1})
