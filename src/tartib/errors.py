"""The errors that Tartib raises on purpose, each saying what is wrong, where, and what to do."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from difflib import get_close_matches
from pathlib import Path
from typing import Any


class TartibError(Exception):
    """Base of all errors that a user can fix; the command line prints them without a traceback."""


class DataError(TartibError):
    """A file has something wrong in it.

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


class FullDiskError(DataError):
    """The disk has no room for an output; the path is that of its folder."""


class ChangedDataError(TartibError):
    """Arrays or mapped files are damaged, or were changed while native code was using them."""


class OptionError(TartibError, ValueError):
    """An argument has a value that cannot be used."""


def problems_of(entries: Iterable[Mapping[str, Any]], known: Sequence[str] = ()) -> str:
    """Put what pydantic's ``ValidationError.errors()`` lists into words.

    Unknown options are compared with the ``known`` ones, and the nearest one is suggested.
    """
    return "; ".join(_problem(entry, known) for entry in entries)


# What pydantic says of types, as people say it.
_WORDS = {
    **dict.fromkeys(("int_type", "int_parsing", "int_from_float"), "must be a whole number"),
    **dict.fromkeys(("float_type", "float_parsing"), "must be a number"),
    **dict.fromkeys(("bool_type", "bool_parsing"), "must be true or false"),
    "string_type": "must be a word or a text, in quotes",
    "tuple_type": "must be a list",
    "path_type": "must be the name of a file",
}


def _problem(entry: Mapping[str, Any], known: Sequence[str]) -> str:
    where = ".".join(str(part) for part in entry["loc"])
    if entry["type"] == "extra_forbidden":
        nearest = get_close_matches(where, known, n=1, cutoff=0.5)
        return f"there is no option {where!r}" + "".join(f" (is it {name}?)" for name in nearest)
    if entry["type"] == "missing":
        return f"give {where}"
    text = _WORDS.get(str(entry["type"]), str(entry["msg"]).removeprefix("Value error, "))
    for begin in ("Input", "String", "Tuple", "List", "Value"):
        text = text.replace(f"{begin} should ", "must ", 1)
    return f"{where}: {text}" if where else text


@contextmanager
def native_refusals() -> Iterator[None]:
    """Turn what the native code refuses into an error that tells the user what to do."""
    try:
        yield
    except (ValueError, IndexError) as error:
        raise OptionError(str(error)) from None
