"""Quotes, apostrophes, dashes and dots of omission in the output as in the training text.

Inside all of them are plain. Which of two quotes a plain one is, its mark says: what is joined to
the next token opens, what is joined to the one before closes. Quotes are those of the most
frequent kind of pair; a single one inside of a pair stays single.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from tartib.text.normalisation import GLUE
from tartib.text.quotes import DOUBLE, PLAIN_MARK, SINGLE, pairs_in, single_pairs

# What each sign may be; the plain one is first.
CHOICES: Mapping[str, str] = {
    "apostrophe": "'’‘´`",
    "single_opening": "'‘‚‛`",
    "opening": "\"“„‟”'‘‚’‛`´",
    "closing": "\"”“‟„'’‘‛´`‚",
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
        self._single = self.forms["opening"] in SINGLE
        self.is_plain = all(self.forms[name] == choices[0] for name, choices in CHOICES.items())

    def restore(self, tokens: list[str], join: Callable[[Sequence[str]], str]) -> list[str]:
        """Return tokens with the signs as they were in the training text.

        Parameters
        ----------
        tokens
            Their signs are plain.
        join
            Makes text of tokens.
        """
        if self.is_plain or not _PLAIN_SIGNS.search(" ".join(tokens)):
            return tokens
        singles = single_pairs(tokens, GLUE, join) if self._single else set()
        return [
            self._quote(token, place in singles)
            if token.strip(GLUE) == PLAIN_MARK
            else self._token(token)
            if _PLAIN_SIGNS.search(token)
            else token
            for place, token in enumerate(tokens)
        ]

    def _quote(self, token: str, is_single: bool) -> str:
        if token[0] == token[-1] or is_single != self._single:
            return token
        return token.replace(PLAIN_MARK, self.forms["closing" if token[0] == GLUE else "opening"])

    def _token(self, token: str) -> str:
        core, forms = token.strip(GLUE), self.forms
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
        self._pairs: Counter[tuple[str, str]] = Counter()

    def add(self, line: str) -> None:
        """Count the signs of a raw line."""
        if line.isascii() and not _PLAIN_SIGNS.search(line):
            return
        pairs = pairs_in(line)
        self._pairs.update((line[one], line[other]) for one, other in pairs)
        quotes = {at for pair in pairs for at in pair}
        for found in _SIGNS.finditer(line):
            sign, begin, end = found[0], found.start(), found.end()
            if begin in quotes:
                continue
            opens = begin == 0 or line[begin - 1] in " \u00a0([{"
            closes = end == len(line) or not line[end].isalnum()
            if sign in ("...", "…"):
                self._counts["omission"][sign[0]] += 1
            elif sign in CHOICES["dash"]:
                self._counts["dash"][sign] += 1
            elif sign in DOUBLE:
                pass  # without a partner it tells little
            elif opens and not closes:
                self._counts["single_opening"][sign] += 1
            elif not opens:
                self._counts["apostrophe"][sign] += 1

    def style(self) -> Style:
        """Return what was learnt."""
        counts = {**self._counts, **self._of_quotes()}
        return Style(
            {
                name: max(choices, key=lambda sign: (counts[name][sign], -choices.index(sign)))
                for name, choices in CHOICES.items()
            }
        )

    def _of_quotes(self) -> dict[str, Counter[str]]:
        """Return the most frequent pair of quotes, as counts of its signs."""
        if not self._pairs:
            return {}
        opening, closing = max(sorted(self._pairs), key=lambda pair: self._pairs[pair])
        return {"opening": Counter(opening), "closing": Counter(closing)}
