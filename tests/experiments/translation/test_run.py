"""The translation experiment: what it finds, that it continues, and that nothing is lost."""

import inspect
import io
import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rich.console import Console

from tartib.cli import experiment_translation
from tartib.decoder import System
from tartib.errors import DataError, OptionError
from tartib.evaluation import bleu, source_orders
from tartib.evaluation.word_order import kendall_tau
from tartib.experiments import TranslationOptions, TranslationResults, read_toml, run_translation
from tartib.experiments.run.stages import Workspace
from tartib.experiments.translation.plan import TranslationPlan
from tartib.experiments.translation.screen import SystemsScreen
from tartib.experiments.translation.systems import PAPER_SYSTEMS, SystemParts
from tartib.synthetic import write_corpus
from tests.support.commands import tartib_here
from tests.support.experiment_runs import (
    found_in,
    kill_at_random,
    run_apart,
    stages_of,
    without_times,
)

QUICK: dict[str, Any] = {
    "systems": ("lexicalised", "svm:S6+sparse"),
    "runs": 1,
    "iterations": 2,
    "nbest_size": 20,
    "cube_pops": 50,
    "max_phrase_length": 4,
    "lm_order": 3,
    "cutoff": 2,
    "sparse_words": 20,
    "samples": 100,
    "word_order": False,
    "examples": 2,
}
TEST = 20


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("texts")
    made = write_corpus(folder / "corpus", 340, n_jobs=1)
    parts = {"train": slice(0, 300), "dev": slice(300, 320), "test": slice(320, 340)}
    for path, side in zip(made, ("ar", "en", "align"), strict=True):
        lines = path.read_text().splitlines()
        for name, part in parts.items():
            (folder / f"{name}.{side}").write_text("".join(f"{s}\n" for s in lines[part]))
    second = [
        line.replace("the ", "that ") for line in (folder / "test.en").read_text().split("\n")
    ]
    (folder / "test.2.en").write_text("\n".join(second))
    return {
        "train": (folder / "train.ar", folder / "train.en"),
        "alignment": folder / "train.align",
        "dev": folder / "dev.ar",
        "dev_reference": (folder / "dev.en",),
        "test": folder / "test.ar",
        "test_reference": (folder / "test.en", folder / "test.2.en"),
    }


@pytest.fixture(scope="module")
def options(files: dict[str, Any]) -> TranslationOptions:
    return TranslationOptions.make({**files, **QUICK})


@pytest.fixture(scope="module")
def finished(options: TranslationOptions, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("experiment") / "out"
    run_translation(options, out)
    return out


@pytest.fixture(scope="module")
def results(finished: Path) -> TranslationResults:
    return TranslationResults.model_validate_json((finished / "results.json").read_text())


def test_scores_are_those_of_the_translations(
    options: TranslationOptions, finished: Path, results: TranslationResults
) -> None:
    references = [path.read_text().splitlines() for path in options.test_reference]
    assert [system.name for system in results.systems] == list(options.systems)
    for system in results.systems:
        stem = system.name.replace(":", "-")
        lines = (finished / "translations" / f"{stem}.run1.txt").read_text().splitlines()
        assert len(lines) == TEST
        (run,) = system.runs
        assert run.scores["BLEU"] == pytest.approx(bleu(lines, references).score)
        assert run.scores["BLEU-ref0"] == pytest.approx(bleu(lines, references[:1]).score)
        assert set(run.scores) == {"BLEU", "BLEU-ref0", "NIST"}
        assert len(run.iterations) == 2
        assert run.dev_bleu == max(iteration.bleu for iteration in run.iterations)
    base, other = results.systems
    assert base.differences == {}
    gain = other.differences["BLEU"]
    assert gain.value == pytest.approx(other.score("BLEU") - base.score("BLEU"))
    assert gain.low <= gain.value <= gain.high


def test_published_systems_translate_the_same(options: TranslationOptions, finished: Path) -> None:
    source = options.test.read_text().splitlines()
    for name in ("lexicalised", "svm-S6+sparse"):
        system = System.read(finished / "systems" / f"{name}.run1.toml")
        assert (system.sparse_reordering is not None) == name.endswith("sparse")
        assert bool(system.sparse_weights) == name.endswith("sparse")
        lines = [found.text for found in system.load().translate(source, n_jobs=1)]
        written = (finished / "translations" / f"{name}.run1.txt").read_text()
        assert lines == written.splitlines()


def test_sizes_times_and_stages(results: TranslationResults) -> None:
    assert [model.name for model in results.models] == ["lexicalised", "svm:S6"]
    for model in results.models:
        assert 0 < model.compact_bytes <= model.bytes
        assert model.n_parameters > 0
        assert 0.5 < model.accuracy < 1
    assert [part.name for part in results.shared] == ["phrase table", "language model"]
    names = [stage.name for stage in results.stages]
    assert names[:2] == ["phrase pairs", "phrase table"]
    assert names[-1] == "comparison"
    assert len(set(names)) == len(names)
    assert all(stage.seconds > 0 and stage.peak_mb > 0 for stage in results.stages)
    assert results.seconds == pytest.approx(sum(stage.seconds for stage in results.stages))


def test_nothing_is_computed_twice(
    options: TranslationOptions, finished: Path, results: TranslationResults, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    shutil.copytree(finished, out)
    shutil.rmtree(out / "work")  # what is large is not needed when all is finished
    before = stages_of(out)
    again = run_translation(options, out)
    assert stages_of(out) == before
    assert again.model_dump() == results.model_dump()
    more = options.model_copy(update={"systems": ("lexicalised", "lexicalised+svm:S6")})
    found = run_translation(more, out)
    assert new_stages(before, out) == ["compared", "decoded", "tuned"]
    assert found.systems[0].runs[0].scores == results.systems[0].runs[0].scores


def test_other_threads_change_times_only(
    options: TranslationOptions, finished: Path, results: TranslationResults, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    shutil.copytree(finished, out)
    before = stages_of(out)
    other = options.model_copy(update={"jobs": 3})
    found = run_translation(other, out).model_dump(mode="json", exclude={"jobs"})
    assert without_times(found) == without_times(results.model_dump(mode="json", exclude={"jobs"}))
    assert new_stages(before, out) == ["fit", "lexicalised"]


def new_stages(before: dict[str, int], out: Path) -> list[str]:
    """Return the kinds of the stages that are new; those before must be as they were."""
    after = stages_of(out)
    assert {name: after[name] for name in before} == before
    new = [name for name in after if name not in before and name.endswith(".json")]
    return sorted(name.partition("-")[0] for name in new)


def test_killed_at_random_points_it_ends_the_same(
    options: TranslationOptions, results: TranslationResults, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    assert kill_at_random("translation", options, out, kills=3, stages=5) >= 2
    assert run_apart("translation", options, out).wait() == 0
    assert found_in(out) == without_times(results.model_dump(mode="json"))


def test_all_that_can_be_asked_for(files: dict[str, Any], tmp_path: Path) -> None:
    """Both directions, several runs, word order, a system of everything; from the command line."""
    given: list[object] = []
    for name, value in files.items():
        flag = f"--{name.replace('_', '-')}"
        if name == "train":
            given += [flag, *value]
        else:
            given += [
                part
                for path in (value if isinstance(value, tuple) else [value])
                for part in (flag, path)
            ]
    config = tmp_path / "experiment.toml"
    quick = {k: v for k, v in QUICK.items() if k not in ("systems", "word_order", "runs")}
    config.write_text("".join(f"{name} = {json.dumps(value)}\n" for name, value in quick.items()))
    out = tmp_path / "out"
    arguments = ("--config", config, "-o", out, "--systems", "lexicalised+mlr:S7+sparse,none")
    more = (
        "--runs",
        2,
        "--direction",
        "bidirectional",
        "--orientation",
        "phrase-mslr",
        "--no-tune",
    )
    done = tartib_here("experiment", "translation", *given, *arguments, *more, "--seed", 3)
    assert "lexicalised + dual MLR S7 + sparse" in done.stdout
    assert f"{out / 'report.html'}" in done.stderr
    found = TranslationResults.model_validate_json((out / "results.json").read_text())
    assert [s.name for s in found.systems] == ["lexicalised", "lexicalised+mlr:S7+sparse", "none"]
    assert [run.seed for run in found.systems[0].runs] == [3, 4]
    assert found.systems[1].row == "mlr:S7+sparse"
    assert [model.direction for model in found.models] == ["backward", "forward"] * 2
    assert {"tau", "FRS"} < set(found.metrics)
    assert all(0 < run.scores["tau"] <= 100 for s in found.systems for run in s.runs)
    html = (out / "report.html").read_text()
    assert all(title in html for title in ("Word order", "Who moved where", "MT08"))


def test_command_line_has_the_defaults_of_the_library() -> None:
    parameters = inspect.signature(experiment_translation.translation).parameters
    for name, field in TranslationOptions.model_fields.items():
        if name not in ("languages", "systems", "sparse_features") and not field.is_required():
            assert parameters[name].default == field.default, name
    assert parameters["sparse_features"].default == "phrase"
    assert TranslationOptions.model_fields["systems"].default == PAPER_SYSTEMS


@pytest.mark.parametrize(
    ("values", "problem"),
    [
        ({"sytems": ["none"]}, "there is no option 'sytems'"),
        ({"systems": "svm:S16"}, "S16"),
        ({"systems": "svm"}, "unknown part 'svm' of the system 'svm'"),
        ({"systems": "none+sparse"}, "unknown part 'none'"),
        ({"systems": "svm:S6+svm:s6"}, "names a part twice"),
        ({"orientation": "word-xyz"}, "unknown orientation"),
        ({"tuner": "luck"}, "tuner"),
        ({"sparse_features": "phrase,stak"}, "'phrase', 'stack' or 'between'"),
        ({"tuner": "mert"}, "MERT cannot tune sparse features"),
        ({"alignment": None}, "tartib align"),
        ({"test_reference": ()}, "test-reference"),
        ({"test": "-"}, "cannot read standard input"),
    ],
)
def test_wrong_options(files: dict[str, Any], values: dict[str, Any], problem: str) -> None:
    with pytest.raises(OptionError, match=problem):
        TranslationOptions.make({**files, **values})


def test_names_of_systems() -> None:
    for name in PAPER_SYSTEMS:
        assert SystemParts.parse(name).name == SystemParts.parse(name).row == name
    assert SystemParts.parse(" svm:s6 + sparse").name == "svm:S6+sparse"
    assert SystemParts.parse("lexicalised+svm:S6+sparse").row == "svm:S6+sparse"
    assert SystemParts.parse("sparse").title == "sparse"


def test_baseline_is_always_there(files: dict[str, Any]) -> None:
    assert TranslationOptions.make({**files, "systems": "svm:S6"}).systems[0] == "lexicalised"
    named = TranslationOptions.make({**files, "systems": "none,svm:S6"}).systems
    assert named == ("none", "lexicalised", "svm:S6")


def test_files_beside_a_config(files: dict[str, Any], tmp_path: Path) -> None:
    (tmp_path / "e.toml").write_text("train = ['a', 'b']\ndev = 'c'\ntest-reference = ['d']\n")
    values = read_toml(tmp_path / "e.toml")
    assert values["train"] == [tmp_path / "a", tmp_path / "b"]
    assert (values["dev"], values["test_reference"]) == (tmp_path / "c", [tmp_path / "d"])
    (tmp_path / "e.toml").write_text("trian = ['a', 'b']\n")
    with pytest.raises(DataError, match=r"there is no option 'trian' \(is it train\?\)"):
        TranslationOptions.make({**files, **read_toml(tmp_path / "e.toml")}, tmp_path / "e.toml")
    (tmp_path / "e.toml").write_text("test_reference = ['d']\n")
    with pytest.raises(DataError, match="keys are written with hyphens: test-reference"):
        read_toml(tmp_path / "e.toml")
    with pytest.raises(OptionError, match=r"^dev-share: "):
        TranslationOptions.make({**files, "dev_share": 2})


def test_texts_that_do_not_fit_are_told_at_once(
    options: TranslationOptions, tmp_path: Path
) -> None:
    (tmp_path / "short.en").write_text("one line\n")
    wrong = options.model_copy(update={"test_reference": (tmp_path / "short.en",)})
    with pytest.raises(DataError, match=r"has 1 lines, and .* has 20"):
        run_translation(wrong, tmp_path / "out")
    missing = options.model_copy(update={"dev": tmp_path / "nothing"})
    with pytest.raises(OptionError, match="there is no file"):
        run_translation(missing, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_alignment_of_the_test_text_may_be_given(
    files: dict[str, Any], options: TranslationOptions, finished: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    shutil.copytree(finished, out)
    before = stages_of(out)
    path = files["test"].with_name("test.align")
    update = {"word_order": True, "reference_alignment": path}
    found = run_translation(options.model_copy(update=update), out)
    assert new_stages(before, out) == ["compared", "givenalignment"]
    source = options.test.read_text().splitlines()
    right = source_orders(path.read_text().splitlines(), source)
    decoded = System.read(out / "systems" / "lexicalised.run1.toml").load().translate(source)
    links = [" ".join(f"{i}-{j}" for i, j in made.best.alignment) for made in decoded]
    orders = source_orders(links, source)
    taus = [kendall_tau(order, best) for order, best in zip(orders, right, strict=True)]
    assert found.systems[0].score("tau") == pytest.approx(100 * np.mean(taus))
    assert "is automatic" not in (out / "tables.md").read_text()

    (tmp_path / "wrong").write_text("0-0 99-0\n" * TEST)
    wrong = options.model_copy(update={"reference_alignment": tmp_path / "wrong"})
    with pytest.raises(DataError, match="wrong:1: link 99-0 leaves the source sentence"):
        run_translation(wrong, tmp_path / "other")
    (tmp_path / "wrong").write_text("0-0 0-99\n" * TEST)
    with pytest.raises(DataError, match="wrong:1: link 0-99 leaves the target sentence"):
        run_translation(wrong, tmp_path / "other")


def test_live_table_fills_as_systems_are_tuned(
    options: TranslationOptions, finished: Path, results: TranslationResults, tmp_path: Path
) -> None:
    plan = TranslationPlan.of(options)
    console = Console(record=True, width=100, file=io.StringIO())
    screen = SystemsScreen(plan, Workspace(tmp_path))
    screen.begin("phrase table")
    console.print(screen)
    shown = console.export_text(clear=True)
    assert shown.splitlines()[1:3] == ["phrase table (0 s)", "0 of 2 tunings, 0 s"]
    assert shown.count("·") == 2
    console.print(SystemsScreen(plan, Workspace(finished)))
    shown = console.export_text()
    for system in results.systems:
        assert f"{system.runs[0].dev_bleu:.2f}" in shown
    assert "2 of 2 tunings" in shown
