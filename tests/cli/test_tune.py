"""``tartib tune``, as a user meets it."""

from __future__ import annotations

import itertools
import json
import shutil
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tartib import System, storage
from tartib.cli.problems import Stopped
from tartib.tuning.development_set import DevelopmentSet
from tests.support import systems
from tests.support.commands import invoke, tartib_here
from tests.support.kills import STEPS, is_killed
from tests.support.systems import SOURCE, words_of
from tests.support.terminal import on_terminal

NAME = "hier-msd-backward-fe"


@pytest.fixture
def system(tmp_path: Path) -> Path:
    return systems.write_toml(tmp_path, NAME, stack_size=20)


@pytest.fixture
def reference(tmp_path: Path) -> Path:
    """What a system that searches farther says."""
    path = tmp_path / "reference"
    path.write_text("".join(f"{line}\n" for line in words_of("none", -1)))
    return path


def arguments(system: Path, reference: Path, out: Path, *others: object) -> list[object]:
    text = ["--source", SOURCE, "--reference", reference, "--iterations", 3, "--nbest-size", 10]
    return ["tune", system, *text, "--out", out, *others]


@pytest.mark.parametrize("tuner", ["mira", "pro", "mert"])
def test_a_tuned_system_is_written(
    system: Path, reference: Path, tmp_path: Path, tuner: str
) -> None:
    out = tmp_path / "elsewhere" / "tuned.toml"
    said = invoke(*arguments(system, reference, out, "--tuner", tuner)).stdout
    assert "; before tuning" in said
    assert str(out) in said
    before, after = System.read(system), System.read(out)
    assert after.search == before.search
    assert before.weights is not None
    assert after.weights is not None
    assert set(after.weights) == set(before.weights)
    assert after.weights != before.weights
    assert [path.name for path in out.parent.iterdir()] == ["tuned.toml"]
    invoke("translate", out, SOURCE)


def test_weights_before_that_were_the_best(system: Path, reference: Path, tmp_path: Path) -> None:
    said = invoke(*arguments(system, reference, tmp_path / "a.toml", "--iterations", 1)).stdout
    assert "Stopped: 1 iteration done." in said
    assert "No better weights than those of the system were found" in said


def test_nobody_is_told_to_tune_who_does(system: Path, reference: Path, tmp_path: Path) -> None:
    text = system.read_text()
    system.write_text(text[: text.index("[weights]")])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        invoke(*arguments(system, reference, tmp_path / "tuned.toml", "--iterations", 1))
    with pytest.warns(UserWarning, match="tune the system"):
        invoke("translate", system, SOURCE)


def test_json_of_several_runs(system: Path, reference: Path, tmp_path: Path) -> None:
    more = ("--runs", 2, "--seed", 7, "--json")
    said = invoke(*arguments(system, reference, tmp_path / "tuned.toml", *more)).stdout
    found = json.loads(said)
    assert [part["seed"] for part in found["runs"]] == [7, 8]
    for part in found["runs"]:
        best = part["iterations"][part["best"] - 1]
        assert part["bleu"] == best["bleu"] == max(i["bleu"] for i in part["iterations"])
    means = [
        sum(values) / 2
        for values in zip(*(part["weights"]["LM0"] for part in found["runs"]), strict=True)
    ]
    assert found["weights"]["LM0"] == pytest.approx(means)


def test_moses_ini_is_tuned(reference: Path, tmp_path: Path) -> None:
    out = tmp_path / "tuned.toml"
    ini = systems.write_ini(tmp_path, NAME)
    invoke(*arguments(ini, reference, out, "--iterations", 1))
    invoke("translate", out, SOURCE)


@pytest.mark.parametrize("by", [40, pytest.param(1, marks=pytest.mark.campaign)])
def test_killed_and_continued_it_ends_the_same(
    system: Path, reference: Path, tmp_path: Path, by: int
) -> None:
    """Each run is killed some steps later than the one before, which it continues."""
    folder = tmp_path / "run"
    out, kept = folder / "tuned.toml", folder / ".tuned.toml.unfinished"
    more = ("--runs", 2, "--iterations", 4, "-j", 1)
    command = [*map(str, arguments(system, reference, out, *more, "--resume"))]
    most, kills = 0, 0
    while is_killed(STEPS, (kills + 1) * by, *command):
        kills += 1
        done = len([*kept.glob("*/iteration-*")])
        assert done >= most
        most = done
        if done and not out.exists():
            refused = invoke(*command, "--nbest-size", 11, code=1).exception
            assert "options nbest_size was 10 and is now 11" in str(refused)
            begun = invoke(*(part for part in command if part != "--resume"), code=1).exception
            assert "is not finished: continue with --resume" in str(begun)
    assert kills >= 2
    assert most >= 4
    assert [path.name for path in folder.iterdir()] == ["tuned.toml"]
    other = folder / "other.toml"
    invoke(*arguments(system, reference, other, *more[:-2]))
    assert out.read_text() == other.read_text()


@pytest.mark.parametrize("removed", [False, True])
def test_killed_after_the_result_is_written(
    system: Path, reference: Path, tmp_path: Path, removed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whether what was kept is still there or not, the next command says that all is done."""
    out, kept = tmp_path / "tuned.toml", tmp_path / ".tuned.toml.unfinished"
    command = arguments(system, reference, out, "--iterations", 1, "--resume")
    with monkeypatch.context() as patched:
        patched.setattr("tartib.tuning.checkpoints.remove_kept", lambda _: True)
        invoke(*command)
    assert kept.exists()
    if removed:
        shutil.rmtree(kept)
    before = out.read_text()
    assert invoke(*command).stderr == f"{out} is finished: there is nothing to continue\n"
    assert [path.name for path in tmp_path.glob("*tuned*")] == ["tuned.toml"]
    assert out.read_text() == before


def interrupted(number: int) -> Callable[..., Any]:
    """Return a decoding that stands for the real one until Ctrl-C in the ``number``-th time."""
    decode, calls = DevelopmentSet.decode, itertools.count(1)

    def once(*given: Any, **options: Any) -> Any:
        if next(calls) == number:
            raise Stopped(130)
        return decode(*given, **options)

    return once


@pytest.mark.parametrize(
    ("number", "said"),
    [
        (1, "tartib: interrupted: no iteration was finished, and nothing was kept\n"),
        (2, "interrupted: 1 finished iteration kept in {}; the same command with --resume conti"),
        (3, "interrupted: 2 finished iterations kept in {}; the same command with --resume cont"),
    ],
)
def test_an_interrupt_says_what_was_kept(
    system: Path,
    reference: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    number: int,
    said: str,
) -> None:
    command = arguments(system, reference, tmp_path / "tuned.toml")
    monkeypatch.setattr(DevelopmentSet, "decode", interrupted(number))
    kept = tmp_path / ".tuned.toml.unfinished"
    assert said.format(kept) in tartib_here(*command, code=130).stderr
    assert kept.exists() == (number > 1)


def test_an_interrupt_while_models_are_loading(
    system: Path, reference: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def load(*_: Any, **__: Any) -> None:
        raise Stopped(130)

    monkeypatch.setattr(System, "load", load)
    command = arguments(system, reference, tmp_path / "tuned.toml")
    assert "no iteration was finished" in tartib_here(*command, code=130).stderr
    assert "no sentence was finished" in tartib_here("translate", system, SOURCE, code=130).stderr


def test_nothing_is_left_of_what_did_not_begin(
    system: Path, reference: Path, tmp_path: Path
) -> None:
    out = tmp_path / "run" / "tuned.toml"
    invoke(*arguments(system, reference, out, "--jobs", 0), code=1)
    assert not (tmp_path / "run" / ".tuned.toml.unfinished").exists()


@pytest.mark.parametrize("how", [(), ("--resume",), ("--overwrite",)])
def test_another_process_is_left_in_peace(
    system: Path, reference: Path, tmp_path: Path, how: tuple[str, ...]
) -> None:
    """Also before its first iteration is finished."""
    kept = tmp_path / ".tuned.toml.unfinished" / "seed-0"
    kept.mkdir(parents=True)
    with (kept / "lock").open("ab") as file:
        assert storage.lock(file)
        refused = invoke(*arguments(system, reference, tmp_path / "tuned.toml", *how), code=1)
        assert "another process is tuning in" in str(refused.exception)
        assert (kept / "lock").exists()
    invoke(*arguments(system, reference, tmp_path / "tuned.toml", *how))


def test_progress_on_a_terminal(system: Path, reference: Path, tmp_path: Path) -> None:
    said = on_terminal(*arguments(system, reference, tmp_path / "tuned.toml"))
    assert "iteration    BLEU  change  translations  seconds" in said
    assert "Decoding" in said


@pytest.mark.parametrize(
    ("others", "code", "said"),
    [
        (("--tuner", "sgd"), 2, "--tuner is one of mira, pro, mert, not 'sgd'"),
        (("--reference", "nowhere"), 1, "nowhere: no such file"),
        (("--reference", SOURCE.parent / "lm.o3.arpa"), 1, "lines, and"),
        (("--reference", "/dev/null"), 1, "has 0 lines, and"),
        (("--source", "/dev/null"), 1, "is empty"),
        (("--out", "."), 1, "is a folder"),
    ],
)
def test_refusals(
    system: Path, reference: Path, tmp_path: Path, others: tuple[str, ...], code: int, said: str
) -> None:
    result = invoke(*arguments(system, reference, tmp_path / "tuned.toml", *others), code=code)
    assert said in result.output + str(result.exception)


def test_nothing_is_overwritten_unasked(system: Path, reference: Path, tmp_path: Path) -> None:
    out = tmp_path / "tuned.toml"
    out.write_text("mine")
    refused = invoke(*arguments(system, reference, out), code=1).exception
    assert "exists already" in str(refused)
    assert out.read_text() == "mine"
    invoke(*arguments(system, reference, out, "--overwrite"))
    assert System.read(out).weights
