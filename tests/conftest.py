"""What every test finds, wherever it runs: environment, umask, time zone, folder, Hypothesis."""

import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from unittest import mock

import pytest
from hypothesis import HealthCheck, settings

from tartib import storage

# All other variables are removed: COLUMNS, NO_COLOR, GITHUB_ACTIONS and others change the output.
KEPT = (
    "PATH",
    "PYTHONPATH",
    "TMPDIR",
    "LD_PRELOAD",
    "ASAN_OPTIONS",
    "UBSAN_OPTIONS",
    "TSAN_OPTIONS",
)
# The same examples each time, so that no run depends on luck; `make campaign` has many more.
ANY_SPEED = (HealthCheck.too_slow,)
settings.register_profile(
    "ordinary",
    max_examples=30,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=ANY_SPEED,
)
settings.register_profile(
    "campaign",
    max_examples=300,
    deadline=None,
    derandomize=True,
    database=None,
    print_blob=True,
    suppress_health_check=ANY_SPEED,
)
settings.load_profile("ordinary")


def pytest_configure(config: pytest.Config) -> None:
    """Set what tests would otherwise take from their surroundings, before any of them is loaded."""
    os.umask(0o022)
    if not hasattr(config, "workerinput"):  # processes of pytest-xdist inherit the rest
        home = tempfile.mkdtemp(prefix="tartib-tests-")
        config.add_cleanup(lambda: shutil.rmtree(home, ignore_errors=True))
        for name in set(os.environ) - set(KEPT):
            if not name.startswith("PYTEST_"):
                del os.environ[name]
        os.environ.update(HOME=home, LC_ALL="C.UTF-8", TZ="UTC")
        os.environ["HYPOTHESIS_STORAGE_DIRECTORY"] = f"{home}/hypothesis"
    time.tzset()


@pytest.fixture
def unverified() -> Iterator[None]:
    """Load files that do not have their checksums: other checks must find what is wrong, too."""
    with storage.unverified():
        yield


@pytest.fixture(autouse=True, scope="session")
def _no_flush() -> Iterator[None]:
    """Do not wait for the disk: no test cuts the power. Commands in their own process do."""
    with mock.patch("tartib.storage.disk._flush"):
        yield


@pytest.fixture(autouse=True, scope="session")
def _folder() -> Iterator[None]:
    """Run the tests outside of the repository, where no file is read or written by accident."""
    before = Path.cwd()
    os.chdir(os.environ["HOME"])
    yield
    os.chdir(before)
