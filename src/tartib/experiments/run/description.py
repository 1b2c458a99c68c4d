"""What every experiment tells about its text and its machine."""

from __future__ import annotations

import os
import platform

from tartib.bitext import Bitext
from tartib.experiments.classification.results import Corpus, Side
from tartib.phrases import PhrasePairs


def machine() -> str:
    """Return what the times depend on."""
    return f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"


def describe_corpus(phrases: PhrasePairs, source: str, target: str) -> Corpus:
    """Count what is in a corpus; ``source`` and ``target`` are names of its sides."""
    bitext = phrases.bitext
    return Corpus(
        sentences=len(bitext),
        source=_side(source, bitext, "source"),
        target=_side(target, bitext, "target"),
        links=len(bitext.links),
        pairs=len(phrases),
        max_length=phrases.max_length,
        skipped=bitext.skipped._asdict(),
    )


def _side(name: str, bitext: Bitext, side: str) -> Side:
    text = getattr(bitext, side)
    words, vocabulary = len(text.ids), len(text.vocabulary)
    return Side(
        name=name,
        words=words,
        words_per_line=words / max(len(bitext), 1),
        vocabulary=vocabulary,
        vocabulary_share=vocabulary / max(words, 1),
    )
