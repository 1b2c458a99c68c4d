"""Phrase pairs as classifiers see them: sparse rows, keys, and the classes to learn."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tartib.dataset import Dataset, build_dataset
from tartib.features import FeatureEncoder
from tartib.phrases import PhrasePairs
from tartib.reordering.keys import LEVELS, Keys, phrase_keys

_CHUNK_PAIRS = 1 << 16


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
