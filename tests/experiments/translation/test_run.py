"""The translation experiment: what it finds, and that nothing is computed twice."""

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tartib.decoder import System
from tartib.errors import DataError, OptionError
from tartib.evaluation import bleu, source_orders
from tartib.evaluation.word_order import kendall_tau
from tartib.experiments import (
    TestFiles,
    TranslationOptions,
    TranslationResults,
    run_translation,
)
from tests.support.commands import tartib_here
from tests.support.experiment_runs import SMALL_TRANSLATION, stages_of, without_times

TEST = 20


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
        assert run.on().scores["BLEU"] == pytest.approx(bleu(lines, references).score)
        assert run.on().scores["BLEU-ref0"] == pytest.approx(bleu(lines, references[:1]).score)
        assert set(run.on().scores) == {"BLEU", "BLEU-ref0", "NIST"}
        assert len(run.iterations) == 2
        assert run.dev_bleu == max(iteration.bleu for iteration in run.iterations)
    base, other = results.systems
    assert base.differences == {}
    gain = other.difference("BLEU")
    assert gain is not None
    assert gain.value == pytest.approx(other.score("BLEU") - base.score("BLEU"))
    assert gain.low <= gain.value <= gain.high


def test_published_systems_translate_the_same(options: TranslationOptions, finished: Path) -> None:
    source = options.tests["test"].source.read_text().splitlines()
    for name in ("lexicalised", "svm-S6+sparse"):
        system = System.read(finished / "systems" / f"{name}.run1.toml")
        assert (system.sparse_reordering is not None) == name.endswith("sparse")
        # Two iterations may find nothing better than the initial weights, which are 0.
        assert not system.sparse_weights or name.endswith("sparse")
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


@pytest.mark.usefixtures("no_figures")
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
    assert found.systems[0].runs[0].on().scores == results.systems[0].runs[0].on().scores


@pytest.mark.usefixtures("no_figures")
def test_variants_compute_only_what_differs(
    options: TranslationOptions, finished: Path, results: TranslationResults, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    shutil.copytree(finished, out)
    before = stages_of(out)
    names = ("lexicalised", "lexicalised[unknown-words=score]@limit=3", "svm:S6[calibrate=none]")
    found = run_translation(options.model_copy(update={"systems": names}), out)
    assert new_stages(before, out) == ["compared", *["decoded"] * 2, "fit", *["tuned"] * 2]
    assert found.systems[0].runs == results.systems[0].runs
    assert [model.name for model in found.models] == ["lexicalised", "svm:S6[calibrate=none]"]
    assert found.models[1].temperature == 1
    stem = "lexicalised-unknown-words-score--limit-3.run1"
    system = System.read(out / "systems" / f"{stem}.toml")
    assert system.reordering[0].unknown_words == "score"
    assert system.search.distortion_limit == 3
    assert (out / "translations" / f"{stem}.txt").is_file()


@pytest.mark.usefixtures("no_figures")
def test_budget_validation_and_means(
    options: TranslationOptions, finished: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    shutil.copytree(finished, out)
    before = stages_of(out)
    asked = {
        **options.model_dump(exclude={"systems"}),
        "systems": ("none", "lexicalised", "lexicalised@limit=0"),
        "runs": 2,
        "validation_share": 0.3,
        "mean_weights": True,
        "budget": 0.0,  # only the best one, and those that are never given up
        "primary": "none",
    }
    found = run_translation(TranslationOptions.make(asked), out)
    runs = {system.name: len(system.runs) for system in found.systems}
    dev = {s.name: s.runs[0].dev_bleu for s in found.systems if not s.name.endswith("weights")}
    given_up = {name for name in dev if dev[name] < max(dev.values())} - {"none", "lexicalised"}
    assert {name.removesuffix("@mean-weights") for name in found.given_up} >= given_up
    assert runs["none"] == runs["lexicalised"] == 2
    assert runs["lexicalised@limit=0"] == (1 if given_up else 2)
    assert [runs[name] for name in runs if name.endswith("@mean-weights")] == [1, 1, 1]
    tables = (out / "tables.md").read_text()
    assert ("Tuned once only" in tables) == bool(found.given_up)
    first, second, mean = (
        System.read(out / "systems" / f"{name}.toml").weights or {}
        for name in ("none.run1", "none.run2", "none-mean-weights.run1")
    )
    for name, values in mean.items():
        assert values == pytest.approx((np.array(first[name]) + np.array(second[name])) / 2)
    assert set(new_stages(before, out)) == {"compared", "decoded", "meanweights", "tuned"}
    # 6 of 20 sentences: the 4th, 7th, 10th …
    source, references = options.dev.read_text().splitlines(), options.dev_reference[0]
    held = [at for at in range(20) if int((at + 1) * 0.3) > int(at * 0.3)]
    lines = [one for at, one in enumerate(references.read_text().splitlines()) if at in held]
    decoder = System.read(out / "systems" / "none.run1.toml").load()
    translated = [one.text for one in decoder.translate(source[at] for at in held)]
    assert dev["none"] == pytest.approx(bleu(translated, [lines]).score)


@pytest.mark.campaign
@pytest.mark.usefixtures("no_figures")
def test_models_that_learn_from_derivations_are_others(
    options: TranslationOptions, finished: Path, results: TranslationResults, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    shutil.copytree(finished, out)
    before = stages_of(out)
    found = run_translation(options.model_copy(update={"learn_from": "derivations"}), out)
    kinds = ["compared", "decoded", "decoded", "fit", "lexicalised", "rows", "tuned", "tuned"]
    assert [kind for kind in new_stages(before, out) if kind != "tuning"] == kinds
    for here, there in zip(found.models, results.models, strict=True):
        assert (here.name, here.direction) == (there.name, there.direction)
        assert here.accuracy != there.accuracy


@pytest.mark.campaign
@pytest.mark.usefixtures("no_figures")
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


@pytest.mark.campaign
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
    quick = {
        name.replace("_", "-"): value
        for name, value in SMALL_TRANSLATION.items()
        if name not in ("systems", "word_order", "runs")
    }
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
    assert {"tau", "FRS"} < set(found.test.metrics)
    assert all(0 < run.on().scores["tau"] <= 100 for s in found.systems for run in s.runs)
    html = (out / "report.html").read_text()
    assert all(title in html for title in ("Word order", "Which phrases moved where", "MT08"))


def test_texts_that_do_not_fit_are_told_at_once(
    options: TranslationOptions, tmp_path: Path
) -> None:
    (tmp_path / "short.en").write_text("one line\n")
    wrong = options.model_copy(update={"test_reference": (tmp_path / "short.en",)})
    with pytest.raises(DataError, match=r"has 1 line, and .* has 20"):
        run_translation(wrong, tmp_path / "out")
    undivided = options.model_copy(update={"validation_share": 0.01})
    with pytest.raises(OptionError, match=r"of 20 sentences cannot be divided"):
        run_translation(undivided, tmp_path / "out")
    missing = options.model_copy(update={"dev": tmp_path / "nothing"})
    with pytest.raises(OptionError, match="there is no file"):
        run_translation(missing, tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.usefixtures("no_figures")
def test_second_test_set_is_only_translated(
    options: TranslationOptions, finished: Path, results: TranslationResults, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    shutil.copytree(finished, out)
    before = stages_of(out)
    first = options.tests["test"]
    second = TestFiles(source=options.dev, reference=options.dev_reference)
    tests = {"test": first, "dev": second}
    asked = options.model_copy(
        update={"test": tests, "test_reference": (), "primary": "svm:S6+sparse"}
    )
    found = run_translation(asked, out)
    assert new_stages(before, out) == ["compared", "decoded", "decoded"]
    assert [test.name for test in found.tests] == ["test", "dev"]
    assert [list(test.metrics) for test in found.tests] == [
        ["BLEU", "NIST", "BLEU-ref0"],
        ["BLEU", "NIST"],
    ]
    references = [path.read_text().splitlines() for path in options.dev_reference]
    for system, before_it in zip(found.systems, results.systems, strict=True):
        assert system.runs[0].on().scores == before_it.runs[0].on().scores
        stem = system.name.replace(":", "-")
        lines = (out / "translations" / f"{stem}.run1.dev.txt").read_text().splitlines()
        score = bleu(lines, references).score
        assert system.score("BLEU", "dev") == pytest.approx(score)
    primary = found.systems[1].difference("BLEU")
    assert primary is not None
    assert primary.adjusted == primary.p_value
    assert "BLEU on all test sets" in (out / "report.html").read_text()


@pytest.mark.usefixtures("no_figures")
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
    source = options.tests["test"].source.read_text().splitlines()
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
