"""The demo's corpus and what it asks of the translation experiment, and all of it run."""

import json
import re
import signal
from pathlib import Path
from typing import Any

import pytest

from tartib.demo.translation import SYSTEMS, divide, translation_options
from tartib.synthetic import write_corpus
from tests.support.commands import tartib, tartib_here


def test_corpus_is_divided_once(tmp_path: Path) -> None:
    corpus = write_corpus(tmp_path / "corpus", 200)
    texts = divide(corpus, 200)
    parts = [texts.train, texts.dev, texts.test]
    for side, path in enumerate(corpus):
        found = [part[side].read_text(encoding="utf-8") for part in parts]
        assert [text.count("\n") for text in found] == [170, 10, 20]
        assert "".join(found) == path.read_text(encoding="utf-8")


def test_systems_learn_from_the_training_part_alone(tmp_path: Path) -> None:
    texts = divide(write_corpus(tmp_path / "corpus", 20), 20)
    options = translation_options(texts, tune_pairs=1000, seed=3)
    options.check_files()
    assert (*options.train, options.alignment) == texts.train
    assert (options.dev, *options.dev_reference) == texts.dev[:2]
    assert (options.test, *options.test_reference) == texts.test[:2]
    assert (options.systems, options.seed) == (SYSTEMS, 3)


@pytest.mark.parametrize(
    ("begun", "told"),
    [
        (False, "no output file was written"),
        (True, "what is finished is kept in {}: the same command continues"),
    ],
)
def test_an_interrupt_says_what_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, begun: bool, told: str
) -> None:
    def run(out: Path, **_: Any) -> None:
        if begun:
            write_corpus(out / "corpus", 2)
        signal.raise_signal(signal.SIGTERM)

    monkeypatch.setattr("tartib.demo.run_demo", run)
    done = tartib_here("demo", "--out", tmp_path / "out", code=128 + signal.SIGTERM)
    assert done.stderr == f"tartib: interrupted: {told.format(tmp_path / 'out')}\n"


@pytest.mark.campaign
def test_it_runs(tmp_path: Path) -> None:
    done = tartib("demo", "--pairs", 300, "--out", tmp_path / "demo")
    assert "synthetic" in done.stderr
    for word in ("word-msd", "phrase-msd", "hier-msd", "mono", "swap", "other", "["):
        assert word in done.stdout
    assert "compared with the grammar's links" in done.stdout
    for system in ("no reordering model", "lexicalised + sparse", "SVM S6 + sparse"):
        assert system in done.stdout
    assert "Translations of 30 test sentences, means of 2 tuning runs" in done.stdout
    tartib("show", tmp_path / "demo" / "phrases")
    data = json.loads(tartib("demo", "--pairs", 300, "--out", tmp_path / "demo", "--json").stdout)
    assert {example["label"] for example in data["examples"]} == {"mono", "swap", "other"}
    assert len(data["features"]) == 3
    assert data["alignment"]["aer"]["score"] < 0.3
    assert any(name.startswith("source word before") for name in data["features"][0]["names"])
    assert len(data["translation"]["systems"]) == 4
    report = Path(data["report"])
    assert done.stderr.rstrip().endswith(str(report))
    text = report.read_text(encoding="utf-8")
    for heading in (
        "Classification: word-msd",
        "Classification: hier-msd",
        "Translation: hier-msd",
    ):
        assert f"<h2>{heading} " in text
    for link in re.findall(r'href="(experiments/.*?)"', text):
        assert (report.parent / link).is_file()
    tartib("translate", data["system"], tmp_path / "demo" / "corpus" / "test.ar")
