"""Locale, hash seed and time zone change no byte of any output."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from tests.campaign.commands import WRITING, tree
from tests.campaign.materials import Materials
from tests.support import paths, processes

# Runs commands one after another in one interpreter; none may fail.
PROGRAM = """
import json, locale, sys
from tests.support.commands import tartib_here
locale.setlocale(locale.LC_ALL, "")
for arguments in json.loads(sys.argv[1]):
    tartib_here(*arguments)
"""
SURROUNDINGS = (
    {"LC_ALL": "C.UTF-8", "PYTHONHASHSEED": "0", "TZ": "UTC"},
    {"LC_ALL": "C", "PYTHONHASHSEED": "1", "TZ": "Asia/Riyadh", "PYTHONCOERCECLOCALE": "0"},
    {"LC_ALL": "POSIX", "PYTHONHASHSEED": "2", "PYTHONUTF8": "0", "TZ": "America/New_York"},
    {"LC_ALL": "", "LANG": "", "PYTHONHASHSEED": "4242", "TZ": "Pacific/Kiritimati"},
)


@pytest.mark.campaign
def test_all_commands_write_the_same(tmp_path: Path) -> None:
    materials = Materials(tmp_path / "materials").make()
    out = tmp_path / "out"
    commands = [[*map(str, c.arguments(materials, out / c.name))] for c in WRITING]
    found = []
    for surroundings in SURROUNDINGS:
        out.mkdir()
        for command in WRITING:
            (out / command.name).mkdir()
        processes.run(
            [sys.executable, "-W", "ignore", "-c", PROGRAM, json.dumps(commands)],
            cwd=paths.REPOSITORY,
            env=processes.environment(**surroundings),
        )
        found.append(tree(out))
        out.rename(tmp_path / f"out-{len(found)}")
    assert len(found[0]) > 30
    for other in found[1:]:
        assert other == found[0]
