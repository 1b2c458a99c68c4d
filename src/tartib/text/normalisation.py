"""One way to write the same text: `Normaliser`.

What comes out has no control characters, no two spaces in a row and none at the ends, and none of
the two characters that are marks of tokens.
"""

from __future__ import annotations

import html
import re
from collections.abc import Mapping
from html.entities import html5
from unicodedata import is_normalized, normalize

from tartib.text.options import SideOptions
from tartib.text.quotes import DOUBLE, SINGLE, merged
from tartib.text.scripts import is_unspaced_language

GLUE = "\uffed"  # ￭: no space here
GAP = "\u2581"  # ▁: a space here
MARKS = GLUE + GAP

_ENTITY = re.compile(r"&(?:[A-Za-z][A-Za-z0-9]{1,30}|#[0-9]{1,7}|#[xX][0-9A-Fa-f]{1,6});")
# Zero-width characters that carry no meaning; U+200C and U+200D do, in Persian and Hindi.
_INVISIBLE = (
    "\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff\ufff9-\ufffb"
)
_CONTROL = "\x00-\x1f\x7f-\x9f\u2028\u2029"
_SPACE = "\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000"
_NO_CHARACTER = "\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff"
_ODD = re.compile(f"[{_INVISIBLE}{_CONTROL}{_SPACE}{GLUE}{GAP}{_NO_CHARACTER}]")
_SPACES = re.compile(f"[{_CONTROL}{_SPACE}]")
_NOTHING = re.compile(f"[{_INVISIBLE}]")
_OTHER: Mapping[str, str] = {GLUE: "■", GAP: "_"}

PLAIN: Mapping[str, str] = {
    **dict.fromkeys(SINGLE, "'"),
    **dict.fromkeys(DOUBLE, '"'),
    **dict.fromkeys("‐‑", "-"),
    **dict.fromkeys("‒—―", "–"),
    "…": "...",
}
_TYPOGRAPHIC = re.compile("[" + "".join(PLAIN) + "]")

_TATWEEL = "ـ"
_VOWEL_SIGNS = (
    "\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7"
    "\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed"
)
# Hamza on a letter is U+0654 and U+0655 where Unicode takes letters apart: no vowel sign.
_SIGNS = re.compile(f"(?![\u0653-\u0655])[{_VOWEL_SIGNS}]")
_VARIANTS = str.maketrans({**dict.fromkeys("أإآٱ", "ا"), "ى": "ي", "ئ": "ي", "ؤ": "و", "ة": "ه"})
_PERSIAN = str.maketrans({"ي": "ی", "ى": "ی", "ك": "ک"})
_HAS_SIGNS = re.compile("[\u0590-\u06ff]")


def _odd(found: re.Match[str]) -> str:
    character = found[0]
    if _SPACES.match(character):
        return " "
    return "" if _NOTHING.match(character) else _OTHER.get(character, "\ufffd")


def _entity(found: re.Match[str]) -> str:
    name = found[0]
    return html.unescape(name) if name[1] == "#" else html5.get(name[1:], name)


class Normaliser:
    """Write a line in one way.

    Parameters
    ----------
    options
        What is done.
    language
        Decides on letters that are the same to the eye in Persian and Arabic; signs are not made
        plain in languages without spaces.

    Attributes
    ----------
    plain
        Whether typographic signs are made plain.
    """

    def __init__(self, options: SideOptions, language: str) -> None:
        self._options = options
        # Beside letters without spaces there are no marks to say which quote opens.
        self.plain = options.quotes == "plain" and not is_unspaced_language(language)
        self._persian = language in ("fa", "ur")

    def __call__(self, line: str) -> str:
        """Return the line as it is written inside; a second time changes nothing."""
        line = self._written(line)
        if self._options.entities and "&" in line:
            while (again := _ENTITY.sub(_entity, line)) != line:  # &amp;quot; takes two rounds
                line = self._written(again)
        return line

    def _written(self, line: str) -> str:
        if line.isascii():
            if not line.isprintable():
                line = _ODD.sub(_odd, line)
            if self.plain and "`" in line:
                line = line.replace("`", "'")
        else:
            line = self._not_ascii(line)
        line = " ".join(line.split())
        return merged(line) if self.plain else line

    def _not_ascii(self, line: str) -> str:
        form = self._options.form
        if not is_normalized(form, line):
            line = normalize(form, line)
        if _ODD.search(line):
            line = _ODD.sub(_odd, line)
        if self.plain:
            line = _TYPOGRAPHIC.sub(lambda found: PLAIN[found[0]], line)
        if _HAS_SIGNS.search(line):
            line = self._semitic(line)
        # Letters may have come together with marks that something invisible kept apart.
        return line if is_normalized(form, line) else normalize(form, line)

    def _semitic(self, line: str) -> str:
        line = line.replace(_TATWEEL, "")
        if self._options.diacritics == "remove":
            line = _SIGNS.sub("", line)
        if self._options.letters == "unify":
            line = line.translate(_VARIANTS)
        return line.translate(_PERSIAN) if self._persian else line
