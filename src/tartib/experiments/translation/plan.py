"""The stages of a translation experiment, in the order in which they are run."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, replace
from typing import Any

from tartib.alignment import DEFAULT_ALIGNER
from tartib.experiments.run.classifiers import Fit, Lexicalised, Model
from tartib.experiments.run.corpus import Corpus, Division, Target
from tartib.experiments.run.options import feature_set_name
from tartib.experiments.run.plan import ClassifierPlan, Group, group_fits
from tartib.experiments.run.stages import Stage, TextFile
from tartib.experiments.translation.comparison import Compared
from tartib.experiments.translation.options import TranslationOptions
from tartib.experiments.translation.oracle import Oracle
from tartib.experiments.translation.stages import (
    Assembly,
    Decoded,
    Lm,
    MeanWeights,
    Search,
    Sparse,
    Table,
    Text,
    Tuned,
    UsedModel,
)
from tartib.experiments.translation.systems import ModelPart, SystemParts
from tartib.experiments.translation.test_sets import TestFiles
from tartib.experiments.translation.word_order import AlignedTest, GivenAlignment
from tartib.orientation import MODEL_DIRECTIONS


@dataclass(frozen=True)
class ModelPlan(ClassifierPlan):
    """The stages that train the reordering models of translation systems."""

    @property
    @abstractmethod
    def systems(self) -> dict[str, SystemParts]:
        """The systems by name."""

    @property
    @abstractmethod
    def orientation(self) -> str:
        """Of all reordering models."""

    @property
    @abstractmethod
    def direction(self) -> str:
        """Of all reordering models: one of two, or ``bidirectional``."""

    @property
    @abstractmethod
    def learn_from(self) -> str:
        """What all reordering models learn from: ``pairs`` or ``derivations``."""

    @property
    @abstractmethod
    def dev_share(self) -> float:
        """Share of the training sentences that calibrations are fitted on."""

    @property
    def targets(self) -> tuple[Target, ...]:
        """All orientations and directions that are learnt, for any system."""
        found = (target for parts in self.systems.values() for target in self.targets_of(parts))
        return tuple(dict.fromkeys(found))

    def targets_of(self, parts: SystemParts) -> tuple[Target, ...]:
        """Return what the models of a system learn, one target for each direction."""
        direction = parts.direction or self.direction
        directions = MODEL_DIRECTIONS if direction == "bidirectional" else (direction,)
        orientation = parts.orientation or self.orientation
        return tuple(Target(orientation, direction) for direction in directions)

    def division(self, fold: int) -> Division:
        """How the sentences are divided: none is held out, as the test set is another text."""
        options = self.options
        return Division(
            self.corpus,
            0.0,
            self.dev_share,
            1,
            fold,
            options.seed,
            options.tune_pairs,
            self.learn_from,
        )

    @property
    def trained(self) -> dict[Model, tuple[ModelPart, SystemParts]]:
        """The stages that train the reordering models, with a system that has each."""
        found: dict[Model, tuple[ModelPart, SystemParts]] = {}
        for parts in self.systems.values():
            for part in parts.models:
                for target in self.targets_of(parts):
                    found.setdefault(self.model(part, target), (part, parts))
        return found

    def model(self, part: ModelPart, target: Target) -> Model:
        """Return the stage that trains a reordering model in one direction."""
        options = dict(part.options)
        learn_from = part.learn_from
        if not part.features:
            smoothing = options.get("smoothing")
            return self.lexicalised(target, smoothing=smoothing, learn_from=learn_from)
        # The experiment's options may add to the feature set's name.
        features = feature_set_name(part.features, self.options.model_dump())
        return self.fit(
            part.classifier,
            features,
            target,
            calibrate=part.calibrate,
            learn_from=learn_from,
            **options,
        )

    def used(self, parts: SystemParts) -> tuple[UsedModel, ...]:
        """Return the reordering models of a system."""
        return tuple(
            UsedModel(self.model(part, target), part.unknown_words)
            for part in parts.models
            for target in self.targets_of(parts)
        )

    @property
    def lexicalised_models(self) -> list[Lexicalised]:
        """The lexicalised models; none if no system has one."""
        return [model for model in self.trained if isinstance(model, Lexicalised)]

    def groups(self) -> list[Group]:
        """Return the classifiers by the rows that they need."""
        return group_fits(model for model in self.trained if isinstance(model, Fit))


@dataclass(frozen=True)
class Tested:
    """A test set: the text, and the alignment with its first reference if one was given."""

    name: str
    text: Text
    alignment: TextFile | None

    @classmethod
    def of(cls, name: str, files: TestFiles) -> Tested:
        """Hash the content of the files; the name is for people, empty for the only one."""
        given = files.alignment
        text = Text.of(files.source, files.reference)
        return cls(name, text, None if given is None else TextFile.of(given))

    @property
    def files(self) -> tuple[TextFile, ...]:
        """Source and references."""
        return (self.text.source, *self.text.references)

    @property
    def given_alignment(self) -> GivenAlignment | None:
        """The stage that reads the alignment that was given, if any."""
        if self.alignment is None:
            return None
        return GivenAlignment(self.name, self.text.source, self.text.references[0], self.alignment)


@dataclass(frozen=True)
class TranslationPlan(ModelPlan):
    """All stages of a translation experiment.

    ``given_up`` are the systems that are not tuned again after their first run.
    """

    options: TranslationOptions
    dev: Text
    tests: dict[str, Tested]
    given_up: frozenset[str] = frozenset()

    @classmethod
    def of(cls, options: TranslationOptions) -> TranslationPlan:
        """Make the plan; all files are read for their hashes."""
        return cls(
            options,
            Corpus.of(options),
            Text.of(options.dev, options.dev_reference),
            {
                name: Tested.of("" if len(options.tests) == 1 else name, files)
                for name, files in options.tests.items()
            },
        )

    @property
    def orientation(self) -> str:
        """Of all reordering models."""
        return self.options.orientation

    @property
    def direction(self) -> str:
        """Of all reordering models."""
        return self.options.direction

    @property
    def learn_from(self) -> str:
        """What all reordering models learn from."""
        return self.options.learn_from

    @property
    def dev_share(self) -> float:
        """Share of the training sentences that hyper-parameters are chosen on."""
        return self.options.dev_share

    @property
    def systems(self) -> dict[str, SystemParts]:
        """The systems by name."""
        return {name: SystemParts.parse(name) for name in self.options.systems}

    @property
    def shared(self) -> tuple[Table, Lm]:
        """The phrase table and the language model, which all systems have."""
        return Table(self.corpus), Lm(self.corpus, self.options.lm_order)

    def aligned(self, test: str) -> AlignedTest | GivenAlignment | None:
        """Return the alignment of a test set, if word order is to be scored."""
        if not self.options.word_order:
            return None
        tested = self.tests[test]
        source, first = tested.text.source, tested.text.references[0]
        automatic = AlignedTest(tested.name, self.corpus, source, first, DEFAULT_ALIGNER)
        return tested.given_alignment or automatic

    @property
    def building(self) -> list[Stage]:
        """The stages that make what systems are loaded from."""
        trained = (stage for group in self.groups() for stage in group.stages)
        return [self.corpus, *self.shared, *self.lexicalised_models, *trained]

    @property
    def testing(self) -> list[Stage]:
        """The stages that tune and test each system."""
        found: list[Stage] = []
        for name in self.systems:
            for run in self.runs(name):
                # A mean needs the runs of a system that may come later, or not be tested itself.
                tuned = self.tuned(name, run)
                found += [*(tuned.runs if isinstance(tuned, MeanWeights) else ()), tuned]
                found += [self.decoded(name, run, test) for test in self.tests]
        return list(dict.fromkeys(found))

    @property
    def scoring(self) -> list[Stage]:
        """The stages that come when all systems have been tested."""
        stages = (
            stage for test in self.tests for stage in (self.aligned(test), self.compared(test))
        )
        last = [] if self.oracle is None else [self.oracle]
        return [*(stage for stage in stages if stage is not None), *last]

    @property
    def stages(self) -> list[Stage]:
        """All stages in the order in which they are run."""
        return [*self.building, *self.testing, *self.scoring]

    def assembly(self, name: str) -> Assembly:
        """Return what a system is made of."""
        parts = self.systems[name]
        options = self.options
        orientation = parts.orientation or options.orientation
        sparse = Sparse(options.sparse_words, orientation, options.sparse_features)
        return Assembly(*self.shared, self.used(parts), sparse if parts.sparse else None)

    def runs(self, name: str) -> range:
        """Return the numbers of the runs of a system."""
        once = self.systems[name].mean_weights or name in self.given_up
        return range(1 if once else self.options.runs)

    def tuned(self, name: str, run: int) -> Tuned | MeanWeights:
        """Return the tuning of a system, or the mean of its runs."""
        parts = self.systems[name]
        if not parts.mean_weights:
            return self._tuning(name, run)
        several = range(1 if name in self.given_up else self.options.runs)
        return MeanWeights(tuple(self._tuning(name, number) for number in several))

    def first_tuning(self, name: str) -> Tuned:
        """Return the first tuning of a system, which `given_up` depends on."""
        return self._tuning(name, 0)

    def _tuning(self, name: str, run: int) -> Tuned:
        options, parts = self.options, replace(self.systems[name], mean_weights=False)
        return Tuned(
            f"{parts.title}, run {run + 1}",
            self.assembly(name),
            self.dev,
            self._search(name, tuning=True),
            options.tuner,
            options.iterations,
            options.nbest_size,
            options.validation_share,
            options.seed + run,
        )

    def decoded(self, name: str, run: int, test: str) -> Decoded:
        """Return the translation of a test set."""
        tested, search = self.tests[test], self._search(name, tuning=False)
        return Decoded(tested.name, self.tuned(name, run), tested.text.source, search)

    @property
    def oracle(self) -> Oracle | None:
        """The bounds for the first run of the baseline, on the first test set, if asked for."""
        first = next(iter(self.tests))
        aligned = self.aligned(first)
        if not self.options.oracle or aligned is None:
            return None
        decoded = self.decoded(self.options.baseline, 0, first)
        return Oracle(decoded, self.tests[first].text, aligned, self.options.oracle)

    def compared(self, test: str) -> Compared:
        """Return the comparison of all systems on a test set."""
        options = self.options
        return Compared(
            self.tests[test].name,
            tuple(
                (name, tuple(self.decoded(name, run, test) for run in self.runs(name)))
                for name in self.systems
            ),
            options.baseline,
            self.tests[test].text,
            self.aligned(test),
            options.samples,
            options.seed,
        )

    def _search(self, name: str, *, tuning: bool) -> Search:
        options = self.options
        values: dict[str, Any] = {
            name: getattr(options, name)
            for name in ("stack_size", "distortion_limit", "cube_pops", "table_limit")
        }
        limit = self.systems[name].limit
        if limit is not None:
            values["distortion_limit"] = limit
        if tuning and options.tuning_cube_pops is not None:
            values["cube_pops"] = options.tuning_cube_pops
        if tuning and options.tuning_stack_size is not None:
            values["stack_size"] = options.tuning_stack_size
        return Search(**values)
