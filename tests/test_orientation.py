"""Names, codes and class sets; the definition itself is tested with extraction."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tartib import OptionError, OrientationModel
from tartib.orientation import parse_all

CLASS_SETS = {
    "mslr": ["mono", "swap", "dright", "dleft"],
    "msd": ["mono", "swap", "other", "other"],
    "monotonicity": ["mono", "nomono", "nomono", "nomono"],
    "leftright": ["right", "left", "right", "left"],
}


@pytest.mark.parametrize(
    ("name", "parsed"),
    [
        ("hier-msd", "hier-msd"),
        ("wbe-mslr", "word-mslr"),
        ("phrase-mono", "phrase-monotonicity"),
        ("word-leftright", "word-leftright"),
    ],
)
def test_names(name: str, parsed: str) -> None:
    assert str(OrientationModel.parse(name)) == parsed
    assert OrientationModel.parse(parsed) == OrientationModel.parse(name)


@pytest.mark.parametrize("name", ["", "hier", "msd", "hier-", "tree-msd", "hier-msd-backward-fe"])
def test_unknown_names(name: str) -> None:
    with pytest.raises(OptionError, match=r"it is one of \{word,phrase,hier\}-\{mslr,msd"):
        OrientationModel.parse(name)


@pytest.mark.parametrize("classes", CLASS_SETS)
def test_class_sets(classes: str) -> None:
    model = OrientationModel("word", classes)
    assert list(model.names) == CLASS_SETS[classes]
    assert list(model.labels) == list(dict.fromkeys(CLASS_SETS[classes]))


@given(st.lists(st.integers(0, (1 << 16) - 1), max_size=20), st.sampled_from(list(CLASS_SETS)))
def test_packed_codes_are_read_apart(packed: list[int], classes: str) -> None:
    for m, model in enumerate(("word", "phrase", "hier")):
        places = {"backward": 4 * m, "forward": 4 * m + 2, "forward-moses": 10 + 2 * m if m else 2}
        for direction, place in places.items():
            orientation = OrientationModel(model, classes)
            read = orientation.read(np.array(packed, np.uint16), direction)
            expected = [CLASS_SETS[classes][code >> place & 3] for code in packed]
            assert [orientation.labels[label] for label in read] == expected


def test_unknown_direction() -> None:
    with pytest.raises(OptionError, match="it is one of backward, forward, forward-moses"):
        OrientationModel("hier", "msd").read(np.zeros(1, np.uint16), "sideways")


def test_several_models() -> None:
    assert [str(m) for m in parse_all(["wbe-msd", "hier-mslr"])] == ["word-msd", "hier-mslr"]
    for wrong in ([], ["hier-msd", "hier-mslr"]):
        with pytest.raises(OptionError, match="at most once"):
            parse_all(wrong)


def test_models_say_what_their_classes_mean() -> None:
    assert OrientationModel.parse("hier-msd").describe("backward") == (
        "hier-msd, backward: a phrase and the phrase or block of phrases translated just before "
        "it. mono: next to each other in the source, in the same order; swap: next to each other "
        "in the source, in the opposite order; other: apart in the source."
    )
    assert "translated just after it" in OrientationModel.parse("word-mslr").describe("forward")
    for classes in ("mslr", "monotonicity", "leftright"):
        model = OrientationModel.parse(f"word-{classes}")
        assert all(f" {label}: " in model.describe("backward") for label in model.labels)
