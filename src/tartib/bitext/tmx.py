"""TMX translation memories, read as a stream."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from typing import NamedTuple
from xml.parsers import expat

from tartib.errors import DataError
from tartib.textio import MAX_LINE, Readable, long_line

# Elements whose text is markup of the original document, not words.
_CODES = {"bpt", "ept", "it", "ph", "ut"}
_CHUNK = 1 << 16
_NAMED = re.compile(r"""<\?xml[^>]*?\sencoding\s*=\s*["']([\w.:-]+)["']""", re.ASCII)
# How a file begins, and what it is then, whatever it says itself. A document begins with ASCII.
_BEGINNINGS = (
    (re.compile(rb"\xff\xfe\0\0|\0\0\xfe\xff"), "utf-32"),
    (re.compile(rb"[^\0]\0\0\0"), "utf-32-le"),
    (re.compile(rb"\0\0\0[^\0]"), "utf-32-be"),
    (re.compile(rb"\xff\xfe|\xfe\xff"), "utf-16"),
    (re.compile(rb"[^\0]\0"), "utf-16-le"),
    (re.compile(rb"\0[^\0]"), "utf-16-be"),
    (re.compile(re.escape(codecs.BOM_UTF8)), "utf-8-sig"),
)
_EBCDIC = "cp037"  # what is in the first line is the same in all encodings of its family
# Codecs of Python that are not encodings of documents.
_NOT_TEXT = {"idna", "punycode", "unicode-escape", "raw-unicode-escape", "undefined"}
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
    stream = _as_utf8(stream, name)
    parser = expat.ParserCreate("utf-8")  # whatever the first line names
    parser.StartElementHandler = lambda tag, attributes: reader.start(
        tag, attributes, parser.CurrentLineNumber
    )
    parser.EndElementHandler = reader.end
    parser.CharacterDataHandler = reader.text
    final = False
    while not final:
        try:
            chunk = stream.read(_CHUNK)
            final = not chunk
            parser.Parse(chunk, final)
        except UnicodeDecodeError as error:
            problem = f"invalid {error.encoding} text ({error.reason})"
            hint = "check the encoding that the first line of the file names"
            raise DataError(name, parser.CurrentLineNumber, problem, hint) from None
        except expat.ExpatError as error:
            problem = f"not well-formed XML ({expat.ErrorString(error.code)})"
            hint = "the file may be cut short: download it again, or correct it with an XML checker"
            raise DataError(name, error.lineno, problem, hint) from None
        yield from reader.units
        reader.units.clear()
    reader.check_found()


class _Converted:
    """Text of any encoding as UTF-8: the parser knows few others."""

    def __init__(self, start: bytes, stream: Readable, encoding: str) -> None:
        self._start, self._stream = start, stream
        self._decoder = codecs.getincrementaldecoder(encoding)()

    def read(self, size: int, /) -> bytes:
        while chunk := self._start or self._stream.read(size):
            self._start = b""
            if text := self._decoder.decode(chunk):
                return text.encode("utf-8", "surrogatepass")  # which the parser refuses
        return self._decoder.decode(b"", final=True).encode("utf-8", "surrogatepass")


class _Prefixed:
    """A stream whose first bytes were read already."""

    def __init__(self, start: bytes, stream: Readable) -> None:
        self._start, self._stream = start, stream

    def read(self, size: int, /) -> bytes:
        start, self._start = self._start, b""
        return start or self._stream.read(size)


def _as_utf8(stream: Readable, name: str) -> Readable:
    """Return the stream as UTF-8: its first bytes tell its encoding, or its first line names it."""
    start = b""
    while b">" not in start and len(start) < _CHUNK and (chunk := stream.read(_CHUNK)):
        start += chunk
    found = next((kind for pattern, kind in _BEGINNINGS if pattern.match(start)), None)
    encoding = found or _named_encoding(start, name)
    if encoding == "utf-8":
        return _Prefixed(start, stream)
    return _Converted(start, stream, encoding)


def _named_encoding(start: bytes, name: str) -> str:
    """Return Python's name of the encoding that the first line names; UTF-8 if it names none."""
    known = _EBCDIC if start.startswith("<?xml".encode(_EBCDIC)) else "latin-1"
    named = _NAMED.match(start.decode(known))
    encoding = named[1].lower() if named else "utf-8"
    hint = "convert it to UTF-8 and correct its first line"
    try:
        info = codecs.lookup(encoding)
        if info.name in _NOT_TEXT or not info._is_text_encoding:
            raise LookupError(encoding)
    except LookupError:
        raise DataError(name, 1, f"the encoding {encoding!r} is not known", hint) from None
    if named and start[: named.end()].decode(info.name, "replace") != named[0]:
        problem = f"names the encoding {encoding!r}, and its first line is in another one"
        raise DataError(name, 1, problem, hint)
    return info.name


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
        self._codes = self._length = 0
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
            self._words, self._length = [], 0
        elif tag in _CODES:
            self._codes += 1

    def text(self, text: str) -> None:
        if self._words is not None and not self._codes:
            self._words.append(text)
            self._length += len(text if text.isascii() else text.encode())
            if self._length > MAX_LINE:
                raise long_line(self.name, self._line, MAX_LINE)

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
