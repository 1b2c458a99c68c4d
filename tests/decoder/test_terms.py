"""Glossaries, and words that stay as they are."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tartib.decoder import Forced, Terms
from tartib.decoder.copies import copies
from tartib.errors import DataError, OptionError

PHRASES = st.lists(st.sampled_from("abcA"), min_size=1, max_size=3).map(tuple)


def twin(
    pairs: list[tuple[tuple[str, ...], str]], words: list[str], taken: set[int], *, fold: bool
) -> list[Forced]:
    """Try every phrase at every place."""
    found: list[Forced] = []
    at = 0
    while at < len(words):
        best: dict[str, int] = {}
        for phrase, target in pairs:
            here = words[at : at + len(phrase)]
            same = (
                [w.casefold() for w in here] == [w.casefold() for w in phrase]
                if fold
                else here == list(phrase)
            )
            if same and not taken & {*range(at, at + len(phrase))}:
                best[target] = max(len(phrase), best.get(target, 0))
                best = {t: n for t, n in best.items() if n == max(best.values())}
        found += [Forced(at, at + n, (target,)) for target, n in best.items()]
        at += max(best.values(), default=1)
    return found


@given(
    st.lists(st.tuples(PHRASES, st.sampled_from("xyz")), max_size=6, unique_by=lambda p: p[0]),
    st.lists(st.sampled_from("abcA"), max_size=10),
    st.sets(st.integers(0, 9), max_size=2),
    st.booleans(),
)
def test_the_longest_phrase_first(
    pairs: list[tuple[tuple[str, ...], str]], words: list[str], taken: set[int], fold: bool
) -> None:
    terms = Terms.of(((" ".join(s), t) for s, t in pairs), ignore_case=fold)
    found = terms.mark(words, [(i, i + 1) for i in taken])
    key = lambda one: (one.start, one.end, one.target)  # noqa: E731
    assert sorted(found, key=key) == sorted(twin(pairs, words, taken, fold=fold), key=key)


def test_a_file(tmp_path: Path) -> None:
    path = tmp_path / "terms.gz"
    text = "\ufeff# ours\n#\n\na b\tX Y\r\na b\tZ\na b\tZ\n#tag\t#TAG\n  c \t d\n"
    path.write_bytes(gzip.compress(text.encode()))
    terms = Terms.read(path)
    assert len(terms) == 3
    assert "3 source phrases" in repr(terms)
    assert terms.mark(["a", "a", "b", "#tag", "c"]) == [
        Forced(1, 3, ("X", "Y")),
        Forced(1, 3, ("Z",)),
        Forced(3, 4, ("#TAG",)),
        Forced(4, 5, ("d",)),
    ]


def test_both_sides_are_prepared(tmp_path: Path) -> None:
    (tmp_path / "terms").write_text("Haus\tHouse\n")
    terms = Terms.read(tmp_path / "terms", source=str.lower, target=lambda text: f"{text} !")
    assert terms.mark(["haus"]) == [Forced(0, 1, ("House", "!"))]


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("a b", "0 tabs instead of one"),
        ("a\tb\tc", "2 tabs instead of one"),
        ("\tb", "the source phrase has 0 words"),
        ("a\t ", "the target phrase has 0 words"),
        ("a " * 257 + "\tb", "the source phrase has 257 words"),
    ],
)
def test_mistakes(tmp_path: Path, line: str, problem: str) -> None:
    (tmp_path / "terms").write_text(f"a\tb\n{line}\n")
    with pytest.raises(DataError, match=problem) as error:
        Terms.read(tmp_path / "terms")
    assert error.value.line == 2
    with pytest.raises(OptionError):
        Terms().add("", "b")


def test_many_terms() -> None:
    terms = Terms.of((f"w{i} w{i % 7}", f"t{i}") for i in range(50_000))
    assert len(terms) == 50_000
    found = terms.mark([word for i in range(0, 50_000, 50) for word in (f"w{i}", f"w{i % 7}")])
    assert len(found) == 1000


@pytest.mark.parametrize(
    "word",
    [
        "https://example.org/a?b=c",
        "ftp://x",
        "www.example.org",
        "some.one+else@mail.example.org",
        "{name}", "{}", "{0}", "{{name}}", "${HOME}",
        "%s", "%1$d", "%(count)s", "%-5d", "%ld", "%@",
        "<b>", "</b>", "<br/>",
        "{name}\uffed", "\uffed%s",
    ],
)  # fmt: skip
def test_words_that_stay(word: str) -> None:
    assert copies(["a", word]) == [Forced(1, 2, (word,))]
    assert not copies(["a", word], taken=[(1, 2)])


@pytest.mark.parametrize(
    "word", ["", "%", "50%", "@", "a@b", "<", "<>", "{", "a{b}", "%%", "http:", "1.234,56"]
)
def test_other_words_do_not(word: str) -> None:
    assert not copies([word])
