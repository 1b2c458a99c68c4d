"""Phrase tables: what a source phrase is translated by, with which probabilities."""

from tartib.phrase_table.reordering import read_reordering_table
from tartib.phrase_table.table import PhraseTable, Translation

__all__ = ["PhraseTable", "Translation", "read_reordering_table"]
