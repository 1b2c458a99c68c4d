"""What is left out, and why."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tartib.text import CleaningCounts, CleaningOptions, clean_pairs
from tartib.text.cleaning import _Seen, words_of
from tests.support.examples import examples

GOOD = [(f"das ist der {n}. Satz von vielen", f"this is sentence {n} of many") for n in range(20)]


def cleaned(
    pairs: list[tuple[str, str]], languages: tuple[str, str] = ("de", "en"), **options: object
) -> tuple[list[tuple[str, str]], CleaningCounts]:
    counts = CleaningCounts()
    chosen = CleaningOptions.model_validate(options)
    kept = list(clean_pairs(pairs, chosen, languages=languages, counts=counts))
    assert counts.kept == len(kept)
    assert counts.read == len(pairs)
    assert counts.left_out == sum(counts.reasons.values())
    return kept, counts


def test_each_reason_is_counted() -> None:
    bad = [
        ("", "empty"),
        ("leer", " \u00a0"),
        ("wort " * 101, "word " * 101),
        ("wort " * 60, "word"),
        ("Это предложение не на том языке", "this is a sentence"),
        ("the same words on both sides", "the same words on both sides "),
        GOOD[3],
    ]
    kept, counts = cleaned([*GOOD, *bad])
    assert kept == GOOD
    assert counts.reasons == {
        "empty": 2, "too long": 1, "ratio": 1, "script": 1, "identical": 1, "duplicate": 1,
    }  # fmt: skip


def test_short_things_are_kept() -> None:
    pairs = [
        ("IBM", "IBM"),
        ("Paris 2004", "Paris 2004"),
        ("α + β", "α + β"),
        ("ja", "oh yes it is"),
    ]
    kept, _ = cleaned([*GOOD, *pairs])
    assert kept[-4:] == pairs


def test_options() -> None:
    same = ("eins zwei drei vier", "eins zwei drei vier")
    assert len(cleaned([same] * 3, identical_words=9, duplicates=False)[0]) == 3
    assert len(cleaned([("Это предложение", "Это предложение")], scripts=False)[0]) == 1
    assert cleaned([("a b c d", "a")], max_words=3)[1].reasons["too long"] == 1


def test_the_script_is_that_of_the_first_pairs() -> None:
    latin = ("ово је реченица на српском", "ovo je rečenica na srpskom")
    kept, counts = cleaned([latin] * 3, ("sr", "sr"), duplicates=False)
    assert len(kept) == 3
    assert not counts.left_out
    japanese = [("私はTomと東京へ行きました。", "I went to Tokyo")] * 2
    assert len(cleaned(japanese, ("ja", "en"), duplicates=False)[0]) == 2


def test_words_of_text_without_spaces() -> None:
    assert words_of("two words") == 2
    assert words_of("私は東京へ行きました。") == 5
    assert words_of("自分 の 事 を しろ 。") == 6


@given(st.lists(st.text(st.sampled_from("ab"), max_size=3)))
@examples(100)
def test_texts_are_seen_once(texts: list[str]) -> None:
    seen = _Seen()
    seen._MOST = 3
    before: set[str] = set()
    for text in texts:
        assert seen.add(text) == (text in before)
        before.add(text)


@given(st.lists(st.tuples(st.text(max_size=20), st.text(max_size=20)), max_size=20))
@examples(100)
def test_what_is_kept_is_unchanged_and_in_order(pairs: list[tuple[str, str]]) -> None:
    kept, _ = cleaned(pairs, ("", ""))
    places = iter(pairs)
    assert all(pair in places for pair in kept)
