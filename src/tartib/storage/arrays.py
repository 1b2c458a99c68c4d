"""Arrays on disk: appended to while a stream lasts, memory-mapped afterwards."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from tokenize import TokenError
from typing import Any, Protocol

import numpy as np
from numpy.lib import format as npy
from numpy.typing import DTypeLike, NDArray

from tartib.errors import DataError
from tartib.storage import mapped_files
from tartib.storage.checksums import HashedFile
from tartib.storage.reading import DAMAGED, open_file

# What NumPy raises for the damaged head of an array.
_UNREADABLE = (
    ValueError,
    TypeError,
    OverflowError,
    MemoryError,
    OSError,
    EOFError,
    SyntaxError,
    TokenError,
)


class Appendable(Protocol):
    """Something that grows by appending values."""

    def append(self, values: NDArray[Any], /) -> None:
        """Add values at the end."""
        ...

    def __len__(self) -> int: ...


class ArrayBuffer:
    """An array of one dimension that grows in memory, without ever holding it twice."""

    def __init__(self, dtype: DTypeLike) -> None:
        self._values: NDArray[Any] = np.empty(0, dtype)
        self._length = 0

    def __len__(self) -> int:
        return self._length

    def append(self, values: NDArray[Any]) -> None:
        """Copy more values to the end."""
        needed = self._length + len(values)
        if needed > len(self._values):
            # In place: for large arrays the system moves pages instead of copying them, so that
            # little has to be reserved.
            self._values.resize(needed + max(needed // 32, 1024), refcheck=False)
        self._values[self._length : needed] = values
        self._length = needed

    def finish(self) -> NDArray[Any]:
        """Return the array, giving back what was reserved and not used."""
        self._values.resize(self._length, refcheck=False)
        return self._values


class ArrayWriter:
    """An ``.npy`` file of one dimension that grows by appending, and is hashed on the way.

    The header is written twice: with length 0 at first, with the true length on close.
    """

    def __init__(self, path: Path, dtype: DTypeLike) -> None:
        self._dtype = np.dtype(dtype)
        self._length = 0
        self._file = HashedFile(path)
        self._file.write(self._header())

    def __len__(self) -> int:
        return self._length

    def append(self, values: NDArray[Any]) -> None:
        """Write more values at the end."""
        values = np.ascontiguousarray(values, dtype=self._dtype)
        if len(values):
            self._file.write(values.view(np.uint8).data)
        self._length += len(values)

    def __enter__(self) -> ArrayWriter:
        return self

    def __exit__(self, *_: object) -> None:
        try:
            self._file.rewrite_start(self._header())
        finally:
            self._file.close()

    def _header(self) -> bytes:
        # NumPy pads the header so that the first axis can grow to 21 digits in place.
        header = {
            "descr": npy.dtype_to_descr(self._dtype),
            "fortran_order": False,
            "shape": (self._length,),
        }
        text = BytesIO()
        npy.write_array_header_1_0(text, header)
        return text.getvalue()


def load_array(path: Path, dtype: DTypeLike) -> NDArray[Any]:
    """Memory-map an array written by `ArrayWriter`, refusing any other file."""
    try:
        with open_file(path) as file:
            if npy.read_magic(file) != (1, 0):
                raise ValueError("another version of the format")
            shape, _, found = npy.read_array_header_1_0(file)
            if found != np.dtype(dtype) or len(shape) != 1:
                problem = f"holds {found} in {len(shape)} dimensions, not a list of "
                raise DataError(path, None, f"{problem}{np.dtype(dtype)}", DAMAGED)
            array = np.memmap(file, found, "r", file.tell(), shape)
            mapped_files.watch(array, path)
            return array
    except FileNotFoundError:
        raise DataError(path, None, "this part of the store is missing", DAMAGED) from None
    except _UNREADABLE as error:
        raise DataError(path, None, f"not a readable array ({error})", DAMAGED) from None


def frozen(array: NDArray[Any]) -> NDArray[Any]:
    """Return a read-only view of an array."""
    view = array.view()
    view.flags.writeable = False
    return view
