"""Sparse features of phrase pairs: templates, their conjunctions, and the dictionary of columns."""

from tartib.features.candidates import Candidate, Candidates
from tartib.features.encoder import FeatureEncoder
from tartib.features.templates import FeatureSet

__all__ = ["Candidate", "Candidates", "FeatureEncoder", "FeatureSet"]
