"""Classifiers for orientations, and for any other data in sparse rows."""

from tartib.models.bayes import NaiveBayes as NaiveBayes
from tartib.models.maxent import MaxEnt as MaxEnt
from tartib.models.mlr import DualMLR as DualMLR
from tartib.models.primal import PrimalMLR as PrimalMLR
from tartib.models.svm import MulticlassSVM as MulticlassSVM
from tartib.models.trace import Epoch as Epoch
from tartib.models.trace import TraceFile as TraceFile
