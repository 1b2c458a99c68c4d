"""The classification experiment: what it finds, that it continues, and that nothing is lost."""

import io
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rich.console import Console

from tartib import Bitext, PhrasePairs, extract_phrases
from tartib.errors import DataError, OptionError, TartibError
from tartib.experiments import ClassificationOptions, Results, read_toml, run_classification
from tartib.experiments.classification.plan import Plan
from tartib.experiments.classification.screen import Screen
from tartib.experiments.run.classifiers import Fit
from tartib.experiments.run.corpus import Corpus, Division
from tartib.experiments.run.jobs import JobServer
from tartib.experiments.run.stages import Workspace
from tartib.models import MulticlassSVM
from tartib.reordering import ReorderingModel
from tartib.synthetic import write_corpus
from tests.support import jobs, paths
from tests.support.experiment_runs import (
    found_in,
    kill_at_random,
    run_apart,
    stages_of,
    without_times,
)
from tests.support.processes import run_python

SMALL: dict[str, Any] = {
    "max_phrase_length": 4,
    "orientations": ("word-msd", "hier-mslr"),
    "features": ("S1", "S4"),
    "classifiers": ("svm", "mlr"),
    "cutoff": 2,
    "tune_pairs": 1000,
    "regression_tols": (1.0, 0.1),
    "primal_epochs": 2,
    "scaling_features": "S4",
    "scaling_classifiers": ("svm", "naive-bayes"),
    "scaling_shares": (0.5, 1.0),
    "samples": 100,
    "examples": 2,
}


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("experiment") / "corpus"
    source, target, alignment = write_corpus(folder, 300, n_jobs=1)
    return {"source": source, "target": target, "alignment": alignment}


@pytest.fixture(scope="module")
def options(files: dict[str, Path]) -> ClassificationOptions:
    return ClassificationOptions.make({**files, **SMALL})


@pytest.fixture(scope="module")
def finished(options: ClassificationOptions, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("experiment") / "out"
    run_classification(options, out)
    return out


@pytest.fixture(scope="module")
def results(finished: Path) -> Results:
    return Results.model_validate_json((finished / "results.json").read_text())


def test_cells_are_what_the_library_finds(
    options: ClassificationOptions, finished: Path, results: Results
) -> None:
    plan = Plan(options, Corpus.of(options))
    phrases = PhrasePairs.load(finished / "work" / plan.corpus.key)
    parts = plan.division(0).of(phrases)
    word, hier = results.orientations
    assert hier.classes == ["mono", "swap", "dright", "dleft"]
    for found in (word, hier):
        train, test = parts.train.reading_as(found.name), parts.test.reading_as(found.name)
        (cell,) = [c for c in found.cells if (c.features, c.classifier) == ("S4", "svm")]
        (run,) = cell.runs
        svm = MulticlassSVM(C=run.value, shrinking="paper", fit_intercept=False)
        model = ReorderingModel("S4", svm, cutoff=2).fit(train)
        report = model.evaluate(test)
        assert run.scores.confusion == report.confusion.tolist()
        assert run.scores.log_loss == pytest.approx(report.log_loss)
        assert (run.n_parameters, run.pairs) == (model.n_parameters, len(train))
        base = ReorderingModel(classifier="lexicalised").fit(train).evaluate(test)
        assert found.lexicalised.runs[0].scores.accuracy == base.accuracy
        assert cell.difference is not None
        assert cell.difference.accuracy == pytest.approx(report.accuracy - base.accuracy)
        assert cell.difference.low <= cell.difference.accuracy <= cell.difference.high
        assert sum(c.share for c in found.coverage) == pytest.approx(1)
        right = sum(c.share * (c.accuracy or 0) for c in found.coverage)
        assert right == pytest.approx(base.accuracy)


def test_hyper_parameters_are_those_best_on_the_development_part(results: Results) -> None:
    for cell in results.orientations[0].cells:
        (run,) = cell.runs
        (chosen,) = [tried for tried in run.tuning if tried.chosen]
        assert chosen.value == run.value
        assert chosen.log_loss == min(tried.log_loss for tried in run.tuning)


def test_tables_and_figures_have_all_their_rows(results: Results) -> None:
    assert results.corpus.sentences == 300
    assert results.corpus.source.words_per_line == results.corpus.source.words / 300
    split = results.splits[0]
    pairs = split.train.pairs + split.development.pairs + split.test.pairs
    assert pairs == results.corpus.pairs
    assert split.test.sentences == 30
    for found in results.orientations:
        assert sum(found.counts) == results.corpus.pairs
        assert len(found.cells) == 4
        assert [r.epsilon for r in found.regressions] == [None, 1.0, 0.1]
        assert len(found.regressions[0].cell.runs[0].trace) == 2
        assert list(found.curves) == ["svm", "mlr", "mlr-eg"]
        for trace in found.curves.values():
            active = [epoch.active for epoch in trace]
            assert active == sorted(active, reverse=True)
            assert active[-1] < 1
        shares = [(point.classifier, point.share) for point in found.scaling]
        assert shares == [(c, s) for c in ("svm", "naive-bayes") for s in (0.5, 1.0)]
        half, whole = (point.run for point in found.scaling[:2])
        assert half.pairs < whole.pairs == split.train.pairs
        for run in (run for cell in found.cells for run in cell.runs):
            assert 0 < run.compact_bytes < run.bytes
            assert 0 < run.rows_mb < run.peak_mb
            assert 0 < run.start_mb < run.peak_mb


def test_examples_are_right_where_the_lexicalised_model_is_wrong(results: Results) -> None:
    for found in results.orientations:
        assert found.examples
        assert found.best is not None
        best = found.cells[found.best]
        highest = max(cell.runs[0].scores.accuracy for cell in found.cells)
        assert best.runs[0].scores.accuracy == highest
        assert set(found.strongest) == set(found.classes)
        for example in found.examples:
            assert max(example.best, key=example.best.__getitem__) == example.truth
            base = example.lexicalised
            assert max(base, key=base.__getitem__) != example.truth
            assert all(weight > 0 for _, weight in example.pulls)
        lines = [example.line for example in found.examples]
        assert len(set(lines)) == len(lines)


def test_outputs(options: ClassificationOptions, finished: Path) -> None:
    phrases = PhrasePairs.load(finished / "work" / Corpus.of(options).key)
    for name in ("report.html", "tables.md", "tables.tex", "results.json"):
        assert (finished / name).stat().st_size > 1000
    assert list((finished / "figures").glob("*.pdf"))
    for orientation in ("word-msd", "hier-mslr"):
        for name in ("best", "lexicalised"):
            loaded = ReorderingModel.load(finished / "models" / f"{orientation}-backward" / name)
            assert str(loaded.orientation) == orientation
            assert f"|orientation:{orientation}|" in loaded.trained_on
            assert loaded.held_out_of(phrases) == (0.1, 0)


def test_nothing_is_computed_twice(
    options: ClassificationOptions, finished: Path, results: Results
) -> None:
    before = stages_of(finished)
    again = run_classification(options, finished)
    assert stages_of(finished) == before
    assert again.model_dump() == results.model_dump()
    more = options.model_copy(
        update={"features": ("S1", "S4", "S2"), "orientations": ("word-msd",)}
    )
    run_classification(more, finished)
    after = stages_of(finished)
    assert {name: after[name] for name in before} == before
    new = [name for name in after if name not in before]
    assert sorted(name.partition("-")[0] for name in new if name.endswith(".json")) == [
        *["fit"] * 2, "rows", *["tuning"] * 2,
    ]  # fmt: skip


def test_a_best_model_that_was_deleted_is_made_again(
    options: ClassificationOptions, finished: Path
) -> None:
    fewer = options.model_copy(update={"features": ("S1",), "classifiers": ("svm",)})
    before = stages_of(finished)
    found = run_classification(fewer, finished)
    best = found.orientations[0].cells[0]
    assert (best.features, best.classifier) == ("S1", "svm")
    model = ReorderingModel.load(finished / "models" / "word-msd-backward" / "best")
    phrases = PhrasePairs.load(finished / "work" / Corpus.of(options).key)
    test = Plan(options, Corpus.of(options)).division(0).of(phrases).test
    accuracy = model.evaluate(test).accuracy  # of 16-bit weights
    assert accuracy == pytest.approx(best.runs[0].scores.accuracy, abs=0.01)
    changed = {name for name, when in stages_of(finished).items() if before.get(name) != when}
    assert {name.partition("-")[0] for name in changed} == {"showing"}


def test_folds_test_each_sentence_once(files: dict[str, Path], tmp_path: Path) -> None:
    few: dict[str, Any] = {
        **SMALL,
        "features": ("S1",),
        "classifiers": ("svm",),
        "regression_tols": (),
    }
    few |= {"folds": 3, "scaling_shares": (), "orientations": ("word-msd",), "tune": False}
    options = ClassificationOptions.make({**files, **few})
    found = run_classification(options, tmp_path / "out")
    assert sum(split.test.pairs for split in found.splits) == found.corpus.pairs
    assert sum(split.test.sentences for split in found.splits) == 300
    (cell,) = found.orientations[0].cells
    accuracies = [run.scores.accuracy for run in cell.runs]
    assert cell.mean(lambda run: run.scores.accuracy) == pytest.approx(np.mean(accuracies))
    assert cell.deviation(lambda run: run.scores.accuracy) == pytest.approx(
        np.std(accuracies, ddof=1)
    )
    assert {run.value for run in cell.runs} == {0.01}
    phrases = PhrasePairs.load(tmp_path / "out" / "work" / Corpus.of(options).key)
    tested = np.zeros(300, np.int64)
    for fold in range(3):
        parts = Plan(options, Corpus.of(options)).division(fold).of(phrases)
        tested += np.diff(parts.test.offsets) > 0
        assert not (np.diff(parts.train.offsets) * np.diff(parts.test.offsets)).any()
    assert (tested == 1).all()


def test_killed_at_random_points_it_ends_the_same(
    options: ClassificationOptions, results: Results, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    assert kill_at_random("classification", options, out, kills=6, stages=8) >= 3
    assert run_apart("classification", options, out).wait() == 0
    assert found_in(out) == without_times(results.model_dump(mode="json"))


def test_a_damaged_cell_is_computed_again(
    options: ClassificationOptions, finished: Path, results: Results
) -> None:
    cell = next((finished / "cells").glob("fit-*.json"))
    cell.write_text(cell.read_text()[:50])
    again = run_classification(options, finished)
    assert without_times(again.model_dump()) == without_times(results.model_dump())


@pytest.mark.parametrize(
    ("values", "problem"),
    [
        ({"fetures": ["S1"]}, "there is no option 'fetures'"),
        ({"features": ["S16"]}, "S16"),
        ({"classifiers": ["svn"]}, "no classifier 'svn'"),
        ({"orientations": []}, "orientations"),
        ({"orientations": ["word-xyz"]}, "unknown orientation"),
        ({"held_out": 1.5}, "held-out"),
        ({"folds": 0}, "folds"),
        ({"jobs": 0}, "jobs"),
        ({"features": ""}, "features"),
        ({"classifiers": []}, "classifiers"),
        ({"languages": "arabic"}, "two codes"),
        ({"alignment": None}, "give an alignment"),
        ({"target": None}, "give source and target, or bitext"),
        ({"source": "-"}, "standard input"),
    ],
)
def test_bad_options(files: dict[str, Path], values: dict[str, Any], problem: str) -> None:
    with pytest.raises(OptionError, match=problem):
        ClassificationOptions.make({**files, **values})


def test_options_from_toml(files: dict[str, Path], tmp_path: Path) -> None:
    folder = files["source"].parent
    text = "\n".join(f"{name} = '{path.name}'" for name, path in files.items())
    (folder / "experiment.toml").write_text(f"{text}\nfeatures = ['s4', 'S6', 'S4']\n")
    chosen = ClassificationOptions.make(read_toml(folder / "experiment.toml"))
    assert chosen.features == ("S4", "S6")
    assert chosen.source == files["source"]
    more = {
        "features": "S4, s6",
        "regression_tols": "1,0.1",
        "languages": "ar-en",
        "beside_paper": True,
    }
    chosen = ClassificationOptions.make({**files, **more})
    assert (chosen.features, chosen.regression_tols) == (("S4", "S6"), (1.0, 0.1))
    assert chosen.languages == ("ar", "en")
    assert ClassificationOptions.make({**files, "classifiers": "lexicalised"}).classifiers == ()
    (tmp_path / "bad.toml").write_text("features = [")
    with pytest.raises(DataError, match="cannot be read as TOML"):
        read_toml(tmp_path / "bad.toml")
    (tmp_path / "odd.toml").write_text("feature = 'S1'")
    with pytest.raises(DataError, match=r"odd.toml: there is no option 'feature'(.|\n)*the keys"):
        ClassificationOptions.make(read_toml(tmp_path / "odd.toml"), tmp_path / "odd.toml")


def test_refusals(options: ClassificationOptions, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "thesis.txt").write_text("years of work")
    with pytest.raises(OptionError, match="not empty and no experiment"):
        run_classification(options, tmp_path / "other")
    (tmp_path / "file").write_text("")
    with pytest.raises(OptionError, match="is a file"):
        run_classification(options, tmp_path / "file")
    missing = options.model_copy(update={"source": tmp_path / "nothing"})
    with pytest.raises(OptionError, match="there is no file"):
        run_classification(missing, tmp_path / "out")
    assert not (tmp_path / "out").exists()
    rare = options.model_copy(update={"cutoff": 10**6})
    with pytest.raises(OptionError, match="lower the cut-off"):
        run_classification(rare, tmp_path / "out")


def test_a_plan_tunes_at_full_size_first(options: ClassificationOptions) -> None:
    plan = Plan(options, Corpus.of(options))
    groups = plan.groups()
    tuned = set()
    for group in groups:
        tuned |= set(group.tunings)
        for fit in group.fits:
            assert isinstance(fit, Fit)
            assert fit.tuning in tuned
            assert fit.tuning is not None
            assert fit.tuning.rows.share == 1
    fits = [fit for group in groups for fit in group.fits]
    assert len(fits) == len(set(fits))  # a point of Figure 2 that is a cell too is computed once
    assert len({fit.key for fit in fits}) == len(fits)


def test_division_needs_pairs_in_each_part(options: ClassificationOptions) -> None:
    corpus = Corpus.of(options)
    tiny = Division(corpus, 0.1, 0.05, 1, 0, 0, 1)
    pairs = extract_phrases(Bitext.from_lines(["a b"], ["c d"], ["0-0 1-1"]))
    with pytest.raises(OptionError, match="the corpus is too small"):
        tiny.of(pairs)


def test_jobs_run_in_processes_of_their_own(tmp_path: Path) -> None:
    with JobServer() as server:
        server.run(jobs.note_process, tmp_path / "a")
        server.run(jobs.note_process, tmp_path / "b")
        first, second = (int((tmp_path / name).read_text()) for name in "ab")
        assert len({first, second, os.getpid()}) == 3
        with pytest.raises(OptionError, match="not this one"):
            server.run(jobs.refuse)
        with pytest.raises(RuntimeError, match="ZeroDivisionError"):
            server.run(jobs.fail)
        with pytest.raises(TartibError, match="ended by signal 9; it may have needed more memory"):
            server.run(jobs.die)
        server.run(jobs.note_process, tmp_path / "c")  # and the server lives on


def test_jobs_that_are_stopped_leave_no_noise() -> None:
    code = """
from tartib.errors import TartibError
from tartib.experiments.run.jobs import JobServer
from tests.support import jobs
with JobServer() as server:
    try:
        server.run(jobs.die_with_a_semaphore)
    except TartibError:
        print("stopped")
"""
    ended = run_python(code, cwd=paths.REPOSITORY)
    assert (ended.stdout, ended.stderr) == ("stopped\n", "")


def test_workspace_keeps_only_what_is_complete(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path / "w")
    with workspace.opened():
        assert workspace.read("cell-1") is None
        workspace.write("cell-1", {"a": 1}, {"x": np.arange(3)})
        with (
            pytest.raises(OptionError, match="another run is at work"),
            Workspace(tmp_path / "w").opened(),
        ):
            pass
    assert workspace.require("cell-1")["a"] == 1
    assert workspace.array("cell-1", "x").tolist() == [0, 1, 2]
    assert not [file for file in workspace.cells.iterdir() if file.name.startswith(".")]
    with pytest.raises(OptionError, match="is gone"):
        workspace.require("cell-2")


def test_live_table_fills_as_cells_finish(
    options: ClassificationOptions, finished: Path, results: Results, tmp_path: Path
) -> None:
    plan = Plan(options, Corpus.of(options))
    console = Console(record=True, width=120, file=io.StringIO())
    screen = Screen(plan, Workspace(tmp_path))
    screen.begin("S4: svm, word-msd")
    console.print(screen)
    shown = console.export_text(clear=True)
    assert "0 of 26 models" in shown
    assert "S4: svm, word-msd (0 s)" in shown.splitlines()[1]
    assert shown.count("·") == 10  # eight cells and two lexicalised models
    console.print(Screen(plan, Workspace(finished)))  # what an earlier run found is there
    shown = console.export_text()
    assert "·" not in shown
    assert "26 of 26 models" in shown
    for found in results.orientations:
        for cell in (found.lexicalised, *found.cells):
            assert f"{100 * cell.runs[0].scores.accuracy:.2f}" in shown
