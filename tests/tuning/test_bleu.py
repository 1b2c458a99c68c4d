"""BLEU statistics on ids are those of sacreBLEU on words."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tartib import _native
from tartib.evaluation import bleu
from tartib.tuning.pool import bleu_of
from tests.oracles import tuning as oracle
from tests.support.examples import examples

pytestmark = pytest.mark.native
TEXTS = st.lists(st.integers(-2, 3), max_size=9)


def flat(texts: list[list[int]]) -> tuple[np.ndarray, np.ndarray]:
    ids = np.array([word for text in texts for word in text], np.int32)
    return ids, np.cumsum([0, *map(len, texts)], dtype=np.int64)


def statistics(texts: list[list[int]], references: list[list[int]]) -> np.ndarray:
    return _native.bleu_statistics(*flat(texts), *flat(references)).reshape(-1, 10)


@examples(300)
@given(st.lists(TEXTS, max_size=4), st.lists(TEXTS, min_size=1, max_size=4))
def test_statistics_are_those_of_the_twin(
    texts: list[list[int]], references: list[list[int]]
) -> None:
    expected = [oracle.bleu_statistics(text, references) for text in texts]
    assert statistics(texts, references).tolist() == expected


@examples(300)
@given(st.lists(st.tuples(TEXTS, TEXTS, TEXTS), min_size=1, max_size=5), st.booleans())
def test_scores_are_those_of_sacrebleu(
    triples: list[tuple[list[int], list[int], list[int]]], both: bool
) -> None:
    rows = [statistics([t], [a, b] if both else [a])[0] for t, a, b in triples]
    lines = [
        [" ".join(f"w{i}" for i in text) for text in texts] for texts in zip(*triples, strict=True)
    ]
    expected = bleu(lines[0], lines[1:] if both else lines[1:2]).score
    assert 100 * bleu_of(np.array(rows)) == pytest.approx(expected, abs=1e-9)


@given(st.lists(st.just(0.0) | st.floats(0.25, 50), min_size=9, max_size=9), st.floats(0.25, 50))
def test_score_of_sums_is_that_of_the_twin(others: list[float], length: float) -> None:
    sums = [length, *others]
    assert _native.bleu_of(np.array(sums)) == pytest.approx(oracle.bleu_of(sums))
