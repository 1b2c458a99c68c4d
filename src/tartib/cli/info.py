"""``tartib info``."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Annotated, Any

import typer

from tartib.cli import options, output
from tartib.cli.verify import as_data, find_damage, places
from tartib.wording import counted

_PARTIAL, _UNFINISHED = ".partial-", ".unfinished"


def info(
    path: Annotated[
        Path,
        typer.Argument(
            help="A folder that Tartib wrote, a hidden folder of an unfinished output, an "
            "experiment, or the TOML file of a system.",
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
    rows = [(name.replace("_", " "), _shown(value)) for name, value in found.items()]
    output.print_table(str(path), ("", ""), rows)
    for error in damage:
        output.print_text(f"{error['file']}: {error['problem']}\n  {error['advice']}")
    if files:
        output.print_table("Files", ("file", "bytes"), list(files.items()), right=(1,))


def describe(path: Path) -> dict[str, Any]:
    """Return what is known of a file or folder, by name."""
    found: dict[str, Any] = {"kind": _kind(path), **_maker(path), **_meta(path), **_progress(path)}
    if path.is_file():
        found["names"] = {str(place): _kind(place) for place in places(path) if place != path}
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
        return str(form) if form else "a folder that Tartib did not write"
    return "translation system" if places(path) != [path] else "a file that Tartib does not know"


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
            settings = read_record(path / "settings.json")
            found["finished_sentences"] = journal.check(path, settings.get("files", []))
            found["settings"] = settings
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
    files = [path] if path.is_file() else sorted(p for p in path.rglob("*") if p.is_file())
    start = path.parent if path.is_file() else path
    return {str(file.relative_to(start)): file.stat().st_size for file in files}


def _shown(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
