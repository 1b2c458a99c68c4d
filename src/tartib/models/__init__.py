"""Classifiers of orientations."""

from tartib.models.keys import PhraseHasher as PhraseHasher
from tartib.models.keys import candidate_keys as candidate_keys
from tartib.models.keys import phrase_keys as phrase_keys
from tartib.models.lexicalised import LexicalisedModel as LexicalisedModel
