"""The errors that Tartib raises on purpose, each saying what is wrong, where, and what to do."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any


class TartibError(Exception):
    """Base of all errors that a user can mend; the command line prints it without a traceback."""


class DataError(TartibError):
    """Something in a file is not as it must be.

    Parameters
    ----------
    path
        The file, or ``-`` for standard input.
    line
        Line number counted from 1, or None where the whole file is meant.
    problem
        What is wrong, without a full stop.
    hint
        What to do about it.
    """

    def __init__(self, path: str | Path, line: int | None, problem: str, hint: str) -> None:
        self.path = "standard input" if str(path) == "-" else str(path)
        self.line = line
        self.problem = problem
        self.hint = hint
        place = self.path if line is None else f"{self.path}:{line}"
        super().__init__(f"{place}: {problem}\n  {hint}")

    def __reduce__(self) -> tuple[type[DataError], tuple[str, int | None, str, str]]:
        """Survive the way back from a worker process."""
        return type(self), (self.path, self.line, self.problem, self.hint)


class OptionError(TartibError, ValueError):
    """An argument has a value that cannot be used."""


def problems_of(entries: Iterable[Mapping[str, Any]]) -> str:
    """Put what pydantic's ``ValidationError.errors()`` lists into words."""
    return "; ".join(map(_problem, entries))


def _problem(entry: Mapping[str, Any]) -> str:
    where = ".".join(str(part) for part in entry["loc"])
    if entry["type"] == "extra_forbidden":
        return f"there is no option {where!r}"
    if entry["type"] == "missing":
        return f"give {where}"
    text = str(entry["msg"]).removeprefix("Value error, ")
    return f"{where}: {text}" if where else text


@contextmanager
def native_refusals() -> Iterator[None]:
    """Turn what the native code refuses into an error that tells the user what to do."""
    try:
        yield
    except (ValueError, IndexError) as error:
        raise OptionError(str(error)) from None
