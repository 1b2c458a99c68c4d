"""What commands keep on disk in order to continue: journals, checkpoints, experiments."""

from __future__ import annotations

from contextlib import suppress
from functools import cache
from pathlib import Path

import numpy as np

from tartib.decoder import Decoder, System
from tartib.decoder.resumable_output import ResumableOutput
from tartib.experiments.run import corpus
from tartib.experiments.run.corpus import Corpus, Division, Rows, Target
from tartib.experiments.run.stages import TextFile
from tartib.experiments.run.workspace import Workspace
from tartib.tuning import Iteration, TuningOptions, TuningResult, checkpoints, tune
from tests.campaign.formats.definition import Format
from tests.campaign.materials import Materials

_SETTINGS = {"input": ["abc", 3], "weights": {"LM0": [0.1]}}
_LINES = 8
_TARGET = Target("hier-msd", "backward")
_FOUND = {"figures": [1, 2.5], "name": "x"}
_ARRAY = np.arange(20, dtype=np.int32)


class _Interruption(BaseException):
    """Ends a run that the sample is made of."""


def _texts(number: int) -> dict[str, bytes]:
    return {"output": f"line {number}\n".encode(), "nbest": b"n-best\n" * (number % 4)}


def _targets(sample: Path) -> dict[str, Path]:
    return {"output": sample / "out", "nbest": sample / "nbest"}


def _make_journal(sample: Path, _: Materials) -> None:
    with suppress(_Interruption), ResumableOutput(_targets(sample), _SETTINGS) as output:
        for number in range(_LINES - 2):
            output.write(_texts(number))
        raise _Interruption


def _use_journal(sample: Path, _: Materials) -> object:
    with ResumableOutput(_targets(sample), _SETTINGS, resume=True) as output:
        for number in range(output.finished, _LINES):
            output.write(_texts(number))
    return [path.read_bytes() for path in _targets(sample).values()]


@cache
def _decoder(materials: Materials) -> Decoder:
    return System.read(materials.system).load()


def _tune(sample: Path, materials: Materials, interrupt: bool) -> TuningResult:
    def report(_: Iteration) -> None:
        if interrupt:
            raise _Interruption

    references = [materials.target.read_text(encoding="utf-8").splitlines()[:2]]
    return tune(
        _decoder(materials),
        materials.sentences[:2],
        references,
        options=TuningOptions(iterations=2, nbest_size=3),
        n_jobs=1,
        folder=sample / "run",
        report=report,
    )


def _make_checkpoints(sample: Path, materials: Materials) -> None:
    with suppress(_Interruption):
        _tune(sample, materials, interrupt=True)


def _use_checkpoints(sample: Path, materials: Materials) -> object:
    result = _tune(sample, materials, interrupt=False)
    return result.weights, [iteration.bleu for iteration in result.iterations]


def _make_records(sample: Path, _: Materials) -> None:
    space = Workspace(sample / "out")
    with space.opened():
        space.write("stage-1", _FOUND, {"y": _ARRAY})


def _use_records(sample: Path, _: Materials) -> object:
    """Continue as a run does: what has no record is done again."""
    space = Workspace(sample / "out")
    with space.opened():
        if space.read("stage-1") is None:
            space.write("stage-1", _FOUND, {"y": _ARRAY})
        found = space.require("stage-1")
        return {name: found.get(name) for name in _FOUND}, space.array("stage-1", "y")


def _rows(materials: Materials) -> Rows:
    files = {"source": materials.source, "target": materials.target}
    files |= {"alignment": materials.alignment}
    read = Corpus(tuple((n, TextFile.of(p)) for n, p in files.items()), None, 100, False, 3)
    return Rows(Division(read, 0.2, 0.2, 1, 0, 0, 10), "S1", 1, 1.0, (_TARGET,))


def _make_experiment_rows(sample: Path, materials: Materials) -> None:
    space, stage = Workspace(sample / "out"), _rows(materials)
    with space.opened():
        stage.division.corpus.run(space, 1)
        stage.run(space, 1)


def _use_experiment_rows(sample: Path, materials: Materials) -> object:
    space, stage = Workspace(sample / "out"), _rows(materials)
    with space.opened():
        before = stage.division.corpus
        for needed in (before, stage):
            if not needed.is_ready(space):
                needed.run(space, 1)
        parts = [stage.load(space, part, _TARGET) for part in ("train", "development", "test")]
        sizes = {n: v for n, v in space.require(before.key).items() if "stage" not in n}
        names = stage.encoder(space)
        return (
            [(part.indices, part.y, part.classes) for part in parts],
            [names.name(i) for i in range(0, names.n_features, 5)],
            stage.trained_on(space, _TARGET),
            sizes,
        )


RUNS = (
    Format("journal", _make_journal, _use_journal, sealed=True, writes=True),
    Format(
        "checkpoints",
        _make_checkpoints,
        _use_checkpoints,
        (checkpoints._FORM,),
        sealed=True,
        writes=True,
    ),
    Format(
        "records", _make_records, _use_records, ("tartib experiment",), sealed=True, writes=True
    ),
    Format(
        "experiment-rows",
        _make_experiment_rows,
        _use_experiment_rows,
        (corpus.ROWS_FORMAT,),
        sealed=True,
        writes=True,
        slow=True,
    ),
)
