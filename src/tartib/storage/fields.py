"""Fields of ``meta.json`` and the like, each checked for its type and range."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite
from pathlib import Path
from typing import Any, NoReturn

from tartib.errors import DataError


class Fields:
    """What a JSON object says; a field that is missing or wrong is an error that names it.

    Parameters
    ----------
    path
        The file, for errors.
    values
        What was read.
    hint
        What to do about a wrong field.
    """

    def __init__(self, path: str | Path, values: Mapping[str, Any], hint: str) -> None:
        self._path, self._values, self._hint = path, values, hint

    def __contains__(self, name: str) -> bool:
        return self._values.get(name) is not None

    def wrong(self, problem: str) -> NoReturn:
        """Raise an error about the file."""
        raise DataError(self._path, None, problem, self._hint)

    def any(self, name: str) -> Any:  # noqa: ANN401
        """Return a field of any type."""
        if name not in self._values:
            self.wrong(f"lacks the required field {name!r}")
        return self._values[name]

    def whole(self, name: str, lowest: int = 0, highest: int = (1 << 63) - 1) -> int:
        """Return a whole number."""
        value = self.any(name)
        if type(value) is not int or not lowest <= value <= highest:
            self._refuse(name, value, f"a whole number from {lowest:,} to {highest:,}")
        return int(value)

    def wholes(self, name: str, highest: int) -> tuple[int, ...]:
        """Return a list of whole numbers from 0 on, one at least."""
        value = self.any(name)
        good = isinstance(value, list) and all(type(x) is int and 0 <= x <= highest for x in value)
        if not good or not value:
            self._refuse(name, value, f"a list of whole numbers from 0 to {highest:,}")
        return tuple(value)

    def number(self, name: str) -> float:
        """Return a finite number."""
        value = self.any(name)
        if type(value) not in (int, float) or not _is_finite(value):
            self._refuse(name, value, "a number")
        return float(value)

    def flag(self, name: str) -> bool:
        """Return true or false."""
        value = self.any(name)
        if not isinstance(value, bool):
            self._refuse(name, value, "true or false")
        return bool(value)

    def text(self, name: str) -> str:
        """Return a string."""
        value = self.any(name)
        if not isinstance(value, str):
            self._refuse(name, value, "a string")
        return str(value)

    def texts(self, name: str) -> tuple[str, ...]:
        """Return a list of strings."""
        value = self.any(name)
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            self._refuse(name, value, "a list of strings")
        return tuple(value)

    def mapping(self, name: str) -> dict[str, Any]:
        """Return an object, whose fields are checked by whatever is made of it."""
        value = self.any(name)
        if not isinstance(value, dict):
            self._refuse(name, value, "an object")
        return dict(value)

    def inner(self, name: str) -> Fields:
        """Return the fields of an object."""
        return Fields(self._path, self.mapping(name), self._hint)

    def _refuse(self, name: str, value: object, wanted: str) -> NoReturn:
        shown = repr(value)
        self.wrong(f"{name} must be {wanted}, not {shown if len(shown) < 80 else shown[:79] + '…'}")


def _is_finite(value: float) -> bool:
    try:
        return isfinite(value)
    except OverflowError:  # a whole number beyond what a float can hold
        return False
