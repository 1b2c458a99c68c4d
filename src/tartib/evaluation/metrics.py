"""What all metrics have in common: sums over sentences apart from the score that they make."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Sequence
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from tartib.errors import OptionError

Floats = NDArray[np.float64]
Output = TypeVar("Output", bound=Hashable)


def _ignore(_: int) -> None:
    """Advance nothing."""


class Metric(ABC, Generic[Output]):
    """Judges what a system made of each sentence, an ``Output``: a line, or an order of words.

    A metric knows what the outputs are to be compared with. It gives each sentence a row of sums;
    those of a text, or of a sample of its sentences, are the sum of their rows, and a score is made
    of them and of nothing else. Multiplied by any number they make the same score, but for what
    BLEU takes instead of no match.

    Parameters
    ----------
    name
        As it stands over a column.
    signature
        What else the score depends on, without which it says little.
    sentences
        How many there are.
    higher_is_better
        False for an error rate.
    """

    def __init__(
        self, name: str, signature: str, sentences: int, *, higher_is_better: bool = True
    ) -> None:
        self.name = name
        self.signature = signature
        self.sentences = sentences
        self.higher_is_better = higher_is_better
        # Systems, and more so their runs, often say the same, and TER takes its time.
        self._known: dict[tuple[int, Output], Sequence[float]] = {}

    def statistics(
        self, outputs: Sequence[Output], advance: Callable[[int], None] = _ignore
    ) -> Floats:
        """Return a row of sums for each sentence; ``advance`` is called for each."""
        if len(outputs) != self.sentences:
            raise OptionError(
                f"{len(outputs):,} translations, but {self.sentences:,} lines in each reference"
            )
        rows = []
        for key in enumerate(outputs):
            if key not in self._known:
                self._known[key] = self._row(*key)
            rows.append(self._known[key])
            advance(1)
        return np.array(rows, np.float64)

    @abstractmethod
    def _row(self, sentence: int, output: Output) -> Sequence[float]:
        """Return the sums of one sentence."""

    @abstractmethod
    def score(self, sums: Floats) -> Floats:
        """Return the score that each row of sums makes."""


def score_of(metric: Metric[Output], outputs: Sequence[Output]) -> float:
    """Return the score of a text."""
    return float(metric.score(metric.statistics(outputs).sum(axis=0, keepdims=True))[0])


def check_references(references: Sequence[Sequence[Output]]) -> int:
    """Return the number of sentences, which is that of each reference."""
    if not references or len({len(lines) for lines in references}) != 1:
        raise OptionError("references need one list of lines or more, all of the same length")
    if not len(references[0]):
        raise OptionError("there are no sentences to score")
    return len(references[0])


def ratio(part: Floats, whole: Floats) -> Floats:
    """Divide; anything by 0 is 0."""
    return np.divide(part, whole, out=np.zeros(np.shape(part)), where=whole > 0)
