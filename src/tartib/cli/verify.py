"""``tartib verify``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tartib.cli import options, output
from tartib.wording import counted

if TYPE_CHECKING:
    from tartib.errors import DataError
    from tartib.storage.inspection import Part

_SHOWN_NAMES = 5


def verify(
    paths: Annotated[
        list[Path],
        typer.Argument(
            metavar="PATH",
            help="Folders that Tartib wrote, such as systems, folders that hold some, or TOML "
            "files of systems.",
            show_default=False,
        ),
    ],
    as_json: options.Json = False,
) -> None:
    """Compare files with their checksums, and say which bytes of which file are damaged.

    Every folder has a manifest.json with the checksums of its files; of a system, all folders that
    it names are checked. The exit code is 1 if something is damaged or missing. Files that are in
    no manifest are named, but they are no damage.

    Example:

        tartib verify phrases/ model/ system.toml
    """
    checked = list(parts_of(paths))
    damaged = find_damage(checked)
    size = sum(part.size for part in checked)
    if as_json:
        found = {"files": len(checked), "bytes": size, "damaged": [as_data(e) for e in damaged]}
        unlisted = [str(path) for part in checked for path in part.unlisted]
        output.print_json({**found, "not_in_manifest": unlisted})
    else:
        _note_unlisted(checked)
        for error in damaged:
            output.print_note(f"tartib: error: {error}")
        said = f"{counted(len(damaged), 'file')} damaged" if damaged else "all as they were written"
        output.print_text(f"{counted(len(checked), 'file')}, {size:,} bytes: {said}")
    if damaged:
        raise typer.Exit(1)


def _note_unlisted(checked: Iterable[Part]) -> None:
    """Name the files that Tartib did not write, some of each folder."""
    for part in checked:
        names = [str(path.relative_to(part.path.parent)) for path in part.unlisted]
        more = f" and {len(names) - _SHOWN_NAMES:,} more" if len(names) > _SHOWN_NAMES else ""
        if names:
            said = f"not in the manifest: {', '.join(names[:_SHOWN_NAMES])}{more}"
            output.print_note(f"{part.path.parent}: {counted(len(names), 'file')} {said}")


def parts_of(paths: Iterable[Path]) -> Iterator[Part]:
    """Yield what can be checked; a path without anything to check is an error."""
    from tartib.errors import DataError
    from tartib.storage.inspection import parts

    for path in paths:
        if not path.exists():
            hint = "give a folder that Tartib wrote, or the TOML file of a system"
            raise DataError(path, None, "no such file or folder", hint)
        found = [part for place in places(path) for part in parts(place)]
        if not found:
            hint = "text files have none: give a folder that Tartib wrote, or a system's TOML file"
            raise DataError(path, None, "has no checksums", hint)
        yield from found


def places(path: Path) -> list[Path]:
    """Return the files and folders that a path stands for: of a system, its models."""
    from tartib.decoder.moses_ini import is_ini
    from tartib.decoder.system import System
    from tartib.errors import TartibError

    if is_system_folder(path):
        try:
            named = System.read(path).paths
        except TartibError:  # the manifest of the folder tells about a damaged file
            return [path]
        here = path.resolve()
        return [path, *(place for place in named if here not in place.resolve().parents)]
    if path.is_file() and (path.suffix == ".toml" or is_ini(path)):
        return list(System.read(path).paths)
    return [path]


def is_system_folder(path: Path) -> bool:
    """Whether a path is a folder with a system file in it."""
    from tartib.decoder.system import SYSTEM_FILE

    return (path / SYSTEM_FILE).is_file()


def find_damage(checked: list[Part]) -> list[DataError]:
    """Read all files, with a progress bar."""
    from tartib.progress import progress_bar

    total = sum(part.size for part in checked)
    with progress_bar("Verifying", total, "bytes") as advance:
        found = [part.check(lambda size: advance(size)) for part in checked]
    return [error for error in found if error is not None]


def as_data(error: DataError) -> dict[str, str]:
    """Return an error as JSON has it."""
    return {"file": error.path, "problem": error.problem, "advice": error.hint}
