"""The search against enumeration, on random models and short sentences."""

from __future__ import annotations

import tempfile
import zlib
from collections.abc import Callable
from functools import partial
from itertools import groupby
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from tartib.decoder import Decoder, Hypothesis, SearchOptions
from tartib.decoder.features import Weights
from tartib.decoder.orientation import Options, columns_of, neighbour_of
from tartib.errors import OptionError
from tartib.lm import LanguageModel
from tartib.orientation import OrientationModel
from tartib.phrase_table import PhraseTable
from tartib.vocabulary import Vocabulary
from tests.oracles import decoder as oracle

pytestmark = pytest.mark.native
SOURCE = ("a", "b", "c", "d")
TARGET = ("u", "v", "w")
TEXT = ("u v w", "v u", "w w u v", "u u", "v w", "u v u v w")
EVERYTHING = SearchOptions(stack=0, threshold=0.0, table_limit=0)
DIRECTIONS = (("backward",), ("forward",), ("backward", "forward"))


class RandomScorer:
    """Log-probabilities that depend on an option's span and words alone, and look random."""

    def __init__(self, name: str, directions: tuple[str, ...], seed: int) -> None:
        self.orientation = OrientationModel.parse(name)
        self.directions = directions
        self._seed = seed
        self._target = Vocabulary()

    def bind(self, source: Vocabulary, target: Vocabulary) -> None:  # noqa: ARG002
        """Learn how targets are spelt."""
        self._target = target

    def one(self, direction: str, start: int, end: int, target: tuple[str, ...]) -> list[float]:
        """Return the log-probabilities of one option."""
        key = zlib.crc32(f"{self._seed} {direction} {start} {end} {target}".encode())
        classes = len(columns_of(self.orientation))
        found = np.log(np.random.default_rng(key).dirichlet(np.ones(classes)))
        return [float(np.float32(value)) for value in found]

    def log_probabilities(self, options: Options) -> dict[str, NDArray[np.float32]]:
        """Return those of all options."""
        rows: dict[str, list[list[float]]] = {direction: [] for direction in self.directions}
        for i, start in enumerate(options.starts.tolist()):
            ids = options.target_ids[options.target_offsets[i] : options.target_offsets[i + 1]]
            target = tuple(self._target[t] if t >= 0 else "?" for t in ids.tolist())
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


LM = LanguageModel.estimate(TEXT, order=3, discount_fallback=True)


def oracle_options(table: PhraseTable, sentence: list[str]) -> list[oracle.Option]:
    """Return every translation of every span, and unknown words as they are."""
    found = []
    for start in range(len(sentence)):
        for end in range(start + 1, len(sentence) + 1):
            known = table.lookup(sentence[start:end])
            found += [oracle.Option(start, end, tuple(t.target), t.scores) for t in known]
            if end == start + 1 and not known:
                found.append(oracle.Option(start, end, (sentence[start],), ()))
    return found


def oracle_model(values: Weights, models: Scorers) -> oracle.Model:
    """Return the same model for the twin."""

    def weighted(
        parts: list[tuple[RandomScorer, str, list[float]]], option: oracle.Option, code: str
    ) -> float:
        total = 0.0
        for scorer, direction, part in parts:
            known = option.target if option.scores else ("?",)
            said = scorer.one(direction, option.start, option.end, known)
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
        lm=lambda words: LM.score(words) * float(np.log(10.0)),
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
    by_name = {(o.start, o.end, o.target): o for o in options}
    return [by_name[step.start, step.end, step.target] for step in hypothesis.steps]


SENTENCES = st.lists(st.sampled_from(SOURCE), min_size=1, max_size=4)
LIMITS = st.sampled_from((-1, 0, 1, 2, 6))


@settings(max_examples=150, deadline=None)
@given(tables(), scorers(), SENTENCES, LIMITS, st.data())
def test_search_finds_what_enumeration_finds(
    lines: list[str], models: Scorers, sentence: list[str], limit: int, data: st.DataObject
) -> None:
    """With an unlimited beam the n-best list is the sorted list of all paths, totals and all."""
    table = make_table(lines)
    values = data.draw(weights(models))
    search = EVERYTHING.model_copy(update={"distortion_limit": limit})
    decoder = Decoder(table, LM, models, weights=values, options=search)
    (found,) = decoder.translate([" ".join(sentence)], nbest=100, n_jobs=1)
    options = oracle_options(table, sentence)
    model = oracle_model(values, models)
    totals = sorted(model.total(p) for p in oracle.paths(options, len(sentence), limit))[::-1]
    assert [h.total for h in found.nbest] == pytest.approx(totals[:100], abs=1e-4)
    for hypothesis in found.nbest:
        again = model.total(path_of(hypothesis, options))
        assert hypothesis.total == pytest.approx(again, abs=1e-4)
        assert hypothesis.total == pytest.approx(
            float(decoder.weights @ hypothesis.features), abs=1e-4
        )


@settings(max_examples=100, deadline=None)
@given(
    tables(),
    scorers(),
    st.lists(st.sampled_from(SOURCE), min_size=1, max_size=12),
    st.integers(1, 8),
    st.sampled_from((0, 1, 5, 40)),
    LIMITS,
    st.data(),
)
def test_totals_are_sums_whatever_the_beam(
    lines: list[str],
    models: Scorers,
    sentence: list[str],
    stack: int,
    pops: int,
    limit: int,
    data: st.DataObject,
) -> None:
    """However narrow the beam, a total is the sum of its steps, and jumps keep to the limit."""
    table = make_table(lines)
    values = data.draw(weights(models))
    search = SearchOptions(stack=stack, cube_pops=pops, distortion_limit=limit)
    decoder = Decoder(table, LM, models, weights=values, options=search)
    (found,) = decoder.translate([" ".join(sentence)], nbest=20, n_jobs=1)
    options = oracle_options(table, sentence)
    model = oracle_model(values, models)
    totals = [h.total for h in found.nbest]
    assert totals == sorted(totals, reverse=True)
    for hypothesis in found.nbest:
        path = path_of(hypothesis, options)
        assert hypothesis.total == pytest.approx(model.total(path), abs=1e-4)
        covered = sorted(i for o in path for i in range(o.start, o.end))
        assert covered == list(range(len(sentence)))
        assert limit < 0 or all(abs(step.jump) <= limit for step in hypothesis.steps)
        spans = [(s.start, s.end) for s in hypothesis.steps]
        for i, step in enumerate(hypothesis.steps):
            assert step.block_orientation == oracle.block_orientation(spans[:i], spans[i])


def test_sentences_are_not_a_string() -> None:
    decoder = Decoder(make_table(["a ||| u ||| 1 1"]), LM)
    with pytest.raises(OptionError, match="not a string"):
        decoder.translate("a b")
    with pytest.raises(OptionError, match="n-best list"):
        decoder.translate(["a b"], nbest=0)


def test_weights_that_are_too_large() -> None:
    with pytest.raises(OptionError, match="LM0 is not a number from"):
        Decoder(make_table(["a ||| u ||| 1 1"]), LM, weights={**USUAL, "LM0": 1e308})


@settings(max_examples=30, deadline=None)
@given(tables(), st.lists(st.sampled_from(SOURCE), min_size=1, max_size=8))
def test_distinct_lists_have_each_translation_once(lines: list[str], sentence: list[str]) -> None:
    """They are the first ones with new words of the list that is not distinct."""
    decoder = Decoder(make_table(lines), LM, options=SearchOptions(stack=20))
    (every,) = decoder.translate([" ".join(sentence)], nbest=400, n_jobs=1)
    (some,) = decoder.translate([" ".join(sentence)], nbest=8, distinct=True, n_jobs=1)
    texts = list(dict.fromkeys(h.text for h in every.nbest))
    assert [h.text for h in some.nbest] == texts[: len(some.nbest)]
    assert len(some.nbest) == min(8, len(texts))


@settings(max_examples=30, deadline=None)
@given(tables(), scorers(), st.lists(st.sampled_from(SOURCE), min_size=1, max_size=8))
def test_graph_holds_the_best_path(lines: list[str], models: Scorers, sentence: list[str]) -> None:
    """Following parents from the last node gives the best translation."""
    decoder = Decoder(make_table(lines), LM, models, options=SearchOptions(stack=10))
    (found,) = decoder.translate([" ".join(sentence)], graph=True, n_jobs=1)
    (graph,) = found.graphs
    ends = [i for i in range(len(graph)) if graph.score[i] == found.best.total]
    assert ends
    words: list[str] = []
    node = ends[0]
    while graph.parent[node] >= 0:
        assert graph.best[graph.parent[node]] == graph.parent[node]
        assert graph.score[graph.best[node]] >= graph.score[node]
        words = graph.targets[graph.step[node]].split() + words
        node = graph.parent[node]
    assert node == 0
    assert " ".join(words) == found.text
    added = graph.features @ decoder.weights
    rises = graph.score[1:] - graph.score[graph.parent[1:]]
    assert added[1:] == pytest.approx(rises, abs=1e-4)
    assert added[0] == 0
