"""The NIST score against mteval's, and against its definition."""

from __future__ import annotations

import math
import re

import pytest

from tartib.errors import OptionError
from tartib.evaluation import Nist, score_of
from tests.support import paths

GOLDEN = paths.GOLDEN / "mteval"


def lines(name: str) -> list[str]:
    return (GOLDEN / name).read_text().splitlines()


@pytest.mark.parametrize(("count", "file"), [(1, "score.1ref.txt"), (4, "score.4refs.txt")])
def test_mteval(count: int, file: str) -> None:
    """The printed score has four decimals."""
    found = re.search(r"NIST score = ([\d.]+)", (GOLDEN / file).read_text())
    assert found
    score = score_of(Nist([lines(f"ref{i}") for i in range(count)]), lines("hyp"))
    assert score == pytest.approx(float(found[1]), abs=1e-4)


def test_by_hand() -> None:
    """Two words of four in the references tell one bit each, and the pair tells nothing more."""
    score = score_of(Nist([["a b", "c d"]]), ["a b", "x y"])
    # 2 matched words of info log2(4/1) among 4; one pair of info log2(1/1) among 2.
    assert score == pytest.approx(2 * math.log2(4) / 4)


def test_a_text_of_two_thirds_is_worth_half() -> None:
    nist = Nist([["a b c"]])
    whole, part = nist.statistics(["a b c"]).sum(axis=0), nist.statistics(["a b"]).sum(axis=0)
    told = part[0] / part[5] + part[1] / part[6]
    assert score_of(nist, ["a b"]) == pytest.approx(told / 2)
    assert whole[10:].tolist() == [3, 3]


def test_nothing_matches() -> None:
    nist = Nist([["a b"], ["a c"]])
    assert score_of(nist, ["x y z"]) == 0
    assert score_of(nist, [""]) == 0


@pytest.mark.parametrize("references", [[], [["a"], ["a", "b"]]])
def test_references_must_fit(references: list[list[str]]) -> None:
    with pytest.raises(OptionError, match="same length"):
        Nist(references)


def test_translations_must_fit() -> None:
    with pytest.raises(OptionError, match="2 translations"):
        score_of(Nist([["a"]]), ["a", "b"])
