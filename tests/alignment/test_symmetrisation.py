"""Symmetrisation against its twin, sil-thot, and itself in other settings."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tartib import OptionError
from tartib.alignment import HEURISTICS, Links, symmetrise
from tests.oracles import alignment as oracle
from tests.support.examples import examples
from tests.support.strategies import DirectedPair, directed_pairs

pytestmark = pytest.mark.native


def symmetrised(pairs: list[DirectedPair], heuristic: str, n_jobs: int = 1) -> Links:
    words_f, words_e, forward, backward = zip(*pairs, strict=True) if pairs else ([], [], [], [])
    links = Links.of(forward), Links.of(backward)
    return symmetrise(*links, words_f, words_e, heuristic, n_jobs=n_jobs)


@pytest.mark.parametrize("heuristic", HEURISTICS)
@examples(2000)
@given(st.lists(directed_pairs(), max_size=3))
def test_agrees_with_the_twin(heuristic: str, pairs: list[DirectedPair]) -> None:
    expected = [
        sorted(oracle.symmetrise(set(pair.forward), set(pair.backward), heuristic))
        for pair in pairs
    ]
    assert list(symmetrised(pairs, heuristic)) == expected


@pytest.mark.parametrize("heuristic", HEURISTICS)
@examples(1000)
@given(pair=directed_pairs())
def test_agrees_with_thot(heuristic: str, pair: DirectedPair) -> None:
    common = pytest.importorskip("thot.common")
    names = {"intersection": "intersect", "och": "och_symmetrize"}
    matrix, other = (common.WordAlignmentMatrix(*pair[:2]) for _ in range(2))
    for filled, links in ((matrix, pair.forward), (other, pair.backward)):
        for link in links:
            filled[link] = True
    getattr(matrix, names.get(heuristic, heuristic.replace("-", "_")))(other)
    expected = np.argwhere(matrix.to_numpy()).tolist()
    assert [list(link) for link in next(iter(symmetrised([pair], heuristic)))] == expected


# F: 0-0 1-1 2-2 3-2, B: 0-0 1-1 2-1 2-4 4-4. The intersection is 0-0 1-1.
FORWARD, BACKWARD = [(0, 0), (1, 1), (2, 2), (3, 2)], [(0, 0), (1, 1), (2, 1), (4, 4), (2, 4)]
BY_HAND = {
    "intersection": [(0, 0), (1, 1)],
    "union": sorted({*FORWARD, *BACKWARD}),
    # 2-1 is below 1-1, and 2 has no link; then 2-2 beside it, and 3-2 below that.
    "grow": [(0, 0), (1, 1), (2, 1), (2, 2), (3, 2)],
    "grow-diag": [(0, 0), (1, 1), (2, 1), (2, 2), (3, 2)],
    # 2-4: word 4 of the target has no link yet; then 4-4, for word 4 of the source.
    "grow-diag-final": [(0, 0), (1, 1), (2, 1), (2, 2), (2, 4), (3, 2), (4, 4)],
    "grow-diag-final-and": [(0, 0), (1, 1), (2, 1), (2, 2), (3, 2), (4, 4)],
    "och": [(0, 0), (1, 1), (2, 1), (2, 2), (3, 2), (4, 4)],
}


@pytest.mark.parametrize("heuristic", HEURISTICS)
def test_by_hand(heuristic: str) -> None:
    pair = DirectedPair(5, 5, FORWARD, BACKWARD)
    assert next(iter(symmetrised([pair], heuristic))) == BY_HAND[heuristic]


def test_same_result_on_any_number_of_threads() -> None:
    random = np.random.default_rng(3)
    pairs = []
    for _ in range(300):
        cells = [[(int(i), int(j)) for i, j in random.integers(0, 6, (8, 2))] for _ in range(2)]
        pairs.append(DirectedPair(6, 6, *cells))
    alone, together = (symmetrised(pairs * 80, "grow-diag-final-and", n) for n in (1, 3))
    assert np.array_equal(alone.positions, together.positions)
    assert np.array_equal(alone.offsets, together.offsets)


@pytest.mark.parametrize("heuristic", HEURISTICS)
def test_the_longest_sentences(heuristic: str) -> None:
    """Links that grow upwards, one in each pass, take no pass over all links each."""
    words = 65_535
    steps = [(i, i) for i in range(words)]
    pair = DirectedPair(words, words, steps, [(words - 1, words - 1)])
    found = symmetrised([pair], heuristic)
    growing = {"intersection": 1, "grow": 1}
    assert len(found.positions) == growing.get(heuristic, words)
    with pytest.raises(OptionError, match="a sentence is too long"):
        symmetrised([DirectedPair(words + 1, 1, [], [])], heuristic)


def test_positions_of_target_words() -> None:
    links = Links.of_targets([2, 0, 1, 0, 3], np.array([0, 3, 3, 5]))
    assert list(links) == [[(1, 0), (0, 2)], [], [(2, 1)]]
    assert list(links.turned()) == [[(0, 1), (2, 0)], [], [(1, 2)]]


def test_bad_arguments_are_told() -> None:
    one, two = Links.of([[(0, 0)]]), Links.of([[], []])
    with pytest.raises(OptionError, match="unknown heuristic 'best': it is one of grow-diag-final"):
        symmetrise(one, one, [1], [1], "best")
    with pytest.raises(OptionError, match="not of the same sentences: 1 forward, 2 backward"):
        symmetrise(one, two, [1], [1])
    with pytest.raises(OptionError, match="a link points beyond its sentence"):
        symmetrise(one, Links.of([[(0, 1)]]), [1], [1])
    with pytest.raises(OptionError, match="positions of links are numbers from 0 to 65,534"):
        Links.of([[(0, 65_535)]])


def test_no_sentences() -> None:
    nothing = Links.of([])
    assert len(symmetrise(nothing, nothing, [], [])) == 0
