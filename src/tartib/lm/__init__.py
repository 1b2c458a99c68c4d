"""Back-off n-gram language models: estimation, queries, ARPA files."""

from tartib.lm.model import LanguageModel, LineScores, TextScore, WordScore

__all__ = ["LanguageModel", "LineScores", "TextScore", "WordScore"]
