"""Links apart from their text: Pharaoh lines, read and written."""

from pathlib import Path

import pytest

from tartib import Bitext, DataError, ReadOptions
from tartib.alignment import Links, write_alignment


def test_written_lines_match_the_lines_read(tmp_path: Path) -> None:
    (tmp_path / "s").write_text("a\nb b b\n\nc c\n")
    (tmp_path / "t").write_text("x\ny\nz\nw\n")
    (tmp_path / "a").write_text("0-0\n0-0\n\n1-0 0-0\n")
    options = ReadOptions(max_sentence_length=2, skip_empty=True)
    bitext = Bitext.read(tmp_path / "s", tmp_path / "t", tmp_path / "a", options=options)
    write_alignment(bitext, tmp_path / "out")
    assert (tmp_path / "out").read_text() == "0-0\n\n\n1-0 0-0\n"
    write_alignment(bitext.slice(1, 2), tmp_path / "part")
    assert (tmp_path / "part").read_text() == "\n\n\n1-0 0-0\n"
    assert list(Links.read(tmp_path / "out")) == list(Links.of_lines(bitext))


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("0-0 1", "links:2: not a link: '1'\n  links are source-target, counted from 0"),
        ("0-0 1?1", "not a link: '1\\?1'"),
        ("0-65535", "links:2: position 65535 is beyond 65,534"),
    ],
)
def test_lines_that_are_not_links(tmp_path: Path, line: str, said: str) -> None:
    (tmp_path / "links").write_text(f"0-0\n{line}\n")
    with pytest.raises(DataError, match=said):
        Links.read(tmp_path / "links")


def test_joining_and_cutting() -> None:
    links = Links.of([[(0, 1), (2, 2)], [], [(5, 0)]])
    assert list(links.slice(1, 3)) == [[], [(5, 0)]]
    assert list(Links.join([links.slice(1, 3), links])) == [[], [(5, 0)], *links]
    assert list(Links.join([])) == []
