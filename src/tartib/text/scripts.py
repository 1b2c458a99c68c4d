"""Scripts of a text, and which of them are written without spaces between words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache

# Ranges of letters, as they stand in a character class of a regular expression.
RANGES: Mapping[str, str] = {
    "Latin": "A-Za-zªºÀ-ÖØ-öø-ʸᴀ-ᶿḀ-ỿⱠ-ⱿꜢ-ꟿﬀ-ﬆＡ-Ｚａ-ｚ",
    "Greek": "Ͱ-Ͽἀ-῿",
    "Cyrillic": "Ѐ-ԯᲀ-ᲈⷠ-ⷿꙀ-ꚟ",
    "Armenian": "Ա-Ֆՙ-ֈ",
    "Hebrew": "\u05d0-\u05ea\u05ef-\u05f2\ufb1d-\ufb4f",
    "Arabic": "\u0620-\u064a\u066e-\u06d3\u06d5-\u06ff\u0750-\u077f\u0870-\u08ff"
    "\ufb50-\ufdff\ufe70-\ufefc",
    "Syriac": "ܐ-ݏ",
    "Ethiopic": "ሀ-᎟ⶀ-ⷞ",
    "Devanagari": "ऀ-ॣॱ-ॿ",
    "Bengali": "ঀ-৥ৰ-৾",
    "Gurmukhi": "ਁ-੥ੰ-੶",
    "Gujarati": "ઁ-૥ૹ-૿",
    "Oriya": "ଁ-୥ୱ-୷",
    "Tamil": "ஂ-௥",
    "Telugu": "ఀ-౥",
    "Kannada": "ಀ-೥",
    "Malayalam": "ഀ-൥",
    "Sinhala": "ඁ-෥",
    "Georgian": "Ⴀ-ჿᲐ-Ჿⴀ-ⴭ",
    "Hangul": "ᄀ-ᇿ㄰-㆏ꥠ-꥿가-힣ힰ-ퟻ",
    "Han": "\u2e80-\u2fd5\u3005-\u3007\u3021-\u3029\u3400-\u4dbf\u4e00-\u9fff"
    "\uf900-\ufaff\U00020000-\U0003ffff",
    "Kana": "ぁ-ゟ゠-ヿㇰ-ㇿｦ-ﾟ",
    "Thai": "ก-ฺเ-๎",
    "Lao": "ກ-໏ໜ-ໟ",
    "Tibetan": "ༀ-྿",
    "Myanmar": "က-႟ꧠ-ꧾꩠ-ꩿ",
    "Khmer": "ក-៓ៜ-៝",
}  # fmt: skip
UNSPACED = ("Han", "Kana", "Thai", "Lao", "Tibetan", "Myanmar", "Khmer")
# What stands between two words without a space: letters of these scripts, their digits and signs,
# and punctuation of full width.
UNSPACED_CLASS = (
    "".join(RANGES[name] for name in UNSPACED)
    + "\u0e01-\u0e5b\u0e81-\u0edf\u0f00-\u0fda\u1000-\u109f\u1780-\u17f9"
    + "\u3001-\u303f\u30fb-\u30fe\uff01-\uff60\uffe0-\uffe6"
)
_LANGUAGES: Mapping[str, tuple[str, ...]] = {
    "Arabic": ("ar", "fa", "ur", "ps", "sd", "ug", "ckb"),
    "Cyrillic": ("ru", "uk", "be", "bg", "mk", "kk", "ky", "mn", "tg", "tt", "ba", "cv"),
    "Greek": ("el",), "Hebrew": ("he", "yi"), "Armenian": ("hy",), "Georgian": ("ka",),
    "Ethiopic": ("am", "ti"), "Devanagari": ("hi", "mr", "ne", "sa"), "Bengali": ("bn", "as"),
    "Gurmukhi": ("pa",), "Gujarati": ("gu",), "Oriya": ("or",), "Tamil": ("ta",),
    "Telugu": ("te",), "Kannada": ("kn",), "Malayalam": ("ml",), "Sinhala": ("si",),
    "Hangul": ("ko",), "Han": ("zh", "ja", "yue"), "Kana": ("ja",), "Thai": ("th",),
    "Lao": ("lo",), "Tibetan": ("bo", "dz"), "Myanmar": ("my",), "Khmer": ("km",),
}  # fmt: skip
_LEAST_SHARE = 0.05
_has_unspaced = re.compile(f"[{UNSPACED_CLASS}]").search


@cache
def _letters(script: str) -> re.Pattern[str]:
    return re.compile(f"[{RANGES[script]}]+")


def has_unspaced(text: str) -> bool:
    """Tell whether some of a text is in a script without spaces."""
    return not text.isascii() and _has_unspaced(text) is not None


def letters_by_script(lines: Iterable[str]) -> dict[str, int]:
    """Count the letters of each script, the most frequent script first."""
    counts = dict.fromkeys(RANGES, 0)
    for line in lines:
        if line.isascii():
            counts["Latin"] += sum(map(len, _letters("Latin").findall(line)))
            continue
        for script in RANGES:
            found = _letters(script).findall(line)
            if found:
                counts[script] += sum(map(len, found))
    found_scripts = sorted((item for item in counts.items() if item[1]), key=lambda item: -item[1])
    return dict(found_scripts)


def main_scripts(counts: Mapping[str, int]) -> tuple[str, ...]:
    """Return the scripts that a text is written in, without those of a few words here and there."""
    total = sum(counts.values())
    return tuple(script for script, count in counts.items() if count >= _LEAST_SHARE * total)


def scripts_of_language(language: str) -> tuple[str, ...]:
    """Return the scripts that a language is always written in; none if there are several."""
    return tuple(script for script, codes in _LANGUAGES.items() if language in codes)


def is_unspaced_language(language: str) -> bool:
    """Tell whether a language is written without spaces."""
    return any(script in UNSPACED for script in scripts_of_language(language))


def foreign_letters(scripts: Iterable[str]) -> re.Pattern[str]:
    """Return a pattern for runs of letters outside of some scripts."""
    ranges = "".join(RANGES[script] for script in scripts)
    return re.compile(rf"[^\W\d_{ranges}]+")


def own_letters(scripts: Iterable[str]) -> re.Pattern[str]:
    """Return a pattern for runs of letters in some scripts."""
    return re.compile("[" + "".join(RANGES[script] for script in scripts) + "]+")
