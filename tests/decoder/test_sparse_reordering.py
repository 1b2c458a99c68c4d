"""Sparse reordering features: names, scores in the search, values of translations."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tartib.decoder import (
    Decoder,
    Hypothesis,
    MarkedSentence,
    SearchOptions,
    SparseReordering,
    WordList,
)
from tartib.decoder.features import FeatureLayout
from tartib.decoder.output import json_line, nbest_lines
from tartib.errors import OptionError
from tartib.orientation import OrientationModel
from tests.oracles import decoder as oracle
from tests.oracles import sparse as sparse_oracle
from tests.support.decoding import (
    EVERYTHING,
    LIMITS,
    SOURCE,
    TARGET,
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
KINDS = ("phrase", "stack", "between")


@st.composite
def sparse_parts(draw: st.DrawFn) -> SparseReordering:
    """Sparse features of any kind, on words and on classes of words."""
    model = draw(st.sampled_from(("phrase", "hier", "word")))
    classes = draw(st.sampled_from(("msd", "mslr", "leftright", "monotonicity")))
    lists = []
    for side, words in (("source", SOURCE), ("target", (*TARGET, "x"))):
        some = draw(st.lists(st.sampled_from((*words, "elsewhere")), unique=True, max_size=3))
        lists.append(WordList.of_words(side, "some", some))
        if draw(st.booleans()):
            numbers = {word: draw(st.sampled_from(("1", "2"))) for word in words}
            lists.append(WordList.of_classes(side, "numbers", numbers))
    kinds = draw(st.lists(st.sampled_from(KINDS), unique=True, min_size=1))
    return SparseReordering(OrientationModel(model, classes), lists, kinds)


def named(decoder: Decoder, hypothesis: Hypothesis) -> dict[str, float]:
    """Return the sparse features of a translation by name."""
    indices, values = hypothesis.sparse
    names = decoder.layout.sparse
    return {names[i]: v for i, v in zip(indices.tolist(), values.tolist(), strict=True)}


@examples(100)
@given(
    tables(), scorers(), sparse_parts(), marked_sentences(), LIMITS, st.integers(0, 40), st.data()
)
def test_search_finds_what_enumeration_finds(
    lines: list[str],
    models: Scorers,
    part: SparseReordering,
    sentence: MarkedSentence,
    limit: int,
    pops: int,
    data: st.DataObject,
) -> None:
    """Totals and features are those of the twin; with an unlimited beam none is missing."""
    table, words = make_table(lines), sentence.words
    values = dict(data.draw(weights(models)))
    random = np.random.default_rng(data.draw(st.integers(0, 99)))
    given_weights = dict(zip(part.names, random.normal(size=len(part.names)).tolist(), strict=True))
    search = EVERYTHING.model_copy(update={"distortion_limit": limit, "cube_pops": pops})
    decoder = Decoder(
        table,
        language_model(),
        models,
        sparse=part,
        weights={**values, **given_weights},
        options=search,
    )
    (found,) = decoder.translate([sentence], nbest_size=60, n_jobs=1)
    options = oracle_options(table, sentence)
    model = oracle_model(values, models)

    def twin(path: Any) -> tuple[float, dict[str, int]]:
        counts = sparse_oracle.count(path, words, part.orientation, part.lists, part.kinds)
        total = model.total(path) + sum(given_weights[n] * c for n, c in counts.items())
        return total, dict(counts)

    for hypothesis in found.nbest:
        total, counts = twin(path_of(hypothesis, options))
        assert hypothesis.total == pytest.approx(total, abs=1e-4)
        assert named(decoder, hypothesis) == counts
    if not pops:
        every = (twin(path)[0] for path in oracle.paths(options, len(words), limit))
        best = sorted(every, reverse=True)[:60]
        assert [h.total for h in found.nbest] == pytest.approx(best, abs=1e-4)


def small(kinds: tuple[str, ...] = KINDS, **options: Any) -> Decoder:
    lists = [WordList.of_words("source", "top2", ["a", "b"]), WordList.of_words("target", "t", "u")]
    part = SparseReordering(OrientationModel.parse("hier-msd"), lists, kinds)
    table = make_table(["a ||| u ||| 1 1", "b ||| v ||| 1 1"])
    chosen = {"phr-src-first-top2-b-2": 5.0, "btn-src-first-top2-a-2": 2.5}
    return Decoder(
        table,
        language_model(),
        sparse=part,
        weights={**USUAL, **chosen},
        options=SearchOptions(**options),
    )


def test_a_weight_moves_a_word() -> None:
    """What a weight rewards is done, and the lists of all formats say so."""
    decoder = small()
    (found,) = decoder.translate(["a a b"], n_jobs=1)
    assert found.text == "v u u"
    assert named(decoder, found.best)["phr-src-first-top2-b-2"] == 1
    assert named(decoder, found.best)["btn-src-first-top2-a-2"] == 3
    assert " btn-src-first-top2-a-2= 3 " in nbest_lines(0, found)
    assert '"btn-src-first-top2-a-2": 3.0' in json_line(0, found)


def test_pieces_are_summed() -> None:
    decoder = small(max_words=2)
    (found,) = decoder.translate(["a a b a b"], nbest_size=3, n_jobs=1)
    for hypothesis in found.nbest:
        indices, values = hypothesis.sparse
        sparse = decoder.weights[decoder.layout.n_dense :][indices] @ values
        dense = decoder.weights[: decoder.layout.n_dense] @ hypothesis.features
        assert hypothesis.total == pytest.approx(float(dense + sparse), abs=1e-4)
        assert (np.diff(indices) > 0).all()


def test_graph_has_sparse_features() -> None:
    decoder = small(stack_size=5)
    (found,) = decoder.translate(["a a b a"], graph=True, n_jobs=1)
    (graph,) = found.graphs
    n_dense = decoder.layout.n_dense
    sparse = np.zeros((len(graph), len(decoder.layout.sparse)))
    for i in range(len(graph)):
        indices, values = graph.sparse.row(i)
        sparse[i, indices] = values
    added = graph.features @ decoder.weights[:n_dense] + sparse @ decoder.weights[n_dense:]
    rises = graph.score[1:] - graph.score[graph.parent[1:]]
    assert added[1:] == pytest.approx(rises, abs=1e-4)


def test_weights_by_name() -> None:
    layout = small().layout
    vector = layout.vector({**USUAL, "stk-tgt-last-t-u-0": 0.25})
    assert layout.mapping(vector)["stk-tgt-last-t-u-0"] == [0.25]
    assert len(vector) == len(layout)
    with pytest.raises(OptionError, match="and sparse ones"):
        layout.vector({**USUAL, "stk-tgt-last-t-u-3": 0.25})
    with pytest.raises(OptionError, match="one weight, not 2"):
        layout.vector({**USUAL, "stk-tgt-last-t-u-0": [1.0, 2.0]})
    with pytest.raises(OptionError, match="is not a number from"):
        layout.vector({**USUAL, "stk-tgt-last-t-u-0": float("nan")})


def test_bad_parts() -> None:
    words = WordList.of_words("source", "a", ["x"])
    model = OrientationModel.parse("hier-msd")
    with pytest.raises(OptionError, match="no sparse feature"):
        SparseReordering(model, [words], ["phrases"])
    with pytest.raises(OptionError, match="same name"):
        SparseReordering(model, [words, words])
    with pytest.raises(OptionError, match="'phr-src-first-a-x-0'"):
        FeatureLayout.of(1, {"phr-src-first-a-x-0": 3}, SparseReordering(model, [words]).names)
    with pytest.raises(OptionError, match="source or target"):
        SparseReordering(model, [WordList.of_words("middle", "a", ["x"])])
