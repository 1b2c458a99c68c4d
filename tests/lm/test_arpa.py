"""ARPA files of ours and of others."""

import gzip
import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tartib import DataError, LanguageModel, Vocabulary, _native
from tests.oracles import lm as oracle
from tests.support import paths

pytestmark = pytest.mark.native
GOLDEN = paths.GOLDEN / "kenlm"
WORDS = ["<unk>", "<s>", "</s>", "a", "b", "c"]
SMALL = """
\\data\\
ngram 1=4
ngram 2=2

\\1-grams:
-1.5 <s> -0.3
-0.5\t</s>
-0.7  a\t-0.25
-0.9\tb

\\2-grams:
-0.2\t<s> a
-1e-1 a b 0

\\end\\
"""


def load(text: str | bytes) -> LanguageModel:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.arpa"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return LanguageModel.load(path)


def test_reads_loose_text() -> None:
    for text in (SMALL, SMALL.replace("\n", "\r\n"), "a comment\n" + SMALL, SMALL.rstrip("\n")):
        model = load(text)
        assert model.counts == (5, 2)  # <unk> was added
        assert model.score("a b") == pytest.approx(-0.2 - 0.1 - 0.5)
        assert model.score("b a") == pytest.approx(-0.3 - 0.9 - 0.7 - 0.25 - 0.5)


def test_unknown_words_where_a_file_has_none() -> None:
    model = load(SMALL)
    assert model.word_scores("z a")[0].log10_p == pytest.approx(-0.3 - 100)
    assert not model.word_scores("z")[0].known
    upper = load(SMALL.replace("ngram 1=4", "ngram 1=5").replace("\tb\n", "\tb\n-3 <UNK>\n"))
    assert upper.score("z", begin=False, end=False) == -3


def test_compressed_both_ways(tmp_path: Path) -> None:
    model = LanguageModel.load(GOLDEN / "text.o3.arpa")
    model.write_arpa(tmp_path / "model.arpa.gz", progress=True)
    text = gzip.decompress((tmp_path / "model.arpa.gz").read_bytes()).decode()
    golden = (GOLDEN / "text.o3.arpa").read_text()
    assert sorted(text.splitlines()) == sorted(golden.splitlines())
    again = LanguageModel.load(tmp_path / "model.arpa.gz", progress=True)
    assert again.counts == model.counts
    queries = GOLDEN / "queries"
    assert again.perplexity(queries) == pytest.approx(model.perplexity(queries), rel=1e-6)


NUMBERS = st.floats(-5, 0, width=32)


@given(st.data(), st.integers(1, 4))
def test_models_with_holes(data: st.DataObject, order: int) -> None:
    """Any n-grams, with or without those that they begin and end with."""
    listed: oracle.Model = {(word,): (-1.0, 0.0) for word in WORDS}
    longer = st.lists(st.sampled_from(WORDS), min_size=2, max_size=order).map(tuple)
    ngrams = data.draw(st.lists(longer, max_size=12, unique=True)) if order > 1 else []
    for ngram in [*listed, *ngrams]:
        highest = len(ngram) == order
        backoff = 0.0 if highest else data.draw(st.one_of(st.just(0.0), st.floats(-2, 1)))
        listed[ngram] = (data.draw(NUMBERS), backoff)
    model = load(oracle.arpa(listed, order))
    for _ in range(3):
        words = data.draw(st.lists(st.sampled_from(["a", "b", "c", "z"]), max_size=6))
        found = [word.log10_p for word in model.word_scores(words)]
        expected = oracle.sentence_scores(listed, words, order)
        assert found == pytest.approx(expected, abs=1e-4)
    if any(backoff > 0 for _, backoff in listed.values()):
        return  # such a model is no distribution, and may have probabilities that are not written
    with tempfile.TemporaryDirectory() as folder:
        model.write_arpa(Path(folder) / "arpa")
        again = LanguageModel.load(Path(folder) / "arpa")
    assert [w.log10_p for w in again.word_scores(words)] == pytest.approx(found, abs=1e-4)


@given(NUMBERS, st.sampled_from(["{:.9g}", "{:.12f}", "{:.9e}", "{!r}"]))
def test_numbers(number: float, form: str) -> None:
    model = load(SMALL.replace("-0.9\tb", form.format(number) + "\tb"))
    found = model.native.score_next(model.ids([]), model.ids(["b"]), False)[0]
    assert found == pytest.approx(np.float32(float(form.format(number))), rel=2e-7)


@pytest.mark.parametrize(
    ("old", "new", "line", "said"),
    [
        ("\\data\\", "data", 16, "no line \\\\data"),
        ("ngram 2=2", "ngram 3=2", 4, "must be 1, 2, 3"),
        ("ngram 2=2", "ngram 2=two", 4, "not a line such as"),
        ("ngram 2=2", "ngram 2=-1", 4, "not a line such as"),
        ("ngram 2=2", "n-gram 2=2", 4, "not a line such as"),
        ("ngram 1=4\nngram 2=2\n", "", 4, "no counts"),
        ("ngram 2=2", "\n".join(f"ngram {n}=1" for n in range(2, 8)), 9, "models above order 6"),
        ("ngram 1=4", "ngram 1=5", 12, r"4 1-grams are listed, but \\data\\ says 5"),
        ("ngram 2=2", "ngram 2=1", 16, r"2 2-grams are listed, but \\data\\ says 1"),
        ("ngram 2=2", "ngram 2=2\nngram 3=0", 17, "3-grams are missing"),
        ("\\2-grams:", "\\3-grams:", 12, r"expected the line \\2-grams"),
        ("\\end\\", "\\3-grams:", 16, r"expected the line \\end"),
        ("\\end\\\n", "", 15, "it was cut short"),
        ("-1.5 <s>", "1.5 <s>", 7, "above 0: 1.5"),
        ("-1.5 <s>", "x <s>", 7, "not a number: 'x'"),
        ("-1.5 <s>", "-1.5e <s>", 7, "not a number"),
        ("-1.5 <s>", "-1..5 <s>", 7, "not a number"),
        ("-1.5 <s>", "- <s>", 7, "not a number"),
        ("-1.5 <s> -0.3", "-1.5 <s> nan", 7, "not a back-off: 'nan'"),
        ("-1.5 <s> -0.3", "-1.5 <s> inf", 7, "not a back-off: 'inf'"),
        ("-1.5 <s> -0.3", "-1.5 <s> 1e300", 7, "not a back-off: '1e300'"),
        ("-1.5 <s>", "-1e-2147483648 <s>", 7, "not a number: '-1e-2147483648'"),
        ("-1.5 <s> -0.3", "-1.5", 7, "expected a number, 1 words"),
        ("-1e-1 a b 0", "-1e-1 a", 14, "expected a number, 2 words"),
        ("-1e-1 a b 0", "-1e-1 a b 0 0", 14, "expected a number, 2 words"),
        ("-1e-1 a b 0", "-1e-1 a z", 14, "'z' is not among the 1-grams"),
        ("-1e-1 a b 0", "-1e-1 <s> a", 14, "listed twice"),
        ("-0.9\tb", "-0.9\ta", 10, "'a' is listed twice"),
        ("-0.5\t</s>", "-0.5\te", 12, "lack </s>"),
        ("-0.9\tb", "-0.9\t\xff", 10, "not UTF-8"),
    ],
)
def test_bad_lines(tmp_path: Path, old: str, new: str, line: int, said: str) -> None:
    text = SMALL.replace(old, new)
    assert text != SMALL
    (tmp_path / "model.arpa").write_bytes(text.encode("latin-1"))
    with pytest.raises(DataError, match=rf"model\.arpa:{line}: .*{said}"):
        LanguageModel.load(tmp_path / "model.arpa")


@pytest.mark.parametrize("number", ["-inf", "-1e300", "-" + "9" * 400])
def test_minus_infinity_is_very_little(number: str) -> None:
    assert load(SMALL.replace("-0.9\tb", f"{number}\tb")).score("b") == pytest.approx(-99.8)


@pytest.mark.parametrize("number", ["-0." + "9" * 400, "-" + "9" * 30 + "e-30", "0e1000"])
def test_numbers_of_unusual_form(number: str) -> None:
    found = load(SMALL.replace("-0.9\tb", f"{number}\tb")).score("b", begin=False, end=False)
    assert found == pytest.approx(float(number))


def test_words_that_came_from_elsewhere() -> None:
    vocabulary = _native.Vocabulary()
    reader = _native.ArpaReader(vocabulary)
    assert reader.feed(SMALL.partition("-0.2\t")[0].encode()) is None
    vocabulary.intern(b"z")
    defect = reader.feed(b"-0.2 <s> z\n")
    assert defect is not None
    assert b"'z' is not among the 1-grams" in defect[1]


@pytest.mark.parametrize("size", [0, 1, 300, 100_000])
def test_cut_files(tmp_path: Path, size: int) -> None:
    (tmp_path / "cut.arpa").write_bytes((GOLDEN / "text.o3.arpa").read_bytes()[:size])
    with pytest.raises(DataError, match=r"cut|no line"):
        LanguageModel.load(tmp_path / "cut.arpa")
    packed = gzip.compress((GOLDEN / "text.o3.arpa").read_bytes())[: size // 10 + 20]
    (tmp_path / "cut.arpa.gz").write_bytes(packed)
    with pytest.raises(DataError, match="cut short"):
        LanguageModel.load(tmp_path / "cut.arpa.gz")


@given(st.data())
def test_random_damage_does_no_harm(data: st.DataObject) -> None:
    text = bytearray(SMALL.encode())
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(1, len(text) - 1))  # the first bytes may say: compressed
        text[at : at + data.draw(st.integers(0, 3))] = data.draw(st.binary(max_size=3))
    try:
        load(bytes(text)).score("a b c")
    except DataError as error:
        assert error.line is not None


@pytest.mark.parametrize("cut", range(1, 40, 3))
def test_chunks_may_end_anywhere(cut: int) -> None:
    vocabulary = Vocabulary()
    reader = _native.ArpaReader(vocabulary.native)
    content = SMALL.encode()
    with pytest.raises(RuntimeError, match="no complete ARPA file"):
        reader.table()
    for begin in range(0, len(content), cut):
        assert reader.feed(content[begin : begin + cut]) is None
    assert reader.finish() is None
    ngrams, reach, counts = reader.table()
    with pytest.raises(RuntimeError, match="no complete ARPA file"):
        reader.table()
    assert counts.tolist() == [5, 2]
    assert reader.listed == 6
    model = _native.LanguageModel(vocabulary.native, ngrams, 5, reach, 2)
    assert model.score_lines(b"a b\n")[0] == pytest.approx([-0.8])
