"""`Decoder`: phrase-based translation with any number of reordering models."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import copy
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tartib import _native
from tartib.decoder import features as names
from tartib.decoder.features import FeatureLayout, Vector, Weights
from tartib.decoder.long_sentences import cut, join
from tartib.decoder.nbest import Paths, Sentence
from tartib.decoder.orientation_scorers import ModelScorer, Options, OrientationScorer, weigh
from tartib.decoder.search_options import SearchOptions
from tartib.decoder.sparse_reordering import SparseReordering
from tartib.decoder.translation import NO_SPARSE, Hypothesis, SearchGraph, Translation
from tartib.engine import map_ordered
from tartib.errors import DataError, OptionError
from tartib.lm import LanguageModel
from tartib.phrase_table import PhraseTable
from tartib.textio import split_words

if TYPE_CHECKING:
    from tartib.reordering import ReorderingModel

    Reordering = OrientationScorer | ReorderingModel


class Decoder:
    """Translates sentences, each the best way that the search finds.

    Parameters
    ----------
    table
        The phrase table.
    lm
        The language model of the target language.
    reordering
        Reordering models by name, or some, which are then called ``LexicalReordering0`` and so on.
    sparse
        Sparse reordering features.
    weights
        Of the features, by name; the usual ones by default, which are a poor choice for any system:
        tune them. Sparse features that are not there weigh nothing.
    options
        How the search goes about it.

    Attributes
    ----------
    layout
        Names and order of the features.
    weights
        As a vector in that order.
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
            raise OptionError("the phrase table is empty: there is nothing to translate with")
        self.table = table
        self.lm = lm
        self.options = options or SearchOptions()
        if not isinstance(reordering, Mapping):
            reordering = {f"LexicalReordering{i}": model for i, model in enumerate(reordering)}
        self.reordering: dict[str, OrientationScorer] = {
            name: model if isinstance(model, OrientationScorer) else ModelScorer(model)
            for name, model in reordering.items()
        }
        sizes = {
            name: len(scorer.orientation.labels) * len(scorer.directions)
            for name, scorer in self.reordering.items()
        }
        self.sparse = sparse
        self.layout = FeatureLayout.of(
            table.n_scores, sizes, () if sparse is None else sparse.names
        )
        for scorer in self.reordering.values():
            scorer.bind(table.source_vocabulary, table.target_vocabulary)
        if sparse is not None:
            sparse.bind(table.source_vocabulary, table.target_vocabulary)
        self._lm_of_target = lm.ids(table.target_vocabulary)
        self.weights: Vector
        self._set_weights(
            self.layout.usual_weights() if weights is None else self.layout.vector(weights)
        )

    @classmethod
    def load(cls, path: str | Path, *, progress: bool = False) -> Decoder:
        """Load a system: the TOML file of a `System`, or a moses.ini.

        Parameters
        ----------
        path
            The file; its content tells which of the two it is.
        progress
            Show progress bars on a terminal.
        """
        from tartib.decoder.system import System  # it makes decoders

        return System.read(path).load(progress=progress)

    def __repr__(self) -> str:
        models = ", ".join(self.reordering) or "no reordering model"
        return f"<Decoder: {self.table}, {self.lm}, {models}>"

    def with_weights(self, weights: Vector) -> Decoder:
        """Return a decoder with other weights, a vector, that shares the models of this one."""
        other = copy(self)
        other._set_weights(self.layout.vector(self.layout.mapping(weights)))
        return other

    def _set_weights(self, weights: Vector) -> None:
        self.weights = weights
        of = {name: weights[self.layout.slice(name)] for name in self.layout.sizes}
        self._lm_weight = float(of[names.LM][0])
        self._distortion_weight = float(of[names.DISTORTION][0])
        self._sparse_weights = weights[self.layout.n_dense :]
        self._reordering_weights = {name: of[name] for name in self.reordering}
        self._finder = _native.OptionFinder(
            self.table.native,
            self.lm.native,
            self._lm_of_target,
            of[names.TRANSLATION],
            self._lm_weight,
            float(of[names.WORD_PENALTY][0]),
            float(of[names.PHRASE_PENALTY][0]),
            float(of[names.UNKNOWN_PENALTY][0]),
            self.options.table_limit,
            self.options.drop_unknown,
        )

    def translate(
        self,
        sentences: Iterable[str],
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
            Words with spaces between, in the form that the training text had.
        nbest_size
            How many translations of each.
        distinct
            Only translations whose words differ.
        graph
            Keep the search graphs.
        n_jobs
            Number of threads; None for all cores. The translations do not depend on it.
        ready
            As in `map_ordered`, where sentences come one by one and answers are waited for.
        """
        if not 1 <= nbest_size < 1 << 31:
            raise OptionError(f"an n-best list has 1 to 2147483647 translations, not {nbest_size}")
        if isinstance(sentences, str):
            raise OptionError("give sentences, [sentence] for a single one, and not a string")
        work = partial(self._translate, nbest_size=nbest_size, distinct=distinct, graph=graph)
        return map_ordered(work, sentences, n_jobs, ready=ready)

    def _translate(
        self, sentence: str, *, nbest_size: int, distinct: bool, graph: bool
    ) -> Translation:
        words = tuple(split_words(sentence))
        if not words:
            nothing = Hypothesis((), 0.0, np.zeros(self.layout.n_dense), NO_SPARSE, tuple)
            return Translation(words, (nothing,), self.layout)
        pieces = cut(words, self.options.max_words)
        warnings: tuple[str, ...] = ()
        if len(pieces) > 1:
            longest = self.options.max_words
            warnings = (f"{len(words)} words, more than {longest}: cut into {len(pieces)} pieces",)
        found = [
            self._search(words[begin:end], nbest_size, distinct=distinct, graph=graph)
            for begin, end in pieces
        ]
        lists = [piece for piece, _ in found]
        graphs = tuple(g for _, g in found if g is not None)
        best = lists[0]
        if len(pieces) > 1:
            best = join(lists, [begin for begin, _ in pieces], nbest_size, distinct=distinct)
        return Translation(words, best, self.layout, warnings, graphs)

    def _search(
        self, words: tuple[str, ...], nbest_size: int, *, distinct: bool, graph: bool
    ) -> tuple[Sequence[Hypothesis], SearchGraph | None]:
        """Translate a sentence, or a piece of one."""
        native_options, options = self._find(words)
        orientations = weigh(self.reordering, self._reordering_weights, options)
        sparse = None
        if self.sparse is not None:
            sparse = self.sparse.of(words, options, self._sparse_weights)
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
            problem = f"no translation of {words[0]!r} … has a score that is a number"
            hint = "the language model is damaged, or weights are far too large"
            raise DataError("the models", None, problem, hint)
        sentence = Sentence(
            words, options, self.table, self.layout, self.reordering, orientations.features, sparse
        )
        paths = Paths(sentence, found)
        return paths, paths.graph()

    def options_of(self, words: Sequence[str]) -> Options:
        """Return what the search may choose from for a sentence of `max_words` words or fewer."""
        return self._find(words)[1]

    def _find(self, words: Sequence[str]) -> tuple[_native.TranslationOptions, Options]:
        source = self.table.source_vocabulary.ids(words, {})
        as_target = self.table.target_vocabulary.ids(words, {})
        found = self._finder.find(source, as_target, self.lm.ids(words))
        return found, Options.found(source, found)


def _logarithm(threshold: float) -> float:
    return -np.inf if threshold == 0 else float(np.log(threshold))
