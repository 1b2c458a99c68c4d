"""Commands that are killed and run again end as if nothing had happened."""

from __future__ import annotations

import pytest

from tests.support.campaigns import run_campaign


def test_a_killed_command() -> None:
    """It writes a folder and a file."""
    printed = run_campaign("kills", "--event", "os.rename", "--command", "lm")
    assert "lm --overwrite: 3 kills" in printed


@pytest.mark.campaign
def test_every_command_is_killed() -> None:
    """At all steps that others can tell apart; ``--every`` takes the others as well."""
    printed = run_campaign("kills")
    assert int(printed.split()[-1].replace(",", "")) >= 300


@pytest.mark.campaign
def test_a_full_disk() -> None:
    commands = ("extract", "lm", "train", "predict", "translate-pipe")
    run_campaign("kills", "--full", *(word for name in commands for word in ("--command", name)))
