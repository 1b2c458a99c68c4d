"""The decoder beside Moses: ten runs with the same models, weights and beams."""

from pathlib import Path

import pytest

from tartib import Decoder
from tartib.decoder.output import nbest_lines
from tests.support import systems

pytestmark = pytest.mark.native


def source() -> list[str]:
    return (systems.GOLDEN / "test.src").read_text().splitlines()


@pytest.mark.parametrize(("name", "limit"), systems.RUNS)
def test_as_moses(tmp_path: Path, name: str, limit: int) -> None:
    decoder = Decoder.load(systems.write_ini(tmp_path, name, limit))
    theirs = systems.golden(name, limit)
    same_bytes = 0
    for number, found in enumerate(decoder.translate(source())):
        line = nbest_lines(number, found).rstrip("\n")
        ours, golden = systems.Line(line), systems.Line(theirs[number])
        assert ours.features.pop("UnknownWordPenalty0") == [0.0]
        if systems.check_equal(ours, golden):
            assert list(ours.features) == list(golden.features)
            for feature, values in ours.features.items():
                assert values == pytest.approx(golden.features[feature], abs=1e-3), feature
        same_bytes += line.replace(" UnknownWordPenalty0= 0", "") == theirs[number]
    # The others differ in a last digit: Moses adds up in 32 bits.
    assert same_bytes >= 50


def test_toml_says_the_same_as_moses_ini(tmp_path: Path) -> None:
    name, limit = "hier-mslr-bidirectional-fe", 6
    ours, theirs = (
        [(t.text, t.best.total) for t in Decoder.load(w(tmp_path, name, limit)).translate(source())]
        for w in (systems.write_toml, systems.write_ini)
    )
    assert ours == theirs
