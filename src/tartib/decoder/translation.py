"""What a decoder returns for a sentence: translations, their steps, features and search graphs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tartib import ragged
from tartib.decoder.features import LOWEST, UNKNOWN_PENALTY, FeatureLayout, Vector


class SparseVector(NamedTuple):
    """Values that are not zero, and their places, in rising order."""

    indices: NDArray[np.int32]
    values: NDArray[np.float32]


NO_SPARSE = SparseVector(np.zeros(0, np.int32), np.zeros(0, np.float32))


class SparseRows(NamedTuple):
    """Sparse vectors one after another: the i-th is at ``offsets[i] … offsets[i + 1]``."""

    offsets: NDArray[np.int64]
    indices: NDArray[np.int32]
    values: NDArray[np.float32]

    @classmethod
    def stacked(cls, vectors: Sequence[SparseVector]) -> SparseRows:
        """Return vectors as rows."""
        indices, offsets = ragged.stack([vector.indices for vector in vectors])
        return cls(offsets, indices, np.concatenate([vector.values for vector in vectors]))

    def row(self, i: int) -> SparseVector:
        """Return one of them."""
        at = slice(self.offsets[i], self.offsets[i + 1])
        return SparseVector(self.indices[at], self.values[at])


def count_rows(rows: int, columns: int, row: NDArray[Any], column: NDArray[Any]) -> SparseRows:
    """Return how often each column occurs in each row."""
    found, counts = np.unique(row * np.int64(columns) + column, return_counts=True)
    ends = np.searchsorted(found, np.arange(rows + 1) * np.int64(columns))
    return SparseRows(ends, (found % max(columns, 1)).astype(np.int32), counts.astype(np.float32))


@dataclass(frozen=True)
class Judgement:
    """The probability that one reordering model gives to a step.

    Attributes
    ----------
    model
        Name of its feature.
    direction
        ``backward``: of this step, seen from the one before; ``forward``: of the step before, seen
        from this one.
    orientation
        The class.
    probability
        Of that class.
    """

    model: str
    direction: str
    orientation: str
    probability: float


@dataclass(frozen=True)
class Step:
    """A phrase of a translation, in the order of the target.

    Attributes
    ----------
    start, end
        The source words [start, end).
    target
        The words that they became.
    known
        False for an unknown word: one that neither the phrase table nor the sentence translates.
    jump
        Source words between the end of the step before and the start of this one; negative when
        it goes back.
    orientation
        Seen from the step before: ``mono``, ``swap``, ``dright`` or ``dleft``.
    block_orientation
        Seen from the block of steps before (hierarchical).
    judgements
        What the reordering models give it, in the order of the models.
    links
        Alignment inside the phrase, (source, target) counted from its first words; empty if the
        phrase table has none.
    forced
        Whether the translation came with the sentence.
    """

    start: int
    end: int
    target: tuple[str, ...]
    known: bool
    jump: int
    orientation: str
    block_orientation: str
    judgements: tuple[Judgement, ...] = ()
    links: tuple[tuple[int, int], ...] = ()
    forced: bool = False


@dataclass(frozen=True)
class Hypothesis:
    """One translation of a sentence.

    Attributes
    ----------
    words
        The translation.
    total
        The weighted sum of the features, as the search found it.
    features
        Values of the dense features in the order of the decoder's layout, computed from the
        steps.
    sparse
        Places and values of the sparse ones that are not zero.
    """

    words: tuple[str, ...]
    total: float
    features: Vector
    sparse: SparseVector
    _steps: Callable[[], tuple[Step, ...]] = field(repr=False, compare=False)

    @cached_property
    def steps(self) -> tuple[Step, ...]:
        """How the source was covered; made when first asked for."""
        return self._steps()

    @property
    def text(self) -> str:
        """The words with spaces between."""
        return " ".join(self.words)

    @property
    def alignment(self) -> list[tuple[int, int]]:
        """Which source words became which words, counted from 0, in the order of the source.

        Where the phrase table has no alignment, all words of a phrase are linked with all of it.
        """
        links = []
        begin = 0
        for step in self.steps:
            source, target = range(step.end - step.start), range(len(step.target))
            inner = step.links or ((i, j) for i in source for j in target)
            links += [(step.start + i, begin + j) for i, j in inner]
            begin += len(step.target)
        return sorted(links)


@dataclass(frozen=True)
class SearchGraph:
    """All hypotheses that a search kept: node 0 is the empty one.

    A node whose ``best`` is another node is a worse way into the same state, and is continued as
    its best is.

    Attributes
    ----------
    score
        Of each hypothesis, of what is translated.
    parent
        The hypothesis that it extends, -1 for node 0.
    step
        Its option, -1 for node 0.
    best
        The best hypothesis in the same state.
    features
        What its step adds to the dense features, one row each: those of a translation are
        their sum.
    sparse
        The same of the sparse ones.
    starts, lengths, targets
        The options: source phrases and target words.
    """

    score: NDArray[np.float64]
    parent: NDArray[np.int32]
    step: NDArray[np.int32]
    best: NDArray[np.int32]
    features: Vector
    sparse: SparseRows
    starts: NDArray[np.int64]
    lengths: NDArray[np.int64]
    targets: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.score)


@dataclass(frozen=True)
class Translation:
    """A sentence and its translations.

    Attributes
    ----------
    source
        Its words.
    nbest
        The best translations, best first; at least one.
    layout
        Of their features.
    warnings
        What the user should know: the sentence was cut, for example.
    graphs
        Search graphs of the sentence, or of its pieces, where asked for.
    """

    source: tuple[str, ...]
    nbest: Sequence[Hypothesis]
    layout: FeatureLayout
    warnings: tuple[str, ...] = ()
    graphs: tuple[SearchGraph, ...] = field(default=(), repr=False)

    @property
    def best(self) -> Hypothesis:
        """The best one."""
        return self.nbest[0]

    @property
    def n_unknown(self) -> int:
        """Unknown words in the best one."""
        penalty = self.best.features[self.layout.slice(UNKNOWN_PENALTY)]
        return round(float(penalty[0]) / LOWEST)

    @property
    def text(self) -> str:
        """The words of the best one."""
        return self.best.text
