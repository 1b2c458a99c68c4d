"""The folder of an `AlignmentModel`."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import DTypeLike, NDArray

from tartib import _native
from tartib.alignment.lexicon import Lexicon
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

FORMAT = "tartib alignment model"
VERSION = 1
_HINT = "make it with tartib align --save FOLDER"
_CELLS: dict[str, DTypeLike] = {"sources": np.uint32, "targets": np.uint32, "counts": np.float32}


class ModelArrays(NamedTuple):
    """What a model consists of.

    Attributes
    ----------
    lexicon
        Words, and how often they were linked.
    source_counts, target_counts
        How often each word was linked, to words that the lexicon leaves out as well; the last is
        for all unknown words, and always 0.
    source_null_counts, target_null_counts
        How often each word was not linked.
    forward_jumps, backward_jumps
        Probability of each jump.
    """

    lexicon: Lexicon
    source_counts: NDArray[np.float64]
    source_null_counts: NDArray[np.float64]
    target_counts: NDArray[np.float64]
    target_null_counts: NDArray[np.float64]
    forward_jumps: NDArray[np.float64]
    backward_jumps: NDArray[np.float64]

    def restore(self, native: _native.JointAligner, folder: Path) -> None:
        """Give them to a model of the same vocabularies."""
        words = self.lexicon
        none = np.zeros(len(words), np.float32)
        try:
            native.restore(words.sources, words.targets, words.counts, none, *self[1:])
        except ValueError as error:
            problem = f"its files do not fit together: {error}"
            raise DataError(folder, None, problem, _HINT) from None


def save_arrays(
    arrays: ModelArrays, folder: str | Path, sentences: int, signed: str, *, overwrite: bool
) -> None:
    """Write a folder that `load_arrays` reads."""
    words = arrays.lexicon
    values: dict[str, NDArray[Any]] = {
        "sources": words.sources, "targets": words.targets, "counts": words.counts,
        **dict(zip(arrays._fields[1:], arrays[1:], strict=True)),
    }  # fmt: skip
    with new_folder(folder, FORMAT, overwrite=overwrite) as aside:
        for name, array in values.items():
            with ArrayWriter(aside / f"{name}.npy", array.dtype) as writer:
                writer.append(array)
        words.source.save(aside / "source.vocabulary")
        words.target.save(aside / "target.vocabulary")
        meta = {"format": FORMAT, "version": VERSION, "sentences": sentences, "signature": signed}
        write_json(aside / "meta.json", meta)


@reading
def load_arrays(folder: Path) -> tuple[ModelArrays, int]:
    """Read what `save_arrays` wrote, and how many sentences it was trained on."""
    meta = check_format(folder, FORMAT, VERSION, "an alignment model", _HINT)
    fields = Fields(folder / "meta.json", meta, _HINT)
    sentences = fields.whole("sentences")
    source, target = (
        Vocabulary.load(folder / f"{side}.vocabulary") for side in ("source", "target")
    )
    sources, targets, counts = (load_array(folder / f"{n}.npy", t) for n, t in _CELLS.items())
    others = [load_array(folder / f"{name}.npy", np.float64) for name in ModelArrays._fields[1:]]
    return ModelArrays(Lexicon(source, target, sources, targets, counts), *others), sentences
