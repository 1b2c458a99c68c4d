"""The papers' findings: verdicts follow the figures, and theirs are those of the papers."""

import numpy as np
import pytest

from tartib.experiments.classification.findings import findings_of, findings_table
from tartib.experiments.classification.results import Cell, Difference, OrientationResults
from tartib.experiments.classification.tables import tables_of
from tartib.experiments.report import papers as paper
from tartib.experiments.report.findings import OURS, PAPERS, alike, all_better
from tests.support.classification_results import example_cell, example_results

ALL = {f"S{n}": n for n in range(1, 16)}
PAIRS = [("S2", "S3"), ("S4", "S7"), ("S6", "S9"), ("S10", "S13"), ("S12", "S15")]


def orientation(right: dict[tuple[str, str], int]) -> OrientationResults:
    """Make an experiment with cells of so many right answers."""
    cells = [example_cell("msd", name, kind, n, 1) for (name, kind), n in right.items()]
    return example_results(1).orientations[0].model_copy(update={"cells": cells})


def verdict(found: OrientationResults, claim: str) -> bool | None:
    (finding,) = [finding for finding in findings_of(found) if claim in finding.claim]
    return finding.holds


def scaled(cell: Cell, seconds: float) -> Cell:
    return cell.model_copy(
        update={"runs": [run.model_copy(update={"seconds": seconds}) for run in cell.runs]}
    )


@pytest.mark.parametrize(
    ("gaps", "expected"), [((0, 0), True), ((30, 30), False), ((30, -30), None)]
)
def test_svm_and_maxent(gaps: tuple[int, int], expected: bool | None) -> None:
    right = {(name, "maxent"): 50 for name in ("S4", "S6")}
    right |= {(name, "svm"): 50 + gap for name, gap in zip(("S4", "S6"), gaps, strict=True)}
    assert verdict(orientation(right), "similarly accurate") is expected


def judged(found: OrientationResults, claim: str) -> dict[str, bool | None]:
    return {f.form: f.holds for f in findings_of(found) if claim in f.claim}


def test_each_form_of_the_features_is_judged_by_itself() -> None:
    """Alignments beat the papers' boundaries, and not ours."""
    right = {("S4", "svm"): 40, ("S4-paper", "svm"): 20, ("S7", "svm"): 30, ("S7-paper", "svm"): 30}
    claim = "alignment features"
    assert judged(orientation(right), claim) == {OURS: False, PAPERS: True}
    del right["S4-paper", "svm"]
    assert judged(orientation(right), claim) == {OURS: False}
    right["S4-paper", "svm"] = 20
    table = findings_table(orientation(right), "key", "name")
    assert table is not None
    assert [row[1] for row in table.groups[0]][:2] == [OURS, PAPERS]
    assert "as printed in the papers" in table.notes[-1]


def with_p_values(found: OrientationResults, *p_values: float) -> OrientationResults:
    cells = [
        cell.model_copy(
            update={"difference": Difference(accuracy=0.02, low=0.0, high=0.04, p_value=p)}
        )
        for cell, p in zip(found.cells, p_values, strict=True)
    ]
    return found.model_copy(update={"cells": cells})


def test_significance_counts_the_comparisons() -> None:
    """One p-value of 0.02 is significant; beside four others it is not."""
    few = orientation({("S6", "svm"): 90})
    many = orientation({("S6", "svm"): 90, **{(f"S{n}", "svm"): 50 for n in (1, 2, 3, 4)}})
    claim = "beat the lexicalised model"
    assert verdict(with_p_values(few, 0.02), claim) is True
    assert verdict(with_p_values(many, 0.02, 0.9, 0.9, 0.9, 0.9), claim) is None
    assert verdict(with_p_values(many, 0.002, 0.9, 0.9, 0.9, 0.9), claim) is True
    again = with_p_values(many, 0.02, 0.9, 0.9, 0.9, 0.9)
    results = example_results(1).model_copy(update={"orientations": [again]})
    (svm,) = [table for table in tables_of(results) if table.key.startswith("table-6")]
    assert not any("*" in str(cell) for row in svm.groups[0] for cell in row)
    assert any("Holm" in note and "all 5 feature sets" in note for note in svm.notes)


@pytest.mark.parametrize(("one", "three"), [(40, 10), (10, 40)])
def test_context(one: int, three: int) -> None:
    right = {("S2", "svm"): 0, ("S4", "svm"): one, ("S10", "svm"): one + three}
    assert verdict(orientation(right), "one word of context") == (one > three)


@pytest.mark.parametrize("gain", [5, 60])
def test_conjunctions(gain: int) -> None:
    right = {("S4", "svm"): 10, ("S6", "svm"): 10 + gain}
    assert verdict(orientation(right), "conjunctions") == (gain == 60)


@pytest.mark.parametrize("gain", [-5, 5])
def test_alignments(gain: int) -> None:
    right = {("S4", "svm"): 20, ("S7", "svm"): 20 + gain}
    assert verdict(orientation(right), "alignment features") == (gain > 0)


def test_cost() -> None:
    found = orientation({("S1", "svm"): 10, ("S1", "maxent"): 20})
    svm, maxent = found.cells
    for seconds in (1.0, 5.0):
        again = found.model_copy(update={"cells": [scaled(svm, 1.0), scaled(maxent, seconds)]})
        assert verdict(again, "several times faster than MaxEnt") == (seconds > 2)


def test_regressions_and_shrinking() -> None:
    found = example_results(1).orientations[0]
    primal, *dual = found.regressions
    fast = [row.model_copy(update={"cell": scaled(row.cell, 1.0)}) for row in dual]
    for seconds in (1.0, 5.0):
        slow = primal.model_copy(update={"cell": scaled(primal.cell, seconds)})
        again = found.model_copy(update={"regressions": [slow, *fast]})
        assert verdict(again, "dual MLR (ε = 0.1)") == (seconds > 2)
        assert verdict(again, "too much shrinking")
    for active in (0.5, 0.005):
        epochs = [epoch.model_copy(update={"active": active}) for epoch in found.curves["svm"]]
        again = found.model_copy(update={"curves": {"svm": epochs}})
        assert verdict(again, "active set of the SVM") == (active < 0.01)


def test_what_is_not_there_is_left_out() -> None:
    empty = (
        example_results(1)
        .orientations[0]
        .model_copy(update={"cells": [], "regressions": [], "curves": {}})
    )
    assert findings_of(empty) == []
    assert not [f for f in findings_of(orientation({("S1", "svm"): 3})) if f.form]
    found = findings_of(orientation({("S6", "svm"): 3}))
    assert [f.claim[:11] for f in found if f.form] == ["classifiers"]


def test_the_papers_figures_are_theirs() -> None:
    rows = paper.TABLES_5_6
    accuracy = {(kind, n): row.scores.accuracy for kind in rows for n, row in rows[kind].items()}
    f1 = {(kind, n): np.mean(row.scores.f1) for kind in rows for n, row in rows[kind].items()}
    right = {(name, kind): number for name, number in ALL.items() for kind in ("svm", "maxent")}
    theirs = {f.claim.split()[0]: f.theirs for f in findings_of(orientation(right))}
    gap = np.mean([accuracy["svm", n] - accuracy["maxent", n] for n in ALL])
    assert f"{gap:+.1f}".replace("-", "−") in theirs["SVM"]
    contexts = [("S2", "S4", "S10"), ("S3", "S7", "S13")]
    steps = np.mean([np.diff([accuracy[k, n] for n in c]) for k in rows for c in contexts], axis=0)
    assert f"{steps[0]:+.1f}, then {steps[1]:+.1f}".replace("-", "−") in theirs["one"]
    more = [("S4", "S6"), ("S7", "S9"), ("S10", "S12"), ("S13", "S15")]
    gain = np.mean([accuracy[k, b] - accuracy[k, a] for k in rows for a, b in more])
    assert f"{gain:+.1f}" in theirs["conjunctions"]
    gains = [f1[k, b] - f1[k, a] for k in rows for a, b in PAIRS]
    assert f"in {sum(g > 0 for g in gains)} of {len(gains)}" in theirs["alignment"]
    assert f"{np.mean(gains):+.1f}" in theirs["alignment"]
    best = accuracy["svm", "S6"] - paper.TABLE_4.accuracy
    assert f"S6 {best:+.1f}" in theirs["classifiers"]


def test_both_experiments_judge_by_these_rules() -> None:
    assert all_better([(1.0, 0.01), (0.5, 0.04)]) is True
    assert all_better([(1.0, 0.01), (0.5, 0.06)]) is None
    assert all_better([(1.0, 0.01), (-0.5, 0.04)]) is False
    assert all_better([(-1.0, 0.3)]) is None
    assert alike([0.4, -0.4], 0.5) is True
    assert alike([0.6, -0.4], 0.5) is None
    assert alike([0.6, 0.5], 0.5) is False
