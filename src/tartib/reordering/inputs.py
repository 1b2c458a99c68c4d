"""What models see of phrase pairs: rows of features, 64-bit keys, and the classes to learn.

The same pair of texts has the same key in every corpus.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tartib import _native
from tartib.dataset import Dataset, build_dataset
from tartib.engine import map_ordered
from tartib.errors import OptionError, native_refusals
from tartib.features import FeatureEncoder
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

    def source_words(self) -> Keys:
        """Return the key of each source word as a phrase by itself, by granularity ``f``."""
        source, target = self._hashes
        words = len(source)
        return _native.candidate_keys(
            source,
            target,
            _SIDES["f"],
            np.arange(words, dtype=np.int32),
            np.arange(words),
            np.ones(words, np.int64),
            np.full(words, -1, np.int32),  # any target: it is not looked at
            np.arange(words + 1),
        )

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


@dataclass(frozen=True)
class Inputs:
    """What a model sees of phrase pairs.

    Attributes
    ----------
    rows
        Their features; None for a model without features.
    keys
        Their keys, by what is hashed: ``fe``, ``f`` or ``e``.
    """

    rows: Dataset | None
    keys: Mapping[str, Keys]

    def levels(self, granularity: str) -> list[Keys]:
        """Return the keys that a lexicalised model looks up, in the order of its back-off."""
        return [self.keys[level] for level in LEVELS[granularity]]

    def labelled(self, y: NDArray[np.integer], classes: Sequence[str]) -> Examples:
        """Return the same pairs with their classes, numbers of the names in ``classes``."""
        names = tuple(classes)
        rows = None if self.rows is None else self.rows.with_labels(y, names)
        return Examples(rows, self.keys, y, names)


@dataclass(frozen=True)
class Examples(Inputs):
    """Phrase pairs with their classes, to train or to test on; made by `Inputs.labelled`."""

    y: NDArray[np.integer]
    classes: tuple[str, ...]


def read_inputs(
    phrases: PhrasePairs,
    encoder: FeatureEncoder | None,
    key_levels: Sequence[str] = (),
    *,
    out: Path | None = None,
    n_jobs: int | None = None,
    progress: bool = False,
) -> Inputs:
    """Return the inputs of all phrase pairs at once.

    Parameters
    ----------
    phrases
        Pairs of any corpus.
    encoder
        Makes the rows; None for a model without features.
    key_levels
        Which keys are needed: some of ``fe``, ``f``, ``e``.
    out
        Folder for the rows; training then reads them from disk. None keeps them in memory.
    n_jobs
        Threads; None means all cores.
    progress
        Show a progress bar on a terminal.
    """
    rows = None
    if encoder is not None:
        rows = build_dataset(
            phrases, encoder, out=out, overwrite=True, n_jobs=n_jobs, progress=progress
        )
    return Inputs(rows, {level: phrase_keys(phrases, level, n_jobs) for level in key_levels})


def iter_inputs(
    phrases: PhrasePairs,
    encoder: FeatureEncoder | None,
    key_levels: Sequence[str],
    n_jobs: int | None,
) -> Iterator[Inputs]:
    """Yield the inputs of phrase pairs in order, chunk by chunk, so that memory stays flat."""
    keys = {level: phrase_keys(phrases, level, n_jobs) for level in key_levels}
    if encoder is None:
        for begin in range(0, len(phrases), _CHUNK_PAIRS):
            end = begin + _CHUNK_PAIRS
            yield Inputs(None, {level: part[begin:end] for level, part in keys.items()})
        return
    done = 0
    for indptr, columns in encoder.encode(phrases, n_jobs):
        rows = unlabelled_rows(indptr, columns, encoder.n_features)
        end = done + len(rows)
        yield Inputs(rows, {level: part[done:end] for level, part in keys.items()})
        done = end


def unlabelled_rows(
    indptr: NDArray[np.int64], columns: NDArray[np.int32], n_features: int
) -> Dataset:
    """Return encoded rows as a dataset whose labels mean nothing."""
    y = np.zeros(len(indptr) - 1, np.int32)
    return Dataset(indptr, columns, y, classes=("",), n_features=n_features)
