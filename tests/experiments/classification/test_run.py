"""The classification experiment: what it finds, and that nothing is computed twice."""

import re
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tartib import PhrasePairs
from tartib.errors import OptionError
from tartib.experiments import ClassificationOptions, Results, run_classification
from tartib.experiments.classification.plan import Plan
from tartib.experiments.run.corpus import Corpus
from tartib.models import MulticlassSVM
from tartib.reordering import ReorderingModel
from tests.support.experiment_runs import SMALL_CLASSIFICATION, stages_of, without_times


@pytest.fixture
def copied(finished: Path, tmp_path: Path) -> Path:
    """Return a finished experiment that a test may change."""
    out = tmp_path / "copied"
    shutil.copytree(finished, out)
    return out


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
        development = parts.development.reading_as(found.name)
        weights = re.findall(r"class_weight=([\w-]+)", cell.options)[0]
        svm = MulticlassSVM(C=run.value, class_weight=None if weights == "None" else weights)
        model = ReorderingModel("S4", svm, cutoff=2).fit(train, development)
        report = model.evaluate(test)
        assert run.scores.confusion == report.confusion.tolist()
        assert run.scores.calibrated_log_loss == pytest.approx(report.log_loss)
        plain = ReorderingModel("S4", svm, cutoff=2, calibrate="none").fit(train).evaluate(test)
        assert run.scores.log_loss == pytest.approx(plain.log_loss)
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
            assert f"|orientation:{orientation}|" in loaded.trained_on_
            assert loaded.held_out_of(phrases) == (0.1, 0)


@pytest.mark.usefixtures("no_figures")
def test_nothing_is_computed_twice(
    options: ClassificationOptions, copied: Path, results: Results
) -> None:
    before = stages_of(copied)
    again = run_classification(options, copied)
    assert stages_of(copied) == before
    assert again.model_dump() == results.model_dump()
    more = options.model_copy(
        update={"features": ("S1", "S4", "S2"), "orientations": ("word-msd",)}
    )
    run_classification(more, copied)
    after = stages_of(copied)
    assert {name: after[name] for name in before} == before
    new = [name for name in after if name not in before]
    assert sorted(name.partition("-")[0] for name in new if name.endswith(".json")) == [
        *["fit"] * 2, "rows", *["tuning"] * 2,
    ]  # fmt: skip


@pytest.mark.campaign
@pytest.mark.usefixtures("no_figures")
def test_a_best_model_that_was_deleted_is_made_again(
    options: ClassificationOptions, copied: Path
) -> None:
    fewer = options.model_copy(update={"features": ("S1",), "classifiers": ("svm",)})
    before = stages_of(copied)
    found = run_classification(fewer, copied)
    best = found.orientations[0].cells[0]
    assert (best.features, best.classifier) == ("S1", "svm")
    model = ReorderingModel.load(copied / "models" / "word-msd-backward" / "best")
    phrases = PhrasePairs.load(copied / "work" / Corpus.of(options).key)
    test = Plan(options, Corpus.of(options)).division(0).of(phrases).test
    accuracy = model.evaluate(test).accuracy  # of 16-bit weights
    assert accuracy == pytest.approx(best.runs[0].scores.accuracy, abs=0.01)
    changed = {name for name, when in stages_of(copied).items() if before.get(name) != when}
    assert {name.partition("-")[0] for name in changed} == {"examples"}


@pytest.mark.campaign
@pytest.mark.usefixtures("no_figures")
def test_folds_test_each_sentence_once(files: dict[str, Path], tmp_path: Path) -> None:
    few: dict[str, Any] = {
        **SMALL_CLASSIFICATION,
        "features": ("S1",),
        "classifiers": ("svm",),
        "regression_epsilons": (),
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
    assert {run.value for run in cell.runs} == {MulticlassSVM().C}
    phrases = PhrasePairs.load(tmp_path / "out" / "work" / Corpus.of(options).key)
    tested = np.zeros(300, np.int64)
    for fold in range(3):
        parts = Plan(options, Corpus.of(options)).division(fold).of(phrases)
        tested += np.diff(parts.test.offsets) > 0
        assert not (np.diff(parts.train.offsets) * np.diff(parts.test.offsets)).any()
    assert (tested == 1).all()


@pytest.mark.campaign
@pytest.mark.usefixtures("no_figures")
def test_a_damaged_record_is_computed_again(
    options: ClassificationOptions, copied: Path, results: Results
) -> None:
    record = next((copied / "stages").glob("fit-*.json"))
    record.write_text(record.read_text()[:50])
    with pytest.warns(
        UserWarning, match="is damaged: its checksum is wrong; the stage is run again"
    ):
        again = run_classification(options, copied)
    assert without_times(again.model_dump()) == without_times(results.model_dump())


def test_refusals(options: ClassificationOptions, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "thesis.txt").write_text("years of work")
    with pytest.raises(OptionError, match="not empty and not an experiment"):
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
