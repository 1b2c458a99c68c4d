"""Raw text in and out: normalisation, tokens, case, cleaning, and the way back."""

from tartib.text.cleaning import CleaningCounts, clean_pairs
from tartib.text.languages import check_language, language_of
from tartib.text.learning import learn_text
from tartib.text.model import TextModel
from tartib.text.normalisation import MARKS
from tartib.text.options import CleaningOptions, SideOptions, TextOptions
from tartib.text.sentences import join_sentences, split_sentences
from tartib.text.side import TextSide

__all__ = [
    "MARKS",
    "CleaningCounts",
    "CleaningOptions",
    "SideOptions",
    "TextModel",
    "TextOptions",
    "TextSide",
    "check_language",
    "clean_pairs",
    "join_sentences",
    "language_of",
    "learn_text",
    "split_sentences",
]
