"""The text of a build: all formats, what is taken out, what is wrong with it."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any

import pytest

from tartib.build import BuildOptions
from tartib.build.prepare import Prepared
from tartib.build.run import languages_of
from tartib.errors import DataError, OptionError
from tartib.experiments.run.workspace import Workspace
from tartib.text import TextModel
from tartib.text.segmentation import characters
from tests.support.raw_text import TINY, raw_sentences, write_raw

SETS = {"prepare": {"dev-sentences": 20, "test-sentences": 20}}


class Text:
    """Prepared text, and what was counted."""

    def __init__(self, folder: Path, **options: Any) -> None:
        asked = BuildOptions.make({**TINY, **SETS, **options})
        stage = Prepared.of(asked, languages_of(asked))
        workspace = Workspace(folder / "work", "build")
        with workspace.opened():
            stage.run(workspace, 1)
        self.found = workspace.require(stage.key)
        self.folder = stage.folder(workspace)

    def lines(self, name: str) -> list[str]:
        return (self.folder / name).read_text(encoding="utf-8").splitlines()


def train_of(folder: Path) -> tuple[Path, Path]:
    return folder / "train.ar", folder / "train.en"


def dev_of(folder: Path) -> tuple[Path, Path]:
    return folder / "dev.ar", folder / "dev.en"


def test_held_out_sentences_are_not_trained_on(raw: Path) -> None:
    text = Text(raw, train=train_of(raw))
    assert text.found["held_out"] == ["dev", "test"]
    train = set(text.lines("train.source"))
    assert len(text.lines("dev.source")) == len(text.lines("test.target")) == 20
    assert not train & {*text.lines("dev.source"), *text.lines("test.source")}


def test_all_formats_give_the_same_text(raw: Path) -> None:
    pairs = raw_sentences(300)
    (raw / "train.tsv").write_text("".join(f"{s}\t{t}\n" for s, t in pairs), encoding="utf-8")
    with zipfile.ZipFile(raw / "train.zip", "w") as archive:
        for side, code in enumerate(("ar", "en")):
            lines = "".join(f"{pair[side]}\n" for pair in pairs)
            archive.writestr(f"corpus.ar-en.{code}", lines)
    expected = Text(raw / "two", train=train_of(raw)).lines("train.target")
    for name in ("train.tsv", "train.zip"):
        assert Text(raw / name[-3:], train=raw / name).lines("train.target") == expected


def test_sentences_of_given_sets_are_taken_out_of_the_training_text(raw: Path) -> None:
    pairs = raw_sentences(300)
    dev = write_raw(raw, "inside", pairs[10:40])
    text = Text(raw, train=train_of(raw), dev=dev)
    assert text.found["removed"]["dev"] >= 30
    given = set(text.lines("dev.source"))
    assert not set(text.lines("train.source")) & given
    assert not set(text.lines("test.source")) & given


def test_more_text_of_the_target_language_is_added_without_the_sets(raw: Path) -> None:
    dev = dev_of(raw)
    mono = raw / "mono.en"
    given = dev[1].read_text(encoding="utf-8").splitlines()
    mono.write_text("\n".join([*given, "A new sentence that nobody has seen before.", ""]))
    text = Text(raw, train=train_of(raw), dev=dev, mono=mono)
    long = [line for line in given if len(line) >= 20]
    assert text.found["lm"]["removed"] == len(long)
    assert text.found["lm"]["lines"] == len(given) - len(long) + 1
    assert len(text.lines("lm.target")) == text.found["train"]["pairs"] + text.found["lm"]["lines"]


def test_several_references_are_kept(raw: Path) -> None:
    source, target = dev_of(raw)
    text = Text(raw, train=train_of(raw), dev=(source, target, target))
    assert text.found["dev"]["references"] == 2
    assert text.lines("dev.target1") == text.lines("dev.target")


def test_empty_lines_are_counted_and_left_out(raw: Path) -> None:
    pairs = [*raw_sentences(300), ("", "Something."), ("شيء.", " ")]
    text = Text(raw, train=write_raw(raw, "gaps", pairs))
    assert text.found["clean"]["left_out"]["empty"] == 2


def test_swapped_sides_of_a_set_are_suspected(raw: Path) -> None:
    text = Text(raw, train=train_of(raw), dev=dev_of(raw)[::-1])
    assert any("source side of the development set" in doubt for doubt in text.found["suspicions"])


def test_swapped_sides_of_the_training_text_are_suspected(raw: Path) -> None:
    text = Text(raw, train=train_of(raw), languages=("en", "de"))
    doubts = [d for d in text.found["suspicions"] if "training" in d]
    assert any("looks like en, not like de" in doubt for doubt in doubts)


def test_latin_1_is_an_error_with_its_line(raw: Path) -> None:
    source, target = train_of(raw)
    lines = target.read_bytes().split(b"\n")
    target.write_bytes(b"\n".join([*lines[:4], "Café".encode("latin-1"), *lines[5:]]))
    with pytest.raises(DataError, match=r"train.en:5: invalid UTF-8 at byte 4\n.*iconv"):
        Text(raw, train=(source, target))


def test_sides_of_different_length_are_an_error(raw: Path) -> None:
    source, target = train_of(raw)
    target.write_text(target.read_text(encoding="utf-8") + "one more\n", encoding="utf-8")
    with pytest.raises(DataError, match="unequal length"):
        Text(raw, train=(source, target))


def test_fifty_sentences_are_too_few_and_it_is_said_what_is_needed(raw: Path) -> None:
    train = write_raw(raw, "few", raw_sentences(50))
    with pytest.raises(OptionError, match="at least 140 are needed"):
        Text(raw, train=train)


def test_a_tiny_development_set_is_refused(raw: Path) -> None:
    dev = write_raw(raw, "tiny", raw_sentences(5, 1))
    with pytest.raises(DataError, match="has 5 sentences, and at least 20 are needed"):
        Text(raw, train=train_of(raw), dev=dev)


def test_missing_files_are_named(raw: Path) -> None:
    options = BuildOptions.make({**TINY, "train": (raw / "nothing.ar", raw / "nothing.en")})
    with pytest.raises(OptionError, match="there is no file"):
        options.check_files()


def test_a_test_set_with_sentences_of_the_development_set_is_suspected(raw: Path) -> None:
    text = Text(raw, train=train_of(raw), dev=dev_of(raw), test=dev_of(raw))
    assert any("30 sentences of the development set are in" in d for d in text.found["suspicions"])


def test_tokenised_training_text_is_suspected(raw: Path) -> None:
    pairs = [(f"{s[:-1]} .", f"{t[:-1]} , yes .") for s, t in raw_sentences(300)]
    text = Text(raw, train=write_raw(raw, "tokens", pairs))
    assert any("both sides look tokenised" in doubt for doubt in text.found["suspicions"])


def test_another_script_than_that_of_the_language_is_a_disaster(raw: Path) -> None:
    found = Text(raw, train=train_of(raw), languages=("ja", "en")).found["disasters"]
    assert found == [
        "the training text's source side is said to be ja, and most of its letters are Arabic: "
        "give the right files, or --languages"
    ]
    assert (
        "said to be de"
        in Text(raw, train=train_of(raw), languages=("de", "en")).found["disasters"][0]
    )
    country = Text(raw, train=train_of(raw), languages=("ar-EG", "en_GB"))
    assert country.found["disasters"] == []
    assert TextModel.load(country.folder / "text").source.language == "ar"


def test_a_further_reference_of_another_text_is_a_disaster(raw: Path) -> None:
    pairs = raw_sentences(300, 1)
    source, target = write_raw(raw, "long", pairs)
    _, shuffled = write_raw(raw, "other", raw_sentences(300, 2))
    found = Text(raw, train=train_of(raw), dev=(source, target, shuffled)).found["disasters"]
    (said,) = found
    assert "sides of the development set (reference 2) are not translations" in said
    foreign = Text(raw / "foreign", train=train_of(raw), dev=(source, target, source))
    assert any("development set (reference 2)" in one for one in foreign.found["disasters"])
    assert (
        Text(raw / "fine", train=train_of(raw), dev=(source, target, target)).found["disasters"]
        == []
    )


def test_text_that_is_cut_into_characters_is_told(
    raw: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def none(name: str) -> object:
        if name == "fugashi":
            raise OptionError("not installed")
        return characters

    monkeypatch.setattr("tartib.text.segmentation.segmenter", none)
    pairs = [
        (f"私は{number}冊の本を読んでいます。", f"I read {number} books.") for number in range(300)
    ]
    (raw / "t").mkdir()
    for side, code in enumerate(("ja", "en")):
        lines = "".join(f"{pair[side]}\n" for pair in pairs)
        (raw / "t" / f"train.{code}").write_text(lines, encoding="utf-8")
    files = (raw / "t" / "train.ja", raw / "t" / "train.en")
    text = Text(raw, train=files, languages=("ja", "en"))
    (said,) = (one for one in text.found["suspicions"] if "fugashi" in one)
    assert 'pip install "tartib[japanese]"' in said
    chosen = {"text": {"segmentation": "characters"}}
    text = Text(raw / "chosen", train=files, languages=("ja", "en"), **chosen)
    assert not any("fugashi" in one for one in text.found["suspicions"])
