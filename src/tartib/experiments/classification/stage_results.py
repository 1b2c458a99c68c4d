"""Make `Results` from finished stages."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from importlib.metadata import version
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tartib.evaluation import paired_bootstrap
from tartib.experiments.classification.examples import Examples
from tartib.experiments.classification.plan import Plan
from tartib.experiments.classification.results import (
    Cell,
    Coverage,
    Difference,
    Epoch,
    OrientationResults,
    Part,
    Regression,
    Results,
    Run,
    ScalePoint,
    Split,
)
from tartib.experiments.run.classifiers import Fit, Lexicalised, Model
from tartib.experiments.run.corpus import Target
from tartib.experiments.run.results import Example, corpus_results, machine
from tartib.experiments.run.stages import Stage, digest
from tartib.experiments.run.workspace import Workspace
from tartib.phrases import PhrasePairs
from tartib.reordering import KINDS
from tartib.signature import signature

Sums = NDArray[np.float64]
_RUN = tuple(Run.model_fields)


def best_cell(plan: Plan, workspace: Workspace, target: Target) -> tuple[Fit, ...] | None:
    """Return the most accurate of the cells whose folds are all finished; of equals, the first."""
    best, highest = None, -1.0
    for features in plan.options.features:
        for classifier in plan.options.classifiers:
            fits = plan.cell(classifier, features, target)
            found = [workspace.read(fit.key) for fit in fits]
            values = [value["scores"]["accuracy"] for value in found if value is not None]
            if len(values) == len(fits) and float(np.mean(values)) > highest:
                best, highest = tuple(fits), float(np.mean(values))
    return best


def collect(plan: Plan, workspace: Workspace, shown: Mapping[Target, Examples]) -> Results:
    """Collect the results of all stages."""
    phrases = plan.corpus.load(workspace)
    options = plan.options.model_dump(mode="json", exclude={"jobs", "beside_paper"})
    parts = [plan.division(fold).of(phrases) for fold in range(plan.options.folds)]
    splits = [
        Split(train=_part(part.train), development=_part(part.development), test=_part(part.test))
        for part in parts
    ]
    collector = _Collector(plan, workspace, phrases, [part.test for part in parts])
    orientations = [collector.orientation(target, shown.get(target)) for target in plan.targets]
    rows = {group.rows for group in plan.groups() if group.rows.share == 1}
    names = {spec.features: spec for spec in rows if spec.division.fold == 0}
    return Results(
        title=" → ".join(_names(plan)),
        signature=signature(
            ("experiment", "classification"),
            ("corpus", phrases.bitext.fingerprint),
            ("sentences", len(phrases.bitext)),
            ("orientation", "+".join(plan.options.orientations)),
            ("direction", plan.options.direction),
            ("seed", plan.options.seed),
            ("options", digest({n: v for n, v in options.items() if n not in _FILES})),
        ),
        version=version("tartib"),
        options=options,
        machine=machine(),
        jobs=plan.jobs,
        seconds=_seconds(workspace, [*plan.stages, *shown.values()]),
        corpus=corpus_results(workspace.require(plan.corpus.key)["sizes"], *_names(plan)),
        splits=splits,
        feature_seconds={
            name: workspace.require(names[name].key)["seconds"]
            for name in plan.options.features
            if name in names
        },
        orientations=orientations,
    )


_FILES = ("source", "target", "bitext", "alignment")


class _Collector:
    """Reads finished stages."""

    def __init__(
        self, plan: Plan, workspace: Workspace, phrases: PhrasePairs, tests: list[PhrasePairs]
    ) -> None:
        self._plan = plan
        self._workspace = workspace
        self._phrases = phrases
        self._tests = tests

    def orientation(self, target: Target, shown: Examples | None) -> OrientationResults:
        """Return everything about one orientation model."""
        plan, options = self._plan, self._plan.options
        lexicalised = [plan.lexicalised(target, fold) for fold in range(options.folds)]
        base = self._right(lexicalised, target)
        cells = [
            self._cell(features, classifier, plan.cell(classifier, features, target), target, base)
            for features in options.features
            for classifier in options.classifiers
        ]
        found = {} if shown is None else self._workspace.require(shown.key)
        best = None
        if shown is not None:
            names = [(cell.features, cell.classifier) for cell in cells]
            best = names.index((shown.best.features, shown.best.classifier))
        return OrientationResults(
            name=target.orientation,
            direction=target.direction,
            classes=list(target.model.labels),
            counts=list(self._phrases.counts(target.model, target.direction).values()),
            lexicalised=self._cell("", "lexicalised", lexicalised, target, None),
            coverage=self._coverage(lexicalised),
            cells=cells,
            regression_features=options.regression_features,
            regressions=[
                Regression(
                    epsilon=epsilon,
                    cell=self._cell(
                        options.regression_features, fits[0].classifier, fits, target, base
                    ),
                )
                for epsilon, fits in plan.regressions(target)
            ],
            curves={
                name: [Epoch(**epoch) for epoch in self._read(fit)["trace"]]
                for name, fit in plan.curves(target).items()
            },
            scaling_features=options.scaling_features,
            scaling=[
                ScalePoint(classifier=name, share=share, run=self._run(fit))
                for name, share, fit in plan.scaling(target)
            ],
            best=best,
            strongest=found.get("strongest", {}),
            examples=[Example(**example) for example in found.get("examples", [])],
        )

    def _read(self, spec: Model) -> dict[str, Any]:
        return self._workspace.require(spec.key)

    def _run(self, spec: Model) -> Run:
        return Run(**{name: value for name, value in self._read(spec).items() if name in _RUN})

    def _cell(
        self,
        features: str,
        classifier: str,
        fits: Sequence[Model],
        target: Target,
        base: Sums | None,
    ) -> Cell:
        difference = None
        if base is not None:
            found = paired_bootstrap(
                self._right(fits, target),
                base,
                _accuracy,
                samples=self._plan.options.samples,
                seed=self._plan.options.seed,
            )
            difference = Difference(
                accuracy=found.difference, low=found.low, high=found.high, p_value=found.p_value
            )
        return Cell(
            features=features,
            classifier=classifier,
            parameter=KINDS[classifier].parameter,
            options=self._read(fits[0])["options"],
            runs=[self._run(fit) for fit in fits],
            difference=difference,
        )

    def _right(self, fits: Sequence[Model], target: Target) -> Sums:
        """Return right predictions and pairs of each test sentence, over all folds."""
        sums = []
        for fit, test in zip(fits, self._tests, strict=True):
            right = self._workspace.array(fit.key, "predicted") == target.labels(test)
            some = np.flatnonzero(np.diff(test.offsets))
            begins = test.offsets[some]
            sums.append(
                np.column_stack(
                    (np.add.reduceat(right.astype(np.float64), begins), np.diff(test.offsets)[some])
                )
            )
        return np.concatenate(sums)

    def _coverage(self, fits: Sequence[Lexicalised]) -> list[Coverage]:
        """Return the coverage over all folds together."""
        folds = [self._read(fit)["coverage"] for fit in fits]
        total = sum(level["pairs"] for levels in folds for level in levels)
        found = []
        for levels in zip(*folds, strict=True):
            pairs, right = (sum(level[name] for level in levels) for name in ("pairs", "right"))
            accuracy = right / pairs if pairs else None
            found.append(Coverage(known=levels[0]["known"], share=pairs / total, accuracy=accuracy))
        return found


def _seconds(workspace: Workspace, stages: Iterable[Stage]) -> float:
    """Return how long all stages together took, whenever they were run."""
    found = {stage.key: workspace.require(stage.key) for stage in stages}
    return float(sum(value["stage_seconds"] for value in found.values()))


def _accuracy(sums: Sums) -> Sums:
    accuracy: Sums = sums[:, 0] / sums[:, 1]
    return accuracy


def _part(phrases: PhrasePairs) -> Part:
    return Part(sentences=int((np.diff(phrases.offsets) > 0).sum()), pairs=len(phrases))


def _names(plan: Plan) -> tuple[str, str]:
    options = plan.options
    if options.bitext is not None:
        return options.languages or (f"{options.bitext.name}, source", "target")
    assert options.source is not None  # noqa: S101 -- the options were checked
    assert options.target is not None  # noqa: S101
    return options.source.name, options.target.name
