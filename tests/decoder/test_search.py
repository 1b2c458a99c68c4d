"""The search against enumeration, on random models and short sentences."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tartib.decoder import Decoder, MarkedSentence, SearchOptions
from tartib.errors import OptionError
from tests.oracles import decoder as oracle
from tests.support.decoding import (
    EVERYTHING,
    LIMITS,
    SOURCE,
    USUAL,
    Scorers,
    language_model,
    make_table,
    marked_sentences,
    oracle_model,
    oracle_options,
    path_of,
    scorers,
    tables,
    weights,
)
from tests.support.examples import examples

pytestmark = pytest.mark.native


@examples(150)
@given(tables(), scorers(), marked_sentences(), LIMITS, st.data())
def test_search_finds_what_enumeration_finds(
    lines: list[str], models: Scorers, sentence: MarkedSentence, limit: int, data: st.DataObject
) -> None:
    """With an unlimited beam the n-best list is the sorted list of all paths, totals and all."""
    table = make_table(lines)
    values = data.draw(weights(models))
    search = EVERYTHING.model_copy(update={"distortion_limit": limit})
    decoder = Decoder(table, language_model(), models, weights=values, options=search)
    (found,) = decoder.translate([sentence], nbest_size=100, n_jobs=1)
    options = oracle_options(table, sentence)
    model = oracle_model(values, models)
    totals = sorted(model.total(p) for p in oracle.paths(options, len(sentence.words), limit))[::-1]
    assert [h.total for h in found.nbest] == pytest.approx(totals[:100], abs=1e-4)
    for hypothesis in found.nbest:
        again = model.total(path_of(hypothesis, options))
        assert hypothesis.total == pytest.approx(again, abs=1e-4)
        assert hypothesis.total == pytest.approx(
            float(decoder.weights @ hypothesis.features), abs=1e-4
        )


@examples(100)
@given(
    tables(),
    scorers(),
    marked_sentences(12),
    st.integers(1, 8),
    st.sampled_from((0, 1, 5, 40)),
    LIMITS,
    st.data(),
)
def test_totals_are_sums_whatever_the_beam(
    lines: list[str],
    models: Scorers,
    sentence: MarkedSentence,
    stack: int,
    pops: int,
    limit: int,
    data: st.DataObject,
) -> None:
    """However narrow the beam, a total is the sum of its steps, and jumps keep to the limit."""
    table = make_table(lines)
    values = data.draw(weights(models))
    search = SearchOptions(stack_size=stack, cube_pops=pops, distortion_limit=limit)
    decoder = Decoder(table, language_model(), models, weights=values, options=search)
    (found,) = decoder.translate([sentence], nbest_size=20, n_jobs=1)
    options = oracle_options(table, sentence)
    model = oracle_model(values, models)
    totals = [h.total for h in found.nbest]
    assert totals == sorted(totals, reverse=True)
    for hypothesis in found.nbest:
        path = path_of(hypothesis, options)
        assert hypothesis.total == pytest.approx(model.total(path), abs=1e-4)
        covered = sorted(i for o in path for i in range(o.start, o.end))
        assert covered == list(range(len(sentence.words)))
        assert limit < 0 or all(abs(step.jump) <= limit for step in hypothesis.steps)
        spans = [(s.start, s.end) for s in hypothesis.steps]
        for i, step in enumerate(hypothesis.steps):
            assert step.block_orientation == oracle.block_orientation(spans[:i], spans[i])


def test_sentences_are_not_a_string() -> None:
    decoder = Decoder(make_table(["a ||| u ||| 1 1"]), language_model())
    with pytest.raises(OptionError, match="not a string"):
        decoder.translate("a b")
    with pytest.raises(OptionError, match="nbest_size must be from 1"):
        decoder.translate(["a b"], nbest_size=0)


def test_weights_that_are_too_large() -> None:
    with pytest.raises(OptionError, match="LM0 is not a number from"):
        Decoder(make_table(["a ||| u ||| 1 1"]), language_model(), weights={**USUAL, "LM0": 1e308})


@examples(30)
@given(tables(), st.lists(st.sampled_from(SOURCE), min_size=1, max_size=8))
def test_distinct_lists_have_each_translation_once(lines: list[str], sentence: list[str]) -> None:
    """They are the first ones with new words of the list that is not distinct."""
    decoder = Decoder(make_table(lines), language_model(), options=SearchOptions(stack_size=20))
    (every,) = decoder.translate([" ".join(sentence)], nbest_size=400, n_jobs=1)
    (some,) = decoder.translate([" ".join(sentence)], nbest_size=8, distinct=True, n_jobs=1)
    texts = list(dict.fromkeys(h.text for h in every.nbest))
    assert [h.text for h in some.nbest] == texts[: len(some.nbest)]
    assert len(some.nbest) == min(8, len(texts))


@examples(30)
@given(tables(), scorers(), marked_sentences(8))
def test_graph_holds_the_best_path(
    lines: list[str], models: Scorers, sentence: MarkedSentence
) -> None:
    """Following parents from the last node gives the best translation."""
    decoder = Decoder(
        make_table(lines), language_model(), models, options=SearchOptions(stack_size=10)
    )
    (found,) = decoder.translate([sentence], graph=True, n_jobs=1)
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
