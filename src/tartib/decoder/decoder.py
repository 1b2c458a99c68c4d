"""`Decoder`: phrase-based translation with any number of reordering models."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import copy
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tartib import _native, ragged
from tartib.decoder.features import (
    DISTORTION,
    LM,
    PHRASE_PENALTY,
    TRANSLATION,
    UNKNOWN_PENALTY,
    WORD_PENALTY,
    FeatureLayout,
    Vector,
    Weights,
)
from tartib.decoder.long_sentences import MAX_WORDS, join_nbest, split_sentence
from tartib.decoder.marked_sentence import MarkedSentence, in_order, logarithms
from tartib.decoder.nbest import NBestList, Sentence
from tartib.decoder.orientation_scorers import (
    BoundScorer,
    ModelScorer,
    OrientationScorer,
    TranslationOptions,
    feature_names,
    orientation_scores,
)
from tartib.decoder.search_options import SearchOptions
from tartib.decoder.sparse_reordering import SparseReordering
from tartib.decoder.translation import NO_SPARSE, Hypothesis, SearchGraph, Translation
from tartib.engine import map_ordered
from tartib.errors import DataError, OptionError
from tartib.lm import LanguageModel
from tartib.phrase_table import PhraseTable

if TYPE_CHECKING:
    from tartib.reordering import ReorderingModel

    Reordering = OrientationScorer | ReorderingModel


class Decoder:
    """Translates sentences by beam search with a phrase table and a language model.

    Parameters
    ----------
    table
        The phrase table.
    lm
        The language model of the target language.
    reordering
        Reordering models by the names of their features, or a sequence of models, which are then
        named by `feature_names`.
    sparse
        Sparse reordering features.
    weights
        Of the features, by name; sparse features without a weight get 0. The default is where
        tuning usually starts, which is a poor choice for any system: tune it.
    options
        Of the search.

    Attributes
    ----------
    layout
        Names and order of the features: reordering models first, in the order given.
    weights
        A vector in that order.
    reordering
        The reordering models by name, in the ids of the phrase table.
    """

    def __init__(
        self,
        table: PhraseTable,
        lm: LanguageModel,
        reordering: Mapping[str, Reordering] | Sequence[Reordering] = (),
        *,
        sparse: SparseReordering | None = None,
        weights: Weights | None = None,
        options: SearchOptions | None = None,
    ) -> None:
        if not len(table):
            raise OptionError("the phrase table is empty: build it again, from more text")
        self.table = table
        self.lm = lm
        self.options = options or SearchOptions()
        vocabularies = table.source_vocabulary, table.target_vocabulary
        self.reordering: dict[str, BoundScorer] = {
            name: scorer.bind(*vocabularies) for name, scorer in _named(reordering).items()
        }
        sizes = {
            name: len(scorer.orientation.labels) * len(scorer.directions)
            for name, scorer in self.reordering.items()
        }
        self.sparse = None if sparse is None else sparse.bind(*vocabularies)
        self.layout = FeatureLayout.of(
            table.n_scores, sizes, () if sparse is None else sparse.names
        )
        self._lm_of_target = lm.ids_of(table.target_vocabulary)
        self.weights: Vector
        self._set_weights(
            self.layout.usual_weights() if weights is None else self.layout.vector(weights)
        )

    @classmethod
    def load(cls, path: str | Path, *, progress: bool = False) -> Decoder:
        """Load a system.

        Parameters
        ----------
        path
            The TOML file of a `System`, or a moses.ini; the content tells which.
        progress
            Show progress bars on a terminal.
        """
        from tartib.decoder.system import System  # it makes decoders

        return System.read(path).load(progress=progress)

    def __repr__(self) -> str:
        models = ", ".join(self.reordering) or "no reordering model"
        return f"<Decoder: {self.table}, {self.lm}, {models}>"

    @property
    def weights_by_name(self) -> dict[str, list[float]]:
        """The weights as a system file has them; sparse ones only where they are not zero."""
        return self.layout.mapping(self.weights)

    def with_weights(self, weights: Vector) -> Decoder:
        """Return a decoder with other weights, given as a vector, and the same models."""
        other = copy(self)
        other._set_weights(self.layout.vector(self.layout.mapping(weights)))
        return other

    def with_model(self, model: OrientationScorer, weights: Sequence[float]) -> Decoder:
        """Return a decoder with one reordering model more, and its weights."""
        other, name = copy(self), model.name
        if name in self.reordering:
            raise OptionError(f"there is a reordering model {name!r} already")
        bound = model.bind(self.table.source_vocabulary, self.table.target_vocabulary)
        other.reordering = {**self.reordering, name: bound}
        sizes = {key: self.layout.sizes[key] for key in self.reordering} | {name: len(weights)}
        other.layout = FeatureLayout.of(self.table.n_scores, sizes, self.layout.sparse)
        other._set_weights(other.layout.vector({**self.weights_by_name, name: weights}))
        return other

    def _set_weights(self, weights: Vector) -> None:
        self.weights = weights
        of = {name: weights[self.layout.slice(name)] for name in self.layout.sizes}
        self._lm_weight = float(of[LM][0])
        self._distortion_weight = float(of[DISTORTION][0])
        self._sparse_weights = weights[self.layout.n_dense :]
        self._reordering_weights = {name: of[name] for name in self.reordering}
        self._finder = _native.OptionFinder(
            self.table.native,
            self.lm.native,
            self._lm_of_target,
            of[TRANSLATION],
            self._lm_weight,
            float(of[WORD_PENALTY][0]),
            float(of[PHRASE_PENALTY][0]),
            float(of[UNKNOWN_PENALTY][0]),
            self.options.table_limit,
            self.options.drop_unknown,
        )

    def translate(
        self,
        sentences: Iterable[str | MarkedSentence],
        *,
        nbest_size: int = 1,
        distinct: bool = False,
        graph: bool = False,
        n_jobs: int | None = None,
        ready: Callable[[], bool] | None = None,
    ) -> Iterator[Translation]:
        """Yield the translation of each sentence, in order.

        Parameters
        ----------
        sentences
            Words separated by spaces, tokenised like the training text; or with translations of
            some of them.
        nbest_size
            How many translations of each.
        distinct
            Leave out translations that repeat the words of a better one.
        graph
            Keep the search graphs.
        n_jobs
            Number of threads; None for all cores. The translations do not depend on it.
        ready
            Whether the next sentence is there already, as in `map_ordered`: lets translations out
            at once where sentences come one by one.
        """
        if not 1 <= nbest_size < 1 << 31:
            raise OptionError(f"nbest_size must be from 1 to 2147483647: {nbest_size}")
        if isinstance(sentences, str):
            raise OptionError("give a list of sentences, [sentence] for a single one, not a string")
        work = partial(self._translate, nbest_size=nbest_size, distinct=distinct, graph=graph)
        return map_ordered(work, sentences, n_jobs, ready=ready)

    def _translate(
        self, given: str | MarkedSentence, *, nbest_size: int, distinct: bool, graph: bool
    ) -> Translation:
        sentence = MarkedSentence.of(given)
        words = sentence.words
        if len(words) > MAX_WORDS:
            raise OptionError(
                f"a sentence of {len(words):,} words: at most {MAX_WORDS:,} are allowed; cut it"
            )
        if not words:
            nothing = Hypothesis((), 0.0, np.zeros(self.layout.n_dense), NO_SPARSE, tuple)
            return Translation(words, (nothing,), self.layout)
        pieces = split_sentence(words, self.options.max_words, sentence.spans)
        warnings: tuple[str, ...] = ()
        if len(pieces) > 1:
            longest = self.options.max_words
            warnings = (f"{len(words)} words, more than {longest}: cut into {len(pieces)} pieces",)
        found = [
            self._search(sentence.piece(begin, end), nbest_size, distinct=distinct, graph=graph)
            for begin, end in pieces
        ]
        lists = [nbest for nbest, _ in found]
        graphs = tuple(g for _, g in found if g is not None)
        best = lists[0]
        if len(pieces) > 1:
            best = join_nbest(lists, [begin for begin, _ in pieces], nbest_size, distinct=distinct)
        return Translation(words, best, self.layout, warnings, graphs)

    def _search(
        self, piece: MarkedSentence, nbest_size: int, *, distinct: bool, graph: bool
    ) -> tuple[Sequence[Hypothesis], SearchGraph | None]:
        """Translate a sentence, or a piece of one."""
        words = piece.words
        native_options, options = self._find(piece)
        orientations = orientation_scores(self.reordering, self._reordering_weights, options)
        sparse = None
        if self.sparse is not None:
            sparse = self.sparse.scores(words, options, self._sparse_weights)
            sparse.add_to(orientations)
        flat: dict[str, Any] = {
            name: None if table is None else np.ascontiguousarray(table).reshape(-1)
            for name, table in (*orientations.tables.items(), *orientations.sums.items())
        }
        found: dict[str, Any] = _native.search(
            self.lm.native,
            native_options,
            **flat,
            lm_weight=self._lm_weight,
            distortion_weight=self._distortion_weight,
            limit=self.options.distortion_limit,
            stack=self.options.stack_size,
            threshold=_logarithm(self.options.beam_threshold),
            pops=self.options.cube_pops,
            nbest=nbest_size,
            distinct=distinct,
            keep_graph=graph,
        )
        if not len(found["totals"]):
            problem = f"all translations of the sentence {words[0]} … have NaN as their score"
            hint = "check the language model for damage, and the weights for very large values"
            raise DataError("the models", None, problem, hint)
        sentence = Sentence(
            words,
            options,
            self.table,
            self.layout,
            self.reordering,
            orientations.log_probabilities,
            sparse,
        )
        nbest = NBestList(sentence, found)
        return nbest, nbest.graph()

    def translation_options(self, given: Sequence[str] | MarkedSentence) -> TranslationOptions:
        """Return the translation options of a sentence of `max_words` words or fewer."""
        if isinstance(given, MarkedSentence):
            return self._find(given)[1]
        return self._find(MarkedSentence(tuple(given)))[1]

    def _find(
        self, sentence: MarkedSentence
    ) -> tuple[_native.TranslationOptions, TranslationOptions]:
        words, forced = sentence.words, in_order(sentence.forced)
        given = [word for one in forced for word in one.target]
        source = self.table.source_vocabulary.ids(words, {})
        others: dict[str, int] = {}
        as_target = self.table.target_vocabulary.ids(words, others)
        logs = logarithms(forced)
        found = self._finder.find(
            source,
            as_target,
            self.lm.ids(words),
            starts=np.array([one.start for one in forced], np.int64),
            ends=np.array([one.end for one in forced], np.int64),
            logs=logs,
            target_ids=self.table.target_vocabulary.ids(given, others),
            lm_of_targets=self.lm.ids(given),
            target_offsets=ragged.offsets_of([len(one.target) for one in forced]),
            exclusive=sentence.exclusive,
        )
        return found, TranslationOptions.from_native(source, found, tuple(others), logs)


def _named(
    reordering: Mapping[str, Reordering] | Sequence[Reordering],
) -> dict[str, OrientationScorer]:
    """Return reordering models as scorers, by the names of their features, in the order given."""
    given: tuple[str, ...] = ()
    if isinstance(reordering, Mapping):
        given, reordering = tuple(reordering), tuple(reordering.values())
    scorers = [
        model if isinstance(model, OrientationScorer) else ModelScorer(model)
        for model in reordering
    ]
    return dict(zip(feature_names(scorers, given), scorers, strict=True))


def _logarithm(threshold: float) -> float:
    return -np.inf if threshold == 0 else float(np.log(threshold))
