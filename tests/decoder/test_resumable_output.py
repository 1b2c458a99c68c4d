"""Files that grow together and survive a kill."""

import errno
import os
import random
from collections.abc import Callable, Mapping
from contextlib import ExitStack, suppress
from pathlib import Path
from unittest import mock

import pytest

from tartib import System, storage
from tartib.decoder.resumable_output import ResumableOutput
from tartib.errors import DataError, OptionError
from tartib.storage import disk, verification
from tartib.storage.journal import Journal
from tests.support import systems
from tests.support.commands import invoke
from tests.support.killed_writes import kill_at_every_step
from tests.support.paths import REPOSITORY
from tests.support.processes import run_python

SETTINGS = {"input": ("abc", 3), "weights": {"LM0": [0.1]}}


def texts(number: int) -> Mapping[str, bytes]:
    return {"output": f"line {number}\n".encode(), "nbest": b"n-best\n" * (number % 4)}


def targets(folder: Path) -> dict[str, Path]:
    return {"output": folder / "out", "nbest": folder / "nbest"}


def write_all(output: ResumableOutput, count: int) -> None:
    for number in range(output.finished, count):
        output.write(texts(number))


def interrupted(folder: Path, count: int) -> None:
    with suppress(KeyboardInterrupt), ResumableOutput(targets(folder), SETTINGS) as output:
        write_all(output, count)
        raise KeyboardInterrupt


def expected(role: str, count: int) -> bytes:
    return b"".join(texts(number)[role] for number in range(count))


def check_complete(folder: Path, count: int) -> None:
    assert {p.name for p in folder.iterdir()} == {"out", "nbest"}
    for role, path in targets(folder).items():
        assert path.read_bytes() == expected(role, count)


def test_written_at_the_end_only(tmp_path: Path) -> None:
    with ResumableOutput(targets(tmp_path), SETTINGS) as output:
        write_all(output, 5)
        assert [p.name for p in tmp_path.iterdir()] == [".out.unfinished"]
    check_complete(tmp_path, 5)


def test_nothing_is_left_of_what_did_not_begin(tmp_path: Path) -> None:
    interrupted(tmp_path, 0)
    assert not list(tmp_path.iterdir())


@pytest.mark.filterwarnings("ignore:.*computed again")
@pytest.mark.parametrize("seed", range(20))
def test_continued_wherever_files_were_cut(tmp_path: Path, seed: int) -> None:
    rng = random.Random(seed)
    interrupted(tmp_path, 20)
    for name in rng.sample(["journal", "output", "nbest"], rng.randint(1, 3)):
        path = tmp_path / ".out.unfinished" / name
        data = path.read_bytes()
        cut = data[: rng.randint(0, len(data))]
        path.write_bytes(cut if rng.random() < 0.7 else data + b"half a li")
    with ResumableOutput(targets(tmp_path), SETTINGS, resume=True) as output:
        write_all(output, 25)
    check_complete(tmp_path, 25)


def test_little_is_done_again(tmp_path: Path) -> None:
    interrupted(tmp_path, 20)
    (tmp_path / ".out.unfinished" / "output").write_bytes(expected("output", 12) + b"line")
    with ExitStack() as stack:
        with pytest.warns(UserWarning, match="the last 8 records are damaged: removed"):
            output = stack.enter_context(ResumableOutput(targets(tmp_path), SETTINGS, resume=True))
        assert output.finished == 12
        write_all(output, 20)
    check_complete(tmp_path, 20)


@pytest.mark.parametrize("name", ["journal", "output", "nbest"])
def test_damage_in_the_middle_is_refused(tmp_path: Path, name: str) -> None:
    interrupted(tmp_path, 20)
    path = tmp_path / ".out.unfinished" / name
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)
    with (
        pytest.raises(DataError, match=r"journal:1\d: record 1\d is damaged, and later"),
        ResumableOutput(targets(tmp_path), SETTINGS, resume=True),
    ):
        pass
    with ResumableOutput(targets(tmp_path), SETTINGS, overwrite=True) as output:
        write_all(output, 4)
    check_complete(tmp_path, 4)


@pytest.mark.filterwarnings("ignore:.*computed again")
def test_no_single_bit_goes_unnoticed(tmp_path: Path) -> None:
    interrupted(tmp_path, 5)
    folder = tmp_path / ".out.unfinished"
    whole = {path.name: path.read_bytes() for path in folder.iterdir()}
    rng = random.Random(0)
    for name in ("journal", "output", "nbest", "settings.json"):
        for bit in rng.sample(range(8 * len(whole[name])), 25):
            for other, content in whole.items():
                (folder / other).write_bytes(content)
            data = bytearray(whole[name])
            data[bit // 8] ^= 1 << bit % 8
            (folder / name).write_bytes(data)
            try:
                with ResumableOutput(targets(tmp_path), SETTINGS, resume=True) as output:
                    write_all(output, 5)
            except DataError:
                continue
            for role, path in targets(tmp_path).items():
                assert path.read_bytes() == expected(role, 5), (name, bit)
                path.unlink()
            folder.mkdir()


def completed(folder: Path, count: int, moved: tuple[str, ...] = ()) -> Path:
    """Make an output that was killed when it was complete; some files have their names."""
    unfinished = folder / ".out.unfinished"
    with (
        mock.patch("tartib.decoder.resumable_output.move_file", side_effect=KeyboardInterrupt),
        pytest.raises(KeyboardInterrupt),
        ResumableOutput(targets(folder), SETTINGS) as output,
    ):
        write_all(output, count)
    for role in moved:
        (unfinished / role).rename(targets(folder)[role])
    return unfinished


MOVED = pytest.mark.parametrize("moved", [(), ("nbest",), ("nbest", "output")])


@MOVED
def test_killed_between_two_names(tmp_path: Path, moved: tuple[str, ...]) -> None:
    completed(tmp_path, 7, moved)
    with ResumableOutput(targets(tmp_path), SETTINGS, resume=True) as output:
        assert output.finished == 7
    check_complete(tmp_path, 7)


def flipped(data: bytes) -> bytes:
    middle = len(data) // 2
    return data[:middle] + bytes([data[middle] ^ 1]) + data[middle + 1 :]


@MOVED
@pytest.mark.parametrize("name", ["journal", "output", "nbest", "complete.json"])
@pytest.mark.parametrize(
    "change", [flipped, lambda data: data[:-1], lambda data: data + b"more\n", None]
)
def test_damage_of_what_is_complete_is_refused(
    tmp_path: Path, moved: tuple[str, ...], name: str, change: Callable[[bytes], bytes] | None
) -> None:
    unfinished = completed(tmp_path, 7, moved)
    path = targets(tmp_path)[name] if name in moved else unfinished / name
    data = path.read_bytes()
    path.unlink()
    if change is not None:
        path.write_bytes(change(data))
    elif name == "complete.json":  # then it is not complete
        return
    with (
        pytest.raises(DataError, match=r"start again \(--overwrite, no --resume\)"),
        ResumableOutput(targets(tmp_path), SETTINGS, resume=True),
    ):
        pass
    assert not (tmp_path / "out").exists() or "output" in moved
    with ResumableOutput(targets(tmp_path), SETTINGS, overwrite=True) as output:
        write_all(output, 4)
    check_complete(tmp_path, 4)


def test_folders_of_all_files_are_made(tmp_path: Path) -> None:
    places = {"output": tmp_path / "out", "nbest": tmp_path / "new" / "folder" / "nbest"}
    with ResumableOutput(places, SETTINGS) as output:
        write_all(output, 3)
    assert places["nbest"].read_bytes() == expected("nbest", 3)


# A rename from one folder to another fails as it does from one disk to another.
TWO_DISKS = """
import errno, sys
from pathlib import Path
from tartib.storage import disk
from tests.support import killed_writes

def refuse(old, new):
    if Path(old).parent != Path(new).parent and "partial" not in Path(new).name:
        raise OSError(errno.EXDEV, "Invalid cross-device link", str(old), None, str(new))

def apart(rename):
    def call(old, new):
        refuse(old, new)
        return rename(old, new)
    return call

disk.rename_new, Path.replace = apart(disk.rename_new), apart(Path.replace)
disk._flush = lambda _: None
print(killed_writes.kill_journal(Path(sys.argv[1])))
"""


def test_killed_at_any_step_between_two_disks(tmp_path: Path) -> None:
    assert int(run_python(TWO_DISKS, tmp_path, cwd=REPOSITORY).stdout) > 25


@pytest.mark.parametrize("overwrite", [False, True])
def test_a_copy_on_another_disk_is_flushed_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, overwrite: bool
) -> None:
    seen: list[Path] = []

    def apart(rename: Callable[[Path, Path], object]) -> Callable[[Path, Path], None]:
        def call(old: Path, new: Path) -> None:
            if old.parent != new.parent:
                raise OSError(errno.EXDEV, "Invalid cross-device link")
            assert old in seen
            rename(old, new)

        return call

    monkeypatch.setattr(disk, "flush", seen.append)
    monkeypatch.setattr(disk, "rename_new", apart(disk.rename_new))
    monkeypatch.setattr(Path, "replace", apart(Path.replace))
    if overwrite:
        (tmp_path / "out").write_text("old")
    with ResumableOutput(targets(tmp_path), SETTINGS, overwrite=overwrite) as output:
        write_all(output, 5)
    check_complete(tmp_path, 5)


def test_the_first_sentence_does_not_wait_for_checks(tmp_path: Path) -> None:
    waits = mock.patch.object(verification, "finish")
    with waits as finish, ResumableOutput(targets(tmp_path), SETTINGS) as output:
        write_all(output, 3)
        finish.assert_not_called()
    finish.assert_called_once()


def test_nothing_is_kept_of_damaged_models(tmp_path: Path) -> None:
    interrupted(tmp_path, 2)
    error = DataError("lm", None, "is damaged", "make it again")
    with (
        mock.patch.object(verification, "finish", side_effect=error),
        pytest.raises(DataError, match=r"(?s)is damaged\n  make it again\n  no sentence was kept"),
        ResumableOutput(targets(tmp_path), SETTINGS, resume=True) as output,
    ):
        write_all(output, 3)
    assert list(tmp_path.iterdir()) == []


def full(*_: object) -> None:
    raise OSError(errno.ENOSPC, "No space left on device")


@pytest.mark.parametrize(
    ("owner", "method"),
    [(Journal, "append"), (Journal, "flush"), (ResumableOutput, "_write")],
)
def test_a_full_disk_says_what_is_kept(tmp_path: Path, owner: type, method: str) -> None:
    interrupted(tmp_path, 5)
    again = ResumableOutput(
        targets(tmp_path), SETTINGS, resume=True, kept=lambda: "5 are in a folder"
    )
    with (
        mock.patch.object(owner, method, full),
        pytest.raises(DataError, match=r"(?s)no space left.*another disk.*\n  5 are in a folder"),
        again as output,
    ):
        write_all(output, 7)
    with ResumableOutput(targets(tmp_path), SETTINGS, resume=True) as output:
        assert output.finished in (5, 7)
        write_all(output, 7)
    check_complete(tmp_path, 7)


def test_a_disk_that_is_full_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ResumableOutput, "_write", full)
    with pytest.raises(OSError, match="No space"), ResumableOutput(targets(tmp_path), SETTINGS):
        pass
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_a_full_disk_at_the_end_of_a_journal(tmp_path: Path) -> None:
    """What could not be written is not tried again when the file is closed."""
    (tmp_path / "output").symlink_to("/dev/full")
    with (
        Journal(tmp_path, ["output"]) as journal,
        pytest.raises(OSError, match="No space left"),
    ):
        journal.append({"output": b"line"})


def test_output_through_a_link(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "elsewhere" / "out")
    with ResumableOutput({"output": tmp_path / "link"}, SETTINGS) as output:
        assert (tmp_path / "elsewhere" / ".out.unfinished").is_dir()
        output.write({"output": b"x\n"})
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "elsewhere" / "out").read_text() == "x\n"


def test_only_the_same_is_continued(tmp_path: Path) -> None:
    interrupted(tmp_path, 3)
    other = {**SETTINGS, "weights": {"LM0": [0.2]}}
    with pytest.raises(OptionError, match=r"continued: weights LM0 was \[0.1\] and is now \[0.2\]"):
        ResumableOutput(targets(tmp_path), other, resume=True)
    with pytest.raises(OptionError, match="is not finished"):
        ResumableOutput(targets(tmp_path), other)
    with ResumableOutput(targets(tmp_path), other, overwrite=True) as output:
        assert output.finished == 0
        write_all(output, 2)
    check_complete(tmp_path, 2)
    with pytest.raises(OptionError, match="exists already"):
        ResumableOutput(targets(tmp_path), other, resume=True)


def test_two_at_once_are_refused(tmp_path: Path) -> None:
    with ResumableOutput(targets(tmp_path), SETTINGS) as output:
        write_all(output, 2)
        second = ResumableOutput(targets(tmp_path), SETTINGS, resume=True)
        with pytest.raises(OptionError, match="being written by another process"), second:
            pass
        write_all(output, 4)
    check_complete(tmp_path, 4)


def test_killed_at_any_step_it_is_continued(tmp_path: Path) -> None:
    assert kill_at_every_step("journal", tmp_path) > 20


def test_the_state_of_models_is_that_of_all_their_files(tmp_path: Path) -> None:
    folder = tmp_path / "model"
    with storage.new_folder(folder, "tartib x") as aside:
        storage.write_json(aside / "meta.json", {"format": "tartib x"})
        with storage.new_folder(aside / "inner", "tartib x") as inner:
            storage.write_json(inner / "meta.json", {"format": "tartib x"})
    system = System(phrase_table=folder, lm=tmp_path / "nowhere")
    before = system.state()
    files = [path for path in folder.rglob("*") if path.is_file()]
    assert before.keys() == {*map(str, files), str(tmp_path / "nowhere")}
    assert len(files) == 4
    for path in files:
        assert ("checksum" in before[str(path)]) == (path.name == "manifest.json")
        times = path.stat()
        while path.stat().st_ctime_ns == times.st_ctime_ns:  # clocks of file systems are coarse
            path.write_bytes(path.read_bytes())
            os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
        now = system.state()
        assert [name for name in now if now[name] != before[name]] == [str(path)]
        before = now


def test_tuning_calls_no_file_of_another_origin_finished(tmp_path: Path) -> None:
    system, reference = systems.write_toml(tmp_path, stack_size=20), tmp_path / "reference"
    reference.write_text(systems.SOURCE.read_text())
    out = tmp_path / "tuned.toml"
    command = ["tune", system, "-s", systems.SOURCE, "-r", reference, "-o", out, "--resume"]
    command += ["--iterations", 1, "--nbest-size", 10]
    invoke(*command)
    tuned = out.read_text()
    untuned = tuned[: tuned.index("[weights]")]
    for text in ("mine", untuned, tuned.replace("stack-size = 20", "stack-size = 21")):
        out.write_text(text)
        refused = invoke(*command, code=1).exception
        assert "exists already, and nothing unfinished is beside it" in str(refused)
        assert out.read_text() == text
    out.write_text(tuned)
    assert "is finished" in invoke(*command).stderr
    os.utime(reference, (later := out.stat().st_mtime + 1, later))
    assert "exists already, and nothing" in str(invoke(*command, code=1).exception)
