"""The text format of SVMlight and LIBSVM, to exchange rows with other learners."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tartib import _native
from tartib.dataset.rows import Dataset
from tartib.errors import DataError
from tartib.storage import ArrayBuffer, new_files
from tartib.textio import ByteStream, count_lines, line_blocks

_CHUNK_ROWS = 50_000

# In the order of native/dataset.hpp.
_DEFECTS = (
    None,
    ("{text} is not a label", "a line begins with a number"),
    ("{text} is not a feature", "a feature is column:value, with a column from 0 on"),
    ("{text} has no finite value", "a feature is column:value, such as 7:1 or 12:0.5"),
    ("{text} is out of order", "the columns of a line must rise"),
)


def write_svmlight(dataset: Dataset, path: str | Path, *, overwrite: bool = False) -> None:
    """Write ``label column:value …``, with columns counted from 1 as LIBLINEAR wants them.

    Labels are indices into ``dataset.classes``. Weights have no place in the format: a weighted
    dataset is written with each row as often as it weighs, if that is a whole number.
    """
    with new_files(Path(path), overwrite=overwrite) as (aside,), aside.open("wb") as file:
        for begin in range(0, len(dataset), _CHUNK_ROWS):
            rows = np.arange(begin, min(begin + _CHUNK_ROWS, len(dataset)))
            if dataset.weights is not None:
                rows = np.repeat(rows, _whole(dataset.weights[rows], Path(path)))
            part = dataset.take(rows)
            text = _native.write_svmlight(part.indptr, part.indices, part.values, part.y, 1)
            file.write(text)


def _whole(weights: NDArray[np.float64], path: Path) -> NDArray[np.int64]:
    counts: NDArray[np.int64] = np.rint(weights).astype(np.int64)
    if not np.array_equal(counts, weights):
        hint = "write the rows before they are weighted"
        raise DataError(path, None, "svmlight files cannot hold weights that are no counts", hint)
    return counts


def read_svmlight(path: str | Path, *, zero_based: bool | None = None) -> Dataset:
    """Read a file, plain or compressed, or standard input.

    Parameters
    ----------
    path
        The file; ``-`` is standard input.
    zero_based
        Whether columns count from 0. None finds out: a column 0 means yes, otherwise no.
    """
    buffers = {
        "labels": ArrayBuffer(np.float64),
        "ends": ArrayBuffer(np.int64),
        "indices": ArrayBuffer(np.int32),
        "values": ArrayBuffer(np.float32),
    }
    line = 1
    with ByteStream(path) as stream:
        for text in line_blocks(stream):
            block = _native.read_svmlight(text)
            if block["defect"]:
                problem, hint = _DEFECTS[block["defect"]] or ("", "")
                piece = block["defect_text"].decode(errors="replace")
                place = line + block["defect_line"]
                raise DataError(path, place, problem.format(text=repr(piece)), hint)
            block["ends"] = block["ends"] + len(buffers["indices"])
            for name, buffer in buffers.items():
                buffer.append(block[name])
            line += count_lines(text)
    labels, ends, indices, values = (buffer.finish() for buffer in buffers.values())
    classes, y = np.unique(labels, return_inverse=True)
    lowest = int(indices.min(initial=1))
    if zero_based is False and lowest == 0:
        hint = "read it with zero_based=True"
        raise DataError(path, None, "has a column 0, though columns should count from 1", hint)
    if not (lowest == 0 if zero_based is None else zero_based):
        indices -= 1
    return Dataset(
        np.concatenate((np.zeros(1, np.int64), ends)),
        indices,
        y.astype(np.int32),
        classes=tuple(f"{label:g}" for label in classes),
        n_features=int(indices.max(initial=-1)) + 1,
        values=None if (values == 1).all() else values,
        signature=f"file:{Path(path).name}",
    )
