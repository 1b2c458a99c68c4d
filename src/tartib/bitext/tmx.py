"""TMX translation memories, read as a stream."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple
from xml.parsers import expat

from tartib.errors import DataError
from tartib.textio import Readable

# Elements whose text is markup of the original document, not words.
_CODES = {"bpt", "ept", "it", "ph", "ut"}
_CHUNK = 1 << 16


class Unit(NamedTuple):
    """One translation unit: the text of its two sides and the line where it begins."""

    source: str
    target: str
    line: int


def read_units(stream: Readable, name: str, languages: tuple[str, str] | None) -> Iterator[Unit]:
    """Yield the units that have both languages.

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
            hint = "the file may be cut short: fetch it again, or mend it with an XML checker"
            raise DataError(name, error.lineno, problem, hint) from None
        yield from reader.units
        reader.units.clear()


class _Reader:
    """What has been seen of the document so far."""

    def __init__(self, name: str, languages: tuple[str, str] | None) -> None:
        self.name = name
        self.languages = tuple(language.lower() for language in languages) if languages else None
        self.units: list[Unit] = []
        self._segments: dict[str, str] = {}
        self._line = 0
        self._language = ""
        self._words: list[str] | None = None
        self._codes = 0

    def start(self, tag: str, attributes: dict[str, str], line: int) -> None:
        if tag == "tu":
            self._segments, self._line = {}, line
        elif tag == "tuv":
            self._language = (attributes.get("xml:lang") or attributes.get("lang") or "").lower()
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
            self._segments[self._language] = " ".join("".join(self._words).split())
            self._words = None
        elif tag in _CODES:
            self._codes -= 1
        elif tag == "tu":
            self._finish_unit()

    def _finish_unit(self) -> None:
        if self.languages is None:
            if len(self._segments) != 2:
                found = ", ".join(self._segments) or "none"
                hint = "say which two languages to take, source first"
                problem = f"the first unit does not have two languages (it has: {found})"
                raise DataError(self.name, self._line, problem, hint)
            self.languages = tuple(self._segments)
        sides = [self._find(language) for language in self.languages]
        if sides[0] is not None and sides[1] is not None:
            self.units.append(Unit(sides[0], sides[1], self._line))

    def _find(self, language: str) -> str | None:
        for found, segment in self._segments.items():
            if found == language or found.startswith(f"{language}-"):
                return segment
        return None
