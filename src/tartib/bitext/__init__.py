"""Parallel text as arrays of token ids, with its word alignment."""

from tartib.bitext.corpus import Bitext, SentencePair, Skipped, Text
from tartib.bitext.raw_pairs import raw_pairs
from tartib.bitext.reading import ReadOptions, language_pair, read_blocks

__all__ = [
    "Bitext",
    "ReadOptions",
    "SentencePair",
    "Skipped",
    "Text",
    "language_pair",
    "raw_pairs",
    "read_blocks",
]
