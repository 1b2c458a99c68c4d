"""Numbers with their nouns; text that is safe to show."""

import pytest

from tartib.wording import counted, printable


@pytest.mark.parametrize(
    ("number", "shown"), [(0, "0 words"), (1, "1 word"), (2, "2 words"), (1204, "1,204 words")]
)
def test_the_noun_agrees_with_the_number(number: int, shown: str) -> None:
    assert counted(number, "word") == shown


def test_irregular_plurals_are_given() -> None:
    assert counted(1, "entry", "entries") == "1 entry"
    assert counted(2, "entry", "entries") == "2 entries"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[31mred\x1b[0m", r"\x1b[31mred\x1b[0m"),
        ("\x07\x08\x00\r", r"\x07\x08\x00\x0d"),
        ("\x9b2J\x85\x7f", r"\u009b2J\u0085\u007f"),
        ("a\u202eb\u2066c\u2028d", r"a\u202eb\u2066c\u2028d"),
        ("tab\tand\nline", "tab\tand\nline"),
        ("كتاب\u200f\u200c 日本語 é 👍", "كتاب\u200f\u200c 日本語 é 👍"),
    ],
)
def test_nothing_acts_on_a_terminal(text: str, shown: str) -> None:
    assert printable(text) == shown
