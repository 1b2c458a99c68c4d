"""Make `TranslationResults` from finished stages."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib.metadata import version
from typing import Any

from tartib.experiments.run.results import corpus_results, machine
from tartib.experiments.run.stages import Stage, digest
from tartib.experiments.run.workspace import Workspace
from tartib.experiments.translation.examples import moved_sentences
from tartib.experiments.translation.plan import TranslationPlan
from tartib.experiments.translation.results import (
    Difference,
    ModelResults,
    MovedSentence,
    SharedPart,
    StageResults,
    SystemResults,
    SystemRun,
    TestText,
    TranslationResults,
    TuningIteration,
)
from tartib.experiments.translation.systems import BASELINE
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


def collect(
    plan: TranslationPlan,
    workspace: Workspace,
    source: Sequence[str],
    references: Sequence[Sequence[str]],
) -> TranslationResults:
    """Collect the results of all stages; ``source`` and ``references`` are the test set."""
    collector = _Collector(plan, workspace)
    options = plan.options
    corpus = workspace.require(plan.corpus.key)
    stages = collector.stages()
    compared = workspace.require(plan.compared.key)["metrics"]
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
        test=_text(source, len(references)),
        orientation=options.orientation,
        direction=options.direction,
        baseline=BASELINE,
        metrics={name: found["signature"] for name, found in compared.items()},
        systems=[collector.system(name, compared) for name in plan.systems],
        models=list(collector.models()),
        shared=list(collector.shared()),
        stages=stages,
        examples=collector.examples(source, references),
    )


def _signature(plan: TranslationPlan, fingerprint: str) -> str:
    options = plan.options
    others = options.model_dump(mode="json", exclude={"jobs", *_FILES})
    return signature(
        ("experiment", "translation"),
        ("corpus", fingerprint),
        ("test", digest([file.digest for file in (plan.test.source, *plan.test.references)])),
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

    def system(self, name: str, compared: dict[str, Any]) -> SystemResults:
        """Return all runs of a system, and how they compare with the baseline's."""
        parts = self._plan.systems[name]
        figures = {metric: found["systems"][name] for metric, found in compared.items()}
        return SystemResults(
            name=name,
            title=parts.title,
            row=parts.row,
            runs=[
                self._run(name, run, {metric: f["runs"][run] for metric, f in figures.items()})
                for run in range(self._plan.options.runs)
            ],
            differences={
                metric: Difference(
                    value=found["difference"]["score"],
                    **{key: found["difference"][key] for key in ("low", "high", "p_value")},
                )
                for metric, found in figures.items()
                if found["difference"] is not None
            },
        )

    def _run(self, name: str, run: int, scores: dict[str, float]) -> SystemRun:
        tuned = self._workspace.require(self._plan.tuned(name, run).key)
        decoded = self._workspace.require(self._plan.decoded(name, run).key)
        return SystemRun(
            seed=self._plan.options.seed + run,
            iterations=[TuningIteration(**iteration) for iteration in tuned["iterations"]],
            chosen=tuned["chosen"],
            stopped=tuned["stopped"],
            n_weights=tuned["n_weights"],
            dev_bleu=tuned["bleu"],
            scores=scores,
            tuning_seconds=tuned["seconds"],
            tuning_peak_mb=tuned["stage_peak_mb"],
            seconds=decoded["seconds"],
            peak_mb=decoded["stage_peak_mb"],
            words_per_second=decoded["words"] / decoded["seconds"],
        )

    def models(self) -> Iterator[ModelResults]:
        """Yield the results of each reordering model."""
        for part in self._plan.parts:
            for spec in self._plan.models(part):
                found = self._workspace.require(spec.key)
                yield ModelResults(
                    name=part.name,
                    title=part.title,
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
        """Return the sentences that the report draws."""
        plan = self._plan
        found = {
            parts.title: self._workspace.require(plan.decoded(name, 0).key)
            for name, parts in plan.systems.items()
        }
        return moved_sentences(
            source,
            references,
            found,
            baseline=plan.systems[BASELINE].title,
            from_block=OrientationModel.parse(plan.options.orientation).model == "hier",
            count=plan.options.examples,
        )

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
