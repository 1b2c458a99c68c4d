"""The paths that a search found, as translations with features and steps."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, partial
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from tartib import ragged
from tartib.decoder import features as names
from tartib.decoder.features import FeatureLayout, Vector
from tartib.decoder.orientation_scorers import (
    LOWEST,
    Floats,
    Options,
    OrientationScorer,
    class_of_code,
    columns_of,
    neighbour_of,
)
from tartib.decoder.sparse_reordering import SparseScores
from tartib.decoder.translation import Hypothesis, Move, SearchGraph, SparseRows, Step, counted
from tartib.orientation import MODEL_DIRECTIONS, OrientationModel
from tartib.phrase_table import PhraseTable

_CODES = OrientationModel("phrase", "mslr").names


class Sentence:
    """A sentence before the search: its words, its options, and what reordering models say.

    Parameters
    ----------
    words
        Of the source.
    options
        What its spans may become.
    table
        Where the options are from.
    layout
        Of the features.
    scorers
        The reordering models by name.
    said
        What they say: for each name and direction log-probabilities of classes by option.
    sparse
        What sparse features say, if there are any.
    """

    def __init__(
        self,
        words: tuple[str, ...],
        options: Options,
        table: PhraseTable,
        layout: FeatureLayout,
        scorers: Mapping[str, OrientationScorer],
        said: Mapping[str, Mapping[str, Floats]],
        sparse: SparseScores | None = None,
    ) -> None:
        self.words = words
        self.options = options
        self.table = table
        self.layout = layout
        self.scorers = scorers
        self.said = said
        self.sparse = sparse
        self._targets: dict[int, tuple[str, ...]] = {}

    def target(self, option: int) -> tuple[str, ...]:
        """Return the words of an option."""
        if option not in self._targets:
            o = self.options
            ids = o.target_ids[o.target_offsets[option] : o.target_offsets[option + 1]].tolist()
            itself = self.words[o.starts[option]]
            vocabulary = self.table.target_vocabulary
            self._targets[option] = tuple(vocabulary[i] if i >= 0 else itself for i in ids)
        return self._targets[option]

    def links(self, option: int) -> tuple[tuple[int, int], ...]:
        """Return the alignment inside an option."""
        o = self.options
        packed = o.links[o.link_offsets[option] : o.link_offsets[option + 1]]
        return tuple((i, j) for i, j in packed.view(np.uint16).reshape(-1, 2).tolist())

    def option_features(self, chosen: NDArray[np.int32]) -> dict[str, NDArray[np.float64]]:
        """Return the features that options have by themselves, by name."""
        rows = self.options.rows[chosen]
        given = self.table.scores[np.maximum(rows, 0)].astype(np.float64)
        with np.errstate(divide="ignore"):
            scores = np.maximum(np.log(np.where(given > 0, given, 0.0)), LOWEST)
        scores[rows < 0] = 0.0
        offsets = self.options.target_offsets
        return {
            names.TRANSLATION: scores,
            names.WORD_PENALTY: -(offsets[chosen + 1] - offsets[chosen])[:, None].astype(float),
            names.PHRASE_PENALTY: np.ones((len(chosen), 1)),
            names.UNKNOWN_PENALTY: np.where(rows < 0, LOWEST, 0.0)[:, None],
        }


class Steps:
    """Steps of translations, wherever they stand, and what each one adds to the features.

    Parameters
    ----------
    sentence
        What is translated.
    found
        What the native code says of each step: language model, distortion and codes.
    options
        The option of each step.
    before
        The option of the step before, -1 where there is none.
    """

    def __init__(
        self,
        sentence: Sentence,
        found: Mapping[str, Any],
        options: NDArray[np.int32],
        before: NDArray[np.int32],
    ) -> None:
        self._sentence = sentence
        self._found = found
        self.options = options
        self._before = before

    @cached_property
    def judgements(self) -> dict[tuple[str, str], tuple[NDArray[Any], NDArray[Any]]]:
        """By model and direction: the option that each step judges, -1 for none, and its class."""
        return {
            (name, direction): self._judged(scorer, direction)
            for name, scorer in self._sentence.scorers.items()
            for direction in scorer.directions
        }

    def _judged(
        self, scorer: OrientationScorer, direction: str
    ) -> tuple[NDArray[Any], NDArray[Any]]:
        classes = class_of_code(scorer.orientation)[self._codes(scorer.orientation)[direction]]
        return (self.options if direction == "backward" else self._before), classes

    def _codes(self, orientation: OrientationModel) -> dict[str, NDArray[np.uint8]]:
        hier = neighbour_of(orientation) == "hier"
        kinds = ("hier_codes", "next_codes") if hier else ("phrase_codes", "phrase_codes")
        return {name: self._found[kind] for name, kind in zip(MODEL_DIRECTIONS, kinds, strict=True)}

    def sparse(self, row_of_step: NDArray[np.int64], rows: int) -> SparseRows:
        """Return what steps add to the sparse features, summed over the steps of each row."""
        scores, columns = self._sentence.sparse, len(self._sentence.layout.sparse)
        if scores is None:
            nothing = np.zeros(0, np.int64)
            return counted(rows, columns, nothing, nothing)
        codes = self._codes(scores.orientation)
        found = scores.occurrences(self.options, self._before, codes)
        return counted(rows, columns, row_of_step[found.steps], found.features)

    @property
    def features(self) -> Vector:
        """What each step adds, one row each."""
        layout = self._sentence.layout
        result = np.zeros((len(self.options), layout.n_dense))
        result[:, layout.slice(names.LM)] = self._found["lm"][:, None]
        result[:, layout.slice(names.DISTORTION)] = self._found["distortion"][:, None]
        for name, values in self._sentence.option_features(self.options).items():
            result[:, layout.slice(name)] = values
        for name, scorer in self._sentence.scorers.items():
            result[:, layout.slice(name)] = self._orientation_features(name, scorer)
        return result

    def _orientation_features(self, name: str, scorer: OrientationScorer) -> NDArray[np.float64]:
        parts = []
        for direction in scorer.directions:
            said = self._sentence.said[name][direction]
            judged, classes = self.judgements[name, direction]
            values = np.zeros((len(judged), said.shape[1]))
            at = np.flatnonzero(judged >= 0)
            values[at, classes[at]] = said[judged[at], classes[at]]
            parts.append(values)
        return np.concatenate(parts, axis=1)


class Paths(Sequence[Hypothesis]):
    """An n-best list, whose translations are put into words when they are asked for.

    Parameters
    ----------
    sentence
        What was translated.
    found
        The arrays of the native search.
    """

    def __init__(self, sentence: Sentence, found: Mapping[str, Any]) -> None:
        self._sentence = sentence
        self._found = found
        self._steps: NDArray[np.int32] = found["steps"]
        self._offsets: NDArray[np.int64] = found["offsets"]
        before = np.roll(self._steps, 1)
        first_steps = self._offsets[:-1][ragged.lengths_of(self._offsets) > 0]
        before[first_steps] = -1  # before a sentence there is no option
        self._added = Steps(sentence, found, self._steps, before)

    def __len__(self) -> int:
        return len(self._offsets) - 1

    def __iter__(self) -> Iterator[Hypothesis]:
        return (self._hypothesis(i) for i in range(len(self)))

    @overload
    def __getitem__(self, index: int) -> Hypothesis: ...
    @overload
    def __getitem__(self, index: slice) -> list[Hypothesis]: ...
    def __getitem__(self, index: int | slice) -> Hypothesis | list[Hypothesis]:
        """Return a translation, or some."""
        if isinstance(index, slice):
            return [self._hypothesis(i) for i in range(*index.indices(len(self)))]
        if not -len(self) <= index < len(self):
            raise IndexError(f"no translation {index} among {len(self)}")
        return self._hypothesis(index % len(self))

    def _hypothesis(self, i: int) -> Hypothesis:
        steps = self._steps[self._offsets[i] : self._offsets[i + 1]].tolist()
        words = tuple(word for step in steps for word in self._sentence.target(step))
        total = float(self._found["totals"][i])
        of_i = partial(self._steps_of, i)
        return Hypothesis(words, total, self.features[i], self.sparse.row(i), of_i)

    @cached_property
    def features(self) -> Vector:
        """The dense features of all paths, one row each."""
        if not len(self._added.options):  # nothing was to be translated
            return np.zeros((len(self), self._sentence.layout.n_dense))
        return np.add.reduceat(self._added.features, self._offsets[:-1], axis=0)

    @cached_property
    def sparse(self) -> SparseRows:
        """The sparse features of all paths."""
        return self._added.sparse(ragged.owners_of(self._offsets), len(self))

    @cached_property
    def targets(self) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """The words of all paths: where each path's begin, and ids, as `Options` has them."""
        options = self._sentence.options
        offsets, places = ragged.take(options.target_offsets, self._steps)
        return offsets[self._offsets], options.target_ids[places]

    def _steps_of(self, i: int) -> tuple[Step, ...]:
        options = self._sentence.options
        steps = []
        last = 0
        for at in range(self._offsets[i], self._offsets[i + 1]):
            option = int(self._steps[at])
            start = int(options.starts[option])
            end = start + int(options.lengths[option])
            steps.append(
                Step(
                    start,
                    end,
                    self._sentence.target(option),
                    bool(options.rows[option] >= 0),
                    start - last,
                    _CODES[self._found["phrase_codes"][at]],
                    _CODES[self._found["hier_codes"][at]],
                    self._moves(at),
                    self._sentence.links(option),
                )
            )
            last = end
        return tuple(steps)

    def _moves(self, at: int) -> tuple[Move, ...]:
        moves = []
        for (name, direction), (judged, classes) in self._added.judgements.items():
            said = self._sentence.said[name][direction][judged[at]]
            if judged[at] < 0 or not said.any():  # all zeros: the model has nothing of the option
                continue
            label = columns_of(self._sentence.scorers[name].orientation)[classes[at]]
            moves.append(Move(name, direction, label, float(np.exp(said[classes[at]]))))
        return tuple(moves)

    def graph(self) -> SearchGraph | None:
        """Return the search graph, if it was kept."""
        if "graph" not in self._found:
            return None
        options = self._sentence.options
        kept = self._found["graph"]
        chosen: NDArray[np.int32] = np.concatenate((np.full(1, -1, np.int32), kept["steps"]))
        added = Steps(self._sentence, kept, kept["steps"], chosen[kept["parents"][1:]])
        return SearchGraph(
            kept["scores"],
            kept["parents"],
            chosen,
            kept["best"],
            np.concatenate((np.zeros((1, self._sentence.layout.n_dense)), added.features)),
            added.sparse(np.arange(1, len(chosen)), len(chosen)),
            options.starts,
            options.lengths,
            tuple(" ".join(self._sentence.target(o)) for o in range(len(options))),
        )
