"""Words of messages: numbers with their nouns ("1,204 sentences"), text that is safe to show."""

from __future__ import annotations

import re

# What a terminal acts on instead of showing it (C0, C1), and what changes the order of the letters
# around it or ends a line. Tabs and line feeds stay.
_ACTING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")


def counted(number: int, noun: str, plural: str | None = None) -> str:
    """Return a number and what is counted, in the singular or in the plural.

    Parameters
    ----------
    number
        How many there are.
    noun
        What is counted, in the singular.
    plural
        The plural, where it is not the noun with an s.
    """
    return f"{number:,} {noun if number == 1 else plural or f'{noun}s'}"


def printable(text: str) -> str:
    """Return a text with visible escapes for whatever a terminal would act on."""
    return _ACTING.sub(_escape, text)


def _escape(found: re.Match[str]) -> str:
    code = ord(found[0])
    return f"\\x{code:02x}" if code < 0x7F else f"\\u{code:04x}"
