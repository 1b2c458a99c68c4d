"""KenLM's golden files."""

from tests.support import paths

GOLDEN = paths.GOLDEN / "kenlm"


def golden_scores() -> tuple[list[float], list[int]]:
    """Return what KenLM's `query` said: totals, and numbers of unknown words."""
    rows = [line.split() for line in (GOLDEN / "queries.o5.scores").read_text().splitlines()]
    totals = [row for row in rows if row[0] == "Total:"]
    return [float(row[1]) for row in totals], [int(row[3]) for row in totals]
