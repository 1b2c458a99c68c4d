"""What every folder of ours says in its ``meta.json``: format and version."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tartib.errors import DataError
from tartib.storage import names, verification
from tartib.storage.documents import read_json
from tartib.storage.reading import open_folder


def check_format(folder: Path, form: str, version: int, what: str, hint: str) -> dict[str, Any]:
    """Read a store's ``meta.json``, and refuse damage or anything but this format and version."""
    if not folder.is_dir():
        names.restore(folder)
    if not folder.is_dir():
        problem = "is a file, not a folder" if folder.exists() else "no such folder"
        raise DataError(folder, None, f"{problem}; {what} is a folder", hint)
    open_folder(folder)
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
    verification.check_on_load(folder)
    return meta


@contextmanager
def reading_meta(folder: Path, hint: str) -> Iterator[None]:
    """Turn what goes wrong while a store's ``meta.json`` is interpreted into a `DataError`."""
    try:
        yield
    except KeyError as error:
        problem = f"lacks the required field {error}"
        raise DataError(folder / "meta.json", None, problem, hint) from None
    except (TypeError, ValueError, OverflowError, AttributeError) as error:
        problem = f"has a field with a wrong value ({error})"
        raise DataError(folder / "meta.json", None, problem, hint) from None
