"""BLEU against its definition."""

from __future__ import annotations

import math

import pytest

from tartib.errors import OptionError
from tartib.evaluation import bleu


def test_by_hand() -> None:
    """Precisions 5/6, 3/5, 2/4, 1/3 and no brevity penalty."""
    score = bleu(["a b c d e f"], [["a b c d x f"]])
    product = (5 / 6) * (3 / 5) * (2 / 4) * (1 / 3)
    assert score.score == pytest.approx(100 * product**0.25)
    assert "tok:none" in score.signature


def test_short_translations_are_penalised() -> None:
    score = bleu(["a b c d"], [["a b c d e f"]])
    assert score.score == pytest.approx(100 * math.exp(1 - 6 / 4))


def test_several_references() -> None:
    both = bleu(["a b c d e"], [["a b c x x"], ["x x c d e"]]).score
    assert both > max(bleu(["a b c d e"], [[r]]).score for r in ("a b c x x", "x x c d e"))


@pytest.mark.parametrize(
    ("translations", "references"),
    [(["a"], [["a", "b"]]), (["a"], []), ([], [[]])],
)
def test_refusals(translations: list[str], references: list[list[str]]) -> None:
    with pytest.raises(OptionError):
        bleu(translations, references)
