"""The text format of SVMlight and LIBSVM, to exchange rows with other learners."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tartib import _native, ragged
from tartib.dataset.rows import Dataset
from tartib.errors import DataError
from tartib.storage import ArrayBuffer, new_files
from tartib.textio import ByteStream, count_lines, line_blocks, text_writer

MAX_ROW = 1 << 26  # bytes of a line: rows may be dense
_CHUNK_ROWS = 50_000

_DEFECTS = {
    _native.SvmlightDefect.LABEL: ("{text} is not a label", "a line must begin with a number"),
    _native.SvmlightDefect.INDEX: (
        "{text} is not a feature",
        "a feature is column:value, with a column of 0 or more",
    ),
    _native.SvmlightDefect.VALUE: (
        "{text} has no finite value",
        "a feature is column:value, such as 7:1 or 12:0.5",
    ),
    _native.SvmlightDefect.ORDER: ("{text} is out of order", "columns must be in ascending order"),
}


def write_svmlight(dataset: Dataset, path: str | Path, *, overwrite: bool = False) -> None:
    """Write ``label column:value …``, with columns counted from 1 as LIBLINEAR expects.

    Labels are indices into ``dataset.classes``. The format has no weights: a row of weight N is
    written N times, and weights that are not whole numbers are an error.
    """
    with new_files(Path(path), overwrite=overwrite) as (aside,), text_writer(aside, path) as file:
        for begin in range(0, len(dataset), _CHUNK_ROWS):
            rows = np.arange(begin, min(begin + _CHUNK_ROWS, len(dataset)))
            if dataset.weights is not None:
                rows = np.repeat(rows, _whole(dataset.weights[rows], Path(path)))
            part = dataset.take(rows)
            text = _native.write_svmlight(part.indptr, part.indices, part.values, part.y, 1)
            file.write(text)


def _whole(weights: NDArray[np.float64], path: Path) -> NDArray[np.int64]:
    whole = np.isfinite(weights) & (weights >= 0) & (weights == np.floor(weights))
    if not whole.all():
        hint = "write the rows without weights"
        raise DataError(
            path, None, "svmlight files cannot hold weights that are not whole numbers", hint
        )
    counts: NDArray[np.int64] = weights.astype(np.int64)
    return counts


def read_svmlight(
    path: str | Path,
    *,
    zero_based: bool | None = None,
    n_features: int | None = None,
    classes: Sequence[str] | None = None,
) -> Dataset:
    """Read a file, plain or compressed, or standard input.

    Parameters
    ----------
    path
        The file; ``-`` is standard input.
    zero_based
        Whether columns are counted from 0. None means yes if there is a column 0.
    n_features, classes
        Those of the training file, for a held-out file that may lack some of them.
    """
    buffers = {
        "labels": ArrayBuffer(np.float64),
        "indptr": ArrayBuffer(np.int64),
        "indices": ArrayBuffer(np.int32),
        "values": ArrayBuffer(np.float32),
    }
    buffers["indptr"].append(np.zeros(1, np.int64))
    line = 1
    with ByteStream(path) as stream:
        for text in line_blocks(stream, longest=MAX_ROW):
            block = _native.read_svmlight(text)
            if block["defect"] is not _native.SvmlightDefect.NONE:
                problem, hint = _DEFECTS[block["defect"]]
                piece = block["defect_text"].decode(errors="replace")
                place = line + block["defect_line"]
                raise DataError(path, place, problem.format(text=repr(piece)), hint)
            block["indptr"] = ragged.following(block["indptr"], len(buffers["indices"]))
            for name, buffer in buffers.items():
                buffer.append(block[name])
            line += count_lines(text)
    labels, indptr, indices, values = (buffer.finish() for buffer in buffers.values())
    found, y = np.unique(labels, return_inverse=True)
    names = [np.format_float_positional(label, trim="-") for label in found]
    known = tuple(names) if classes is None else tuple(classes)
    if missing := [name for name in names if name not in known]:
        hint = f"the labels are {', '.join(known)}"
        raise DataError(path, None, f"has the unknown label {missing[0]}", hint)
    lowest = int(indices.min(initial=1))
    if zero_based is False and lowest == 0:
        hint = "read it with zero_based=True"
        raise DataError(path, None, "has a column 0, though columns should be counted from 1", hint)
    if not (lowest == 0 if zero_based is None else zero_based):
        indices -= 1
    columns = int(indices.max(initial=-1)) + 1
    if n_features is not None and columns > n_features:
        hint = "check zero_based, and that the file was made with the same dictionary"
        raise DataError(path, None, f"has {columns:,} columns, not {n_features:,}", hint)
    return Dataset(
        indptr,
        indices,
        np.array([known.index(name) for name in names], np.int32)[y]
        if names
        else y.astype(np.int32),
        classes=known,
        n_features=n_features or columns,
        values=None if (values == 1).all() else values,
        signature=f"file:{Path(path).name}",
    )
