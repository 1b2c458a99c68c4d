"""The papers' findings, each compared with the results of an experiment.

A finding is left out if the experiment does not have the rows that it is about. Verdicts use only
the figures of the tables, and thresholds that are printed below the findings.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from tartib.experiments.classification.results import Cell, Epoch, OrientationResults, Regression
from tartib.experiments.classification.summary import (
    CLASSIFIERS,
    accuracy,
    adjusted_p_values,
    memory_of,
    most_frequent,
    ratio,
    seconds_of,
)
from tartib.experiments.report.findings import (
    ENDINGS,
    HOLM_NOTE,
    SIGNIFICANT,
    Finding,
    alike,
    all_better,
    form_of,
    names_in_form,
    plain_name,
    table_of,
)
from tartib.experiments.report.tables import Table
from tartib.wording import counted

# Feature sets without context, with one word on each side, and with three; then without and with
# conjunctions; then of boundaries and of alignments (SVM paper, Table 2).
_CONTEXTS = (("S2", "S4", "S10"), ("S3", "S7", "S13"))
_CONJUNCTIONS = (("S4", "S6"), ("S7", "S9"), ("S10", "S12"), ("S13", "S15"))
_ALIGNMENTS = (("S2", "S3"), ("S4", "S7"), ("S6", "S9"), ("S10", "S13"), ("S12", "S15"))
_BEST = ("S6", "S15")  # the papers' most accurate sets with one and with three words of context
_EARLY = 5
_MARGIN = 1.0  # points of accuracy
_NOTES = (
    "Rules: similarly accurate – each difference is below one point; open if only their mean is. "
    f"Several times faster – at least twice; several points – at least two; early – {_EARLY} "
    "epochs; about the same error rate – at most half a point more; harm – at least half a point; "
    "a higher F1 – in more than half of the comparisons.",
    "Better than the lexicalised model: yes if each of them is, with p < 0.05, and is more "
    "accurate than always predicting the most frequent class of the test pairs; no if one is "
    f"worse with p < 0.05; otherwise open. {HOLM_NOTE}, over all feature sets and classifiers of "
    "this orientation.",
)


def findings_of(found: OrientationResults) -> list[Finding]:
    """Return the findings that the experiment has results for.

    Those about feature sets are judged once for each form that the experiment has.
    """
    about_sets = (_equal, _context, _conjunctions, _alignments, _better)
    made = (
        *(make(found, form) for make in about_sets for form in ENDINGS),
        _cheaper(found),
        *(_shrinking(name, trace) for name, trace in found.curves.items()),
        _dual(found.regressions),
        _coarse(found.regressions),
    )
    return [finding for finding in made if finding is not None]


def findings_table(found: OrientationResults, key: str, name: str) -> Table | None:
    """Return the findings about an orientation as a table, if there are any."""
    return table_of(findings_of(found), key, f"The papers' findings, {name}", _NOTES)


def _macro_f1(cell: Cell) -> float:
    return 100 * cell.mean(lambda run: run.scores.macro_f1)


def _cells(found: OrientationResults, form: str) -> dict[tuple[str, str], Cell]:
    """Return the cells of a form of the feature sets by the papers' names; none if it is not used.

    A set that is the same in both forms belongs to both.
    """
    by_name = {(cell.features, cell.classifier): cell for cell in found.cells}
    if not any(form_of(features) == form for features, _ in by_name):
        return {}
    cells = {}
    for features, classifier in by_name:
        name = plain_name(features)
        names = [n for n in names_in_form(name, form) if (n, classifier) in by_name]
        if names:
            cells[name, classifier] = by_name[names[0], classifier]
    return cells


def _rows(
    found: OrientationResults, form: str, sets: Iterable[Sequence[str]]
) -> list[tuple[str, list[Cell]]]:
    """Return, for each classifier, the cells of each group of feature sets that is complete."""
    cells = _cells(found, form)
    classifiers = dict.fromkeys(name for _, name in cells)
    rows = [
        (name, [cells[features, name] for features in chosen])
        for name in classifiers
        for chosen in sets
        if all((features, name) in cells for features in chosen)
    ]
    # Rows without a set of this form are reported under the other form already.
    return [
        (name, chosen) for name, chosen in rows if any(form_of(c.features) == form for c in chosen)
    ]


def _equal(found: OrientationResults, form: str) -> Finding | None:
    cells = _cells(found, form)
    common = [name for name, kind in cells if kind == "svm" and (name, "maxent") in cells]
    if not common:
        return None
    gaps = [accuracy(cells[n, "svm"]) - accuracy(cells[n, "maxent"]) for n in common]
    mean, worst = float(np.mean(gaps)), max(gaps, key=abs)
    ours = (
        f"SVM minus MaxEnt {mean:+.2f} points on average, {worst:+.2f} at most "
        f"({counted(len(gaps), 'feature set')})"
    )
    return Finding(
        "SVM and MaxEnt are similarly accurate",
        "−0.5 on average (Tables 5, 6)",
        ours,
        alike(gaps, _MARGIN),
        form,
    )


def _cheaper(found: OrientationResults) -> Finding | None:
    time, memory = ratio(found, seconds_of), ratio(found, memory_of)
    if time is None or memory is None:
        return None
    ours = f"MaxEnt takes {time:.1f} times as long and {memory:.1f} times the memory"
    return Finding(
        "the SVM is several times faster than MaxEnt, in less memory",
        "4 times as long, twice the memory",
        ours,
        time >= 2 and memory > 1,
    )


def _context(found: OrientationResults, form: str) -> Finding | None:
    rows = _rows(found, form, _CONTEXTS)
    if not rows:
        return None
    steps = np.array([np.diff([accuracy(cell) for cell in cells]) for _, cells in rows])
    one, three = steps.mean(axis=0)
    ours = f"one word on each side {one:+.1f} points, three instead of one {three:+.1f} more"
    return Finding(
        "one word of context is most of the gain",
        "+3.2, then −0.9 (Tables 5, 6)",
        ours,
        bool(one > max(three, 0)),
        form,
    )


def _conjunctions(found: OrientationResults, form: str) -> Finding | None:
    rows = _rows(found, form, _CONJUNCTIONS)
    if not rows:
        return None
    gains = [accuracy(pairs) - accuracy(single) for _, (single, pairs) in rows]
    ours = f"{np.mean(gains):+.1f} points on average, {min(gains):+.1f} to {max(gains):+.1f}"
    return Finding(
        "conjunctions of features (d ≤ 2) add several points",
        "+5.2 on average (Tables 5, 6)",
        ours,
        float(np.mean(gains)) >= 2,
        form,
    )


def _alignments(found: OrientationResults, form: str) -> Finding | None:
    rows = _rows(found, form, _ALIGNMENTS)
    if not rows:
        return None
    gains = [_macro_f1(aligned) - _macro_f1(bounds) for _, (bounds, aligned) in rows]
    better = sum(gain > 0 for gain in gains)
    ours = f"in {better} of {len(gains)} comparisons; macro-F1 {np.mean(gains):+.1f} on average"
    return Finding(
        "alignment features have a higher F1 than boundaries",
        "in 9 of 10, +6.8 (Tables 5, 6)",
        ours,
        2 * better > len(gains),
        form,
    )


def _shrinking(name: str, trace: Sequence[Epoch]) -> Finding | None:
    if not trace:
        return None
    last = min(_EARLY, len(trace))
    early = trace[last - 1].active
    below = next((epoch.epoch for epoch in trace if epoch.active < 0.01), None)
    when = "never" if below is None else f"after {below} of {len(trace)} epochs"
    title = {"svm": "the SVM"}.get(name, CLASSIFIERS.get(name, name))
    return Finding(
        f"more than 99 % of the samples leave the active set of {title} early",
        "after a few epochs (Figure 1)",
        f"{100 * early:.2g}\u202f% active after {last} epochs, less than 1\u202f% {when}",
        early < 0.01,
    )


def _dual(rows: Sequence[Regression]) -> Finding | None:
    by_epsilon = {row.epsilon: row.cell for row in rows}
    if None not in by_epsilon or 0.1 not in by_epsilon:
        return None
    primal, dual = by_epsilon[None], by_epsilon[0.1]
    time = primal.mean(seconds_of) / dual.mean(seconds_of)
    gap = accuracy(primal) - accuracy(dual)
    ours = f"{time:.1f} times as fast, error rate {gap:+.2f} points"
    return Finding(
        "dual MLR (ε = 0.1) is several times faster than primal MLR at about its error rate",
        "3.8 times, +0.14 (MLR Table 2)",
        ours,
        time >= 2 and gap <= 0.5,
    )


def _coarse(rows: Sequence[Regression]) -> Finding | None:
    by_epsilon = {row.epsilon: row.cell for row in rows if row.epsilon is not None}
    if not {1.0, 0.1} <= set(by_epsilon):
        return None
    gap = accuracy(by_epsilon[0.1]) - accuracy(by_epsilon[1.0])
    return Finding(
        "too much shrinking (ε = 1) harms dual MLR",
        "error rate +3.18 (MLR Table 2)",
        f"error rate {gap:+.2f} points against ε = 0.1",
        gap >= 0.5,
    )


def _better(found: OrientationResults, form: str) -> Finding | None:
    p_values, (_, lowest) = adjusted_p_values(found), most_frequent(found)
    known = [
        (cell, cell.difference, p_values[cell.features, cell.classifier])
        for _, cells in _rows(found, form, [[name] for name in _BEST])
        for cell in cells
        if cell.difference is not None
    ]
    if not known:
        return None
    # A classifier that only predicts the most frequent class is never better.
    differences = [
        (difference.accuracy, p if difference.accuracy < 0 or accuracy(cell) > lowest else 1.0)
        for cell, difference, p in known
    ]
    better = sum(value > 0 and p < SIGNIFICANT for value, p in differences)
    _, best, _ = max(known, key=lambda row: row[1].accuracy)
    return Finding(
        "classifiers with S6 and S15 beat the lexicalised model",
        "S6 +6.6, S15 +6.9 (Tables 4, 6)",
        f"{better} of {len(known)}, the best by {100 * best.accuracy:+.1f} points "
        f"({100 * best.low:+.1f} to {100 * best.high:+.1f})",
        all_better(differences),
        form,
    )
