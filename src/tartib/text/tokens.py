"""Lossless tokens: cut a line, and join it again.

A token that begins or ends with ``￭`` is joined to its neighbour on that side; the mark stands on
the less wordy of the two (``Freitag ￭, (￭ der 13 ￭. ￭)``). On a side that is written without spaces
it is the other way round next to a letter of such a script: there is no space unless the second
token begins with ``▁``. What is cut depends only on what stands between two spaces, so that the
result for frequent words is remembered.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable
from functools import cache

from tartib.text.languages import (
    ABBREVIATIONS,
    ELIDING,
    ENDING,
    ENGLISH_CLITIC,
    ORDINALS,
    WHOLE,
)
from tartib.text.normalisation import GAP, GLUE
from tartib.text.scripts import UNSPACED_CLASS

Segmenter = Callable[[str], list[str]]
_REMEMBERED = 200_000  # chunks
_LONGEST_REMEMBERED = 40
_OPENING = frozenset("([{<¿¡«‹“„‘‚「『（［｛〈《【〔")
_STOPPED = frozenset(("short", "initial", "ordinal"))
_QUOTES = frozenset("\"'")
_unspaced = re.compile(f"[{UNSPACED_CLASS}]").match
_GAPS = re.compile(f"(?<=[{UNSPACED_CLASS}]) (?!{GAP})| (?=[{UNSPACED_CLASS}])")
# Tones of skin and flags of regions follow an emoji; a joiner is between two of them.
_TONES = "\U0001f3fb-\U0001f3ff\U000e0020-\U000e007f"
_EMOJI = "\u2190-\u2bff\U0001f000-\U0001faff"
# Tags with attributes; their spaces are ▁ inside a token, which raw text never has there.
_VALUE = r"""(?:"[^"<>|]*+"|'[^'<>|]*+'|[^\s"'<>|=]++)"""
_TAG = re.compile(
    rf"<[A-Za-z][\w:-]*+(?: [\w:.-]++ ?= ?{_VALUE}(?: [\w:.-]++(?: ?= ?{_VALUE})?+)*+ ?/?| /)>"
)
_TAG_TOKEN = rf"<[A-Za-z][\w:-]*+{GAP}[^<>\s|]*+>"
# Telephone numbers as they are dialled from abroad, of seven digits at least, in the same way.
_TELEPHONE = (
    r"(?<![A-Za-z0-9+])\+(?=(?:[{0}()./-]{{0,3}}\d){{7}})"
    r"\d++(?:[{0}./-]{{0,2}}+(?:\(\d++\)|\d++)){{0,8}}+"
)
_SPACED_TELEPHONE = re.compile(_TELEPHONE.format(" "))
_TELEPHONE_TOKEN = _TELEPHONE.format(GAP)
_HAS_GAPS = re.compile(f"{_TAG_TOKEN}|{_TELEPHONE_TOKEN}")
# Kept whole; what could be tried again and again in a long line has a limit. <s>
# and <unk> are words of language models, and | parts phrases in their files.
_PROTECTED = (
    _TAG_TOKEN
    + r"""
  | (?:https?|ftp)://[^\s|<>"{}]*[\w/]
  | www\.[\w-]+\.[^\s|<>"{}]*[\w/]
  | [A-Za-z0-9_.+%-]{0,63}[A-Za-z0-9]@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63})+
  | \{\{[\w.:-]+\}\} | \$?\{[\w.:-]*\}
  | """
    + _TELEPHONE_TOKEN
    + r"""
  | (?<![\w-])(?:\d++(?:[-/]\d++){2,}+|0\d++[-/]\d++)(?![\w-])
  | (?<![\w%])%(?:\(\w+\))?(?:\d+\$)?[-+\#0]*\d*(?:\.\d+)?[sdifgxXuc@](?!\w)
  | </?(?!(?:s|unk)/?>)[A-Za-z][\w-]*/?>
  | \d+(?:[.,:/٫٬]\d+)+
  | (?:[^\W\d_]\.){2,}
"""
)


@cache
def _marks() -> str:
    """Return the ranges of combining marks, which Python does not count as parts of words."""
    ranges: list[list[int]] = []
    for code in (*range(0x300, 0x20000), *range(0xE0100, 0xE01F0)):
        if unicodedata.category(chr(code))[0] == "M":
            if ranges and ranges[-1][1] == code - 1:
                ranges[-1][1] = code
            else:
                ranges.append([code, code])
    return "".join(f"{chr(first)}-{chr(last)}" for first, last in ranges)


@cache
def _wordy() -> Callable[[str], re.Match[str] | None]:
    return re.compile(rf"[\w{_marks()}\u200c\u200d]").match


@cache
def token_pattern(language: str, hyphens: bool, unspaced: bool) -> re.Pattern[str]:
    """Return the pattern of tokens in what stands between two spaces."""
    marks = f"{_marks()}\u200c\u200d"
    word, run = rf"[\w{marks}]+", ""
    if unspaced:  # numbers and words of other scripts are found between letters without spaces
        word = rf"(?:(?![{UNSPACED_CLASS}])[\w{marks}])+"
        run = rf"(?:(?=[\w{marks}])[{UNSPACED_CLASS}][{marks}]*)+ |"
    inner = "&'’·" + ('"״׳' if language in ("he", "yi") else "") + ("" if hyphens else "-")
    short = "|".join(sorted(ABBREVIATIONS.get(language, ()), key=lambda name: (-len(name), name)))
    abbreviation = rf"(?:(?<![\w{marks}'’])(?:{short})\.(?![\w.]))" if short else r"(?!)"
    # 16. März, 16./17. März, 16.3. in the middle of a line.
    number = (
        r"(?<![\w,:])(?<!\w[./])\d{1,3}\.(?:\d{1,2}\.)?(?=[-–/]|\Z)"
        if language in ORDINALS
        else r"(?!)"
    )
    return re.compile(
        rf"(?P<ordinal>{number}) | {_PROTECTED} | (?P<short>{abbreviation})"
        rf"| (?P<initial>(?<![\w{marks}'’])[^\W\d_]\.(?!\w))"
        rf"| (?P<word>{run}{word}(?:[{inner}]{word})*)"
        rf"| [\U0001f1e6-\U0001f1ff]{{2}}"
        rf"| (?P<run>[.!?*=~\#–-])(?P=run)* | [^\w\s](?:[{marks}{_TONES}]|(?<=\u200d)[{_EMOJI}])*",
        re.VERBOSE,
    )


class Tokeniser:
    """Cut lines of one side into tokens, and join them.

    Parameters
    ----------
    language
        Decides on apostrophes and abbreviations.
    hyphens
        Whether words are cut at hyphens.
    unspaced
        Whether the side is written without spaces.
    segmenter
        Cuts a run of letters without spaces into words.
    """

    def __init__(
        self, language: str, *, hyphens: bool, unspaced: bool, segmenter: Segmenter | None = None
    ) -> None:
        self._language = language
        self._pattern = token_pattern(language, hyphens, unspaced)
        self._unspaced = unspaced
        self._segmenter = segmenter
        self._cut_apostrophe = _apostrophes(language)
        self._known: dict[str, list[str]] = {}
        self._known_last: dict[str, list[str]] = {}

    def cut(self, line: str) -> list[str]:
        """Return the tokens of a normalised line."""
        if "<" in line and ">" in line:
            line = _TAG.sub(_with_gaps, line)
        if "+" in line:
            line = _SPACED_TELEPHONE.sub(_with_gaps, line)
        chunks = line.split(" ") if line else []
        if not chunks:
            return []
        tokens: list[str] = []
        known, last = self._known, chunks.pop()
        for chunk in chunks:
            tokens += known.get(chunk) or self._remember(chunk, known, last=False)
        tokens += self._known_last.get(last) or self._remember(last, self._known_last, last=True)
        return self._with_gaps(tokens, [*chunks, last]) if self._unspaced and chunks else tokens

    def _with_gaps(self, tokens: list[str], chunks: list[str]) -> list[str]:
        """Mark spaces beside letters that are written without them."""
        marked: list[str] = []
        place, before = 0, ""
        for number, chunk in enumerate(chunks):
            found = (self._known_last if number == len(chunks) - 1 else self._known).get(chunk)
            count = len(found or self._chunk(chunk, number == len(chunks) - 1))
            part = tokens[place : place + count]
            if before and (_unspaced(before[-1]) or _unspaced(chunk[0])):
                part[0] = GAP + part[0]
            marked += part
            place, before = place + count, chunk
        return marked

    def _remember(self, chunk: str, known: dict[str, list[str]], *, last: bool) -> list[str]:
        tokens = self._chunk(chunk, last)
        if len(chunk) <= _LONGEST_REMEMBERED:
            if len(known) >= _REMEMBERED:
                known.clear()
            known[chunk] = tokens
        return tokens

    def _chunk(self, chunk: str, last: bool) -> list[str]:
        if chunk.isalnum() and not self._unspaced:
            return [chunk]
        cores: list[str] = []
        for found in self._pattern.finditer(chunk):
            kind, core = found.lastgroup, found[0]
            if kind == "word":
                cores += self._word(core)
            elif last and kind in _STOPPED and found.end() == len(chunk):
                cores += [*self._word(core[:-1]), "."]  # a full stop, too
            else:
                cores.append(core)
        return self.marked(cores)

    def _word(self, word: str) -> list[str]:
        if self._unspaced and self._segmenter:
            return [part for part in self._segmenter(word) if part]
        if "'" in word or "’" in word:
            return self._cut_apostrophe(word)
        return [word]

    def marked(self, cores: list[str]) -> list[str]:
        """Add the marks to tokens that follow each other without a space."""
        if len(cores) < 2:
            return cores
        wordy = _wordy()
        left, right = [""] * len(cores), [""] * len(cores)
        opening = cores[0] in _OPENING or cores[0] in _QUOTES
        for place in range(1, len(cores)):
            before, after = cores[place - 1], cores[place]
            if not (self._unspaced and (_unspaced(before[-1]) or _unspaced(after[0]))):
                after_is_word = wordy(after[0])
                if not wordy(before[-1]) and (after_is_word or opening):
                    right[place - 1] = GLUE
                else:
                    left[place] = GLUE
            opening = after in _OPENING or (after in _QUOTES and opening)
        return [a + core + b for a, core, b in zip(left, cores, right, strict=True)]

    def join(self, tokens: Iterable[str]) -> str:
        """Return the text of tokens: the inverse of `cut`."""
        text = " ".join(tokens)
        text = text.replace(f" {GLUE}", "").replace(f"{GLUE} ", "").replace(GLUE, "")
        if self._unspaced:
            text = _GAPS.sub("", text)
        if GAP in text:
            text = _HAS_GAPS.sub(lambda found: found[0].replace(GAP, " "), text)
            text = text.replace(GAP, "")
        return text


def _with_gaps(found: re.Match[str]) -> str:
    return found[0].replace(" ", GAP)


def _apostrophes(language: str) -> Callable[[str], list[str]]:
    """Return what cuts a word that has an apostrophe inside."""
    if language == "en":
        return _english
    if language in ELIDING:
        return _after_apostrophe
    return _before_apostrophe if language in ENDING else lambda word: [word]


def _english(word: str) -> list[str]:
    parts: list[str] = []
    while len(word) < _LONGEST_REMEMBERED and word.lower() not in WHOLE:
        found = ENGLISH_CLITIC.fullmatch(word)
        if not found:
            break
        word = found[1]
        parts.append(found[2])
    return [word, *reversed(parts)]


def _after_apostrophe(word: str) -> list[str]:
    if word.lower().replace("’", "'") in WHOLE:
        return [word]
    return [part for part in re.split(r"(?<=['’])", word) if part]


def _before_apostrophe(word: str) -> list[str]:
    return [part for part in re.split(r"(?=['’])", word) if part]
