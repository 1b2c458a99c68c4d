"""Damaged files are found: at once if they are small, before anything is kept if they are large."""

import random
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tartib import storage
from tartib.errors import DataError
from tartib.storage import verification
from tartib.storage.manifest import made_by, read_manifest
from tests.support.processes import run_python

FORM = "tartib x"


def make(folder: Path, size: int = 1000) -> Path:
    with storage.new_folder(folder, FORM, overwrite=True) as aside:
        with storage.ArrayWriter(aside / "x.npy", np.int64) as array:
            array.append(np.arange(size))
        storage.write_bytes(aside / "words", b"a\nb\n")
        with storage.new_folder(aside / "inner", FORM) as inner:
            storage.write_json(inner / "meta.json", {"format": FORM, "version": 1})
        storage.write_json(aside / "meta.json", {"format": FORM, "version": 1})
    return folder


def load(folder: Path) -> None:
    storage.check_format(folder, FORM, 1, "an x", "hint")


def flip(path: Path, byte: int) -> None:
    data = bytearray(path.read_bytes())
    data[byte] ^= 1
    path.write_bytes(data)


def test_every_file_is_checked(tmp_path: Path) -> None:
    folder = make(tmp_path / "x")
    load(folder)
    rng = random.Random(0)
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    assert len(files) == 6
    for path in files:
        data = path.read_bytes()
        if path.parent == folder or path.name == "manifest.json":
            flip(path, rng.randrange(len(data)))
            with pytest.raises(DataError):
                load(folder)
            path.write_bytes(data)
            path.unlink()
            with pytest.raises(DataError):
                load(folder)
            path.write_bytes(data)
    load(folder)


def test_the_place_and_the_remedy_are_named(tmp_path: Path) -> None:
    folder = make(tmp_path / "x", 1_000_000)
    flip(folder / "x.npy", 3_000_000)
    with pytest.raises(DataError) as caught:
        load(folder)
    assert caught.value.path == str(folder / "x.npy")
    assert caught.value.problem == "is damaged between bytes 2,097,152 and 3,145,727"
    assert caught.value.hint == "make it again, or copy it again from where it came from"
    with storage.unverified():
        load(folder)


def test_folders_of_earlier_versions_are_refused(tmp_path: Path) -> None:
    folder = make(tmp_path / "x")
    (folder / "manifest.json").unlink()
    with pytest.raises(DataError, match=r"has no manifest.json.*\n.*make it again"):
        load(folder)


@pytest.fixture
def _in_background(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verification, "AT_ONCE", 100)


@pytest.mark.usefixtures("_in_background")
def test_nothing_is_kept_that_came_from_a_damaged_file(tmp_path: Path) -> None:
    folder = make(tmp_path / "x")
    flip(folder / "x.npy", 5000)
    load(folder)  # what is small is whole
    for output in (
        storage.new_folder(tmp_path / "y", FORM),
        storage.replaced_folder(tmp_path / "w"),
    ):
        with pytest.raises(DataError, match=r"x.npy: is damaged"), output as aside:
            (aside / "file").write_text("wrong")
    with (
        pytest.raises(DataError, match=r"x.npy: is damaged"),
        storage.new_files(tmp_path / "z") as (file,),
    ):
        file.write_text("wrong")
    assert [path.name for path in tmp_path.iterdir()] == ["x"]
    make(folder)
    load(folder)
    verification.finish()


@pytest.mark.usefixtures("_in_background")
def test_what_was_replaced_meanwhile_is_not_compared(tmp_path: Path) -> None:
    """Files are open before they are checked."""
    folder = make(tmp_path / "x")
    for size in (10, 2000, 30):
        load(folder)
        make(folder, size)
    verification.finish()


@pytest.mark.usefixtures("_in_background")
def test_checks_can_be_stopped(tmp_path: Path) -> None:
    folder = make(tmp_path / "x")
    load(folder)
    verification.stop()
    verification.finish()
    flip(folder / "x.npy", 5000)
    load(folder)
    with pytest.raises(DataError, match=r"x.npy: is damaged"):
        verification.finish()
    make(folder)
    load(folder)
    verification.finish()


PROGRAM = """
import sys
from pathlib import Path
from tartib import storage
from tartib.storage import verification
verification.AT_ONCE = 0
storage.check_format(Path(sys.argv[1]), "tartib x", 1, "an x", "hint")
"""


def test_a_program_that_keeps_nothing_is_told_at_its_end(tmp_path: Path) -> None:
    folder = make(tmp_path / "x")
    assert run_python(PROGRAM, folder).stderr == ""
    flip(folder / "x.npy", 5000)
    said = run_python(PROGRAM, folder).stderr
    assert said.startswith(f"tartib: error: {folder}/x.npy: is damaged between bytes")


TOLD = (
    "import tartib\n"
    + PROGRAM
    + """
for _ in range(2):
    try:
        verification.finish()
    except tartib.DataError as error:
        print(error, file=sys.stderr)
"""
)


def test_a_program_that_was_told_is_not_told_again_at_its_end(tmp_path: Path) -> None:
    folder = make(tmp_path / "x")
    flip(folder / "x.npy", 5000)
    assert run_python(TOLD, folder).stderr.count("x.npy: is damaged") == 2  # at each `finish`
    flip(folder / "words", 1)  # of two, each is told once
    said = run_python(TOLD.replace("range(2)", "range(1)"), folder).stderr
    assert said.count("x.npy: is damaged") == said.count("words: is damaged") == 1


def test_a_file_that_is_too_long_is_not_read_to_its_end(tmp_path: Path) -> None:
    folder = make(tmp_path / "x")
    with (folder / "words").open("r+b") as file:
        file.truncate(1 << 40)  # without using the disk
    with pytest.raises(DataError, match=r"1,099,511,627,776 bytes, not 4\) between bytes 0 and"):
        load(folder)
    (folder / "words").unlink()
    (folder / "words").symlink_to("/dev/zero")
    with pytest.raises(DataError, match=r"words: is damaged \("):
        load(folder)


@pytest.mark.parametrize(
    "fields",
    [
        {"files": {"words": {"size": 10**18, "blocks": "x"}}},
        {"files": {"words": {"size": -5, "blocks": ""}}},
        {"files": {"words": {"size": 4, "blocks": "", "more": 1}}},
        {"files": {"../x/words": {"size": 0, "blocks": ""}}},
        {"files": {"/etc/passwd": {"size": 0, "blocks": ""}}},
        {"files": {"\0": {"size": 0, "blocks": ""}}},
        {"files": {"\ud800": {"size": 0, "blocks": ""}}},
        {"files": 5},
        {"folders": {"..": "0"}},
        {"folders": [[1, 2]]},
        {"made_by": {"tartib": "0", "command": 5}},
    ],
)
def test_a_sealed_manifest_with_wrong_fields(tmp_path: Path, fields: dict[str, Any]) -> None:
    folder = make(tmp_path / "x")
    value = storage.read_record(folder / "manifest.json")
    storage.write_record(folder / "manifest.json", {**value, **fields})
    with pytest.raises(DataError, match=r"manifest.json: has a wrong or missing field"):
        load(folder)


def test_a_command_that_is_not_utf8_is_noted_readably(tmp_path: Path) -> None:
    with made_by(["tartib", "-o", "phr\udcff", "ترتيب", "\ud800"]):
        folder = make(tmp_path / "x")
    words = ("tartib", "-o", r"phr\xff", "ترتيب", r"\ud800")
    assert read_manifest(folder).command == words
    load(folder)


def test_a_reader_sees_the_old_or_the_new_never_a_mixture(tmp_path: Path) -> None:
    """Three threads replace a folder while it is loaded again and again."""
    folder = make(tmp_path / "x", 1)
    stop = threading.Event()

    def write(size: int) -> None:
        while not stop.is_set():
            make(folder, size)

    @storage.reading
    def read() -> int:
        load(folder)
        return len(storage.load_array(folder / "x.npy", np.int64))

    threads = [threading.Thread(target=write, args=(size,)) for size in (10, 200, 3000)]
    for thread in threads:
        thread.start()
    try:
        sizes = {read() for _ in range(100)}
    finally:
        stop.set()
        for thread in threads:
            thread.join()
    assert sizes <= {1, 10, 200, 3000}
    assert [path.name for path in tmp_path.iterdir()] == ["x"]
