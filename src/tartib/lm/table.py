"""The table of n-grams that queries search, in memory and on disk."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tartib import _native
from tartib.errors import DataError
from tartib.storage import (
    ArrayWriter,
    Fields,
    check_format,
    load_array,
    new_folder,
    reading,
    write_json,
)
from tartib.vocabulary import Vocabulary

FORMAT = "tartib language model"
VERSION = 2
RECORD = np.dtype(
    [("parent", "<u4"), ("word", "<u4"), ("log10_p", "<f4"), ("backoff", "<f4")]
)  # struct Ngram of native/lm/query.hpp
_MOST_NGRAMS = (1 << 32) - 1
_HINT = "estimate the model again (`tartib lm estimate`), or load its ARPA file"


class Table(NamedTuple):
    """Words and n-grams of a model; see ``native/lm/query.hpp`` for the form of the table.

    Attributes
    ----------
    vocabulary
        The words, with ``<unk>``, ``<s>`` and ``</s>``.
    ngrams
        Four 32-bit numbers for each place: see `RECORD`.
    reach
        How many places a search may look at.
    counts
        Number of n-grams of each order.
    signature
        What the model was made of, if known.
    """

    vocabulary: Vocabulary
    ngrams: NDArray[np.uint32]
    reach: int
    counts: tuple[int, ...]
    signature: str = ""

    def model(self) -> _native.LanguageModel:
        """Return the native model that answers queries; it uses the arrays without a copy."""
        return _native.LanguageModel(
            self.vocabulary.native, self.ngrams, self.counts[0], self.reach, len(self.counts)
        )


def save_table(table: Table, folder: str | Path, *, overwrite: bool = False) -> None:
    """Write a folder that `load_table` maps into memory."""
    with new_folder(folder, FORMAT, overwrite=overwrite) as aside:
        with ArrayWriter(aside / "ngrams.npy", RECORD) as ngrams:
            ngrams.append(table.ngrams.view(RECORD))
        table.vocabulary.save(aside / "words.vocabulary")
        meta = {
            "format": FORMAT,
            "version": VERSION,
            "counts": list(table.counts),
            "reach": table.reach,
            "signature": table.signature,
        }
        write_json(aside / "meta.json", meta)


@reading
def load_table(folder: Path) -> Table:
    """Map a folder that `save_table` wrote; only the words are read at once."""
    meta = check_format(folder, FORMAT, VERSION, "a language model", _HINT)
    fields = Fields(folder / "meta.json", meta, _HINT)
    counts = fields.wholes("counts", _MOST_NGRAMS)
    reach = fields.whole("reach", 0, _MOST_NGRAMS)
    ngrams = load_array(folder / "ngrams.npy", RECORD).view(np.uint32)
    longer = sum(counts[1:])
    if len(ngrams) != 4 * (counts[0] + longer + longer // 2 + 1):
        problem = "does not have as many n-grams as meta.json says"
        raise DataError(folder / "ngrams.npy", None, problem, _HINT)
    vocabulary = Vocabulary.load(folder / "words.vocabulary")
    table = Table(vocabulary, ngrams, reach, counts, fields.text("signature"))
    try:
        table.model()
    except ValueError as error:
        raise DataError(folder, None, f"its files do not fit together: {error}", _HINT) from None
    return table
