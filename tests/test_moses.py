"""Moses' extraction files, line for line."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tartib import Bitext, OptionError, OrientationModel, extract_phrases
from tartib.moses import write_extract
from tests.oracles import extraction, moses
from tests.support import paths
from tests.support.examples import examples
from tests.support.strategies import Aligned, aligned_pairs

GOLDEN = paths.GOLDEN / "moses"
pytestmark = pytest.mark.native


def toy() -> Bitext:
    return Bitext.read(GOLDEN / "toy.src", GOLDEN / "toy.tgt", GOLDEN / "toy.align")


@pytest.mark.parametrize(
    ("max_phrase_length", "written", "golden"),
    [
        (7, "extract", "extract.max7"),
        (7, "extract.inv", "extract.max7.inv"),
        (3, "extract", "extract.max3"),
    ],
)
def test_golden_phrases(tmp_path: Path, max_phrase_length: int, written: str, golden: str) -> None:
    write_extract(extract_phrases(toy(), max_phrase_length=max_phrase_length), tmp_path)
    assert (tmp_path / written).read_bytes() == (GOLDEN / golden).read_bytes()


@pytest.mark.parametrize("model", ["wbe", "phrase", "hier"])
@pytest.mark.parametrize("classes", ["msd", "mslr"])
def test_golden_orientations(tmp_path: Path, model: str, classes: str) -> None:
    write_extract(extract_phrases(toy(), f"{model}-{classes}"), tmp_path)
    expected = (GOLDEN / f"extract.{model}-{classes}.o").read_bytes()
    assert (tmp_path / "extract.o").read_bytes() == expected


CLASSES = st.sampled_from(["msd", "mslr", "monotonicity", "leftright"])


@examples(200)
@given(
    st.lists(aligned_pairs(longest=6), min_size=1, max_size=4),
    st.dictionaries(st.sampled_from(["word", "phrase", "hier"]), CLASSES, min_size=1),
    st.integers(1, 2),
)
def test_agrees_with_the_twin(
    tmp_path_factory: pytest.TempPathFactory,
    pairs: list[Aligned],
    classes: dict[str, str],
    n_jobs: int,
) -> None:
    models = {m: OrientationModel(m, c) for m, c in classes.items()}
    names = {
        m: dict(zip(("mono", "swap", "dright", "dleft"), o.names, strict=True))
        for m, o in models.items()
    }
    expected: tuple[list[str], ...] = ([], [], [])
    for pair in pairs:
        source, target, _ = (line.split() for line in pair.lines())
        for found in extraction.extract(*pair, 4):
            for column, line in zip(
                expected, moses.lines(source, target, pair.links, found, names), strict=True
            ):
                column.append(line + "\n")
    folder = tmp_path_factory.mktemp("moses")
    bitext = Bitext.from_lines(*zip(*(pair.lines() for pair in pairs), strict=True))
    phrases = extract_phrases(bitext, max_phrase_length=4)
    paths = write_extract(phrases, folder, list(models.values()), n_jobs=n_jobs)
    assert tuple(path.read_text() for path in paths) == tuple(map("".join, expected))


def test_each_model_at_most_once(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="at most once"):
        write_extract(extract_phrases(toy()), tmp_path, ["hier-msd", "hier-mslr"])
    assert list(tmp_path.iterdir()) == []


def test_chunks_do_not_show(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    phrases = extract_phrases(toy())
    whole = [path.read_bytes() for path in write_extract(phrases, tmp_path / "whole")]
    monkeypatch.setattr("tartib.moses._CHUNK_PAIRS", 1)
    assert [path.read_bytes() for path in write_extract(phrases, tmp_path / "cut")] == whole
