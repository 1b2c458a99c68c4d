"""Sentences of a paragraph, and the paragraph again."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache

from tartib.text.languages import ABBREVIATIONS, ORDINALS
from tartib.text.scripts import UNSPACED_CLASS

_CLOSING = "\"'”“’»›)\\]}」』）】》〉"
_CLOSING_FULL = _CLOSING.replace("“", "")  # which opens in Chinese
_STOPS = "。！？｡．"
# Marks that end a sentence, what closes after them, and the space to the next one; or a mark of
# full width, which needs no space.
_END = re.compile(
    rf"(?<![.!?…])[.!?…؟۔।॥։]++[{_CLOSING}]*+(?:\s»)?(?P<space>\s++)"
    rf"|(?<![{_STOPS}])[{_STOPS}]++[!?！？。]*+[{_CLOSING_FULL}]*+(?P<full>\s*+)(?=.)"
)
_NEXT = re.compile(r"[\"'“„«‹‘¿¡(\[{–—•-]*\s*(?P<first>\w)")
_NOT_WORD = re.compile(r"[\s(\[\"'“„«‹‘]")
_DOTTED = re.compile(r"(?:[^\W\d_]{1,2}\.)+[^\W\d_]{1,2}")
_LONGEST_WORD = 40
_unspaced_last = re.compile(f"[{UNSPACED_CLASS}][{_CLOSING}]*$").search
_MONTHS_AND_MORE = 4  # digits of an ordinal at most, less one of a year


def split_sentences(paragraph: str, language: str = "") -> list[str]:
    """Cut a paragraph into sentences; what is in them stays as it is.

    A full stop ends no sentence after an abbreviation or an initial, after an ordinal (``13.`` in
    German) and where the next word begins with a small letter.
    """
    sentences: list[str] = []
    begin = 0
    for found in _END.finditer(paragraph):
        if found["full"] is None and not _ends(paragraph, begin, found, language):
            continue
        sentence = paragraph[begin : found.end()].strip()
        if sentence:
            sentences.append(sentence)
        begin = found.end()
    rest = paragraph[begin:].strip()
    return [*sentences, rest] if rest else sentences


def _ends(text: str, begin: int, found: re.Match[str], language: str) -> bool:
    following = _NEXT.match(text, found.end())
    if not following:
        return False
    first = following["first"]
    if first.islower():
        return False
    signs = text[found.start() : found.start("space")]
    if not signs.startswith(".") or signs.startswith(".."):
        return True
    near = text[max(begin, found.start() - _LONGEST_WORD) : found.start()]
    word = _NOT_WORD.split(near)[-1]
    if word.isdigit() and language in ORDINALS:
        # The year ends a sentence; 13. Dezember does not.
        return len(word) >= _MONTHS_AND_MORE or first.isdigit()
    if signs != ".":
        return True
    is_initial = len(word) == 1 and word.isalpha() and word.isupper()
    return not (is_initial or _DOTTED.fullmatch(word) or word in _short(language))


@cache
def _short(language: str) -> frozenset[str]:
    words = ABBREVIATIONS.get(language, frozenset())
    return words | {word.capitalize() for word in words} | {"www"}


def join_sentences(sentences: Iterable[str]) -> str:
    """Make a paragraph of sentences: with spaces, except after letters and stops of full width."""
    text = ""
    for sentence in sentences:
        text += ("" if not text or _unspaced_last(text) else " ") + sentence if sentence else ""
    return text
