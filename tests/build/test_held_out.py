"""Sentences that are held out, and what gives them away."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tartib.build.held_out import FEWEST_HELD_OUT, Seen, held_out_places
from tartib.errors import OptionError

LONG = "This sentence is long enough to be told from others"


@given(st.integers(200, 5000), st.integers(1, 400), st.integers(0, 9))
def test_sets_are_disjoint_and_small(pairs: int, wanted: int, seed: int) -> None:
    dev, test = held_out_places(pairs, (wanted, wanted), 0.05, seed)
    most = max(FEWEST_HELD_OUT, int(0.05 * pairs))
    assert len(dev) == len(test) == min(wanted, most)
    assert not set(dev) & set(test)
    assert dev == sorted(dev)
    assert set(dev) | set(test) <= set(range(pairs))


def test_the_seed_decides() -> None:
    draws = [held_out_places(1000, (50, 0), 0.05, seed) for seed in (1, 1, 2)]
    assert draws[0] == draws[1] != draws[2]
    assert draws[0][1] == []


def test_too_little_text_says_what_is_needed() -> None:
    with pytest.raises(OptionError, match=r"^50 usable sentence pairs .*at least 140 are needed"):
        held_out_places(50, (1000, 1000), 0.05, 0)
    with pytest.raises(OptionError, match=r"at least 100 are needed \(100 to learn from\)"):
        held_out_places(50, (0, 0), 0.05, 0)


def test_the_same_sentence_on_one_side_gives_it_away() -> None:
    seen = Seen()
    seen.add(LONG, ["Kurz."])
    assert seen.has_pair(LONG, "etwas anderes")
    assert seen.has_pair(f"  {LONG.upper()} ", "etwas anderes")
    assert not seen.has_pair("another sentence that is also long", "Kurz.")
    assert not seen.has_target("Kurz.")


def test_short_sentences_count_as_whole_pairs() -> None:
    seen = Seen()
    seen.add("Danke.", ["Thank you.", LONG])
    assert seen.has_pair("danke.", "Thank  you.")
    assert not seen.has_pair("Danke.", "Thanks.")
    assert seen.has_target(LONG)
