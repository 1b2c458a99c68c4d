"""From finished stages to `TranslationResults`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib.metadata import version
from typing import Any

from tartib.experiments.run.results import Corpus, machine
from tartib.experiments.run.stages import Stage, Workspace, digest
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
    """Put together what all stages found; ``source`` and ``references`` are the test text."""
    collector = _Collector(plan, workspace)
    options = plan.options
    corpus = workspace.require(plan.corpus.key)
    stages = collector.stages()
    compared = workspace.require(plan.compared.spec.key)["metrics"]
    return TranslationResults(
        title=f"{options.train[0].name} → {options.train[1].name}: translation",
        signature=_signature(plan, corpus["fingerprint"]),
        version=version("tartib"),
        options=options.model_dump(mode="json", exclude={"jobs"}),
        machine=machine(),
        jobs=plan.jobs,
        seconds=sum(stage.seconds for stage in stages),
        corpus=Corpus(**corpus["corpus"]),
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
        ("test", digest(list(plan.test_text))),
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
        """Yield what was learnt of each reordering model."""
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
        """Yield the sizes of what all systems have."""
        for step in (self._plan.table, self._plan.lm):
            found = self._workspace.require(step.spec.key)
            yield SharedPart(name=step.what, entries=found["entries"], bytes=found["bytes"])

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
        plan = self._plan
        named: list[tuple[str, Stage]] = [(s.what, s.spec) for s in (plan.phrases, *plan.shared)]
        named += [(f"lexicalised model, {m.target.name}", m) for m in plan.lexicalised_models()]
        for group in plan.groups():
            named.append((f"{group.rows.features}: features", group.rows))
            named += [(_described(t.name, t) + ", tuning", t) for t in group.tunings]
            named += [(_described(fit.name, fit), fit) for fit in group.fits]
        for name in plan.systems:
            for run in range(plan.options.runs):
                named += [(step.what, step.spec) for step in plan.steps(name, run)]
        named += [(step.what, step.spec) for step in plan.scoring]
        return [_stage(what, self._workspace.require(spec.key)) for what, spec in named]


def _described(name: str, spec: Any) -> str:  # noqa: ANN401
    return f"{spec.rows.features}: {name}, {spec.target.name}"


def _stage(what: str, found: dict[str, Any]) -> StageResults:
    # A tuning that was continued knows the seconds of all its iterations.
    seconds = max(found["stage_seconds"], found.get("seconds", 0.0))
    return StageResults(name=what, seconds=seconds, peak_mb=found["stage_peak_mb"])


def _text(lines: Sequence[str], references: int) -> TestText:
    words = sum(len(split_words(line)) for line in lines)
    return TestText(sentences=len(lines), words=words, references=references)
