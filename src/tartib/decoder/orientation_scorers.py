"""Scores of translation options that depend on where the option is placed: the reordering models.

A scorer sees a sentence and all its translation options once, before the search, and gives each
option a log-probability for each orientation. Which orientation an option in fact has depends on
the hypothesis, and is found by ``native/decoder/search_space.hpp``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Literal, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from tartib import _native, ragged
from tartib.decoder.features import LOWEST
from tartib.errors import OptionError
from tartib.features.candidates import Candidates
from tartib.orientation import MODEL_DIRECTIONS, OrientationModel
from tartib.vocabulary import Vocabulary

if TYPE_CHECKING:  # importing classifiers takes a second, which a system of tables need not wait
    from tartib.reordering import BoundReorderingModel, FrozenModel, ReorderingModel

Floats = NDArray[np.float32]
BETWEEN = ("phrase_between", "hier_between")
UnknownWords = Literal["score", "skip"]
LEXICAL = "LexicalReordering"  # Moses' name of a reordering table's feature, before its number

_LONGEST_FORCED = 20  # words of a phrase that classifiers score


@dataclass(frozen=True)
class TranslationOptions(Candidates):
    """A sentence and its translation options, in the phrase table's ids.

    Attributes
    ----------
    rows
        For each option its row of the phrase table; -1 for an unknown word that is passed through,
        and for a forced translation that the table does not have.
    given
        For each option its place in `logs`, -1 for those that do not come with the sentence.
    others
        The target words that the table does not have: the ids of the first are -1, -2 …
    logs
        Logarithms of the probabilities of forced translations.
    """

    rows: NDArray[np.int64]
    given: NDArray[np.int32]
    others: tuple[str, ...]
    logs: NDArray[np.float64]

    @classmethod
    def from_native(
        cls,
        source: NDArray[np.int32],
        options: _native.TranslationOptions,
        others: tuple[str, ...],
        logs: NDArray[np.float64],
    ) -> TranslationOptions:
        """Return the arrays of what the native code found."""
        return cls(source, **options.arrays(), others=others, logs=logs)

    @property
    def unknown(self) -> NDArray[np.bool_]:
        """Which options are unknown words."""
        return (self.rows < 0) & (self.given < 0)


@runtime_checkable
class OrientationScorer(Protocol):
    """A reordering model that a decoder can use.

    Attributes
    ----------
    orientation
        What the classes are.
    directions
        ``backward``, ``forward`` or both, in this order.
    """

    @property
    def name(self) -> str:
        """What the model is, for the name of its feature."""
        ...

    orientation: OrientationModel
    directions: tuple[str, ...]

    def bind(self, source: Vocabulary, target: Vocabulary) -> BoundScorer:
        """Return a scorer of options in the ids of these vocabularies; this one stays unchanged."""
        ...


class BoundScorer(Protocol):
    """An `OrientationScorer` in the ids of one phrase table."""

    orientation: OrientationModel
    directions: tuple[str, ...]

    def log_probabilities(self, options: TranslationOptions) -> Mapping[str, Floats]:
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

    name = LEXICAL

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
            raise OptionError(
                f"{name} needs {columns} probabilities for each phrase pair, not {found}"
            )
        self.orientation = orientation
        self.directions = directions
        self._probabilities = probabilities

    def bind(self, source: Vocabulary, target: Vocabulary) -> TableScorer:  # noqa: ARG002
        """Return the scorer itself: it looks at rows of the phrase table, not at words."""
        return self

    def log_probabilities(self, options: TranslationOptions) -> Mapping[str, Floats]:
        """Look the rows up."""
        found = self._probabilities[np.maximum(options.rows, 0)]
        with np.errstate(divide="ignore"):
            logs = np.maximum(np.log(found), np.float32(LOWEST))
        logs[(options.rows < 0) | np.isnan(found).any(axis=1)] = 0.0
        by_direction = np.split(logs, len(self.directions), axis=1)
        return dict(zip(self.directions, by_direction, strict=True))


class ModelScorer:
    """A `ReorderingModel`: a classifier that sees the source context, or a lexicalised model.

    Parameters
    ----------
    model
        A trained model.
    unknown_words
        ``score`` them: a classifier by their context, a lexicalised model as it does rare words; or
        ``skip`` them: they score 0, as with Moses' tables. By default classifiers score them and
        lexicalised models skip them.
    """

    def __init__(
        self, model: ReorderingModel | FrozenModel, unknown_words: UnknownWords | None = None
    ) -> None:
        self.directions = model.directions  # refuses a model that is not trained
        self.orientation = model.orientation_
        self._model = model
        usual: UnknownWords = "skip" if model.encoder_ is None else "score"
        self._unknown_words = unknown_words or usual

    @property
    def name(self) -> str:
        """What the model is: ``svm-S6``, ``lexicalised``."""
        return self._model.feature_name

    def bind(self, source: Vocabulary, target: Vocabulary) -> BoundModelScorer:
        """Return a scorer that reads the ids of these vocabularies."""
        bound = self._model.bind(source, target)
        return BoundModelScorer(
            bound,
            self.orientation,
            self.directions,
            scores_unknown_words=self._unknown_words == "score",
        )


class BoundModelScorer:
    """A `ReorderingModel` in the ids of one phrase table; made by `ModelScorer.bind`."""

    def __init__(
        self,
        model: BoundReorderingModel,
        orientation: OrientationModel,
        directions: tuple[str, ...],
        *,
        scores_unknown_words: bool,
    ) -> None:
        self.orientation = orientation
        self.directions = directions
        self._model = model
        self._scores_unknown_words = scores_unknown_words
        self._unknown_word = model.unknown_word()  # empty if the model sees the context

    def log_probabilities(self, options: TranslationOptions) -> Mapping[str, Floats]:
        """Score all options at once.

        Words that are dropped score 0, and so do forced translations that the phrase table does not
        have if the model is lexicalised: it has no entry for them, while a classifier sees their
        context. Forced phrases longer than any that it learnt from score 0,
        too: they could have too many features.
        """
        words = ragged.lengths_of(options.target_offsets)
        kept = words > 0
        kept &= (options.given < 0) | (np.maximum(words, options.lengths) <= _LONGEST_FORCED)
        unknown = options.unknown & (words > 0)
        if self._unknown_word:
            kept &= options.rows >= 0
        elif not self._scores_unknown_words:
            kept &= ~unknown
        found = self._model.log_probabilities(options if kept.all() else options.only(kept))
        order = self.orientation.table_order
        scores = {name: _spread(values[:, order], kept) for name, values in found.items()}
        if self._scores_unknown_words:
            for name, row in self._unknown_word.items():
                scores[name][unknown] = row[order]
        return scores


def _spread(values: Floats, kept: NDArray[np.bool_]) -> Floats:
    """Put rows back where they were, with zeros between them."""
    if len(values) == len(kept):
        return values
    result = np.zeros((len(kept), values.shape[1]), np.float32)
    result[kept] = values
    return result


def feature_names(
    scorers: Sequence[OrientationScorer], given: Sequence[str | None] = ()
) -> tuple[str, ...]:
    """Return a name for the feature of each reordering model, all different.

    Parameters
    ----------
    scorers
        The models. Tables have Moses' names, ``LexicalReordering0`` and so on. Others are named
        after what they are, ``svm-S6`` for example, and ``svm-S6-2`` if that is taken.
    given
        Names that the user chose, None for models without one.
    """
    chosen = tuple(given) or (None,) * len(scorers)
    taken = {name for name in chosen if name is not None}
    names: list[str] = []
    n_tables = 0
    for scorer, name in zip(scorers, chosen, strict=True):
        if scorer.name == LEXICAL:
            found = name or f"{LEXICAL}{n_tables}"
            n_tables += 1
        else:
            found = name or _unused(scorer.name, taken)
        taken.add(found)
        names.append(found)
    if len(set(names)) < len(names):
        raise OptionError("two reordering models have the same name: give each its own")
    return tuple(names)


def _unused(name: str, taken: set[str]) -> str:
    found, number = name, 2
    while found in taken:
        found, number = f"{name}-{number}", number + 1
    return found


@dataclass(frozen=True)
class OrientationScores:
    """The weighted scores that the search needs, by what counts as a neighbour and by direction.

    Attributes
    ----------
    tables
        For each of ``phrase_backward`` … ``hier_forward`` four scores for each option, one for each
        code of orientation; or None.
    sums
        For ``phrase_between`` and ``hier_between`` the scores of source words that lie between, for
        each code summed over the words before each position; or None.
    log_probabilities
        For each reordering model and direction the log-probabilities themselves.
    """

    tables: dict[str, Floats | None]
    sums: dict[str, NDArray[np.float64] | None]
    log_probabilities: dict[str, Mapping[str, Floats]]


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


def orientation_scores(
    scorers: Mapping[str, BoundScorer],
    weights: Mapping[str, NDArray[np.float64]],
    options: TranslationOptions,
) -> OrientationScores:
    """Return the weighted scores of a sentence's options, summed over the reordering models."""
    tables: dict[str, Floats | None] = {
        f"{neighbour}_{direction}": None
        for neighbour in ("phrase", "hier")
        for direction in MODEL_DIRECTIONS
    }
    log_probabilities: dict[str, Mapping[str, Floats]] = {}
    for name, scorer in scorers.items():
        found = log_probabilities[name] = scorer.log_probabilities(options)
        classes = class_of_code(scorer.orientation)
        by_direction = np.split(weights[name], len(scorer.directions))
        for direction, of_classes in zip(scorer.directions, by_direction, strict=True):
            weighted = (found[direction] * of_classes.astype(np.float32))[:, classes]
            key = f"{neighbour_of(scorer.orientation)}_{direction}"
            known = tables[key]
            tables[key] = weighted if known is None else known + weighted
    return OrientationScores(tables, dict.fromkeys(BETWEEN), log_probabilities)
