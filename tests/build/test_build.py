"""A system that was built: what is in it, and that it works wherever it is."""

from __future__ import annotations

import errno
import json
import os
import re
import shutil
import zipfile
from pathlib import Path
from unittest.mock import Mock

import pytest

import tartib
from tartib.build import BuildOptions, build_system
from tartib.build.choice import best_system
from tartib.build.readme import readme_of
from tartib.build.results import kind_of_text
from tartib.decoder import System
from tartib.errors import DataError, OptionError
from tartib.experiments.run.jobs import JobServer
from tartib.storage.disk import writing
from tartib.text import MARKS, learn_text
from tests.build.conftest import Tiny
from tests.support.commands import tartib_here
from tests.support.raw_text import files_of

PARTS = {"phrase-table", "lm", "text", "reordering"}
FILES = {
    "seen.npy",
    "system.toml",
    "scores.json",
    "README.md",
    "report.html",
    "meta.json",
    "manifest.json",
}


def sentences_of(tiny: Tiny) -> list[str]:
    return [line.split("\t")[0] for line in tiny.options.train[0].read_text().splitlines()[:20]]


def translated(system: Path, sentences: list[str]) -> list[str]:
    translator = tartib.Translator.load(system, n_jobs=1)
    return [found.text for found in translator.translate(sentences)]


def test_a_system_has_what_translation_needs_and_nothing_else(tiny: Tiny) -> None:
    folder = tiny.built.system
    assert {path.name for path in folder.iterdir()} == PARTS | FILES
    models = {path.name for path in (folder / "reordering").iterdir()}
    assert models == {section.name for section in System.read(folder).reordering}


def test_paths_are_relative_and_no_folder_is_told(tiny: Tiny) -> None:
    home = str(tiny.built.system.parent)
    system = System.read(tiny.built.system)
    assert not any(path.is_absolute() for path in (system.phrase_table, system.lm))
    for name, data in files_of(tiny.built.system).items():
        assert home.encode() not in data, name
    for name in ("report.html", "manifest.json"):
        assert home not in (tiny.built.system / name).read_text(), name


def test_a_moved_system_translates_the_same(tiny: Tiny, tmp_path: Path) -> None:
    sentences = sentences_of(tiny)
    expected = translated(tiny.built.system, sentences)
    moved = tmp_path / "elsewhere" / "moved"
    shutil.copytree(tiny.built.system, moved)
    assert translated(moved, sentences) == expected
    assert any(line[:1].isupper() and line.endswith(".") for line in expected)


def test_a_packed_system_is_the_same_folder(tiny: Tiny, tmp_path: Path) -> None:
    packed = tiny.built.packed
    assert packed is not None
    with zipfile.ZipFile(packed) as archive:
        archive.extractall(tmp_path)
    unpacked = tmp_path / tiny.built.system.name
    assert files_of(unpacked) == files_of(tiny.built.system)
    sentences = sentences_of(tiny)
    assert translated(unpacked, sentences) == translated(tiny.built.system, sentences)


def test_scores_on_the_training_text_come_with_a_warning(tiny: Tiny, tmp_path: Path) -> None:
    (raw,) = (tiny.built.work / "work").glob("prepared-*/raw")
    for file, name in zip(tiny.options.train, ("source", "target"), strict=True):
        lines = file.read_text().splitlines()[:60]
        (tmp_path / f"seen.{name}").write_text("".join(f"{line}\n" for line in lines))
        shutil.copy(raw / f"test.{name}", tmp_path / f"new.{name}")
    system = str(tiny.built.system)

    def warned(name: str, command: tuple[str, ...]) -> bool:
        files = [f"{tmp_path / name}.source", "--reference", f"{tmp_path / name}.target"]
        found = tartib_here(command[0], *command[1:], "--source", *files)
        assert found.returncode == 0, found.stderr
        return "sentences were in the text that the system was trained on" in found.stderr

    score = ("score", "--system", system)
    tune = ("tune", system, "--iterations", "1", "--out")
    assert warned("seen", score)
    assert not warned("new", score)
    assert warned("seen", (*tune, str(tmp_path / "one.toml")))
    assert not warned("new", (*tune, str(tmp_path / "two.toml")))


def test_scores_are_those_of_the_finished_system(tiny: Tiny) -> None:
    work = tiny.built.work / "work"
    (raw,) = work.glob("prepared-*/raw")
    source = (raw / "test.source").read_text().splitlines()
    reference = (raw / "test.target").read_text().splitlines()
    lines = translated(tiny.built.system, source)
    found = tartib.compare({"it": [lines]}, [reference], metrics=("bleu",), tokenize="13a")
    scores = json.loads((tiny.built.system / "scores.json").read_text())
    assert scores["test"]["scores"]["BLEU"]["score"] == pytest.approx(
        found.systems["it"]["BLEU"].score
    )


def test_what_was_tried_is_told(tiny: Tiny) -> None:
    results = tiny.built.results
    assert [(t.what, t.system, t.limit) for t in results.trials[:2]] == [
        ("limit", "lexicalised", 4),
        ("limit", "lexicalised", 8),
    ]
    systems = [trial for trial in results.trials if trial.what == "system"]
    assert [trial.system for trial in systems] == ["lexicalised", "lexicalised+mlr:S1"]
    assert results.system == best_system(systems)


def test_the_report_and_the_readme_have_the_figures(tiny: Tiny) -> None:
    page = (tiny.built.system / "report.html").read_text()
    assert not set(page) & set(MARKS)
    readme = (tiny.built.system / "README.md").read_text()
    score = f"{tiny.built.results.test.scores['BLEU'].score:.1f}"
    assert score in page
    assert score in readme
    assert "drawn from the training text" in readme
    assert "<svg" in page
    for heading in ("Word alignment", "What was tried", "Sizes", "Word order", "train.ar"):
        assert heading in page
    assert not re.search("<h4>Line", page)  # of the user's files they are not
    for label in ("Source", "Translation", "Reference"):
        assert f"<b>{label}</b>" in page
    results = tiny.built.results
    assert f"|orientation:{results.orientation}|direction:{results.direction}|" in results.signature
    assert results.signature.count("orientation:") == 1


def test_a_system_of_tokenised_text_says_so(tiny: Tiny) -> None:
    results = tiny.built.results
    readme = readme_of(results, "system")
    assert "it takes ordinary text and gives ordinary text" in readme
    assert "What seemed wrong" not in readme
    assert "| development (tuned on), BLEU" in readme
    kinds = ("tokenised text", "tokenised text in small letters")
    other = results.model_copy(
        update={"texts": kinds, "suspicions": ["it looks odd"], "tuned_on": results.tuned_on - 1}
    )
    readme = readme_of(other, "system")
    assert f"it takes {kinds[0]} and gives {kinds[1]}" in readme
    assert "ordinary" not in readme
    assert "- It looks odd." in readme
    assert f"the first {results.tuned_on - 1:,} tuned on" in readme


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("The man, he said, is here.", "ordinary text"),
        ("The man , he said , is here .", "tokenised text"),
        ("the man , he said , is here .", "tokenised text in small letters"),
        ("the man, he said, is here.", "text in small letters"),
        ("自分 の 事 を しろ 。", "tokenised and segmented text"),
        ("自分の事をしろ。", "ordinary text"),
    ],
)
def test_kinds_of_text(line: str, kind: str) -> None:
    assert kind_of_text(learn_text([(line, line)] * 60).source) == kind


def test_finished_stages_are_reported(tiny: Tiny) -> None:
    titles = [line.rpartition(":")[0] for line in tiny.reported]
    assert titles[:3] == ["prepare", "align", "phrase pairs"]
    assert titles[-1] == "test: test"


def test_the_same_build_is_not_done_again(tiny: Tiny) -> None:
    reported: list[str] = []
    again = build_system(tiny.options, tiny.built.system, report=reported.append)
    assert reported == []
    assert again.results == tiny.built.results


def test_another_build_does_not_replace_it(tiny: Tiny) -> None:
    other = tiny.options.model_copy(update={"seed": 5})
    with pytest.raises(OptionError, match="exists already"):
        build_system(other, tiny.built.system)


def test_without_finished_stages_the_same_bytes_come_out(tiny: Tiny, tmp_path: Path) -> None:
    options = BuildOptions.make({**tiny.options.model_dump(by_alias=True), "jobs": 2})
    again = build_system(options, tmp_path / "system", work=tmp_path / "stages")
    assert files_of(again.system) == files_of(tiny.built.system)
    assert again.work == tmp_path / "stages"


@pytest.mark.parametrize("damaged", ["prepared-*/train.target", "prunedtable-*/scores.npy"])
def test_damaged_stages_are_run_again(tiny: Tiny, tmp_path: Path, damaged: str) -> None:
    work = shutil.copytree(tiny.built.work, tmp_path / "stages")
    (file,) = (work / "work").glob(damaged)
    damage(file)
    with pytest.warns(UserWarning, match=r"is damaged.*; the stage is run again"):
        again = build_system(tiny.options, tmp_path / "system", work=work)
    assert files_of(again.system) == files_of(tiny.built.system)


def test_a_damaged_system_is_neither_finished_nor_packed(tiny: Tiny, tmp_path: Path) -> None:
    system = shutil.copytree(tiny.built.system, tmp_path / "system")
    damage(system / "lm" / "ngrams.npy")
    work = tiny.built.work
    with pytest.raises(DataError, match="changed or damaged"):
        build_system(tiny.options, system, work=work, pack_as=tmp_path / "system.zip")
    assert not (tmp_path / "system.zip").exists()
    build_system(tiny.options, system, work=work, overwrite=True)
    assert files_of(system) == files_of(tiny.built.system)


def damage(file: Path) -> None:
    data = bytearray(file.read_bytes())
    data[len(data) // 2] ^= 1
    file.write_bytes(data)


def test_a_dry_run_shows_the_steps(tiny: Tiny) -> None:
    source, target = tiny.options.train
    out = tiny.built.system.with_name("other")
    done = tartib_here("build", "--train", source, target, "--out", out, "--dry-run")
    for step in ("prepare", "align", "choose", "package"):
        assert step in done.stdout
    assert not out.exists()


def test_what_cannot_be_written_is_refused_before_any_work(tiny: Tiny, tmp_path: Path) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "letter.txt").write_text("Dear all")
    with pytest.raises(OptionError, match="was not made by Tartib"):
        build_system(tiny.options, tmp_path / "full", overwrite=True)
    with pytest.raises(OptionError, match=r"a packed system is a .zip file"):
        build_system(tiny.options, tmp_path / "new", pack_as=tmp_path / "system.tar")
    (tmp_path / "there.zip").write_bytes(b"")
    with pytest.raises(OptionError, match="exists already"):
        build_system(tiny.options, tmp_path / "new", pack_as=tmp_path / "there.zip")
    assert not (tmp_path / "new.work").exists()


def test_mistakes_on_the_command_line_are_told(tiny: Tiny, tmp_path: Path) -> None:
    source, target = tiny.options.train
    command = ("build", "--train", source, target, "-o", tmp_path / "new")
    assert (
        "there is no option 'orders'"
        in tartib_here(*command, "--set", "lm.orders=3", code=1).stderr
    )
    assert "the effort is one of" in tartib_here(*command, "--effort", "huge", code=1).stderr
    assert "two codes" in tartib_here(*command, "--languages", "a", "b", "c", code=2).stderr
    assert "give --train" in tartib_here("build", "-o", tmp_path / "new", code=2).stderr


def test_a_dry_run_finds_what_would_stop_the_build(tiny: Tiny, tmp_path: Path) -> None:
    source, target = tiny.options.train
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "letter.txt").write_text("Dear all")
    command = ("build", "--train", source, target, "--dry-run")
    pack = (*command, "-o", tmp_path / "new", "--pack", tmp_path / "new.tar")
    assert "a packed system is a .zip file" in tartib_here(*pack, code=1).stderr
    full = tartib_here(*command, "-o", tmp_path / "full", code=1).stderr
    assert f"'{tmp_path / 'full'}' was not made by Tartib" in full


def test_what_fails_at_first_leaves_nothing(tiny: Tiny, tmp_path: Path) -> None:
    source, _ = tiny.options.train
    (tmp_path / "empty").mkdir()
    empty = [tmp_path / "empty" / name for name in ("a.ar", "a.en")]
    for file in empty:
        file.touch()
    said = tartib_here("build", "--train", *empty, "-o", tmp_path / "new", code=1).stderr
    assert "the files have no lines" in said
    said = tartib_here(
        "build",
        "--train",
        source,
        source,
        "--languages",
        "ar",
        "ar",
        "-o",
        tmp_path / "new",
        code=1,
    ).stderr
    assert "450 pairs read; left out: " in said
    assert " identical" in said
    assert not (tmp_path / "new.work").exists()


def test_a_full_disk_is_told_without_the_names_of_stages(
    tiny: Tiny, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stage = tmp_path / "new.work" / "x-1"
    full = OSError(errno.ENOSPC, "No space left on device", str(stage))

    def writes(*_: object, **__: object) -> None:
        with writing(stage):
            raise full

    command = ("build", "--train", *tiny.options.train, "-o", tmp_path / "new")
    for failing in (writes, Mock(side_effect=full)):
        monkeypatch.setattr("tartib.build.build_system", failing)
        said = tartib_here(*command, code=1).stderr
        assert f"{tmp_path / 'new.work'}: no space left on this disk" in said
        assert "the same command continues" in said
        assert "x-1" not in said


def test_a_system_that_is_there_is_told(tiny: Tiny) -> None:
    again = build_system(tiny.options, tiny.built.system)
    assert (tiny.built.was_there, again.was_there) == (False, True)


def test_errors_of_the_system_come_out_of_stages_as_they_are(tmp_path: Path) -> None:
    """Such as a full disk: the command line has words for them."""
    with JobServer() as server, pytest.raises(FileNotFoundError, match="nothing"):
        server.run(os.mkdir, str(tmp_path / "nothing" / "inside"))
