"""Scores of translation options that depend on where the option goes: what reordering models say.

These are the option-local scorers: they see a sentence and all its options before the search, once.
What a hypothesis adds (where an option in fact lies) is for ``native/decoder/search_space.hpp``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from tartib import _native, ragged
from tartib.errors import OptionError
from tartib.features.candidates import Candidates
from tartib.orientation import MODEL_DIRECTIONS, OrientationModel
from tartib.vocabulary import Vocabulary

if TYPE_CHECKING:  # a system without trained models need not wait for what classifiers load
    from tartib.reordering import BoundReorderingModel, ReorderingModel

Floats = NDArray[np.float32]
SUMS = ("phrase_between", "hier_between")
LOWEST = -100.0  # the logarithm of a zero probability, as in Moses


@dataclass(frozen=True)
class Options(Candidates):
    """A sentence and its translation options, in the phrase table's ids.

    Attributes
    ----------
    rows
        For each option its row of the phrase table, -1 for a word that stands for itself.
    """

    rows: NDArray[np.int64]

    @classmethod
    def found(cls, source: NDArray[np.int32], options: _native.TranslationOptions) -> Options:
        """Take the arrays of what the native code found."""
        return cls(source, **options.arrays())


@runtime_checkable
class OrientationScorer(Protocol):
    """Gives each option the logarithm of a probability for each orientation.

    Attributes
    ----------
    orientation
        What the classes are.
    directions
        ``backward``, ``forward`` or both, in this order.
    """

    orientation: OrientationModel
    directions: tuple[str, ...]

    def bind(self, source: Vocabulary, target: Vocabulary) -> None:
        """Learn the vocabularies that options will be given in; called once, by the decoder."""
        ...

    def log_probabilities(self, options: Options) -> Mapping[str, Floats]:
        """Return for each direction an array of options by classes, in Moses' order of classes."""
        ...


class TableScorer:
    """A lexicalised reordering table, with a row of probabilities for each row of a phrase table.

    Parameters
    ----------
    probabilities
        One row each, the classes of ``backward`` before those of ``forward``; NaN where the table
        has no entry, which then scores 0.
    orientation, directions
        As in `OrientationScorer`.
    """

    def __init__(
        self,
        probabilities: Floats,
        orientation: OrientationModel,
        directions: tuple[str, ...],
    ) -> None:
        columns = len(orientation.labels) * len(directions)
        if probabilities.ndim != 2 or probabilities.shape[1] != columns:
            found = probabilities.shape[-1]
            name = f"{orientation} {' and '.join(directions)}"
            raise OptionError(f"{name} needs {columns} probabilities a phrase pair, not {found}")
        self.orientation = orientation
        self.directions = directions
        self._probabilities = probabilities

    def bind(self, source: Vocabulary, target: Vocabulary) -> None:
        """Need nothing: rows are rows of the phrase table."""

    def log_probabilities(self, options: Options) -> Mapping[str, Floats]:
        """Look the rows up."""
        found = self._probabilities[np.maximum(options.rows, 0)]
        with np.errstate(divide="ignore"):
            logs = np.maximum(np.log(found), np.float32(LOWEST))
        logs[(options.rows < 0) | np.isnan(found).any(axis=1)] = 0.0
        parts = np.split(logs, len(self.directions), axis=1)
        return dict(zip(self.directions, parts, strict=True))


class ModelScorer:
    """A `ReorderingModel`: a classifier that sees the source context, or a lexicalised model.

    Parameters
    ----------
    model
        Trained.
    """

    def __init__(self, model: ReorderingModel) -> None:
        self.directions = model.directions  # refuses a model that is not trained
        self.orientation = model.orientation_
        self._model = model
        self._bound: BoundReorderingModel | None = None

    def bind(self, source: Vocabulary, target: Vocabulary) -> None:
        """Translate the decoder's ids into the model's words."""
        self._bound = self._model.bind(source, target)

    def log_probabilities(self, options: Options) -> Mapping[str, Floats]:
        """Ask the model about all options at once.

        Words that are dropped score 0, and so do unknown ones if the model is lexicalised: it knows
        nothing of them, while a classifier sees their context.
        """
        if self._bound is None:
            raise OptionError("the scorer was not bound to vocabularies")
        kept = ragged.lengths_of(options.target_offsets) > 0
        if self._model.encoder_ is None:
            kept &= options.rows >= 0
        found = self._bound.log_probabilities(options if kept.all() else options.only(kept))
        order = self.orientation.table_order
        return {name: _spread(values[:, order], kept) for name, values in found.items()}


def _spread(values: Floats, kept: NDArray[np.bool_]) -> Floats:
    """Put rows back where they were, with zeros between them."""
    if len(values) == len(kept):
        return values
    result = np.zeros((len(kept), values.shape[1]), np.float32)
    result[kept] = values
    return result


@dataclass(frozen=True)
class Orientations:
    """The weighted scores that the search asks for, by what counts as a neighbour and direction.

    Attributes
    ----------
    tables
        For each of ``phrase_backward`` … ``hier_forward`` four scores an option, one a code; or
        None.
    sums
        For ``phrase_between`` and ``hier_between`` the scores of source words that lie between, for
        each code summed over the words before each place; or None.
    features
        For each reordering model and direction the log-probabilities themselves.
    """

    tables: dict[str, Floats | None]
    sums: dict[str, NDArray[np.float64] | None]
    features: dict[str, Mapping[str, Floats]]


def neighbour_of(orientation: OrientationModel) -> str:
    """Return what a decoder takes for the neighbour: it cannot tell words from phrases."""
    return "hier" if orientation.model == "hier" else "phrase"


@lru_cache
def columns_of(orientation: OrientationModel) -> tuple[str, ...]:
    """Return the classes in the order of features and weights, which is that of Moses' tables."""
    return tuple(orientation.labels[c] for c in orientation.table_order)


@lru_cache
def class_of_code(orientation: OrientationModel) -> NDArray[np.intp]:
    """Return the class, among `columns_of`, of each of the four codes."""
    columns = columns_of(orientation)
    return np.array([columns.index(name) for name in orientation.names], np.intp)


def weigh(
    scorers: Mapping[str, OrientationScorer], weights: Mapping[str, NDArray[np.float64]], o: Options
) -> Orientations:
    """Ask every scorer about the options of a sentence, and weigh what they say."""
    tables: dict[str, Floats | None] = {
        f"{neighbour}_{direction}": None
        for neighbour in ("phrase", "hier")
        for direction in MODEL_DIRECTIONS
    }
    features: dict[str, Mapping[str, Floats]] = {}
    for name, scorer in scorers.items():
        found = features[name] = scorer.log_probabilities(o)
        classes = class_of_code(scorer.orientation)
        parts = np.split(weights[name], len(scorer.directions))
        for direction, part in zip(scorer.directions, parts, strict=True):
            weighted = (found[direction] * part.astype(np.float32))[:, classes]
            table = f"{neighbour_of(scorer.orientation)}_{direction}"
            known = tables[table]
            tables[table] = weighted if known is None else known + weighted
    return Orientations(tables, dict.fromkeys(SUMS), features)
