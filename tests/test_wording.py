"""Numbers with their nouns."""

import pytest

from tartib.wording import counted


@pytest.mark.parametrize(
    ("number", "shown"), [(0, "0 words"), (1, "1 word"), (2, "2 words"), (1204, "1,204 words")]
)
def test_the_noun_agrees_with_the_number(number: int, shown: str) -> None:
    assert counted(number, "word") == shown


def test_irregular_plurals_are_given() -> None:
    assert counted(1, "entry", "entries") == "1 entry"
    assert counted(2, "entry", "entries") == "2 entries"
