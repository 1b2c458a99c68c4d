"""A live table of an experiment on a terminal: what is finished, what runs, how much is left."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from tartib.experiments.run.stages import Stage
from tartib.progress import live_console

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.live import Live


class Watcher:
    """Is told what an experiment does; this one shows nothing."""

    live: Live | None = None

    def __rich__(self) -> RenderableType:
        """Draw nothing."""
        return ""

    def begin(self, what: str) -> None:
        """Hear that a stage begins; ``what`` says it in words."""

    def end(self, stage: Stage) -> None:
        """Hear that a stage is finished."""


@contextmanager
def watching(screen: Callable[[], Watcher], *, shown: bool) -> Iterator[Watcher]:
    """Yield a watcher: what ``screen`` makes, drawn on a terminal, and silence elsewhere."""
    if not (shown and sys.stderr.isatty()):
        yield Watcher()
        return
    from rich.console import Console
    from rich.live import Live

    made = screen()
    console = Console(stderr=True)
    with Live(made, console=console, refresh_per_second=2) as live, live_console(console):
        made.live = live
        yield made
