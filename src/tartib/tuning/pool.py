"""`Pool`: the translations that tuning has seen, as arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tartib import _native, ragged
from tartib.decoder.features import Vector
from tartib.errors import DataError
from tartib.storage import ArrayWriter, load_array

Mask = NDArray[np.bool_]
DAMAGED = "remove the damaged folder, and tune again"


@dataclass(frozen=True)
class Rows:
    """Translations, one row each.

    Attributes
    ----------
    sentences
        The sentence of each, in ascending order.
    stats
        BLEU statistics: length, length of the closest reference, matches and numbers of n-grams.
    dense
        Dense features.
    indptr, indices, values
        Sparse features of all rows, as in a SciPy CSR matrix.
    """

    sentences: NDArray[np.int64]
    stats: NDArray[np.int32]
    dense: NDArray[np.float32]
    indptr: NDArray[np.int64]
    indices: NDArray[np.int32]
    values: NDArray[np.float32]

    @classmethod
    def empty(cls, n_dense: int) -> Rows:
        """Return no rows."""
        return cls(
            np.zeros(0, np.int64),
            np.zeros((0, _native.BLEU_SIZE), np.int32),
            np.zeros((0, n_dense), np.float32),
            np.zeros(1, np.int64),
            np.zeros(0, np.int32),
            np.zeros(0, np.float32),
        )

    def __len__(self) -> int:
        return len(self.sentences)

    def take(self, order: NDArray[Any]) -> Rows:
        """Return some of the rows."""
        indptr, entries = ragged.take(self.indptr, order)
        return Rows(
            self.sentences[order],
            self.stats[order],
            self.dense[order],
            indptr,
            self.indices[entries],
            self.values[entries],
        )

    @classmethod
    def joined(cls, parts: Sequence[Rows]) -> Rows:
        """Return the rows of all parts, one part after another."""
        others = ("sentences", "stats", "dense", "indices", "values")
        joined = {name: np.concatenate([getattr(part, name) for part in parts]) for name in others}
        return cls(indptr=ragged.concatenate([part.indptr for part in parts]), **joined)

    def save(self, folder: Path) -> None:
        """Write an array file for each attribute."""
        for field in fields(self):
            array: NDArray[Any] = getattr(self, field.name)
            with ArrayWriter(folder / f"{field.name}.npy", array.dtype) as writer:
                writer.append(array.reshape(-1))

    @classmethod
    def load(cls, folder: Path, n_dense: int) -> Rows:
        """Read what `save` wrote; `Pool.add` checks the values."""
        kinds = {field.name: getattr(cls.empty(n_dense), field.name) for field in fields(cls)}
        found = {name: load_array(folder / f"{name}.npy", k.dtype) for name, k in kinds.items()}
        n_rows = len(found["sentences"])
        for name, kind in kinds.items():
            if kind.ndim == 2:
                if found[name].size != n_rows * kind.shape[1]:
                    raise DataError(folder / f"{name}.npy", None, "has the wrong length", DAMAGED)
                found[name] = found[name].reshape(n_rows, kind.shape[1])
        if len(found["indptr"]) != n_rows + 1:
            raise DataError(folder / "indptr.npy", None, "has the wrong length", DAMAGED)
        return cls(**found)


class Pool:
    """All different translations of each sentence of a text, with their features.

    Parameters
    ----------
    n_sentences
        Of the text.
    n_dense, n_sparse
        Numbers of features; weights are vectors with the dense ones before the sparse ones.

    Attributes
    ----------
    rows
        Sorted by sentence; those of a sentence in the order in which they were added.
    """

    def __init__(self, n_sentences: int, n_dense: int, n_sparse: int = 0) -> None:
        self.n_sentences = n_sentences
        self.n_dense = n_dense
        self.n_sparse = n_sparse
        self.rows = Rows.empty(n_dense)
        self._keys: NDArray[np.uint64] = np.zeros(0, np.uint64)

    def __len__(self) -> int:
        return len(self.rows)

    def add(self, rows: Rows) -> Rows:
        """Add translations and return those that are new.

        Two are the same if sentence, BLEU statistics and features are: no tuner could tell them
        apart. Raises ValueError for rows out of order or with impossible values.
        """
        if (rows.sentences[1:] < rows.sentences[:-1]).any():
            raise ValueError("sentences are out of order")
        keys = self._native_of(rows).keys()
        first = np.sort(np.unique(keys, return_index=True)[1])
        new = rows.take(first[~np.isin(keys[first], self._keys)])
        both = Rows.joined((self.rows, new))
        self.rows = both.take(np.argsort(both.sentences, kind="stable"))
        self._keys = np.concatenate((self._keys, self._native_of(new).keys()))
        self.__dict__.pop("native", None)
        return new

    @property
    def offsets(self) -> NDArray[np.int64]:
        """Sentence i has the rows from [i] to [i+1]."""
        return self._offsets_of(self.rows)

    def _offsets_of(self, rows: Rows) -> NDArray[np.int64]:
        return np.searchsorted(rows.sentences, np.arange(self.n_sentences + 1)).astype(np.int64)

    @cached_property
    def native(self) -> _native.TuningPool:
        """The pool for native code."""
        return self._native_of(self.rows)

    def _native_of(self, rows: Rows) -> _native.TuningPool:
        return _native.TuningPool(
            self._offsets_of(rows),
            rows.stats.reshape(-1),
            rows.dense.reshape(-1),
            self.n_dense,
            rows.indptr,
            rows.indices,
            rows.values,
            self.n_sparse,
        )

    def bleu(self, weights: Vector) -> float:
        """Return the BLEU score, from 0 to 1, of the translations that have the highest scores."""
        return bleu_of(self.rows.stats[self.native.best(weights)])


def bleu_of(stats: NDArray[np.int32]) -> float:
    """Return the BLEU score, from 0 to 1, of rows of statistics."""
    return _native.bleu_of(stats.sum(axis=0, dtype=np.float64))
