"""Tables as Markdown and LaTeX; also what a cell shows, and which cells are best."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from itertools import groupby

from tartib.experiments.report.tables import Column, Table, Value
from tartib.experiments.run.results import ExperimentResults

DASH = "–"

# Wider tables are shrunk to the width of the text.
_WIDE = 8
# LaTeX cannot hold many tables that still wait for a page.
_TABLES_TOGETHER = 10

_LATEX = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "`": r"\textasciigrave{}",
    '"': "''",
    # After the end of a row both would be read as its arguments.
    "*": "{*}",
    "[": "{[}",
    "±": r"$\pm$",
    "−": "$-$",
    "×": r"$\times$",
    "≤": r"$\leq$",
    "≥": r"$\geq$",
    "–": "--",
    "—": "---",
    "…": r"\dots{}",
    "Δ": r"$\Delta$",
    "α": r"$\alpha$",
    "ε": r"$\epsilon$",
    "λ": r"$\lambda$",
    "σ": r"$\sigma$",
}


def format_value(column: Column, value: str | Value) -> str:
    """Return what a cell shows, without a mark for the best."""
    if isinstance(value, str):
        return value
    if value.number is None:
        return DASH
    if value.text is not None:
        return value.text + value.mark
    shown = _number(value.number, column.digits)
    if value.deviation is not None:
        shown += f" ± {_number(value.deviation, column.digits)}"
    return shown + value.mark


def _number(number: float, digits: int | None) -> str:
    shown = f"{number:,g}" if digits is None else f"{number:,.{digits}f}"
    return shown.replace("-", "−")


def best_marks(table: Table) -> set[tuple[int, int, int]]:
    """Return the group, row and column of each cell that is the best of its group of rows.

    Cells that show the same number are equally good; where all do, none is marked.
    """
    return {
        (g, row, c)
        for g, group in enumerate(table.groups)
        for c, column in enumerate(table.columns)
        if column.best
        for row in _best_rows(column, [cells[c] for cells in group])
    }


def _best_rows(column: Column, cells: Sequence[str | Value]) -> list[int]:
    numbers = {
        row: cell.number if column.digits is None else round(cell.number, column.digits)
        for row, cell in enumerate(cells)
        if isinstance(cell, Value) and cell.number is not None
    }
    if len(set(numbers.values())) < 2:
        return []
    best = max(numbers.values()) if column.best == "max" else min(numbers.values())
    return [row for row, number in numbers.items() if number == best]


def heading_spans(columns: Sequence[Column]) -> list[tuple[str, int]]:
    """Return the headings above several columns with the number of columns under each.

    Neighbouring columns without one share an empty heading.
    """
    return [(name, len(list(span))) for name, span in groupby(columns, lambda c: c.group)]


def to_markdown(table: Table) -> str:
    """Return a heading, a GitHub-style table with the best in bold, and the notes.

    Groups of rows are separated by an empty row.
    """
    headings = [
        _escape_markdown(f"{c.group}: {c.name}" if c.group else c.name) for c in table.columns
    ]
    rows = _markdown_rows(table)
    widths = [max(3, *map(len, column)) for column in zip(headings, *rows, strict=True)]
    rule = [
        "-" * width if column.digits is None else "-" * (width - 1) + ":"
        for column, width in zip(table.columns, widths, strict=True)
    ]
    lines = [f"### {_escape_markdown(table.title)}", ""]
    for row in (headings, rule, *rows):
        cells = (
            cell.ljust(width) if column.digits is None else cell.rjust(width)
            for cell, column, width in zip(row, table.columns, widths, strict=True)
        )
        lines.append(f"| {' | '.join(cells)} |")
    for note in table.notes:
        lines += ["", _escape_markdown(note)]
    return "\n".join(lines) + "\n"


def _markdown_rows(table: Table) -> list[list[str]]:
    marks = best_marks(table)
    rows: list[list[str]] = []
    for g, group in enumerate(table.groups):
        if g:
            rows.append([""] * len(table.columns))
        for r, row in enumerate(group):
            shown = map(format_value, table.columns, row)
            rows.append([_bold_markdown(text, (g, r, c) in marks) for c, text in enumerate(shown)])
    return rows


def _bold_markdown(text: str, best: bool) -> str:
    escaped = _escape_markdown(text)
    return f"**{escaped}**" if best else escaped


def _escape_markdown(text: str) -> str:
    for sign in "\\|*_`<[":
        text = text.replace(sign, "\\" + sign)
    return text


def to_latex(table: Table) -> str:
    r"""Return a ``table`` environment that needs ``booktabs``, labelled ``tab:`` and the key.

    A wide table is shrunk by ``\resizebox`` where the document loads ``graphicx``, and is set in
    the smallest font where it does not.
    """
    tabular = [
        rf"\begin{{tabular}}{{{''.join('l' if c.digits is None else 'r' for c in table.columns)}}}",
        r"\toprule",
        *_latex_headings(table.columns),
        r"\midrule",
        *_latex_rows(table),
        r"\bottomrule",
        r"\end{tabular}",
    ]
    if len(table.columns) > _WIDE:
        tabular = [
            r"\ifdefined\resizebox\def\tartibfit{\resizebox{\textwidth}{!}}"
            r"\else\def\tartibfit{\tiny}\fi",
            r"\tartibfit{%",
            *tabular[:-1],
            tabular[-1] + "}",
        ]
    lines = [
        r"\begin{table}[htbp]",
        r"\centering\small",
        rf"\caption{{{escape_latex(table.title)}}}",
        rf"\label{{tab:{table.key}}}",
        *tabular,
        *_latex_notes(table.notes),
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


def _latex_headings(columns: Sequence[Column]) -> list[str]:
    lines = []
    if any(column.group for column in columns):
        cells, rules, first = [], [], 1
        for name, width in heading_spans(columns):
            if name:
                cells.append(rf"\multicolumn{{{width}}}{{c}}{{{escape_latex(name)}}}")
                rules.append(rf"\cmidrule(lr){{{first}-{first + width - 1}}}")
            else:
                cells += [""] * width
            first += width
        lines += [" & ".join(cells) + r" \\", "".join(rules)]
    names = (_latex_heading(column) for column in columns)
    return [*lines, " & ".join(names) + r" \\"]


def _latex_heading(column: Column) -> str:
    name = escape_latex(column.name)
    return name if column.digits is None else rf"\multicolumn{{1}}{{c}}{{{name}}}"


def _latex_rows(table: Table) -> list[str]:
    marks = best_marks(table)
    lines: list[str] = []
    for g, group in enumerate(table.groups):
        if g:
            lines.append(r"\midrule")
        for r, row in enumerate(group):
            shown = map(escape_latex, map(format_value, table.columns, row))
            cells = (
                rf"\textbf{{{text}}}" if (g, r, c) in marks else text
                for c, text in enumerate(shown)
            )
            lines.append(" & ".join(cells) + r" \\")
    return lines


def _latex_notes(notes: Sequence[str]) -> list[str]:
    if not notes:
        return []
    return [
        r"\par\smallskip",
        r"\begin{minipage}{\textwidth}\footnotesize",
        "\n\\par\n".join(map(escape_latex, notes)),
        r"\end{minipage}",
    ]


def escape_latex(text: str) -> str:
    """Return text that any LaTeX prints as it is.

    A letter that LaTeX has no glyph for without further packages is shown as its code point.
    """
    return "".join(_LATEX.get(sign) or _latex_letter(sign) for sign in text)


def _latex_letter(sign: str) -> str:
    accented = ord(sign) < 0x100 and unicodedata.normalize("NFD", sign)[0].isascii()
    if sign.isascii():
        return sign if sign.isprintable() else " "
    return sign if accented else f"(U+{ord(sign):04X})"


def write_markdown(tables: Iterable[Table], results: ExperimentResults) -> str:
    """Return the text of ``tables.md``."""
    title = _escape_markdown(_one_line(results.title))
    head = f"# {title}\n\n`{_one_line(results.signature)}`\n"
    return "\n".join([head, *map(to_markdown, tables)])


def write_latex(tables: Iterable[Table], results: ExperimentResults) -> str:
    r"""Return the text of ``tables.tex``, for ``\input`` in a document with ``booktabs``."""
    parts = [
        f"% {_one_line(results.title)}\n"
        f"% {_one_line(results.signature)}\n"
        "% Needs \\usepackage{booktabs}; with \\usepackage{graphicx} wide tables are fitted to the "
        "text.\n"
    ]
    for number, table in enumerate(tables):
        if number and number % _TABLES_TOGETHER == 0:
            parts.append("\\clearpage\n")
        parts.append(to_latex(table))
    return "\n".join(parts)


def _one_line(text: str) -> str:
    return " ".join(text.split())
