"""Arrays on disk: appended to while a stream lasts, memory-mapped afterwards, never half-written.

Whatever is written goes to a temporary name beside the target first and is renamed when complete,
so a reader sees the whole or nothing. Leftovers of a killed process are cleared by the next writer
of the same target.
"""

from __future__ import annotations

import errno
import fcntl
import glob
import json
import os
import shutil
import socket
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tokenize import TokenError
from typing import Any, BinaryIO, Protocol

import numpy as np
from numpy.lib import format as npy
from numpy.typing import DTypeLike, NDArray

from tartib.errors import DataError, OptionError

DAMAGED = "the store is damaged or was made by something else: make it again"
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
    """An ``.npy`` file of one dimension that grows by appending.

    The header is written twice: with length 0 at first, with the true length on close.
    """

    def __init__(self, path: Path, dtype: DTypeLike) -> None:
        self._dtype = np.dtype(dtype)
        self._length = 0
        self._file = path.open("wb")
        self._write_header()

    def __len__(self) -> int:
        return self._length

    def append(self, values: NDArray[Any]) -> None:
        """Write more values at the end."""
        values = np.ascontiguousarray(values, dtype=self._dtype)
        self._file.write(values.data)
        self._length += len(values)

    def __enter__(self) -> ArrayWriter:
        return self

    def __exit__(self, *_: object) -> None:
        with self._file:
            self._file.seek(0)
            self._write_header()

    def _write_header(self) -> None:
        # NumPy pads the header so that the first axis can grow to 21 digits in place.
        header = {
            "descr": npy.dtype_to_descr(self._dtype),
            "fortran_order": False,
            "shape": (self._length,),
        }
        npy.write_array_header_1_0(self._file, header)


def load_array(path: Path, dtype: DTypeLike) -> NDArray[Any]:
    """Memory-map an array written by `ArrayWriter`, refusing any other file."""
    try:
        array: NDArray[Any] = np.load(path, mmap_mode="r", allow_pickle=False)
    except FileNotFoundError:
        raise DataError(path, None, "this part of the store is missing", DAMAGED) from None
    except _UNREADABLE as error:
        raise DataError(path, None, f"not a readable array ({error})", DAMAGED) from None
    if array.dtype != np.dtype(dtype) or array.ndim != 1:
        problem = f"holds {array.dtype} in {array.ndim} dimensions, not a list of {np.dtype(dtype)}"
        raise DataError(path, None, problem, DAMAGED)
    return array


def frozen(array: NDArray[Any]) -> NDArray[Any]:
    """Return a read-only view of an array."""
    view = array.view()
    view.flags.writeable = False
    return view


def write_json(path: Path, value: dict[str, Any]) -> None:
    """Write readable JSON."""
    path.write_text(json.dumps(value, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def read_json(path: Path) -> dict[str, Any]:
    """Read a JSON object."""
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, OSError) as error:
        raise DataError(path, None, f"cannot be read as JSON ({error})", DAMAGED) from None
    if not isinstance(value, dict):
        raise DataError(path, None, "not a JSON object", DAMAGED)
    return value


def read_toml(path: Path, hint: str) -> dict[str, Any]:
    """Read a TOML file; the hint says what it should look like."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise DataError(path, None, f"cannot be read as TOML ({error})", hint) from None


def check_format(folder: Path, form: str, version: int, what: str, hint: str) -> dict[str, Any]:
    """Read a store's ``meta.json`` and refuse anything but the given format and version."""
    if not folder.is_dir():
        problem = "is a file, not a folder" if folder.exists() else "no such folder"
        raise DataError(folder, None, f"{problem}; {what} is a folder", hint)
    if not (folder / "meta.json").is_file():
        raise DataError(folder, None, f"has no meta.json, so it is not {what}", hint)
    meta = read_json(folder / "meta.json")
    if meta.get("format") != form:
        problem = f"holds {meta.get('format')!r}, not {what}"
        raise DataError(folder / "meta.json", None, problem, hint)
    if meta.get("version") != version:
        problem = f"has format version {meta.get('version')}; this Tartib reads version {version}"
        again = f"make it again with this version; {hint}"
        raise DataError(folder / "meta.json", None, problem, again)
    return meta


@contextmanager
def reading_meta(folder: Path, hint: str) -> Iterator[None]:
    """Turn what goes wrong while a store's ``meta.json`` is interpreted into a `DataError`."""
    try:
        yield
    except KeyError as error:
        problem = f"lacks the required field {error}"
        raise DataError(folder / "meta.json", None, problem, hint) from None
    except (TypeError, ValueError) as error:
        problem = f"has a field with a wrong value ({error})"
        raise DataError(folder / "meta.json", None, problem, hint) from None


@contextmanager
def new_folder(path: str | Path, form: str, *, overwrite: bool = False) -> Iterator[Path]:
    """Yield a temporary folder that takes the target's name when the block ends without an error.

    Only a folder whose ``meta.json`` names the same format, ``form``, is ever replaced.
    """
    target = _absolute(path)
    check_free(target, overwrite)
    if target.exists() and not _is_form(target, form):
        raise OptionError(f"{path} was not made by Tartib ({form}): it is not replaced")
    aside = _aside(target)
    try:
        with _writing(target):
            aside.mkdir(parents=True)
            yield aside
        if target.exists():
            old = aside.with_name(aside.name + "-old")
            target.rename(old)
            aside.rename(target)
            shutil.rmtree(old)
        else:
            aside.rename(target)
    finally:
        shutil.rmtree(aside, ignore_errors=True)


@contextmanager
def new_files(*paths: Path, overwrite: bool = False) -> Iterator[tuple[Path, ...]]:
    """Yield temporary names; at the end all files written there get their targets' names."""
    targets = [_absolute(path) for path in paths]
    for target in targets:
        if target.is_dir():
            raise OptionError(f"{target} is a folder: give the name of a file")
        check_free(target, overwrite)
    asides = tuple(_aside(target) for target in targets)
    try:
        with _writing(*targets):
            yield asides
        for aside in asides:
            aside.stat()  # all must be there before the first one shows
        for aside, target in zip(asides, targets, strict=True):
            aside.replace(target)
    finally:
        for aside in asides:
            aside.unlink(missing_ok=True)


@contextmanager
def scratch_folder(path: str | Path) -> Iterator[Path]:
    """Yield a folder beside ``path`` that is gone when the block ends."""
    target = _absolute(path)
    aside = _aside(target)
    try:
        with _writing(target):
            aside.mkdir(parents=True)
            yield aside
    finally:
        shutil.rmtree(aside, ignore_errors=True)


def _absolute(path: str | Path) -> Path:
    return Path(os.path.abspath(path))  # noqa: PTH100 -- Path keeps `..`, and then has no name


def check_free(target: Path, overwrite: bool) -> None:
    """Refuse an output that exists, unless it may be replaced."""
    if target.exists() and not overwrite:
        raise OptionError(
            f"{target} exists already: choose another name, or overwrite it (--overwrite)"
        )


def check_writable(target: Path) -> None:
    """Refuse an output that cannot be made, before hours are spent on what goes there."""
    folder = _absolute(target).parent
    while not folder.exists():
        folder = folder.parent
    if not os.access(folder, os.W_OK):
        raise OptionError(f"cannot write {target}: the parent folder {folder} is not writable")


@contextmanager
def _writing(*targets: Path) -> Iterator[None]:
    """Turn a full disk into an error that names the folder and says what to do."""
    try:
        yield
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EDQUOT):
            raise
        names = " and ".join(target.name for target in targets)
        folder = targets[0].parent
        problem = f"no space left on this disk ({error.strerror}); {names} was not written"
        hint = (
            "free some space, or write to a folder on another disk (df -h shows how full each is)"
        )
        raise DataError(folder, None, problem, hint) from None


def _is_form(folder: Path, form: str) -> bool:
    """Whether a folder is empty or says in its ``meta.json`` that Tartib made it."""
    if not folder.is_dir():
        return False
    try:
        meta = json.loads((folder / "meta.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return not any(folder.iterdir())
    return isinstance(meta, dict) and meta.get("format") == form


def _aside(target: Path) -> Path:
    """Return a hidden sibling named after this process, clearing those of dead ones."""
    stem = f".{target.name}.partial-{socket.gethostname()}-"
    for leftover in target.parent.glob(f"{glob.escape(stem)}*"):
        process = leftover.name.removeprefix(stem).removesuffix("-old")
        if not process.isdigit() or int(process) == os.getpid() or _alive(int(process)):
            continue
        if leftover.name.endswith("-old") and not target.exists():
            leftover.rename(target)  # killed while it was being replaced
        else:
            shutil.rmtree(leftover) if leftover.is_dir() else leftover.unlink()
    return target.with_name(f"{stem}{os.getpid()}")


def _alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def differences(before: Mapping[str, Any], now: Mapping[str, Any], of: str = "") -> Iterator[str]:
    """Yield a sentence for each setting that has changed."""
    for name in dict.fromkeys((*now, *before)):
        old, new = before.get(name), now.get(name)
        if isinstance(old, Mapping) and isinstance(new, Mapping):
            yield from differences(old, new, f"{of}{name} ")
        elif old != new:
            yield f"{of}{name} was {json.dumps(old)} and is now {json.dumps(new)}"


def lock(file: BinaryIO) -> bool:
    """Lock a file until it is closed; False if another process has locked it."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
