"""One way to write the same text."""

from __future__ import annotations

import pytest

from tartib.text import SideOptions
from tartib.text.normalisation import Normaliser


def normal(line: str, language: str = "", **options: object) -> str:
    return Normaliser(SideOptions.model_validate(options), language)(line)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("  two   spaces\t and a tab \r", "two spaces and a tab"),
        ("a\u00a0b\u202fc\u3000d\u2009e", "a b c d e"),
        ("so\u00adft hy\u200bphen\ufeff\u200e", "soft hyphen"),
        ("nul\x00 bell\x07", "nul bell"),
        ("half \ud800 of it", "half \ufffd of it"),
        ("cafe\u0301", "caf\u00e9"),
        ("e\u200b\u0301", "\u00e9"),
        ("“a” ‘b’ it’s – — … `c´", '"a" "b" it\'s – – ... "c"'),
        ("x ￭ y ▁ z", "x ■ y _ z"),
        ("a &amp;&lt;b&gt; &quot;c&quot; &#228;&#xE4; &amp;amp;", 'a &<b> "c" ää &'),
        ("AT&T &notaname; R&D;", "AT&T &notaname; R&D;"),
        ("&#0;&#xD800;&#1114112;&#9999999999;", "\ufffd\ufffd\ufffd&#9999999999;"),
        ("می\u200cخواهد", "می\u200cخواهد"),
        ("", ""),
    ],
)
def test_normalisation(line: str, expected: str) -> None:
    assert normal(line) == expected
    assert normal(expected) == expected


def test_arabic() -> None:
    assert normal("الكِتَابُ العـــربيّ") == "الكتاب العربي"
    assert normal("الكِتَابُ العـــربيّ", diacritics="keep") == "الكِتَابُ العربيّ"
    assert normal("أإآٱ مدرسة على", letters="unify") == "اااا مدرسه علي"
    assert normal("أإآ مدرسة على") == "أإآ مدرسة على"
    assert normal("كي", "fa") == "کی"
    assert normal("שָׁלוֹם") == "שלום"


def test_signs_can_stay() -> None:
    line = "“a” it’s – … &amp;"
    assert normal(line, quotes="keep", entities=False) == line


def test_compatibility_forms() -> None:
    assert normal("ｱﾞ １２ ﬁ", form="NFKC") == "ア゙ 12 fi"
