"""What a file or folder is, and whether it is as it was written."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from tartib.errors import DataError
from tartib.storage import journal, records
from tartib.storage.checksums import checksum
from tartib.storage.documents import read_json
from tartib.storage.manifest import NAME as MANIFEST
from tartib.storage.manifest import Manifest, manifest_checksum, read_manifest
from tartib.storage.reading import DAMAGED, open_file
from tartib.storage.verification import again, damage

Advance = Callable[[int], None]
ARRAYS = "array_checksums"  # field of a record: checksums of the arrays beside it, by name
_SETTINGS = "settings.json"
_META = "meta.json"


class Part(NamedTuple):
    """A file that has checksums.

    Attributes
    ----------
    path
        The file.
    size
        How many bytes `check` reads.
    check
        Returns what is wrong, or None; it is given a function to call with the bytes read.
    """

    path: Path
    size: int
    check: Callable[[Advance], DataError | None]


def parts(path: Path) -> Iterator[Part]:
    """Yield all files with checksums in a folder of ours, or below a folder that holds some.

    A path where nothing is counts as damaged.
    """
    if not path.exists():
        yield _wrong(path, "no such file or folder", "make it again, or correct its name")
        return
    if not path.is_dir():
        if records.is_record(path):
            yield _record(path)
        return
    if (path / MANIFEST).exists():
        yield from _of_manifest(path)
        return
    if _is_ours(path):
        yield _wrong(path, f"has no {MANIFEST}: it was made by an earlier version", DAMAGED)
    if (path / journal.NAME).exists() and (path / _SETTINGS).exists():
        yield _journal(path)
    for inner in sorted(path.iterdir()):
        if inner.is_dir() or inner.suffix == ".json":
            yield from parts(inner)


def _is_ours(path: Path) -> bool:
    """Whether a folder without a manifest is one that ought to have one."""
    if not (path / _META).is_file() or records.is_record(path / _META):
        return False
    return str(described(path).get("format")).startswith("tartib ")


def described(path: Path) -> dict[str, Any]:
    """Return what a folder's ``meta.json`` says, or nothing."""
    try:
        if records.is_record(path / _META):
            return records.read_record(path / _META)
        return read_json(path / _META)
    except (DataError, FileNotFoundError):
        return {}


def _of_manifest(folder: Path) -> Iterator[Part]:
    try:
        manifest = read_manifest(folder)
    except DataError as error:
        yield _wrong(folder / MANIFEST, error.problem, error.hint)
        return
    yield Part(folder / MANIFEST, 0, lambda _: None)
    yield from _files(folder, manifest)
    for name, expected in manifest.folders.items():
        inner = folder / name
        if manifest_checksum(inner) != expected:
            problem = "is missing, or not the one that was written with the rest"
            yield _wrong(inner / MANIFEST, problem, again(manifest))
        elif inner.is_dir():
            yield from _of_manifest(inner)


def _files(folder: Path, manifest: Manifest) -> Iterator[Part]:
    for name, expected in manifest.files.items():
        path = folder / name

        def check(advance: Advance, path: Path = path, expected: Any = expected) -> Any:  # noqa: ANN401
            try:
                with open_file(path) as file:
                    return damage(path, file, expected, again(manifest), advance)
            except (OSError, ValueError) as error:
                return DataError(path, None, f"cannot be read ({error})", again(manifest))

        yield Part(path, expected.size, check)


def _wrong(path: Path, problem: str, hint: str) -> Part:
    return Part(path, 0, lambda _: DataError(path, None, problem, hint))


def _record(path: Path) -> Part:
    return Part(path, path.stat().st_size, partial(_check_record, path))


def _check_record(path: Path, advance: Advance) -> DataError | None:
    """Compare a record, and the arrays beside it, with their checksums."""
    hint = "delete it, and run the command again that made it"
    try:
        value = records.read_record(path, hint)
        for name, expected in value.get(ARRAYS, {}).items():
            array = path.with_name(f"{path.stem}.{name}.npy")
            if not array.is_file() or checksum(array.read_bytes()) != expected:
                return DataError(array, None, "is damaged or missing", f"delete {path}, too")
        advance(path.stat().st_size)
    except DataError as error:
        return error
    except OSError as error:
        return DataError(path, None, f"cannot be read ({error.strerror})", hint)
    return None


def _journal(folder: Path) -> Part:
    return Part(folder / journal.NAME, 0, partial(_check_journal, folder))


def _check_journal(folder: Path, _: Advance) -> DataError | None:
    try:
        files = records.read_record(folder / _SETTINGS).get("files", [])
        if all((folder / name).is_file() for name in files):  # else they have their names already
            journal.check(folder, files)
    except DataError as error:
        return error
    except OSError as error:
        return DataError(folder, None, f"cannot be read ({error.strerror})", DAMAGED)
    return None
