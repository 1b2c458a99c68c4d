"""The page of a classification experiment."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from markupsafe import Markup

from tartib.experiments.classification.figures import figures_of
from tartib.experiments.classification.results import (
    Cell,
    OrientationResults,
    Results,
    Tried,
)
from tartib.experiments.classification.summary import headlines, sentences
from tartib.experiments.classification.tables import CLASSIFIERS, tables_of
from tartib.experiments.report.alignment_pictures import alignment_picture
from tartib.experiments.report.html import (
    Block,
    Chapter,
    Plot,
    Section,
    legend_of_sets,
    notes_once,
    page_environment,
    write_page,
)
from tartib.experiments.report.tables import Column, Table, Value, duration
from tartib.experiments.run.results import Example
from tartib.orientation import OrientationModel

CHOSEN = " ●"
BEST = "The best model is the one with the highest accuracy on the test set."


@dataclass(frozen=True)
class Weight:
    """A feature with its weight, and the length of its bar in percent."""

    feature: str
    weight: float
    percent: float


def write_report(results: Results, path: str | Path, *, beside_paper: bool = False) -> None:
    """Write the page, replacing an older one.

    Parameters
    ----------
    results
        Results of an experiment.
    path
        File to write.
    beside_paper
        Show the papers' figures beside ours, where the classes are the same.
    """
    write_page(path, [chapter_of(results, beside_paper=beside_paper)])


def chapter_of(results: Results, *, beside_paper: bool = False, folder: str = "") -> Chapter:
    """Collect everything that a page shows; ``folder`` is where the experiment's files are."""
    corpus = results.corpus
    byline = f"{corpus.sentences:,} sentence pairs, {corpus.pairs:,} phrase pairs"
    if len(results.splits) > 1:
        byline += f", {len(results.splits)} folds"
    times = Block("times", "Time to make features", tables=_feature_times(results.feature_seconds))
    return Chapter(
        "Classification",
        results,
        byline,
        corpus=tables_of(
            results.model_copy(update={"orientations": []}), beside_paper=beside_paper
        ),
        sections=[
            section_of(results, orientation, beside_paper) for orientation in results.orientations
        ],
        folded=[times] if times else [],
        folder=folder,
    )


def section_of(
    results: Results, orientation: OrientationResults, beside_paper: bool = False
) -> Section:
    """Collect what the page shows about one orientation."""
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
        [notes_once(block) for block in blocks if block],
        OrientationModel.parse(orientation.name).describe(orientation.direction),
        legend_of_sets(
            [
                *(cell.features for cell in orientation.cells),
                *(row.cell.features for row in orientation.regressions),
            ]
        ),
    )


def tuned_on(results: Results) -> str:
    """Say what the models of the tuning tables were trained on, if not on everything."""
    pairs = results.options.get("tune_pairs")
    if not results.options.get("tune") or pairs is None:
        return ""
    if all(split.train.pairs <= pairs for split in results.splits):
        return ""
    return (
        f"These figures are from models trained on a sample of about {pairs:,} training pairs; the "
        "models that were tested were trained on all of them."
    )


def _found(tables: Sequence[Table], plots: dict[str, list[Plot]]) -> list[Block]:
    """Return the blocks of figures and tables, in the order of the papers."""

    def those(*names: str) -> list[Table]:
        return [table for table in tables if table.key.startswith(names) and any(table.groups)]

    others = ("findings-", "classes-", "table-4-", "coverage-", "mlr-table-2-", "table-7-")
    classifiers = [table for table in tables if not table.key.startswith(others)]
    shrinking = (
        "Dual methods skip samples that need no more updates. Shown is the share that is still "
        "active after each epoch, on a logarithmic scale."
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


def _seen(orientation: OrientationResults, tuned: str) -> list[Block]:
    """Return the blocks about features, examples and tuning."""
    best = None if orientation.best is None else orientation.cells[orientation.best]
    model = "the best model" + (f" ({_name(best)} on {best.features})" if best else "")
    place = "after" if orientation.direction == "forward" else "before"
    features = {
        name: _part("weights", _bars(pairs))
        for name, pairs in orientation.strongest.items()
        if pairs
    }
    examples = [_shown(example, orientation.direction) for example in orientation.examples]
    return [
        Block(
            "features",
            "Strongest features",
            f"Of {model}: weight for the class minus the mean over all classes. {BEST}",
            columns=features,
        ),
        Block(
            "examples",
            "Examples",
            f"Test pairs that the lexicalised model gets wrong and {model} right. The phrase pair "
            f"is blue, the target word {place} it orange: orientation is where one lies relative "
            f"to the other.{'' if features else ' ' + BEST}",
            examples=examples,
        ),
        Block("tuning", "Hyper-parameters", folded=_tuning_tables(orientation), below=tuned),
    ]


def _shown(example: Example, direction: str) -> Markup:
    """Return an example as the page shows it."""
    picture = alignment_picture(example, direction)
    return _part("shown_example", example, picture, _bars(example.pulls))


def _part(name: str, *arguments: object) -> Markup:
    """Return what a macro of the template makes of its arguments."""
    module = page_environment().get_template("example.html").module
    return Markup(getattr(module, name)(*arguments))  # noqa: S704 -- the template escapes


def _bars(pairs: Sequence[tuple[str, float]]) -> list[Weight]:
    longest = max((abs(weight) for _, weight in pairs), default=0.0) or 1.0
    return [Weight(name, weight, 100 * abs(weight) / longest) for name, weight in pairs]


def _tuning_tables(orientation: OrientationResults) -> list[Table]:
    """Return, for each classifier, the values tried on the development set."""
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
        rows += [] if row in rows else [row]  # cells that differ only in ε share a tuning
    title = f"{name[:1].upper()}{name[1:]}: values of {parameter} on the development set"
    return Table("tuning", title, columns, [rows], [f"{CHOSEN.strip()} is the chosen value."])


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


def _name(cell: Cell) -> str:
    return CLASSIFIERS.get(cell.classifier, cell.classifier)
