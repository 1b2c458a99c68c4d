"""Reordering models: features, a classifier and directions; what a decoder asks."""

from tartib.reordering.calibration import Calibration as Calibration
from tartib.reordering.calibration import Prior as Prior
from tartib.reordering.classifiers import KINDS as KINDS
from tartib.reordering.classifiers import describe as describe
from tartib.reordering.classifiers import make_classifier as make_classifier
from tartib.reordering.classifiers import usual_calibration as usual_calibration
from tartib.reordering.direction import BoundReorderingModel as BoundReorderingModel
from tartib.reordering.direction import DirectionModel as DirectionModel
from tartib.reordering.direction import TuningStep as TuningStep
from tartib.reordering.direction import train_direction as train_direction
from tartib.reordering.explanation import Explanation as Explanation
from tartib.reordering.inputs import LEVELS as LEVELS
from tartib.reordering.inputs import Examples as Examples
from tartib.reordering.inputs import Inputs as Inputs
from tartib.reordering.inputs import PhraseHasher as PhraseHasher
from tartib.reordering.inputs import candidate_keys as candidate_keys
from tartib.reordering.inputs import phrase_keys as phrase_keys
from tartib.reordering.inputs import read_inputs as read_inputs
from tartib.reordering.lexicalised import LexicalisedModel as LexicalisedModel
from tartib.reordering.model import ReorderingModel as ReorderingModel
