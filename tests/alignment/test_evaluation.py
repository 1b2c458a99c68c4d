"""Precision, recall, AER and F1: by hand, against their twin, and with intervals."""

from dataclasses import asdict

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tartib import Bitext, DataError, OptionError, ReadOptions
from tartib.alignment import GoldLinks, Links, compare, evaluate
from tartib.alignment.evaluation import aer
from tartib.evaluation import paired_bootstrap
from tests.oracles import alignment as oracle
from tests.support.examples import examples

SETS = st.lists(
    st.tuples(*[st.sets(st.tuples(st.integers(0, 3), st.integers(0, 3)))] * 3),
    min_size=1,
    max_size=5,
)


def scores(report: object) -> list[float]:
    return [getattr(report, name).score for name in ("precision", "recall", "aer", "f1")]


def test_by_hand() -> None:
    # A has four links: one sure, two only possible, one wrong. S has two, P four.
    gold = GoldLinks.of([[(0, 0), (1, 1)]], [[(1, 2), (2, 1)]])
    report = evaluate(Links.of([[(0, 0), (1, 2), (2, 1), (3, 3)]]), gold)
    assert scores(report) == pytest.approx([3 / 4, 1 / 2, 1 - (1 + 3) / (4 + 2), 3 / 5])
    assert (report.sentences, report.found, report.sure, report.possible) == (1, 4, 2, 4)


def test_only_sure_links_make_aer_the_complement_of_f1() -> None:
    gold = GoldLinks.of([[(0, 0), (1, 1)], [(0, 1)]])
    report = evaluate(Links.of([[(0, 0)], [(0, 1), (1, 0)]]), gold)
    assert report.aer.score == pytest.approx(1 - report.f1.score)
    assert report.f1.score == pytest.approx(2 / 3)


@examples(500)
@given(SETS)
def test_agrees_with_the_twin(sentences: list[tuple[set[oracle.Link], ...]]) -> None:
    found, sure, possible = (list(sets) for sets in zip(*sentences, strict=True))
    gold = GoldLinks.of(sure, possible)
    if not any(sure) and not any(possible):
        with pytest.raises(DataError, match="has no links"):
            evaluate(Links.of(found), gold)
        return
    report = evaluate(Links.of(found), gold, samples=10)
    assert scores(report) == pytest.approx(oracle.scores(found, sure, possible))
    for measure in (report.precision, report.recall, report.aer, report.f1):
        assert 0 <= measure.low <= measure.high <= 1


def test_repeated_links_count_once() -> None:
    gold = GoldLinks.of([[(0, 0)]])
    assert evaluate(Links.of([[(0, 0), (0, 0)]]), gold).precision.score == 1


def sample() -> tuple[GoldLinks, dict[str, Links]]:
    """Return fifty sentences, all right, with every third link wrong, and once more all right."""
    right = [[(i, i) for i in range(1 + n % 7)] for n in range(50)]
    worse = [[(i, i + (n + i) % 3 // 2) for i, _ in links] for n, links in enumerate(right)]
    return GoldLinks.of(right), {
        k: Links.of(v) for k, v in (("a", right), ("b", worse), ("c", right))
    }


def test_differences_are_from_the_first() -> None:
    gold, found = sample()
    reports = compare(found, gold)
    assert list(reports) == ["a", "b", "c"]
    assert reports["a"].aer.difference is None
    worse, same = reports["b"].aer.difference, reports["c"].aer.difference
    assert worse is not None
    assert same is not None
    assert worse.difference == pytest.approx(reports["b"].aer.score)
    assert worse.p_value == pytest.approx(2 / 1001)
    assert worse.low > 0
    assert (same.difference, same.p_value) == (0, 1)
    assert reports["b"].aer.low < reports["b"].aer.score < reports["b"].aer.high


def test_p_values_are_those_of_the_paired_bootstrap() -> None:
    gold, found = sample()
    reports = compare(found, gold, samples=200, seed=7, level=0.9)
    rows = {}
    for name, links in found.items():
        counts = [(len(a), len(s), len({*a} & {*s})) for a, s in zip(links, gold.sure, strict=True)]
        rows[name] = [(a, s, both, both) for a, s, both in counts]
    expected = paired_bootstrap(rows["b"], rows["a"], aer, samples=200, seed=7, level=0.9)
    assert reports["b"].aer.difference == expected


def test_same_seed_same_intervals() -> None:
    gold, found = sample()
    one, two, other = (evaluate(found["b"], gold, seed=seed) for seed in (3, 3, 4))
    assert one == two
    assert one.aer != other.aer
    assert one.as_dict() == asdict(one)
    assert one.as_dict()["aer"]["score"] == one.aer.score


def test_a_text_with_links() -> None:
    gold = GoldLinks.of([[(0, 0)], [(0, 1)], [(1, 1)]])
    sides = (["a b", "c d e", "f g", "h"], ["x y", "z v", "u t", "w"], ["0-0", "0-1", "1-0", "0-0"])
    text = Bitext.from_lines(*sides)
    assert scores(evaluate(text, gold))[:2] == pytest.approx([2 / 3, 2 / 3])
    # The second line is skipped: nothing was found in it.
    shorter = Bitext.from_lines(*sides, options=ReadOptions(max_sentence_length=2))
    report = evaluate(shorter, gold)
    assert (report.sentences, report.found) == (3, 2)
    assert scores(report)[:2] == pytest.approx([1 / 2, 1 / 3])
    with pytest.raises(OptionError, match="has no word alignment"):
        evaluate(Bitext.from_lines(["a"], ["x"]), gold)


def test_different_numbers_of_sentences() -> None:
    gold = GoldLinks.of([[(0, 0)], [(0, 0)]])
    with pytest.raises(DataError, match="has links of 2, and the alignment has 1 sentence\n"):
        evaluate(Links.of([[]]), gold)
    with pytest.raises(DataError, match="the alignment 'mine' has 3 sentences"):
        compare({"mine": Links.of([[]] * 3)}, gold)
    with pytest.raises(OptionError, match="there are no alignments to evaluate"):
        compare({}, gold)


def test_options_are_checked() -> None:
    gold = GoldLinks.of([[(0, 0)]])
    with pytest.raises(OptionError, match="samples must be 1 or more"):
        evaluate(Links.of([[]]), gold, samples=0)
    with pytest.raises(OptionError, match="the seed must be a number from 0"):
        evaluate(Links.of([[]]), gold, seed=-1)
