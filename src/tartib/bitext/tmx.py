"""TMX translation memories, read as a stream."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple
from xml.parsers import expat

from tartib.errors import DataError
from tartib.textio import Readable

# Elements whose text is markup of the original document, not words.
_CODES = {"bpt", "ept", "it", "ph", "ut"}
_CHUNK = 1 << 16
_LAYOUT = re.compile("[ \t\r\n]+")


class Unit(NamedTuple):
    """One translation unit: the text of its two sides, if it has them, and where it begins."""

    source: str | None
    target: str | None
    line: int


def read_units(stream: Readable, name: str, languages: tuple[str, str] | None) -> Iterator[Unit]:
    """Yield the units, refusing a file in which none has both languages.

    Parameters
    ----------
    stream
        The XML.
    name
        The file's name, for errors.
    languages
        Source and target as in ``xml:lang``; ``ar`` also finds ``ar-EG``. None takes the order of
        the first unit, which must have exactly two.
    """
    reader = _Reader(name, languages)
    parser = expat.ParserCreate()
    parser.StartElementHandler = lambda tag, attributes: reader.start(
        tag, attributes, parser.CurrentLineNumber
    )
    parser.EndElementHandler = reader.end
    parser.CharacterDataHandler = reader.text
    final = False
    while not final:
        chunk = stream.read(_CHUNK)
        final = not chunk
        try:
            parser.Parse(chunk, final)
        except expat.ExpatError as error:
            problem = f"not well-formed XML ({expat.ErrorString(error.code)})"
            hint = "the file may be cut short: download it again, or correct it with an XML checker"
            raise DataError(name, error.lineno, problem, hint) from None
        yield from reader.units
        reader.units.clear()
    reader.check_found()


def _code(language: str) -> str:
    """Return a language code in the one form that is compared: ``ar-eg``."""
    return language.lower().replace("_", "-")


class _Reader:
    """What has been seen of the document so far."""

    def __init__(self, name: str, languages: tuple[str, str] | None) -> None:
        self.name = name
        self.languages = tuple(map(_code, languages)) if languages else None
        self.units: list[Unit] = []
        self._segments: dict[str, str] = {}
        self._line = 0
        self._language = ""
        self._words: list[str] | None = None
        self._codes = 0
        self._found = False
        self._seen: set[str] = set()

    def start(self, tag: str, attributes: dict[str, str], line: int) -> None:
        if tag == "tu":
            self._segments, self._line = {}, line
        elif tag == "tuv":
            self._language = _code(attributes.get("xml:lang") or attributes.get("lang") or "")
            if not self._language:
                hint = "each <tuv> needs xml:lang"
                raise DataError(self.name, line, "a segment without a language", hint)
        elif tag == "seg":
            self._words = []
        elif tag in _CODES:
            self._codes += 1

    def text(self, text: str) -> None:
        if self._words is not None and not self._codes:
            self._words.append(text)

    def end(self, tag: str) -> None:
        if tag == "seg" and self._words is not None:
            # Line breaks inside a segment are layout; a space keeps the words apart.
            self._segments[self._language] = _LAYOUT.sub(" ", "".join(self._words)).strip(" ")
            self._words = None
        elif tag in _CODES:
            self._codes -= 1
        elif tag == "tu":
            self._finish_unit()

    def _finish_unit(self) -> None:
        if self.languages is None:
            if len(self._segments) != 2:
                found = ", ".join(self._segments) or "none"
                hint = "name the two languages, source first (--languages ar-en)"
                problem = f"the first unit does not have two languages (it has: {found})"
                raise DataError(self.name, self._line, problem, hint)
            self.languages = tuple(self._segments)
        source, target = (self._find(language) for language in self.languages)
        self._seen.update(self._segments)
        self._found |= source is not None and target is not None
        self.units.append(Unit(source, target, self._line))

    def check_found(self) -> None:
        """Refuse a file that turned out to have nothing in the two languages."""
        if self._seen and not self._found:
            problem = f"no unit has both {' and '.join(self.languages or ())}"
            hint = f"the file has: {', '.join(sorted(self._seen))}; name two of them (--languages)"
            raise DataError(self.name, None, problem, hint)

    def _find(self, language: str) -> str | None:
        for found, segment in self._segments.items():
            if found == language or found.startswith(f"{language}-"):
                return segment
        return None
