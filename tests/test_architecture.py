"""The map of the code: it names files that exist."""

import re

from tests.support.paths import REPOSITORY

# Where a path on that page may begin.
_ROOTS = (REPOSITORY, REPOSITORY / "src" / "tartib")


def test_the_map_names_files_that_exist() -> None:
    text = (REPOSITORY / "docs" / "architecture.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`([\w./]+/[\w.]+\.(?:py|hpp|cpp))`", text))
    assert len(named) > 60
    assert not [name for name in named if not any((root / name).is_file() for root in _ROOTS)]
