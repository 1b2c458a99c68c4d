"""JSON and TOML files: whatever is in them, the worst that can happen is an error."""

from __future__ import annotations

import json
import math
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NoReturn

from tartib.errors import DataError
from tartib.storage import checksums
from tartib.storage.reading import DAMAGED, read_bytes

_MOST_KEY_PARTS = 64
_MOST_BITS = 64
# The tokens of TOML, as far as keys and what looks like them need it. All repetitions are
# possessive, so that the time is linear; what does not end, tomllib refuses where it begins.
_TOKEN = re.compile(
    rf"""
      "{{3}} (?: [^"\\]++ | \\[\s\S] | "(?!"") )*+ (?:"{{3,5}})?+
    | '{{3}} (?: [^']++ | '(?!'') )*+ (?:'{{3,5}})?+
    | \#[^\n]*+
    | (?P<long>
        (?: (?: [^\s.,=\[\]{{}}"'\#]++ | "(?:[^"\\\n]++|\\.)*+" | '[^'\n]*+' )
            [ \t]*+ \. [ \t]*+ ){{{_MOST_KEY_PARTS}}}
      )
    | [^\s.,=\[\]{{}}"'\#]++
    | "(?:[^"\\\n]++|\\.)*+"?+
    | '[^'\n]*+'?+
    """,
    re.VERBOSE,
)


def write_json(path: Path, value: dict[str, Any]) -> None:
    """Write readable JSON."""
    text = json.dumps(value, indent=2, ensure_ascii=False) + "\n"
    # A name of a file that is not UTF-8: what replaces its bytes is JSON's escape for them.
    checksums.write_bytes(path, text.encode(errors="backslashreplace"))


def read_json(path: Path) -> dict[str, Any]:
    """Read a JSON object; what is not a number, or larger than we write, is refused."""
    try:
        value = json.loads(
            read_bytes(path), parse_constant=_refuse, parse_float=_finite, parse_int=_whole
        )
    except RecursionError:
        raise DataError(path, None, "is nested too deeply", DAMAGED) from None
    except (ValueError, OSError) as error:
        raise DataError(path, None, f"cannot be read as JSON ({error})", DAMAGED) from None
    if not isinstance(value, dict):
        raise DataError(path, None, "not a JSON object", DAMAGED)
    return value


def _refuse(text: str) -> NoReturn:
    raise ValueError(f"{text} is not a number")


def _finite(text: str) -> float:
    value = float(text)
    if math.isinf(value):
        raise ValueError(f"{text} is too large")
    return value


def _whole(text: str) -> int:
    value = int(text)
    if value.bit_length() > _MOST_BITS:
        raise ValueError("a whole number has more than 64 bits")
    return value


def read_toml(path: Path, hint: str) -> dict[str, Any]:
    """Read a TOML file; the hint says what it should look like."""
    try:
        text = path.read_bytes().decode()
        # tomllib needs memory by the square of their number.
        if any(token["long"] for token in _TOKEN.finditer(text)):
            problem = f"has a key of more than {_MOST_KEY_PARTS} parts"
            raise DataError(path, None, problem, hint)
        return tomllib.loads(text)
    except RecursionError:
        raise DataError(path, None, "is nested too deeply", hint) from None
    except FileNotFoundError:
        where = "check the name and the folder that you are in"
        raise DataError(path, None, "no such file", where) from None
    except OSError as error:
        raise DataError(path, None, f"cannot be read ({error.strerror})", hint) from None
    except ValueError as error:
        raise DataError(path, None, f"cannot be read as TOML ({error})", hint) from None


def check_hyphens(path: Path, keys: Iterable[str]) -> None:
    """Refuse keys of a TOML file that are written with underscores."""
    for key in keys:
        if "_" in key:
            hint = f"keys are written with hyphens: {key.replace('_', '-')}"
            raise DataError(path, None, f"unknown key {key!r}", hint)


def differences(before: Mapping[str, Any], now: Mapping[str, Any], of: str = "") -> Iterator[str]:
    """Yield a sentence for each setting that has changed."""
    for name in dict.fromkeys((*now, *before)):
        old, new = before.get(name), now.get(name)
        if isinstance(old, Mapping) and isinstance(new, Mapping):
            yield from differences(old, new, f"{of}{name} ")
        elif old != new:
            yield f"{of}{name} was {json.dumps(old)} and is now {json.dumps(new)}"
