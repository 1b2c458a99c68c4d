"""Reordering models: features, a classifier and directions; what a decoder asks."""

from tartib.reordering.bound_model import BoundReorderingModel as BoundReorderingModel
from tartib.reordering.calibration import Calibration as Calibration
from tartib.reordering.calibration import Prior as Prior
from tartib.reordering.classifiers import KINDS as KINDS
from tartib.reordering.classifiers import describe as describe
from tartib.reordering.classifiers import make_classifier as make_classifier
from tartib.reordering.direction import DirectionModel as DirectionModel
from tartib.reordering.direction import TuningStep as TuningStep
from tartib.reordering.examples import Examples as Examples
from tartib.reordering.examples import Inputs as Inputs
from tartib.reordering.examples import read_inputs as read_inputs
from tartib.reordering.explanation import Explanation as Explanation
from tartib.reordering.keys import LEVELS as LEVELS
from tartib.reordering.keys import PhraseHasher as PhraseHasher
from tartib.reordering.keys import candidate_keys as candidate_keys
from tartib.reordering.keys import phrase_keys as phrase_keys
from tartib.reordering.lexicalised import LexicalisedModel as LexicalisedModel
from tartib.reordering.model import ReorderingModel as ReorderingModel
from tartib.reordering.training import train_direction as train_direction
