"""The stages that train classifiers, in the order in which they are run."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from tartib.engine import count_jobs
from tartib.experiments.run.classifiers import TUNED_AS, Fit, Lexicalised, Options, Tuning
from tartib.experiments.run.corpus import Corpus, Division, Rows, Target
from tartib.experiments.run.options import CorpusOptions
from tartib.experiments.run.stages import Stage
from tartib.reordering import KINDS

# Options of a classifier that matter when its hyper-parameter is chosen, and those parameters.
_TUNED_WITH = {"class_weight", "fit_intercept", *(kind.parameter for kind in KINDS.values())}


@dataclass(frozen=True)
class Group:
    """The stages that need the same rows."""

    rows: Rows
    tunings: dict[Tuning, None] = field(default_factory=dict)  # several trainings may share one
    fits: list[Fit] = field(default_factory=list)

    @property
    def stages(self) -> list[Stage]:
        """The stages in the order in which they are run."""
        return [self.rows, *self.tunings, *self.fits]


@dataclass(frozen=True)
class ClassifierPlan(ABC):
    """The stages that train the classifiers of an experiment.

    Attributes
    ----------
    options
        What was asked for.
    corpus
        The text.
    """

    options: CorpusOptions
    corpus: Corpus

    @property
    def jobs(self) -> int:
        """Threads of each stage."""
        return count_jobs(self.options.jobs)

    @property
    @abstractmethod
    def targets(self) -> tuple[Target, ...]:
        """The orientations and directions that are learnt."""

    @abstractmethod
    def division(self, fold: int) -> Division:
        """How the sentences are divided in a fold."""

    def _divided(self, fold: int, learn_from: str | None) -> Division:
        """Return the division of a fold; ``learn_from`` may differ from the experiment's."""
        division = self.division(fold)
        return division if learn_from is None else replace(division, learn_from=learn_from)

    def rows(
        self, features: str, fold: int = 0, share: float = 1.0, learn_from: str | None = None
    ) -> Rows:
        """Return the rows of a feature set."""
        division = self._divided(fold, learn_from)
        return Rows(division, features, self.options.cutoff, share, self.targets)

    def _value_tuning(
        self, classifier: str, rows: Rows, target: Target, options: Options
    ) -> Tuning | None:
        """Return the stage that chooses a hyper-parameter.

        There is none if ``options`` give the hyper-parameter.
        """
        kind = TUNED_AS.get(classifier, classifier)
        if not self.options.tune or KINDS[classifier].parameter in dict(options):
            return None
        own = tuple((name, value) for name, value in options if value is not None)
        return Tuning(rows, target, kind, own)

    def fit(
        self,
        classifier: str,
        features: str,
        target: Target,
        fold: int = 0,
        share: float = 1.0,
        calibrate: str | None = None,
        learn_from: str | None = None,
        **overrides: Any,  # noqa: ANN401
    ) -> Fit:
        """Return the stage that trains a classifier; it is tuned on a sample of all sentences."""
        options = tuple(sorted(overrides.items()))
        tuned = tuple((name, value) for name, value in options if name in _TUNED_WITH)
        whole = self.rows(features, fold, learn_from=learn_from)
        tuning = self._value_tuning(classifier, whole, target, tuned)
        rows = replace(whole, share=share)
        return Fit(rows, target, classifier, tuning, options, calibrate, self.jobs)

    def lexicalised(
        self,
        target: Target,
        fold: int = 0,
        smoothing: float | None = None,
        learn_from: str | None = None,
    ) -> Lexicalised:
        """Return the lexicalised model of a fold; its smoothing is tuned if it is not given."""
        tune = self.options.tune and smoothing is None
        division = self._divided(fold, learn_from)
        return Lexicalised(division, target, tune, smoothing, self.jobs)


def group_fits(fits: Iterable[Fit]) -> list[Group]:
    """Group trainings, and the tunings that they need, by their rows."""
    grouped: dict[Rows, Group] = {}
    for fit in sorted(dict.fromkeys(fits), key=lambda fit: (fit.rows.share < 1, _place(fit))):
        if fit.tuning is not None:
            tuned_on = fit.tuning.rows
            grouped.setdefault(tuned_on, Group(tuned_on)).tunings[fit.tuning] = None
        grouped.setdefault(fit.rows, Group(fit.rows)).fits.append(fit)
    return list(grouped.values())


def _place(fit: Fit) -> tuple[int, int]:
    """Sort by feature set in the papers' order, and then by fold."""
    found = re.match(r"S(\d+)", fit.rows.features)
    number = int(found[1]) if found else 99
    return number, fit.rows.division.fold
