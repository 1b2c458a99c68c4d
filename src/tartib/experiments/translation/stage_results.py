"""Make `TranslationResults` from finished stages."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from importlib.metadata import version
from typing import Any

from tartib.experiments.run.results import corpus_results, machine
from tartib.experiments.run.stages import Stage, digest
from tartib.experiments.run.workspace import Workspace
from tartib.experiments.translation.comparison import BLEU, adjusted
from tartib.experiments.translation.examples import moved_sentences
from tartib.experiments.translation.plan import TranslationPlan
from tartib.experiments.translation.results import (
    Difference,
    ModelResults,
    MovedSentence,
    OracleRow,
    SharedPart,
    StageResults,
    SystemResults,
    SystemRun,
    TestRun,
    TestSet,
    TestText,
    TranslationResults,
    TuningIteration,
)
from tartib.orientation import OrientationModel
from tartib.reordering import KINDS
from tartib.signature import signature
from tartib.textio import read_lines, split_words

_FILES = (
    "train",
    "alignment",
    "dev",
    "dev_reference",
    "test",
    "test_reference",
    "reference_alignment",
)

Lines = Sequence[str]


def collect(
    plan: TranslationPlan,
    workspace: Workspace,
    texts: Mapping[str, tuple[Lines, Sequence[Lines]]],
) -> TranslationResults:
    """Collect the results of all stages; ``texts`` are source and references of the test sets."""
    collector = _Collector(plan, workspace)
    options = plan.options
    corpus = workspace.require(plan.corpus.key)
    stages = collector.stages()
    compared = {test: workspace.require(plan.compared(test).key)["metrics"] for test in plan.tests}
    return TranslationResults(
        title=f"{options.train[0].name} → {options.train[1].name}: translation",
        signature=_signature(plan, corpus["fingerprint"]),
        version=version("tartib"),
        options=options.model_dump(mode="json", exclude={"jobs"}),
        machine=machine(),
        jobs=plan.jobs,
        seconds=sum(stage.seconds for stage in stages),
        corpus=corpus_results(corpus["sizes"], *(path.name for path in options.train)),
        dev=_text(read_lines(options.dev), len(options.dev_reference)),
        tests=[
            TestSet(
                name=test,
                **_text(source, len(references)).model_dump(),
                metrics={name: found["signature"] for name, found in compared[test].items()},
                alignment_given=plan.tests[test].alignment is not None,
            )
            for test, (source, references) in texts.items()
        ],
        orientation=options.orientation,
        direction=options.direction,
        baseline=options.baseline,
        primary=options.primary,
        given_up=sorted(plan.given_up),
        systems=collector.systems(compared),
        models=list(collector.models()),
        shared=list(collector.shared()),
        stages=stages,
        examples=collector.examples(*next(iter(texts.values()))),
        oracle=collector.oracle(),
    )


def _signature(plan: TranslationPlan, fingerprint: str) -> str:
    options = plan.options
    others = options.model_dump(mode="json", exclude={"jobs", *_FILES})
    return signature(
        ("experiment", "translation"),
        ("corpus", fingerprint),
        ("test", digest([file.digest for tested in plan.tests.values() for file in tested.files])),
        ("orientation", options.orientation),
        ("direction", options.direction),
        ("tuner", options.tuner),
        ("runs", options.runs),
        ("seed", options.seed),
        ("options", digest(others)),
    )


class _Collector:
    """Reads finished stages."""

    def __init__(self, plan: TranslationPlan, workspace: Workspace) -> None:
        self._plan = plan
        self._workspace = workspace

    def systems(self, compared: dict[str, dict[str, Any]]) -> list[SystemResults]:
        """Return all runs of each system, and how they compare with the baseline's.

        ``compared`` has for each test set and metric what the comparison found.
        """
        differences = self._differences(compared)
        return [
            SystemResults(
                name=name,
                title=parts.title,
                row=parts.row,
                runs=[self._run(name, run, compared) for run in self._plan.runs(name)],
                differences=differences.get(name, {}),
            )
            for name, parts in self._plan.systems.items()
        ]

    def _differences(
        self, compared: dict[str, dict[str, Any]]
    ) -> dict[str, dict[str, dict[str, Difference]]]:
        """Return the differences from the baseline by system, test set and metric."""
        options = self._plan.options
        first = next(iter(compared))
        by_system: dict[str, dict[str, dict[str, Difference]]] = {}
        for metric in dict.fromkeys(metric for found in compared.values() for metric in found):
            known = {
                (test, name): system["difference"]
                for test, found in compared.items()
                if metric in found
                for name, system in found[metric]["systems"].items()
                if system["difference"] is not None
            }
            primary = (first, options.primary) if options.primary and metric == BLEU else None
            p_values = adjusted({which: d["p_value"] for which, d in known.items()}, primary)
            for (test, name), difference in known.items():
                by_system.setdefault(name, {}).setdefault(test, {})[metric] = Difference(
                    value=difference["score"],
                    **{key: difference[key] for key in ("low", "high", "p_value")},
                    adjusted=p_values[test, name],
                )
        return by_system

    def _run(self, name: str, run: int, compared: dict[str, dict[str, Any]]) -> SystemRun:
        tuned = self._workspace.require(self._plan.tuned(name, run).key)
        return SystemRun(
            seed=self._plan.options.seed + run,
            iterations=[TuningIteration(**iteration) for iteration in tuned["iterations"]],
            chosen=tuned["chosen"],
            stopped=tuned["stopped"],
            n_weights=tuned["n_weights"],
            dev_bleu=tuned["bleu"],
            tuning_seconds=tuned["seconds"],
            tuning_peak_mb=tuned["stage_peak_mb"],
            tests={test: self._tested(name, run, test, found) for test, found in compared.items()},
        )

    def _tested(self, name: str, run: int, test: str, found: dict[str, Any]) -> TestRun:
        decoded = self._workspace.require(self._plan.decoded(name, run, test).key)
        return TestRun(
            scores={metric: one["systems"][name]["runs"][run] for metric, one in found.items()},
            seconds=decoded["seconds"],
            peak_mb=decoded["stage_peak_mb"],
            words_per_second=decoded["words"] / decoded["seconds"],
        )

    def models(self) -> Iterator[ModelResults]:
        """Yield the results of each reordering model."""
        for spec, (part, parts) in self._plan.trained.items():
            found = self._workspace.require(spec.key)
            own = replace(parts, models=(part.trained,), sparse=False, direction=None, limit=None)
            yield ModelResults(
                name=own.name,
                title=own.title,
                direction=spec.target.direction,
                parameter=KINDS[part.classifier].parameter,
                temperature=found["scores"]["temperature"],
                accuracy=found["scores"]["accuracy"],
                **{
                    key: found[key]
                    for key in ("value", "n_parameters", "bytes", "compact_bytes", "seconds")
                },
                peak_mb=found["peak_mb"],
            )

    def shared(self) -> Iterator[SharedPart]:
        """Yield the sizes of the parts that all systems share."""
        for stage in self._plan.shared:
            found = self._workspace.require(stage.key)
            yield SharedPart(name=stage.title, entries=found["entries"], bytes=found["bytes"])

    def examples(
        self, source: Sequence[str], references: Sequence[Sequence[str]]
    ) -> list[MovedSentence]:
        """Return the sentences of the first test set that the report draws."""
        plan = self._plan
        first = next(iter(plan.tests))
        found = {
            parts.title: self._workspace.require(plan.decoded(name, 0, first).key)
            for name, parts in plan.systems.items()
        }
        return moved_sentences(
            source,
            references,
            found,
            baseline=plan.systems[plan.options.baseline].title,
            from_block=OrientationModel.parse(plan.options.orientation).model == "hier",
            count=plan.options.examples,
        )

    def oracle(self) -> list[OracleRow]:
        """Return the bounds, if they were asked for."""
        stage = self._plan.oracle
        rows = [] if stage is None else self._workspace.require(stage.key)["rows"]
        return [OracleRow(**row) for row in rows]

    def stages(self) -> list[StageResults]:
        """Return time and memory of all stages, in the order in which they are run."""
        return [_stage(stage, self._workspace) for stage in self._plan.stages]


def _stage(stage: Stage, workspace: Workspace) -> StageResults:
    found = workspace.require(stage.key)
    # A tuning that was continued has the seconds of all its iterations.
    seconds = max(found["stage_seconds"], found.get("seconds", 0.0))
    return StageResults(name=stage.title, seconds=seconds, peak_mb=found["stage_peak_mb"])


def _text(lines: Sequence[str], references: int) -> TestText:
    words = sum(len(split_words(line)) for line in lines)
    return TestText(sentences=len(lines), words=words, references=references)
