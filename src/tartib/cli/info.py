"""``tartib info``."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from tartib.cli import options, output
from tartib.cli.verify import as_data, find_damage, is_system_folder, places
from tartib.wording import counted

_PARTIAL, _UNFINISHED = ".partial-", ".unfinished"
_NAMES = {"version": "format version"}  # of fields that would mislead beside others
_EXPERIMENT = "tartib experiment"
_SYSTEM = "translation system"
_MOST_FILES = 50  # of more, folders are listed
_MOST_VALUES = 20  # of a list
_DEEPEST = 10  # objects in objects


def info(
    path: Annotated[
        Path,
        typer.Argument(
            help="A folder that Tartib wrote, such as a system, a hidden folder of an unfinished "
            "output, an experiment, or the TOML file of a system.",
            show_default=False,
        ),
    ],
    as_json: options.Json = False,
) -> None:
    """Show what a folder or file is, what made it and from what, and whether it is intact.

    Example:

        tartib info phrases/
    """
    from tartib.errors import DataError

    if not path.exists():
        raise DataError(path, None, "no such file or folder", "check the name")
    found = describe(path)
    if as_json:
        output.print_json(found)
        return
    files, damage = found.pop("files"), found.pop("damage", [])
    named = {_NAMES.get(name, name): value for name, value in found.items()}
    output.print_table(str(path), ("", ""), list(_rows(named)))
    for error in damage:
        output.print_text(f"{error['file']}: {error['problem']}\n  {error['advice']}")
    if len(files) > _MOST_FILES or found["kind"] == _EXPERIMENT:
        columns = ("file or folder", "files", "bytes")
        output.print_table("Files", columns, _summed(files), right=(1, 2))
    elif files:
        output.print_table("Files", ("file", "bytes"), list(files.items()), right=(1,))


def describe(path: Path) -> dict[str, Any]:
    """Return what is known of a file or folder, by name."""
    found: dict[str, Any] = {"kind": _kind(path), **_maker(path), **_meta(path), **_progress(path)}
    if path.is_file():
        found["names"] = {str(place): _kind(place) for place in places(path) if place != path}
    if is_system_folder(path):
        found["holds"] = _parts_of_system(path)
        found |= _measured(path)
    return {**found, **_state(path), "files": _sizes(path)}


def _kind(path: Path) -> str:
    """Return what a path holds, in a few words."""
    from tartib.storage.inspection import described

    if not path.exists():
        return "missing"
    if _PARTIAL in path.name:
        return "what a process is writing, or left when it was killed; the next one deletes it"
    if path.name.endswith(_UNFINISHED):
        kind = "translation" if (path / "journal").exists() else "tuning"
        return f"unfinished {kind}: the same command with --resume continues it"
    if path.is_dir():
        form = described(path).get("format")
        if is_system_folder(path):
            return _SYSTEM
        return str(form) if form else "a folder that Tartib did not write"
    return _SYSTEM if places(path) != [path] else "a file that Tartib does not know"


def _parts_of_system(path: Path) -> dict[str, str]:
    """Return what a system folder's file names, by path as it has it, and what that is."""
    from tartib.decoder.system import SYSTEM_FILE, System
    from tartib.errors import TartibError

    try:
        named = System.read(path).paths
    except TartibError as error:
        return {SYSTEM_FILE: str(error)}
    return {os.path.relpath(place, path): _kind(place) for place in named}


def _measured(path: Path) -> dict[str, Any]:
    """Return a system's languages, and its scores by text and metric."""
    from tartib.translator import read_scores

    known = read_scores(path)
    found = {"languages": known["languages"]} if "languages" in known else {}
    for name in ("dev", "test"):
        scores = known.get(name, {}).get("scores", {}) if isinstance(known.get(name), dict) else {}
        for metric, figure in scores.items() if isinstance(scores, dict) else ():
            if isinstance(figure, dict) and isinstance(figure.get("score"), float):
                found[f"{metric}_{name}"] = f"{figure['score']:.2f} ({figure.get('signature')})"
    return found


def _maker(path: Path) -> dict[str, Any]:
    """Return which version and command wrote a folder."""
    from tartib.errors import DataError
    from tartib.storage.manifest import read_manifest

    try:
        manifest = read_manifest(path)
    except (DataError, OSError):
        return {}
    command = {"command": shlex.join(manifest.command)} if manifest.command else {}
    return {"made_by": f"tartib {manifest.version}", **command}


def _meta(path: Path) -> dict[str, Any]:
    from tartib.storage.inspection import described

    meta = described(path) if path.is_dir() else {}
    return {name: value for name, value in meta.items() if name != "format"}


def _progress(path: Path) -> dict[str, Any]:
    """Return how far an unfinished output or an experiment is."""
    from tartib.errors import DataError
    from tartib.storage import journal, read_record
    from tartib.storage.inspection import journal_files

    if not path.is_dir():
        return {}
    found: dict[str, Any] = {}
    if iterations := list(path.glob("seed-*/iteration-*")):
        found["finished_iterations"] = len(iterations)
    if (path / "stages").is_dir():
        found["finished_stages"] = len(list((path / "stages").glob("[!.]*.json")))
        found["results"] = "written" if (path / "results.json").exists() else "not written yet"
    if (path / journal.NAME).exists():
        try:
            found["finished_sentences"] = journal.check(path, journal_files(path))
            found["settings"] = read_record(path / "settings.json")
        except (DataError, OSError):
            pass  # the state says what is wrong
    return found


def _state(path: Path) -> dict[str, Any]:
    """Return whether everything is as it was written."""
    from tartib.storage.inspection import parts

    checked = [part for place in places(path) for part in parts(place)]
    if not checked:
        return {"state": "not known: there are no checksums"}
    if damaged := find_damage(checked):
        return {"state": "damaged", "damage": [as_data(error) for error in damaged]}
    return {"state": f"whole: {counted(len(checked), 'file')} as they were written"}


def _sizes(path: Path) -> dict[str, int]:
    """Return the size of each file by its path; links to folders are not followed."""
    if path.is_file():
        return {path.name: path.stat().st_size}
    files = (Path(place) / name for place, _, names in os.walk(path) for name in names)
    return {
        str(file.relative_to(path)): file.stat().st_size for file in sorted(files) if file.is_file()
    }


def _summed(files: Mapping[str, int]) -> list[tuple[str, str, int]]:
    """Return files and folders in a folder, each folder with the number of its files and bytes."""
    sizes: dict[str, list[int]] = {}
    for name, size in files.items():
        first, slash, _ = name.partition(os.sep)
        sizes.setdefault(first + slash, []).append(size)
    return [
        (name, f"{len(found):,}" if name.endswith(os.sep) else "", sum(found))
        for name, found in sizes.items()
    ]


def _rows(values: Mapping[str, Any], of: str = "", depth: int = 0) -> Iterator[tuple[str, str]]:
    """Yield a row for each value, of objects for each of theirs; empty ones are left out."""
    for name, value in values.items():
        full = f"{of}{name.replace('_', ' ')}"
        if depth == _DEEPEST:
            yield full, "…"
        elif isinstance(value, Mapping):
            yield from _rows(value, f"{full}, ", depth + 1)
        elif isinstance(value, list) and any(isinstance(part, list | dict) for part in value):
            numbered = {str(number): part for number, part in enumerate(value, 1)}
            yield from _rows(numbered, f"{full} ", depth + 1)
        elif text := _shown(value):
            yield full, text


def _shown(value: object) -> str:
    """Return a value as text; that of nothing is empty."""
    if isinstance(value, list) and len(value) > _MOST_VALUES:
        return counted(len(value), "value")
    if isinstance(value, list):
        return ", ".join(map(_shown, value))
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "" if value is None else str(value)
