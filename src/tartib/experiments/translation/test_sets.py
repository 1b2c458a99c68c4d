"""The files of test sets: one without a name, or several with names, also as ``NAME=FILE``."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, field_validator

from tartib.experiments.run.options import listed, option_name

_NAMED = re.compile(r"(?P<name>[\w.-]+)=(?P<file>.+)")
UNNAMED = "test"
# The options that are about test sets.
OF_TESTS = ("test", "test_reference", "reference_alignment")


class TestFiles(BaseModel):
    """A test set: its source, its references, and its alignment with the first of them, if any."""

    __test__ = False  # for pytest, which looks for such names
    model_config = ConfigDict(frozen=True, extra="forbid")

    source: Path
    reference: Annotated[tuple[Path, ...], Field(min_length=1)]
    alignment: Path | None = None

    @field_validator("reference", mode="before")
    @classmethod
    def _list(cls, given: object) -> object:
        return (given,) if isinstance(given, str | Path) else listed(given)

    @property
    def files(self) -> dict[str, Path]:
        """All files, by what they are."""
        references = {f"reference {n}": path for n, path in enumerate(self.reference)}
        given = {} if self.alignment is None else {"alignment": self.alignment}
        return {"source": self.source, **references, **given}


def with_test_sets(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return options with the test sets of a command line: by name, or a single one as it was.

    Files have names in front, ``NAME=FILE``, where there are several test sets.
    """
    rest = {name: value for name, value in given.items() if name not in OF_TESTS}
    named = {name: _by_name(given.get(name) or ()) for name in OF_TESTS}
    if list(named["test"]) == [None]:
        return rest | _unnamed(named)
    return rest | {"test": _sets(named)}


def _by_name(given: object) -> dict[str | None, list[str]]:
    """Sort files by the name before them, None where there is none."""
    found: dict[str | None, list[str]] = {}
    for text in map(str, given if isinstance(given, list | tuple) else [given]):
        named = _NAMED.fullmatch(text)
        name, file = (named["name"], named["file"]) if named else (None, text)
        found.setdefault(name, []).append(file)
    return found


def _unnamed(named: Mapping[str, Mapping[str | None, Sequence[str]]]) -> dict[str, Any]:
    """Return the options of a single test set."""
    for option in OF_TESTS:
        _check_names(option, named[option], known=[None])
    found: dict[str, Any] = {"test": _only(named["test"][None], "test")}
    found["test_reference"] = tuple(named["test_reference"].get(None, ()))
    if alignment := named["reference_alignment"].get(None):
        found["reference_alignment"] = _only(alignment, "reference_alignment")
    return found


def _sets(named: Mapping[str, Mapping[str | None, Sequence[str]]]) -> dict[str, dict[str, Any]]:
    """Return the test sets by name."""
    names = [name for name in named["test"] if name is not None]
    for option in OF_TESTS:
        _check_names(option, named[option], known=names)
    found: dict[str, dict[str, Any]] = {}
    for name in names:
        reference = named["test_reference"].get(name)
        if not reference:
            raise ValueError(
                f"the test set {name!r} has no reference: --test-reference {name}=FILE"
            )
        found[name] = {
            "source": _only(named["test"][name], "test"),
            "reference": tuple(reference),
        }
        if alignment := named["reference_alignment"].get(name):
            found[name]["alignment"] = _only(alignment, "reference_alignment")
    return found


def _check_names(
    option: str, given: Mapping[str | None, Sequence[str]], known: Sequence[str | None]
) -> None:
    for name, files in given.items():
        if name in known:
            continue
        shown = f"--{option_name(option)}"
        if name is None:
            raise ValueError(f"{files[0]} belongs to no test set: {shown} NAME={files[0]}")
        sets = ", ".join(repr(one) for one in known if one is not None) or "one without a name"
        raise ValueError(f"{shown} {name}={files[0]}: there is no test set {name!r}, but {sets}")


def _only(files: Sequence[str], option: str) -> str:
    if len(files) > 1:
        raise ValueError(
            f"{files[0]} and {files[1]}: give each test set a name of its own "
            f"(--{option_name(option)} NAME=FILE)"
        )
    return files[0]
