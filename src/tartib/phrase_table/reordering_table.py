"""Moses' reordering tables, bound to the rows of a phrase table."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tartib import _native
from tartib.errors import DataError
from tartib.phrase_table.text_files import read_text

if TYPE_CHECKING:
    from tartib.phrase_table.table import PhraseTable

_HINT = "a line is `source ||| target ||| probabilities`, or `source ||| probabilities`"


def read_reordering_table(
    path: str | Path, table: PhraseTable, *, progress: bool = False
) -> NDArray[np.float32]:
    """Read the probabilities that Moses' reordering table has for each row of a phrase table.

    Parameters
    ----------
    path
        The file, plain or compressed: lines of both phrases (``fe``) or of source phrases (``f``).
        Lines of phrases that the phrase table does not have are ignored.
    table
        The phrase table.
    progress
        Show a progress bar on a terminal.

    Returns
    -------
    NDArray
        One row per row of the phrase table, one column per probability; NaN where there is no line.
    """
    reader = _native.ReorderingTableReader(
        table.native, table.source_vocabulary.native, table.target_vocabulary.native
    )
    if read_text(path, reader, _HINT, progress) == 0:
        raise DataError(path, None, "is empty", _HINT)
    values, columns = reader.finish()
    return values.reshape(len(table), columns)
