"""Hypothesis strategies for sentences and alignments."""

from typing import NamedTuple

from hypothesis import strategies as st


class Aligned(NamedTuple):
    """Lengths of a sentence pair and its links."""

    words_f: int
    words_e: int
    links: list[tuple[int, int]]

    def lines(self) -> tuple[str, str, str]:
        """Return the pair as lines of text, with words that name their positions."""
        return (
            " ".join(f"f{i}" for i in range(self.words_f)),
            " ".join(f"e{j}" for j in range(self.words_e)),
            " ".join(f"{i}-{j}" for i, j in self.links),
        )


@st.composite
def aligned_pairs(draw: st.DrawFn, longest: int = 12) -> Aligned:
    """Draw any alignment: empty, one-to-one, many-to-many, permuted, with repeated links."""
    words_f = draw(st.integers(1, longest))
    words_e = draw(st.integers(1, longest))
    if draw(st.booleans()):
        # A permutation with gaps: many consistent pairs, in every orientation.
        order = draw(st.permutations(range(min(words_f, words_e))))
        links = [(f, e) for e, f in enumerate(order) if draw(st.integers(0, 4))]
    else:
        cell = st.tuples(st.integers(0, words_f - 1), st.integers(0, words_e - 1))
        links = draw(st.lists(cell, max_size=2 * longest))
    return Aligned(words_f, words_e, links)


class DirectedPair(NamedTuple):
    """Lengths of a sentence pair and its links in both directions, forward and backward."""

    words_f: int
    words_e: int
    forward: list[tuple[int, int]]
    backward: list[tuple[int, int]]


@st.composite
def directed_pairs(draw: st.DrawFn, longest: int = 9) -> DirectedPair:
    """Draw two directions as aligners make them, or any two sets of links."""
    words_f = draw(st.integers(1, longest))
    words_e = draw(st.integers(1, longest))
    if draw(st.booleans()):
        sources = draw(st.tuples(*[st.none() | st.integers(0, words_f - 1)] * words_e))
        targets = draw(st.tuples(*[st.none() | st.integers(0, words_e - 1)] * words_f))
        forward = [(f, e) for e, f in enumerate(sources) if f is not None]
        backward = [(f, e) for f, e in enumerate(targets) if e is not None]
        return DirectedPair(words_f, words_e, forward, backward)
    cells = st.tuples(st.integers(0, words_f - 1), st.integers(0, words_e - 1))
    shared = draw(st.lists(cells, max_size=longest))
    own = [draw(st.lists(cells, max_size=2 * longest)) for _ in range(2)]
    return DirectedPair(words_f, words_e, shared + own[0], own[1] + shared)
