"""Phrase pairs that a decoder may use for one sentence; they need not be in any corpus."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tartib import ragged
from tartib.vocabulary import Vocabulary

Ids = NDArray[np.int32]
Offsets = NDArray[np.int64]
Places = tuple[Ids, Offsets, Offsets, Ids, Offsets]


class Candidate(NamedTuple):
    """A phrase pair that a decoder may use: a span of the source sentence and a translation of it.

    Attributes
    ----------
    start, length
        Place of the source phrase in the sentence.
    target
        The words of the target phrase.
    links
        Word alignment inside the pair, counted from the first words of the phrases.
    """

    start: int
    length: int
    target: Sequence[str]
    links: Sequence[tuple[int, int]]


@dataclass(frozen=True)
class Candidates:
    """Many phrase pairs of one sentence, as arrays.

    Attributes
    ----------
    source
        Word ids of the sentence, negative for unknown words.
    starts, lengths
        The source phrase of each pair.
    target_ids, target_offsets
        Word ids of the target phrases, one after another, negative for unknown words.
    links, link_offsets
        Word alignments inside the pairs, as in `Bitext.packed_links`, but counted from the first
        words of the phrases.
    """

    source: NDArray[np.int32]
    starts: NDArray[np.int64]
    lengths: NDArray[np.int64]
    target_ids: NDArray[np.int32]
    target_offsets: NDArray[np.int64]
    links: NDArray[np.uint32]
    link_offsets: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.starts)

    @property
    def places(self) -> Places:
        """The arrays without alignments, in the order that native functions expect."""
        return self.source, self.starts, self.lengths, self.target_ids, self.target_offsets

    @classmethod
    def of(
        cls, source: Sequence[str], given: Sequence[Candidate]
    ) -> tuple[Candidates, tuple[Vocabulary, Vocabulary]]:
        """Turn pairs given as words into arrays; also return the vocabularies of the ids."""
        words = [word for c in given for word in c.target]
        vocabularies = (Vocabulary(source), Vocabulary(words))
        links = np.array([link for c in given for link in c.links], np.uint16)
        made = cls(
            _ids(vocabularies[0], source),
            np.array([c.start for c in given], np.int64),
            np.array([c.length for c in given], np.int64),
            _ids(vocabularies[1], words),
            ragged.offsets_of([len(c.target) for c in given]),
            links.reshape(-1).view(np.uint32),
            ragged.offsets_of([len(c.links) for c in given]),
        )
        return made, vocabularies

    def only(self, kept: NDArray[np.bool_]) -> Candidates:
        """Return some of the pairs."""
        target_offsets, words = ragged.take(self.target_offsets, kept)
        link_offsets, links = ragged.take(self.link_offsets, kept)
        return Candidates(
            self.source,
            self.starts[kept],
            self.lengths[kept],
            self.target_ids[words],
            target_offsets,
            self.links[links],
            link_offsets,
        )


def _ids(vocabulary: Vocabulary, words: Sequence[str]) -> NDArray[np.int32]:
    return np.array([vocabulary.add(word) for word in words], np.int32)
