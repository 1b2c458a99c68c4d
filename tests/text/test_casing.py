"""Case: learnt where no sentence begins, and restored."""

from __future__ import annotations

import pytest

from tartib.text import TextOptions, TextSide, learn_text

ENGLISH = [
    "The house is old, and the President of France lives in it.",
    "Yesterday the old man saw NATO and eBay, and I saw him.",
    "We saw the house; it was said that the President left.",
    "In it we live. The man is old! Is it so? It is.",
    "He is in the house, and we saw yesterday what he saw.",
] * 3
GERMAN = ["Am 3. europäischen Tag sah er das Haus, und er war alt. Das war alles."] * 3


def learnt(lines: list[str], language: str, **options: object) -> TextSide:
    pairs = ((line, line) for line in lines)
    return learn_text(pairs, (language, language), TextOptions.model_validate(options)).source


@pytest.fixture(scope="module")
def english() -> TextSide:
    return learnt(ENGLISH, "en")


@pytest.mark.parametrize(
    ("raw", "tokens"),
    [
        ("The man is old.", "the man is old ￭."),
        ("President of what?", "President of what ￭?"),
        ("NATO is old. It is.", "NATO is old ￭. it is ￭."),
        ("“The man”", '"￭ the man ￭"'),
        ("Unknown is the word.", "Unknown is the word ￭."),
        ("THE OLD MAN SAW FRANCE AND NATO", "the old man saw France and NATO"),
        ("he saw The House", "he saw The House"),
        ("– The man", "– the man"),
    ],
)
def test_words_at_the_beginning_are_as_elsewhere(english: TextSide, raw: str, tokens: str) -> None:
    assert english.prepare(raw) == tokens


@pytest.mark.parametrize(
    ("tokens", "like", "raw"),
    [
        ("the man is old ￭.", None, "The man is old."),
        ("the man is old ￭.", "der Mann", "the man is old."),
        ("the man is old ￭. he is ￭.", "der Mann", "the man is old. He is."),
        ("the man is old ￭.", "Der Mann", "The man is old."),
        ("the man is old ￭.", "الرجل", "The man is old."),
        ("the man is old", "DER MANN IST ALT", "THE MAN IS OLD"),
        ('"￭ the man ￭! ￭"', "„Der Mann!“", '"The man!"'),
        ("eBay is old", "EBay ist alt", "eBay is old"),
        ("15 men saw", None, "15 men saw"),
        ("www.example.org is old", None, "www.example.org is old"),
        ('"￭ why ￭? ￭" he said ￭.', None, '"Why?" he said.'),
        ("node ￭.￭ js is old", None, "Node.js is old"),
    ],
)
def test_beginnings_get_capitals(
    english: TextSide, tokens: str, like: str | None, raw: str
) -> None:
    assert english.restore(tokens, like=like) == raw


@pytest.mark.parametrize("line", [*ENGLISH, *GERMAN])
def test_the_learnt_corpus_comes_back(line: str, english: TextSide) -> None:
    side = english if line in ENGLISH else learnt(GERMAN, "de")
    assert side.restore(side.prepare(line)) == line


def test_an_ordinal_ends_no_sentence() -> None:
    side = learnt(GERMAN, "de")
    assert side.restore("am 3 ￭. europäischen Tag") == "Am 3. europäischen Tag"
    assert side.restore(side.prepare("Am 16. März")) == "Am 16. März"
    english = learnt(ENGLISH, "en")
    # A number that was copied from German, or from where it stood to elsewhere.
    assert english.restore("on 16. in the end") == "On 16. in the end"
    assert english.restore("in 3 ￭. the end") == "In 3. the end"
    assert english.restore("in 2003 ￭. the end") == "In 2003. The end"
    assert english.restore("3 ￭. the end") == "3. The end"
    for line in ("We saw 3. The house is old.", "1. The house is old.", "In 2003. The end."):
        assert english.restore(english.prepare(line)) == line


def test_a_text_without_capitals_stays_without() -> None:
    side = learnt([line.lower() for line in ENGLISH], "en")
    assert side.prepare("The President") == "the president"
    assert side.restore("the man is old ￭.") == "the man is old."


def test_a_script_without_case() -> None:
    side = learnt(["彼はNHKを見た。", "この本は古い。"] * 20, "ja", segmentation="characters")
    assert side.prepare("NHKを見た") == "NHK を 見 た"
    assert side.restore("見 た 。") == "見た。"


def test_turkish_i() -> None:
    lines = ["Bugün istanbul ılık ve iyi, ılık ve iyi dedi.", "İyi ve ılık. Ilık ve iyi."] * 5
    side = learnt(lines, "tr")
    assert side.prepare("İyi ve ılık") == "iyi ve ılık"
    assert side.prepare("Ilık ve iyi") == "ılık ve iyi"
    assert side.restore("iyi ve ılık") == "İyi ve ılık"
    assert side.restore("ılık ve iyi") == "Ilık ve iyi"


def test_options_of_case() -> None:
    assert learnt(ENGLISH, "en", case="none").prepare("The man") == "The man"
    assert learnt(ENGLISH, "en", case="lower").prepare("The NATO") == "the nato"


def test_a_quote_after_a_colon_begins_a_sentence() -> None:
    lines = ["Er sagte: „Das ist gut.“ Aber er wusste, dass das so ist.", "Dies: „Haus“."] * 3
    side = learnt(lines, "de")
    assert side.prepare("Er sagte: „Das ist“") == 'er sagte ￭: "￭ das ist ￭"'
    assert side.prepare("Er sagte: Das ist") == "er sagte ￭: Das ist"
    assert side.restore('er rief ￭: "￭ so ist es ￭"') == "Er rief: „So ist es“"
    assert side.restore('er rief ￭: "￭ so"', like="она: «как") == 'er rief: „So"'
    for line in lines:
        assert side.restore(side.prepare(line)) == line
    small = learnt(["Er sagte: „das ist“, und das ist so."] * 3, "de")
    assert small.restore('er rief ￭: "￭ so ￭"') == "Er rief: „so“"


def test_a_tag_does_not_hide_a_beginning(english: TextSide) -> None:
    tokens = english.prepare('<a href="X y">The man</a>. The house.')
    assert tokens == '<a▁href="X▁y">￭ the man ￭</a> ￭. the house ￭.'
    assert english.restore(tokens) == '<a href="X y">The man</a>. The house.'


def test_signs_are_those_of_the_training_text() -> None:
    lines = ["„Das ist’s“, sagte er – und „mehr“ … nichts."] * 3
    side = learnt(lines, "de")
    assert side.prepare(lines[0]) == ('"￭ Das ist\'s ￭" ￭, sagte er – und "￭ mehr ￭" ... nichts ￭.')
    assert side.restore(side.prepare(lines[0])) == lines[0]
    assert side.restore('er sagte ￭: "￭ nein ￭" ￭...') == "Er sagte: „nein“…"
    assert learnt(ENGLISH, "en").restore('a "￭ b ￭" it ￭\'s') == 'A "b" it\'s'


def test_signs_stay_in_languages_without_spaces() -> None:
    side = learnt(["他说：“好。”"] * 3, "zh", segmentation="characters")
    assert side.prepare("“好”") == "“ 好 ”"
    assert side.restore("“ 好 ”") == "“好”"
