"""What the campaign must know about a format."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tests.campaign.materials import Materials


@dataclass(frozen=True)
class Format:
    """A format.

    Attributes
    ----------
    name
        Short, for the command line.
    make
        Writes a sample into a folder: all that is there may be damaged.
    use
        Loads the sample and does with it what users do; returns what came out.
    constants
        What the format is called in ``meta.json``.
    sealed
        Whether checksums cover all of the sample, so that damage must never change a result.
    writes
        Whether using it changes the sample.
    slow
        Whether using it takes ten times as long as others: of a long run it gets a tenth.
    """

    name: str
    make: Callable[[Path, Materials], None]
    use: Callable[[Path, Materials], object]
    constants: tuple[str, ...] = ()
    sealed: bool = False
    writes: bool = False
    slow: bool = False
