"""Tags that give translations, as in Moses' XML input."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tartib.decoder import Forced, MarkedSentence, Marker, MarkupReader, Terms
from tartib.decoder.markup import has_escapes
from tartib.errors import DataError
from tartib.textio import split_words
from tartib.vocabulary import Vocabulary


def read(line: str) -> MarkedSentence:
    return MarkupReader("text").read(line, 7)


def test_tags_of_the_manual() -> None:
    found = read(
        'das ist <np translation="a cute place||a tiny house" prob="0.8||0.2">ein haus</np>'
    )
    assert found.words == ("das", "ist", "ein", "haus")
    assert found.forced == (
        Forced(2, 4, ("a", "cute", "place"), 0.8),
        Forced(2, 4, ("a", "tiny", "house"), 0.2),
    )


@pytest.mark.parametrize(
    ("line", "words", "targets"),
    [
        ("<x english='a'>b</x>", "b", ["a"]),
        ('a<x translation="b">c</x>d', "a c d", ["b"]),
        ('<x type="n > 1"\ttranslation = "b" >  c </x>', "c", ["b"]),
        ('1 < 2 & 3 > <3 <x translation="&lt;">&lt;</x>', "1 < 2 & 3 > <3 <", ["<"]),
        ('<x translation="&quot; &amp;lt; &apos; a&#124;&#124;b">R&amp;D AT&T</x>', "R&D AT&T",
         ['" &lt; \' a||b']),
        ('<x translation="a">b</x> <x translation="a">b</x>', "b b", ["a", "a"]),
        ('<n:x-1.b translation="a" english="b">c</n:x-1.b>', "c", ["a", "b"]),
        ("", "", []),
    ],
)  # fmt: skip
def test_lines(line: str, words: str, targets: list[str]) -> None:
    found = read(line)
    assert found.words == tuple(words.split())
    assert [" ".join(one.target) for one in found.forced] == targets


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("a <b", "a tag is not well-formed: <b"),
        ('a <b translation="c>d</b>', "a tag is not well-formed"),
        ("a <b translation=c>d</b>", "a tag is not well-formed"),
        ('<x translation="a">b', "a tag is not closed"),
        ("a</x>", "a tag is closed that is not open: </x>"),
        ('<x translation="a">b</y>', "<x> is closed by another tag: </y>"),
        ('<x translation="a">b</x/>', "<x> is closed by another tag: </x/>"),
        ('<x translation="a">b <y translation="c">d</y></x>', "a tag is inside of <x>"),
        ('<x translation="a"/>', "a tag has no words"),
        ('<x translation="a"> </x>', "0 words between a tag and its end"),
        ("<b>bold</b>", "a tag has no translation: <b>"),
        ('<x translation="">b</x>', "a translation of 0 words"),
        ('<x translation="a||">b</x>', "a translation of 0 words"),
        ('<x translation="a||b" prob="1">b</x>', "2 translations, but 1 probabilities"),
        ('<x translation="a" prob="1.5">b</x>', "prob is not from 0 to 1: '1.5'"),
        ('<x translation="a" prob="nan">b</x>', "prob is not from 0 to 1"),
        ('<x translation="a" prob="high">b</x>', "prob is not from 0 to 1: 'high'"),
        ('<x translation="a" span="0-1">b</x>', "the attribute span is not supported"),
        ("a <wall/> b", "the tag <wall> is not supported"),
        ("a <zone> b </zone>", "the tag <zone> is not supported"),
        (f'<x translation="a">{"b " * 257}</x>', "257 words between a tag and its end"),
    ],
)
def test_mistakes(line: str, problem: str) -> None:
    with pytest.raises(DataError) as error:
        read(line)
    assert error.value.line == 7
    assert str(error.value).startswith(f"text:7: {problem}")
    assert error.value.hint


def escaped(text: str) -> str:
    return (
        text.replace("&", "&amp;")
        .replace("<", "&lt;")
        .replace('"', "&quot;")
        .replace("|", "&#124;")
    )


WORDS = st.lists(st.text("ab<>&\"'|/;=", min_size=1, max_size=5), min_size=1, max_size=4)


@given(st.lists(st.tuples(WORDS, st.none() | st.lists(WORDS, min_size=1, max_size=3)), max_size=5))
def test_what_is_escaped_is_read_back(
    parts: list[tuple[list[str], list[list[str]] | None]],
) -> None:
    line, words, forced = "", list[str](), list[Forced]()
    for source, targets in parts:
        text = escaped(" ".join(source))
        begin = len(words)
        words += source
        if targets is None:
            line += f" {text} "
            continue
        given_texts = "||".join(escaped(" ".join(target)) for target in targets)
        line += f'<t translation="{given_texts}">{text}</t>'
        forced += [Forced(begin, len(words), tuple(target)) for target in targets]
    assert read(line) == MarkedSentence(tuple(words), tuple(forced))


@given(st.text(st.sampled_from("<>/&;\"'= abtranslation|prob0.5"), max_size=60))
def test_any_line_is_read_or_refused(line: str) -> None:
    try:
        found = read(line)
    except DataError:
        return
    if not found.forced and "&" not in line and "<" not in line:
        assert found.words == tuple(split_words(line))


def test_systems_of_escaped_text() -> None:
    """Moses' tokeniser writes & as &amp;, and models learn it so."""
    assert has_escapes(Vocabulary(["it", "&apos;s"]))
    assert not has_escapes(Vocabulary(["it", "'s", "&", "AT&T;"]))
    reader = MarkupReader(escaped=True)
    found = reader.read('it <x translation="&apos;s">&apos;s</x> &lt;')
    assert found.words == ("it", "&apos;s", "&lt;")
    assert found.forced == (Forced(1, 2, ("&apos;s",)),)


def test_raw_text_is_prepared() -> None:
    reader = MarkupReader(
        source=lambda texts: [text.lower().replace(".", " .") for text in texts], target=str.upper
    )
    found = reader.read('Das <x translation="house">Haus</x>.')
    assert found.words == ("das", "haus", ".")
    assert found.forced == (Forced(1, 2, ("HOUSE",)),)


def test_tags_come_before_terms_and_terms_before_copies() -> None:
    terms = Terms.of([("b c", "T"), ("{x}", "X")])
    marker = Marker(MarkupReader(), terms, copies=True, exclusive=False)
    (found,) = marker.mark_all(['a <x translation="M">b</x> c b c {x} {y}'])
    assert found.forced == (
        Forced(1, 2, ("M",)),
        Forced(3, 5, ("T",)),
        Forced(5, 6, ("X",)),
        Forced(6, 7, ("{y}",)),
    )
    assert not found.exclusive
    assert Marker().mark("<b> {x}") == MarkedSentence(("<b>", "{x}"))


def test_a_line_of_too_many_tokens_is_told_with_its_number() -> None:
    marker = Marker(source=lambda line: line.replace("-", " - "))
    with pytest.raises(DataError, match=r"the input:2: becomes 120,000 words"):
        list(marker.mark_all(["a b", "-a" * 60_000]))
