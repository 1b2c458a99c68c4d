"""`Translator`: sentences and documents, with a small text module and without one."""

from __future__ import annotations

import itertools
import re
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tartib import Decoder, OptionError, Translator
from tests.support import systems
from tests.support.systems import SOURCE, words_of

if TYPE_CHECKING:
    from tartib.text import TextModel

LINES = SOURCE.read_text().splitlines()
TEXT = "Every old window finds the river. A river reads every young letter."


@dataclass(frozen=True)
class Side:
    """Cuts punctuation off and makes letters small; puts both right again."""

    language: str

    def prepare(self, line: str) -> str:
        return re.sub(r"\s*([.,])", r" \1", " ".join(line.split())).lower()

    def restore(self, tokens: str | Sequence[str], *, like: str | None = None) -> str:
        return self.join(self.written(tokens, like=like))

    def written(self, tokens: str | Sequence[str], *, like: str | None = None) -> list[str]:
        words = tokens.split(" ") if isinstance(tokens, str) else list(tokens)
        large = words and like is not None and like[:1].isupper()
        return [words[0][:1].upper() + words[0][1:], *words[1:]] if large else words

    def join(self, written: Sequence[str]) -> str:
        return re.sub(r" ([.,])", r"\1", " ".join(written))

    def sentences(self, paragraph: str) -> list[str]:
        return re.findall(r"[^.\s][^.]*\.?", paragraph)

    def paragraph(self, sentences: Sequence[str]) -> str:
        return " ".join(sentences)

    def doubts(self, lines: Sequence[str], other: Side | None = None) -> list[str]:
        assert other is None or other.language == "en"
        return ["it looks tokenised"] if any(" ." in line for line in lines) else []


@dataclass(frozen=True)
class Sides:
    source: Side = Side("de")
    target: Side = Side("en")


@pytest.fixture(scope="module")
def decoder(tmp_path_factory: pytest.TempPathFactory) -> Decoder:
    return Decoder.load(systems.write_toml(tmp_path_factory.mktemp("system")))


@pytest.fixture
def plain(decoder: Decoder) -> Translator:
    return Translator(decoder, n_jobs=2)


@pytest.fixture
def raw(decoder: Decoder) -> Translator:
    return Translator(decoder, cast("TextModel", Sides()), n_jobs=2)


def test_tokens_in_tokens_out(plain: Translator) -> None:
    found = list(plain.translate(LINES))
    assert [translated.text for translated in found] == words_of("none")
    assert [translated.source for translated in found] == LINES
    assert found[0].alignment == found[0].translation.best.alignment
    assert not found[0].is_raw


def test_raw_text_in_raw_text_out(raw: Translator, plain: Translator) -> None:
    found = raw.translate("Every old window  finds the river.\r\n")
    tokens = plain.translate("every old window finds the river .").text
    assert found.translation.text == tokens
    assert found.text == tokens[0].upper() + tokens[1:].replace(" .", ".")
    assert found.source == "Every old window  finds the river."
    assert (found.n_words, found.n_unknown, found.warnings) == (7, 0, ())
    assert raw.translate("").text == ""


def test_nbest_lists_are_raw(raw: Translator) -> None:
    found = raw.translate("The old window.", nbest_size=5, distinct=True)
    assert found.nbest[0] == found.text
    assert len(found.nbest) == len(found.translation.nbest) == 5
    assert all(text[0].isupper() and " ." not in text for text in found.nbest)


def test_words_are_aligned(raw: Translator) -> None:
    found = raw.translate("Every old, unheard-of window.")
    source, target = found.source.split(), found.text.split()
    unknown = target.index(next(word for word in target if word.startswith("unheard-of")))
    assert (2, unknown) in found.alignment
    assert {i for i, _ in found.alignment} <= set(range(len(source)))
    assert {j for _, j in found.alignment} <= set(range(len(target)))
    assert raw.translate("").alignment == []


@given(st.lists(st.sampled_from(["Every", "old", "zzz,", "window", "river.", "ah . "]), max_size=8))
def test_alignments_have_words_of_both_sides(decoder: Decoder, words: list[str]) -> None:
    found = Translator(decoder, cast("TextModel", Sides()), n_jobs=1).translate(" ".join(words))
    for i, j in found.alignment:
        found.source.split()[i], found.text.split()[j]


@pytest.mark.parametrize("jobs", [1, 3])
def test_sentences_are_drawn_lazily_and_come_in_order(decoder: Decoder, jobs: int) -> None:
    translator = Translator(decoder, cast("TextModel", Sides()), n_jobs=jobs)
    drawn = []

    def endless() -> Iterator[str]:
        for number in itertools.count():
            drawn.append(number)
            yield f"{number} old windows"

    found = translator.translate(endless())
    assert not drawn
    some = list(itertools.islice(found, 10))
    assert [s.source for s in some] == [f"{i} old windows" for i in range(10)]
    assert all(s.text.startswith(str(i)) or str(i) in s.text for i, s in enumerate(some))
    assert len(drawn) < 10 + 3 * jobs + 2


def test_an_answer_comes_before_the_next_question(raw: Translator) -> None:
    """As long as no further sentence is ready, what there is comes out."""
    asked = threading.Event()

    def lines() -> Iterator[str]:
        yield "Every old window."
        assert asked.is_set(), "the second sentence was read before the first one was translated"
        yield "The river."

    found = raw.translate(lines(), ready=asked.is_set)
    assert next(found).source == "Every old window."
    asked.set()
    assert next(found).source == "The river."


def test_documents_keep_their_lines(raw: Translator) -> None:
    single = [raw.translate(part).text for part in TEXT.split(". ")]
    first, empty, last = raw.translate_paragraphs([TEXT + "\n", "", "The river."])
    assert first.source == TEXT
    assert [s.source for s in first.sentences] == TEXT.replace(". ", ".|").split("|")
    assert first.text.count(".") == 2
    assert first.text.endswith(single[1])
    assert (empty.text, empty.source) == ("", "")
    assert (first.n_words, first.n_unknown) == (14, 0)
    document = f"{TEXT}\n\nThe river.\n"
    expected = f"{first.text}\n\n{last.text}\n"
    assert raw.translate_document(document) == expected


@given(st.text(alphabet="Eve. \n", max_size=30))
def test_any_document_keeps_its_lines(decoder: Decoder, text: str) -> None:
    raw = Translator(decoder, cast("TextModel", Sides()), n_jobs=1)
    assert raw.translate_document(text).count("\n") == text.count("\n")


def test_paragraphs_come_one_by_one(raw: Translator) -> None:
    """The sentences of a paragraph are there together, whatever `ready` says of the next one."""
    found = raw.translate_paragraphs(iter([TEXT, "", TEXT]), ready=lambda: False)
    assert [len(paragraph.sentences) for paragraph in found] == [2, 1, 2]


@pytest.mark.parametrize("call", ["translate_document", "translate_paragraphs"])
def test_documents_need_a_text_module(plain: Translator, call: str) -> None:
    with pytest.raises(OptionError, match="has no text module"):
        getattr(plain, call)(TEXT if call == "translate_document" else [TEXT])


def test_a_string_is_no_list_of_paragraphs(raw: Translator) -> None:
    with pytest.raises(OptionError, match="translate_document"):
        raw.translate_paragraphs(TEXT)


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (LINES, None),
        (["", ""], None),
        (["zzz", "zzz"], "all of its 2 words are unknown"),
        (["zzz", "every zzz"], None),  # too few to tell
        ([f"{line} zzz" for line in LINES], None),  # one of nine: more than usual, but few
        ([re.sub(r" \.", ".", line) for line in LINES], "punctuation that is attached"),
        ([line.upper() for line in LINES], "known in lower case"),
        (["ganz andere worte"] * 20, "is it in the source language, and tokenised and cased"),
        (words_of("none"), "words of the target language"),
    ],
)
def test_doubts_about_tokens(plain: Translator, lines: list[str], said: str | None) -> None:
    plain.usual_unknown = 0.05 if len(lines[0].split()) > 8 and "zzz" in lines[0] else None
    found = plain.doubts(plain.translate(lines))
    assert len(found) == (said is not None)
    assert said is None or said in found[0]


def test_doubts_about_raw_text(raw: Translator) -> None:
    assert raw.doubts(raw.translate(["Every old window finds the river."] * 9)) == []
    assert raw.doubts([raw.translate("Every old window .")]) == ["it looks tokenised"]
    said = raw.doubts(raw.translate(["Ganz andere worte."] * 9))
    assert said == [
        "27 of 36 words are unknown to the phrase table (75.0%): is it in the source language "
        "(de), and about what the training text was about?"
    ]
    raw.usual_unknown = 0.6
    assert raw.doubts(raw.translate(["Ganz andere worte."] * 9)) == []


def test_what_it_is(raw: Translator, plain: Translator) -> None:
    assert repr(raw).startswith("<Translator de-en: <Decoder: ")
    assert repr(plain).startswith("<Translator: <Decoder: ")


def test_options_are_checked_at_once(raw: Translator) -> None:
    with pytest.raises(OptionError, match="nbest_size"):
        raw.translate(["x"], nbest_size=0)
    wrong: Any = "x"
    with pytest.raises(OptionError, match="nbest_size"):
        raw.translate(wrong, nbest_size=0)
