"""Sparse features of phrase pairs: templates, their conjunctions, and the dictionary of columns."""

from tartib.features.encoder import Candidate, FeatureEncoder
from tartib.features.templates import FeatureSet

__all__ = ["Candidate", "FeatureEncoder", "FeatureSet"]
