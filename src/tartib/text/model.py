"""`TextModel`: both sides, and their folder."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from tartib.storage import (
    DAMAGED,
    Fields,
    check_format,
    new_folder,
    read_bytes,
    read_json,
    reading,
    write_bytes,
    write_json,
)
from tartib.text.side import TextSide

FORMAT = "tartib text"
VERSION = 1
_HINT = "make it with tartib build"
_SIDES = ("source", "target")


class TextModel(NamedTuple):
    """What is known of both sides of a text.

    Attributes
    ----------
    source, target
        The sides.
    """

    source: TextSide
    target: TextSide

    def save(self, path: str | Path, *, overwrite: bool = False) -> None:
        """Write a folder that `load` reads."""
        with new_folder(path, FORMAT, overwrite=overwrite) as aside:
            for name, side in zip(_SIDES, self, strict=True):
                write_json(aside / f"{name}.json", side.as_json())
                if side.subwords:
                    write_bytes(aside / f"{name}.subwords", side.subwords.model)
            languages = [side.language for side in self]
            meta = {"format": FORMAT, "version": VERSION, "languages": languages}
            write_json(aside / "meta.json", meta)

    @classmethod
    def load(cls, path: str | Path) -> TextModel:
        """Read what `save` wrote."""
        return cls(*_load_sides(Path(path)))


@reading
def _load_sides(folder: Path) -> tuple[TextSide, TextSide]:
    meta = check_format(folder, FORMAT, VERSION, "a text model", _HINT)
    languages = Fields(folder / "meta.json", meta, _HINT).texts("languages")
    source, target = (_load_side(folder, name) for name in _SIDES)
    if languages != (source.language, target.language):
        Fields(folder / "meta.json", meta, _HINT).wrong("languages are not those of the sides")
    return source, target


def _load_side(folder: Path, name: str) -> TextSide:
    path = folder / f"{name}.json"
    fields = Fields(path, read_json(path), DAMAGED)
    subwords = None
    if fields.flag("subwords"):
        place = folder / f"{name}.subwords"
        try:
            subwords = read_bytes(place), place
        except OSError as error:
            fields.wrong(f"names {place.name}, which cannot be read ({error.strerror})")
    return TextSide.from_json(path, fields, subwords)
