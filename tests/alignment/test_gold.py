"""Gold links in both formats, and what is wrong with them."""

from pathlib import Path

import pytest

from tartib import Bitext, DataError, OptionError, ReadOptions
from tartib.alignment import GoldLinks

PHARAOH = "0-0 1?2 3p0\n\n2-1 2?1\n"
NAACL = "0001 1 1 S\n1 2 3 P\n0001 4 1 P 0.25\n\n0003 3 2 S 1\n3 3 2 P\n"
SURE = [[(0, 0)], [], [(2, 1)]]
POSSIBLE = [[(0, 0), (1, 2), (3, 0)], [], [(2, 1)]]


@pytest.mark.parametrize(("text", "complete"), [(PHARAOH, True), (NAACL, False)])
def test_both_formats_say_the_same(tmp_path: Path, text: str, complete: bool) -> None:
    (tmp_path / "gold").write_text(text)
    gold = GoldLinks.read(tmp_path / "gold")
    assert list(gold.sure) == SURE
    assert list(gold.possible) == POSSIBLE
    assert gold.complete == complete


def test_positions_from_0_are_known_by_a_link_of_two_first_words(tmp_path: Path) -> None:
    (tmp_path / "gold").write_text("1 0 1 S\n1 2 0 P\n2 0 0 S\n")
    gold = GoldLinks.read(tmp_path / "gold")
    assert list(gold.sure) == [[(0, 1)], [(0, 0)]]
    assert list(gold.possible) == [[(0, 1), (2, 0)], [(0, 0)]]


def test_links_without_a_letter_are_sure(tmp_path: Path) -> None:
    (tmp_path / "gold").write_text("\n2 1 1\n2\t1 2 P\r\n")
    gold = GoldLinks.read(tmp_path / "gold")
    assert list(gold.sure) == [[], [(0, 0)]]
    assert list(gold.possible) == [[], [(0, 0), (0, 1)]]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "gold: is empty\n  give a file of links made by hand"),
        ("\n\n", "gold: has no links"),
        ("0-0\n0-0 1:1\n", "gold:2: not a link: '1:1'\n  a line holds the links of a sentence"),
        ("0-0\n1 2 3 S\n", "gold:2: not a link: '1'"),
        ("1 1 1 S\n1 2\n", "gold:2: not a link: '1 2'\n  a line is a link: number of the sentence"),
        ("1 1 1 T\n", "gold:1: not a link: '1 1 1 T'"),
        ("1 1 1 S\n1 0 2 S\n", "gold:2: position 0, and positions count from 1 here"),
        ("0 1 1 S\n", "gold:1: sentence number 0 is not from 1 to 100,000"),
        ("100001 1 1 S\n", "gold:1: sentence number 100,001 is not from 1"),
        ("0-70000\n", "gold:1: position 70000 is beyond 65,534"),
        ("1 70000 1\n", "gold:1: position 69999 is beyond 65,534"),
        ("1 0 0 S\n2 65535 1 S\n", "gold:2: position 65535 is beyond 65,534"),
        ("²-0\n", "not a link: '²-0'"),
    ],
)
def test_nonsense_is_an_error_with_its_place(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "gold").write_text(text)
    with pytest.raises(DataError, match=said.replace("?", r"\?")):
        GoldLinks.read(tmp_path / "gold")


def text_of(*lengths: tuple[int, int], longest: int = 100) -> Bitext:
    sides = zip(*lengths, strict=True)
    options = ReadOptions(max_sentence_length=longest)
    return Bitext.from_lines(
        *([" ".join("w" * n) for n in side] for side in sides), options=options
    )


def test_links_outside_their_sentences_are_left_out() -> None:
    diagonal = [(i, i) for i in range(50)]
    gold = GoldLinks.of([diagonal, [(0, 0), (9, 0)]], [[], [(0, 7)]])
    fitting = gold.within(text_of((50, 50), (2, 1)))
    assert list(fitting.sure) == [diagonal, [(0, 0)]]
    assert list(fitting.possible) == [diagonal, [(0, 0)]]
    assert fitting.outside == 2
    assert gold.outside == 0


def test_links_of_another_text_are_an_error() -> None:
    gold = GoldLinks.of([[(0, 2), (1, 1)], [(0, 0)]])
    with pytest.raises(DataError, match="1 of 3 links leave their sentences\n  they fit if"):
        gold.within(text_of((3, 2), (1, 1)))
    with pytest.raises(
        DataError, match="check that source and target text are those of these links"
    ):
        gold.within(text_of((2, 2), (1, 1)))


def test_sentences_that_were_skipped_keep_their_links() -> None:
    gold = GoldLinks.of([[(0, 0)], [(5, 4)], [(1, 1)]])
    text = text_of((2, 2), (6, 5), (2, 2), longest=4)
    fitting = gold.within(text, whole=True)
    assert list(fitting.sure) == list(gold.sure)
    assert fitting.outside == 0


def test_as_many_lines_as_sentences() -> None:
    gold = GoldLinks.of([[(0, 0)], [(0, 0)]])
    with pytest.raises(DataError, match="has links of 2 sentences, and the text has 1 line"):
        gold.within(text_of((1, 1)))
    longer = text_of((1, 1), (1, 1), (1, 1))
    assert len(gold.within(longer)) == 2
    with pytest.raises(DataError, match="has links of 2 sentences, and the text has 3 lines"):
        gold.within(longer, whole=True)


def test_sentences_at_the_end_may_not_be_mentioned(tmp_path: Path) -> None:
    (tmp_path / "gold").write_text("1 1 1 S\n")
    gold = GoldLinks.read(tmp_path / "gold").within(text_of((1, 1), (1, 1)), whole=True)
    assert list(gold.sure) == [[(0, 0)], []]


def test_sure_and_possible_links_of_the_same_sentences() -> None:
    with pytest.raises(OptionError, match="sure links of 1 sentence, and possible ones of 2"):
        GoldLinks.of([[]], [[], []])
