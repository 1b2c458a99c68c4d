"""Progress bars on standard error; hidden if it is not a terminal, or if not asked for."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console

Advance = Callable[[int], None]

_WIDE, _NARROW = 40, 12  # of a bar; narrow if details are beside it


_consoles: list[Console] = []  # of live screens that are running


@contextmanager
def live_console(console: Console) -> Iterator[None]:
    """Let notes be printed above a live screen on this console, which would erase others."""
    _consoles.append(console)
    try:
        yield
    finally:
        _consoles.remove(console)


def running_console() -> Console | None:
    """Return the console of the live screen that runs, if there is one."""
    return _consoles[-1] if _consoles else None


def _ignore(_: int) -> None:
    """Do nothing."""


@contextmanager
def progress_bar(
    description: str,
    total: int | None,
    unit: str | None,
    *,
    shown: bool = True,
    detail: Callable[[], str] | None = None,
) -> Iterator[Advance]:
    """Show a bar while the block runs and yield the function that moves it forward.

    Parameters
    ----------
    description
        What is being done, as a present participle.
    total
        Number of units; None if unknown, and then only count and rate are shown.
    unit
        Name of the units, in the plural; None leaves out their number.
    shown
        False hides the bar, so that callers need no second code path.
    detail
        Returns the text to show instead of units per second.
    """
    if not (shown and sys.stderr.isatty()):
        yield _ignore
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        Progress,
        ProgressColumn,
        SpinnerColumn,
        Task,
        TextColumn,
        TimeRemainingColumn,
    )
    from rich.text import Text

    class Rate(ProgressColumn):
        """Units per second, once some have been counted."""

        def render(self, task: Task) -> Text:
            if detail is not None:
                return Text(detail())
            return Text("" if task.speed is None else f"{task.speed:,.0f}/s")

    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(bar_width=_WIDE if detail is None else _NARROW),
        TextColumn("" if unit is None else "{task.completed:,.0f} {task.fields[unit]}"),
        Rate(),
        TimeRemainingColumn(),
    )
    known = (c for c in columns if total is not None or not isinstance(c, TimeRemainingColumn))
    with Progress(*known, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(description, total=total, unit=unit)
        yield lambda amount: bar.advance(task, amount)
