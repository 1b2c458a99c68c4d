"""Folders and objects that several processes or threads use at once."""

from __future__ import annotations

import pytest

from tests.support.campaigns import run_campaign


@pytest.mark.parametrize(
    ("saves", "rounds"), [(5, 1), pytest.param(200, 20, marks=pytest.mark.campaign)]
)
def test_shared_at_once(saves: int, rounds: int) -> None:
    printed = run_campaign("sharing", "--saves", saves, "--rounds", rounds)
    assert f"3 writers: {3 * saves:,} times written" in printed
    assert f"8 threads: {48 * rounds:,} answers" in printed
