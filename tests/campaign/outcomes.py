"""What came of mutations, counted and shown as a table."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

OUTCOMES = ("refused", "same", "other", "wrong", "exception", "hang", "crash")
BAD = ("wrong", "exception", "hang", "crash")


@dataclass(frozen=True)
class Problem:
    """A mutation that must not end so; ``place`` is the same for problems with one cause."""

    form: str
    seed: int
    outcome: str
    place: str
    detail: str


@dataclass
class Tally:
    """Outcomes of one format.

    Attributes
    ----------
    form
        Name of the format.
    counts
        By outcome: refused with an error of ours; the same result; another result, where no
        checksum forbids it; and the bad ones.
    problems
        The bad ones.
    seconds
        Processor time.
    """

    form: str
    counts: Counter[str] = field(default_factory=Counter)
    problems: list[Problem] = field(default_factory=list)
    seconds: float = 0.0

    @property
    def mutations(self) -> int:
        return self.counts.total()

    @property
    def bad(self) -> int:
        return sum(self.counts[outcome] for outcome in BAD)


def table(tallies: list[Tally]) -> str:
    """Return a line for each format, and their sums."""
    total = Tally("all")
    for tally in tallies:
        total.counts += tally.counts
        total.seconds += tally.seconds
    head: tuple[str, ...] = ("format", "mutations", *OUTCOMES, "seconds")
    rows = [head]
    for tally in (*tallies, total):
        counts = (f"{tally.counts[outcome]:,}" for outcome in OUTCOMES)
        rows.append((tally.form, f"{tally.mutations:,}", *counts, f"{tally.seconds:.1f}"))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if i == 0 else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    )


def causes(problems: list[Problem], most: int = 3) -> str:
    """Return each cause once, with a few of its seeds and the first one's details."""
    groups: dict[tuple[str, str, str], list[Problem]] = {}
    for problem in problems:
        groups.setdefault((problem.form, problem.outcome, problem.place), []).append(problem)
    return "\n".join(
        f"{form}: {outcome} {len(found):,} times, {place}; seeds "
        f"{', '.join(str(problem.seed) for problem in found[:most])}\n  {found[0].detail}"
        for (form, outcome, place), found in groups.items()
    )
