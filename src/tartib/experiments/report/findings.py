"""Findings and large figures of a report: what the papers say beside what was found."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from tartib.experiments.report.tables import Column, Table, Value

# A difference with a lower p-value is called significant.
SIGNIFICANT = 0.05
_VERDICTS = {True: "yes", False: "no", None: "open"}


@dataclass(frozen=True)
class Headline:
    """A large figure with what it is."""

    value: str
    unit: str
    label: str


@dataclass(frozen=True)
class Finding:
    """What the papers say, what was found here, and whether that agrees; None: it may be chance."""

    claim: str
    theirs: str
    ours: str
    holds: bool | None


def table_of(findings: Sequence[Finding], key: str, title: str, note: str) -> Table | None:
    """Return findings as a table, if there are any; the note says what counts."""
    if not findings:
        return None
    columns = [Column("finding"), Column("papers"), Column("here"), Column("holds")]
    rows: list[list[str | Value]] = [
        [finding.claim, finding.theirs, _minus(finding.ours), _VERDICTS[finding.holds]]
        for finding in findings
    ]
    return Table(key, title, columns, [rows], [note])


def _minus(text: str) -> str:
    """Write negative numbers with a minus sign."""
    return re.sub(r"-(?=\d)", "−", text)
