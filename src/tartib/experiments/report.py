"""One page of HTML that shows everything an experiment found and loads nothing else."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from pathlib import Path

from markupsafe import Markup

from tartib.experiments.figures import figures_of
from tartib.experiments.grid import Column, Table, Value, duration
from tartib.experiments.layout import best_marks, format_value, heading_spans
from tartib.experiments.pictures import (
    alignment_picture,
    cut_words,
    environment,
    is_right_to_left,
)
from tartib.experiments.results import Cell, Example, OrientationResults, Results, Tried
from tartib.experiments.summary import Headline, headlines, sentences
from tartib.experiments.tables import CLASSIFIERS, tables_of
from tartib.storage import new_files

EXAMPLES_SHOWN = 4  # the others are folded away
ROWS_TO_SORT = 4
CHOSEN = " ●"
BEST = "The best model is the one most accurate on the test part."


@dataclass(frozen=True)
class Plot:
    """A panel of a figure, drawn."""

    key: str
    title: str
    svg: Markup


@dataclass(frozen=True)
class Weight:
    """A feature with its weight, and the length of its bar in percent."""

    feature: str
    weight: float
    percent: float


@dataclass(frozen=True)
class Shown:
    """An example as the page shows it."""

    example: Example
    picture: Markup
    pulls: list[Weight]


@dataclass(frozen=True)
class Block:
    """What stands under one heading; it is left out if there is nothing."""

    key: str
    title: str
    text: str = ""
    plots: list[Plot] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)
    features: dict[str, list[Weight]] = field(default_factory=dict)
    examples: list[Shown] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    folded: list[Table] = field(default_factory=list)
    below: str = ""

    def __bool__(self) -> bool:
        return any((self.plots, self.tables, self.features, self.examples, self.folded))


@dataclass(frozen=True)
class Section:
    """Everything about one orientation."""

    key: str
    name: str
    direction: str
    headlines: list[Headline]
    sentences: list[str]
    blocks: list[Block]


def write_report(results: Results, path: str | Path, *, beside_paper: bool = False) -> None:
    """Write the page, replacing an older one.

    Parameters
    ----------
    results
        What an experiment found.
    path
        Of the file.
    beside_paper
        Show the papers' figures beside ours, where the classes are theirs.
    """
    page = environment()
    page.filters["feature"] = mark_words
    page.globals.update(
        best_marks=best_marks, format_value=format_value, heading_spans=heading_spans
    )
    html = page.get_template("report.html").render(
        results=results,
        duration=duration(results.seconds),
        place=where_it_ran(results),
        corpus=tables_of(
            results.model_copy(update={"orientations": []}), beside_paper=beside_paper
        ),
        sections=[
            section_of(results, orientation, beside_paper) for orientation in results.orientations
        ],
        times=_feature_times(results.feature_seconds),
        options=json.dumps(results.options, indent=2, ensure_ascii=False),
        examples_shown=EXAMPLES_SHOWN,
        rows_to_sort=ROWS_TO_SORT,
    )
    with new_files(Path(path), overwrite=True) as (aside,):
        aside.write_text(html, encoding="utf-8")


def section_of(
    results: Results, orientation: OrientationResults, beside_paper: bool = False
) -> Section:
    """Put together what the page shows of one orientation."""
    alone = results.model_copy(update={"orientations": [orientation]})
    tables = tables_of(alone, beside_paper=beside_paper)[1:]
    key = f"{orientation.name}-{orientation.direction}"
    plots = {
        name: [Plot(panel.key, panel.title, Markup(panel.svg(key))) for panel in panels]  # noqa: S704
        for name, panels in figures_of(orientation).items()
    }
    blocks = [*_found(tables, plots), *_seen(orientation, tuned_on(results))]
    return Section(
        key,
        orientation.name,
        orientation.direction,
        headlines(orientation),
        sentences(orientation),
        [_notes_once(block) for block in blocks if block],
    )


def tuned_on(results: Results) -> str:
    """Say what the models of the tuning tables were trained on, if it was not everything."""
    pairs = results.options.get("tune_pairs")
    if not results.options.get("tune") or pairs is None:
        return ""
    if all(split.train.pairs <= pairs for split in results.splits):
        return ""
    return (
        f"These figures are of models trained on a sample of about {pairs:,} training pairs; the "
        "models that were tested were trained on all of them."
    )


def where_it_ran(results: Results) -> str:
    """Say on how many cores of which machine, and the number once if all were used."""
    facts = results.machine.split(", ")
    cores = next((fact for fact in facts if re.fullmatch(r"\d+ cores?", fact)), None)
    rest = ", ".join(fact for fact in facts if fact != cores)
    used = f"{results.jobs} core{'' if results.jobs == 1 else 's'}"
    if cores is not None and cores.split()[0] != str(results.jobs):
        used = f"{results.jobs} of {cores}"
    return f"on {used} ({rest})" if rest else f"on {used}"


def _found(tables: Sequence[Table], plots: dict[str, list[Plot]]) -> list[Block]:
    """Return the blocks of figures and tables, in the order of the papers."""

    def those(*names: str) -> list[Table]:
        return [table for table in tables if table.key.startswith(names) and any(table.groups)]

    others = ("findings-", "classes-", "table-4-", "coverage-", "mlr-table-2-", "table-7-")
    classifiers = [table for table in tables if not table.key.startswith(others)]
    shrinking = (
        "Dual methods leave out samples that need no more work. The share that is still active "
        "after each epoch, on a logarithmic scale."
    )
    return [
        Block("findings", "The papers' findings", tables=those("findings-")),
        Block("accuracy", "Accuracy", plots=plots.get("accuracy", []), tables=those("classes-")),
        Block("lexicalised", "Lexicalised model", tables=those("table-4-", "coverage-")),
        Block("classifiers", "Classifiers", tables=classifiers),
        Block("regression", "Logistic regression", tables=those("mlr-table-2-")),
        Block("active", "Active phrase pairs", shrinking, plots.get("figure-1", [])),
        Block("scale", "Scale", plots=plots.get("figure-2", [])),
        Block("size", "Size", tables=those("table-7-")),
    ]


def _notes_once(block: Block) -> Block:
    """Take the notes that all tables share out of them."""
    if len(block.tables) < 2:
        return block
    first, *others = (table.notes for table in block.tables)
    shared = [note for note in first if all(note in notes for notes in others)]
    tables = [
        replace(table, notes=[note for note in table.notes if note not in shared])
        for table in block.tables
    ]
    return replace(block, tables=tables, notes=shared)


def _seen(orientation: OrientationResults, tuned: str) -> list[Block]:
    """Return the blocks about features, examples and tuning."""
    best = None if orientation.best is None else orientation.cells[orientation.best]
    model = "the best model" + (f" ({_name(best)} on {best.features})" if best else "")
    place = "after" if orientation.direction == "forward" else "before"
    features = {name: _bars(pairs) for name, pairs in orientation.strongest.items() if pairs}
    examples = [
        Shown(example, alignment_picture(example, orientation.direction), _bars(example.pulls))
        for example in orientation.examples
    ]
    return [
        Block(
            "features",
            "Strongest features",
            f"Of {model}: weight for the class above the mean over the classes. {BEST}",
            features=features,
        ),
        Block(
            "examples",
            "Examples",
            f"Test pairs that the lexicalised model gets wrong and {model} right. The phrase pair "
            f"is blue, the target word {place} it orange: orientation is where one lies to the "
            f"other.{'' if features else ' ' + BEST}",
            examples=examples,
        ),
        Block("tuning", "Hyper-parameters", folded=_tuning_tables(orientation), below=tuned),
    ]


def _bars(pairs: Sequence[tuple[str, float]]) -> list[Weight]:
    longest = max((abs(weight) for _, weight in pairs), default=0.0) or 1.0
    return [Weight(name, weight, 100 * abs(weight) / longest) for name, weight in pairs]


def _tuning_tables(orientation: OrientationResults) -> list[Table]:
    """Return for each classifier what was tried on the development part."""
    cells = [
        orientation.lexicalised,
        *orientation.cells,
        *(row.cell for row in orientation.regressions),
    ]
    tuned = [cell for cell in cells if cell.parameter and any(run.tuning for run in cell.runs)]
    tuned.sort(key=lambda cell: (cell.classifier, cell.parameter))  # stable: keeps feature sets
    return [
        _tuning_table(list(group))
        for _, group in groupby(tuned, key=lambda cell: (cell.classifier, cell.parameter))
    ]


def _tuning_table(cells: list[Cell]) -> Table:
    name, parameter = _name(cells[0]), cells[0].parameter
    runs = [(cell, fold, run) for cell in cells for fold, run in enumerate(cell.runs, 1)]
    values = sorted({tried.value for _, _, run in runs for tried in run.tuning})
    columns = [
        Column("features"),
        Column("fold", digits=0),
        *(Column(f"{value:g}", f"accuracy %, {parameter}", 2) for value in values),
        *(Column(f"{value:g}", f"log-loss, {parameter}", 4) for value in values),
    ]
    rows: list[list[str | Value]] = []
    for cell, fold, run in runs:
        by_value = {tried.value: tried for tried in run.tuning}
        tried = [by_value.get(value) for value in values]
        accuracies = [_tried(t, lambda t: 100 * t.accuracy) for t in tried]
        losses = [_tried(t, lambda t: t.log_loss) for t in tried]
        row: list[str | Value] = [cell.features, Value(fold), *accuracies, *losses]
        rows += [] if row in rows else [row]  # cells that differ in ε were tuned once for all
    title = f"{name[:1].upper()}{name[1:]}: values of {parameter} on the development part"
    return Table("tuning", title, columns, [rows], [f"{CHOSEN.strip()} is the value chosen."])


def _tried(tried: Tried | None, figure: Callable[[Tried], float]) -> Value:
    if tried is None:
        return Value(None)
    return Value(figure(tried), mark=CHOSEN if tried.chosen else "")


def _feature_times(seconds: dict[str, float]) -> list[Table]:
    columns = [Column("features"), Column("time", digits=2)]
    rows: list[list[str | Value]] = [
        [name, Value(time, text=duration(time))] for name, time in seconds.items()
    ]
    title = "Time to make the rows of all phrase pairs"
    return [Table("feature-times", title, columns, [rows])] if rows else []


def mark_words(feature: str) -> Markup:
    """Return a feature's name as HTML: right-to-left words move no others, long ones are cut."""
    parts = re.split(r"(\s+|[∧&:~=])", feature)
    wrapped = (
        Markup("<bdi>{}</bdi>").format(cut_words(part))
        if is_right_to_left([part])
        else cut_words(part)
        for part in parts
    )
    return Markup("").join(wrapped)


def _name(cell: Cell) -> str:
    return CLASSIFIERS.get(cell.classifier, cell.classifier)
