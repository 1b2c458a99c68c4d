"""Phrase tables: scores, discounting, pruning, look-up."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tartib import (
    Bitext,
    DataError,
    OptionError,
    PhrasePairs,
    PhraseTable,
    _native,
    extract_phrases,
)
from tartib.phrase_table import LexicalTable
from tests.oracles import phrase_table as oracle
from tests.support import paths
from tests.support.examples import examples

GOLDEN = paths.GOLDEN / "moses" / "decode"
pytestmark = pytest.mark.native

# Letters before and behind the bar, which ends phrases in the order of texts.
SOURCE_WORDS = ["a", "ab", "~", "ج"]
TARGET_WORDS = ["x", "}", "xy"]
Options = dict[str, Any]


def golden_phrases() -> PhrasePairs:
    train = (GOLDEN / f"train.{name}" for name in ("src", "tgt", "align"))
    return extract_phrases(Bitext.read(*train), max_phrase_length=5)


@st.composite
def bitexts(draw: st.DrawFn) -> Bitext:
    """Draw sentences of few words, so that phrases come again with other alignments."""
    lines: tuple[list[str], ...] = ([], [], [])
    for _ in range(draw(st.integers(1, 12))):
        source = draw(st.lists(st.sampled_from(SOURCE_WORDS), min_size=1, max_size=4))
        target = draw(st.lists(st.sampled_from(TARGET_WORDS), min_size=1, max_size=4))
        cell = st.tuples(st.integers(0, len(source) - 1), st.integers(0, len(target) - 1))
        links = draw(st.lists(cell, max_size=6))
        pair = (" ".join(source), " ".join(target), " ".join(f"{i}-{j}" for i, j in links))
        for column, line in zip(lines, pair, strict=True):
            column.append(line)
    return Bitext.from_lines(*lines)


def options() -> st.SearchStrategy[Options]:
    return st.fixed_dictionaries(
        {},
        optional={
            "discounting": st.sampled_from(["none", "good-turing", "kneser-ney"]),
            "min_count": st.integers(1, 3),
            "significance_pruning": st.sampled_from([0.517, 1.93, "0.25", "a+e", "a-e"]),
            "table_limit": st.integers(1, 3),
        },
    )


def words_of(phrases: PhrasePairs) -> tuple[list[oracle.Sentence], list[oracle.Extracted]]:
    sentences: list[oracle.Sentence] = [phrases.bitext[s] for s in range(len(phrases.bitext))]
    pairs = [
        oracle.Extracted(tuple(p.source), tuple(p.target), frozenset(p.links)) for p in phrases
    ]
    return sentences, pairs


def rows_of(table: PhraseTable) -> list[oracle.Row]:
    rows = []
    for phrase in range(table.n_phrases):
        source = [table.source_vocabulary[int(word)] for word in table.native.source(phrase)]
        found = table.lookup(source)
        assert found == [table[row] for row in range(*table.native.options(phrase))]
        rows += [
            oracle.Row(tuple(source), tuple(t.target), t.scores, t.links, t.counts)  # type: ignore[arg-type]
            for t in found
        ]
    return rows


def assert_same_rows(found: list[oracle.Row], expected: list[oracle.Row]) -> None:
    assert [r[:2] + r[3:] for r in found] == [r[:2] + r[3:] for r in expected]
    np.testing.assert_allclose(
        np.array([r.scores for r in found]), np.array([r.scores for r in expected]), rtol=1e-6
    )


def test_golden_table(tmp_path: Path) -> None:
    table = PhraseTable.build(golden_phrases())
    lines = table.write_moses(tmp_path / "phrase-table").read_text().splitlines()
    expected = (GOLDEN / "phrase-table").read_text().splitlines()
    assert sorted(lines) == sorted(expected)
    assert [x.split(" ||| ")[0] for x in lines] == [x.split(" ||| ")[0] for x in expected]


@pytest.mark.parametrize("direction", ["f2e", "e2f"])
def test_golden_lexical_tables(tmp_path: Path, direction: str) -> None:
    LexicalTable.count(golden_phrases()).write_moses(tmp_path / "lex")
    written = (tmp_path / f"lex.{direction}").read_text().splitlines()
    assert sorted(written) == sorted((GOLDEN / f"lex.{direction}").read_text().splitlines())


@examples(300)
@given(bitexts(), options(), st.integers(1, 3))
def test_agrees_with_the_twin(bitext: Bitext, chosen: Options, n_jobs: int) -> None:
    phrases = extract_phrases(bitext, max_phrase_length=3)
    expected = oracle.build(*words_of(phrases), **chosen)
    assert_same_rows(rows_of(PhraseTable.build(phrases, n_jobs=n_jobs, **chosen)), expected)


@examples(100)
@given(bitexts())
def test_words_are_counted_as_the_twin_does(bitext: Bitext) -> None:
    table = LexicalTable.count(extract_phrases(bitext))
    source, target = ([None, *v] for v in (table.source_vocabulary, table.target_vocabulary))
    pairs = zip(table.sources.tolist(), table.targets.tolist(), strict=True)
    keys = [(source[f + 1], target[e + 1]) for f, e in pairs]
    expected = oracle.lexicon(bitext[s] for s in range(len(bitext)))
    assert dict(zip(keys, table.counts.tolist(), strict=True)) == dict(expected)
    given_source, given_target = table.target_given_source, table.source_given_target
    np.testing.assert_allclose(np.bincount(table.sources + 1, given_source)[table.sources + 1], 1)
    np.testing.assert_allclose(np.bincount(table.targets + 1, given_target)[table.targets + 1], 1)


def tied() -> PhrasePairs:
    """Return a store of one phrase pair of two words, aligned in two ways, each once."""
    return extract_phrases(Bitext.from_lines(["a b"] * 2, ["x y"] * 2, ["0-0 1-0 0-1", "0-1 1-0"]))


def test_of_equally_frequent_alignments_the_greater_list_counts() -> None:
    # Target words x, y: {0,1},{0} and {1},{0}. Source words a, b: {0,1},{0} and {1},{0}.
    (translation,) = (t for t in PhraseTable.build(tied()).lookup("a b") if len(t.target) == 2)
    assert translation.links == [(1, 0), (0, 1)]


def test_same_bytes_on_any_number_of_threads(tmp_path: Path) -> None:
    phrases = golden_phrases()
    folders = []
    for n_jobs in (1, 2, 5):
        folder = tmp_path / str(n_jobs)
        PhraseTable.build(phrases, significance_pruning=2, n_jobs=n_jobs).save(folder)
        folders.append({path.name: path.read_bytes() for path in folder.iterdir()})
    assert folders[0] == folders[1] == folders[2]


def test_empty_store() -> None:
    phrases = extract_phrases(Bitext.from_lines([], [], []))
    for chosen in ({}, {"significance_pruning": "a+e"}, {"discounting": "kneser-ney"}):
        table = PhraseTable.build(phrases, **chosen)  # type: ignore[arg-type]
        assert len(table) == table.n_phrases == table.max_source_length == 0
        assert table.lookup("a") == table.lookup("") == []
    assert len(LexicalTable.count(phrases)) == 0


def test_one_word_each() -> None:
    table = PhraseTable.build(extract_phrases(Bitext.from_lines(["a"], ["x"], ["0-0"])))
    assert table.lookup(["a"]) == [(["x"], (1, 1, 1, 1), [(0, 0)], (1, 1, 1))]
    assert table.lookup("a a") == table.lookup("b") == []


def test_held_out_sentences_are_not_counted() -> None:
    bitext = Bitext.from_lines(["a", "a", "b"], ["x", "y", "z"], ["0-0"] * 3)
    phrases = extract_phrases(bitext).of_sentences(np.array([True, False, True]))
    assert PhraseTable.build(phrases).lookup("a") == [(["x"], (1, 1, 1, 1), [(0, 0)], (1, 1, 1))]


@pytest.mark.parametrize(
    ("chosen", "message"),
    [
        ({"discounting": "witten-bell"}, "one of none, good-turing, kneser-ney"),
        ({"min_count": 0}, "min_count must be 1 or more"),
        ({"table_limit": 0}, "table limit must be 1 or more"),
        ({"significance_pruning": "much"}, "a number, a\\+e or a-e: 'much'"),
        ({"significance_pruning": float("nan")}, "a number, a\\+e or a-e"),
        ({"n_jobs": 0}, "number of jobs"),
    ],
)
def test_bad_options(chosen: Options, message: str) -> None:
    with pytest.raises(OptionError, match=message):
        PhraseTable.build(tied(), **chosen)


def test_options_are_in_the_signature() -> None:
    table = PhraseTable.build(tied(), discounting="kneser-ney", table_limit=5)
    assert "discounting:kneser-ney|table_limit:5|" in table.signature
    assert "min_count" not in table.signature


def test_rows_are_found_from_both_ends() -> None:
    table = PhraseTable.build(tied())
    assert table[-1] == table[len(table) - 1]
    with pytest.raises(IndexError, match="no row"):
        table[len(table)]


def test_what_does_not_belong_together_is_refused() -> None:
    other = LexicalTable.count(extract_phrases(Bitext.from_lines(["c"], ["z"], ["0-0"])))
    with pytest.raises(OptionError, match="lexical table belongs to other vocabularies"):
        PhraseTable.build(tied(), lexical=other)
    phrases = tied()
    phrases.records["source_length"] = 9
    with pytest.raises(DataError, match="reaches beyond its sentence"):
        PhraseTable.build(phrases)


def test_native_scorer_checks_its_arguments() -> None:
    phrases = tied()
    block, words = phrases.block(0, 2), LexicalTable.count(phrases).native
    source, target = (
        text.vocabulary.native for text in (phrases.bitext.source, phrases.bitext.target)
    )
    with pytest.raises(ValueError, match="token id is not in the vocabulary"):
        _native.count_words(block, _native.Vocabulary(), target, True)
    with pytest.raises(ValueError, match="token id is not in the vocabulary"):
        _native.PhraseScorer(block, words, source, _native.Vocabulary(), True, 1)
    with pytest.raises(ValueError, match="number of threads"):
        _native.PhraseScorer(block, words, source, target, True, 0)
    scorer = _native.PhraseScorer(block, words, source, target, True, 1)
    with pytest.raises(ValueError, match="in this order"):
        scorer.prepare(1)
    with pytest.raises(ValueError, match="earlier steps are missing"):
        scorer.score(0, 1, 0, None, False)
    for step in range(3):
        scorer.prepare(step)
    with pytest.raises(ValueError, match="no such discounting"):
        scorer.score(3, 1, 0, None, False)
    with pytest.raises(ValueError, match="limit must be 0 or more"):
        scorer.score(0, 1, -1, None, False)
