"""The manifest of a folder: size and checksums of each of its files.

``manifest.json`` holds its own checksum, and those of the manifests of folders inside, so that one
number vouches for everything below a folder.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

from tartib.errors import DataError
from tartib.storage.checksums import Checksums, checksum, known
from tartib.storage.reading import DAMAGED, read_bytes
from tartib.storage.records import read_record, write_record

NAME = "manifest.json"
_FORMAT, _VERSION = "tartib manifest", 1
_command: list[str] = []


class Manifest(NamedTuple):
    """What a folder holds, and what made it.

    Attributes
    ----------
    files
        Checksums by path, relative to the folder.
    folders
        Checksums of the manifests of folders inside that have their own.
    version
        The version of Tartib that wrote the folder.
    command
        The command that wrote it; empty if it was none.
    """

    files: dict[str, Checksums]
    folders: dict[str, str]
    version: str
    command: tuple[str, ...]


@contextmanager
def made_by(command: Sequence[str]) -> Iterator[None]:
    r"""Note the words of the command that is running, for the manifests that it writes.

    Bytes that are not UTF-8 are noted as escapes, such as ``\xff``.
    """
    before, _command[:] = list(_command), map(_readable, command)
    try:
        yield
    finally:
        _command[:] = before


def _readable(word: str) -> str:
    try:
        return word.encode(errors="surrogateescape").decode(errors="backslashreplace")
    except UnicodeEncodeError:  # half a character, which no command line has
        return word.encode(errors="backslashreplace").decode()


def write_manifest(folder: Path) -> None:
    """Write the manifest of a complete folder, and give all its files the usual permissions."""
    inner = sorted(path.parent for path in folder.rglob(NAME) if path.parent != folder)
    inside = [path for path in inner if not any(other in path.parents for other in inner)]
    files = sorted(
        path
        for path in folder.rglob("*")
        if path.is_file() and not any(place in path.parents for place in inside)
    )
    sums = {path.relative_to(folder).as_posix(): known(path) for path in files}
    nested = {
        path.relative_to(folder).as_posix(): checksum((path / NAME).read_bytes()) for path in inside
    }
    value = {
        "format": _FORMAT,
        "version": _VERSION,
        "made_by": {"tartib": version("tartib"), "command": list(_command)},
        "files": {name: found._asdict() for name, found in sums.items()},
        "folders": nested,
    }
    write_record(folder / NAME, value)
    usual = (folder / NAME).stat().st_mode
    for path in files:
        if path.stat().st_mode != usual:
            path.chmod(usual & 0o777)  # other libraries do not ask the umask


def read_manifest(folder: Path) -> Manifest:
    """Read a manifest, refusing any that is damaged or missing."""
    path = folder / NAME
    try:
        value = read_record(path, DAMAGED)
        if (value["format"], value["version"]) != (_FORMAT, _VERSION):
            problem = f"holds {value['format']!r}, version {value['version']}"
            raise DataError(path, None, problem, DAMAGED)
        return _manifest(value)
    except FileNotFoundError:
        raise DataError(folder, None, f"has no {NAME}", DAMAGED) from None
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise DataError(path, None, f"has a wrong or missing field ({error})", DAMAGED) from None


def _manifest(value: dict[str, Any]) -> Manifest:
    files = {name: Checksums(**found) for name, found in value["files"].items()}
    folders = dict(value["folders"])
    for name in (*files, *folders):
        name.encode(errors="surrogateescape")  # half a character is refused: it cannot be printed
        if not _is_inside(name):
            raise ValueError(f"{name!r} is not the name of something in the folder")
    for name, found in files.items():
        if type(found.size) is not int or not isinstance(found.blocks, str):
            raise TypeError(f"size or checksums of {name!r}")
        if not found.is_possible():
            raise ValueError(f"{name!r} cannot have {found.size:,} bytes and these checksums")
    made_by = value["made_by"]
    command = tuple(_readable(str(word)) for word in made_by["command"])
    return Manifest(files, folders, _readable(str(made_by["tartib"])), command)


def _is_inside(name: str) -> bool:
    """Whether a path leads to something below a folder."""
    return "\0" not in name and all(part not in ("", ".", "..") for part in name.split("/"))


def manifest_checksum(folder: Path) -> str:
    """Return the checksum of a folder's manifest; empty if it cannot be read."""
    try:
        return checksum(read_bytes(folder / NAME))
    except (OSError, ValueError):
        return ""
