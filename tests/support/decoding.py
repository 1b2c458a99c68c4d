"""Random models and short sentences for tests of the decoder, and the same for its twin."""

from __future__ import annotations

import atexit
import tempfile
import zlib
from collections.abc import Callable
from copy import copy
from functools import cache, partial
from itertools import groupby
from pathlib import Path

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from tartib.decoder import Forced, Hypothesis, MarkedSentence, SearchOptions
from tartib.decoder.features import Weights
from tartib.decoder.orientation_scorers import TranslationOptions, columns_of, neighbour_of
from tartib.lm import LanguageModel
from tartib.orientation import OrientationModel
from tartib.phrase_table import PhraseTable
from tartib.vocabulary import Vocabulary
from tests.oracles import decoder as oracle

SOURCE = ("a", "b", "c", "d")
TARGET = ("u", "v", "w")
TEXT = ("u v w", "v u", "w w u v", "u u", "v w", "u v u v w")
EVERYTHING = SearchOptions(stack_size=0, beam_threshold=0.0, table_limit=0)
DIRECTIONS = (("backward",), ("forward",), ("backward", "forward"))


class RandomScorer:
    """Log-probabilities that depend on an option's span and words alone, and look random."""

    name = "random"

    def __init__(self, name: str, directions: tuple[str, ...], seed: int) -> None:
        self.orientation = OrientationModel.parse(name)
        self.directions = directions
        self._seed = seed
        self._target = Vocabulary()

    def bind(self, source: Vocabulary, target: Vocabulary) -> RandomScorer:  # noqa: ARG002
        """Return a scorer that knows how targets are spelt."""
        bound = copy(self)
        bound._target = target
        return bound

    def one(self, direction: str, start: int, end: int, target: tuple[str, ...]) -> list[float]:
        """Return the log-probabilities of one option."""
        key = zlib.crc32(f"{self._seed} {direction} {start} {end} {target}".encode())
        classes = len(columns_of(self.orientation))
        found = np.log(np.random.default_rng(key).dirichlet(np.ones(classes)))
        return [float(np.float32(value)) for value in found]

    def log_probabilities(self, options: TranslationOptions) -> dict[str, NDArray[np.float32]]:
        """Return those of all options."""
        rows: dict[str, list[list[float]]] = {direction: [] for direction in self.directions}
        for i, start in enumerate(options.starts.tolist()):
            ids = options.target_ids[options.target_offsets[i] : options.target_offsets[i + 1]]
            others = options.others
            target = tuple(self._target[t] if t >= 0 else others[-1 - t] for t in ids.tolist())
            for direction in self.directions:
                end = start + int(options.lengths[i])
                rows[direction].append(self.one(direction, start, end, target))
        return {direction: np.array(values, np.float32) for direction, values in rows.items()}


Scorers = dict[str, RandomScorer]
USUAL: dict[str, float | list[float]] = {
    "LM0": 0.5,
    "Distortion0": 0.3,
    "WordPenalty0": -1.0,
    "PhrasePenalty0": 0.2,
    "UnknownWordPenalty0": 1.0,
    "TranslationModel0": [0.2, 0.2],
}


@st.composite
def tables(draw: st.DrawFn) -> list[str]:
    """Lines of a small phrase table; the word d has no translation, nor have some others."""
    phrase = partial(st.lists, min_size=1, max_size=2)
    sources = draw(
        st.lists(
            phrase(st.sampled_from(SOURCE[:3])).map(" ".join), min_size=1, max_size=5, unique=True
        )
    )
    lines = []
    for source in sources:
        targets = phrase(phrase(st.sampled_from(TARGET)).map(" ".join), unique=True)
        for target in draw(targets):
            p, q = draw(st.tuples(*[st.sampled_from((0.0, 0.1, 0.5, 1.0))] * 2))
            lines.append(f"{source} ||| {target} ||| {p} {q} ||| 0-0 ||| 1 1 1")
    return lines


@st.composite
def scorers(draw: st.DrawFn) -> Scorers:
    """Some reordering models, of any kind."""
    found = {}
    for i in range(draw(st.integers(0, 3))):
        neighbour = draw(st.sampled_from(("phrase", "hier", "wbe")))
        classes = draw(st.sampled_from(("msd", "mslr", "leftright", "monotonicity")))
        directions = draw(st.sampled_from(DIRECTIONS))
        found[f"Reordering{i}"] = RandomScorer(f"{neighbour}-{classes}", directions, i)
    return found


@st.composite
def weights(draw: st.DrawFn, models: Scorers) -> Weights:
    """Weights of any sign."""
    weight = st.sampled_from((-0.5, 0.0, 0.1, 0.3, 1.0))
    sizes = {name: len(columns_of(s.orientation)) * len(s.directions) for name, s in models.items()}
    names = ("LM0", "Distortion0", "WordPenalty0", "PhrasePenalty0", "UnknownWordPenalty0")
    sizes |= dict.fromkeys(names, 1) | {"TranslationModel0": 2}
    return {
        name: draw(st.lists(weight, min_size=size, max_size=size)) for name, size in sizes.items()
    }


def make_table(lines: list[str]) -> PhraseTable:
    """Read lines as a phrase table."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "table")
        path.write_text("".join(f"{line}\n" for line in lines))
        return PhraseTable.read_moses(path)


@cache
def language_model() -> LanguageModel:
    """Return a language model of a few sentences."""
    return LanguageModel.estimate(TEXT, order=3, discount_fallback=True)


# Hypothesis keeps functions of this module for longer than native objects may live.
atexit.register(language_model.cache_clear)


def oracle_options(table: PhraseTable, sentence: MarkedSentence) -> list[oracle.Option]:
    """Return every translation of every span, and unknown words as they are."""
    words = sentence.words
    found = [oracle.Option(f.start, f.end, f.target, (), f.probability) for f in sentence.forced]
    is_forced = {i for f in sentence.forced for i in range(f.start, f.end)}
    single = {f.start for f in sentence.forced if f.end == f.start + 1}
    for start in range(len(words)):
        for end in range(start + 1, len(words) + 1):
            if sentence.exclusive and is_forced & {*range(start, end)}:
                continue
            known = table.lookup(words[start:end])
            found += [oracle.Option(start, end, tuple(t.target), t.scores) for t in known]
            if end == start + 1 and not known and start not in single:
                found.append(oracle.Option(start, end, (words[start],), ()))
    return found


def oracle_model(values: Weights, models: Scorers) -> oracle.Model:
    """Return the same model for the twin."""

    def weighted(
        parts: list[tuple[RandomScorer, str, list[float]]], option: oracle.Option, code: str
    ) -> float:
        total = 0.0
        for scorer, direction, part in parts:
            said = scorer.one(direction, option.start, option.end, option.target)
            names = scorer.orientation.names
            label = names[OrientationModel("phrase", "mslr").names.index(code)]
            at = columns_of(scorer.orientation).index(label)
            total += part[at] * said[at]
        return total

    asked = []
    for name, scorer in models.items():
        parts = np.split(np.array(values[name]), len(scorer.directions))
        for direction, part in zip(scorer.directions, parts, strict=True):
            key = (neighbour_of(scorer.orientation), direction)
            asked.append((key, (scorer, direction, part.tolist())))
    asked.sort(key=lambda item: item[0])
    reordering: dict[tuple[str, str], Callable[[oracle.Option, str], float]] = {
        key: partial(weighted, [part for _, part in group])
        for key, group in groupby(asked, key=lambda item: item[0])
    }
    single = {name: float(np.atleast_1d(value)[0]) for name, value in values.items()}
    return oracle.Model(
        lm=lambda words: language_model().score(words) * float(np.log(10.0)),
        lm_weight=single["LM0"],
        scores=tuple(np.array(values["TranslationModel0"]).tolist()),
        distortion=single["Distortion0"],
        word=single["WordPenalty0"],
        phrase=single["PhrasePenalty0"],
        unknown=single["UnknownWordPenalty0"],
        reordering=reordering,
    )


def path_of(hypothesis: Hypothesis, options: list[oracle.Option]) -> list[oracle.Option]:
    """Return the twin's options that a translation is made of."""
    by_name = {(o.start, o.end, o.target, o.given is not None): o for o in options}
    return [by_name[step.start, step.end, step.target, step.forced] for step in hypothesis.steps]


@st.composite
def marked_sentences(draw: st.DrawFn, max_size: int = 4) -> MarkedSentence:
    """Short sentences, often with translations of some spans, of words that models may not have."""
    words = draw(st.lists(st.sampled_from(SOURCE), min_size=1, max_size=max_size))
    forced: list[Forced] = []
    start = draw(st.integers(0, 2 * len(words)))
    while start < len(words):
        end = draw(st.integers(start + 1, min(start + 3, len(words))))
        phrase = st.lists(st.sampled_from((*TARGET, "x", "d")), min_size=1, max_size=3)
        for target in draw(st.lists(phrase.map(tuple), min_size=1, max_size=2, unique=True)):
            probability = draw(st.sampled_from((1.0, 0.25, 0.0)))
            forced.append(Forced(start, end, target, probability))
        start = end + draw(st.integers(0, 2))
    mixed = draw(st.permutations(forced))
    return MarkedSentence(tuple(words), tuple(mixed), exclusive=draw(st.booleans()))


LIMITS = st.sampled_from((-1, 0, 1, 2, 6))
