"""The papers' tables about translation, made from the results of an experiment."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np

from tartib.experiments.report import papers as paper
from tartib.experiments.report.findings import SIGNIFICANT, plain_name
from tartib.experiments.report.papers import PaperSystem, PaperTest
from tartib.experiments.report.tables import Column, Table, Value, duration, size
from tartib.experiments.translation.comparison import BLEU, FIRST, FUZZY, NIST, TAU
from tartib.experiments.translation.findings import (
    baseline_name,
    correction_note,
    findings_table,
    paper_row,
)
from tartib.experiments.translation.results import (
    ModelResults,
    SystemResults,
    SystemRun,
    TranslationResults,
)
from tartib.experiments.translation.systems import BASELINE

_TITLES = {
    BLEU: "BLEU",
    FIRST: "BLEU, ref 0",
    NIST: "NIST",
    TAU: "Kendall's τ %",
    FUZZY: "fuzzy reordering %",
}
_DIGITS = {NIST: 3}
_RUNS = "Mean ± standard deviation over {runs} tuning runs."
_DIFFERENCE = (
    "Δ: difference from {base}; * where p < 0.05 by paired bootstrap resampling of sentences and "
    "runs."
)
_ORDER = "How close the order of the source words in the output is to that in the first reference."
_AUTOMATIC = "Its alignment is automatic and has errors: compare systems with each other only."
_SHARED = "All systems share the phrase table and the language model, whose parameters are n-grams."


def tables_of(results: TranslationResults) -> list[Table]:
    """Make all tables, in the order of the papers; those of scores once for each test set."""
    tables = [
        _text_table(results),
        _tests_table(results),
        *(table for test in results.tests for table in tables_on(results, test.name)),
        _size_table(results),
        _oracle_table(results),
        _tuning_table(results),
        _stage_table(results),
    ]
    return [table for table in tables if table is not None and any(table.groups)]


def tables_on(results: TranslationResults, test: str) -> list[Table]:
    """Make the tables about one test set; their keys and titles have its name if it has others."""
    one, correction = results.on(test), correction_note(results)
    tables = [
        findings_table(one),
        _paper_table(one, "table-8", "Translation (SVM paper, Table 8)", paper.TABLE_8, correction),
        _paper_table(
            one, "mlr-table-3", "Translation (MLR paper, Table 3)", paper.MLR_TABLE_3, correction
        ),
        _score_table(one, correction),
        _order_table(one, correction),
    ]
    found = [table for table in tables if table is not None and any(table.groups)]
    if len(results.tests) == 1:
        return found
    return [
        replace(table, key=f"{table.key}-{test}", title=f"{table.title}: {test}") for table in found
    ]


def _text_table(results: TranslationResults) -> Table:
    corpus = results.corpus
    columns = [
        Column(""),
        *(Column(name, digits=0) for name in ("sentences", "source words", "references")),
    ]
    rows: list[list[str | Value]] = [
        ["training", Value(corpus.sentences), Value(corpus.source.words), Value(1)]
    ]
    rows += [
        [name, Value(text.sentences), Value(text.words), Value(text.references)]
        for name, text in (
            ("development", results.dev),
            *((test.name, test) for test in results.tests),
        )
    ]
    length = corpus.max_phrase_length
    notes = [f"{corpus.pairs:,} phrase pairs of up to {length} words on each side."]
    return Table("texts", "The texts", columns, [rows], notes)


def _figure(system: SystemResults, of: Callable[[SystemRun], float]) -> Value:
    return Value(system.mean(of), system.deviation(of))


def _score(system: SystemResults, metric: str, test: str | None = None) -> Value:
    return _figure(system, lambda run: run.on(test).scores[metric])


def _compared(system: SystemResults, metric: str, test: str | None = None) -> list[Value]:
    """Return the score and its difference from the baseline, with a star if it is significant."""
    score, found = _score(system, metric, test), system.difference(metric, test)
    if found is None:
        return [score, Value(None)]
    star = "*" if found.adjusted < SIGNIFICANT else ""
    shown = _signed(found.value, _DIGITS.get(metric, 2))
    return [score, Value(found.value, text=shown, mark=star)]


def _metric_columns(metric: str, group: str = "") -> list[Column]:
    digits = _DIGITS.get(metric, 2)
    group = group or _TITLES[metric]
    return [Column("score", group, digits, best="max"), Column("Δ", group, digits)]


def _tests_table(results: TranslationResults) -> Table | None:
    """Return BLEU of all systems on all test sets, if there are several."""
    if len(results.tests) == 1:
        return None
    names = [test.name for test in results.tests]
    columns = [Column("system")]
    for name in names:
        columns += _metric_columns(BLEU, name)
    rows: list[list[str | Value]] = [
        [system.title, *(value for name in names for value in _compared(system, BLEU, name))]
        for system in results.systems
    ]
    notes = _notes(results, correction_note(results))[:-1]
    return Table("tests", "BLEU on all test sets", columns, [rows], notes)


def _paper_table(
    results: TranslationResults,
    key: str,
    title: str,
    theirs: Mapping[str, PaperSystem],
    correction: str,
) -> Table | None:
    """Return the rows of a paper's table, ours beside theirs, in its order.

    Theirs are compared with the lexicalised model: with another baseline there is no such table.
    """
    base = theirs.get(results.base.row)
    if base is None or results.base.row != BASELINE:
        return None
    # As printed: the table without NIST has two decimals.
    digits = 2 if base.mt06.nist is None else 1
    metrics = [BLEU] if base.mt06.nist is None else [NIST, BLEU]
    columns = [Column("system")]
    for metric in metrics:
        columns += _metric_columns(metric)
    for test in ("MT06", "MT08"):
        for metric in metrics:
            columns += [
                Column(metric, f"paper: {test}", digits, paper=True),
                Column("Δ", f"paper: {test}", digits, paper=True),
            ]
    rows: list[list[str | Value]] = []
    for name, row in theirs.items():
        for system in (system for system in results.systems if paper_row(system) == name):
            ours = [value for m in metrics for value in _compared(system, m)]
            beside = [
                value
                for test, other in ((row.mt06, base.mt06), (row.mt08, base.mt08))
                for metric in metrics
                for value in _beside(test, other, metric, digits)
            ]
            rows.append([system.title, *ours, *beside])
    return Table(key, title, columns, [rows] if len(rows) > 1 else [], _notes(results, correction))


def _beside(test: PaperTest, base: PaperTest, metric: str, digits: int) -> list[Value]:
    """Return a paper's score and its difference from the baseline's."""
    score, other = (t.bleu if metric == BLEU else t.nist or 0.0 for t in (test, base))
    if test is base:
        return [Value(score), Value(None)]
    return [Value(score), Value(score - other, text=_signed(score - other, digits))]


def _signed(number: float, digits: int) -> str:
    return f"{number:+.{digits}f}".replace("-", "−")


def _notes(results: TranslationResults, correction: str) -> list[str]:
    runs = max(len(system.runs) for system in results.systems)
    many = [_RUNS.format(runs=runs)] if runs > 1 else ["One tuning run per system."]
    once = [system.title for system in results.systems if system.name in results.given_up]
    if once:
        budget = results.options.get("budget")
        many.append(
            f"Tuned once only, as BLEU on the development set was more than {budget:g} below the "
            f"best: {', '.join(once)}."
        )
    difference = _DIFFERENCE.format(base=baseline_name(results))
    return [*many, f"{difference} {correction}", paper.OTHER_CORPUS]


def _score_table(results: TranslationResults, correction: str) -> Table:
    """Return all systems by all metrics of translation, with intervals."""
    metrics = [metric for metric in (BLEU, FIRST, NIST) if metric in results.test.metrics]
    columns = [Column("system")]
    for metric in metrics:
        columns += [
            *_metric_columns(metric),
            Column("95 % interval of Δ", _TITLES[metric]),
            Column("p", _TITLES[metric], digits=3),
        ]
    rows: list[list[str | Value]] = []
    for system in results.systems:
        row: list[str | Value] = [system.title]
        for metric in metrics:
            row += [*_compared(system, metric), *_sureness(system, metric)]
        rows.append(row)
    signatures = [f"{_TITLES[metric]}: {results.test.metrics[metric]}." for metric in metrics]
    notes = [*_notes(results, correction)[:-1], *signatures]
    return Table("scores", "All systems", columns, [rows], notes)


def _sureness(system: SystemResults, metric: str) -> list[str | Value]:
    found = system.difference(metric)
    if found is None:
        return ["", Value(None)]
    digits = _DIGITS.get(metric, 2)
    interval = f"{_signed(found.low, digits)} to {_signed(found.high, digits)}"
    return [interval, Value(found.adjusted)]


def _size_table(results: TranslationResults) -> Table:
    columns = [
        Column("model"),
        Column("direction"),
        Column("parameters", digits=0),
        Column("on disk", digits=0),
        Column("compact", digits=0),
        Column("chosen", digits=None),
        Column("accuracy %", digits=2, best="max"),
        Column("training", digits=1),
        Column("memory, MB", digits=0),
        Column("parameters, million", "SVM paper", 1, paper=True),
        Column("GB", "SVM paper", 1, paper=True),
    ]
    rows = [_size_row(model) for model in results.models]
    empty: list[str | Value] = [""] * 7
    shared: list[list[str | Value]] = [
        [part.name, "", Value(part.entries), Value(part.bytes, text=size(part.bytes)), *empty]
        for part in results.shared
    ]
    notes = [
        _SHARED,
        "Compact: with 16-bit weights, as the systems use them. Accuracy: of orientations, on "
        "training sentences that were left out and on which the hyper-parameter was chosen, too.",
    ]
    title = "Sizes of the models (SVM paper, Table 7)"
    return Table("table-7", title, columns, [rows, shared], notes)


def _size_row(model: ModelResults) -> list[str | Value]:
    classifier, _, features = model.name.partition(":")
    theirs = paper.TABLE_7.get((classifier, plain_name(features)))
    return [
        model.title,
        model.direction,
        Value(model.n_parameters),
        Value(model.bytes, text=size(model.bytes)),
        Value(model.compact_bytes, text=size(model.compact_bytes)),
        f"{model.parameter} = {model.value:g}",
        Value(100 * model.accuracy),
        Value(model.seconds, text=duration(model.seconds)),
        Value(model.peak_mb),
        Value(theirs.parameters / 1e6 if theirs else None),
        Value(theirs.gigabytes if theirs else None),
    ]


def _order_table(results: TranslationResults, correction: str) -> Table | None:
    metrics = [metric for metric in (TAU, FUZZY) if metric in results.test.metrics]
    if not metrics:
        return None
    columns = [Column("system")]
    for metric in metrics:
        columns += _metric_columns(metric)
    rows: list[list[str | Value]] = [
        [s.title, *(value for m in metrics for value in _compared(s, m))] for s in results.systems
    ]
    automatic = [] if results.test.alignment_given else [_AUTOMATIC]
    notes = [_ORDER, *automatic, *_notes(results, correction)[:-1]]
    return Table("word-order", "Word order", columns, [rows], notes)


def _oracle_table(results: TranslationResults) -> Table | None:
    """Return what perfect decisions would bring, as differences from what the baseline decodes."""
    if not results.oracle:
        return None
    decoded, *_ = results.oracle
    columns = [Column("chosen")]
    for metric in (BLEU, TAU, FUZZY):
        columns += _metric_columns(metric)
    rows: list[list[str | Value]] = []
    for row in results.oracle:
        cells: list[str | Value] = [row.title]
        for metric in (BLEU, TAU, FUZZY):
            gain = row.scores[metric] - decoded.scores[metric]
            shown = Value(None) if row is decoded else Value(gain, text=_signed(gain, 2))
            cells += [Value(row.scores[metric]), shown]
        rows.append(cells)
    notes = [
        f"Upper bounds for {results.base.title}, first run: what it would reach if it knew the "
        "references. Best BLEU or best order of the n-best list: the translation whose BLEU is "
        "highest by itself, or whose source words are nearest to the order of the first reference "
        "(Kendall's τ). True orientations: decoded with a further model that knows that order; the "
        "cost of a wrong orientation is a share of the sum of all weights."
    ]
    return Table("oracle", "How much perfect order could bring", columns, [rows], notes)


def _tuning_table(results: TranslationResults) -> Table:
    columns = [
        Column("system"),
        Column("weights", digits=0),
        Column("BLEU", "development set", 2, best="max"),
        Column("iterations", "tuning", 1),
        Column("time", "tuning", 0),
        Column("memory, MB", "tuning", 0),
    ]
    names = [test.name for test in results.tests]
    for name in names:
        columns += [Column("words per second", name, 0), Column("memory, MB", name, 0)]
    rows: list[list[str | Value]] = []
    for system in results.systems:
        seconds = system.mean(lambda run: run.tuning_seconds)
        rows.append(
            [
                system.title,
                Value(system.runs[0].n_weights),
                _figure(system, lambda run: run.dev_bleu),
                Value(system.mean(lambda run: len(run.iterations))),
                Value(seconds, text=duration(seconds)),
                Value(max(run.tuning_peak_mb for run in system.runs)),
            ]
        )
        for name in names:
            found = [run.on(name) for run in system.runs]
            rows[-1] += [
                Value(float(np.mean([test.words_per_second for test in found]))),
                Value(max(test.peak_mb for test in found)),
            ]
    notes = ["Times are means over the runs, memory is the highest; BLEU is of the chosen weights."]
    if results.options.get("validation_share"):
        notes.append(
            "BLEU on the development set is that of sentences that nothing was learnt from."
        )
    untuned = [s.title for s in results.systems if any(run.chosen == 1 for run in s.runs)]
    if untuned:
        notes.append(
            "In at least one run tuning found nothing better than the initial weights: "
            f"{', '.join(untuned)}. More iterations may help."
        )
    return Table("tuning", "Tuning and decoding", columns, [rows], notes)


def _stage_table(results: TranslationResults) -> Table:
    columns = [Column("stage"), Column("time", digits=0), Column("memory, MB", digits=0)]
    rows: list[list[str | Value]] = [
        [stage.name, Value(stage.seconds, text=duration(stage.seconds)), Value(stage.peak_mb)]
        for stage in results.stages
    ]
    notes = ["Each stage is a process of its own; memory is its peak."]
    return Table("stages", "Time and memory of every stage", columns, [rows], notes)
