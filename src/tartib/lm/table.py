"""The table of n-grams that queries search, in memory and on disk."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from tartib import _native
from tartib.errors import DataError
from tartib.storage import ArrayWriter, check_format, load_array, new_folder, write_json
from tartib.vocabulary import Vocabulary

FORMAT = "tartib language model"
VERSION = 1
RECORD = np.dtype(
    [("parent", "<u4"), ("word", "<u4"), ("log10_p", "<f4"), ("backoff", "<f4")]
)  # struct Ngram of native/lm/query.hpp
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


def load_table(folder: Path) -> Table:
    """Map a folder that `save_table` wrote; only the words are read at once."""
    meta = check_format(folder, FORMAT, VERSION, "a language model", _HINT)
    numbers = (meta.get("counts"), [meta.get("reach")])
    if not all(map(_are_numbers, numbers)):
        raise DataError(folder / "meta.json", None, "counts or reach are not numbers", _HINT)
    counts, (reach,) = cast(tuple[list[int], list[int]], numbers)
    ngrams = load_array(folder / "ngrams.npy", RECORD).view(np.uint32)
    longer = sum(counts[1:])
    if len(ngrams) != 4 * (counts[0] + longer + longer // 2 + 1):
        problem = "does not have as many n-grams as meta.json says"
        raise DataError(folder / "ngrams.npy", None, problem, _HINT)
    vocabulary = Vocabulary.load(folder / "words.vocabulary")
    table = Table(vocabulary, ngrams, reach, tuple(counts), str(meta.get("signature", "")))
    try:
        table.model()
    except ValueError as error:
        raise DataError(folder, None, f"its files do not fit together: {error}", _HINT) from None
    return table


def _are_numbers(values: Any) -> bool:  # noqa: ANN401
    """Whether this is what JSON makes of a list of counts."""
    return (
        isinstance(values, list)
        and len(values) > 0
        and all(type(value) is int and 0 <= value < 1 << 32 for value in values)
    )
