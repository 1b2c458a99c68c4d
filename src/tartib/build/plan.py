"""Which stages a build has; most are known only when the text is prepared and aligned."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tartib.build.choice import Choice
from tartib.build.options import BuildOptions
from tartib.build.prepare import Prepared
from tartib.build.stages import (
    Aligned,
    Judging,
    Portion,
    PrunedTable,
    Scored,
    TargetLm,
    TunedFrom,
    check_links,
)
from tartib.evaluation import usual_tokenisation
from tartib.experiments.run.corpus import Corpus
from tartib.experiments.run.options import CorpusOptions
from tartib.experiments.run.stages import TextFile
from tartib.experiments.run.workspace import Workspace
from tartib.experiments.translation.plan import ModelPlan
from tartib.experiments.translation.stages import Assembly, Search, Sparse, Tuned
from tartib.experiments.translation.systems import SystemParts

# The steps of a build, as people see them.
STEPS = (
    "prepare",
    "align",
    "extract",
    "phrase table",
    "language model",
    "reordering models",
    "choose",
    "tune",
    "test",
    "package",
)


_TITLES = {"phrase pairs": "extract"}
_SPARSE_WORDS = 200


def step_of(title: str) -> str:
    """Return the step that a stage with this title belongs to."""
    name = title.partition(":")[0]
    name = _TITLES.get(name, name)
    return name if name in STEPS else "reordering models"


class LearningOptions(CorpusOptions):
    """The prepared training text, for the experiments' stages."""

    source: Path
    target: Path

    @property
    def text(self) -> dict[str, Path]:
        """The files."""
        return {"source": self.source, "target": self.target}


@dataclass(frozen=True)
class BuildPlan(ModelPlan):
    """The stages from extraction on."""

    asked: BuildOptions
    prepared: Prepared
    folder: Path  # of the prepared text
    judging: Judging

    @classmethod
    def of(
        cls, asked: BuildOptions, prepared: Prepared, aligned: Aligned, workspace: Workspace
    ) -> BuildPlan:
        """Make the plan from what the first two stages left; their files are read for hashes."""
        folder = prepared.folder(workspace)
        check_links(aligned.folder(workspace))
        pairs = workspace.require(prepared.key)["train"]["pairs"]
        options = LearningOptions(
            source=folder / "train.source",
            target=folder / "train.target",
            alignment=aligned.folder(workspace) / "links",
            max_sentence_length=asked.prepare.max_tokens,
            max_phrase_length=asked.extract.length_for(pairs),
            cutoff=asked.reordering.cutoff,
            tune=asked.reordering.tune,
            tune_pairs=asked.reordering.tune_pairs,
            seed=asked.seed,
            jobs=asked.jobs,
        )
        judging = Judging(
            tuple(map(TextFile.of, sorted((folder / "text").glob("[st]*.*")))),
            asked.score.tokenize or usual_tokenisation(prepared.codes[1]),
            asked.score.samples,
            asked.seed,
        )
        return cls(options, Corpus.of(options), asked, prepared, folder, judging)

    @property
    def orientation(self) -> str:
        """Of all reordering models."""
        return self.asked.reordering.orientation

    @property
    def direction(self) -> str:
        """Of all reordering models."""
        return self.asked.reordering.direction

    @property
    def learn_from(self) -> str:
        """What all reordering models learn from."""
        return self.asked.reordering.learn_from

    @property
    def dev_share(self) -> float:
        """Share of the training sentences that calibrations are fitted on."""
        return self.asked.reordering.dev_share

    @property
    def systems(self) -> dict[str, SystemParts]:
        """The systems that are compared, and the one that limits are compared with."""
        return {name: SystemParts.parse(name) for name in self.asked.choose.systems}

    @property
    def table(self) -> PrunedTable:
        """The phrase table."""
        return PrunedTable(self.corpus, **self.asked.phrase_table.model_dump())

    @property
    def lm(self) -> TargetLm:
        """The language model."""
        more = self.folder / "lm.target"
        text = more if more.is_file() else self.folder / "train.target"
        return TargetLm(TextFile.of(text), self.asked.lm.order, self.asked.lm.prune)

    def assembly(self, name: str) -> Assembly:
        """Return what a system is made of."""
        parts = self.systems[name]
        sparse = Sparse(_SPARSE_WORDS, self.orientation, ("phrase",)) if parts.sparse else None
        return Assembly(self.table, self.lm, self.used(parts), sparse)

    def portion(self, name: str, **which: Any) -> Portion:  # noqa: ANN401
        """Return sentences of the development or test set."""
        raw = self.folder / "raw"
        targets = [path.name for path in sorted(self.folder.glob(f"{name}.target*"))]
        return Portion(
            TextFile.of(self.folder / f"{name}.source"),
            tuple(TextFile.of(self.folder / target) for target in targets),
            TextFile.of(raw / f"{name}.source"),
            tuple(TextFile.of(raw / target) for target in targets),
            **which,
        )

    def tuning_search(self, limit: int) -> Search:
        """Return the options of the search while tuning and choosing."""
        asked = self.asked
        return Search(asked.tune.stack_size, limit, asked.tune.cube_pops, asked.search.table_limit)

    def search(self, limit: int) -> Search:
        """Return the options of the finished system's search."""
        asked = self.asked.search
        return Search(asked.stack_size, limit, asked.cube_pops, asked.table_limit)

    def short_tuning(self, system: str, limit: int, start: Tuned | None = None) -> Tuned:
        """Return the tuning of a candidate, on the first half."""
        choose = self.asked.choose
        half = self.portion("dev", first=0, step=2, count=-(-choose.sentences // 2))
        name = f"choose: {self.systems[system].title}, limit {limit}"
        return self._tuned(name, system, limit, half, choose.iterations, self.asked.seed, start)

    def trial(self, system: str, tuned: Tuned, limit: int) -> Scored:
        """Return the test of a candidate, on the second half."""
        half = self.portion("dev", first=1, step=2, count=self.asked.choose.sentences // 2)
        name = f"choose: {self.systems[system].title}, limit {limit}, compared"
        search = self.tuning_search(limit)
        return Scored(name, self.assembly(system), (tuned,), search, half, self.judging)

    def tunings(self, choice: Choice) -> tuple[Tuned, ...]:
        """Return the tuning runs of the system that was chosen."""
        tune, title = self.asked.tune, self.systems[choice.system].title
        text = self.portion("dev", count=tune.sentences)
        return tuple(
            self._tuned(
                f"tune: {title}, run {run + 1}" if tune.runs > 1 else f"tune: {title}",
                choice.system,
                choice.limit,
                text,
                tune.iterations,
                self.asked.seed + run,
                choice.start,
            )
            for run in range(tune.runs)
        )

    def final(self, name: str, choice: Choice) -> Scored:
        """Return the test of the chosen system, on a whole set."""
        tuned, assembly = self.tunings(choice), self.assembly(choice.system)
        search, text = self.search(choice.limit), self.portion(name)
        return Scored(f"test: {name}", assembly, tuned, search, text, self.judging)

    def _tuned(
        self,
        name: str,
        system: str,
        limit: int,
        text: Portion,
        iterations: int,
        seed: int,
        start: Tuned | None,
    ) -> Tuned:
        tune = self.asked.tune
        parts = (
            name,
            self.assembly(system),
            text,
            self.tuning_search(limit),
            tune.tuner,
            iterations,
            tune.nbest_size,
            0.0,  # all sentences are learnt from
            seed,
        )
        return Tuned(*parts) if start is None else TunedFrom(*parts, start)
