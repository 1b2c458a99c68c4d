"""Forced translations in the decoder; `test_search` has them in random sentences, too."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tartib.decoder import Decoder, Forced, MarkedSentence, SearchOptions, TableScorer
from tartib.decoder.long_sentences import split_sentence
from tartib.decoder.output import json_line, trace_text
from tartib.errors import OptionError
from tartib.orientation import OrientationModel
from tartib.tuning.development_set import DevelopmentSet
from tests.decoder.test_orientation_scorers import trained
from tests.support.decoding import (
    SOURCE,
    Scorers,
    language_model,
    make_table,
    marked_sentences,
    scorers,
    tables,
)
from tests.support.examples import examples

pytestmark = pytest.mark.native

LINES = [
    "a ||| u ||| 0.5 0.5 ||| 0-0 ||| 1 1 1",
    "a b ||| u v ||| 0.5 0.5 ||| 0-1 1-0 ||| 1 1 1",
    "b ||| v ||| 0.5 0.5 ||| 0-0 ||| 1 1 1",
]


def decoder(*models: Any, **options: Any) -> Decoder:
    return Decoder(make_table(LINES), language_model(), models, options=SearchOptions(**options))


def sentence(words: str, *forced: Forced, exclusive: bool = True) -> MarkedSentence:
    return MarkedSentence(tuple(words.split()), forced, exclusive=exclusive)


def features(system: Decoder, given_sentence: MarkedSentence) -> dict[str, list[float]]:
    (found,) = system.translate([given_sentence], n_jobs=1)
    return system.layout.mapping(found.best.features)


def test_a_translation_is_used() -> None:
    """Even if no model has its words; nothing else covers a word of its span."""
    system = decoder(distortion_limit=0)
    (found,) = system.translate([sentence("a b a", Forced(1, 2, ("new", "words")))], n_jobs=1)
    assert found.text == "u new words u"
    assert found.n_unknown == 0
    assert [(s.known, s.forced) for s in found.best.steps] == [
        (True, False),
        (True, True),
        (True, False),
    ]
    assert found.best.alignment == [(0, 0), (1, 1), (1, 2), (2, 3)]
    assert "1-1     0     mono    mono  b → new words (forced)\n" in trace_text(0, found)
    assert json.loads(json_line(0, found))["steps"][1]["forced"]


def test_the_share_of_each_score() -> None:
    """As in Moses, the scores of the phrase table get equal shares of the logarithm."""
    found = features(decoder(), sentence("b", Forced(0, 1, ("x",), 0.25)))
    assert found["TranslationModel0"] == pytest.approx([np.log(0.25) / 2] * 2)
    assert found["UnknownWordPenalty0"] == [0.0]
    assert found["PhrasePenalty0"] == [1.0]
    assert found["WordPenalty0"] == [-1.0]
    nothing = features(decoder(), sentence("b", Forced(0, 1, ("x",), 0.0)))
    assert nothing["TranslationModel0"] == [-50.0, -50.0]


def test_alternatives_compete() -> None:
    given_sentence = sentence("b", Forced(0, 1, ("x",), 0.2), Forced(0, 1, ("y",), 0.8))
    (found,) = decoder().translate([given_sentence], nbest_size=9, n_jobs=1)
    assert [h.text for h in found.nbest] == ["y", "x"]


def test_inclusive_translations_compete_with_the_table() -> None:
    forced = Forced(0, 2, ("x",), 0.01)
    (found,) = decoder().translate(
        [sentence("a b", forced, exclusive=False)], nbest_size=20, n_jobs=1
    )
    assert {"u v", "x"} <= {h.text for h in found.nbest}
    assert [h.text for h in found.nbest if h.steps[0].forced] == ["x"]
    (alone,) = decoder().translate([sentence("a b", forced)], nbest_size=20, n_jobs=1)
    assert [h.text for h in alone.nbest] == ["x"]


def test_reordering_tables_know_pairs_of_the_phrase_table() -> None:
    """As in Moses: a forced pair that the table has gets its entry, another one gets 0."""
    chances = np.array([[0.5, 0.25, 0.25], [0.1, 0.2, 0.7], [0.2, 0.4, 0.4]], np.float32)
    scorer = TableScorer(chances, OrientationModel.parse("phrase-msd"), ("backward",))
    system = decoder(scorer)
    row = next(r for r in range(3) if list(system.table[r].target) == ["v"])
    known = features(system, sentence("b", Forced(0, 1, ("v",))))
    assert known["LexicalReordering0"] == pytest.approx([float(np.log(chances[row, 0])), 0, 0])
    assert known["TranslationModel0"] == [0.0, 0.0]
    other = features(system, sentence("b", Forced(0, 1, ("u",))))
    assert other["LexicalReordering0"] == [0, 0, 0]


@pytest.mark.parametrize("classifier", ["svm", "lexicalised"])
def test_trained_models(classifier: str) -> None:
    """Classifiers score what no table has; nobody scores a very long phrase."""
    system = decoder(trained(classifier), distortion_limit=0)
    name = next(iter(system.reordering))
    words = "a b c c c"
    (short,) = system.translate([sentence(words, Forced(2, 3, ("new",)))], n_jobs=1)
    judged = [j for j in short.best.steps[-3].judgements if j.direction == "backward"]
    assert bool(judged) == (classifier == "svm")
    many = sentence(words, Forced(0, 2, ("x",) * 21), Forced(2, 5, ("x",) * 256))
    found = features(system, many)
    assert found[name] == [0.0] * len(found[name])


def test_long_sentences_are_cut_between_spans() -> None:
    given_sentence = sentence("a b , a b a b", Forced(2, 5, ("x",)), Forced(6, 7, ("y",)))
    system = decoder(max_words=4, distortion_limit=0)
    (found,) = system.translate([given_sentence], nbest_size=5, n_jobs=1)
    assert "cut into 2 pieces" in found.warnings[0] or "cut into 3 pieces" in found.warnings[0]
    for hypothesis in found.nbest:
        forced = {(s.start, s.end, s.target) for s in hypothesis.steps if s.forced}
        assert forced == {(2, 5, ("x",)), (6, 7, ("y",))}
        total = float(system.weights @ hypothesis.features)
        assert hypothesis.total == pytest.approx(total, abs=1e-4)
    with pytest.raises(OptionError, match="words 0 to 5 of a sentence have a translation"):
        list(system.translate([sentence("a b a b a", Forced(0, 5, ("x",)))], n_jobs=1))


@given(st.integers(1, 6), st.lists(st.sampled_from("a,"), min_size=1, max_size=30), st.data())
def test_pieces_keep_spans_whole(longest: int, words: list[str], data: st.DataObject) -> None:
    spans = []
    start = 0
    while start < len(words):
        end = data.draw(st.integers(start + 1, min(start + longest, len(words))))
        if data.draw(st.booleans()):
            spans.append((start, end))
        start = end
    pieces = split_sentence(words, longest, spans)
    assert [begin for begin, _ in pieces] == [0, *(end for _, end in pieces[:-1])]
    assert pieces[-1][1] == len(words)
    assert all(0 < end - begin <= longest for begin, end in pieces)
    cuts = {end for _, end in pieces}
    assert not any(cuts & {*range(begin + 1, end)} for begin, end in spans)


@examples(50)
@given(tables(), scorers(), marked_sentences(8))
def test_graphs_of_cut_sentences_add_up(
    lines: list[str], models: Scorers, given_sentence: MarkedSentence
) -> None:
    search = SearchOptions(max_words=3, stack_size=4)
    system = Decoder(make_table(lines), language_model(), models, options=search)
    (found,) = system.translate([given_sentence], graph=True, nbest_size=3, n_jobs=1)
    for graph in found.graphs:
        rises = graph.score[1:] - graph.score[graph.parent[1:]]
        assert (graph.features @ system.weights)[1:] == pytest.approx(rises, abs=1e-4)
    for hypothesis in found.nbest:
        covered = sorted(i for s in hypothesis.steps for i in range(s.start, s.end))
        assert covered == list(range(len(given_sentence.words)))
        if given_sentence.exclusive:
            spans = sorted((s.start, s.end) for s in hypothesis.steps if s.forced)
            assert spans == given_sentence.spans


@given(marked_sentences(6), st.lists(st.sampled_from((*SOURCE, "x", "u", "y")), max_size=5))
def test_tuning_counts_the_same_words(given_sentence: MarkedSentence, reference: list[str]) -> None:
    """BLEU of the decoder's ids is that of the words."""
    system = decoder()
    data = DevelopmentSet(system, [given_sentence], [[" ".join([*reference, "x"])]])
    (found,) = system.translate([given_sentence], nbest_size=5, n_jobs=1)
    as_words = replace(found, nbest=list(found.nbest))
    assert np.array_equal(data._rows(0, found).stats, data._rows(0, as_words).stats)


def test_mistakes() -> None:
    for forced, problem in (
        (Forced(0, 3, ("x",)), "the sentence has 2 words"),
        (Forced(1, 1, ("x",)), "the sentence has 2 words"),
        (Forced(0, 1, ()), "must have from 1 to 256 words"),
        (Forced(0, 1, ("x",) * 257), "must have from 1 to 256 words"),
        (Forced(0, 1, ("x y",)), "words have no spaces"),
        (Forced(0, 1, ("",)), "words have no spaces"),
        (Forced(0, 1, ("x",), 1.5), "a probability is from 0 to 1"),
        (Forced(0, 1, ("x",), float("nan")), "a probability is from 0 to 1"),
    ):
        with pytest.raises(OptionError, match=problem):
            sentence("a b", forced)
    with pytest.raises(OptionError, match="overlap"):
        sentence("a b c", Forced(0, 2, ("x",)), Forced(1, 3, ("y",)))


def test_native_code_checks_its_arguments() -> None:
    system = decoder()
    good: dict[str, Any] = {
        "starts": np.array([0], np.int64),
        "ends": np.array([1], np.int64),
        "logs": np.zeros(1),
        "target_ids": np.zeros(1, np.int32),
        "lm_of_targets": np.zeros(1, np.uint32),
        "target_offsets": np.array([0, 1], np.int64),
        "exclusive": True,
    }
    words = (np.zeros(2, np.int32), np.zeros(2, np.int32), np.zeros(2, np.uint32))
    assert len(system._finder.find(*words, **good))
    for bad in (
        {"starts": np.array([-1], np.int64)},
        {"ends": np.array([3], np.int64)},
        {"ends": np.array([0], np.int64)},
        {"logs": np.array([1.0])},
        {"logs": np.array([np.nan])},
        {"target_offsets": np.array([0, 0], np.int64)},
        {"target_offsets": np.array([0, 2], np.int64)},
        {"target_offsets": np.array([0], np.int64)},
        {"lm_of_targets": np.array([1 << 30], np.uint32)},
        {
            "starts": np.array([0, 0], np.int64),
            "ends": np.array([2, 1], np.int64),
            "logs": np.zeros(2),
            "target_ids": np.zeros(2, np.int32),
            "lm_of_targets": np.zeros(2, np.uint32),
            "target_offsets": np.array([0, 1, 2], np.int64),
        },
    ):
        with pytest.raises(ValueError):  # noqa: PT011 -- each has its own text
            system._finder.find(*words, **{**good, **bad})
