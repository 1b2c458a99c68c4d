"""What a translation experiment is asked to do."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import Field, field_validator, model_validator

from tartib.experiments.run.options import CorpusOptions, Names, Share, listed, option_name
from tartib.experiments.translation.systems import (
    BASELINE,
    PAPER_SYSTEMS,
    SystemParts,
    listed_systems,
)
from tartib.experiments.translation.test_sets import (
    OF_TESTS,
    UNNAMED,
    TestFiles,
    with_test_sets,
)
from tartib.orientation import OrientationModel

Count = Annotated[int, Field(ge=1, lt=1 << 31)]
Size = Annotated[int, Field(ge=0, lt=1 << 31)]
Kinds = Annotated[tuple[Literal["phrase", "stack", "between"], ...], Field(min_length=1)]


class TranslationOptions(CorpusOptions):
    """Options of `run_translation`; those of `CorpusOptions` are not listed again.

    Parameters
    ----------
    train
        The two sides of the training text.
    dev, dev_reference
        The development set, on which weights are tuned: source and one or more references.
    test, test_reference
        The test set, on which systems are compared. Or several: ``test`` is then a mapping from
        names to `TestFiles`, of which the first is the main one, and there is no
        ``test_reference``.
    systems
        Names such as ``svm:S6+sparse``; the baseline is added if it is not named.
    baseline
        The system that all others are compared with.
    primary
        The system whose BLEU on the first test set is compared with the baseline's by itself; all
        other p-values are adjusted for the number of comparisons.
    orientation, direction
        Of all reordering models; ``bidirectional`` is one model for each direction.
    learn_from
        What all reordering models learn from: ``pairs``, all phrase pairs, or ``derivations``; see
        `sample_derivations`.
    dev_share
        Share of the training sentences on which hyper-parameters and calibrations are fitted.
    lm_order
        Length of the language model's longest n-grams.
    sparse_words
        Sparse features are made of this many most frequent words of each language.
    sparse_features
        Which words they look at: ``phrase``, ``stack``, ``between``.
    tuner, runs, iterations, nbest_size
        How weights are tuned, how often, in how many iterations and with how long n-best lists.
        The runs have the seeds ``seed``, ``seed + 1`` and so on.
    distortion_limit, table_limit, cube_pops, stack_size
        Of the search; ``cube_pops`` 0 is stack decoding.
    tuning_cube_pops, tuning_stack_size
        The same while tuning; None means as in the test.
    validation_share
        Share of the development sentences that nothing is learnt from: the iteration whose weights
        are best on them is taken. 0 learns from and chooses on all of them.
    mean_weights
        Test each system also once with the mean of the weights that its runs found.
    budget
        A system whose BLEU on the development set is this far below the best after the first run is
        not tuned again; None tunes all of them in all runs. The baseline and the primary system are
        tuned in any case.
    word_order
        Score the word order, by an alignment of the test set with its first reference.
    reference_alignment
        That alignment; None for an automatic one. Of several test sets see `TestFiles`.
    oracle
        Length of n-best lists of the baseline from which translations are chosen by the references,
        to see how much better decisions on order could bring (`oracle`); 0: not done.
    examples
        How many sentences the report draws.
    """

    train: tuple[Path, Path]
    dev: Path
    dev_reference: Annotated[tuple[Path, ...], Field(min_length=1)]
    test: Path | dict[str, TestFiles]
    test_reference: tuple[Path, ...] = ()
    systems: Names = PAPER_SYSTEMS
    baseline: str = BASELINE
    primary: str | None = None
    orientation: str = "hier-msd"
    direction: Literal["backward", "forward", "bidirectional"] = "backward"
    learn_from: Literal["pairs", "derivations"] = "pairs"
    dev_share: Share = 0.02
    lm_order: Annotated[int, Field(ge=1, le=6)] = 5
    sparse_words: Count = 200
    sparse_features: Kinds = ("phrase",)
    tuner: Literal["mira", "pro", "mert"] = "mira"
    runs: Count = 3
    iterations: Count = 15
    nbest_size: Count = 100
    distortion_limit: Annotated[int, Field(ge=-1, lt=1 << 31)] = 6
    table_limit: Size = 20
    cube_pops: Size = 1000
    stack_size: Size = 200
    tuning_cube_pops: Size | None = None
    tuning_stack_size: Size | None = None
    validation_share: Annotated[float, Field(ge=0, lt=1)] = 0.0
    mean_weights: bool = False
    budget: Annotated[float, Field(ge=0, allow_inf_nan=False)] | None = None
    word_order: bool = True
    reference_alignment: Path | None = None
    oracle: Size = 0
    examples: Annotated[int, Field(ge=0)] = 6

    @property
    def text(self) -> dict[str, Path]:
        """The files of the training text."""
        source, target = self.train
        return {"source": source, "target": target}

    @property
    def files(self) -> dict[str, Path]:
        """All files that are read, by name."""
        dev = {f"dev reference {n}": path for n, path in enumerate(self.dev_reference)}
        tests = {
            f"{name} {what}": path
            for name, test in self.tests.items()
            for what, path in test.files.items()
        }
        return {**super().files, "dev": self.dev, **dev, **tests}

    @property
    def tests(self) -> dict[str, TestFiles]:
        """The test sets by name; one that was given without a name is called ``test``."""
        if isinstance(self.test, dict):
            return self.test
        test = TestFiles.model_construct(  # checked already
            source=self.test, reference=self.test_reference, alignment=self.reference_alignment
        )
        return {UNNAMED: test}

    @model_validator(mode="before")
    @classmethod
    def _named_tests(cls, given: Any) -> Any:  # noqa: ANN401
        """Read ``NAME=FILE``, as the command line has several test sets."""
        if isinstance(given, dict) and isinstance(given.get("test"), list | tuple):
            return with_test_sets(given)
        return given

    @field_validator("train", "dev_reference", "test_reference", "sparse_features", mode="before")
    @classmethod
    def _list(cls, given: object) -> object:
        return listed(given)

    @field_validator("systems", mode="before")
    @classmethod
    def _list_of_systems(cls, given: object) -> object:
        return listed(listed_systems(given) if isinstance(given, str) else given)

    @field_validator("reference_alignment", mode="before")
    @classmethod
    def _one(cls, given: object) -> object:
        """Take the only one of a list, as the command line has it."""
        return given[0] if isinstance(given, list | tuple) and len(given) == 1 else given

    @field_validator("orientation")
    @classmethod
    def _orientation(cls, name: str) -> str:
        return str(OrientationModel.parse(name))

    @field_validator("systems")
    @classmethod
    def _systems(cls, names: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(dict.fromkeys(SystemParts.parse(name).name for name in names))

    @field_validator("baseline", "primary")
    @classmethod
    def _system(cls, name: str | None) -> str | None:
        return None if name is None else SystemParts.parse(name).name

    @model_validator(mode="after")
    def _with_baseline(self) -> Self:
        found = self.systems
        if self.baseline not in found:
            # It gets its place in the papers' tables.
            first = 1 if found[0] == "none" else 0
            found = (*found[:first], self.baseline, *found[first:])
            object.__setattr__(self, "systems", found)  # the model is frozen
        if self.mean_weights:
            plain = [SystemParts.parse(name) for name in found]
            both = ((parts, replace(parts, mean_weights=True)) for parts in plain)
            found = tuple(dict.fromkeys(one.name for pair in both for one in pair))
            object.__setattr__(self, "systems", found)
        if self.runs == 1 and any(SystemParts.parse(name).mean_weights for name in found):
            raise ValueError("mean-weights needs several runs: it is their mean")
        if self.primary == self.baseline:
            raise ValueError(f"the primary system {self.primary!r} is the baseline: name another")
        if self.primary is not None and self.primary not in found:
            raise ValueError(f"the primary system {self.primary!r} is not one of the systems")
        return self

    @model_validator(mode="after")
    def _referenced(self) -> Self:
        if isinstance(self.test, dict):
            given = [name for name in OF_TESTS[1:] if getattr(self, name)]
            if given:
                raise ValueError(
                    f"{option_name(given[0])} belongs to one test set: with several, give each of "
                    "them its own reference and alignment"
                )
            if not self.test:
                raise ValueError("give at least one test set")
            for name in self.test:
                if not re.fullmatch(r"[\w.-]+", name):
                    raise ValueError(f"the name {name!r} of a test set is not one word")
        elif not self.test_reference:
            raise ValueError("give the test set a reference translation (test-reference)")
        return self

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if self.oracle and not self.word_order:
            raise ValueError("oracle needs the word order of the reference: leave it switched on")
        return self

    @model_validator(mode="after")
    def _aligned(self) -> Self:
        if self.alignment is None:
            raise ValueError("give an alignment; `tartib align` makes one")
        return self

    @model_validator(mode="after")
    def _tunable(self) -> Self:
        sparse = [name for name in self.systems if SystemParts.parse(name).sparse]
        if self.tuner == "mert" and sparse:
            raise ValueError(f"MERT cannot tune sparse features, and {sparse[0]!r} has some")
        return self
