"""The live screen of a build, and how long it says that it will take."""

from __future__ import annotations

from rich.console import Console

from tartib.build.expectation import Expectation
from tartib.build.plan import STEPS, step_of
from tartib.build.screen import BuildScreen
from tartib.experiments.run.workspace import Workspace
from tests.build.conftest import Tiny


def test_steps_are_shown_as_they_go(tiny: Tiny) -> None:
    screen = BuildScreen(tiny.options, Workspace(tiny.built.work, "build"))
    screen.begin("prepare")
    screen.begin("phrase pairs")
    console = Console(width=100)
    with console.capture() as captured:
        console.print(screen)
    lines = [line.strip() for line in captured.get().splitlines()]
    assert lines[0].startswith("✓  prepare")
    assert lines[2].startswith("▸  extract")
    assert lines[9].startswith("·  package")
    assert "left" in lines[-1]


def test_stages_belong_to_steps(tiny: Tiny) -> None:
    steps = [step_of(line.rpartition(": ")[0]) for line in tiny.reported]
    assert steps == sorted(steps, key=STEPS.index)
    assert set(steps) == set(STEPS[:-1])


def test_what_is_left_shrinks_and_is_corrected(tiny: Tiny) -> None:
    expected = Expectation.of(tiny.options)
    nothing = dict.fromkeys(STEPS, 0.0)
    left = [expected.left(at, nothing, 0.0) for at in range(len(STEPS))]
    assert left == sorted(left, reverse=True)
    slow = {**nothing, STEPS[0]: 10 * expected.seconds[0]}
    assert expected.left(1, slow, 0.0) > left[1]
