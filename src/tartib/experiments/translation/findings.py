"""What the papers say about translation, held against what an experiment found.

A finding is left out where the experiment lacks the systems that it is about. Whether it holds is
a matter of the figures alone: a difference is one if its p-value is below 0.05, and where there is
none, neither the papers' way nor the other, the finding is open.
"""

from __future__ import annotations

from collections.abc import Sequence

from tartib.experiments.report.findings import SIGNIFICANT, Finding, table_of
from tartib.experiments.report.tables import Table
from tartib.experiments.translation.comparison import BLEU
from tartib.experiments.translation.results import (
    Difference,
    ModelResults,
    SystemResults,
    TranslationResults,
)

_NOTE = (
    "What counts: better or worse – in BLEU, and with p < 0.05, else it is open; similar – by less "
    "than half a point; several times smaller – three times."
)
_SIMILAR = 0.5


def findings_table(results: TranslationResults) -> Table | None:
    """Return the findings as a table, if there are any."""
    return table_of(findings_of(results), "findings", "The papers' findings", _NOTE)


def findings_of(results: TranslationResults) -> list[Finding]:
    """Return the findings that the experiment can say something about."""
    made = (
        _without(results),
        _sparse(results),
        _classifiers(results),
        _regressions(results),
        _feature_sets(results),
        _kinds(results),
        _sizes(results.models),
    )
    return [finding for finding in made if finding is not None]


def _of_row(results: TranslationResults, *rows: str) -> list[SystemResults]:
    return [system for system in results.systems if system.row in rows]


def _gain(system: SystemResults) -> Difference:
    return system.differences[BLEU]


def _said(system: SystemResults) -> str:
    gain = _gain(system)
    return f"{system.title} {gain.value:+.2f} ({gain.low:+.2f} to {gain.high:+.2f})"


def _is_better(system: SystemResults) -> bool | None:
    """Return whether a system is above the baseline; None where it may be chance."""
    return _gain(system).value > 0 if _gain(system).p_value < SIGNIFICANT else None


def _without(results: TranslationResults) -> Finding | None:
    found = _of_row(results, "none")
    if not found:
        return None
    gain, better = _gain(found[0]), _is_better(found[0])
    return Finding(
        "without a reordering model translations are worse",
        "−1.6, −1.7 (Table 8)",
        f"{gain.value:+.2f} ({gain.low:+.2f} to {gain.high:+.2f})",
        None if better is None else not better,
    )


def _sparse(results: TranslationResults) -> Finding | None:
    found = [s for s in results.systems if s.name == "lexicalised+sparse"]
    if not found:
        return None
    return Finding(
        "sparse features beside the lexicalised model make them better",
        "+0.5, +0.9 (Table 8)",
        _said(found[0]),
        _is_better(found[0]),
    )


def _better(claim: str, theirs: str, found: Sequence[SystemResults]) -> Finding | None:
    if not found:
        return None
    verdicts = [_is_better(system) for system in found]
    best = max(found, key=lambda system: _gain(system).value)
    ours = f"{verdicts.count(True)} of {len(found)} systems; the best: {_said(best)}"
    holds = False if False in verdicts else True if all(verdicts) else None
    return Finding(claim, theirs, ours, holds)


def _classifiers(results: TranslationResults) -> Finding | None:
    rows = [f"{kind}:{features}+sparse" for kind in ("svm", "maxent") for features in ("S6", "S7")]
    return _better(
        "classifiers with sparse features are better than the lexicalised model",
        "+1.0, +1.5 (Table 8)",
        _of_row(results, *rows),
    )


def _regressions(results: TranslationResults) -> Finding | None:
    return _better(
        "primal and dual MLR are better than the lexicalised model",
        "+0.5, +0.6 (MLR Table 3)",
        _of_row(results, "primal-mlr:S7", "mlr:S7"),
    )


def _alike(
    results: TranslationResults, claim: str, theirs: str, pairs: Sequence[tuple[str, str]]
) -> Finding | None:
    # Of two systems that stand for the same row, the paper's own comes last, and counts.
    known = sorted(results.systems, key=lambda system: system.name == system.row)
    by_row = {system.row: system for system in known}
    gaps = [
        by_row[one].score(BLEU) - by_row[other].score(BLEU)
        for one, other in pairs
        if one in by_row and other in by_row
    ]
    if not gaps:
        return None
    ours = ", ".join(f"{gap:+.2f}" for gap in gaps)
    return Finding(claim, theirs, ours, max(map(abs, gaps)) < _SIMILAR)


def _feature_sets(results: TranslationResults) -> Finding | None:
    pairs = [(f"{kind}:S6+sparse", f"{kind}:S7+sparse") for kind in ("svm", "maxent")]
    claim = "S6 and S7 have similar scores (S6 minus S7: SVM, MaxEnt)"
    return _alike(results, claim, "+0.1, 0.0 (Table 8)", pairs)


def _kinds(results: TranslationResults) -> Finding | None:
    pairs = [(f"svm:{features}+sparse", f"maxent:{features}+sparse") for features in ("S6", "S7")]
    claim = "SVM and MaxEnt have similar scores (SVM minus MaxEnt: S6, S7)"
    return _alike(results, claim, "0.0, −0.1 (Table 8)", pairs)


def _sizes(models: Sequence[ModelResults]) -> Finding | None:
    by_name = {model.name: model for model in models}
    if not {"lexicalised", "svm:S6"} <= set(by_name):
        return None
    lexicalised, svm = by_name["lexicalised"], by_name["svm:S6"]
    ratio = lexicalised.n_parameters / max(svm.n_parameters, 1)
    return Finding(
        "a classifier (SVM S6) has several times fewer parameters than the lexicalised model",
        "4.3 times (Table 7)",
        f"{ratio:.1f} times",
        ratio >= 3,
    )
