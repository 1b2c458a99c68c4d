"""What tests of reordering models share beside the fixtures of ``tests/reordering``."""

from collections.abc import Callable
from typing import Any

import numpy as np

from tartib import PhrasePairs
from tartib.features import Candidate
from tartib.reordering import ReorderingModel

Train = Callable[..., ReorderingModel]
Parts = tuple[PhrasePairs, PhrasePairs]


def candidates_of(phrases: PhrasePairs, sentence: int) -> tuple[list[str], list[Candidate], Any]:
    """Return a sentence's words, its phrase pairs as candidates, and which pairs they are."""
    at = np.flatnonzero(phrases.sentences == sentence)
    pairs = [phrases[int(index)] for index in at]
    found = [Candidate(p.source_start, len(p.source), p.target, p.links) for p in pairs]
    return phrases.bitext[sentence].source, found, at
