"""Weights by name in TOML files."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field

from tartib import storage
from tartib.errors import DataError

Weight = Annotated[float, Field(strict=True)]  # no text, no true or false
WeightsByName = dict[str, tuple[Weight, ...]]
_HINT = (
    "the file has a section [weights] with a line for each feature, LM0 = 0.5, and for sparse "
    "features [sparse-weights]"
)
_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")


def read_weights(path: str | Path) -> WeightsByName:
    """Read a TOML file with a section [weights] and, perhaps, [sparse-weights]."""
    file = Path(path)
    sections = storage.read_toml(file, _HINT)
    known = {"weights", "sparse-weights"}
    are_sections = all(isinstance(section, dict) for section in sections.values())
    if "weights" not in sections or not set(sections) <= known or not are_sections:
        raise DataError(file, None, "has not one section [weights]", _HINT)
    weights = {**sections["weights"], **sections.get("sparse-weights", {})}
    try:
        return {name: tuple(map(_number, values)) for name, values in listed(weights).items()}
    except ValueError as error:
        raise DataError(file, None, str(error), _HINT) from None


def weights_section(weights: Mapping[str, Iterable[float]], section: str = "weights") -> str:
    """Return weights as a section of a TOML file."""
    lines = [f"[{section}]"]
    for name, values in weights.items():
        shown = [repr(float(value)) for value in values]
        key = name if _BARE_KEY.fullmatch(name) else quoted(name)
        lines.append(f"{key} = {shown[0] if len(shown) == 1 else '[' + ', '.join(shown) + ']'}")
    return "\n".join(lines) + "\n"


def listed(weights: Any) -> Any:  # noqa: ANN401
    """Let a feature with one weight do without brackets."""
    if not isinstance(weights, Mapping):
        return weights
    return {n: v if isinstance(v, list | tuple) else (v,) for n, v in weights.items()}


def _number(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError(f"not a number: {value!r}")  # noqa: TRY004 -- a value of a file
    return float(value)


def quoted(value: object) -> str:
    """Return a text, or a list of texts, as a TOML file has it."""
    return json.dumps(value, ensure_ascii=False)
