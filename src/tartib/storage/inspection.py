"""What a file or folder is, and whether it is as it was written."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from tartib.errors import DataError
from tartib.storage import journal, records
from tartib.storage.checksums import Checksums, checksum
from tartib.storage.documents import read_json
from tartib.storage.manifest import NAME as MANIFEST
from tartib.storage.manifest import Manifest, manifest_checksum, read_manifest
from tartib.storage.names import shown_name
from tartib.storage.reading import DAMAGED, open_file
from tartib.storage.verification import again, damage

Advance = Callable[[int], None]
ARRAYS = "array_checksums"  # field of a record: checksums of the arrays beside it, by name
_SETTINGS = "settings.json"
_META = "meta.json"
_EXPERIMENT, _STAGES, _LOCK = "tartib experiment", "stages", ".lock"
_UNFINISHED = ".unfinished"
_ONE_FILE = "delete it, and run the command again that made it"
# Names that only folders of ours have together with a manifest, whatever else was deleted.
_OURS = {
    "indptr.npy", "link_offsets.npy", "ngrams.npy", "pair_offsets.npy", "row_offsets.npy",
    "source_offsets.npy", "target_offsets.npy", "weights.safetensors",
}  # fmt: skip
_OUR_SUFFIX = ".vocabulary"


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
    unlisted
        Of a manifest: files in its folder that it does not list.
    """

    path: Path
    size: int
    check: Callable[[Advance], DataError | None]
    unlisted: tuple[Path, ...] = ()


def parts(path: Path) -> Iterator[Part]:
    """Yield all files with checksums in a folder of ours, or below a folder that holds some.

    A path where nothing is counts as damaged, and so does a folder that has lost its manifest.
    Symbolic links are followed, but to no folder twice.
    """
    if not path.exists():
        yield _wrong(path, "no such file or folder", "make it again, or correct its name")
    elif path.is_dir():
        yield from _below(path)
    elif records.is_record(path):
        yield _record(path)


def first_damage(path: Path) -> DataError | None:
    """Compare the files of a folder of ours with their checksums; return what is wrong first."""
    found = (part.check(lambda _: None) for part in parts(path))
    return next((error for error in found if error is not None), None)


def _below(top: Path) -> Iterator[Part]:
    seen: set[tuple[int, int]] = set()
    left = [top]
    while left:
        folder = left.pop()
        found = folder.stat()
        if (place := (found.st_dev, found.st_ino)) in seen:
            continue
        seen.add(place)
        if (folder / MANIFEST).exists():
            yield from _of_manifest(folder, left)
        else:
            yield from _without_manifest(folder, left)


def _without_manifest(folder: Path, left: list[Path]) -> Iterator[Part]:
    """Yield what has checksums in a folder, and add the folders inside to those that are left."""
    try:
        inside = sorted(folder.iterdir())
    except OSError as error:
        yield _wrong(folder, f"cannot be read ({error.strerror})", "check its permissions")
        return
    if problem := _loss(folder, inside):
        yield _wrong(folder, problem, DAMAGED)
    checked: set[Path] = set()
    if (folder / journal.NAME).exists() and (folder / _SETTINGS).exists():
        checked.add(folder / _SETTINGS)
        yield Part(folder / journal.NAME, 0, partial(_check_journal, folder))
    needed = _needed_records(folder)
    for path in inside:
        is_one = path in needed or records.is_record(path)
        if is_one and path not in checked and path.is_file():
            yield _record(path)
    left += reversed([path for path in inside if path.is_dir()])


def _loss(folder: Path, inside: Iterable[Path]) -> str:
    """Return why a folder without a manifest ought to have one; empty if it need not."""
    said = {} if records.is_record(folder / _META) else described(folder)
    if str(said.get("format")).startswith("tartib "):
        return f"has no {MANIFEST}: deleted, or it was made by an earlier version"
    if shown_name(str(folder)) != str(folder):  # it is being written, or was left by a kill
        return ""
    ours = [path.name for path in inside if path.name in _OURS or path.suffix == _OUR_SUFFIX]
    return f"has {ours[0]}, but no {MANIFEST}, which was deleted" if ours else ""


def _needed_records(folder: Path) -> set[Path]:
    """Return the files that must be records, however damaged they are."""
    here = folder.absolute()  # "." has no name
    unfinished = any(path.name.endswith(_UNFINISHED) for path in (here, here.parent))
    if unfinished or (here.name == _STAGES and _is_experiment(here.parent)):
        return set(folder.glob("[!.]*.json"))
    return {folder / _META} if _is_experiment(folder) else set()


def _is_experiment(folder: Path) -> bool:
    """Whether a folder is an experiment's, even if its description is damaged."""
    form = described(folder).get("format")
    lost = form is None and (folder / _LOCK).is_file() and (folder / _STAGES).is_dir()
    return form == _EXPERIMENT or lost


def described(path: Path) -> dict[str, Any]:
    """Return what a folder's ``meta.json`` says, or nothing."""
    try:
        if records.is_record(path / _META):
            return records.read_record(path / _META)
        return read_json(path / _META)
    except (DataError, FileNotFoundError):
        return {}


def _of_manifest(folder: Path, left: list[Path]) -> Iterator[Part]:
    try:
        manifest = read_manifest(folder)
    except DataError as error:
        yield _wrong(folder / MANIFEST, error.problem, error.hint)
        return
    yield Part(folder / MANIFEST, 0, lambda _: None, tuple(_unlisted(folder, manifest)))
    for name, expected in manifest.files.items():
        check = partial(_check_file, folder / name, expected, again(manifest))
        yield Part(folder / name, expected.size, check)
    for name, expected_manifest in manifest.folders.items():
        inner = folder / name
        if manifest_checksum(inner) != expected_manifest:
            problem = "is missing, or not the one that was written with the rest"
            yield _wrong(inner / MANIFEST, problem, again(manifest))
        else:
            left.append(inner)


def _unlisted(folder: Path, manifest: Manifest) -> Iterator[Path]:
    """Yield the files that are neither in the manifest nor in folders with their own."""
    listed = {folder / name for name in (*manifest.files, MANIFEST)}
    inner = {folder / name for name in manifest.folders}
    for place, folders, files in os.walk(folder):
        here = Path(place)
        links = [name for name in folders if (here / name).is_symlink()]
        folders[:] = sorted(name for name in folders if here / name not in inner)
        yield from (here / n for n in sorted(files) if here / n not in listed)
        yield from (here / n for n in sorted(links) if here / n not in inner)


def _check_file(path: Path, expected: Checksums, hint: str, advance: Advance) -> DataError | None:
    try:
        with open_file(path) as file:
            return damage(path, file, expected, hint, advance)
    except (OSError, ValueError) as error:
        return DataError(path, None, f"cannot be read ({error})", hint)


def _wrong(path: Path, problem: str, hint: str) -> Part:
    return Part(path, 0, lambda _: DataError(path, None, problem, hint))


def _record(path: Path) -> Part:
    return Part(path, path.stat().st_size, partial(_check_record, path))


def _check_record(path: Path, advance: Advance) -> DataError | None:
    """Compare a record, and the arrays beside it, with their checksums."""
    try:
        sums = records.read_record(path, _ONE_FILE).get(ARRAYS, {})
        if not isinstance(sums, dict) or not all(map(_is_name, sums)):
            return DataError(path, None, f"has a wrong field {ARRAYS}", _ONE_FILE)
        for name, expected in sums.items():
            array = path.with_name(f"{path.stem}.{name}.npy")
            if not array.is_file() or checksum(array.read_bytes()) != expected:
                return DataError(array, None, "is damaged or missing", f"delete {path}, too")
        advance(path.stat().st_size)
    except DataError as error:
        return error
    except OSError as error:
        return DataError(path, None, f"cannot be read ({error.strerror})", _ONE_FILE)
    return None


def _is_name(value: object) -> bool:
    """Whether a value is a name as we give them to files, without a path."""
    return isinstance(value, str) and re.fullmatch(r"\w[\w.-]*", value) is not None


def _check_journal(folder: Path, _: Advance) -> DataError | None:
    """Compare the settings, the journal and its files with their checksums."""
    try:
        files = journal_files(folder)
        if all((folder / name).is_file() for name in files):  # else they have their names already
            journal.check(folder, files)
    except DataError as error:
        return error
    except OSError as error:
        return DataError(folder, None, f"cannot be read ({error.strerror})", DAMAGED)
    return None


def journal_files(folder: Path) -> list[str]:
    """Return the names of the files that a journal stands for, refusing what cannot be names."""
    files = records.read_record(folder / _SETTINGS).get("files", [])
    if not isinstance(files, list) or not all(map(_is_name, files)):
        raise DataError(folder / _SETTINGS, None, "has a wrong field files", DAMAGED)
    return files
