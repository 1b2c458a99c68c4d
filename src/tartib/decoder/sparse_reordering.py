"""Sparse reordering features: an orientation together with one word (Cherry 2013).

C. Cherry, "Improved reordering for phrase-based translation using sparse features", NAACL 2013. A
feature counts how often an orientation occurs with a word of a list, or of a class of words, at one
place: the first or last word, on the source or the target side, of the phrase itself (``phrase``:
the orientation is the one to what comes before) or of the phrase before it (``stack``: its
orientation to what comes after), or any source word that is jumped over (``between``). They have
no probabilities: only tuning gives them weights.

Names are those of Moses: ``phr-src-first-top200-the-2`` is kind, side, place, list, word and
number of the orientation, in the order of Moses' tables.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tartib import ragged
from tartib.decoder.orientation_scorers import (
    OrientationScores,
    TranslationOptions,
    class_of_code,
    columns_of,
    neighbour_of,
)
from tartib.errors import OptionError
from tartib.orientation import OrientationModel
from tartib.textio import split_words
from tartib.vocabulary import Vocabulary

Ids = NDArray[np.int32]
Labels = Mapping[str, str]

KINDS = {"phrase": "phr", "stack": "stk", "between": "btn"}
_SIDES = {"source": "src", "target": "tgt"}
_PLACES = ("first", "last")
_NAME = re.compile(rf"({'|'.join(KINDS.values())})-({'|'.join(_SIDES.values())})-")
_APART = ("other", "dright", "dleft")  # the orientations that leave words between


@dataclass(frozen=True)
class WordList:
    """Words that sparse features look at.

    Attributes
    ----------
    side
        ``source`` or ``target``.
    name
        Part of the features' names.
    labels
        What stands for each word in them: itself, or its class.
    """

    side: str
    name: str
    labels: Labels

    @classmethod
    def of_words(cls, side: str, name: str, words: Sequence[str]) -> WordList:
        """Return a list whose words stand for themselves."""
        return cls(side, name, {word: word for word in words})

    @classmethod
    def of_classes(cls, side: str, name: str, classes: Labels) -> WordList:
        """Return a list whose words are told apart by their classes only."""
        return cls(side, name, {word: f"cluster_{found}" for word, found in classes.items()})


def is_sparse_name(feature: str) -> bool:
    """Whether a feature's name is that of a sparse reordering feature."""
    return _NAME.match(feature) is not None


class Slot(NamedTuple):
    """A place where a word of a list may stand; its features are numbered from ``begin``."""

    kind: str
    place: str
    words: WordList
    begin: int
    order: Mapping[str, int]  # of the labels

    def number(self, word: str) -> int:
        """Return the number of a word's label, -1 for a word that is not in the list."""
        label = self.words.labels.get(word)
        return -1 if label is None else self.begin + self.order[label]


class Occurrences(NamedTuple):
    """Features of consecutive steps: the number of a step, and of a feature, once for each time."""

    steps: NDArray[np.int64]
    features: NDArray[np.int64]


class SparseReordering:
    """Sparse reordering features of a decoder.

    Parameters
    ----------
    orientation
        Which orientations, and from where they are seen.
    lists
        The words.
    kinds
        Some of ``phrase``, ``stack`` and ``between``.
    """

    def __init__(
        self,
        orientation: OrientationModel,
        lists: Sequence[WordList],
        kinds: Sequence[str] = ("phrase",),
    ) -> None:
        if unknown := [kind for kind in kinds if kind not in KINDS]:
            raise OptionError(f"no sparse feature is called {unknown[0]!r}: use {', '.join(KINDS)}")
        if any(words.side not in _SIDES for words in lists):
            raise OptionError("the side of a word list is source or target")
        if spaced := [words.name for words in lists if len(split_words(words.name)) != 1]:
            raise OptionError(f"the name of a word list is one word, not {spaced[0]!r}")
        self.orientation = orientation
        self.kinds = tuple(kind for kind in KINDS if kind in kinds)
        self.lists = tuple(lists)
        self.slots = tuple(self._number())
        if len(set(self.names)) < len(self.names):
            raise OptionError("two word lists of one side have the same name")

    def _number(self) -> Iterator[Slot]:
        begin = 0
        for kind in self.kinds:
            for words in self.lists:
                for place in _PLACES:
                    if kind == "between" and (words.side == "target" or place == "last"):
                        continue  # as Moses has it
                    order = {
                        label: i for i, label in enumerate(dict.fromkeys(words.labels.values()))
                    }
                    yield Slot(kind, place, words, begin, order)
                    begin += len(order)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names of all features, in order: for each word of a slot all its orientations."""
        classes = range(len(columns_of(self.orientation)))
        return tuple(
            f"{KINDS[kind]}-{_SIDES[words.side]}-{place}-{words.name}-{label}-{number}"
            for kind, place, words, _, order in self.slots
            for label in order
            for number in classes
        )

    def bind(self, source: Vocabulary, target: Vocabulary) -> BoundSparseReordering:
        """Return the features in the ids of these vocabularies; this object stays unchanged."""
        return BoundSparseReordering(self, source, target)


class BoundSparseReordering:
    """Sparse reordering features in the ids of one phrase table.

    Parameters
    ----------
    features
        Which ones.
    source, target
        The vocabularies that options have their ids from.
    """

    def __init__(self, features: SparseReordering, source: Vocabulary, target: Vocabulary) -> None:
        self.features = features
        self._of_word = [
            _numbers(slot, source if slot.words.side == "source" else target)
            for slot in features.slots
        ]

    def scores(
        self, words: Sequence[str], options: TranslationOptions, weights: NDArray[np.float64]
    ) -> SparseScores:
        """Return the scores of a sentence's options.

        Parameters
        ----------
        words
            The sentence.
        options
            The translations of its spans.
        weights
            Of all features, in order.
        """
        orientation = self.features.orientation
        classes = len(columns_of(orientation))
        # One row more, of zeros, for words that are in no list: their number is -1.
        table = np.concatenate((weights.reshape(-1, classes), np.zeros((1, classes))))
        standing = _standing(options)
        found: dict[str, list[Ids]] = {kind: [] for kind in self.features.kinds}
        for slot, numbers in zip(self.features.slots, self._of_word, strict=True):
            place = "any" if slot.kind == "between" else slot.place
            ids, places = standing[slot.words.side, place]
            column = numbers[np.maximum(ids, -1)]
            # Words that the table does not have may be in a list all the same.
            for i in np.flatnonzero((ids < 0) & (places >= 0)):
                is_source = slot.words.side == "source"
                word = words[places[i]] if is_source else options.others[-1 - ids[i]]
                column[i] = slot.number(word)
            found[slot.kind].append(column)
        numbers_of = {kind: np.stack(columns, axis=1) for kind, columns in found.items() if columns}
        return SparseScores(orientation, options, numbers_of, table)


def _numbers(slot: Slot, vocabulary: Vocabulary) -> Ids:
    """Return for each id the number of its label in a slot, -1 for others; -1 for the last id."""
    numbers = np.full(len(vocabulary) + 1, -1, np.int32)
    for word in slot.words.labels:
        found = vocabulary.id(word)
        if found is not None:
            numbers[found] = slot.number(word)
    return numbers


def _standing(options: TranslationOptions) -> dict[tuple[str, str], tuple[Ids, NDArray[np.int64]]]:
    """Return for each side and place the options' words, and their positions, -1 for no word."""
    begins, ends = options.target_offsets[:-1], options.target_offsets[1:]
    targets: Ids = np.append(options.target_ids, np.int32(-1))  # for options without words
    nothing = begins == ends
    itself = np.where(nothing, -1, options.starts)
    first, last = options.starts, options.starts + options.lengths - 1
    return {
        ("source", "first"): (options.source[first], first),
        ("source", "last"): (options.source[last], last),
        ("target", "first"): (np.where(nothing, -1, targets[begins]), itself),
        ("target", "last"): (np.where(nothing, -1, targets[ends - 1]), itself),
        ("source", "any"): (options.source, np.arange(len(options.source))),
    }


class SparseScores:
    """Scores of sparse features in one sentence.

    Parameters
    ----------
    orientation
        Of the features.
    options
        The sentence.
    numbers
        For each kind the words' numbers of each option, or of each source word; -1 for none.
    table
        The weight of each word's number with each class; the last row is for none.
    """

    def __init__(
        self,
        orientation: OrientationModel,
        options: TranslationOptions,
        numbers: Mapping[str, Ids],
        table: NDArray[np.float64],
    ) -> None:
        self.orientation = orientation
        self._options = options
        self._numbers = numbers
        self._table = table

    def add_to(self, known: OrientationScores) -> None:
        """Add the weighted scores to those of reordering models."""
        neighbour = neighbour_of(self.orientation)
        for kind, direction in (("phrase", "backward"), ("stack", "forward")):
            if kind not in self._numbers:
                continue
            weighted = self._weighted(kind).astype(np.float32)
            table = known.tables[f"{neighbour}_{direction}"]
            known.tables[f"{neighbour}_{direction}"] = (
                weighted if table is None else table + weighted
            )
        if "between" in self._numbers:
            weighted = np.where(_is_apart(self.orientation), self._weighted("between"), 0.0)
            before = np.concatenate((np.zeros((1, 4)), weighted.cumsum(axis=0)))
            known.sums[f"{neighbour}_between"] = np.ascontiguousarray(before.T)

    def _weighted(self, kind: str) -> NDArray[np.float64]:
        """Return the score of each code, for each option or word."""
        found: NDArray[np.float64] = self._table[self._numbers[kind]].sum(axis=1)
        return found[:, class_of_code(self.orientation)]

    def occurrences(
        self, options: Ids, before: Ids, codes: Mapping[str, NDArray[np.uint8]]
    ) -> Occurrences:
        """Return the features of steps.

        Parameters
        ----------
        options, before
            The option of each step, and that of the step before it, -1 for none.
        codes
            The code of each step's orientation, ``backward`` and ``forward``.
        """
        found = []
        for kind, judged, direction in (
            ("phrase", options, "backward"),
            ("stack", before, "forward"),
        ):
            if kind in self._numbers:
                steps = np.flatnonzero(judged >= 0)
                numbers = self._numbers[kind][judged[steps]]
                found.append(self._found(steps, numbers, codes[direction]))
        if "between" in self._numbers:
            apart = _is_apart(self.orientation)[codes["backward"]]
            steps, words = self._gaps(np.flatnonzero(apart), options, before)
            found.append(self._found(steps, self._numbers["between"][words], codes["backward"]))
        if not found:
            return Occurrences(np.zeros(0, np.int64), np.zeros(0, np.int64))
        return Occurrences(*(np.concatenate(arrays) for arrays in zip(*found, strict=True)))

    def _found(
        self, steps: NDArray[np.int64], numbers: Ids, codes: NDArray[np.uint8]
    ) -> Occurrences:
        classes = class_of_code(self.orientation)[codes[steps]]
        at, column = np.nonzero(numbers >= 0)
        features = numbers[at, column].astype(np.int64) * self._table.shape[1] + classes[at]
        return Occurrences(steps[at], features)

    def _gaps(
        self, steps: NDArray[np.int64], options: Ids, before: Ids
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the source words that steps jump over, and whose step it is."""
        o = self._options
        ends = o.starts + o.lengths
        now, last = options[steps], before[steps]
        first = last < 0  # before the sentence there is a phrase that ends at 0
        last_start = np.where(first, 0, o.starts[last])
        last_end = np.where(first, 0, ends[last])
        onwards = o.starts[now] >= last_end
        begin = np.where(onwards, last_end, ends[now])
        lengths = np.where(onwards, o.starts[now], last_start) - begin
        return np.repeat(steps, lengths), ragged.ranges(begin, lengths)


def _is_apart(orientation: OrientationModel) -> NDArray[np.bool_]:
    """Return for each code whether its class leaves words between."""
    return np.array([name in _APART for name in orientation.names])
