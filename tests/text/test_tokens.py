"""Where tokens are cut, and where their marks stand."""

from __future__ import annotations

import pytest

from tartib.text import SideOptions
from tartib.text.segmentation import is_segmented
from tartib.text.side import tokeniser_of


def cut(line: str, language: str, segmentation: str = "", **options: object) -> str:
    made = tokeniser_of(language, SideOptions.model_validate(options), segmentation)
    tokens = made.cut(line)
    assert made.join(tokens) == line
    return " ".join(tokens)


@pytest.mark.parametrize(
    ("language", "line", "tokens"),
    [
        ("de", "Freitag, (der 13.)", "Freitag ￭, (￭ der 13 ￭. ￭)"),
        ("de", 'er sagte: "ja".', 'er sagte ￭: "￭ ja ￭" ￭.'),
        ("de", "Am 16. März", "Am 16. März"),
        ("de", "am 16./17. Mai, 3.-4. Juni", "am 16. ￭/￭ 17. Mai ￭, 3. ￭-￭ 4. Juni"),
        ("de", "vom 16.3. bis 1.4.2004.", "vom 16.3. bis 1.4.2004 ￭."),
        ("de", "(der 13.) und 2004. Das", "(￭ der 13 ￭. ￭) und 2004 ￭. Das"),
        ("de", "Art. 5.", "Art. 5 ￭."),
        ("en", "chapter 16. Then", "chapter 16 ￭. Then"),
        ("de", "Deutsch-Französisch", "Deutsch ￭-￭ Französisch"),
        ("de", "Haupt- und", "Haupt ￭- und"),
        ("de", "z.B. Dr. Kohl z. B. hier", "z.B. Dr. Kohl z. B. hier"),
        ("en", "Mr. Smith didn't", "Mr. Smith did ￭n't"),
        ("en", "John's o'clock I'd've", "John ￭'s o'clock I ￭'d ￭'ve"),
        ("en", "the U.S. is", "the U.S. is"),
        ("en", "the members' Bob.", "the members ￭' Bob ￭."),
        ("en", "a plan B.", "a plan B ￭."),
        ("en", "really?! no...", "really ￭? ￭! no ￭..."),
        ("fr", "l'homme qu'il aujourd'hui", "l'￭ homme qu'￭ il aujourd'hui"),
        ("it", "dell'acqua", "dell'￭ acqua"),
        ("tr", "İstanbul'da", "İstanbul ￭'da"),
        ("uk", "сім'я", "сім'я"),
        ("he", 'צה"ל', 'צה"ל'),
        ("es", "¿Qué?", "¿￭ Qué ￭?"),
        ("hi", "हिन्दी।", "हिन्दी ￭।"),
        ("ar", "نعم، لا", "نعم ￭، لا"),
        ("ja", "日本語のテキスト。", "日本語のテキスト。"),
    ],
)
def test_tokens_of_languages_with_spaces(language: str, line: str, tokens: str) -> None:
    if language == "ja":  # a few words of it in a text with spaces
        assert cut(line, "en") == "日本語のテキスト ￭。"
    else:
        assert cut(line, language) == tokens


@pytest.mark.parametrize(
    "whole",
    [
        "1.234,56", "10:30", "3/4", "2001/85", "https://www.example.org/a-b_c?d=e&f=g#h",
        "www.example.org/index", "first.last+tag@mail.example.org", "{name}", "{{name}}", "${HOME}",
        "%s", "%1$d", "%(name)s", "%.2f", "<b>", "</b>", "<br/>", "AT&T", "U.S.A.", "some_name",
        "+49-30-123456", "+493012345678", "+49/(0)30/123-456", "030/123456", "0800-123-456",
        "2004-03-01",
    ],
)  # fmt: skip
def test_what_is_kept_whole(whole: str) -> None:
    assert cut(f"see {whole}, ({whole})", "en") == f"see {whole} ￭, (￭ {whole} ￭)"


@pytest.mark.parametrize("number", ["+49 (0)30 123-456", "+44 20 7946 0958", "+1 (555) 123.4567"])
def test_telephone_numbers_are_whole(number: str) -> None:
    token = number.replace(" ", "▁")
    assert cut(f"call {number}, ({number}).", "en") == f"call {token} ￭, (￭ {token} ￭) ￭."
    assert token in cut(f"電話は{number} です", "ja", "characters").split()


@pytest.mark.parametrize("text", ["5 + 300 000", "a+1 234 567", "pp. 12-15", "+5 % of 10 000 000"])
def test_what_is_no_telephone_number_is_cut(text: str) -> None:
    assert "▁" not in cut(text, "en")
    assert "12-15" not in cut(text, "en").split()


@pytest.mark.parametrize(
    "whole", ["👍🏽", "👩‍💻", "👩🏽‍❤️‍👨🏿", "☝️", "🇩🇪", "🏴\U000e0067\U000e0062\U000e007f", "🙂"]
)
def test_emoji_are_whole(whole: str) -> None:
    assert cut(f"so {whole}{whole}.", "en") == f"so {whole} ￭{whole} ￭."


@pytest.mark.parametrize(
    "tag",
    [
        '<a href="x y.html">', '<img src="das.png"/>', '<img src="das.png" alt="" />', "<br />",
        "<p class='a b' hidden>", "<x:y a.b=1 c = 2>", '<img alt="日 本" src="a">',
    ],
)  # fmt: skip
def test_tags_with_attributes_are_whole(tag: str) -> None:
    token = tag.replace(" ", "▁")
    assert cut(f"see {tag}the man</a>, ({tag})", "en").split()[:2] == ["see", f"{token}￭"]
    assert token in cut(f"私は{tag}東京</a> {tag} へ", "ja", "characters").split()


@pytest.mark.parametrize("text", ["<a b c>", "if a <b and c> d", '<a b="|||">', '<a b="x>'])
def test_what_is_no_tag_is_cut(text: str) -> None:
    assert "▁" not in cut(text, "en")
    assert "|||" not in cut(text, "en").split()


@pytest.mark.parametrize("word", ["<s>", "</s>", "<unk>", "|||", "||||"])
def test_words_of_models_and_their_files_are_cut(word: str) -> None:
    assert word not in cut(f"a {word} b", "en").split()
    assert "|||" not in cut(f"a {word}b", "en")


def test_hyphens_can_stay() -> None:
    assert cut("a part-session - no", "en", hyphens=False) == "a part-session - no"


@pytest.mark.parametrize(
    ("language", "line", "tokens"),
    [
        ("ja", "私はTomと東京へ。", "私 は Tom と 東 京 へ 。"),
        ("ja", "コーヒーを 2杯, OK", "コーヒー を ▁2 杯 , OK"),
        ("ja", "Tom and 彼", "Tom and ▁彼"),
        ("zh", "价格为1,234.56元(约50%)", "价 格 为 1,234.56 元 ( 约 50 ￭% ￭)"),
        ("zh", "北京 上海", "北 京 ▁上 海"),
        ("th", "เขาไป ตลาด", "เขา ไป ▁ต ลา ด"),
    ],
)
def test_tokens_of_languages_without_spaces(language: str, line: str, tokens: str) -> None:
    assert cut(line, language, "characters") == tokens


def test_spaces_between_words_are_seen() -> None:
    assert is_segmented(["自分 の 事 を しろ 。"])
    assert not is_segmented(["自分の事をしろ、と彼は言った。"])
    assert not is_segmented(["only Latin"])


def test_a_line_of_30000_tokens() -> None:
    line = " ".join("Wort, wort's (x)" for _ in range(5000))
    assert len(cut(line, "en").split()) == 7 * 5000
    cut("a," * 15_000 + "b", "de")
    cut("語a" * 15_000, "ja", "characters")
    cut("'" * 30_000, "en")
    cut("a'" * 30_000, "fr")
    cut("a.b" * 30_000, "en")
    cut("1." * 30_000, "de")
    for piece in ("<a b=c ", '<a b="', "<a▁", "👍\u200d", "<a b= ", "a=b ", "<a " * 9 + "a "):
        tokeniser = tokeniser_of("de", SideOptions(), "")
        assert tokeniser.cut(piece.replace("▁", "_") * 20_000)
        tokeniser.join([piece * 20_000])
    cut("www." * 5_000 + "a@" * 5_000, "en")
