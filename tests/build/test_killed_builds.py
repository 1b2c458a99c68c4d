"""Builds that are killed and continued end with the same bytes."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.killed_builds import kill_and_continue
from tests.support.raw_text import raw_sentences, write_raw


@pytest.mark.campaign
def test_a_build_killed_at_random_steps_continues_to_the_same_bytes(tmp_path: Path) -> None:
    train = write_raw(tmp_path, "train", raw_sentences(300))
    assert kill_and_continue(train, tmp_path, kills=20) == 20
