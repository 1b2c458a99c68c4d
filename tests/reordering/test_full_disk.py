"""A model that does not fit the disk."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from unittest import mock

import pytest

from tartib import DataError, PhrasePairs
from tartib.reordering import ReorderingModel


def test_a_full_disk_is_an_error_in_words(tmp_path: Path, phrases: PhrasePairs) -> None:
    model = ReorderingModel("S1", "naive-bayes", cutoff=0, n_jobs=1).fit(phrases)
    full = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    before = Path.write_bytes

    def write(path: Path, data: bytes) -> int:
        if path.suffix == ".safetensors":
            raise full
        return before(path, data)

    with mock.patch.object(Path, "write_bytes", write), pytest.raises(DataError, match="no space"):
        model.save(tmp_path / "model")
    assert not any(tmp_path.iterdir())
