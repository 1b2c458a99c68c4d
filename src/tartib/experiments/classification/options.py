"""What a classification experiment is asked to do."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import Field, ValidationInfo, field_validator, model_validator

from tartib.experiments.run.options import CorpusOptions, Names, Share, feature_set_name, listed
from tartib.orientation import OrientationModel
from tartib.reordering import KINDS

FEATURE_SETS = tuple(f"S{number}" for number in range(1, 16))
_LISTS = (
    "orientations",
    "features",
    "classifiers",
    "regression_epsilons",
    "scaling_classifiers",
    "scaling_shares",
)


class ClassificationOptions(CorpusOptions):
    """Options of `run_classification`; those of `CorpusOptions` are not listed again.

    Parameters
    ----------
    source, target, bitext
        The parallel text: two files, or one that holds both sides.
    orientations
        What the classes are; each one gets all tables and figures.
    direction
        ``backward``: to the previous phrase; ``forward``: to the next one.
    features
        Feature sets of Tables 5 and 6.
    classifiers
        Classifiers of Tables 5 and 6, by their names in `KINDS`; all are compared with the
        lexicalised model.
    held_out
        Share of the sentences to test on; not used with folds.
    dev_share
        Share of the other sentences on which hyper-parameters and calibrations are fitted.
    folds
        Cross-validation with this many folds; 1 is a single split.
    regression_features, regression_epsilons, primal_epochs
        The MLR paper's Table 2 and both papers' Figure 1; left out without
        ``regression_epsilons``.
    scaling_features, scaling_classifiers, scaling_shares
        Figure 2; left out if ``scaling_shares`` is empty.
    examples
        How many phrase pairs of each class the report shows.
    beside_paper
        Show the papers' figures beside ours.
    """

    source: Path | None = None
    target: Path | None = None
    bitext: Path | None = None
    orientations: Names = ("word-msd", "hier-msd")
    direction: Literal["backward", "forward"] = "backward"
    features: Names = FEATURE_SETS
    classifiers: Names = ("maxent", "svm")
    held_out: Share = 0.1
    dev_share: Share = 0.05
    folds: Annotated[int, Field(ge=1)] = 1
    regression_features: str = "S7"
    regression_epsilons: tuple[Annotated[float, Field(gt=0)], ...] = (1.0, 0.1, 0.01)
    primal_epochs: Annotated[int, Field(ge=1)] = 100
    scaling_features: str = "S6"
    scaling_classifiers: tuple[str, ...] = ("svm", "mlr", "maxent")
    scaling_shares: tuple[Annotated[float, Field(gt=0, le=1)], ...] = (0.125, 0.25, 0.5, 1.0)
    examples: Annotated[int, Field(ge=0)] = 3
    beside_paper: bool = False

    @property
    def text(self) -> dict[str, Path]:
        """The files of the training text."""
        paths = {"source": self.source, "target": self.target, "bitext": self.bitext}
        return {name: path for name, path in paths.items() if path is not None}

    @field_validator(*_LISTS, mode="before")
    @classmethod
    def _list(cls, given: object) -> object:
        return listed(given)

    @field_validator("orientations")
    @classmethod
    def _orientations(cls, names: tuple[str, ...]) -> tuple[str, ...]:
        return _distinct(str(OrientationModel.parse(name)) for name in names)

    @field_validator("features")
    @classmethod
    def _features(cls, names: tuple[str, ...], info: ValidationInfo) -> tuple[str, ...]:
        return _distinct(feature_set_name(name, info.data) for name in names)

    @field_validator("regression_features", "scaling_features")
    @classmethod
    def _feature(cls, name: str, info: ValidationInfo) -> str:
        return feature_set_name(name, info.data)

    @field_validator("classifiers", "scaling_classifiers")
    @classmethod
    def _classifiers(cls, names: tuple[str, ...]) -> tuple[str, ...]:
        for name in names:
            if name not in KINDS:
                raise ValueError(f"unknown classifier {name!r}: it is one of {', '.join(KINDS)}")
        # The lexicalised model is trained anyway, so naming it changes nothing.
        return _distinct(name for name in names if name != "lexicalised")

    @model_validator(mode="after")
    def _text(self) -> Self:
        two = self.source is not None and self.target is not None and self.bitext is None
        one = self.bitext is not None and self.source is None and self.target is None
        if not (two or one):
            raise ValueError("give source and target, or bitext")
        if self.alignment is None and not one:
            raise ValueError("give an alignment; `tartib align` makes one")
        return self


def _distinct(names: Any) -> tuple[str, ...]:  # noqa: ANN401
    return tuple(dict.fromkeys(names))
