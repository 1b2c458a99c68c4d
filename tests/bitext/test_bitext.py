"""Parallel text in all its formats, and an error of its own for every defect."""

import io
import os
import sys
import zipfile
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tartib import Bitext, DataError, OptionError, ReadOptions, read_blocks
from tests.oracles import bitext as oracle
from tests.support.examples import examples

pytestmark = pytest.mark.native

SOURCE = "في البدء خلق الله\nكتب الولد\n"
TARGET = "in the beginning god created\nthe boy wrote\n"
LINKS = "0-0 1-1 1-2 3-3 2-4\n0-2 1-0 1-1\n"


def write(folder: Path, **files: str | bytes) -> tuple[Path, ...]:
    for name, content in files.items():
        data = content.encode() if isinstance(content, str) else content
        (folder / name).write_bytes(data)
    return tuple(folder / name for name in files)


def check(bitext: Bitext, *, links: bool = True) -> None:
    assert len(bitext) == 2
    assert bitext[0].source == ["في", "البدء", "خلق", "الله"]
    assert bitext[1].target == ["the", "boy", "wrote"]
    assert bitext[-1].links == ([(0, 2), (1, 0), (1, 1)] if links else [])
    assert bitext.lines.tolist() == [1, 2]


def test_two_files(tmp_path: Path) -> None:
    files = write(tmp_path, s=SOURCE, t=TARGET, a=LINKS)
    check(Bitext.read(*files))
    check(Bitext.read(*files[:2]), links=False)


def test_windows_line_ends_tabs_and_a_byte_order_mark(tmp_path: Path) -> None:
    crlf = [text.replace("\n", "\r\n").replace(" ", "\t ") for text in (SOURCE, TARGET, LINKS)]
    check(Bitext.read(*write(tmp_path, s="\ufeff" + crlf[0], t=crlf[1], a=crlf[2])))


def test_other_spaces_are_letters(tmp_path: Path) -> None:
    odd = "a\u00a0b c\u3000d\u2028e\x85f\x0bg\n"
    bitext = Bitext.read(*write(tmp_path, s=odd, t="x\n"))
    assert bitext[0].source == ["a\u00a0b", "c\u3000d\u2028e\x85f\x0bg"]


def test_last_line_without_line_feed(tmp_path: Path) -> None:
    check(Bitext.read(*write(tmp_path, s=SOURCE[:-1], t=TARGET, a=LINKS[:-1])))


def tsv(columns: int) -> str:
    rows = zip(*(text.splitlines() for text in (SOURCE, TARGET, LINKS)[:columns]), strict=True)
    return "".join("\t".join(row) + "\n" for row in rows)


def test_tsv(tmp_path: Path) -> None:
    with_links, without, links = write(
        tmp_path, **{"three.tsv": tsv(3), "two.tsv": tsv(2), "links": LINKS}
    )
    check(Bitext.read(with_links))
    check(Bitext.read(without), links=False)
    check(Bitext.read(without, alignment=links))
    assert not Bitext.read(without).aligned
    with pytest.raises(DataError, match="has an alignment of its own, and another one was given"):
        Bitext.read(with_links, alignment=links)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("a b\n", "x.tsv:1: 1 columns, not 2 or 3"),
        ("a\tb\tc\td\n", "x.tsv:1: 4 columns, not 2 or 3"),
        ("a\tb\nc\n", "x.tsv:2: 1 columns, not 2 as in line 1"),
    ],
)
def test_tsv_columns(tmp_path: Path, content: str, said: str) -> None:
    (path,) = write(tmp_path, **{"x.tsv": content})
    with pytest.raises(DataError, match=said):
        Bitext.read(path)


def test_standard_input(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target, links = write(tmp_path, t=TARGET, a=LINKS)

    def feed(text: str) -> None:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))

    feed(SOURCE)
    check(Bitext.read("-", target, links))
    feed(tsv(3))
    check(Bitext.read("-"))
    with pytest.raises(OptionError, match="one of the files only"):
        Bitext.read("-", "-")


TMX = """<?xml version="1.0" encoding="UTF-8"?>
<tmx version="1.4"><header/><body>
<tu><tuv xml:lang="ar"><seg>في البدء خلق الله</seg></tuv>
<tuv xml:lang="en-GB"><seg>in the beginning <ph>&lt;b&gt;</ph>god
 <hi>created</hi></seg></tuv></tu>
<tu><tuv xml:lang="fr"><seg>seul</seg></tuv></tu>
<tu><tuv xml:lang="en"><seg>the boy wrote</seg></tuv>
<tuv xml:lang="ar"><seg>كتب الولد</seg></tuv></tu>
</body></tmx>
"""


def test_tmx(tmp_path: Path) -> None:
    tmx, links = write(tmp_path, **{"x.tmx": TMX, "links": LINKS})
    options = ReadOptions(languages=("ar", "en"))
    check(Bitext.read(tmx, options=options), links=False)
    check(Bitext.read(tmx, alignment=links, options=options))
    only = Bitext.read(tmx, options=ReadOptions(languages=("AR", "EN_gb")))
    assert len(only) == 1
    assert only.skipped.one_sided == 2
    with pytest.raises(
        DataError, match=r"no unit has both fr and de\n  the file has: ar, en, en-gb"
    ):
        Bitext.read(tmx, options=ReadOptions(languages=("fr", "de")))


def test_tmx_keeps_spaces_that_are_not_layout(tmp_path: Path) -> None:
    (path,) = write(tmp_path, **{"x.tmx": TMX.replace("الله", "a\u00a0b")})
    bitext = Bitext.read(path, options=ReadOptions(languages=("ar", "en")))
    assert bitext[0].source[-1] == "a\u00a0b"


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (("</body>", ""), "x.tmx:9: not well-formed XML"),
        ((' xml:lang="fr"', ""), "x.tmx:6: a segment without a language"),
        (("في البدء خلق الله", ""), "x.tmx:3: an empty line"),
    ],
)
def test_bad_tmx(tmp_path: Path, change: tuple[str, str], said: str) -> None:
    (path,) = write(tmp_path, **{"x.tmx": TMX.replace(*change)})
    with pytest.raises(DataError, match=said):
        Bitext.read(path, options=ReadOptions(languages=("ar", "en")))


@pytest.mark.parametrize(
    ("encoding", "word"),
    [
        ("shift_jis", "日本語"),
        ("big5", "中文"),
        ("euc-jp", "日本語"),
        ("gb18030", "中文"),
        ("utf-7", "日本語"),
        ("windows-1256", "كتاب"),
        ("windows-1252", "café"),
        ("iso-8859-1", "café"),
        ("utf-16", "日本語"),
        ("utf-32", "日本語"),
        ("utf-32-be", "日本語"),
        ("utf_16_le", "日本語"),
        ("utf-8-sig", "日本語"),
        ("cp037", "café"),
        ("cp500", "café"),
    ],
)
def test_tmx_in_any_encoding(tmp_path: Path, encoding: str, word: str) -> None:
    text = TMX.replace("UTF-8", encoding).replace("في البدء خلق الله", f"{word} x")
    text = text.replace("كتب الولد", word)
    path = tmp_path / "x.tmx"
    path.write_bytes(text.encode(encoding))
    options = ReadOptions(languages=("ar", "en"))
    bitext = Bitext.read(path, options=options)
    assert bitext[0].source == [word, "x"]
    assert bitext[1].source == [word]


@pytest.mark.parametrize("encoding", ["klingon", "hex", "rot13", "idna", "undefined"])
def test_tmx_in_no_encoding(tmp_path: Path, encoding: str) -> None:
    (path,) = write(tmp_path, **{"x.tmx": TMX.replace("UTF-8", encoding)})
    with pytest.raises(DataError, match=rf"x\.tmx:1: the encoding '{encoding}' is not known"):
        Bitext.read(path, options=ReadOptions(languages=("ar", "en")))


@pytest.mark.parametrize(
    "real", ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-32-be", "utf-8-sig"]
)
@pytest.mark.parametrize("named", ["utf-8", "shift_jis", "utf_16_le", "utf-16", "klingon"])
def test_the_first_bytes_of_a_tmx_decide(tmp_path: Path, real: str, named: str) -> None:
    path = tmp_path / "x.tmx"
    path.write_bytes(TMX.replace("UTF-8", named).encode(real))
    check(Bitext.read(path, options=ReadOptions(languages=("ar", "en"))), links=False)


@pytest.mark.parametrize("named", ["utf-16", "UTF_16_LE", "utf-32", "cp037"])
def test_a_tmx_that_cannot_be_what_it_names(tmp_path: Path, named: str) -> None:
    (path,) = write(tmp_path, **{"x.tmx": TMX.replace("UTF-8", named)})
    said = rf"x\.tmx:1: names the encoding '{named.lower()}', and its first line is in another one"
    with pytest.raises(DataError, match=said):
        Bitext.read(path, options=ReadOptions(languages=("ar", "en")))


def test_tmx_that_is_not_in_its_encoding(tmp_path: Path) -> None:
    path = tmp_path / "x.tmx"
    path.write_bytes(TMX.replace("UTF-8", "shift_jis").encode("cp1256", "replace") + b"\x81")
    with pytest.raises(DataError, match=r"x\.tmx:\d+: invalid shift_jis text"):
        Bitext.read(path, options=ReadOptions(languages=("ar", "en")))


@pytest.mark.parametrize("method", [zipfile.ZIP_LZMA, zipfile.ZIP_BZIP2, zipfile.ZIP_DEFLATED])
def test_a_damaged_member_of_a_zip(tmp_path: Path, method: int) -> None:
    path = tmp_path / "x.zip"
    with zipfile.ZipFile(path, "w", method) as archive:
        for side in ("ar", "en"):
            archive.writestr(f"x.ar-en.{side}", "".join(f"word{i}\n" for i in range(2000)))
    assert len(Bitext.read(path)) == 2000
    data = bytearray(path.read_bytes())
    for place in range(60, len(data) // 2, 7):
        data[place] ^= 0x55
    path.write_bytes(data)
    with pytest.raises(DataError, match=r"x\.zip: archive is cut short or damaged"):
        Bitext.read(path)


def test_tmx_languages_must_be_clear(tmp_path: Path) -> None:
    three = TMX.replace("<tu>", '<tu><tuv xml:lang="de"><seg>x</seg></tuv>', 1)
    (path,) = write(tmp_path, **{"x.tmx": three})
    with pytest.raises(DataError, match="does not have two languages"):
        Bitext.read(path)


def make_zip(path: Path, **members: str) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return path


def test_opus_zip(tmp_path: Path) -> None:
    members = {"README": "x", "Bible.ar-en.ar": SOURCE, "Bible.ar-en.en": TARGET}
    path = make_zip(tmp_path / "ar-en.txt.zip", **members)
    (links,) = write(tmp_path, a=LINKS)
    check(Bitext.read(path), links=False)
    check(Bitext.read(path, alignment=links))
    turned = Bitext.read(path, options=ReadOptions(languages=("en", "ar")))
    assert turned[1].source == ["the", "boy", "wrote"]


def test_bad_zip(tmp_path: Path) -> None:
    path = make_zip(tmp_path / "x.zip", **{"a.ar-en.ar": SOURCE * 999, "a.ar-en.en": TARGET * 999})
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(DataError, match=r"x\.zip: archive is cut short or damaged"):
        Bitext.read(path)
    path.write_bytes(whole[:60] + bytes(20) + whole[80:])
    with pytest.raises(DataError, match=r"x\.zip: archive is cut short or damaged"):
        Bitext.read(path)
    with pytest.raises(DataError, match="has no two files named like"):
        Bitext.read(make_zip(tmp_path / "y.zip", **{"a.txt": SOURCE}))
    with pytest.raises(DataError, match="no such file"):
        Bitext.read(tmp_path / "z.zip")


def test_one_file_must_hold_both_sides(tmp_path: Path) -> None:
    (path,) = write(tmp_path, **{"x.txt": SOURCE})
    with pytest.raises(OptionError, match="give the target side too"):
        Bitext.read(path)


@pytest.mark.parametrize(
    ("side", "content", "said"),
    [
        ("t", TARGET + "more\n", r"s:2: files of unequal length: .*s has 2 lines, .*t has 3"),
        ("s", "في\n", r"s:1: files of unequal length: .*s has 1 line, .*t has 2"),
        ("a", "0-0\n", r"a:1: files of unequal length: .*s has 2 lines, .*a has 1"),
        ("a", LINKS + "0-0\n", r"files of unequal length: .*has 2 lines, .*a has 3"),
        ("a", "0-0\n4-0\n", "a:2: link 4-0 at byte 1 points beyond the source sentence"),
        ("a", "0-0\n0-0 0-3\n", "a:2: link 0-3 at byte 5 points beyond the target sentence"),
        ("a", "0-0 1\n0-0\n", "a:1: malformed link 1 at byte 5"),
        ("a", "0-0\n0:0\n", "a:2: malformed link 0:0"),
        ("a", "0-0\n-1-0\n", "a:2: malformed link -1-0"),
        ("a", "0-0\n0-\n", "a:2: malformed link 0-"),
        ("a", "0-0\n0-9999999999\n", "a:2: malformed link 0-9999999999"),
        ("s", b"ok\nbad \xff\n", "s:2: invalid UTF-8 at byte 5"),
        ("t", b"ok\n\xed\xa0\x80\n", "t:2: invalid UTF-8 at byte 1"),
        ("t", b"ok\nx\xe2\x82\n", "t:2: invalid UTF-8 at byte 2"),
        ("s", "ok\na\x00b\n", "s:2: a NUL byte at byte 2"),
        ("s", "\nok\n", "s:1: an empty line"),
        ("t", "ok\n \t \n", "t:2: an empty line"),
        ("s", "a ||| b\nok\n", r"s:1: the token \|\|\| at byte 3 is reserved"),
    ],
)
def test_defects(tmp_path: Path, side: str, content: str | bytes, said: str) -> None:
    files: dict[str, str | bytes] = {"s": SOURCE, "t": TARGET, "a": LINKS}
    files[side] = content
    if side != "a" and "unequal" not in said:
        files["a"] = "\n\n"
    paths = write(tmp_path, **files)
    with pytest.raises(DataError, match=said) as error:
        Bitext.read(*paths)
    assert len(error.value.hint) > 20


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("side", ["s", "t", "a"])
def test_utf16_is_recognised(tmp_path: Path, side: str, encoding: str) -> None:
    files: dict[str, str | bytes] = {"s": SOURCE, "t": TARGET, "a": LINKS}
    files[side] = str(files[side]).encode(encoding)
    paths = write(tmp_path, **files)
    with pytest.raises(DataError, match=f"{side}: is UTF-16 text; text must be UTF-8") as error:
        Bitext.read(*paths)
    assert f"iconv -f UTF-16 -t UTF-8 {tmp_path / side} >" in error.value.hint


def test_sides_the_wrong_way_round_are_named(tmp_path: Path) -> None:
    paths = write(tmp_path, s="a b c\na b c d\n", t="x\nx y\n", a="0-0 0-2\n1-3\n")
    with pytest.raises(DataError, match=r"a:1: link 0-2 .* beyond the target") as error:
        Bitext.read(*paths)
    assert "give the source and target files the other way round" in error.value.hint
    assert Bitext.read(paths[1], paths[0], paths[2])[1].links == [(1, 3)]


def test_links_that_fit_neither_way_are_not_called_turned(tmp_path: Path) -> None:
    paths = write(tmp_path, s="a b c\na b c d\n", t="x\nx y\n", a="0-0 0-2\n3-3\n")
    with pytest.raises(DataError, match=r"a:1: link 0-2 .* beyond the target") as error:
        Bitext.read(*paths)
    assert "check that the alignment is of this corpus" in error.value.hint


def test_unequal_lengths_far_into_the_files(tmp_path: Path) -> None:
    paths = write(tmp_path, s="a\n" * 25_000, t="b\n" * 10_000)
    with pytest.raises(DataError, match=r"t:10000: .*s has 25,000 lines, .*t has 10,000"):
        Bitext.read(*paths)


def test_defects_name_the_line_of_the_file_not_of_the_block(tmp_path: Path) -> None:
    links = ["0-0\n"] * 30_000
    links[25_123] = "0-0 x\n"
    paths = write(tmp_path, s="a\n" * 30_000, t="b\n" * 30_000, a="".join(links))
    with pytest.raises(DataError, match="a:25124: malformed link x"):
        Bitext.read(*paths)


def test_long_sentences_are_skipped_and_counted(tmp_path: Path) -> None:
    paths = write(tmp_path, s="a b c\na\na b\n", t="x\nx y z\nx\n", a="2-0\n0-2\n1-0\n")
    bitext = Bitext.read(*paths, options=ReadOptions(max_sentence_length=2))
    assert bitext.skipped.too_long == 2
    assert bitext.lines.tolist() == [3]
    assert bitext[0] == (["a", "b"], ["x"], [(1, 0)])
    assert "c" not in bitext.source.vocabulary


def test_empty_lines_can_be_skipped(tmp_path: Path) -> None:
    paths = write(tmp_path, s="a\n\nb\n", t="x\ny\n \n", a="0-0\n\n\n")
    bitext = Bitext.read(*paths, options=ReadOptions(skip_empty=True))
    assert bitext.skipped.empty == 2
    assert bitext.lines.tolist() == [1]


@pytest.mark.parametrize("length", [0, 4097])
def test_length_limit_has_limits(length: int) -> None:
    with pytest.raises(OptionError, match="max_sentence_length must be 1 to 4096"):
        ReadOptions(max_sentence_length=length)


def test_sentences_at_the_greatest_length() -> None:
    words = " ".join(["w"] * 4096)
    options = ReadOptions(max_sentence_length=4096)
    bitext = Bitext.from_lines(
        [words, words + " w"], ["x", "x"], ["4095-0", "4096-0"], options=options
    )
    assert len(bitext) == 1
    assert bitext.links.tolist() == [[4095, 0]]


TOKEN = st.text(
    st.characters(exclude_characters=" \t\n\r\0", exclude_categories=["Cs"]), min_size=1
)
LINE = st.lists(TOKEN.filter(lambda t: t != "|||"), min_size=1, max_size=6).map(" ".join)


@given(st.lists(st.tuples(LINE, LINE), max_size=8), st.data())
def test_agrees_with_the_twin(pairs: list[tuple[str, str]], data: st.DataObject) -> None:
    sides = [[pair[side] for pair in pairs] for side in (0, 1)]
    alignment = []
    for source, target in pairs:
        cell = st.tuples(
            st.integers(0, len(oracle.tokens(source)) - 1),
            st.integers(0, len(oracle.tokens(target)) - 1),
        )
        alignment.append(" ".join(f"{i}-{j}" for i, j in data.draw(st.lists(cell, max_size=5))))
    bitext = Bitext.from_lines(sides[0], sides[1], alignment)
    for text, lines in zip((bitext.source, bitext.target), sides, strict=True):
        ids, words = oracle.encode(lines)
        assert list(text.vocabulary) == words
        assert [text.ids[a:b].tolist() for a, b in pairwise(text.offsets)] == ids
    assert [pair.links for pair in (bitext[i] for i in range(len(bitext)))] == [
        oracle.links(line) for line in alignment
    ]


@examples(300)
@given(st.binary(max_size=120), st.binary(max_size=120), st.binary(max_size=60))
def test_random_bytes_are_read_or_refused(
    tmp_path_factory: pytest.TempPathFactory, source: bytes, target: bytes, links: bytes
) -> None:
    paths = write(tmp_path_factory.mktemp("bytes"), s=source, t=target, a=links)
    try:
        Bitext.read(*paths)
    except DataError as error:
        assert error.path in map(str, paths)


@examples(200)
@given(st.binary(max_size=200), st.sampled_from(["x.tsv", "x.tmx", "x.zip", "x.tsv.gz"]))
def test_random_bytes_in_one_file(
    tmp_path_factory: pytest.TempPathFactory, content: bytes, name: str
) -> None:
    (path,) = write(tmp_path_factory.mktemp("bytes"), **{name: content})
    try:
        Bitext.read(path)
    except DataError as error:
        assert str(path) in str(error)


def test_blocks_make_up_the_whole(tmp_path: Path) -> None:
    numbers = range(23_456)
    paths = write(
        tmp_path,
        s="".join(f"s{i % 777} a\n" for i in numbers),
        t="".join(f"t{i % 55}\n" for i in numbers),
        a="".join(f"{i % 2}-0\n" for i in numbers),
    )
    blocks = list(read_blocks(*paths))
    assert [len(block) for block in blocks] == [10_000, 10_000, 3_456]
    whole = Bitext.read(*paths)
    assert whole.fingerprint == Bitext.join(blocks).fingerprint
    assert whole.lines.tolist() == [i + 1 for i in numbers]
    assert whole[23_455] == (["s145", "a"], ["t25"], [(1, 0)])
    part = whole.slice(10_000, 20_000)
    assert np.array_equal(part.source.ids, blocks[1].source.ids)
    assert np.array_equal(part.link_offsets, blocks[1].link_offsets)


def test_blocks_of_different_corpora_do_not_join() -> None:
    one, other = (Bitext.from_lines(["a"], ["b"], ["0-0"]) for _ in range(2))
    with pytest.raises(ValueError, match="must share their vocabularies"):
        Bitext.join([one, other])


def test_fingerprint_sees_every_change() -> None:
    texts = [
        (["a b"], ["x"], ["0-0"]),
        (["a b"], ["x"], ["1-0"]),
        (["b a"], ["x"], ["0-0"]),
        (["a c"], ["x"], ["0-0"]),
        (["a", "b"], ["x", "x"], ["0-0", ""]),
    ]
    assert len({Bitext.from_lines(*text).fingerprint for text in texts}) == len(texts)


def test_from_lines_checks_its_arguments() -> None:
    with pytest.raises(OptionError, match="differ in length: 2, 1"):
        Bitext.from_lines(["a", "b"], ["x"])
    with pytest.raises(OptionError, match="line break"):
        Bitext.from_lines(["a\nb"], ["x"])
    with pytest.raises(OptionError, match="lists of sentences"):
        Bitext.from_lines("ab", "xy")
    with pytest.raises(OptionError, match="cannot be written as UTF-8"):
        Bitext.from_lines(["\udc80"], ["x"])
    with pytest.raises(OptionError, match="languages are a pair"):
        ReadOptions(languages="ar-en")  # type: ignore[arg-type]
    with pytest.raises(DataError, match="alignment:1: malformed link"):
        Bitext.from_lines(["a"], ["x"], ["zero"])


def test_index_out_of_range() -> None:
    with pytest.raises(IndexError, match="no sentence 1"):
        Bitext.from_lines(["a"], ["x"])[1]


def test_named_pipe(tmp_path: Path) -> None:
    import threading

    target, links = write(tmp_path, t=TARGET, a=LINKS)
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    feeder = threading.Thread(target=lambda: pipe.write_bytes(SOURCE.encode()))
    feeder.start()
    check(Bitext.read(pipe, target, links))
    feeder.join()
