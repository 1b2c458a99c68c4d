"""Reordering models: features, a classifier and directions; what a decoder asks."""

from tartib.reordering.bound import BoundReorderingModel as BoundReorderingModel
from tartib.reordering.calibration import Calibration as Calibration
from tartib.reordering.calibration import Prior as Prior
from tartib.reordering.classifiers import KINDS as KINDS
from tartib.reordering.explanation import Explanation as Explanation
from tartib.reordering.model import ReorderingModel as ReorderingModel
from tartib.reordering.training import TuningStep as TuningStep
