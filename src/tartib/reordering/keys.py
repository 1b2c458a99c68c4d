"""64-bit hash keys of phrase pairs: the same pair of texts has the same key in every corpus."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tartib import _native
from tartib.engine import map_ordered
from tartib.errors import OptionError, native_refusals
from tartib.features.candidates import Candidate, Candidates
from tartib.phrases import PhrasePairs
from tartib.vocabulary import Vocabulary

# For each granularity, what is looked up, in this order; after the last comes the prior.
LEVELS = {"fe": ("fe", "f"), "f": ("f",), "e": ("e",)}

_SIDES = {"fe": _native.BOTH_SIDES, "f": _native.SOURCE_SIDE, "e": _native.TARGET_SIDE}
_CHUNK_PAIRS = 20_000

Keys = NDArray[np.uint64]


def check_granularity(granularity: str) -> str:
    """Return the granularity if it is a known one."""
    if granularity not in LEVELS:
        known = ", ".join(LEVELS)
        raise OptionError(f"unknown granularity {granularity!r}: it is one of {known}")
    return granularity


class PhraseHasher:
    """Computes keys of phrase pairs whose word ids come from two vocabularies.

    Parameters
    ----------
    source, target
        The vocabularies, as they are now: words added later have no hash.
    """

    def __init__(self, source: Vocabulary, target: Vocabulary) -> None:
        self._hashes = (_native.word_hashes(source.native), _native.word_hashes(target.native))

    def block(self, block: _native.PhraseBlock, granularity: str = "fe") -> Keys:
        """Return the keys of a block of phrase pairs."""
        sides = _SIDES[check_granularity(granularity)]
        with native_refusals():
            return _native.block_keys(block, *self._hashes, sides)

    def candidates(self, pairs: Candidates, granularity: str = "fe") -> Keys:
        """Return the keys of many phrase pairs of one sentence, in one native call.

        Parameters
        ----------
        pairs
            Words with negative ids are unknown words, which no training pair has.
        granularity
            ``fe`` for both sides, ``f`` for the source side, ``e`` for the target side.
        """
        sides = _SIDES[check_granularity(granularity)]
        with native_refusals():
            source, target = self._hashes
            return _native.candidate_keys(source, target, sides, *pairs.places)


def phrase_keys(phrases: PhrasePairs, granularity: str = "fe", n_jobs: int | None = None) -> Keys:
    """Return the key of each phrase pair.

    Parameters
    ----------
    phrases
        Phrase pairs of any corpus.
    granularity
        What makes two pairs the same: ``fe`` both sides, ``f`` the source side, ``e`` the target
        side.
    n_jobs
        Number of threads; None means all cores.
    """
    check_granularity(granularity)
    bitext = phrases.bitext
    hasher = PhraseHasher(bitext.source.vocabulary, bitext.target.vocabulary)
    keys = np.empty(len(phrases), np.uint64)
    done = 0
    for part in map_ordered(
        lambda sentences: hasher.block(phrases.block(*sentences), granularity),
        phrases.chunks(_CHUNK_PAIRS),
        n_jobs,
    ):
        keys[done : done + len(part)] = part
        done += len(part)
    return keys


def candidate_keys(
    source: Sequence[str], candidates: Sequence[Candidate], granularity: str = "fe"
) -> Keys:
    """Return the keys of phrase pairs of one sentence, given in words.

    They are the same as the keys of training pairs with the same words. A decoder that has word ids
    uses `PhraseHasher.candidates`.
    """
    pairs, vocabularies = Candidates.of(source, candidates)
    return PhraseHasher(*vocabularies).candidates(pairs, granularity)
