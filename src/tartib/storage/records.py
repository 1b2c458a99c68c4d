"""JSON objects that hold their own checksum: manifests, settings, records of finished stages."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tartib.errors import DataError
from tartib.storage.checksums import checksum, write_bytes
from tartib.storage.reading import DAMAGED, open_file, read_bytes

_CHECKSUM = ',\n "checksum": "'
_END = '"\n}\n'
_TAIL = 60  # bytes at the end that the checksum is in


def write_record(path: Path, value: Mapping[str, Any]) -> None:
    """Write a JSON object that holds its own checksum."""
    write_bytes(path, record_text(value))


def record_text(value: Mapping[str, Any]) -> bytes:
    """Return a JSON object with its own checksum, which is of all bytes before it."""
    body = json.dumps({**value, "checksum": ""}, indent=1, ensure_ascii=False)
    # A name of a file that is not UTF-8: what replaces its bytes is JSON's escape for them.
    data = body.removesuffix('"\n}').removesuffix(_CHECKSUM).encode(errors="backslashreplace")
    return data + f"{_CHECKSUM}{checksum(data)}{_END}".encode()


def is_record(path: Path) -> bool:
    """Whether a file looks like what `write_record` wrote, damaged or not."""
    if path.suffix != ".json":
        return False
    try:
        with open_file(path) as file:
            file.seek(max(file.seek(0, io.SEEK_END) - _TAIL, 0))
            return b'"checksum": "' in file.read(_TAIL)
    except OSError:
        return False


def read_record(path: Path, hint: str = DAMAGED) -> dict[str, Any]:
    """Read what `write_record` wrote; a single changed bit is found."""
    try:
        data = read_bytes(path)
    except FileNotFoundError:
        raise
    except OSError as error:
        raise DataError(path, None, f"cannot be read ({error.strerror})", hint) from None
    body, _, found = data.rpartition(_CHECKSUM.encode())
    if found != f"{checksum(body)}{_END}".encode():
        raise DataError(path, None, "is damaged: its checksum is wrong", hint)
    try:
        value: dict[str, Any] = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise DataError(path, None, f"cannot be read as JSON ({error})", hint) from None
    del value["checksum"]
    return value
