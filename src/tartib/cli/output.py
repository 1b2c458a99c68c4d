"""Readable tables and notes; JSON where it was asked for."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from tartib.bitext import Skipped


def print_json(value: object) -> None:
    """Print data for other programs."""
    typer.echo(json.dumps(value, indent=2, ensure_ascii=False))


def print_note(text: str) -> None:
    """Tell the user something on standard error, beside the results."""
    typer.echo(text, err=True)


def note_keyboard(text: str) -> None:
    """Tell a user at a terminal that the command waits for what is typed, and how to end it."""
    if text == "-" and sys.stdin is not None and sys.stdin.isatty():
        print_note("reading from the keyboard; end with Ctrl-D")


def print_table(
    title: str,
    columns: Sequence[str],
    rows: Iterable[Sequence[Any]],
    *,
    right: Sequence[int] = (),
    lines: bool = False,
) -> None:
    """Print a table on standard output.

    Columns numbered in ``right`` are set to the right; ``lines`` draws a line between the rows.
    """
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(header_style="bold", show_lines=lines)
    for number, column in enumerate(columns):
        table.add_column(column, justify="right" if number in right else "left")
    for row in rows:
        table.add_row(*(Text(f"{cell:,}" if isinstance(cell, int) else str(cell)) for cell in row))
    console = Console()
    if not console.is_terminal:
        console.width = 160  # a file or a pipe has no width: do not fold what fits a wide line
    console.print(Text(title, style="table.title"))  # a table's own title would fold at its width
    console.print(table)


def percent(part: int, whole: int) -> str:
    """Return a share with one decimal."""
    return f"{100 * part / whole:.1f} %" if whole else "–"


def note_skipped(skipped: Skipped, max_length: int) -> None:
    """Say what was left out while reading; silence means nothing was."""
    if skipped.too_long:
        print_note(f"Skipped {skipped.too_long:,} sentence pairs of more than {max_length} tokens.")
    if skipped.empty:
        print_note(f"Skipped {skipped.empty:,} sentence pairs with an empty side.")
    if skipped.one_sided:
        print_note(f"Skipped {skipped.one_sided:,} units that lack one of the two languages.")


def given_options(context: typer.Context) -> dict[str, Any]:
    """Return the experiment's options that the command line names."""
    return {
        name: value
        for name, value in context.params.items()
        if name not in ("out", "config", "as_json") and _is_given(context, name)
    }


def _is_given(context: typer.Context, name: str) -> bool:
    source = context.get_parameter_source(name)
    return source is not None and source.name != "DEFAULT"
