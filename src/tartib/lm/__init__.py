"""Back-off n-gram language models: estimation, queries, ARPA files."""

from tartib.lm.model import LanguageModel, TextScore, WordScore

__all__ = ["LanguageModel", "TextScore", "WordScore"]
