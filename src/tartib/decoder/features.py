"""The features of a decoder: their order, and their weights by Moses' names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tartib.errors import OptionError
from tartib.wording import counted

Vector = NDArray[np.float64]
Weights = Mapping[str, float | Sequence[float]]

LM = "LM0"
DISTORTION = "Distortion0"
WORD_PENALTY = "WordPenalty0"
PHRASE_PENALTY = "PhrasePenalty0"
UNKNOWN_PENALTY = "UnknownWordPenalty0"
TRANSLATION = "TranslationModel0"

# Where tuning usually starts.
_USUAL = {
    LM: 0.5,
    DISTORTION: 0.3,
    WORD_PENALTY: -1.0,
    PHRASE_PENALTY: 0.2,
    UNKNOWN_PENALTY: 1.0,
    TRANSLATION: 0.2,
}
_USUAL_REORDERING = 0.3
_LARGEST = 1e6
LOWEST = -100.0  # the logarithm of a zero probability, as in Moses


@dataclass(frozen=True)
class FeatureLayout:
    """Names of features and how many values each has.

    A vector of weights has those of the dense features first.

    Attributes
    ----------
    sizes
        Number of values of each dense feature by name, in order.
    sparse
        Names of the sparse ones, which have one value each.
    """

    sizes: Mapping[str, int]
    sparse: tuple[str, ...] = ()

    @classmethod
    def of(
        cls, n_scores: int, reordering: Mapping[str, int], sparse: Sequence[str] = ()
    ) -> FeatureLayout:
        """Return the layout of a system.

        Parameters
        ----------
        n_scores
            Scores of the phrase table.
        reordering
            The reordering models, and how many values each has.
        sparse
            Names of sparse features.
        """
        dense = dict.fromkeys((DISTORTION, LM, WORD_PENALTY, PHRASE_PENALTY, UNKNOWN_PENALTY), 1)
        if clash := set(reordering) & {*dense, TRANSLATION}:
            raise OptionError(f"a reordering model cannot be called {clash.pop()!r}")
        if clash := {*reordering, *dense, TRANSLATION}.intersection(sparse):
            raise OptionError(f"two features are called {clash.pop()!r}: rename a word list")
        return cls({**reordering, **dense, TRANSLATION: n_scores}, tuple(sparse))

    def __len__(self) -> int:
        return self.n_dense + len(self.sparse)

    @cached_property
    def n_dense(self) -> int:
        """Number of values of the dense features."""
        return sum(self.sizes.values())

    @cached_property
    def _sparse_places(self) -> dict[str, int]:
        return {name: i for i, name in enumerate(self.sparse)}

    def slice(self, name: str) -> slice:
        """Return where the values of a dense feature are in a vector."""
        begin = 0
        for other, size in self.sizes.items():
            if other == name:
                return slice(begin, begin + size)
            begin += size
        raise KeyError(name)

    def usual_weights(self) -> Vector:
        """Return the weights where tuning usually starts."""
        values = {
            name: [_USUAL.get(name, _USUAL_REORDERING)] * size for name, size in self.sizes.items()
        }
        return self.vector(values)

    def vector(self, weights: Weights) -> Vector:
        """Return weights as a vector; a sparse feature without a weight gets 0."""
        known = self._sparse_places
        if unknown := [name for name in weights if name not in self.sizes and name not in known]:
            names = ", ".join(self.sizes) + (", and sparse ones" if known else "")
            raise OptionError(f"no feature is called {unknown[0]!r}: the features are {names}")
        dense = []
        for name, size in self.sizes.items():
            if name not in weights:
                raise OptionError(f"{name} has no weight: it needs {size}")
            values = np.atleast_1d(np.asarray(weights[name], np.float64))
            if values.shape != (size,):
                raise OptionError(f"{name} needs {counted(size, 'weight')}, not {values.size}")
            _check_range(name, values)
            dense.append(values)
        sparse = np.zeros(len(self.sparse))
        for name in weights:
            if name in known:
                value = np.asarray(weights[name], np.float64).reshape(-1)
                if value.shape != (1,):
                    raise OptionError(f"{name} needs one weight, not {value.size}")
                _check_range(name, value)
                sparse[known[name]] = value[0]
        return np.concatenate((*dense, sparse))

    def mapping(self, vector: Vector) -> dict[str, list[float]]:
        """Return a vector's values by name; sparse ones only where they are not zero."""
        found = {name: vector[self.slice(name)].tolist() for name in self.sizes}
        sparse = vector[self.n_dense :]
        return found | {self.sparse[i]: [float(sparse[i])] for i in np.flatnonzero(sparse).tolist()}


def _check_range(name: str, values: Vector) -> None:
    # Larger weights could make sums of features infinite.
    if not (np.abs(values) <= _LARGEST).all():
        raise OptionError(f"a weight of {name} is not a number from -1e6 to 1e6")
