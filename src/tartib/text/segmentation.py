"""Words of text that is written without spaces.

A run of letters is cut where its script changes. Words of Japanese are found by ``fugashi``, of
Chinese by ``jieba``, where these are installed. Otherwise each Han character and each Hiragana is a
token, and so is a run of Katakana, a cluster of Thai or Lao letters, a syllable of Tibetan; and a
consonant with its signs in Khmer and Myanmar. Runs may stay whole, too, for subwords to cut.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import cache
from typing import Any

from tartib.errors import OptionError
from tartib.text.scripts import RANGES, UNSPACED_CLASS, has_unspaced

_CHARACTERS = re.compile(
    r"[゠-ヿㇰ-ㇿｦ-ﾟ]+"
    "|[เ-ไ]?[ก-ฮ][ะ-ฺๅ็-๎]*|[ເ-ໄ]?[ກ-ຮໜ-ໟ][ະ-ຽ່-໎]*|[ༀ-࿚]+"
    "|[က-႟ꧠ-ꧾꩠ-ꩿ][ါ-ှၖ-ၙၞ-ၠၢ-ၤၧ-ၭၱ-ၴႂ-ႍႏႚ-ႝ]*|[ក-ឳ](?:្[ក-ឳ]|[឴-៑៓៝])*"
    rf"|[{UNSPACED_CLASS}][\u0300-\u036f\u3099\u309a\ufe00-\ufe0f]*|[^{UNSPACED_CLASS}]+"
)
_RUNS = re.compile(
    f"[{RANGES['Han']}{RANGES['Kana']}ー々]+|[^{RANGES['Han']}{RANGES['Kana']}ー々]+"
)
_JAPANESE_OR_CHINESE = re.compile(f"[{RANGES['Han']}{RANGES['Kana']}]").match
# Share of spaces from which on they are between words; Thai has some between phrases.
SEGMENTED = 0.15
_GAP = re.compile(f"(?<=[{UNSPACED_CLASS}]) (?=[{UNSPACED_CLASS}])")
_LONGEST_RUN = 100
_UNSPACED_RUN = re.compile(f"[{UNSPACED_CLASS}]+")


def characters(text: str) -> list[str]:
    """Cut a run of letters into characters, or what cannot be parted."""
    return _CHARACTERS.findall(text)


def runs(text: str) -> list[str]:
    """Cut where Han and Kana on one side meet other scripts, and after each 100 characters."""
    return [
        run[begin : begin + _LONGEST_RUN]
        for run in _RUNS.findall(text)
        for begin in range(0, len(run), _LONGEST_RUN)
    ]


def gaps_in(lines: Iterable[str]) -> float:
    """Return the spaces between letters of scripts without spaces, as a share of these letters."""
    letters = gaps = 0
    for line in filter(has_unspaced, lines):
        letters += sum(map(len, _UNSPACED_RUN.findall(line)))
        gaps += len(_GAP.findall(line))
    return gaps / max(letters, 1)


def is_segmented(lines: Iterable[str]) -> bool:
    """Tell whether text in scripts without spaces has spaces between its words."""
    return gaps_in(lines) > SEGMENTED


LIBRARIES = {"ja": "fugashi", "zh": "jieba"}


def libraries_for(languages: Iterable[str]) -> tuple[str, ...]:
    """Return the installed libraries that find words of some languages."""
    return tuple(LIBRARIES[code] for code in languages if available(code) == LIBRARIES.get(code))


def available(language: str) -> str:
    """Return the best way to segment a language with what is installed."""
    library = LIBRARIES.get(language, "")
    try:
        segmenter(library or "characters")
    except OptionError:
        return "characters"
    return library or "characters"


@cache
def segmenter(name: str) -> Callable[[str], list[str]]:
    """Return what cuts a run of letters into words; it must not change them."""
    if name == "fugashi":
        return _by_library(_fugashi())
    if name == "jieba":
        return _by_library(_jieba())
    return runs if name == "runs" else characters


def _by_library(cut: Callable[[str], list[str]]) -> Callable[[str], list[str]]:
    def words(text: str) -> list[str]:
        parts: list[str] = []
        for run in _RUNS.findall(text):
            found = cut(run) if _JAPANESE_OR_CHINESE(run) else characters(run)
            parts += found if "".join(found) == run else characters(run)
        return parts

    return words


def _fugashi() -> Callable[[str], list[str]]:
    try:
        import fugashi

        tagger: Any = fugashi.Tagger("-Owakati")
    except (ImportError, RuntimeError):
        raise OptionError(
            "words of Japanese are found by fugashi, which is not installed: "
            'pip install "tartib[japanese]"'
        ) from None
    return lambda text: str(tagger.parse(text)).split()


def _jieba() -> Callable[[str], list[str]]:
    try:
        import jieba
    except ImportError:
        raise OptionError(
            "words of Chinese are found by jieba, which is not installed: "
            'pip install "tartib[chinese]"'
        ) from None
    jieba.setLogLevel(60)
    return lambda text: list(jieba.cut(text))
