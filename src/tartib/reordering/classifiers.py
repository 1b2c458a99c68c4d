"""The classifiers by name, and how each is regularised."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sklearn.base import clone

from tartib.errors import OptionError
from tartib.models import DualMLR, MaxEnt, MulticlassSVM, NaiveBayes, PrimalMLR
from tartib.models.base import Classifier
from tartib.reordering.lexicalised import LexicalisedModel

# Options that do not change what is learnt.
_TRANSIENT = ("callback", "progress", "n_jobs", "warm_start")


@dataclass(frozen=True)
class Kind:
    """One of the papers' classifiers.

    Attributes
    ----------
    estimator
        Its class, whose defaults it has.
    parameter
        The option that sets its regularisation.
    path
        Values of that option worth trying, from strong regularisation to weak.
    calibrated
        Whether its probabilities need a temperature before their log-loss means anything.
    penalty
        The one option that its name says, if the class has several penalties.
    """

    estimator: type[Classifier]
    parameter: str
    path: tuple[float, ...]
    calibrated: bool = False
    penalty: str | None = None


_SIGMAS = (0.05, 0.1, 0.2, 0.4, 0.8)
KINDS = {
    "svm": Kind(MulticlassSVM, "C", (0.001, 0.003, 0.01, 0.03, 0.1), calibrated=True),
    "mlr": Kind(DualMLR, "sigma", _SIGMAS),
    "primal-mlr": Kind(PrimalMLR, "sigma", _SIGMAS),
    "maxent": Kind(MaxEnt, "sigma", _SIGMAS, penalty="l2"),
    "maxent-l1": Kind(MaxEnt, "sigma", (0.02, 0.06, 0.2, 0.6, 2.0), penalty="l1"),
    "naive-bayes": Kind(NaiveBayes, "alpha", (100.0, 10.0, 1.0, 0.1)),
    "lexicalised": Kind(LexicalisedModel, "smoothing", (5.0, 2.0, 1.0, 0.5, 0.1)),
}


def make_classifier(classifier: str | Classifier, **options: Any) -> Classifier:  # noqa: ANN401
    """Return a new, untrained classifier.

    Parameters
    ----------
    classifier
        A name in `KINDS`, or a classifier whose options are copied.
    options
        Options to set; those that the classifier does not have are ignored.
    """
    if not isinstance(classifier, str):
        made: Classifier = clone(classifier)
    elif classifier in KINDS:
        kind = KINDS[classifier]
        made = kind.estimator(**({"penalty": kind.penalty} if kind.penalty else {}))
    else:
        raise OptionError(f"unknown classifier {classifier!r}: it is one of {', '.join(KINDS)}")
    known = made.get_params()
    made.set_params(**{name: value for name, value in options.items() if name in known})
    return made


def name_of(classifier: str | Classifier) -> str:
    """Return the name of a classifier in `KINDS`, by class and penalty; else its class name."""
    if isinstance(classifier, str):
        return classifier
    for name, kind in KINDS.items():
        if kind.estimator is type(classifier) and kind.penalty == getattr(
            classifier, "penalty", None
        ):
            return name
    return type(classifier).__name__


def kind_of(classifier: Classifier) -> Kind:
    """Return the entry of a classifier in `KINDS`, by its class and penalty."""
    name = name_of(classifier)
    if name not in KINDS:
        raise OptionError(f"{name} cannot be tuned: use one of {', '.join(KINDS)}")
    return KINDS[name]


def learnt_options(classifier: Classifier) -> dict[str, Any]:
    """Return the options that affect what is learnt."""
    params = classifier.get_params()
    return {name: params[name] for name in sorted(params) if name not in _TRANSIENT}


def describe(classifier: Classifier) -> str:
    """Return the class name and options of a classifier, without spaces."""
    options = ",".join(f"{name}={value}" for name, value in learnt_options(classifier).items())
    return f"{type(classifier).__name__}({options})"
