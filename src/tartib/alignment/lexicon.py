"""`Lexicon`: words that translate one another, and how often; prior knowledge for an aligner."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tartib.bitext import Bitext
from tartib.errors import DataError, OptionError
from tartib.textio import read_lines
from tartib.vocabulary import Vocabulary

if TYPE_CHECKING:
    from tartib.alignment.joint import AlignmentModel

_HINT = (
    "a line is a source word, a target word and, if not 1, how often they are linked: haus house 5"
)
_MOST = 1e6  # links that a pair of words may be worth,
_MOST_OF_A_WORD = 1e12  # and all pairs of a word: the native code counts in 64 bits

# Source and target ids, weight before anything is counted, and what is added to each count.
Cells = tuple[NDArray[np.uint32], NDArray[np.uint32], NDArray[np.float32], NDArray[np.float32]]


class Lexicon:
    """How often words are linked.

    Attributes
    ----------
    source, target
        The words.
    sources, targets
        Ids of the two words of each entry.
    counts
        How often they are linked, or as many links as knowing them is worth.
    """

    def __init__(
        self,
        source: Vocabulary,
        target: Vocabulary,
        sources: NDArray[np.uint32],
        targets: NDArray[np.uint32],
        counts: NDArray[np.float32],
    ) -> None:
        self.source, self.target = source, target
        self.sources, self.targets, self.counts = sources, targets, counts

        for ids, words in ((sources, source), (targets, target)):
            if len(ids) and int(ids.max()) >= len(words):
                raise OptionError(f"a lexicon of {len(words):,} words has no word {ids.max():,}")

    def __len__(self) -> int:
        return len(self.counts)

    @classmethod
    def read(cls, path: str | Path) -> Lexicon:
        """Read lines of two words and, if it is not 1, a count, separated by tabs or spaces."""
        source, target = Vocabulary(), Vocabulary()
        entries: dict[tuple[int, int], float] = {}
        for number, line in enumerate(read_lines(path), 1):
            fields = line.split()
            if not fields:
                continue
            if len(fields) not in (2, 3):
                raise DataError(path, number, f"has {len(fields)} fields", _HINT)
            key = source.add(fields[0]), target.add(fields[1])
            entries[key] = entries.get(key, 0.0) + _count(fields, path, number)
            if entries[key] > _MOST:
                problem = f"{fields[0]} {fields[1]} is worth more than {_MOST:,.0f} links in all"
                raise DataError(path, number, problem, "name each pair once, with a smaller count")
        ids = np.array(list(entries), np.uint32).reshape(-1, 2)
        return cls(source, target, ids[:, 0], ids[:, 1], np.array([*entries.values()], np.float32))

    def share_known(self, text: Bitext) -> float:
        """Return how many of a text's different words are here, of the side that has fewer."""
        sides = ((self.source, text.source.vocabulary), (self.target, text.target.vocabulary))
        return min(
            float((own.ids(words, {}) >= 0).mean()) if len(words) else 0.0 for own, words in sides
        )

    def cells_for(self, source: Vocabulary, target: Vocabulary) -> Cells:
        """Return the entries whose words other vocabularies have, in their ids.

        Their weight is that of `native/alignment/candidates.hpp`, w = n(f, e)² / (n(f) n(e)).
        """
        totals = [
            np.bincount(ids, self.counts, len(words))
            for ids, words in ((self.sources, self.source), (self.targets, self.target))
        ]
        if max(float(total.max(initial=0)) for total in totals) > _MOST_OF_A_WORD:
            raise OptionError(
                f"the prior counts of a word add up to more than {_MOST_OF_A_WORD:,.0f}: make them "
                "smaller"
            )
        product = totals[0][self.sources] * totals[1][self.targets]
        weights = (self.counts.astype(np.float64) ** 2 / product).astype(np.float32)
        sides = [
            vocabulary.ids(words, {})[ids]
            for vocabulary, words, ids in (
                (source, self.source, self.sources),
                (target, self.target, self.targets),
            )
        ]
        known = (sides[0] >= 0) & (sides[1] >= 0)
        return (
            sides[0][known].astype(np.uint32),
            sides[1][known].astype(np.uint32),
            np.minimum(weights[known], np.float32(1)),
            self.counts[known].astype(np.float32),
        )


def as_lexicon(priors: Lexicon | AlignmentModel | str | Path | None) -> Lexicon:
    """Return the lexicon of what may be given as prior knowledge."""
    from tartib.alignment.joint import AlignmentModel

    if priors is None:
        nothing = np.empty(0, np.uint32)
        return Lexicon(Vocabulary(), Vocabulary(), nothing, nothing, np.empty(0, np.float32))
    if isinstance(priors, Lexicon):
        return priors
    if isinstance(priors, AlignmentModel):
        return priors.lexicon()
    if Path(priors).is_dir():
        return AlignmentModel.load(priors).lexicon()
    return Lexicon.read(priors)


def _count(fields: list[str], path: str | Path, line: int) -> float:
    if len(fields) == 2:
        return 1.0
    try:
        count = float(fields[2])
    except ValueError:
        count = math.nan
    if not 0 < count <= _MOST:
        problem = f"not a count above 0, and at most {_MOST:,.0f}: {fields[2]!r}"
        raise DataError(path, line, problem, _HINT)
    return count
