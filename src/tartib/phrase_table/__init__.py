"""Phrase tables: what a source phrase is translated by, with which probabilities."""

from tartib.phrase_table.lexical_table import LexicalTable
from tartib.phrase_table.reordering_table import read_reordering_table
from tartib.phrase_table.scoring import DISCOUNTING
from tartib.phrase_table.table import PhraseTable, Translation

__all__ = ["DISCOUNTING", "LexicalTable", "PhraseTable", "Translation", "read_reordering_table"]
