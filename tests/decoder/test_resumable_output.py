"""Files that grow together and survive a kill."""

import random
from collections.abc import Mapping
from contextlib import ExitStack, suppress
from pathlib import Path
from unittest import mock

import pytest

from tartib.decoder.resumable_output import ResumableOutput
from tartib.errors import DataError, OptionError
from tests.support.killed_writes import kill_at_every_step

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


@pytest.mark.parametrize("moved", [(), ("nbest",), ("nbest", "output")])
def test_killed_between_two_names(tmp_path: Path, moved: tuple[str, ...]) -> None:
    folder = tmp_path / ".out.unfinished"
    with (
        mock.patch("tartib.decoder.resumable_output.publish_file", side_effect=KeyboardInterrupt),
        pytest.raises(KeyboardInterrupt),
        ResumableOutput(targets(tmp_path), SETTINGS) as output,
    ):
        write_all(output, 7)
    for role in moved:
        (folder / role).rename(targets(tmp_path)[role])
    with ResumableOutput(targets(tmp_path), SETTINGS, resume=True) as output:
        assert output.finished == 7
    check_complete(tmp_path, 7)


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
