"""Classifiers of orientations, and of anything else that has sparse rows."""

from tartib.models.bayes import NaiveBayes as NaiveBayes
from tartib.models.keys import PhraseHasher as PhraseHasher
from tartib.models.keys import candidate_keys as candidate_keys
from tartib.models.keys import phrase_keys as phrase_keys
from tartib.models.lexicalised import LexicalisedModel as LexicalisedModel
from tartib.models.maxent import MaxEnt as MaxEnt
from tartib.models.mlr import DualMLR as DualMLR
from tartib.models.primal import PrimalMLR as PrimalMLR
from tartib.models.svm import MulticlassSVM as MulticlassSVM
from tartib.models.trace import Epoch as Epoch
from tartib.models.trace import TraceFile as TraceFile
