"""Classifiers for orientations, and for any other data in sparse rows.

Names are loaded when they are first used: a decoder needs few of them, and scikit-learn takes long.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tartib.models.bayes import NaiveBayes as NaiveBayes
    from tartib.models.maxent import MaxEnt as MaxEnt
    from tartib.models.mlr import DualMLR as DualMLR
    from tartib.models.primal import PrimalMLR as PrimalMLR
    from tartib.models.svm import MulticlassSVM as MulticlassSVM
    from tartib.models.trace import Epoch as Epoch
    from tartib.models.trace import TraceFile as TraceFile

_HOMES = {
    "DualMLR": "mlr",
    "Epoch": "trace",
    "MaxEnt": "maxent",
    "MulticlassSVM": "svm",
    "NaiveBayes": "bayes",
    "PrimalMLR": "primal",
    "TraceFile": "trace",
}

__all__ = [*_HOMES]


def __getattr__(name: str) -> Any:  # noqa: ANN401
    if name in _HOMES:
        return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
