"""The classifiers by name."""

from typing import Any

import pytest

from tartib import OptionError
from tartib.models import DualMLR, MaxEnt, MulticlassSVM, NaiveBayes, PrimalMLR
from tartib.models.base import Classifier
from tartib.reordering import KINDS, LexicalisedModel, make_classifier

CLASSES: dict[str, tuple[type[Classifier], dict[str, Any]]] = {
    "svm": (MulticlassSVM, {}),
    "mlr": (DualMLR, {}),
    "primal-mlr": (PrimalMLR, {}),
    "maxent": (MaxEnt, {}),
    "maxent-l1": (MaxEnt, {"penalty": "l1"}),
    "naive-bayes": (NaiveBayes, {}),
    "lexicalised": (LexicalisedModel, {}),
}


@pytest.mark.parametrize("name", KINDS)
def test_a_name_has_the_defaults_of_its_class(name: str) -> None:
    kind, said_by_name = CLASSES[name]
    made = make_classifier(name)
    assert type(made) is kind
    assert made.get_params() == {**kind().get_params(), **said_by_name}
    assert made.get_params()[KINDS[name].parameter] in KINDS[name].path


def test_options_that_a_classifier_has_not_are_ignored() -> None:
    made = make_classifier("naive-bayes", n_jobs=3, random_state=5)
    assert made.get_params() == {**NaiveBayes().get_params(), "n_jobs": 3}
    with pytest.raises(OptionError, match="unknown classifier 'oracle': it is one of svm, mlr"):
        make_classifier("oracle")
