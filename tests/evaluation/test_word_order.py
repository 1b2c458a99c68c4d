"""Scores of word order against what their definitions say, pair by pair and word by word."""

from __future__ import annotations

import tracemalloc
from itertools import combinations
from math import sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tartib import DataError, OptionError
from tartib.evaluation import score_of, source_orders
from tartib.evaluation.word_order import Order, fuzzy_reordering, kendall_tau, order_metrics
from tests.support.examples import examples

Links = list[tuple[int, int]]


@st.composite
def two_orders(draw: st.DrawFn) -> tuple[Order, Order]:
    words = list(range(draw(st.integers(2, 9))))
    return tuple(draw(st.permutations(words))), tuple(draw(st.permutations(words)))


@st.composite
def alignments(draw: st.DrawFn) -> tuple[int, Links]:
    length = draw(st.integers(1, 7))
    link = st.tuples(st.integers(0, length - 1), st.integers(0, 6))
    return length, draw(st.lists(link, max_size=10))


def order_by_rules(length: int, links: Links) -> Order:
    """Compare two words at a time, by the places that the docstring gives them."""

    def place(word: int) -> int:
        for near in (*range(word, -1, -1), *range(word, length)):
            targets = [target for source, target in links if source == near]
            if targets:
                return min(targets)
        return 0

    def stands_before(a: int, b: int) -> bool:
        return (place(a), a) < (place(b), b)

    ranks = [sum(stands_before(a, b) for a in range(length)) for b in range(length)]
    return tuple(ranks.index(rank) for rank in range(length))


def line_of(links: Links) -> str:
    return " ".join(f"{i}-{j}" for i, j in links)


@given(alignments())
def test_orders_follow_the_rules(given: tuple[int, Links]) -> None:
    length, links = given
    found = source_orders([line_of(links)], [" ".join("w" * length)])
    assert found == [order_by_rules(length, links) if links else ()]


@pytest.mark.parametrize(
    ("line", "words", "order"),
    [
        ("0-1 1-0", "a b", (1, 0)),
        ("0-0 0-5 1-3", "a b", (0, 1)),  # the first of several target words
        ("0-4 2-0", "a b c", (2, 0, 1)),  # b has no link, and goes with a
        ("1-1 2-0", "a b c", (2, 0, 1)),  # a has none, and goes with b
        ("0-2 1-2 2-2", "a b c", (0, 1, 2)),  # at the same place
        ("", "a b c", ()),
        ("", "", ()),
        ("0-0\t1-1 ", " a\tb ", (0, 1)),
    ],
)
def test_orders_by_hand(line: str, words: str, order: Order) -> None:
    assert source_orders([line], [words]) == [order]


@examples(200)
@given(two_orders())
def test_measures_by_their_definitions(orders: tuple[Order, Order]) -> None:
    order, reference = orders
    pairs = list(combinations(range(len(order)), 2))
    wrong = sum(
        (order.index(a) < order.index(b)) != (reference.index(a) < reference.index(b))
        for a, b in pairs
    )
    assert kendall_tau(order, reference) == pytest.approx(1 - sqrt(wrong / len(pairs)))
    pieces = [[order[0]]]
    for word in order[1:]:
        if reference.index(word) == reference.index(pieces[-1][-1]) + 1:
            pieces[-1].append(word)
        else:
            pieces.append([word])
    expected = 1 - (len(pieces) - 1) / (len(order) - 1)
    assert fuzzy_reordering(order, reference) == pytest.approx(expected)


@given(two_orders())
def test_measures_are_symmetric_and_bounded(orders: tuple[Order, Order]) -> None:
    for measure in (kendall_tau, fuzzy_reordering):
        assert measure(*orders) == pytest.approx(measure(*orders[::-1]))
        assert 0 <= measure(*orders) <= 1
        assert measure(orders[0], orders[0]) == 1
    assert kendall_tau(orders[0], orders[0][::-1]) == 0
    assert fuzzy_reordering(orders[0], orders[0][::-1]) == 0


def test_long_sentences_take_little_memory() -> None:
    words = tuple(range(20_000))
    tracemalloc.start()
    try:
        assert kendall_tau(words[::-1], words) == 0
        assert tracemalloc.get_traced_memory()[1] < 1 << 24
    finally:
        tracemalloc.stop()


def test_the_nearest_reference_counts_and_single_words_do_not() -> None:
    references: list[list[Order]] = [[(0, 1, 2), (0,), (0, 1)], [(2, 1, 0), (0,), (0, 1)]]
    tau, fuzzy = order_metrics(references)
    outputs: list[Order] = [(2, 1, 0), (0,), (1, 0)]
    assert score_of(tau, outputs) == score_of(fuzzy, outputs) == 50
    assert score_of(order_metrics(references[:1])[0], outputs) == 0
    assert tau.signature.startswith("nrefs:2|")


def test_references_without_links_do_not_count() -> None:
    references: list[list[Order]] = [[(), (0, 1)], [(), ()]]
    (tau, _) = order_metrics(references)
    assert score_of(tau, [(1, 0), (0, 1)]) == 100
    assert score_of(tau, [(1, 0), ()]) == 0  # an output without any is worth nothing


@pytest.mark.parametrize(
    ("lines", "source", "text"),
    [
        (["0-0", "0-0 0:1"], ["a", "a"], r"ref\.align:2: not a link: '0:1'"),
        (["0-0 2-1"], ["a b"], r"ref\.align:1: link 2-1 leaves the source sentence of 2 words"),
        (["0--1"], ["a b"], "not a link"),
        (["0-" + "1" * 5000], ["a b"], "not a link"),
        (["0-0"], ["a", "b"], r"ref\.align: has 1 line, and the source has 2"),
    ],
)
def test_alignments_that_cannot_be_used(lines: list[str], source: list[str], text: str) -> None:
    with pytest.raises(DataError, match=text):
        source_orders(lines, source, "ref.align")


def test_links_are_checked_against_the_other_side() -> None:
    assert source_orders(["0-1 1-0"], ["a b"], target=["b a"]) == [(1, 0)]
    with pytest.raises(DataError, match=r"x:1: link 1-2 leaves the target sentence of 2 words"):
        source_orders(["0-1 1-2"], ["a b"], "x", target=["b a"])
    with pytest.raises(DataError, match="has 1 line, and the target has 2"):
        source_orders(["0-0"], ["a"], target=["a", "b"])


def test_orders_of_other_sentences() -> None:
    with pytest.raises(OptionError, match=r"sentence 1 has 3 source words .* and 2 in the ref"):
        order_metrics([[(0, 1)]])[0].statistics([(0, 1, 2)])
