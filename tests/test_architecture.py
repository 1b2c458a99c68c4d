"""The map of the code: it names files that exist."""

import re
from pathlib import Path

from tests.support.paths import REPOSITORY


def test_walks_name_files_that_exist() -> None:
    text = (REPOSITORY / "docs" / "architecture.md").read_text(encoding="utf-8")
    walks = text.partition("## Three walks through the code")[2].partition("\n## ")[0]
    named = re.findall(r"^\| \d+ \| `([^`]+)` \|", walks, re.MULTILINE)
    assert len(named) > 30
    missing = [name for name in named if not _exists(name)]
    assert not missing


def _exists(name: str) -> bool:
    folder = REPOSITORY if name.startswith("native/") else REPOSITORY / "src" / "tartib"
    return Path(folder, name).is_file()
