"""Quotes, apostrophes, dashes and dots of omission in the output as in the training text.

Inside all of them are plain. Which of two quotes a plain one is, its mark says: what is joined to
the next token opens, what is joined to the one before closes.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping

from tartib.text.normalisation import GLUE

# What each sign may be; the plain one is first.
CHOICES: Mapping[str, str] = {
    "apostrophe": "'’‘´`",
    "single_opening": "'‘‚‛`",
    "opening": '"“„‟”',
    "closing": '"”“‟',
    "dash": "–—―‒",
    "omission": ".…",
}
_SIGNS = re.compile("['’‘‚‛´`\"“”„‟–—―‒…]|\\.\\.\\.")
_PLAIN_SIGNS = re.compile("['\"–]|\\.\\.\\.")


class Style:
    """The most frequent form of each sign.

    Parameters
    ----------
    forms
        By the names in `CHOICES`; what is missing is plain.
    """

    def __init__(self, forms: Mapping[str, str]) -> None:
        self.forms = {name: forms.get(name, choices[0]) for name, choices in CHOICES.items()}
        self.is_plain = all(self.forms[name] == choices[0] for name, choices in CHOICES.items())

    def restore(self, tokens: list[str]) -> list[str]:
        """Return tokens with the signs as they were in the training text."""
        if self.is_plain or not _PLAIN_SIGNS.search(" ".join(tokens)):
            return tokens
        return [self._token(token) if _PLAIN_SIGNS.search(token) else token for token in tokens]

    def _token(self, token: str) -> str:
        core, forms = token.strip(GLUE), self.forms
        if core == '"':
            if token[0] == token[-1]:
                return token
            return token.replace('"', forms["closing" if token[0] == GLUE else "opening"])
        if core == "'" and token[-1] == GLUE:
            return token.replace("'", forms["single_opening"])
        if core == "...":
            return token.replace("...", "…") if forms["omission"] == "…" else token
        if "/" in core or "@" in core or "<" in core:
            return token
        return token.replace("'", forms["apostrophe"]).replace("–", forms["dash"])


class StyleCounts:
    """Counts signs while a corpus is read."""

    def __init__(self) -> None:
        self._counts: dict[str, Counter[str]] = {name: Counter() for name in CHOICES}

    def add(self, line: str) -> None:
        """Count the signs of a raw line."""
        if line.isascii() and not _PLAIN_SIGNS.search(line):
            return
        for found in _SIGNS.finditer(line):
            sign, begin, end = found[0], found.start(), found.end()
            opens = begin == 0 or line[begin - 1] in " \u00a0([{"
            closes = end == len(line) or not line[end].isalnum()
            if sign in ("...", "…"):
                self._counts["omission"][sign[0]] += 1
            elif sign in CHOICES["dash"]:
                self._counts["dash"][sign] += 1
            elif sign in '"“”„‟':
                if opens != closes:
                    self._counts["opening" if opens else "closing"][sign] += 1
            elif opens and not closes:
                self._counts["single_opening"][sign] += 1
            elif not opens:
                self._counts["apostrophe"][sign] += 1

    def style(self) -> Style:
        """Return what was learnt."""
        forms = {}
        for name, counts in self._counts.items():
            choices = CHOICES[name]
            forms[name] = max(choices, key=lambda sign: (counts[sign], -choices.index(sign)))
        return Style(forms)
