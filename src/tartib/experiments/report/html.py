"""One HTML page with all results of experiments; it loads no other file."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

from jinja2 import Environment
from markupsafe import Markup

from tartib.errors import OptionError
from tartib.experiments.report.alignment_pictures import cut_words, environment, is_right_to_left
from tartib.experiments.report.findings import Headline
from tartib.experiments.report.policy import new_mark, with_policy
from tartib.experiments.report.table_formats import best_marks, format_value, heading_spans
from tartib.experiments.report.tables import Table, duration
from tartib.experiments.run.results import ExperimentResults
from tartib.features import FeatureSet
from tartib.storage import new_files

EXAMPLES_SHOWN = 4  # the others are folded away
ROWS_TO_SORT = 4


@dataclass(frozen=True)
class Plot:
    """A panel of a figure, drawn."""

    key: str
    title: str
    svg: Markup


@dataclass(frozen=True)
class Block:
    """The content under one heading; left out if it is empty.

    ``columns`` are side by side, each under its name; only the first ``examples`` are shown at
    once; ``folded`` tables are hidden until the reader opens them.
    """

    key: str
    title: str
    text: str = ""
    plots: list[Plot] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)
    columns: dict[str, Markup] = field(default_factory=dict)
    examples: list[Markup] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    folded: list[Table] = field(default_factory=list)
    below: str = ""

    def __bool__(self) -> bool:
        return any((self.plots, self.tables, self.columns, self.examples, self.folded))


@dataclass(frozen=True)
class Section:
    """A part of the page: a heading, the most important results, and blocks.

    ``meaning`` and ``feature_sets`` explain the orientation and the names of the feature sets.
    """

    key: str
    name: str
    detail: str
    headlines: list[Headline]
    sentences: list[str]
    blocks: list[Block]
    meaning: str = ""
    feature_sets: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Chapter:
    """What a page shows of one experiment.

    Attributes
    ----------
    name
        Where there are several, sections are named after it.
    results
        The results that all experiments have.
    byline
        Sizes of the data, in one line.
    corpus
        Tables of the summary.
    sections
        The sections after the summary.
    folded
        Blocks at the end, hidden until the reader opens them.
    folder
        Folder of its files, relative to the page; empty if they are beside it.
    data, tables
        Names of its files with data, and of those with tables.
    """

    name: str
    results: ExperimentResults
    byline: str
    corpus: Sequence[Table]
    sections: Sequence[Section]
    folded: Sequence[Block] = ()
    folder: str = ""
    data: Sequence[str] = ("results.json",)
    tables: Sequence[str] = ("tables.tex", "tables.md")

    @property
    def run(self) -> str:
        """How long it took, and where it ran."""
        return f"{duration(self.results.seconds)} {where_it_ran(self.results)}"

    @property
    def options(self) -> str:
        """The options of the experiment as readable JSON."""
        return json.dumps(self.results.options, indent=2, ensure_ascii=False)

    def file(self, name: str) -> str:
        """Return a link to one of the experiment's files."""
        return f"{self.folder}/{name}" if self.folder else name


def page_environment() -> Environment:
    """Return the templates of pages, with functions for tables and features."""
    page = environment()
    page.filters["feature"] = mark_words
    page.globals.update(
        best_marks=best_marks, format_value=format_value, heading_spans=heading_spans
    )
    return page


def write_page(
    path: str | Path,
    chapters: Sequence[Chapter],
    title: str | None = None,
    introduction: str = "",
) -> None:
    """Write the page, replacing an older one.

    Parameters
    ----------
    path
        File to write.
    chapters
        One for each experiment.
    title
        Title of the page; by default that of the first experiment.
    introduction
        A few sentences below the title.
    """
    mark = new_mark()
    html = (
        page_environment()
        .get_template("report.html")
        .render(
            title=title or chapters[0].results.title,
            introduction=introduction,
            chapters=chapters,
            sections=[section for chapter in chapters for section in chapter.sections],
            examples_shown=EXAMPLES_SHOWN,
            rows_to_sort=ROWS_TO_SORT,
            mark=mark,
        )
    )
    with new_files(Path(path), overwrite=True) as (aside,):
        aside.write_text(with_policy(html, mark), encoding="utf-8")


def where_it_ran(results: ExperimentResults) -> str:
    """Say on how many cores of which machine it ran; if all were used, give the number once."""
    facts = results.machine.split(", ")
    cores = next((fact for fact in facts if re.fullmatch(r"\d+ cores?", fact)), None)
    rest = ", ".join(fact for fact in facts if fact != cores)
    used = f"{results.jobs} core{'' if results.jobs == 1 else 's'}"
    if cores is not None and cores.split()[0] != str(results.jobs):
        used = f"{results.jobs} of {cores}"
    return f"on {used} ({rest})" if rest else f"on {used}"


def legend_of_sets(names: Iterable[str]) -> list[str]:
    """Describe each feature set in a line, in the order of their numbers."""
    lines = {}
    for name in dict.fromkeys(names):
        with suppress(OptionError):  # not the name of a feature set
            lines[name] = FeatureSet(name).describe()
    return [lines[name] for name in sorted(lines, key=_number_of)]


def _number_of(name: str) -> tuple[int, str]:
    found = re.search(r"\d+", name)
    return (int(found[0]) if found else 0, name)


def notes_once(block: Block) -> Block:
    """Move notes that all tables share from the tables to the block."""
    if len(block.tables) < 2:
        return block
    first, *others = (table.notes for table in block.tables)
    shared = [note for note in first if all(note in notes for notes in others)]
    tables = [
        replace(table, notes=[note for note in table.notes if note not in shared])
        for table in block.tables
    ]
    return replace(block, tables=tables, notes=shared)


def mark_words(feature: str) -> Markup:
    """Return a feature's name as HTML; long words are cut, right-to-left ones are isolated."""
    parts = re.split(r"(\s+|[“”&:~=])", feature)
    wrapped = (
        Markup("<bdi>{}</bdi>").format(cut_words(part))
        if is_right_to_left([part])
        else cut_words(part)
        for part in parts
    )
    return Markup("").join(wrapped)
