"""Readable tables and notes; JSON where it was asked for."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import typer

from tartib.progress import running_console
from tartib.wording import counted, printable

if TYPE_CHECKING:
    from tartib.bitext import Skipped

# A file or a pipe has no width: do not fold what fits a wide line.
_FILE_WIDTH = 160


def print_json(value: object, *, indent: int | None = 2) -> None:
    """Print data for other programs."""
    # The escapes are those of JSON: a terminal acts on nothing, and a program reads the same.
    typer.echo(_escaped(json.dumps(value, indent=indent, ensure_ascii=False)))


def _escaped(text: str) -> str:
    """Return a text with escapes for what a terminal acts on, and for what is no character."""
    return printable(text).encode(errors="backslashreplace").decode()


def print_plain(text: str) -> None:
    """Print lines on standard output as they are, but for what a terminal would act on."""
    typer.echo(printable(text) if sys.stdout.isatty() else text)


def print_text(text: str) -> None:
    """Print a line on standard output; a terminal gets it folded between words."""
    typer.echo(_folded(printable(text)) if sys.stdout.isatty() else text)


def print_note(text: str) -> None:
    """Tell the user something on standard error, beside the results."""
    print_trace(printable(text))


def print_trace(text: str) -> None:
    """Print a note that has escapes already, and its own marks around right-to-left text."""
    _tell(_folded(text) if sys.stderr.isatty() else text)


def print_problem(text: str) -> None:
    """Tell the user on standard error what is wrong."""
    _tell(f"tartib: {printable(text)}")


def _tell(text: str) -> None:
    """Print on standard error; above a live screen, which would erase what it does not know of."""
    console = running_console()
    if console is None:
        typer.echo(text, err=True)
    else:
        console.print(text, markup=False, highlight=False, emoji=False, soft_wrap=True)


def write_result(data: bytes) -> None:
    """Write a translation or the like to standard output: exactly, unless it is a terminal."""
    if sys.stdout.isatty():
        data = printable(data.decode()).encode()
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


def _folded(text: str) -> str:
    """Fold a line between words at the width of the terminal; longer words stay whole."""
    from rich.cells import cell_len

    room = shutil.get_terminal_size().columns
    folded = []
    for line in text.split("\n"):
        first, *rest = line.split(" ")
        lines = [first]
        for word in rest:
            if cell_len(lines[-1]) + 1 + cell_len(word) <= room:
                lines[-1] += f" {word}"
            else:
                lines.append(word)
        folded += lines
    return "\n".join(folded)


def print_signature(signature: str, wanted: bool) -> None:
    """Tell what made a result, if asked for; files and JSON always have it."""
    if wanted:
        print_note(signature)


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
    Text is folded between words. Where even that does not fit the terminal, each row becomes a
    list of its values.
    """
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    cells = [[f"{c:,}" if isinstance(c, int) else _escaped(str(c)) for c in row] for row in rows]
    console = Console()
    if not console.is_terminal:
        console.width = _FILE_WIDTH
    widths = _column_widths(columns, cells, set(right), console.width)
    if widths is None:
        cells = [[name, value] for row in cells for name, value in zip(columns, row, strict=True)]
        ends = set(range(len(columns) - 1, len(cells), len(columns)))
        columns, right = ("", ""), ()
        widths = _column_widths(columns, cells, set(), console.width) or [None, None]
    else:
        ends = set()
    table = Table(header_style="bold", show_lines=lines, show_header=any(columns))
    for number, (column, width) in enumerate(zip(columns, widths, strict=True)):
        table.add_column(column, justify="right" if number in right else "left", width=width)
    for number, row in enumerate(cells):
        table.add_row(*map(Text, row), end_section=number in ends)
    # A table's own title would fold at its width.
    console.print(Text(_escaped(title), style="table.title"))
    console.print(table)


def _column_widths(
    columns: Sequence[str], cells: Sequence[Sequence[str]], right: set[int], width: int
) -> list[int | None] | None:
    """Choose widths at which no word is broken; None where there are none."""
    from rich.cells import cell_len

    def longest(texts: Iterable[str]) -> int:
        return max(map(cell_len, texts), default=0)

    by_column = [[row[number] for row in cells] for number in range(len(columns))]
    needed = [
        max(longest(name.split()), longest(c if n in right else (w for t in c for w in t.split())))
        for n, (name, c) in enumerate(zip(columns, by_column, strict=True))
    ]
    chosen = [
        longest([name, *(line for text in c for line in text.split("\n"))])
        for name, c in zip(columns, by_column, strict=True)
    ]
    room = width - 3 * len(columns) - 1
    if sum(needed) > room:
        return None
    while sum(chosen) > room:
        loose = [n for n in range(len(columns)) if chosen[n] > needed[n]]
        chosen[max(loose, key=lambda n: chosen[n])] -= 1
    return list(chosen)


def percent(part: int, whole: int) -> str:
    """Return a share with one decimal."""
    return f"{100 * part / whole:.1f} %" if whole else "–"


def note_skipped(skipped: Skipped, max_sentence_length: int) -> None:
    """Say what was left out while reading; silence means nothing was."""
    reasons = (
        (skipped.too_long, "sentence pair", f"of more than {max_sentence_length} tokens"),
        (skipped.empty, "sentence pair", "with an empty side"),
        (skipped.one_sided, "unit", "without one of the two languages"),
    )
    for count, noun, reason in reasons:
        if count:
            print_note(f"Skipped {counted(count, noun)} {reason}.")


def given_options(context: typer.Context) -> dict[str, Any]:
    """Return the experiment's options that the command line names."""
    return {
        name: value
        for name, value in context.params.items()
        if name not in ("out", "config", "as_json", "signature", "no_verify")
        and is_given(context, name)
    }


def is_given(context: typer.Context, name: str) -> bool:
    """Tell whether the command line names an option."""
    source = context.get_parameter_source(name)
    return source is not None and source.name != "DEFAULT"
