"""``tartib word-classes``."""

import json
from pathlib import Path

import pytest

from tartib import OptionError, WordClasses
from tests.support.commands import tartib, tartib_here
from tests.support.paths import GOLDEN

TEXT = GOLDEN / "kenlm" / "text"


def test_a_file_of_classes(tmp_path: Path) -> None:
    out = tmp_path / "classes"
    done = tartib_here("word-classes", "--text", TEXT, "--classes", 5, "--out", out, "--signature")
    learnt = WordClasses.learn(TEXT, 5)
    assert WordClasses.load(out).numbers == learnt.numbers
    assert f"The most frequent of 5 classes of {len(learnt.numbers)} words" in done.stdout
    assert " ".join(next(iter(learnt))[:10]) in done.stdout
    assert f"Perplexity of the text by its classes: {learnt.perplexity:.1f}\n" in done.stderr
    assert learnt.signature in done.stderr


def test_json_and_standard_input(tmp_path: Path) -> None:
    out = tmp_path / "classes"
    given = ("--text", "-", "-o", out, "--classes", 2, "--json")
    facts = json.loads(tartib("word-classes", *given, stdin="a x\nb x\na y\nb y\n").stdout)
    assert facts["classes"] == 2
    assert facts["words"] == 4
    assert facts["perplexity"] == pytest.approx(2 ** (2 / 3))
    assert out.read_text() == "a\t1\nb\t1\nx\t2\ny\t2\n"
    with pytest.raises(OptionError, match="exists already"):
        WordClasses.load(out).save(out)
