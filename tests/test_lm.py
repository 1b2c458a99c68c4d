"""Queries of language models."""

from pathlib import Path

import numpy as np
import pytest

from tartib import LanguageModel

pytestmark = pytest.mark.native
GOLDEN = Path(__file__).parent / "golden" / "kenlm"


@pytest.fixture(scope="module")
def golden() -> LanguageModel:
    return LanguageModel.load(GOLDEN / "text.o5.arpa")


def golden_scores() -> tuple[list[float], list[int]]:
    """Return what KenLM's `query` said: totals, and numbers of unknown words."""
    rows = [line.split() for line in (GOLDEN / "queries.o5.scores").read_text().splitlines()]
    totals = [row for row in rows if row[0] == "Total:"]
    return [float(row[1]) for row in totals], [int(row[3]) for row in totals]


def test_queries_equal_kenlm(golden: LanguageModel) -> None:
    queries = (GOLDEN / "queries").read_text().splitlines()
    totals, unknown = golden_scores()
    assert [golden.score(line) for line in queries] == pytest.approx(totals, abs=1e-5)
    (scores,) = golden.score_lines(queries)
    np.testing.assert_allclose(scores.log10_p, totals, atol=1e-5)
    assert scores.unknown.tolist() == unknown
    known = [sum(w.known for w in golden.word_scores(line)) for line in queries]
    assert known == (scores.tokens - scores.unknown).tolist()
