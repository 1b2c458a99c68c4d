"""The systems that are compared, with names that list their parts.

A name is a sum of parts: ``none`` (a distortion penalty only), ``lexicalised``, a classifier with
its feature set (``svm:S6``), ``sparse``. So ``lexicalised+svm:S6+sparse`` has two reordering models
and sparse features.
"""

from __future__ import annotations

from dataclasses import dataclass

from tartib.errors import OptionError
from tartib.features import FeatureSet
from tartib.reordering import KINDS

BASELINE = "lexicalised"
NONE, SPARSE = "none", "sparse"
TITLES = {
    "svm": "SVM",
    "maxent": "MaxEnt",
    "maxent-l1": "MaxEnt, L1",
    "mlr": "dual MLR",
    "primal-mlr": "primal MLR",
    "naive-bayes": "naive Bayes",
}

# SVM paper, Table 8, and MLR paper, Table 3, whose feature set (word alignments and one word of
# context on each side) is S7.
SVM_SYSTEMS = (
    NONE,
    BASELINE,
    "lexicalised+sparse",
    "svm:S6+sparse",
    "svm:S7+sparse",
    "maxent:S6+sparse",
    "maxent:S7+sparse",
)
MLR_SYSTEMS = (BASELINE, "primal-mlr:S7", "mlr:S7")
PAPER_SYSTEMS = (*SVM_SYSTEMS, *MLR_SYSTEMS[1:])


@dataclass(frozen=True)
class ModelPart:
    """A reordering model of a system; the lexicalised one has no features."""

    classifier: str
    features: str = ""

    @property
    def name(self) -> str:
        """Its part of a system's name."""
        return f"{self.classifier}:{self.features}" if self.features else self.classifier

    @property
    def title(self) -> str:
        """The name that tables show."""
        return f"{TITLES[self.classifier]} {self.features}" if self.features else self.classifier


@dataclass(frozen=True)
class SystemParts:
    """What a system has for reordering, besides the distortion penalty."""

    models: tuple[ModelPart, ...]
    sparse: bool

    @classmethod
    def parse(cls, name: str) -> SystemParts:
        """Read a name such as ``svm:S6+sparse``."""
        parts = [part.strip() for part in name.split("+")]
        if parts == [NONE]:
            return cls((), sparse=False)
        models = [_model(part, name) for part in parts if part != SPARSE]
        if len(set(models)) < len(models) or parts.count(SPARSE) > 1:
            raise OptionError(f"the system {name!r} names a part twice")
        return cls(tuple(models), sparse=SPARSE in parts)

    @property
    def name(self) -> str:
        """The name, always written the same way."""
        names = [model.name for model in self.models]
        return "+".join([*names, *([SPARSE] if self.sparse else [])]) or NONE

    @property
    def title(self) -> str:
        """The name that tables show."""
        titles = [model.title for model in self.models]
        return " + ".join([*titles, *([SPARSE] if self.sparse else [])]) or "no reordering model"

    @property
    def row(self) -> str:
        """The row of the papers' tables that it is compared with.

        A classifier beside a lexicalised model is compared with that classifier alone.
        """
        models = [model for model in self.models if model.features] or self.models
        return SystemParts(tuple(models), self.sparse).name


def _model(part: str, name: str) -> ModelPart:
    classifier, _, features = part.partition(":")
    if part == BASELINE:
        return ModelPart(BASELINE)
    if classifier not in TITLES or classifier not in KINDS or not features:
        known = ", ".join(TITLES)
        raise OptionError(
            f"unknown part {part!r} of the system {name!r}: a system is 'none', or 'lexicalised', "
            f"'sparse' and classifiers such as 'svm:S6', joined by + (known classifiers: {known})"
        )
    FeatureSet(features)
    return ModelPart(classifier, features.upper().replace("-PAPER", "-paper"))
