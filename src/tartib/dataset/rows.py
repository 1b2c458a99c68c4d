"""`Dataset`: sparse rows in compressed form, labels and weights."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from tartib import _native, ragged, storage
from tartib.bitext.corpus import check_offsets
from tartib.errors import DataError, OptionError, native_refusals

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

FORMAT = "tartib dataset"
VERSION = 2
_HINT = "give a folder that `tartib dataset --out` or Dataset.save wrote"
_ARRAYS: dict[str, DTypeLike] = {
    "indptr": np.int64,
    "indices": np.int32,
    "y": np.int32,
    "values": np.float32,
    "weights": np.float64,
}
_OPTIONAL = ("values", "weights")
_CHUNK_ROWS = 1 << 20


class Dataset:
    """Sparse rows, each with a label and perhaps a weight.

    Parameters
    ----------
    indptr
        Row ``i`` has the columns ``indices[indptr[i]:indptr[i + 1]]``.
    indices
        Column indices; no row has a column twice.
    y
        Label of each row, an index into ``classes``.
    classes
        Names of the labels.
    n_features
        Number of columns.
    values
        Values of the entries in ``indices``; None means that all are 1.
    weights
        Weight of each row: how many equal rows it stands for. None means that all are 1.
    signature
        How the rows were made.
    """

    def __init__(
        self,
        indptr: NDArray[np.int64],
        indices: NDArray[np.int32],
        y: NDArray[np.int32],
        *,
        classes: tuple[str, ...],
        n_features: int,
        values: NDArray[np.float32] | None = None,
        weights: NDArray[np.float64] | None = None,
        signature: str = "",
    ) -> None:
        self.indptr = indptr
        self.indices = indices
        self.y = y
        self.classes = classes
        self.n_features = n_features
        self.values = values
        self.weights = weights
        self.signature = signature
        self._checked = False

    def __len__(self) -> int:
        return len(self.y)

    def __repr__(self) -> str:
        return (
            f"<Dataset of {len(self):,} rows × {self.n_features:,} columns, "
            f"{len(self.indices):,} non-zeros, classes {', '.join(self.classes)}>"
        )

    def row(self, number: int) -> NDArray[np.int32]:
        """Return the columns of one row."""
        return self.indices[self.indptr[number] : self.indptr[number + 1]]

    def to_scipy(self) -> csr_matrix:
        """Return the rows as SciPy's ``csr_matrix`` of ``float32``; the columns are shared.

        With more than 2^31 non-zeros SciPy makes its own copy with wider column indices.
        """
        from scipy.sparse import csr_matrix

        self.check()
        values = np.ones(len(self.indices), np.float32) if self.values is None else self.values
        shape = (len(self), self.n_features)
        return csr_matrix((values, self.indices, self.indptr), shape=shape, copy=False)

    def take(self, rows: NDArray[np.int64]) -> Dataset:
        """Return some rows, in the order given."""
        sizes = self.indptr[rows + 1] - self.indptr[rows]
        indptr = ragged.offsets_of(sizes)
        indices = np.empty(indptr[-1], np.int32)
        values = None if self.values is None else np.empty(indptr[-1], np.float32)
        # In chunks, because the places take more memory than the columns.
        for begin in range(0, len(rows), _CHUNK_ROWS):
            end = min(begin + _CHUNK_ROWS, len(rows))
            places = ragged.ranges(self.indptr[rows[begin:end]], sizes[begin:end])
            indices[indptr[begin] : indptr[end]] = self.indices[places]
            if self.values is not None and values is not None:
                values[indptr[begin] : indptr[end]] = self.values[places]
        return Dataset(
            indptr,
            indices,
            self.y[rows],
            classes=self.classes,
            n_features=self.n_features,
            values=values,
            weights=None if self.weights is None else self.weights[rows],
            signature=self.signature,
        )

    def with_labels(self, y: NDArray[np.integer], classes: tuple[str, ...]) -> Dataset:
        """Return the same rows with other labels, which are indices into ``classes``."""
        return Dataset(
            self.indptr,
            self.indices,
            np.ascontiguousarray(y, np.int32),
            classes=classes,
            n_features=self.n_features,
            values=self.values,
            weights=self.weights,
            signature=self.signature,
        )

    def collapse(self) -> Dataset:
        """Merge equal rows with equal labels into one row, and add up their weights.

        The rows stay in the order of their first occurrence. ``len(dataset) / len(collapsed)`` is
        the factor by which the dataset has shrunk.
        """
        with native_refusals():
            first, weights = _native.collapse_rows(
                self.indptr, self.indices, self.values, self.y, self.weights
            )
        collapsed = self.take(first)
        collapsed.weights = weights
        collapsed.signature = f"{self.signature}|then:collapsed"
        return collapsed

    def save(self, path: str | Path, *, overwrite: bool = False) -> Dataset:
        """Write to a folder, completely or not at all, and return the memory-mapped dataset."""
        with dataset_writer(
            path,
            classes=self.classes,
            optional=[name for name in _OPTIONAL if getattr(self, name) is not None],
            overwrite=overwrite,
        ) as sink:
            sink.n_features, sink.signature = self.n_features, self.signature
            for name, array in sink.arrays.items():
                array.append(getattr(self, name)[1 if name == "indptr" else 0 :])
        return Dataset.load(path)

    @classmethod
    @storage.reading
    def load(cls, path: str | Path) -> Dataset:
        """Memory-map what `save` wrote."""
        folder = Path(path)
        meta = storage.check_format(folder, FORMAT, VERSION, "a dataset", _HINT)
        fields = storage.Fields(folder / "meta.json", meta, _HINT)
        optional = {name: fields.flag(name) for name in _OPTIONAL}
        classes, signature = fields.texts("classes"), fields.text("signature")
        n_features = fields.whole("n_features", 0, (1 << 31) - 1)
        arrays: dict[str, Any] = {
            name: storage.load_array(folder / f"{name}.npy", dtype)
            for name, dtype in _ARRAYS.items()
            if optional.get(name, True)
        }
        check_offsets(folder / "indptr.npy", arrays["indptr"], len(arrays["indices"]))
        for name, size in (
            ("y", len(arrays["indptr"]) - 1),
            ("weights", len(arrays["indptr"]) - 1),
            ("values", len(arrays["indices"])),
        ):
            if name in arrays and len(arrays[name]) != size:
                problem = f"has {len(arrays[name]):,} entries, not {size:,}"
                raise DataError(folder / f"{name}.npy", None, problem, _HINT)
        loaded = cls(classes=classes, n_features=n_features, signature=signature, **arrays)
        if loaded.y.min(initial=0) < 0 or loaded.y.max(initial=-1) >= len(classes):
            raise DataError(
                folder / "y.npy", None, "has labels outside the range of classes", _HINT
            )
        return loaded

    def check(self) -> None:
        """Raise an error if a column or label is out of range; every entry is checked once."""
        if self._checked:
            return
        for begin in range(0, len(self.indices), _CHUNK_ROWS):
            chunk = self.indices[begin : begin + _CHUNK_ROWS]
            if chunk.min(initial=0) < 0 or chunk.max(initial=-1) >= self.n_features:
                raise OptionError(f"a column is not between 0 and {self.n_features - 1}")
        if self.y.min(initial=0) < 0 or self.y.max(initial=-1) >= len(self.classes):
            raise OptionError(f"a label is not between 0 and {len(self.classes) - 1}")
        self._checked = True


class DatasetSink:
    """Takes rows chunk by chunk."""

    def __init__(self, arrays: Mapping[str, storage.Appendable]) -> None:
        self.arrays = arrays
        self.n_features = 0
        self.signature = ""
        arrays["indptr"].append(np.zeros(1, np.int64))

    def append(
        self, indptr: NDArray[np.int64], indices: NDArray[np.int32], y: NDArray[Any]
    ) -> None:
        """Add rows: their offsets, columns and labels."""
        self.arrays["indptr"].append(ragged.following(indptr, len(self.arrays["indices"])))
        self.arrays["indices"].append(indices)
        self.arrays["y"].append(y)


@contextmanager
def dataset_writer(
    path: str | Path,
    *,
    classes: tuple[str, ...],
    optional: list[str] | None = None,
    overwrite: bool = False,
) -> Iterator[DatasetSink]:
    """Yield a sink that writes a dataset in constant memory; the folder appears at the end."""
    optional = optional or []
    with storage.new_folder(path, FORMAT, overwrite=overwrite) as folder:
        with ExitStack() as stack:
            sink = DatasetSink(
                {
                    name: stack.enter_context(storage.ArrayWriter(folder / f"{name}.npy", dtype))
                    for name, dtype in _ARRAYS.items()
                    if name not in _OPTIONAL or name in optional
                }
            )
            yield sink
        meta = {
            "format": FORMAT,
            "version": VERSION,
            "classes": list(classes),
            "n_features": sink.n_features,
            "signature": sink.signature,
            **{name: name in optional for name in _OPTIONAL},
        }
        storage.write_json(folder / "meta.json", meta)


class MemorySink(DatasetSink):
    """Keeps the rows in memory."""

    def __init__(self) -> None:
        self._buffers = {
            name: storage.ArrayBuffer(_ARRAYS[name]) for name in ("indptr", "indices", "y")
        }
        super().__init__(self._buffers)

    def finish(self, classes: tuple[str, ...]) -> Dataset:
        """Return all rows; the sink is empty then."""
        indptr, indices, y = (buffer.finish() for buffer in self._buffers.values())
        return Dataset(
            indptr,
            indices,
            y,
            classes=classes,
            n_features=self.n_features,
            signature=self.signature,
        )
