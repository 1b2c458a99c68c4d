"""Quotation marks: one kind inside, and in pairs in the output.

Inside, all of them are ``"``: single ones, too, if they open and close like quotation marks and are
neither inside of double ones nor around such. In a translation phrases of different
sentences meet, each with its own marks; `paired` makes pairs of them again.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import NamedTuple

from tartib.text.scripts import has_unspaced

PLAIN_MARK = '"'
SINGLE, DOUBLE = "'‘’‚‛´ʼ`", '"“”„‟'
_TO_PLAIN = str.maketrans({**dict.fromkeys(SINGLE, "'"), **dict.fromkeys(DOUBLE, PLAIN_MARK)})
# Words that begin with an apostrophe: 'tis, the '90s, rock 'n' roll, Dutch 's morgens.
_ELISION = r"(?i:s|t|n|k|m|d|r|em|ll|re|ve|tis|twas|til|till|cause|cos|bout|round|\d\ds?)(?!\w)"
_SINGLE_PAIR = re.compile(
    rf"(?<![^\s(\[{{\"'/–-])'(?!{_ELISION})(?=[^\W_])"
    rf"[^'\"]*+(?:(?:(?<=\w)'(?=\w)|'(?={_ELISION}))[^'\"]*+)*+(?<=\S)(?<!\b[pm]o)'(?!\w)"
)
_BRACKETS = frozenset("([{<¿¡")
_OTHERS = re.compile("[«»]")  # some languages open with the first of them, some with the second
_ALL = re.compile(f"[{DOUBLE}«»「」『』]")
_OPENS, _CLOSES, _UNCLEAR = "(", ")", "?"
# What it costs to read one quotation mark as the other, to leave one out, and to close an empty
# pair; each token in a pair costs 1, so that of two the shorter is taken.
_TURNED, _LEFT_OUT, _EMPTY = 12_000, 10_000, 30_000


def plain_quotes(line: str) -> str:
    """Return a line with all its quotes and apostrophes plain; as long as it was."""
    return merged(line.translate(_TO_PLAIN))


def merged(line: str) -> str:
    """Return a line of plain signs with single quotation marks as double ones."""
    if "'" not in line:
        return line
    pieces, end, inside = [], 0, False
    for found in _SINGLE_PAIR.finditer(line):
        before = line[end : found.start()]
        inside ^= before.count(PLAIN_MARK) % 2 == 1
        text = found[0] if inside else PLAIN_MARK + found[0][1:-1] + PLAIN_MARK
        pieces += [before, text]
        end = found.end()
    return "".join([*pieces, line[end:]])


def pairs_in(line: str) -> list[tuple[int, int]]:
    """Return where the quotation marks of a raw line open and close."""
    places = _places(plain_quotes(line))
    return [
        (one, other)
        for (one, first), (other, second) in pairwise(places)
        if (first, second) == (_OPENS, _CLOSES)
    ]


def _places(plain: str) -> list[tuple[int, str]]:
    """Return the quotation marks of a plain line, and whether each opens or closes."""
    return [
        (at, _kind(plain[at - 1] if at else " ", plain[at + 1] if at + 1 < len(plain) else " "))
        for at, sign in enumerate(plain)
        if sign == PLAIN_MARK
    ]


def _kind(before: str, after: str) -> str:
    if before.isspace() and after.isspace():
        return _UNCLEAR
    if before.isspace() or before in _BRACKETS:
        return _OPENS
    return _UNCLEAR if after.isalnum() else _CLOSES  # a space, a stop


def in_pairs(line: str) -> bool:
    """Tell whether each quotation mark of a raw line has its partner."""
    if has_unspaced(line):  # no space says which of them opens
        return len(_ALL.findall(line)) % 2 == 0
    kinds = "".join(kind for _, kind in _places(plain_quotes(line)))
    in_order = kinds == (_OPENS + _CLOSES) * (len(kinds) // 2)
    return in_order and len(_OTHERS.findall(line)) % 2 == 0


def has_quotes(tokens: Sequence[str]) -> bool:
    """Tell whether there may be quotation marks in tokens."""
    return PLAIN_MARK in " ".join(tokens)


def paired(tokens: Sequence[str], glue: str) -> list[str]:
    """Return tokens whose quotation marks open and close in turn.

    As few as possible are turned or left out: those are empty strings in the result.
    """
    places = [place for place, token in enumerate(tokens) if token.strip(glue) == PLAIN_MARK]
    kinds = [_kind_of_token(tokens[place], glue) for place in places]
    found = list(tokens)
    for place, kind, role in zip(places, kinds, _roles(places, kinds), strict=True):
        if role != kind:
            found[place] = {_OPENS: PLAIN_MARK + glue, _CLOSES: glue + PLAIN_MARK}.get(role, "")
    return found


def _kind_of_token(token: str, glue: str) -> str:
    if token[0] == token[-1]:
        return _UNCLEAR
    return _CLOSES if token[0] == glue else _OPENS


def single_pairs(
    tokens: Sequence[str], glue: str, join: Callable[[Sequence[str]], str]
) -> set[int]:
    """Return the places of marks that are read in the same way if they are written as single ones.

    Not those of a pair with apostrophes at the ends of words in it, for example.
    """
    found: set[int] = set()
    begin: int | None = None
    left = 0  # marks that stay double
    for place, token in enumerate(tokens):
        if PLAIN_MARK not in token:
            continue
        kind = _kind_of_token(token, glue) if token.strip(glue) == PLAIN_MARK else ""
        if kind == _CLOSES and begin is not None and left % 2 == 0:
            text = "'" + join(tokens[begin + 1 : place]) + "'"
            before = tokens[begin - 1] if begin else ""
            if (before[-1:] != glue or before[-2:-1] in _BRACKETS) and _SINGLE_PAIR.fullmatch(text):
                found |= {begin, place}
                begin = None
                continue
        left += begin is not None
        begin = place if kind == _OPENS else None
        left += 0 if kind == _OPENS else token.count(PLAIN_MARK)
    return found


class _Way(NamedTuple):
    """A way to read the marks up to one of them."""

    cost: int
    role: str
    before: _Way | None
    begin: int = 0  # where the pair that is open was opened

    def then(self, cost: int, role: str, begin: int = 0) -> _Way:
        return _Way(self.cost + cost, role, self, begin)


def _roles(places: Sequence[int], kinds: Sequence[str]) -> list[str]:
    """Return what each mark does, at least cost: opens, closes, or nothing."""
    closed, opened = _Way(0, "", None), None  # the best ways without and with an open pair
    for place, kind in zip(places, kinds, strict=True):
        opening = closed.then(_TURNED * (kind == _CLOSES), _OPENS, place)
        closed = closed.then(_LEFT_OUT, "")
        if opened is None:
            opened = opening
            continue
        within = place - opened.begin
        cost = within + _TURNED * (kind == _OPENS) + _EMPTY * (within == 1)
        closed = min(closed, opened.then(cost, _CLOSES), key=lambda way: way.cost)
        staying = opened.then(_LEFT_OUT, "", opened.begin)
        opened = min(opening, staying, key=lambda way: way.cost - way.begin)
    roles: list[str] = []
    way: _Way | None = closed
    while way is not None and way.before is not None:
        roles.append(way.role)
        way = way.before
    return roles[::-1]
