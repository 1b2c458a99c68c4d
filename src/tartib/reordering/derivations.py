"""`sample_derivations`: the phrase pairs that a decoder could have made a text of.

A decoder asks a reordering model about the steps of derivations only, and not about all phrase
pairs that a text has. How derivations are weighed and drawn: ``native/reordering/derivations.hpp``.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tartib import _native, ragged
from tartib.engine import check_seed, map_ordered
from tartib.errors import OptionError
from tartib.phrases import PhrasePairs
from tartib.reordering.inputs import Keys, phrase_keys

# What models learn from.
SOURCES = ("pairs", "derivations")

_CHUNK_PAIRS = 20_000
_LEVELS = ("fe", "f", "e")
_Counts = NDArray[np.int32]


class DerivationPrices(NamedTuple):
    """How derivations are weighed, in nats.

    Attributes
    ----------
    unseen
        Price per word of a phrase pair that no other sentence has.
    skipped
        Price of a target word that is in no step.
    uncovered
        Price of a source word that is in no step.
    """

    unseen: float = 5.0
    skipped: float = 50.0
    uncovered: float = 10.0


USUAL_PRICES = DerivationPrices()


def check_learn_from(name: str) -> str:
    """Return what models learn from if it is one of `SOURCES`."""
    if name not in SOURCES:
        raise OptionError(f"models learn from {' or '.join(SOURCES)} (learn_from), not {name!r}")
    return name


def learnt_from(
    phrases: PhrasePairs, name: str, seed: int, *, known: PhrasePairs, n_jobs: int | None = None
) -> PhrasePairs:
    """Return what a model learns from: the pairs themselves, or steps of derivations.

    Parameters
    ----------
    phrases
        All phrase pairs of the sentences.
    name
        One of `SOURCES`.
    seed, known, n_jobs
        As in `sample_derivations`.
    """
    if check_learn_from(name) == "pairs":
        return phrases
    return sample_derivations(phrases, seed=seed, known=known, n_jobs=n_jobs)


def sample_derivations(
    phrases: PhrasePairs,
    samples: int = 4,
    seed: int = 0,
    *,
    known: PhrasePairs | None = None,
    prices: DerivationPrices = USUAL_PRICES,
    n_jobs: int | None = None,
) -> PhrasePairs:
    """Return the steps of derivations of each sentence, as phrase pairs of the same corpus.

    A pair occurs as often as it is a step. No step's source or target words overlap with those of
    another step of its derivation.

    Parameters
    ----------
    phrases
        All phrase pairs of the sentences.
    samples
        Derivations of each sentence, drawn at random; some may be equal.
    seed
        The same seed gives the same derivations of a sentence, also where others are left out.
    known
        Phrase pairs whose frequencies make derivations likely; None for ``phrases`` itself. What a
        sentence adds to these frequencies is not counted for its own derivations.
    prices
        How derivations are weighed.
    n_jobs
        Threads; None means all cores.
    """
    if not 1 <= samples <= _native.MOST_DERIVATIONS:
        most = _native.MOST_DERIVATIONS
        raise OptionError(f"samples must be 1 to {most:,} derivations, not {samples}")
    check_seed(seed)
    known = phrases if known is None else known
    keys, counts = zip(*(_counted(phrases, known, level, n_jobs) for level in _LEVELS), strict=True)
    counted = _counted_sentences(phrases, known)

    def uses(sentences: tuple[int, int]) -> NDArray[np.int32]:
        begin, end = sentences
        first, last = phrases.offsets[[begin, end]]
        return _native.derivation_uses(
            phrases.block(begin, end),
            [level[first:last] for level in keys],
            [level[first:last] for level in counts],
            counted[begin:end],
            begin,
            samples,
            seed,
            prices,
        )

    parts = [*map_ordered(uses, phrases.chunks(_CHUNK_PAIRS), n_jobs)]
    return phrases.repeated(
        np.concatenate([np.zeros(0, np.int32), *parts]),
        note=f"derivations:{samples},seed:{seed}",
    )


def _counted(
    phrases: PhrasePairs, known: PhrasePairs, level: str, n_jobs: int | None
) -> tuple[Keys, _Counts]:
    """Return the key of each pair, and how often it is among the known ones."""
    keys = phrase_keys(phrases, level, n_jobs)
    if known is phrases:
        unique, place = _native.unique_keys(keys)
        return keys, np.bincount(place, minlength=len(unique)).astype(np.int32)[place]
    unique, place = _native.unique_keys(phrase_keys(known, level, n_jobs))
    counts = np.bincount(place, minlength=len(unique)).astype(np.int32)
    found = _native.find_keys(unique, keys)
    there = found >= 0
    result = np.zeros(len(keys), np.int32)
    result[there] = counts[found[there]]
    return keys, result


def _counted_sentences(phrases: PhrasePairs, known: PhrasePairs) -> NDArray[np.uint8]:
    """Mark the sentences that are part of the known text."""
    same = known.bitext is phrases.bitext or known.bitext.fingerprint == phrases.bitext.fingerprint
    if not same:
        return np.zeros(len(phrases.bitext), np.uint8)
    return (ragged.lengths_of(known.offsets) > 0).astype(np.uint8)
