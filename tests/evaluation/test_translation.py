"""BLEU against its definition, and all metrics of sacreBLEU's against sacreBLEU."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.metrics.chrf import CHRF
from sacrebleu.metrics.ter import TER

from tartib.errors import OptionError
from tartib.evaluation import bleu, score_of, translation_metric, usual_tokenisation
from tests.support.examples import examples

THEIRS: dict[str, Any] = {
    "bleu": lambda lower: BLEU(tokenize="none", lowercase=lower, force=True),
    "chrf": lambda lower: CHRF(lowercase=lower),
    "chrf++": lambda lower: CHRF(word_order=2, lowercase=lower),
    "ter": lambda lower: TER(case_sensitive=not lower),
}


@st.composite
def texts(draw: st.DrawFn) -> tuple[list[str], list[list[str]]]:
    """Few words, so that long n-grams match; lines may be empty."""
    line = st.lists(st.sampled_from(["a", "B", "b", "cd.", "(e", "f g", "ü"]), max_size=9)
    sentences = draw(st.integers(1, 6))
    text = st.lists(line.map(" ".join), min_size=sentences, max_size=sentences)
    return draw(text), [draw(text) for _ in range(draw(st.integers(1, 4)))]


@pytest.mark.parametrize("lowercase", [False, True])
@pytest.mark.parametrize("name", list(THEIRS))
@examples(60)
@given(given=texts(), seed=st.integers(0, 1000))
def test_sacrebleu(name: str, lowercase: bool, given: Any, seed: int) -> None:
    translations, references = given
    ours, theirs = (
        translation_metric(name, references, lowercase=lowercase),
        THEIRS[name](lowercase),
    )
    expected = theirs.corpus_score(translations, references).score
    assert score_of(ours, translations) == pytest.approx(expected, abs=1e-9)
    assert ours.signature == str(theirs.get_signature())
    assert ours.higher_is_better == (name != "ter")
    # Samples of the sentences, all at once, beside sacreBLEU's one at a time.
    counts = np.random.default_rng(seed).integers(0, 3, (5, len(translations)))
    sums = counts @ ours.statistics(translations)
    one_by_one = [theirs._compute_score_from_stats(row.tolist()).score for row in sums]
    assert ours.score(sums) == pytest.approx(one_by_one, abs=1e-9)


def test_tokenisation_changes_the_words_of_bleu_and_nist() -> None:
    references = [["Hello, world! It rains today.", "Yes."]]
    split = [["hello , world ! it rains today .", "yes ."]]
    given = ["Hello, world! It rained today.", "Yes."]
    lines = ["hello , world ! it rained today .", "yes ."]
    for name in ("bleu", "nist"):
        metric = translation_metric(name, references, tokenize="13a", lowercase=True)
        plain = translation_metric(name, split)
        assert score_of(metric, given) == pytest.approx(score_of(plain, lines))
        assert "case:lc" in metric.signature
        assert "tok:13a" in metric.signature
        assert "tok:none" in plain.signature


def test_by_hand() -> None:
    """Precisions 5/6, 3/5, 2/4, 1/3 and no brevity penalty."""
    score = bleu(["a b c d e f"], [["a b c d x f"]])
    product = (5 / 6) * (3 / 5) * (2 / 4) * (1 / 3)
    assert score.score == pytest.approx(100 * product**0.25)
    assert "tok:none" in score.signature


def test_short_translations_are_penalised() -> None:
    score = bleu(["a b c d"], [["a b c d e f"]])
    assert score.score == pytest.approx(100 * math.exp(1 - 6 / 4))


def test_several_references() -> None:
    both = bleu(["a b c d e"], [["a b c x x"], ["x x c d e"]]).score
    assert both > max(bleu(["a b c d e"], [[r]]).score for r in ("a b c x x", "x x c d e"))


def test_what_is_known_is_not_counted_twice() -> None:
    """Statistics do not depend on what the same metric saw before."""
    metric = translation_metric("bleu", [["a b", "a b"]])
    first = metric.statistics(["a b", "x y"])
    metric.statistics(["x y", "a b"])
    done: list[int] = []
    np.testing.assert_array_equal(metric.statistics(["a b", "x y"], done.append), first)
    assert done == [1, 1]


@pytest.mark.parametrize(
    ("translations", "references"),
    [(["a"], [["a", "b"]]), (["a"], []), ([], [[]])],
)
def test_refusals(translations: list[str], references: list[list[str]]) -> None:
    with pytest.raises(OptionError):
        bleu(translations, references)


def test_tokenisation_by_language(monkeypatch: pytest.MonkeyPatch) -> None:
    names = "tartib.evaluation.translation.find_spec"
    monkeypatch.setattr(names, lambda _: None)
    found = {code: usual_tokenisation(code) for code in ("de", "zh-TW", "ja", "ko", "th", "")}
    assert found == {
        "de": "13a", "zh-TW": "zh", "ja": "char", "ko": "13a", "th": "char", "": "13a",
    }  # fmt: skip
    monkeypatch.setattr(names, lambda name: name)
    assert [usual_tokenisation(code) for code in ("JA", "ko_KR")] == ["ja-mecab", "ko-mecab"]
