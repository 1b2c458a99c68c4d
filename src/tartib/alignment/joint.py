"""`AlignmentModel`: both directions at once, trained to agree; aligns any text, and can be kept.

The model and its equations are in ``native/alignment/``; this module has the passes over the text.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tartib import _native
from tartib.alignment.best_links import BestLinks, attach_words, choose_links
from tartib.alignment.lexicon import Lexicon, as_lexicon
from tartib.alignment.links import Links
from tartib.alignment.model_files import ModelArrays, load_arrays, save_arrays
from tartib.alignment.symmetrisation import DEFAULT_HEURISTIC, check_heuristic
from tartib.bitext import Bitext, ReadOptions, Text
from tartib.engine import count_jobs
from tartib.errors import OptionError, native_refusals
from tartib.progress import progress_bar
from tartib.signature import signature
from tartib.vocabulary import Vocabulary

CANDIDATES = 80  # that each word has on the other side, at most
PASSES = (False, False, False, True, True, True)  # with jumps, or without
LEAST = 0.3  # probability of a link, unless less is asked for
_LEAST_COUNT = 1e-6  # of two words that a saved model mentions: less is not counted in training
_AT_ONCE = 2048  # sentences between two chances to interrupt


class Pass(NamedTuple):
    """What one pass over the text found.

    Attributes
    ----------
    jumps
        Whether positions counted (hidden Markov model), or not (IBM model 1).
    perplexity
        Of the target words given the source words, and of the source words given the target words:
        how well the parameters from before the pass predict them. None for the first pass, which
        has associations of words in place of parameters.
    seconds
        What the pass took.
    """

    jumps: bool
    perplexity: tuple[float, float] | None
    seconds: float


@dataclass(frozen=True, eq=False)
class Alignment:
    """Links, and how sure the model is of them.

    Attributes
    ----------
    bitext
        The text with links.
    probabilities
        For each link the geometric mean of the posterior probabilities that the two directions give
        it, where that of the direction counts three times in which a word chose the link. For words
        that were attached the posterior probability of their own direction.
    """

    bitext: Bitext
    probabilities: NDArray[np.float32]

    def above(self, least: float) -> Bitext:
        """Return the text with the links of at least this probability."""
        return self.only(least).bitext

    def only(self, least: float) -> Alignment:
        """Return the links of at least this probability, with theirs."""
        kept = self.probabilities >= least
        before = np.concatenate(([0], np.cumsum(kept)))
        links, offsets = self.bitext.links[kept], before[self.bitext.link_offsets]
        bitext = replace(self.bitext, links=links, link_offsets=offsets)
        return Alignment(bitext, self.probabilities[kept])


class AlignmentModel:
    """How words translate one another and how positions follow one another, in both directions.

    Make one by `train` or `load`.

    Attributes
    ----------
    source, target
        The words that the model knows.
    passes
        What training saw, pass by pass; empty for a loaded model.
    sentences
        How many sentence pairs it was trained on.
    too_long
        How many of these, at the training, taught nothing, as they have too many possible links.
    """

    def __init__(self, source: Vocabulary, target: Vocabulary) -> None:
        self.source, self.target = source, target
        # One word more on each side: all those that the model does not know.
        self._words = (len(source) + 1, len(target) + 1)
        self._native = _native.JointAligner(*self._words)
        self.passes: list[Pass] = []
        self.sentences = self.too_long = 0

    def __repr__(self) -> str:
        return f"<AlignmentModel of {len(self.source):,} and {len(self.target):,} words>"

    @property
    def signature(self) -> str:
        """What the model is, in one line."""
        words = f"{len(self.source)}+{len(self.target)}"
        return signature(("aligner", "joint"), ("sentences", self.sentences), ("words", words))

    @classmethod
    def train(
        cls,
        bitext: Bitext,
        *,
        priors: Lexicon | AlignmentModel | str | Path | None = None,
        n_jobs: int | None = None,
        callback: Callable[[Pass], None] | None = None,
        progress: bool = False,
    ) -> AlignmentModel:
        """Learn from a text, whatever links it has.

        Parameters
        ----------
        bitext
            The text; sentence pairs with more than 1,048,576 possible links teach nothing.
        priors
            Words that are known to translate one another: a `Lexicon`, another model, whose counts
            are added to those of this text, or the file or folder of one.
        n_jobs
            Number of threads, None for all cores. The result is the same for any number.
        callback
            Called after each pass.
        progress
            Show a progress bar on a terminal.
        """
        known = as_lexicon(priors)
        model = cls(bitext.source.vocabulary, bitext.target.vocabulary)
        model.sentences = len(bitext)
        possible = bitext.source.lengths * bitext.target.lengths
        model.too_long = int((possible > _native.MOST_LINKS).sum())
        text, threads = model._text(bitext), count_jobs(n_jobs)
        prior = known.cells_for(model.source, model.target)
        with native_refusals():
            model._native.find_candidates(text, CANDIDATES, *prior, threads)
        with _following(len(PASSES) * len(bitext), shown=progress) as bar:
            for number, jumps in enumerate(PASSES, 1):
                tally, began = _Tally(first=number == 1), time.perf_counter()
                for begin, end in _slices(len(bitext)):
                    tally.add(model._native.count(text, begin, end, jumps, threads))
                    bar.step(end - begin, f", pass {number}/{len(PASSES)}{tally}")
                model._native.maximise(jumps, threads)
                done = Pass(jumps, tally.perplexity, time.perf_counter() - began)
                model.passes.append(done)
                if callback is not None:
                    callback(done)
        return model

    def align(
        self,
        bitext: Bitext,
        heuristic: str = DEFAULT_HEURISTIC,
        *,
        attach: float | None = None,
        min_probability: float | None = None,
        n_jobs: int | None = None,
        progress: bool = False,
    ) -> Alignment:
        """Align a text, the one that the model was trained on or another.

        Parameters
        ----------
        bitext
            The text. Words that the model does not know are aligned by their positions.
        heuristic
            How the links that each word of either side likes best are combined; see `symmetrise`.
        attach
            Give each word that is then left without a link one to what its own direction alone
            believes in most, if that gives it at least this probability; 0.5 is a good value where
            one word often stands for several, as in Arabic. None: leave these words alone.
        min_probability
            Leave out links that are less probable. Words choose links of 0.3 or more, or of this
            probability if it is lower. None: 0.3, and nothing is left out.
        n_jobs
            Number of threads, None for all cores. The result is the same for any number.
        progress
            Show a progress bar on a terminal.
        """
        check_heuristic(heuristic)
        check_probabilities(attach=attach, min_probability=min_probability)
        least = LEAST if min_probability is None else min(LEAST, min_probability)
        text, threads = self._text(bitext), count_jobs(n_jobs)
        parts: list[Links] = []
        sure: list[NDArray[np.float32]] = [np.empty(0, np.float32)]
        with _following(len(bitext), shown=progress) as bar:
            for begin, end in _slices(len(bitext)):
                found = self._native.align(text, begin, end, least, threads)
                best = BestLinks(*found[0]), BestLinks(*found[1])
                part = bitext.slice(begin, end)
                links, probabilities = choose_links(part, *best, heuristic, threads)
                if attach is not None:
                    links, probabilities = attach_words(part, links, probabilities, best, attach)
                parts.append(links)
                sure.append(probabilities)
                bar.step(end - begin, " sentences")
        links = Links.join(parts)
        aligned = replace(bitext, links=links.positions, link_offsets=links.offsets, aligned=True)
        alignment = Alignment(aligned, np.concatenate(sure))
        return alignment if min_probability is None else alignment.only(min_probability)

    def posteriors(self, source: str, target: str) -> tuple[NDArray[np.float32], ...]:
        """Return the posterior probabilities of all links of a sentence pair.

        Parameters
        ----------
        source, target
            Words separated by spaces.

        Returns
        -------
        tuple
            Two matrices of source × target words: the probability that the target word comes from
            the source word, and the reverse. What the probabilities of a word lack to 1 is that of
            its coming from no word.
        """
        most = _native.MAX_SENTENCE_LENGTH
        options = ReadOptions(max_sentence_length=most, skip_empty=True)
        bitext = Bitext.from_lines([source], [target], options=options)
        if len(bitext) == 0:
            raise OptionError(f"both sides need words, and at most {most:,}")
        if len(bitext.source.ids) * len(bitext.target.ids) > _native.MOST_LINKS:
            raise OptionError(f"the words have more than {_native.MOST_LINKS:,} possible links")
        with native_refusals():
            forward, backward = self._native.posteriors(self._text(bitext), 0)
        sizes = len(bitext.source.ids), len(bitext.target.ids)
        return forward.reshape(sizes[::-1]).T, backward.reshape(sizes)

    def unknown(self, bitext: Bitext) -> tuple[float, float]:
        """Return the share of the source and of the target words that the model does not know."""
        sides = ((bitext.source, self.source), (bitext.target, self.target))
        shares = [
            float((_ids_in(text, words) == len(words)).mean()) if len(text.ids) else 0.0
            for text, words in sides
        ]
        return shares[0], shares[1]

    def lexicon(self) -> Lexicon:
        """Return how often words were linked."""
        sources, targets, counts = self._native.cells(_LEAST_COUNT)
        return Lexicon(self.source, self.target, sources, targets, counts)

    def save(self, folder: str | Path, *, overwrite: bool = False) -> None:
        """Write a folder that `load` reads."""
        words = [self._native.counts(source) for source in (True, False)]
        jumps = [self._native.jumps(forward) for forward in (True, False)]
        arrays = ModelArrays(self.lexicon(), *words[0], *words[1], jumps[0], jumps[1])
        save_arrays(arrays, folder, self.sentences, self.signature, overwrite=overwrite)

    @classmethod
    def load(cls, folder: str | Path) -> AlignmentModel:
        """Read what `save` wrote."""
        arrays, sentences = load_arrays(Path(folder))
        model = cls(arrays.lexicon.source, arrays.lexicon.target)
        model.sentences = sentences
        arrays.restore(model._native, Path(folder))
        return model

    def _text(self, bitext: Bitext) -> _native.AlignmentText:
        """Return a text in ids of the model."""
        sides = (
            (_ids_in(bitext.source, self.source), bitext.source.offsets, self._words[0]),
            (_ids_in(bitext.target, self.target), bitext.target.offsets, self._words[1]),
        )
        with native_refusals():
            return _native.AlignmentText(*sides[0], *sides[1])


def check_probabilities(**given: float | None) -> None:
    """Refuse options that are no probabilities."""
    for name, value in given.items():
        if value is not None and not 0 <= value <= 1:
            raise OptionError(f"{name} must be between 0 and 1, got {value:g}")


def _ids_in(text: Text, vocabulary: Vocabulary) -> NDArray[np.int32]:
    """Return the ids that the words have in another vocabulary, its size if they have none."""
    if text.vocabulary is vocabulary:
        return np.ascontiguousarray(text.ids)
    others: dict[str, int] = {}
    known = vocabulary.ids(text.vocabulary, others)
    return np.where(known < 0, len(vocabulary), known).astype(np.int32)[text.ids]


def _slices(sentences: int) -> Iterator[tuple[int, int]]:
    return ((at, min(at + _AT_ONCE, sentences)) for at in range(0, sentences, _AT_ONCE))


class _Tally:
    """Sums over the slices of a pass."""

    def __init__(self, *, first: bool) -> None:
        self._first, self._tokens, self._log = first, np.zeros(2), np.zeros(2)

    def add(self, found: _native.AlignmentLikelihood) -> None:
        self._tokens += found.target_tokens, found.source_tokens
        self._log += found.forward, found.backward

    @property
    def perplexity(self) -> tuple[float, float] | None:
        if self._first:
            return None
        forward, backward = np.exp(-self._log / np.maximum(1, self._tokens)).tolist()
        return forward, backward

    def __str__(self) -> str:
        found = self.perplexity
        return "" if found is None else ", perplexity {:.1f}/{:.1f}".format(*found)


class _Bar:
    """What the progress bar says: how fast, and what is being done."""

    def __init__(self, advance: Callable[[int], None]) -> None:
        self._advance, self._began = advance, time.perf_counter()
        self._done, self._what = 0, ""

    def step(self, sentences: int, what: str) -> None:
        self._done += sentences
        self._what = what
        self._advance(sentences)

    def __str__(self) -> str:
        rate = self._done / max(1e-9, time.perf_counter() - self._began)
        return f"{rate:,.0f}/s{self._what}" if self._done else ""


@contextmanager
def _following(sentences: int, *, shown: bool) -> Iterator[_Bar]:
    bars: list[_Bar] = []
    with progress_bar(
        "Aligning", sentences, None, shown=shown, detail=lambda: "".join(map(str, bars))
    ) as advance:
        bars.append(_Bar(advance))
        yield bars[0]
