"""Which stages an experiment is made of, in the order in which they are run."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from tartib.engine import count_jobs
from tartib.experiments.classification.options import ClassificationOptions, CorpusOptions
from tartib.experiments.run.classifiers import TUNED_AS, Fit, Lexicalised, Tuning
from tartib.experiments.run.corpus import Corpus, Division, Rows, Target


@dataclass(frozen=True)
class Group:
    """What is done with the same rows."""

    rows: Rows
    tunings: dict[Tuning, None] = field(default_factory=dict)  # several trainings may share one
    fits: list[Fit] = field(default_factory=list)

    @property
    def specs(self) -> list[Tuning | Fit]:
        """Tunings first, for what is chosen by them follows."""
        return [*self.tunings, *self.fits]


@dataclass(frozen=True)
class ClassifierPlan(ABC):
    """How classifiers are trained in an experiment.

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
        """What is classified."""

    @abstractmethod
    def division(self, fold: int) -> Division:
        """How the sentences are divided in a fold."""

    def rows(self, features: str, fold: int = 0, share: float = 1.0) -> Rows:
        """Return the rows of a feature set."""
        return Rows(self.division(fold), features, self.options.cutoff, share)

    def tuning(self, classifier: str, features: str, target: Target, fold: int) -> Tuning | None:
        """Return where the hyper-parameter of a classifier is chosen: always at full size."""
        if not self.options.tune:
            return None
        kind = TUNED_AS.get(classifier, classifier)
        return Tuning(self.rows(features, fold), target, kind)

    def fit(
        self,
        classifier: str,
        features: str,
        target: Target,
        fold: int = 0,
        share: float = 1.0,
        **overrides: Any,  # noqa: ANN401
    ) -> Fit:
        """Return the training of a classifier."""
        return Fit(
            self.rows(features, fold, share),
            target,
            classifier,
            self.tuning(classifier, features, target, fold),
            tuple(sorted(overrides.items())),
            self.jobs,
        )

    def lexicalised(self, target: Target, fold: int = 0) -> Lexicalised:
        """Return the lexicalised model of a fold."""
        return Lexicalised(self.division(fold), target, self.options.tune, self.jobs)


@dataclass(frozen=True)
class Plan(ClassifierPlan):
    """All stages of a classification experiment."""

    options: ClassificationOptions

    @property
    def targets(self) -> tuple[Target, ...]:
        """What is classified."""
        return tuple(Target(name, self.options.direction) for name in self.options.orientations)

    def division(self, fold: int) -> Division:
        """How the sentences are divided in a fold."""
        options = self.options
        return Division(
            self.corpus,
            options.held_out if options.folds == 1 else 0.0,  # folds need none
            options.dev_share,
            options.folds,
            fold,
            options.seed,
            options.tune_pairs,
        )

    def cell(self, classifier: str, features: str, target: Target) -> list[Fit]:
        """Return a cell of Tables 5 and 6, fold by fold."""
        folds = range(self.options.folds)
        return [self.fit(classifier, features, target, fold) for fold in folds]

    def regressions(self, target: Target) -> list[tuple[float | None, list[Fit]]]:
        """Return the rows of the MLR paper's Table 2: primal, and dual at each ε."""
        options, folds = self.options, range(self.options.folds)
        if not options.epsilons:
            return []
        name = options.regression_features
        primal = [
            self.fit("primal-mlr", name, target, fold, max_iter=options.primal_epochs)
            for fold in folds
        ]
        dual = [(e, [self._dual(e, target, fold) for fold in folds]) for e in options.epsilons]
        return [(None, primal), *dual]

    def _dual(self, epsilon: float, target: Target, fold: int) -> Fit:
        # The paper's own step, which Table 2 and Figure 1 are about.
        step = "exponentiated-gradient"
        features = self.options.regression_features
        return self.fit("mlr", features, target, fold, epsilon=epsilon, solver=step)

    def curves(self, target: Target) -> dict[str, Fit]:
        """Return the SVM paper's Figure 1: the dual classifiers on the same features."""
        if not self.options.epsilons:
            return {}
        features = self.options.regression_features
        return {
            "svm": self.fit("svm", features, target),
            "mlr": self.fit("mlr", features, target),
            "mlr-eg": self._dual(0.1, target, 0),
        }

    def scaling(self, target: Target) -> list[tuple[str, float, Fit]]:
        """Return the points of the SVM paper's Figure 2."""
        options = self.options
        return [
            (name, share, self.fit(name, options.scaling_features, target, share=share))
            for name in options.scaling_classifiers
            for share in options.scaling_shares
        ]

    def groups(self) -> list[Group]:
        """Return tunings and trainings by the rows that they need; full size comes first."""
        options = self.options
        found: list[Fit] = []
        for target in self.targets:
            for features in options.features:
                for classifier in options.classifiers:
                    found += self.cell(classifier, features, target)
            found += [fit for _, fits in self.regressions(target) for fit in fits]
            found += self.curves(target).values()
            found += [fit for _, _, fit in self.scaling(target)]
        return group_fits(found)


def group_fits(fits: Iterable[Fit]) -> list[Group]:
    """Return trainings, and the tunings before them, by the rows that they need."""
    grouped: dict[Rows, Group] = {}
    for fit in sorted(dict.fromkeys(fits), key=lambda fit: (fit.rows.share < 1, _place(fit))):
        if fit.tuning is not None:
            tuned_on = fit.tuning.rows
            grouped.setdefault(tuned_on, Group(tuned_on)).tunings[fit.tuning] = None
        grouped.setdefault(fit.rows, Group(fit.rows)).fits.append(fit)
    return list(grouped.values())


def _place(fit: Fit) -> tuple[int, int]:
    """Sort by feature set in the papers' order, and then by fold."""
    name = fit.rows.features
    number = int(name[1:]) if name[1:].isdigit() else 99
    return number, fit.rows.division.fold
