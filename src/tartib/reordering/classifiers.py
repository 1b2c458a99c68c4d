"""The classifiers by name, with what suits phrase reordering, and how each is regularised."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sklearn.base import clone

from tartib.errors import OptionError
from tartib.models import DualMLR, MaxEnt, MulticlassSVM, NaiveBayes, PrimalMLR
from tartib.models.base import Classifier
from tartib.reordering.lexicalised import LexicalisedModel

# How to run is not part of what is learnt.
_TRANSIENT = ("callback", "progress", "n_jobs", "warm_start")


@dataclass(frozen=True)
class Kind:
    """One of the papers' classifiers.

    Attributes
    ----------
    make
        Makes it with the settings that suit phrase reordering.
    parameter
        The option that regularises it.
    path
        Values of that option worth trying, from much regularisation to little.
    calibrated
        Whether its probabilities need a temperature before their log-loss means anything.
    """

    make: Callable[[], Classifier]
    parameter: str
    path: tuple[float, ...]
    calibrated: bool = False


# One-way shrinking is several times faster, and on held-out text within half a point of the
# optimum, above or below it (docs/benchmarks.md): the default here, though not of the classifiers.
# So is a loose tolerance of MaxEnt (docs/classifiers.md).
_SIGMAS = (0.05, 0.1, 0.2, 0.4, 0.8)
KINDS = {
    "svm": Kind(
        lambda: MulticlassSVM(C=0.01, shrinking="paper", fit_intercept=False),
        "C",
        (0.001, 0.003, 0.01, 0.03, 0.1),
        calibrated=True,
    ),
    "mlr": Kind(lambda: DualMLR(sigma=0.2, shrinking="paper"), "sigma", _SIGMAS),
    "primal-mlr": Kind(lambda: PrimalMLR(sigma=0.2), "sigma", _SIGMAS),
    "maxent": Kind(lambda: MaxEnt(sigma=0.2, tolerance=2e-4), "sigma", _SIGMAS),
    "maxent-l1": Kind(
        lambda: MaxEnt(sigma=0.3, penalty="l1", tolerance=1e-4), "sigma", (0.03, 0.1, 0.3, 1.0, 3.0)
    ),
    "naive-bayes": Kind(NaiveBayes, "alpha", (100.0, 10.0, 1.0, 0.1)),
    "lexicalised": Kind(LexicalisedModel, "smoothing", (5.0, 2.0, 1.0, 0.5, 0.1)),
}


def make_classifier(classifier: str | Classifier, **options: Any) -> Classifier:  # noqa: ANN401
    """Return a new, untrained classifier.

    Parameters
    ----------
    classifier
        A name in `KINDS`, or a classifier to copy the options of.
    options
        Set on it if it has such options; the others are ignored.
    """
    if not isinstance(classifier, str):
        made: Classifier = clone(classifier)
    elif classifier in KINDS:
        made = KINDS[classifier].make()
    else:
        raise OptionError(f"no classifier {classifier!r}: there are {', '.join(KINDS)}")
    known = made.get_params()
    made.set_params(**{name: value for name, value in options.items() if name in known})
    return made


def kind_of(classifier: Classifier) -> Kind:
    """Return what is known of a classifier by its class, and by its penalty if it has several."""
    for kind in KINDS.values():
        usual = kind.make()
        same_penalty = usual.get_params().get("penalty") == classifier.get_params().get("penalty")
        if type(usual) is type(classifier) and same_penalty:
            return kind
    raise OptionError(
        f"{type(classifier).__name__} cannot be tuned: give one of {', '.join(KINDS)}"
    )


def learnt_options(classifier: Classifier) -> dict[str, Any]:
    """Return the options that have a say in what is learnt."""
    params = classifier.get_params()
    return {name: params[name] for name in sorted(params) if name not in _TRANSIENT}


def describe(classifier: Classifier) -> str:
    """Return name and options of a classifier in one word."""
    options = ",".join(f"{name}={value}" for name, value in learnt_options(classifier).items())
    return f"{type(classifier).__name__}({options})"
