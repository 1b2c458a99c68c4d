"""N-best lists: the translations that a search found, with their features and steps."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, partial
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from tartib import ragged
from tartib.decoder.features import (
    DISTORTION,
    LM,
    LOWEST,
    PHRASE_PENALTY,
    TRANSLATION,
    UNKNOWN_PENALTY,
    WORD_PENALTY,
    FeatureLayout,
    Vector,
)
from tartib.decoder.orientation_scorers import (
    BoundScorer,
    Floats,
    TranslationOptions,
    class_of_code,
    columns_of,
    neighbour_of,
)
from tartib.decoder.sparse_reordering import SparseScores
from tartib.decoder.translation import (
    Hypothesis,
    Judgement,
    SearchGraph,
    SparseRows,
    Step,
    count_rows,
)
from tartib.orientation import MODEL_DIRECTIONS, OrientationModel
from tartib.phrase_table import PhraseTable

_CODES = OrientationModel("phrase", "mslr").names


class Sentence:
    """A sentence before the search: its words, its options, and their scores.

    Parameters
    ----------
    words
        Of the source.
    options
        The translations of its spans.
    table
        The phrase table that the options are from.
    layout
        Of the features.
    scorers
        The reordering models by name.
    log_probabilities
        For each name and direction the model's log-probabilities, options by classes.
    sparse
        Scores of sparse features, if there are any.
    """

    def __init__(
        self,
        words: tuple[str, ...],
        options: TranslationOptions,
        table: PhraseTable,
        layout: FeatureLayout,
        scorers: Mapping[str, BoundScorer],
        log_probabilities: Mapping[str, Mapping[str, Floats]],
        sparse: SparseScores | None = None,
    ) -> None:
        self.words = words
        self.options = options
        self.table = table
        self.layout = layout
        self.scorers = scorers
        self.log_probabilities = log_probabilities
        self.sparse = sparse
        self._targets: dict[int, tuple[str, ...]] = {}

    def target(self, option: int) -> tuple[str, ...]:
        """Return the words of an option."""
        if option not in self._targets:
            o = self.options
            ids = o.target_ids[o.target_offsets[option] : o.target_offsets[option + 1]].tolist()
            vocabulary = self.table.target_vocabulary
            self._targets[option] = tuple(
                vocabulary[i] if i >= 0 else o.others[-1 - i] for i in ids
            )
        return self._targets[option]

    def links(self, option: int) -> tuple[tuple[int, int], ...]:
        """Return the alignment inside an option."""
        o = self.options
        packed = o.links[o.link_offsets[option] : o.link_offsets[option + 1]]
        return tuple((i, j) for i, j in packed.view(np.uint16).reshape(-1, 2).tolist())

    def option_features(self, chosen: NDArray[np.int32]) -> dict[str, NDArray[np.float64]]:
        """Return the features that options have by themselves, by name."""
        o = self.options
        rows, given = o.rows[chosen], o.given[chosen]
        found = self.table.scores[np.maximum(rows, 0)].astype(np.float64)
        with np.errstate(divide="ignore"):
            scores = np.maximum(np.log(np.where(found > 0, found, 0.0)), LOWEST)
        scores[rows < 0] = 0.0
        forced = np.flatnonzero(given >= 0)
        scores[forced] = (o.logs[given[forced]] / self.table.n_scores)[:, None]
        offsets = o.target_offsets
        return {
            TRANSLATION: scores,
            WORD_PENALTY: -(offsets[chosen + 1] - offsets[chosen])[:, None].astype(float),
            PHRASE_PENALTY: np.ones((len(chosen), 1)),
            UNKNOWN_PENALTY: np.where(o.unknown[chosen], LOWEST, 0.0)[:, None],
        }


class Steps:
    """Steps of translations, in an n-best list or a search graph, and the features of each.

    Parameters
    ----------
    sentence
        What is translated.
    found
        The native search's arrays: language model, distortion and orientation of each step.
    options
        The option of each step.
    before
        The option of the step before, -1 for the first one.
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
    def judged(self) -> dict[tuple[str, str], tuple[NDArray[Any], NDArray[Any]]]:
        """By model and direction: the option that each step judges, -1 for none, and its class."""
        return {
            (name, direction): self._judged_by(scorer, direction)
            for name, scorer in self._sentence.scorers.items()
            for direction in scorer.directions
        }

    def _judged_by(self, scorer: BoundScorer, direction: str) -> tuple[NDArray[Any], NDArray[Any]]:
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
            return count_rows(rows, columns, nothing, nothing)
        codes = self._codes(scores.orientation)
        found = scores.occurrences(self.options, self._before, codes)
        return count_rows(rows, columns, row_of_step[found.steps], found.features)

    @property
    def features(self) -> Vector:
        """What each step adds, one row each."""
        layout = self._sentence.layout
        result = np.zeros((len(self.options), layout.n_dense))
        result[:, layout.slice(LM)] = self._found["lm"][:, None]
        result[:, layout.slice(DISTORTION)] = self._found["distortion"][:, None]
        for name, values in self._sentence.option_features(self.options).items():
            result[:, layout.slice(name)] = values
        for name, scorer in self._sentence.scorers.items():
            result[:, layout.slice(name)] = self._orientation_features(name, scorer)
        return result

    def _orientation_features(self, name: str, scorer: BoundScorer) -> NDArray[np.float64]:
        by_direction = []
        for direction in scorer.directions:
            logs = self._sentence.log_probabilities[name][direction]
            options, classes = self.judged[name, direction]
            values = np.zeros((len(options), logs.shape[1]))
            at = np.flatnonzero(options >= 0)
            values[at, classes[at]] = logs[options[at], classes[at]]
            by_direction.append(values)
        return np.concatenate(by_direction, axis=1)


class NBestList(Sequence[Hypothesis]):
    """An n-best list, whose translations are made when they are asked for.

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
        """The dense features of all translations, one row each."""
        if not len(self._added.options):  # an empty sentence
            return np.zeros((len(self), self._sentence.layout.n_dense))
        return np.add.reduceat(self._added.features, self._offsets[:-1], axis=0)

    @cached_property
    def sparse(self) -> SparseRows:
        """The sparse features of all translations."""
        return self._added.sparse(ragged.owners_of(self._offsets), len(self))

    @cached_property
    def targets(self) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """The words of all translations: where each begins, and ids of the phrase table."""
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
                    not options.unknown[option],
                    start - last,
                    _CODES[self._found["phrase_codes"][at]],
                    _CODES[self._found["hier_codes"][at]],
                    self._judgements(at),
                    self._sentence.links(option),
                    bool(options.given[option] >= 0),
                )
            )
            last = end
        return tuple(steps)

    def _judgements(self, at: int) -> tuple[Judgement, ...]:
        found = []
        for (name, direction), (options, classes) in self._added.judged.items():
            logs = self._sentence.log_probabilities[name][direction][options[at]]
            if (
                options[at] < 0 or not logs.any()
            ):  # all zeros: the model has no entry for the option
                continue
            label = columns_of(self._sentence.scorers[name].orientation)[classes[at]]
            found.append(Judgement(name, direction, label, float(np.exp(logs[classes[at]]))))
        return tuple(found)

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
