"""The limits that docs/formats.md lists: at the limit all is well, one beyond is an error."""

from __future__ import annotations

import gzip
import io
import lzma
import zipfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import pytest
import zstandard

from tartib import (
    Bitext,
    DataError,
    LanguageModel,
    OptionError,
    ReadOptions,
    _native,
    read_svmlight,
    textio,
)
from tartib.decoder import SearchOptions
from tartib.decoder.input import SentenceReader
from tartib.decoder.long_sentences import MAX_WORDS
from tartib.engine import MAX_JOBS, count_jobs
from tartib.evaluation.significance import MAX_SAMPLES, check_options
from tartib.models import MulticlassSVM
from tartib.storage import read_toml
from tests.support.commands import invoke
from tests.support.paths import REPOSITORY

LIMITS = (REPOSITORY / "docs" / "formats.md").read_text(encoding="utf-8")


def blocks(data: bytes) -> list[bytes]:
    return list(textio.line_blocks(io.BytesIO(data)))


@pytest.mark.parametrize("before", [b"", b"first\n", b"x" * 5000 + b"\n"])
@pytest.mark.parametrize("after", [b"", b"\n", b"\nlast\n"])
def test_the_longest_line(before: bytes, after: bytes) -> None:
    longest = b"a" * textio.MAX_LINE
    data = before + longest + after
    assert b"".join(blocks(data)) == data
    with pytest.raises(DataError, match=r"a line of more than 1,048,576 bytes") as caught:
        blocks(before + longest + b"a" + after)
    assert caught.value.line == before.count(b"\n") + 1


def test_a_line_beyond_is_refused_before_all_of_it_was_read() -> None:
    class Endless:
        path = "endless"
        given = 0

        def read(self, size: int, /) -> bytes:
            self.given += size
            return b"a " * (size // 2)

    stream = Endless()
    with pytest.raises(DataError, match=r"^endless:1: a line of more than 1,048,576 bytes"):
        list(textio.line_blocks(stream))
    assert stream.given < 4 * textio.MAX_LINE


@pytest.mark.parametrize("ended", [b"", b"\n"])
def test_the_longest_line_to_translate(tmp_path: Path, ended: bytes) -> None:
    path = tmp_path / "text"
    path.write_bytes(b"one\n" + b"a" * textio.MAX_LINE + ended)
    with SentenceReader(path) as reader:
        assert [len(line) for line in reader] == [3, textio.MAX_LINE]
    path.write_bytes(b"one\n" + b"a" * (textio.MAX_LINE + 1) + ended)
    with (
        SentenceReader(path) as reader,
        pytest.raises(DataError, match=r"text:2: a line of more than 1,048,576 bytes"),
    ):
        list(reader)


def test_most_words_to_translate(tmp_path: Path) -> None:
    path = tmp_path / "text"
    path.write_bytes(b"a " * MAX_WORDS)
    with SentenceReader(path) as reader:
        assert [len(line.split()) for line in reader] == [MAX_WORDS]
    path.write_bytes(b"one\n" + b"a\t" * (MAX_WORDS + 1))
    with (
        SentenceReader(path) as reader,
        pytest.raises(DataError, match=r"text:2: a line of more than 100,000 words"),
    ):
        list(reader)


def test_the_longest_row(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tartib.dataset.svmlight.MAX_ROW", 100)
    path = tmp_path / "rows"
    row = b"1 1:1 2:" + b"0" * 91 + b"1"
    path.write_bytes(row + b"\n")
    assert len(read_svmlight(path)) == 1
    path.write_bytes(row.replace(b"2:", b"2:0") + b"\n")
    with pytest.raises(DataError, match="a line of more than 100 bytes"):
        read_svmlight(path)


def test_the_longest_segment_of_a_tmx(tmp_path: Path) -> None:
    unit = '<tu><tuv xml:lang="a"><seg>{}</seg></tuv><tuv xml:lang="b"><seg>x</seg></tuv></tu>'
    page = f"<tmx><body>{unit}</body></tmx>"
    path = tmp_path / "x.tmx"
    path.write_text(page.format("a" * textio.MAX_LINE))
    assert len(Bitext.read(path, options=ReadOptions(max_sentence_length=5))) == 1
    path.write_text(page.format("é" * (textio.MAX_LINE // 2)), encoding="utf-8")
    assert len(Bitext.read(path, options=ReadOptions(max_sentence_length=5))) == 1
    for text in ("a" * (textio.MAX_LINE + 1), "é" * (textio.MAX_LINE // 2 + 1)):
        path.write_text(page.format(text), encoding="utf-8")
        with pytest.raises(DataError, match="a line of more than 1,048,576 bytes"):
            Bitext.read(path)


@pytest.mark.parametrize("suffix", [".gz", ".xz", ".zst"])
def test_expansion(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, suffix: str) -> None:
    compress: Callable[[bytes], bytes] = {
        ".gz": lambda data: gzip.compress(data),
        ".xz": lambda data: lzma.compress(data),
        ".zst": lambda data: zstandard.ZstdCompressor().compress(data),
    }[suffix]
    path = tmp_path / f"text{suffix}"
    size = 1 << 20
    path.write_bytes(compress(b"line\n" * (size // 5)))

    def read() -> int:
        with textio.ByteStream(path) as stream:
            return sum(map(len, iter(stream.read, b"")))

    ratio = size // path.stat().st_size
    monkeypatch.setattr(textio, "MAX_EXPANSION", ratio + 10)
    monkeypatch.setattr(textio, "FREE_EXPANSION", 1 << 16)
    assert read() > 1 << 16
    monkeypatch.setattr(textio, "MAX_EXPANSION", ratio // 2)
    with pytest.raises(DataError, match="expand to more than"):
        read()
    monkeypatch.setattr(textio, "FREE_EXPANSION", 1 << 30)
    assert read() > 1 << 16


def test_expansion_of_a_zip(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "x.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for side in "ab":
            archive.writestr(f"x.a-b.{side}", "word\n" * 20_000)
    assert len(Bitext.read(path)) == 20_000
    monkeypatch.setattr(textio, "MAX_EXPANSION", 10)
    monkeypatch.setattr(textio, "FREE_EXPANSION", 1 << 16)
    with pytest.raises(DataError, match="expand to more than 10 times as many"):
        Bitext.read(path)


def test_a_real_bomb_needs_little_memory(tmp_path: Path) -> None:
    """An endless line in some kilobytes is refused after its first megabytes."""
    path = tmp_path / "bomb.zst"
    compressor = zstandard.ZstdCompressor().compressobj()
    with path.open("wb") as file:
        zeros = bytes(1 << 24)
        for _ in range(8):
            file.write(compressor.compress(zeros))
        file.write(compressor.flush())
    with pytest.raises(DataError, match="a line of more than"), textio.ByteStream(path) as stream:
        list(textio.line_blocks(stream))


@pytest.mark.filterwarnings("ignore:The number of unique classes")
def test_classes() -> None:
    most = _native.MAX_CLASSES
    X = np.eye(most + 1, dtype=np.float32)
    MulticlassSVM(max_iter=1000).fit(X[:most], np.arange(most))
    with pytest.raises(OptionError, match=f"{most + 1} classes: at most {most} are allowed"):
        MulticlassSVM().fit(X, np.arange(most + 1))


def test_jobs() -> None:
    assert count_jobs(1024) == 1024
    with pytest.raises(OptionError, match="the number of jobs must be 1 to 1,024, got 1025"):
        count_jobs(1025)


def test_lengths_of_sentences_and_phrases() -> None:
    ReadOptions(max_sentence_length=_native.MAX_SENTENCE_LENGTH)
    with pytest.raises(OptionError, match="max_sentence_length must be 1 to 4096, got 4097"):
        ReadOptions(max_sentence_length=_native.MAX_SENTENCE_LENGTH + 1)
    offsets, none = np.array([0, 1]), np.zeros(0, np.uint32)
    extract = partial(_native.extract_phrases, offsets, offsets, none, np.zeros(2, np.int64))
    extract(_native.MAX_PHRASE_LENGTH)
    with pytest.raises(ValueError, match="max_phrase_length is out of range"):
        extract(_native.MAX_PHRASE_LENGTH + 1)


def test_words_of_a_piece() -> None:
    SearchOptions(max_words=_native.MAX_DECODED_WORDS)
    with pytest.raises(ValueError, match="less than or equal to 256"):
        SearchOptions(max_words=_native.MAX_DECODED_WORDS + 1)


def test_samples_of_a_significance_test() -> None:
    check_options(MAX_SAMPLES)
    with pytest.raises(OptionError, match="samples must be at most 1,000,000, got 1,000,001"):
        check_options(MAX_SAMPLES + 1)
    for many in (MAX_SAMPLES + 1, 10**20):  # refused before the files are looked for
        said = invoke("score", "-r", "x", "y", "--samples", many, code=2).output
        assert "--samples" in said
        assert f" {MAX_SAMPLES} " in said


def test_order_of_a_language_model() -> None:
    LanguageModel.estimate(["a b"], _native.MAX_ORDER, discount_fallback=True)
    with pytest.raises(OptionError, match="the order must be from 1 to 6: 7"):
        LanguageModel.estimate(["a b"], _native.MAX_ORDER + 1, discount_fallback=True)


@pytest.mark.parametrize("part", ["a", '"a b"', "'a . b'"])
def test_parts_of_a_key(tmp_path: Path, part: str) -> None:
    (tmp_path / "toml").write_text(".".join([part] * 64) + " = 1")
    assert read_toml(tmp_path / "toml", "")
    (tmp_path / "toml").write_text(".".join([part] * 65) + " = 1")
    with pytest.raises(DataError, match="a key of more than 64 parts"):
        read_toml(tmp_path / "toml", "")


@pytest.mark.parametrize(
    "limit",
    [
        textio.MAX_LINE, textio.MAX_EXPANSION, _native.MAX_CLASSES, _native.MAX_SENTENCE_LENGTH,
        _native.MAX_PHRASE_LENGTH, _native.MAX_ORDER, _native.MAX_DECODED_WORDS, MAX_JOBS,
        MAX_WORDS, MAX_SAMPLES, _native.MAX_WORD_CLASSES,
    ],
)  # fmt: skip
def test_the_table_has_them_all(limit: int) -> None:
    table = LIMITS.split("## Limits")[1]
    assert f"{limit:,}" in table
