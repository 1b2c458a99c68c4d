"""Reordering models: features, a classifier and directions; what a decoder asks.

Names are loaded when they are first used: a decoder needs few of them, and scikit-learn takes long.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tartib.reordering.bound import BoundReorderingModel as BoundReorderingModel
    from tartib.reordering.calibration import Calibration as Calibration
    from tartib.reordering.calibration import Prior as Prior
    from tartib.reordering.classifiers import KINDS as KINDS
    from tartib.reordering.classifiers import describe as describe
    from tartib.reordering.classifiers import make_classifier as make_classifier
    from tartib.reordering.classifiers import usual_calibration as usual_calibration
    from tartib.reordering.derivations import SOURCES as SOURCES
    from tartib.reordering.derivations import check_learn_from as check_learn_from
    from tartib.reordering.derivations import learnt_from as learnt_from
    from tartib.reordering.derivations import sample_derivations as sample_derivations
    from tartib.reordering.direction import DirectionModel as DirectionModel
    from tartib.reordering.direction import TuningStep as TuningStep
    from tartib.reordering.direction import train_direction as train_direction
    from tartib.reordering.explanation import Explanation as Explanation
    from tartib.reordering.frozen import FrozenModel as FrozenModel
    from tartib.reordering.frozen import load_for_decoding as load_for_decoding
    from tartib.reordering.inputs import LEVELS as LEVELS
    from tartib.reordering.inputs import Examples as Examples
    from tartib.reordering.inputs import Inputs as Inputs
    from tartib.reordering.inputs import PhraseHasher as PhraseHasher
    from tartib.reordering.inputs import candidate_keys as candidate_keys
    from tartib.reordering.inputs import phrase_keys as phrase_keys
    from tartib.reordering.inputs import read_inputs as read_inputs
    from tartib.reordering.lexicalised import LexicalisedModel as LexicalisedModel
    from tartib.reordering.model import ReorderingModel as ReorderingModel

_HOMES = {
    "BoundReorderingModel": "bound",
    "Calibration": "calibration",
    "DirectionModel": "direction",
    "Examples": "inputs",
    "Explanation": "explanation",
    "FrozenModel": "frozen",
    "Inputs": "inputs",
    "KINDS": "classifiers",
    "LEVELS": "inputs",
    "LexicalisedModel": "lexicalised",
    "PhraseHasher": "inputs",
    "Prior": "calibration",
    "ReorderingModel": "model",
    "SOURCES": "derivations",
    "TuningStep": "direction",
    "candidate_keys": "inputs",
    "check_learn_from": "derivations",
    "describe": "classifiers",
    "learnt_from": "derivations",
    "load_for_decoding": "frozen",
    "make_classifier": "classifiers",
    "phrase_keys": "inputs",
    "read_inputs": "inputs",
    "sample_derivations": "derivations",
    "train_direction": "direction",
    "usual_calibration": "classifiers",
}

__all__ = [*_HOMES]


def __getattr__(name: str) -> Any:  # noqa: ANN401
    if name in _HOMES:
        return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
