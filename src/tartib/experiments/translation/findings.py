"""What the papers say about translation, compared with the results of an experiment.

A finding is left out if the experiment does not have the systems that it is about. The rules are
those of `tartib.experiments.report.findings`, which both experiments share.
"""

from __future__ import annotations

from collections.abc import Sequence

from tartib.experiments.report.findings import (
    ENDINGS,
    HOLM_NOTE,
    PAPERS,
    SIGNIFICANT,
    Finding,
    alike,
    all_better,
    table_of,
)
from tartib.experiments.report.tables import Table
from tartib.experiments.translation.comparison import BLEU
from tartib.experiments.translation.results import (
    Difference,
    ModelResults,
    SystemResults,
    TranslationResults,
)
from tartib.experiments.translation.systems import BASELINE
from tartib.wording import counted

_MARGIN = 0.5  # points of BLEU
_NOTES = (
    "Rules: better or worse – each of them is, in BLEU, with p < 0.05; otherwise open. "
    "p-values are adjusted as in the tables of scores. Similar – each difference is below half a "
    "point; open if only their mean is. Several times fewer – at least three times.",
)


def correction_note(results: TranslationResults) -> str:
    """Say how p-values are adjusted for the number of comparisons, on all test sets together."""
    systems, tests = len(results.systems) - 1, len(results.tests)
    over = f"over the {counted(systems, 'system')} compared by each metric"
    if tests > 1:
        over += f" on {counted(tests, 'test set')}"
    primary = next((s.title for s in results.systems if s.name == results.primary), None)
    if primary is None:
        return f"{HOLM_NOTE}, {over}."
    where = f" on {results.test.name}" if tests > 1 else ""
    return (
        f"The comparison named beforehand is BLEU of {primary}{where}: its p-value stays as it is. "
        f"The other {HOLM_NOTE}, {over}, without that one."
    )


def baseline_name(results: TranslationResults) -> str:
    """Return what texts call the baseline."""
    title = results.base.title
    return f"the {title} model" if results.baseline == BASELINE else f"{title} (the baseline)"


def findings_table(results: TranslationResults, key: str = "findings") -> Table | None:
    """Return the findings on one test set as a table, if there are any."""
    return table_of(findings_of(results), key, "The papers' findings", _NOTES)


def findings_of(results: TranslationResults) -> list[Finding]:
    """Return the findings that the experiment has results for.

    Those about feature sets are judged once for each form that the experiment has. The papers'
    claims are about differences from the lexicalised model: with another baseline there are none.
    """
    if results.base.row != BASELINE:
        return []
    about_sets = (_classifiers, _regressions, _feature_sets, _kinds)
    made = (
        _without(results),
        _sparse(results),
        *(make(results, form) for make in about_sets for form in ENDINGS),
        _sizes(results.models),
    )
    return [finding for finding in made if finding is not None]


def paper_row(system: SystemResults) -> str:
    """Return the row of the papers' tables that a system stands for, in either form."""
    return system.row.replace(ENDINGS[PAPERS], "")


def _of_row(results: TranslationResults, *rows: str) -> list[SystemResults]:
    others = (system for system in results.systems if system.name != results.baseline)
    return [system for system in others if system.row in rows]


def _said(system: SystemResults) -> str:
    gain = gain_of(system)
    return f"{system.title} {gain.value:+.2f} ({gain.low:+.2f} to {gain.high:+.2f})"


def gain_of(system: SystemResults) -> Difference:
    """Return the difference in BLEU from the baseline, of another system."""
    found = system.difference(BLEU)
    if found is None:
        raise ValueError(f"{system.name} is the baseline")
    return found


def _verdict(systems: Sequence[SystemResults]) -> bool | None:
    """Return whether all of the systems are better than the baseline; None if it is open."""
    gains = [gain_of(system) for system in systems]
    return all_better([(gain.value, gain.adjusted) for gain in gains])


def _without(results: TranslationResults) -> Finding | None:
    found = _of_row(results, "none")
    if not found:
        return None
    gain, better = gain_of(found[0]), _verdict(found[:1])
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
        "sparse features beside the lexicalised model improve translations",
        "+0.5, +0.9 (Table 8)",
        _said(found[0]),
        _verdict(found),
    )


def _better(claim: str, theirs: str, found: Sequence[SystemResults], form: str) -> Finding | None:
    if not found:
        return None
    gains = [gain_of(system) for system in found]
    better = sum(gain.value > 0 and gain.adjusted < SIGNIFICANT for gain in gains)
    best = max(found, key=lambda system: gain_of(system).value)
    ours = f"{better} of {counted(len(found), 'system')}; the best: {_said(best)}"
    return Finding(claim, theirs, ours, _verdict(found), form)


def _in_form(results: TranslationResults, form: str) -> dict[str, SystemResults]:
    """Return the systems of a form of the feature sets, by the papers' names of their rows.

    If two systems have the same row, the one made like the papers' counts.
    """
    # The papers' own comes last, so it takes the row.
    known = sorted(results.systems, key=lambda system: system.name == system.row)
    return {paper_row(s): s for s in known if (ENDINGS[PAPERS] in s.row) == (form == PAPERS)}


def _classifiers(results: TranslationResults, form: str) -> Finding | None:
    rows = [f"{kind}:{features}+sparse" for kind in ("svm", "maxent") for features in ("S6", "S7")]
    return _better(
        "classifiers with sparse features are better than the lexicalised model",
        "+1.0, +1.5 (Table 8)",
        _of_row(results, *(_row_in_form(row, form) for row in rows)),
        form,
    )


def _regressions(results: TranslationResults, form: str) -> Finding | None:
    return _better(
        "primal and dual MLR are better than the lexicalised model",
        "+0.5, +0.6 (MLR Table 3)",
        _of_row(results, *(_row_in_form(row, form) for row in ("primal-mlr:S7", "mlr:S7"))),
        form,
    )


def _row_in_form(row: str, form: str) -> str:
    """Return a row such as ``svm:S6+sparse`` with the feature set of a form."""
    model, plus, rest = row.partition("+")
    return f"{model}{ENDINGS[form]}{plus}{rest}"


def _alike(
    results: TranslationResults,
    claim: str,
    theirs: str,
    pairs: Sequence[tuple[str, str]],
    form: str,
) -> Finding | None:
    by_row = _in_form(results, form)
    gaps = [
        by_row[one].score(BLEU) - by_row[other].score(BLEU)
        for one, other in pairs
        if one in by_row and other in by_row
    ]
    if not gaps:
        return None
    ours = ", ".join(f"{gap:+.2f}" for gap in gaps)
    return Finding(claim, theirs, ours, alike(gaps, _MARGIN), form)


def _feature_sets(results: TranslationResults, form: str) -> Finding | None:
    pairs = [(f"{kind}:S6+sparse", f"{kind}:S7+sparse") for kind in ("svm", "maxent")]
    claim = "S6 and S7 have similar scores (S6 minus S7: SVM, MaxEnt)"
    return _alike(results, claim, "+0.1, 0.0 (Table 8)", pairs, form)


def _kinds(results: TranslationResults, form: str) -> Finding | None:
    pairs = [(f"svm:{features}+sparse", f"maxent:{features}+sparse") for features in ("S6", "S7")]
    claim = "SVM and MaxEnt have similar scores (SVM minus MaxEnt: S6, S7)"
    return _alike(results, claim, "0.0, −0.1 (Table 8)", pairs, form)


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
