"""``tartib experiment``, as a user meets it."""

import inspect
import json
from pathlib import Path

import pytest

from tartib.cli import experiment_classification
from tartib.experiments import ClassificationOptions
from tartib.synthetic import write_corpus
from tests.support.commands import tartib_here
from tests.support.drawing import without_drawing

QUICK = """
max-phrase-length = 3
orientations = ["hier-msd"]
features = ["S1", "S2"]
classifiers = ["svm"]
cutoff = 2
regression-epsilons = []
scaling-shares = []
tune = false
"""


@pytest.fixture(scope="module")
def config(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("cli") / "corpus"
    files = write_corpus(folder, 200, n_jobs=1)
    names = zip(("source", "target", "alignment"), files, strict=True)
    text = "".join(f"{name} = '{path.name}'\n" for name, path in names)
    path = folder / "experiment.toml"
    path.write_text(text + QUICK)
    return path


def run(*arguments: object, code: int = 0) -> tuple[str, str]:
    done = tartib_here("experiment", "classification", *arguments, code=code)
    return done.stdout, done.stderr


def test_from_a_file_and_continued(config: Path, tmp_path: Path) -> None:
    with without_drawing():
        shown, noted = run("--config", config, "--out", tmp_path / "out", "--beside-paper")
    assert "hier-msd, backward" in shown
    assert [word for word in ("lexicalised", "S1", "S2", "svm") if word not in shown] == []
    assert "experiment:classification|corpus:" not in noted
    assert f"{tmp_path / 'out' / 'report.html'}" in noted
    data = json.loads((tmp_path / "out" / "results.json").read_text())
    assert data["options"]["features"] == ["S1", "S2"]
    before = {file.name for file in (tmp_path / "out" / "stages").iterdir()}
    assert data["signature"].startswith("experiment:classification|corpus:")
    asked = ("-f", "S2", "--json", "--signature")
    with without_drawing():
        again, noted = run("--config", config, "--out", tmp_path / "out", *asked)
    assert json.loads(again)["signature"] in noted
    assert [cell["features"] for cell in json.loads(again)["orientations"][0]["cells"]] == ["S2"]
    after = {file.name for file in (tmp_path / "out" / "stages").iterdir()}
    assert {name.partition("-")[0] for name in after - before} <= {"examples"}


def test_lists_on_the_command_line(config: Path, tmp_path: Path) -> None:
    given: tuple[object, ...] = (
        "-f",
        "S2, s1",
        "--regression-epsilons",
        "1,0.5",
        "--primal-epochs",
        2,
        "--scaling-shares",
        "0.5",
    )
    given = (*given, "--scaling-features", "S1", "--scaling-classifiers", "svm", "--json")
    with without_drawing():
        shown, _ = run("--config", config, "-o", tmp_path / "out", *given)
    (found,) = json.loads(shown)["orientations"]
    assert [cell["features"] for cell in found["cells"]] == ["S2", "S1"]
    assert [row["epsilon"] for row in found["regressions"]] == [None, 1.0, 0.5]
    assert [point["share"] for point in found["scaling"]] == [0.5]


def test_errors(config: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    _, noted = run("--config", config, "-o", out, "-f", "S99", code=1)
    assert "S99" in noted
    _, noted = run("-o", out, code=1)
    assert "give source and target, or bitext" in noted
    _, noted = run("-o", out, "-b", "x.tmx", "--languages", "arabic", code=1)
    assert "two codes" in noted
    (tmp_path / "odd.toml").write_text(config.read_text() + "fold = 3\n")
    _, noted = run("--config", tmp_path / "odd.toml", "-o", out, code=1)
    assert "odd.toml: there is no option 'fold'" in noted
    assert not out.exists()


def test_defaults_are_those_of_the_library() -> None:
    fields = ClassificationOptions.model_fields
    for name, parameter in inspect.signature(
        experiment_classification.classification
    ).parameters.items():
        if name in ("context", "out", "config", "as_json", "signature"):
            continue
        default = fields[name].default
        if isinstance(default, tuple):
            default = ",".join(f"{v:g}" if isinstance(v, float) else v for v in default)
        assert parameter.default == default, name
