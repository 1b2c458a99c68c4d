"""Findings and large figures of a report: what the papers claim, and what was found here.

Both experiments judge by the same rules:

- better than a baseline: yes if each of the systems that the claim is about is better with an
  adjusted p-value below 0.05, no if one of them is worse with such a p-value, else open;
- alike: yes if each difference is below a margin, no if their mean is not, else open.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tartib.errors import OptionError
from tartib.experiments.report.tables import Column, Table, Value
from tartib.features import FeatureSet

# A difference with a lower p-value, adjusted for the number of comparisons, is significant.
SIGNIFICANT = 0.05
_VERDICTS = {True: "yes", False: "no", None: "open"}

# Forms of the feature sets, with the endings of their names.
OURS, PAPERS = "ours", "papers'"
ENDINGS = {OURS: "", PAPERS: "-paper"}
FORMS_NOTE = (
    f"Features: {OURS} – first and last words of a phrase are different features, the ends "
    f"of the sentence are marked; {PAPERS} – as printed in the papers, without either (names that "
    "end in -paper, and sets that are the same in both forms)."
)
HOLM_NOTE = "p-values are adjusted for the number of comparisons by Holm's method"


@dataclass(frozen=True)
class Headline:
    """A large figure with its label."""

    value: str
    unit: str
    label: str


@dataclass(frozen=True)
class Finding:
    """What the papers say, what was found here, and whether that agrees.

    Attributes
    ----------
    claim, theirs, ours
        The claim, the papers' figures and ours.
    holds
        None where the figures do not decide.
    form
        Which form of the feature sets it is about; empty if it is about none.
    """

    claim: str
    theirs: str
    ours: str
    holds: bool | None
    form: str = ""


def table_of(
    findings: Sequence[Finding], key: str, title: str, notes: Sequence[str]
) -> Table | None:
    """Return findings as a table, if there are any; the notes give the rules."""
    if not findings:
        return None
    names = ("finding", "features", "papers", "here", "holds")
    rows: list[list[str | Value]] = [
        [f.claim, f.form or "–", f.theirs, _minus(f.ours), _VERDICTS[f.holds]] for f in findings
    ]
    return Table(key, title, [Column(name) for name in names], [rows], [*notes, FORMS_NOTE])


def plain_name(features: str) -> str:
    """Return the papers' name of a feature set, whichever form it has."""
    return features.removesuffix(ENDINGS[PAPERS])


def form_of(features: str) -> str:
    """Return the form of a feature set, told by its name."""
    return PAPERS if features.endswith(ENDINGS[PAPERS]) else OURS


def names_in_form(features: str, form: str) -> tuple[str, ...]:
    """Return the names that a set may have in a form: two where both forms are the same set."""
    name = features + ENDINGS[form]
    if form == OURS:
        return (name,)
    try:
        same = FeatureSet(name) == FeatureSet(features)
    except OptionError:  # not one of the papers' sets
        same = False
    return (name, features) if same else (name,)


def all_better(differences: Sequence[tuple[float, float]]) -> bool | None:
    """Judge whether all are better than a baseline, by difference and adjusted p-value of each."""
    sure = [value for value, p_value in differences if p_value < SIGNIFICANT]
    if any(value < 0 for value in sure):
        return False
    return True if sure and len(sure) == len(differences) else None


def alike(gaps: Sequence[float], margin: float) -> bool | None:
    """Judge whether differences are so small that two methods are alike."""
    if all(abs(gap) < margin for gap in gaps):
        return True
    return None if abs(float(np.mean(gaps))) < margin else False


def _minus(text: str) -> str:
    """Write negative numbers with a minus sign."""
    return re.sub(r"-(?=\d)", "−", text)
