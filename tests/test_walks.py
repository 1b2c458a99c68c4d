"""The walks through the code that docs/architecture.md describes are those that commands take."""

import re
from pathlib import Path

from tests.support import paths
from tests.support.walks import walks


def described() -> dict[str, list[str]]:
    """Return the files of each walk, by the command, as the page lists them."""
    text = (paths.REPOSITORY / "docs" / "architecture.md").read_text(encoding="utf-8")
    part = text.partition("\n## Three walks through the code\n")[2].partition("\n## ")[0]
    found = {}
    for section in part.split("\n### ")[1:]:
        command = re.search(r"`tartib ([a-z]+) ", section)
        assert command is not None
        found[command.group(1)] = re.findall(r"^\| \d+ \| `([^`]+)` \|", section, re.MULTILINE)
    return found


def test_files_of_the_walks_are_entered(tmp_path: Path) -> None:
    page = described()
    assert list(page) == ["extract", "train", "translate"]
    for command, walk in walks(tmp_path).items():
        native = [name for name in page[command] if name.startswith("native/")]
        assert [name for name in native if not (paths.REPOSITORY / name).is_file()] == []
        python = [name for name in page[command] if name not in native]
        assert [name for name in python if name not in walk.files] == [], command
        assert len(python) >= 8
