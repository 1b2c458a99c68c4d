"""The stages of a classification experiment, in the order in which they are run."""

from __future__ import annotations

from dataclasses import dataclass

from tartib.experiments.classification.examples import Examples
from tartib.experiments.classification.options import ClassificationOptions
from tartib.experiments.run.classifiers import Fit, Lexicalised
from tartib.experiments.run.corpus import Division, Target
from tartib.experiments.run.plan import ClassifierPlan, Group, group_fits
from tartib.experiments.run.stages import Stage


@dataclass(frozen=True)
class Plan(ClassifierPlan):
    """All stages of a classification experiment."""

    options: ClassificationOptions

    @property
    def targets(self) -> tuple[Target, ...]:
        """The orientations that are learnt."""
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

    @property
    def lexicalised_models(self) -> list[Lexicalised]:
        """The lexicalised models of all targets and folds."""
        folds = range(self.options.folds)
        return [self.lexicalised(target, fold) for target in self.targets for fold in folds]

    @property
    def stages(self) -> list[Stage]:
        """All stages in the order in which they are run, but for the examples."""
        trained = (stage for group in self.groups() for stage in group.stages)
        return [self.corpus, *self.lexicalised_models, *trained]

    def examples(self, best: Fit) -> Examples:
        """Return what the report shows of a best model."""
        return Examples(best, self.lexicalised(best.target), self.options.examples)

    def cell(self, classifier: str, features: str, target: Target) -> list[Fit]:
        """Return a cell of Tables 5 and 6, fold by fold."""
        folds = range(self.options.folds)
        return [self.fit(classifier, features, target, fold) for fold in folds]

    def regressions(self, target: Target) -> list[tuple[float | None, list[Fit]]]:
        """Return the rows of the MLR paper's Table 2: primal, and dual at each ε."""
        options, folds = self.options, range(self.options.folds)
        if not options.regression_epsilons:
            return []
        name = options.regression_features
        primal = [
            self.fit("primal-mlr", name, target, fold, max_iter=options.primal_epochs)
            for fold in folds
        ]
        dual = [
            (e, [self._dual(e, target, fold) for fold in folds])
            for e in options.regression_epsilons
        ]
        return [(None, primal), *dual]

    def _dual(self, epsilon: float, target: Target, fold: int) -> Fit:
        # The paper's own step and shrinking, which Table 2 and Figure 1 are about.
        return self.fit(
            "mlr",
            self.options.regression_features,
            target,
            fold,
            epsilon=epsilon,
            solver="exponentiated-gradient",
            shrinking="paper",
        )

    def curves(self, target: Target) -> dict[str, Fit]:
        """Return the SVM paper's Figure 1: the dual classifiers on the same features."""
        if not self.options.regression_epsilons:
            return {}
        features = self.options.regression_features
        return {
            "svm": self.fit("svm", features, target, shrinking="paper"),
            "mlr": self.fit("mlr", features, target, shrinking="paper"),
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
