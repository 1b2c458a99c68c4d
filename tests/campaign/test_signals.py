"""Every command ends soon after SIGTERM or Ctrl-C, and leaves whole outputs or none."""

from __future__ import annotations

import pytest

from tests.support.campaigns import run_campaign


def test_a_command_is_interrupted() -> None:
    printed = run_campaign("signals", "--moments", 4, "--command", "translate")
    assert "all: 8 signals" in printed


@pytest.mark.campaign
def test_every_command_is_interrupted() -> None:
    run_campaign("signals", "--moments", 5)
