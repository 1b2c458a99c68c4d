"""docs/build.md lists all options of all stages, with their defaults."""

from __future__ import annotations

import re
from pathlib import Path

from pydantic import BaseModel

from tartib.build import BuildOptions
from tartib.build.effort import EFFORTS, defaults_of
from tartib.build.options import hyphenated
from tartib.text import SideOptions

DOCS = Path(__file__).parents[2] / "docs"
ROW = re.compile(r"\| `([a-z-]+\.[a-z-]+)` \| ([^|]*) \|")


def shown(value: object) -> str:
    """Return a default as --set takes it, and as the table has it."""
    if value is None:
        return "–"
    if isinstance(value, tuple):
        value = ",".join(map(str, value))
    return f"`{str(value).lower() if isinstance(value, bool) else value}`"


def documented() -> dict[str, str]:
    text = (DOCS / "build.md").read_text(encoding="utf-8")
    return {name: default.strip() for name, default in ROW.findall(text)}


def expected() -> dict[str, str]:
    """Return the defaults by stage.option; those of an effort differ from one to the other."""
    by_effort = {
        f"{stage}.{option}"
        for effort in EFFORTS
        for stage, section in defaults_of(effort).items()
        for option in section
        if stage in ("choose", "tune")
    }
    found = {}
    for stage, field in BuildOptions.model_fields.items():
        model = SideOptions if stage == "text" else field.annotation
        if isinstance(model, type) and issubclass(model, BaseModel):
            for option, inner in model.model_fields.items():
                name = f"{hyphenated(stage)}.{hyphenated(option)}"
                found[name] = "by effort" if name in by_effort else shown(inner.default)
    return found


def test_all_options_are_listed_with_their_defaults() -> None:
    assert documented() == expected()


def test_ways_to_segment_are_those_of_the_option() -> None:
    ways = re.findall(
        r"^\| `(?!segmentation)(\w+)`",
        (DOCS / "text.md").read_text().split("## Text without")[1].split("## ")[0],
        re.M,
    )
    annotation = SideOptions.model_fields["segmentation"].annotation
    assert set(ways) == {*getattr(annotation, "__args__", ())}
