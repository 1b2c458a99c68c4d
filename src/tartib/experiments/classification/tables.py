"""The papers' tables about classification, made from the results of an experiment.

Percentages have one decimal, accuracy and error rate two. With several folds, figures are means
with standard deviations; times, memory and sizes are means only.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

from tartib.experiments.classification import fold_averages as folds
from tartib.experiments.classification.findings import findings_table
from tartib.experiments.classification.results import (
    Cell,
    OrientationResults,
    Regression,
    Results,
    Split,
)
from tartib.experiments.classification.summary import CLASSIFIERS as CLASSIFIERS
from tartib.experiments.classification.summary import adjusted_p_values
from tartib.experiments.report import papers as paper
from tartib.experiments.report.findings import HOLM_NOTE, form_of, plain_name
from tartib.experiments.report.tables import Column as Column
from tartib.experiments.report.tables import Table as Table
from tartib.experiments.report.tables import Value as Value
from tartib.experiments.report.tables import size
from tartib.experiments.run.results import CorpusResults

_DIFFERENCE = (
    "Δ: accuracy minus that of the lexicalised model, in points; * where p < 0.05 by paired "
    "bootstrap resampling over sentences. "
    f"{HOLM_NOTE}, over all {{count}} feature sets and classifiers of this orientation."
)
_COST = "Time: one training with the chosen value. Memory: peak of its process until it ended."
_LOSSES = (
    "Log-loss in nats, of the classifier's own probabilities; calibrated: after fitting a "
    "temperature, for an SVM an affine map of the scores, on the development set."
)
_ACTIVE = "Active: share of the samples that are not shrunk at the end of the third epoch."
_COMPACT = "Compact: with 16-bit weights. A megabyte is 2^20 bytes."

_KNOWN = {"pair": "phrase pair", "source": "source phrase only", "none": "not at all"}
_NUMBERS = {"maxent": "5", "svm": "6"}

_Field = tuple[Column, Callable[[Cell], str | Value]]


def tables_of(results: Results, *, beside_paper: bool = False) -> list[Table]:
    """Make all tables of an experiment, in the order of the papers.

    Parameters
    ----------
    results
        Results of an experiment.
    beside_paper
        Add the papers' figures for the same rows, where the classes are the same (msd).
    """
    tables = [_corpus_table(results.corpus, results.splits, beside_paper)]
    for orientation in results.orientations:
        beside = beside_paper and set(orientation.classes) == set(paper.CLASSES)
        findings = findings_table(orientation, f"findings-{_slug(orientation)}", _name(orientation))
        tables += [] if findings is None else [findings]
        tables += [
            _class_table(orientation, beside),
            _lexicalised_table(orientation, beside),
            _coverage_table(orientation),
        ]
        tables += [
            _classifier_table(orientation, name, beside) for name in _classifiers(orientation.cells)
        ]
        if orientation.regressions:
            tables.append(_regression_table(orientation, beside))
        tables.append(_size_table(orientation, beside))
    return tables


def _corpus_table(corpus: CorpusResults, splits: Sequence[Split], beside: bool) -> Table:
    columns = [
        Column(""),
        Column(corpus.source.name, digits=0),
        Column(corpus.target.name, digits=0),
        Column("both", digits=0),
    ]
    sides = [
        _side_rows(corpus.sentences, s.words, s.words_per_line, s.vocabulary, s.vocabulary_share)
        for s in (corpus.source, corpus.target)
    ]
    theirs: list[list[Value]] = []
    for name, pair in paper.TABLE_1.items() if beside else ():
        for s in pair:
            share = s.vocabulary_share / 100
            columns.append(Column(s.language, f"SVM paper: {name}", 0, paper=True))
            theirs.append(_side_rows(s.sentences, s.words, s.words_per_line, s.vocabulary, share))
    names = ["sentence pairs", "running words", "words per line", "vocabulary", "vocabulary %"]
    by_side: list[list[str | Value]] = [
        [name, *(side[k] for side in sides), "", *(side[k] for side in theirs)]
        for k, name in enumerate(names)
    ]
    together: list[list[str | Value]] = [
        [name, "", "", value, *([""] * len(theirs))] for name, value in _both_sides(corpus, splits)
    ]
    notes = _corpus_notes(corpus, len(splits)) + ([paper.OTHER_CORPUS] if beside else [])
    return Table("table-1", "The corpus (SVM paper, Table 1)", columns, [by_side, together], notes)


def _corpus_notes(corpus: CorpusResults, n_folds: int) -> list[str]:
    notes = [f"Phrase pairs have up to {corpus.max_phrase_length} words on each side."]
    skipped = ", ".join(
        f"{reason.replace('_', ' ')} {count:,}" for reason, count in corpus.skipped.items() if count
    )
    if skipped:
        notes.append(f"Sentence pairs left out: {skipped}.")
    if n_folds > 1:
        notes.append(f"Parts: mean ± standard deviation over {n_folds} folds.")
    return notes


def _side_rows(
    sentences: int, words: int, words_per_line: float, vocabulary: int, share: float
) -> list[Value]:
    return [
        Value(sentences),
        Value(words),
        Value(words_per_line, text=f"{round(words_per_line, 1):g}"),
        Value(vocabulary),
        Value(100 * share, text=f"{100 * share:.2f}"),
    ]


def _both_sides(corpus: CorpusResults, splits: Sequence[Split]) -> list[tuple[str, Value]]:
    rows = [
        ("links of the word alignment", Value(corpus.links)),
        ("phrase pairs", Value(corpus.pairs)),
    ]
    for name in ("train", "development", "test"):
        parts = [getattr(split, name) for split in splits]
        label = "training" if name == "train" else name
        rows.append((f"{label} sentences", folds.mean_of([part.sentences for part in parts])))
        rows.append((f"{label} phrase pairs", folds.mean_of([part.pairs for part in parts])))
    return rows


def _class_table(orientation: OrientationResults, beside: bool) -> Table:
    columns = [Column("class"), Column("phrase pairs", digits=0), Column("share %", digits=1)]
    total = sum(orientation.counts)
    rows: list[list[str | Value]] = [
        [name, Value(count), Value(100 * count / total if total else None)]
        for name, count in zip(orientation.classes, orientation.counts, strict=True)
    ]
    if beside:
        columns.append(Column("share %", "SVM paper", 1, paper=True))
        for row, k in zip(rows, _places(orientation), strict=True):
            row.append(Value(sum(paper.CONFUSION[k])))
    return Table(
        f"classes-{_slug(orientation)}",
        f"Orientation classes, {_name(orientation)}",
        columns,
        [rows],
        [paper.OTHER_CORPUS] if beside else [],
    )


def _lexicalised_table(orientation: OrientationResults, beside: bool) -> Table:
    cell, classes = orientation.lexicalised, orientation.classes
    columns = [
        Column("true class"),
        *(Column(name, "predicted, % of all pairs", 1) for name in classes),
        *(Column(name, digits=1) for name in ("precision %", "recall %", "F1 %")),
        Column("accuracy %", "all classes", 2),
        Column("macro-F1 %", "all classes", 1),
        Column("log-loss", "all classes", 4),
        Column("calibrated", "all classes", 4),
    ]
    whole: list[str | Value] = [
        folds.percent(lambda run: run.scores.accuracy)(cell),
        folds.percent(lambda run: run.scores.macro_f1)(cell),
        folds.figure(lambda run: run.scores.log_loss)(cell),
        folds.figure(lambda run: run.scores.calibrated_log_loss)(cell),
    ]
    rows: list[list[str | Value]] = [
        [
            name,
            *(folds.percent(folds.confused(k, said))(cell) for said in range(len(classes))),
            *(
                folds.percent(folds.of_class(figure, k))(cell)
                for figure in ("precision", "recall", "f1")
            ),
            *(whole if k == 0 else [""] * len(whole)),
        ]
        for k, name in enumerate(classes)
    ]
    notes = [_LOSSES, *folds.remarks([cell])]
    if beside:
        theirs, more = _paper_lexicalised(orientation)
        columns += theirs
        rows = [ours + figures for ours, figures in zip(rows, more, strict=True)]
        notes += [paper.NOTE, paper.OTHER_CORPUS]
    return Table(
        f"table-4-{_slug(orientation)}",
        f"Lexicalised model, {_name(orientation)} (SVM paper, Table 4)",
        columns,
        [rows],
        notes,
    )


def _paper_lexicalised(
    orientation: OrientationResults,
) -> tuple[list[Column], list[list[str | Value]]]:
    group = "SVM paper: predicted, % of all pairs"
    columns = [Column(name, group, 1, paper=True) for name in orientation.classes]
    columns += [
        Column(name, "SVM paper", 1, paper=True)
        for name in ("precision %", "recall %", "F1 %", "accuracy %")
    ]
    places, scores = _places(orientation), paper.TABLE_4
    rows: list[list[str | Value]] = [
        [
            *(Value(paper.CONFUSION[k][said]) for said in places),
            *(Value(figure[k]) for figure in (scores.precision, scores.recall, scores.f1)),
            Value(scores.accuracy) if k == places[0] else "",
        ]
        for k in places
    ]
    return columns, rows


def _coverage_table(orientation: OrientationResults) -> Table:
    columns = [
        Column("known to the lexicalised model"),
        Column("share of the test pairs %", digits=1),
        Column("accuracy %", digits=2),
    ]
    rows: list[list[str | Value]] = [
        [
            _KNOWN.get(c.known, c.known),
            Value(100 * c.share),
            Value(None if c.accuracy is None else 100 * c.accuracy),
        ]
        for c in orientation.coverage
    ]
    return Table(
        f"coverage-{_slug(orientation)}",
        f"How well the lexicalised model knows the test pairs, {_name(orientation)}",
        columns,
        [rows],
    )


def _classifiers(cells: Sequence[Cell]) -> list[str]:
    found = dict.fromkeys(cell.classifier for cell in cells)
    return [name for name in CLASSIFIERS if name in found] + [
        name for name in found if name not in CLASSIFIERS
    ]


def _classifier_table(orientation: OrientationResults, classifier: str, beside: bool) -> Table:
    cells = [cell for cell in orientation.cells if cell.classifier == classifier]
    fields = _classifier_fields(orientation, cells[0].parameter)
    p_values = adjusted_p_values(orientation)
    notes = [_DIFFERENCE.format(count=len(p_values)), _LOSSES, _COST, *folds.remarks(cells)]
    if beside and classifier in paper.TABLES_5_6:
        fields += _paper_fields(orientation, paper.TABLES_5_6[classifier])
        notes += [paper.NOTE, paper.OTHER_CORPUS]
    number = _NUMBERS.get(classifier)
    printed = f"SVM paper, Table {number}" if number else "as in the SVM paper's Tables 5 and 6"
    return Table(
        f"{f'table-{number}' if number else classifier}-{_slug(orientation)}",
        f"{_title(classifier)} by feature set, {_name(orientation)} ({printed})",
        [column for column, _ in fields],
        [[[show(cell) for _, show in fields] for cell in group] for group in _by_kind(cells)],
        notes,
    )


def _classifier_fields(orientation: OrientationResults, parameter: str) -> list[_Field]:
    fields: list[_Field] = [
        (Column("feature set"), lambda cell: cell.features),
        (Column("features", digits=0), folds.average(lambda run: run.n_features)),
        (Column(parameter or "parameter", digits=0), folds.chosen),
        (Column("time", digits=0), folds.training_time),
        (Column("memory MB", digits=0), folds.average(lambda run: run.peak_mb)),
        (
            Column("accuracy %", digits=2, best="max"),
            folds.percent(lambda run: run.scores.accuracy),
        ),
        (Column("Δ", digits=2), folds.difference(adjusted_p_values(orientation))),
    ]
    for name, heading in (("precision", "precision %"), ("recall", "recall %"), ("f1", "F1 %")):
        fields += [
            (Column(label, heading, 1, "max"), folds.percent(folds.of_class(name, k)))
            for k, label in enumerate(orientation.classes)
        ]
    return [
        *fields,
        (
            Column("macro-F1 %", digits=1, best="max"),
            folds.percent(lambda run: run.scores.macro_f1),
        ),
        (Column("log-loss", digits=4, best="min"), folds.figure(lambda run: run.scores.log_loss)),
        (
            Column("calibrated", digits=4, best="min"),
            folds.figure(lambda run: run.scores.calibrated_log_loss),
        ),
    ]


def _paper_fields(orientation: OrientationResults, rows: dict[str, paper.PaperRow]) -> list[_Field]:
    def shown(figure: Callable[[paper.PaperRow], Value]) -> Callable[[Cell], Value]:
        return lambda cell: (
            figure(rows[plain_name(cell.features)])
            if plain_name(cell.features) in rows
            else Value(None)
        )

    def of_class(name: str, k: int) -> Callable[[Cell], Value]:
        return shown(lambda row: Value(getattr(row.scores, name)[k]))

    fields: list[_Field] = [
        (Column("time", "SVM paper", 0, paper=True), shown(lambda row: _minutes(row.minutes))),
        (
            Column("accuracy %", "SVM paper", 1, paper=True),
            shown(lambda row: Value(row.scores.accuracy)),
        ),
    ]
    for name, heading in (("precision", "precision %"), ("recall", "recall %"), ("f1", "F1 %")):
        fields += [
            (Column(label, f"SVM paper: {heading}", 1, paper=True), of_class(name, k))
            for label, k in zip(orientation.classes, _places(orientation), strict=True)
        ]
    return fields


def _by_kind(cells: Iterable[Cell]) -> list[list[Cell]]:
    """Group S1 to S3, S4 to S6 and so on, as the papers do; other feature sets come last.

    A set in the papers' own form follows the set of the same number in ours.
    """
    groups: dict[int, list[tuple[int, Cell]]] = {}
    for cell in cells:
        match = re.fullmatch(r"S([1-9]|1[0-5])", plain_name(cell.features))
        number = int(match[1]) if match else 16
        groups.setdefault((number - 1) // 3, []).append((number, cell))
    return [
        [cell for _, cell in sorted(groups[kind], key=lambda n: (n[0], form_of(n[1].features)))]
        for kind in sorted(groups)
    ]


def _regression_table(orientation: OrientationResults, beside: bool) -> Table:
    columns = [
        Column("classifier"),
        Column("time", digits=0),
        Column("memory MB", digits=0),
        Column("error rate %", digits=2),
        Column("epochs", digits=0),
        Column("active after 3 epochs %", digits=1),
    ]
    if beside:
        columns.append(Column("time", "MLR paper", 0, paper=True))
        columns.append(Column("error rate %", "MLR paper", 2, paper=True))
    rows = [_regression_row(regression, beside) for regression in orientation.regressions]
    cells = [regression.cell for regression in orientation.regressions]
    return Table(
        f"mlr-table-2-{_slug(orientation)}",
        f"Multinomial logistic regression on {orientation.regression_features}, "
        f"{_name(orientation)} (MLR paper, Table 2)",
        columns,
        [rows],
        [_ACTIVE, _COST, *folds.remarks(cells), *([paper.OTHER_CORPUS] if beside else [])],
    )


def _regression_row(regression: Regression, beside: bool) -> list[str | Value]:
    cell, epsilon = regression.cell, regression.epsilon
    row: list[str | Value] = [
        "primal MLR" if epsilon is None else f"dual MLR, EG, ε = {epsilon:g}",
        folds.training_time(cell),
        folds.average(lambda run: run.peak_mb)(cell),
        folds.percent(lambda run: 1 - run.scores.accuracy)(cell),
        folds.figure(lambda run: max((epoch.epoch for epoch in run.trace), default=0))(cell),
        Value(None) if epsilon is None else folds.active(cell),
    ]
    if beside:
        theirs = paper.MLR_TABLE_2.get(epsilon)
        row.append(_minutes(theirs.minutes) if theirs else Value(None))
        row.append(Value(theirs.error_rate if theirs else None))
    return row


def _size_table(orientation: OrientationResults, beside: bool) -> Table:
    columns = [
        Column("model"),
        Column("feature set"),
        Column("features", digits=0),
        Column("parameters", digits=0),
        Column("on disk", digits=0),
        Column("compact", digits=0),
    ]
    if beside:
        columns.append(Column("parameters", "SVM paper", 0, paper=True))
        columns.append(Column("on disk", "SVM paper", 0, paper=True))
    groups = [[orientation.lexicalised]]
    for name in _classifiers(orientation.cells):
        cells = [cell for cell in orientation.cells if cell.classifier == name]
        groups.append([cell for kind in _by_kind(cells) for cell in kind])
    return Table(
        f"table-7-{_slug(orientation)}",
        f"Sizes of the models, {_name(orientation)} (SVM paper, Table 7)",
        columns,
        [[_size_row(cell, beside) for cell in group] for group in groups],
        [_COMPACT, *([paper.OTHER_CORPUS] if beside else [])],
    )


def _size_row(cell: Cell, beside: bool) -> list[str | Value]:
    plain, compact = cell.mean(lambda run: run.bytes), cell.mean(lambda run: run.compact_bytes)
    row: list[str | Value] = [
        CLASSIFIERS.get(cell.classifier, cell.classifier),
        cell.features,
        folds.average(lambda run: run.n_features)(cell) if cell.features else Value(None),
        folds.average(lambda run: run.n_parameters)(cell),
        Value(plain, text=size(plain)),
        Value(compact, text=size(compact)),
    ]
    if beside:
        theirs = paper.TABLE_7.get((cell.classifier, plain_name(cell.features)))
        row += (
            [
                Value(theirs.parameters, text=f"{theirs.parameters / 1e6:.1f} M"),
                Value(theirs.gigabytes * 2**30, text=f"{theirs.gigabytes:.1f} GB"),
            ]
            if theirs
            else [Value(None), Value(None)]
        )
    return row


def _slug(orientation: OrientationResults) -> str:
    backward = orientation.direction == "backward"
    return orientation.name if backward else f"{orientation.name}-{orientation.direction}"


def _name(orientation: OrientationResults) -> str:
    return f"{orientation.name}, {orientation.direction}"


def _title(classifier: str) -> str:
    name = CLASSIFIERS.get(classifier, classifier)
    return name[:1].upper() + name[1:]


def _places(orientation: OrientationResults) -> list[int]:
    """Return the places of our classes in the papers' tables."""
    return [list(paper.CLASSES).index(name) for name in orientation.classes]


def _minutes(minutes: int) -> Value:
    return Value(60 * minutes, text=f"{minutes // 60}h{minutes % 60:02d}m")
