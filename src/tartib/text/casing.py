"""Case: words at the beginning of sentences as they are written elsewhere, and the way back.

Learnt from tokens: the most frequent form of each word, counted where no sentence begins.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any

from tartib.storage import Fields
from tartib.text.languages import ORDINALS, capitalised, lower, upper
from tartib.text.normalisation import GLUE, MARKS

_ENDS = re.compile(rf"[.!?。！？]{GLUE}? ")
_ENDS_OR_QUOTES = re.compile(rf"[.!?。！？:]{GLUE}? ")
_END_TOKENS = frozenset((".", "!", "?", "!!", "!!!", "??", "???", "。", "！", "？"))
_BEFORE_START = frozenset("\"'([{¿¡«‹“„‘‚–-*•")
_OPENING_QUOTES = frozenset("\"“„‘‚«‹'")
_CLOSING = frozenset("\"')]}»›”’")
_BEFORE_SPEAKER = frozenset("\"'”“»’–—-")
_LEAST_CAPITALS = 0.001  # share of words with capitals, in words that can have them
_LEAST_CASED = 0.05  # share of words that can have capitals, in a text where they mean something
_DIGITS = 2  # of an ordinal, where the language may have none
_ENOUGH = 50  # words without any capital, to say that there are none


def starts(tokens: list[str], language: str, quoted: bool = False) -> list[int]:
    """Return the places of words that begin sentences; if ``quoted``, after a colon and a quote."""
    places: list[int] = []
    waiting, asked = True, False
    for place, token in enumerate(tokens):
        if not token:  # a quotation mark that is left out
            continue
        core = token.strip(MARKS)
        if waiting and asked and core in _BEFORE_SPEAKER:
            waiting = False  # "Why?" asked the general.
        elif core in _END_TOKENS:
            asked = core[0] in "!?"
            waiting = (
                place > 0 and token[-1] != GLUE and not _is_ordinal(tokens, place, core, language)
            )
        elif waiting and core[:1].isalnum():
            places.append(place)
            waiting = asked = False
        elif core == ":":
            waiting = quoted and _opens_quote(tokens, place + 1)
        elif waiting and not (core in _BEFORE_START or core in _CLOSING or _is_tag(core)):
            waiting = False
    return places


def _opens_quote(tokens: list[str], place: int) -> bool:
    """Whether a token, after a colon, opens a quote."""
    token = tokens[place] if place < len(tokens) else GLUE
    return token[:1] != GLUE and token.rstrip(MARKS) in _OPENING_QUOTES


def _is_tag(core: str) -> bool:
    return len(core) > 2 and core[0] == "<" and core[-1] == ">"


def _is_ordinal(tokens: list[str], place: int, core: str, language: str) -> bool:
    """Whether a full stop is that of an ordinal, or of one that was copied from such a language."""
    number = tokens[place - 1].strip(MARKS)
    if core != "." or not number.isdigit():
        return False
    is_joined = tokens[place][0] == GLUE or tokens[place - 1][-1] == GLUE
    return language in ORDINALS or (is_joined and len(number) <= _DIGITS and place > 1)


def _parts(token: str) -> tuple[str, str, str]:
    """Return the marks before a token, its text and the marks after it."""
    core = token.strip(MARKS)
    begin = token.find(core) if core else len(token)
    return token[:begin], core, token[begin + len(core) :]


def _is_shouted(line: str) -> bool:
    """Tell whether a line is all in capitals, and more than an abbreviation."""
    return line.isupper() and sum(map(str.isalpha, line)) > 5 and " " in line


class Casing:
    """What is known of the case of one side.

    Parameters
    ----------
    language
        Decides on i and I, and on ordinals.
    small
        Words that are written small, unless a sentence begins with them.
    forms
        Words whose most frequent form is not all small.
    capital_start
        Share of lines that begin with a capital, among those that begin with a letter.
    cased
        Whether there are capitals at all, and words begin with them.
    small_only
        Whether there are only small letters.
    quoted
        Whether a sentence begins after a colon and an opening quote.
    """

    def __init__(
        self, language: str, small: Iterable[str], forms: Iterable[str], capital_start: float,
        cased: bool, small_only: bool, quoted: bool = False,
    ) -> None:  # fmt: skip
        self.language = language
        self.small = frozenset(small)
        self.forms = tuple(forms)
        self.capital_start = capital_start
        self.cased = cased
        self.small_only = small_only
        self.quoted = quoted
        self._ends = _ENDS_OR_QUOTES if quoted else _ENDS

    @cached_property
    def _form_of(self) -> Mapping[str, str]:
        return {lower(form, self.language): form for form in self.forms}

    @cached_property
    def _form_set(self) -> frozenset[str]:
        return frozenset(self.forms)

    def prepare(self, line: str, tokens: list[str]) -> list[str]:
        """Return tokens with words at the beginning of sentences as elsewhere."""
        if not self.cased or not tokens:
            return tokens
        if line.isupper() and _is_shouted(line):
            return [self._calm(token) for token in tokens]
        if tokens[0][0].isupper() and self._ends.search(" ".join(tokens)) is None:
            return [self._at_start(tokens[0]), *tokens[1:]]
        for place in starts(tokens, self.language, self.quoted):
            tokens[place] = self._at_start(tokens[place])
        return tokens

    def _at_start(self, token: str) -> str:
        before, core, after = _parts(token)
        small = lower(core, self.language)
        titled = core[:1].isupper() and (len(core) == 1 or core[1:] == small[1:])
        if not titled or len(small) != len(core):
            return token
        if small in self.small:
            return before + small + after
        if core in self._form_set:
            return token
        return before + self._form_of.get(small, core) + after

    def _calm(self, token: str) -> str:
        before, core, after = _parts(token)
        if not core.isupper():
            return token
        small = lower(core, self.language)
        return before + self._form_of.get(small, small) + after

    def restore(self, tokens: list[str], like: str | None) -> list[str]:
        """Return tokens with capitals at the beginning of sentences.

        If the source line is given and begins with a small letter, so does the first sentence; if
        it is all in capitals, so is everything.
        """
        if not self.cased or not tokens:
            return tokens
        if like is not None and _is_shouted(like):
            return [token if _is_code(token) else upper(token, self.language) for token in tokens]
        if self.capital_start < 0.5:
            return tokens
        places = starts(tokens, self.language, self.quoted)
        if like is not None and places and _begins_small(like) and _no_end(tokens[: places[0]]):
            places = places[1:]
        for place in places:
            tokens[place] = self._capital(tokens[place])
        return tokens

    def _capital(self, token: str) -> str:
        before, core, after = _parts(token)
        plain = core[:1].islower() and core == core.lower() and not _is_code(core)
        return before + capitalised(core, self.language) + after if plain else token

    def as_json(self) -> dict[str, Any]:
        """Return what `from_json` reads."""
        return {
            "capital_start": self.capital_start,
            "cased": self.cased,
            "small_only": self.small_only,
            "quoted": self.quoted,
            "small": " ".join(sorted(self.small)),
            "forms": " ".join(self.forms),
        }

    @classmethod
    def from_json(cls, language: str, fields: Fields) -> Casing:
        """Read what `as_json` gave."""
        small, forms = fields.text("small").split(), fields.text("forms").split()
        cased, small_only = fields.flag("cased"), fields.flag("small_only")
        quoted = "quoted" in fields and fields.flag("quoted")  # which older models do not say
        share = fields.number("capital_start")
        return cls(language, small, forms, share, cased, small_only, quoted)


def _is_code(core: str) -> bool:
    """Whether a token is an address or a place for something, not a word."""
    return any(sign in core for sign in "@/{}<>_%") or core.startswith("www.")


def _begins_small(line: str) -> bool:
    first = next((letter for letter in line if letter.isalnum()), "")
    return first.islower()


def _no_end(tokens: list[str]) -> bool:
    return not any(token.strip(MARKS) in _END_TOKENS for token in tokens)


class CaseCounts:
    """Counts forms of words while a corpus is read; its memory is that of the vocabulary."""

    def __init__(self, language: str) -> None:
        self._language = language
        self.inside: Counter[str] = Counter()
        self.at_start: Counter[str] = Counter()
        self._capitals = self._letters = 0
        self._quotes: Counter[bool] = Counter()

    def add(self, line: str, tokens: list[str]) -> None:
        """Count the tokens of a line."""
        if _is_shouted(line):
            return
        cores = [token.strip(MARKS) for token in tokens]
        places = starts(tokens, self._language, quoted=True)
        for place in places:
            if place > 1 and cores[place - 2] == ":" and cores[place][0].isalpha():
                self._quotes[cores[place][0].isupper()] += 1
        if places and places[0] < 3 and cores[places[0]][0].isalpha():
            first = cores[places[0]][0]
            self._capitals += first.isupper()
            self._letters += first.isupper() or first.islower()
        for place in reversed(places):
            self.at_start[cores[place]] += 1
            del cores[place]
        self.inside.update(cores)

    def casing(self) -> Casing:
        """Return what was learnt."""
        best: dict[str, tuple[int, str]] = {}
        for form, count in self.inside.items():
            small = lower(form, self._language)
            if small != upper(form, self._language):
                # Of forms that are as frequent as each other the small one.
                found = (count, form)
                if small not in best or _rank(found, small) > _rank(best[small], small):
                    best[small] = found
        small_words = (form for small, (_, form) in best.items() if form == small)
        forms = sorted(form for small, (_, form) in best.items() if form != small)
        share = self._capitals / self._letters if self._letters else 0.0
        words, with_case, with_capitals = self._totals()
        capitals = with_capitals > _LEAST_CAPITALS * with_case
        cased = capitals and with_case > _LEAST_CASED * words
        small_only = not capitals and with_case > max(words / 2, _ENOUGH)
        quoted = self._quotes[True] > self._quotes[False]
        return Casing(self._language, small_words, forms, share, cased, small_only, quoted)

    def _totals(self) -> tuple[int, int, int]:
        """Return the numbers of words, of those that have case, and of those with capitals."""
        words = with_case = with_capitals = 0
        for counts in (self.inside, self.at_start):
            for form, count in counts.items():
                if form[:1].isalpha():
                    small = lower(form, self._language)
                    words += count
                    with_capitals += count * (form != small)
                    with_case += count * (small != upper(form, self._language))
        return words, with_case, with_capitals


def _rank(found: tuple[int, str], small: str) -> tuple[int, bool, str]:
    return found[0], found[1] == small, found[1]
