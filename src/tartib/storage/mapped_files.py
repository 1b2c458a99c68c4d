"""Files mapped into memory that get shorter while they are in use.

Reading beyond the end of such a file would end the process (SIGBUS). Instead, what is missing reads
as zeros, and `check` raises an error: Python calls it in the main thread as soon as it can, and
whatever publishes a result calls it first.
"""

from __future__ import annotations

import os
import weakref
from pathlib import Path
from typing import Any

import numpy as np

from tartib import _native
from tartib.errors import DataError


def watch(array: np.memmap[Any, Any], path: str | Path) -> None:
    """Watch a mapped array for as long as anything uses it."""
    name = os.fsencode(path).decode(errors="replace")  # whatever the locale's encoding is
    number = _native.watch_mapping(array.view(np.ndarray).view(np.uint8), name)
    # The array has views, and all of them keep the map itself.
    mapping = array._mmap  # type: ignore[attr-defined]
    weakref.finalize(mapping, _native.forget_mapping, number).atexit = False


def check() -> None:
    """Raise an error if a file that is still in use was found cut."""
    for path in _native.cut_files():
        problem = "got shorter while it was in use, so what was made from it is wrong"
        hint = "make it again, and replace files that are in use only by renaming new ones"
        raise DataError(path, None, problem, hint)
