"""Sides that are no translations of one another, and other disasters."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tartib.build import BuildOptions, build_system
from tartib.build.parallel import Lengths
from tartib.errors import OptionError
from tests.build.test_prepare import Text, dev_of, train_of
from tests.support.raw_text import TINY, raw_sentences, write_raw

PAIRS = raw_sentences(700)


def moved(pairs: list[tuple[str, str]], by: int, begin: int = 0) -> list[tuple[str, str]]:
    """Move the target side of the pairs from ``begin`` on."""
    source, target = ([pair[side] for pair in pairs] for side in (0, 1))
    kept = target[begin:]
    return list(zip(source, target[:begin] + kept[-by:] + kept[:-by], strict=True))


def test_translations_are_parallel() -> None:
    assert Lengths(PAIRS).problem() == ""
    assert Lengths(PAIRS[:100]).problem() == ""
    assert Lengths([("a", "b")] * 500).problem() == ""


@given(st.integers(1, 5), st.booleans())
def test_shifted_sides_are_told(by: int, later: bool) -> None:
    problem = Lengths(moved(PAIRS, by if later else -by)).problem()
    lines = "one line" if by == 1 else f"{by} lines"
    assert f"the {'target' if later else 'source'} side has {lines} more" in problem


def test_sides_that_are_shifted_from_the_middle_on_are_told() -> None:
    pairs = raw_sentences(2000)
    assert "from about line 1,001 on" in Lengths(moved(pairs, 1, 1000)).problem()


@given(st.integers(0, 1000))
def test_shuffled_sides_are_told(seed: int) -> None:
    target = [pair[1] for pair in PAIRS]
    Random(seed).shuffle(target)
    problem = Lengths(zip((s for s, _ in PAIRS), target, strict=True)).problem()
    assert "not translations" in problem


def test_disasters_are_found(raw: Path) -> None:
    def found(**files: object) -> list[str]:
        return list(Text(raw / str(len(list(raw.iterdir()))), **files).found["disasters"])

    train, dev = train_of(raw), dev_of(raw)
    assert found(train=train, dev=dev) == []
    assert "they are swapped" in found(train=train, dev=dev[::-1])[0]
    assert "are the same text" in found(train=train, dev=(dev[0], dev[0]))[0]
    other = write_raw(raw, "other", raw_sentences(30, 2))
    assert (
        "target side of the test set is in the language"
        in found(train=train, test=(dev[0], other[0]))[0]
    )


def test_a_disaster_stops_the_build_unless_asked(raw: Path) -> None:
    train = write_raw(raw, "shifted", moved(raw_sentences(400), 1))
    options = BuildOptions.make({**TINY, "train": train})
    with pytest.raises(OptionError, match=r"are shifted.*\n  .*prepare.suspicious=go-on"):
        build_system(options, raw / "system")
    choose = {**TINY["choose"], "systems": "lexicalised", "limits": 4}
    sections = {"choose": choose, "prepare": {**TINY["prepare"], "suspicious": "go-on"}}
    options = BuildOptions.make({**TINY, "train": train, **sections})
    reported: list[str] = []
    with pytest.warns(UserWarning, match="are shifted"):
        built = build_system(options, raw / "system", report=reported.append)
    assert "prepare" not in {line.partition(":")[0] for line in reported}
    assert any("are shifted" in one for one in built.results.suspicions)
