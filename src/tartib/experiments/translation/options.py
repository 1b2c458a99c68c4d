"""What a translation experiment is asked to do."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import Field, field_validator, model_validator

from tartib.experiments.run.options import CorpusOptions, Names, Share, listed
from tartib.experiments.translation.systems import BASELINE, PAPER_SYSTEMS, SystemParts
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
        The test set, on which systems are compared.
    systems
        Names such as ``svm:S6+sparse``; the lexicalised baseline is added if it is not named.
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
    word_order
        Score the word order, by an alignment of the test set with its first reference.
    reference_alignment
        That alignment; None for an automatic one.
    examples
        How many sentences the report draws.
    """

    train: tuple[Path, Path]
    dev: Path
    dev_reference: Annotated[tuple[Path, ...], Field(min_length=1)]
    test: Path
    test_reference: Annotated[tuple[Path, ...], Field(min_length=1)]
    systems: Names = PAPER_SYSTEMS
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
    word_order: bool = True
    reference_alignment: Path | None = None
    examples: Annotated[int, Field(ge=0)] = 6

    @property
    def text(self) -> dict[str, Path]:
        """The files of the training text."""
        source, target = self.train
        return {"source": source, "target": target}

    @property
    def files(self) -> dict[str, Path]:
        """All files that are read, by name."""
        references = {f"test reference {n}": path for n, path in enumerate(self.test_reference)}
        dev = {f"dev reference {n}": path for n, path in enumerate(self.dev_reference)}
        found = {**super().files, "dev": self.dev, **dev, "test": self.test, **references}
        given = self.reference_alignment
        return found if given is None else {**found, "reference alignment": given}

    @field_validator(
        "train", "dev_reference", "test_reference", "systems", "sparse_features", mode="before"
    )
    @classmethod
    def _list(cls, given: object) -> object:
        return listed(given)

    @field_validator("orientation")
    @classmethod
    def _orientation(cls, name: str) -> str:
        return str(OrientationModel.parse(name))

    @field_validator("systems")
    @classmethod
    def _systems(cls, names: tuple[str, ...]) -> tuple[str, ...]:
        found = tuple(dict.fromkeys(SystemParts.parse(name).name for name in names))
        # If it was not named, it gets its place in the papers' tables.
        first = 1 if found[0] == "none" else 0
        return found if BASELINE in found else (*found[:first], BASELINE, *found[first:])

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
