"""Which stages a translation experiment is made of."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tartib.experiments.run.classifiers import Fit, Lexicalised
from tartib.experiments.run.corpus import Corpus, Division, Target
from tartib.experiments.run.plan import ClassifierPlan, Group, group_fits
from tartib.experiments.run.stages import Stage, file_digest
from tartib.experiments.translation import decoding
from tartib.experiments.translation import models as building
from tartib.experiments.translation.comparison import Compared, compare_systems
from tartib.experiments.translation.decoding import (
    Assembly,
    Decoded,
    Model,
    Search,
    Sparse,
    Tuned,
    digests,
)
from tartib.experiments.translation.models import Lm, Table
from tartib.experiments.translation.options import TranslationOptions
from tartib.experiments.translation.systems import ModelPart, SystemParts
from tartib.experiments.translation.word_order import (
    AlignedTest,
    GivenAlignment,
    align_test,
    read_alignment,
)
from tartib.orientation import MODEL_DIRECTIONS


@dataclass(frozen=True)
class Step:
    """A stage with what runs it.

    Attributes
    ----------
    what
        In words, for whoever waits.
    spec
        The stage.
    run
        Does the work, given the experiment's folder, the stage and the options.
    """

    what: str
    spec: Stage
    run: Callable[..., None]


@dataclass(frozen=True)
class TranslationPlan(ClassifierPlan):
    """All stages of a translation experiment."""

    options: TranslationOptions
    dev_text: tuple[str, ...]
    test_text: tuple[str, ...]
    reference_alignment: str | None = None

    @classmethod
    def of(cls, options: TranslationOptions) -> TranslationPlan:
        """Look at all files."""
        dev = digests((options.dev, *options.dev_reference))
        test = digests((options.test, *options.test_reference))
        given = options.reference_alignment
        alignment = None if given is None else file_digest(given)
        return cls(options, Corpus.of(options), dev, test, alignment)

    @property
    def targets(self) -> tuple[Target, ...]:
        """What is classified."""
        both = self.options.direction == "bidirectional"
        directions = MODEL_DIRECTIONS if both else (self.options.direction,)
        return tuple(Target(self.options.orientation, direction) for direction in directions)

    def division(self, fold: int) -> Division:
        """Keep as much as possible to learn from: systems are tested on another text."""
        options = self.options
        return Division(
            self.corpus, 0.0, options.dev_share, 1, fold, options.seed, options.tune_pairs
        )

    @property
    def systems(self) -> dict[str, SystemParts]:
        """The systems by name."""
        return {name: SystemParts.parse(name) for name in self.options.systems}

    @property
    def parts(self) -> tuple[ModelPart, ...]:
        """The reordering models of all systems."""
        found = (part for parts in self.systems.values() for part in parts.models)
        return tuple(dict.fromkeys(found))

    def models(self, part: ModelPart) -> tuple[Model, ...]:
        """Return the trainings of a reordering model, one for each direction."""
        if not part.features:
            return tuple(self.lexicalised(target) for target in self.targets)
        return tuple(self.fit(part.classifier, part.features, target) for target in self.targets)

    def lexicalised_models(self) -> list[Lexicalised]:
        """Return the lexicalised models."""
        found = (model for part in self.parts for model in self.models(part))
        return [model for model in found if isinstance(model, Lexicalised)]

    def groups(self) -> list[Group]:
        """Return the classifiers by the rows that they need."""
        found = (model for part in self.parts for model in self.models(part))
        return group_fits(model for model in found if isinstance(model, Fit))

    @property
    def phrases(self) -> Step:
        """Extraction."""
        return Step("phrase pairs", self.corpus, building.extract)

    @property
    def table(self) -> Step:
        """The phrase table."""
        return Step("phrase table", Table(self.corpus), building.build_table)

    @property
    def lm(self) -> Step:
        """The language model."""
        spec = Lm(self.corpus, self.options.lm_order)
        return Step("language model", spec, building.estimate_lm)

    @property
    def aligned(self) -> AlignedTest | GivenAlignment | None:
        """The alignment of the test text, if word order is to be scored."""
        if not self.options.word_order:
            return None
        if self.reference_alignment is not None:
            return GivenAlignment(self.test_text[0], self.reference_alignment)
        return AlignedTest(self.corpus, self.test_text[:2], self.options.seed)

    @property
    def scoring(self) -> list[Step]:
        """What is done when all systems have been tested."""
        if self.aligned is None:
            return [self.compared]
        run = read_alignment if isinstance(self.aligned, GivenAlignment) else align_test
        return [Step("alignment of the test text", self.aligned, run), self.compared]

    @property
    def shared(self) -> list[Step]:
        """What all systems have."""
        return [self.table, self.lm]

    def assembly(self, name: str) -> Assembly:
        """Return what a system is made of."""
        parts = self.systems[name]
        options = self.options
        sparse = Sparse(options.sparse_words, options.orientation, options.sparse_features)
        return Assembly(
            Table(self.corpus),
            Lm(self.corpus, options.lm_order),
            tuple(model for part in parts.models for model in self.models(part)),
            sparse if parts.sparse else None,
        )

    def tuned(self, name: str, run: int) -> Tuned:
        """Return the tuning of a system."""
        options = self.options
        return Tuned(
            self.assembly(name),
            self.dev_text,
            self._search(tuning=True),
            options.tuner,
            options.iterations,
            options.nbest_size,
            options.seed + run,
        )

    def decoded(self, name: str, run: int) -> Decoded:
        """Return the translation of the test text."""
        return Decoded(self.tuned(name, run), self.test_text[0], self._search(tuning=False))

    def steps(self, name: str, run: int) -> list[Step]:
        """Return what is done with a system in one run."""
        title = f"{self.systems[name].title}, run {run + 1}"
        return [
            Step(f"{title}: tuning", self.tuned(name, run), decoding.tune_system),
            Step(f"{title}: test", self.decoded(name, run), decoding.decode),
        ]

    @property
    def compared(self) -> Step:
        """The comparison of all systems."""
        options = self.options
        runs = range(options.runs)
        spec = Compared(
            tuple((name, tuple(self.decoded(name, run) for run in runs)) for name in self.systems),
            self.test_text[1:],
            self.aligned,
            options.samples,
            options.seed,
        )
        return Step("comparison", spec, compare_systems)

    def _search(self, *, tuning: bool) -> Search:
        options = self.options
        values: dict[str, Any] = {
            name: getattr(options, name)
            for name in ("stack_size", "distortion_limit", "cube_pops", "table_limit")
        }
        if tuning and options.tuning_cube_pops is not None:
            values["cube_pops"] = options.tuning_cube_pops
        if tuning and options.tuning_stack_size is not None:
            values["stack_size"] = options.tuning_stack_size
        return Search(**values)
