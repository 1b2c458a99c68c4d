"""Learning, saving and loading."""

from __future__ import annotations

import builtins
import json
import pickle
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from pydantic import ValidationError

from tartib.errors import DataError, OptionError
from tartib.text import SideOptions, TextModel, TextOptions, learn_text
from tests.text.ordinary import SENTENCES

PAIRS = list(zip(SENTENCES["de"], SENTENCES["en"], strict=True)) * 4
FAR = ["Das Haus.", "", "ÄRGER ÜBER ALLES", "x\x00y \ud800", "日本語", "a￭b▁c ||| <s>"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    learn_text(PAIRS, ("de", "en")).save(tmp_path / "text")
    return tmp_path / "text"


def test_a_loaded_model_does_the_same(folder: Path) -> None:
    learnt, loaded = learn_text(PAIRS, ("de", "en")), TextModel.load(folder)
    for ours, theirs in zip(learnt, loaded, strict=True):
        assert ours.as_json() == theirs.as_json()
        for line in [*SENTENCES["de"], *SENTENCES["en"], *FAR]:
            assert ours.prepare(line) == theirs.prepare(line)
            assert ours.restore(ours.prepare(line)) == theirs.restore(theirs.prepare(line))
            assert ours.doubts([line], learnt.target) == theirs.doubts([line], loaded.target)


def test_the_same_text_gives_the_same_bytes(folder: Path, tmp_path: Path) -> None:
    learn_text(iter(PAIRS), ("de", "en")).save(tmp_path / "again")
    for path in folder.glob("*.json"):
        if path.name != "manifest.json":
            assert path.read_bytes() == (tmp_path / "again" / path.name).read_bytes()


def test_a_model_goes_to_other_processes(folder: Path) -> None:
    model = TextModel.load(folder)
    there = pickle.loads(pickle.dumps(model))
    assert [side.as_json() for side in there] == [side.as_json() for side in model]
    assert there.source.prepare(PAIRS[0][0]) == model.source.prepare(PAIRS[0][0])


def test_saving_does_not_overwrite(folder: Path) -> None:
    model = TextModel.load(folder)
    with pytest.raises(OptionError, match="exists already"):
        model.save(folder)
    model.save(folder, overwrite=True)


def test_pairs_are_read_once_and_one_by_one() -> None:
    read = 0

    def pairs() -> Iterator[tuple[str, str]]:
        nonlocal read
        for pair in PAIRS:
            read += 1
            yield pair

    learn_text(pairs(), ("de", "en"))
    assert read == len(PAIRS)


def test_nothing_to_learn_from(tmp_path: Path) -> None:
    learn_text([]).save(tmp_path / "text")
    side = TextModel.load(tmp_path / "text").source
    assert side.prepare("The man, he said.") == "The man ￭, he said ￭."
    assert side.restore("the man ￭.") == "the man."
    assert side.doubts(["The man, he said. Привет"]) == []


def test_hostile_lines() -> None:
    model = learn_text([(line, line) for line in FAR * 2], ("de", "ja"))
    for side in model:
        for line in FAR:
            assert side.normalise(side.restore(side.prepare(line)).lower()) == side.normalise(
                line.lower()
            )
            side.prepare(line).encode()


def replaced(folder: Path, name: str, *keys: str, value: object) -> None:
    """Change a field, and make the manifest fit."""
    path = folder / name
    document = json.loads(path.read_text(encoding="utf-8"))
    place = document
    for key in keys[:-1]:
        place = place[key]
    place[keys[-1]] = value
    path.write_text(json.dumps(document), encoding="utf-8")


@pytest.mark.parametrize(
    ("keys", "value", "problem"),
    [
        (("language",), 3, "language must be a string"),
        (("language",), "d|e", "is not a code of a language"),
        (("options", "hyphen"), True, "there is no option 'hyphen'"),
        (("options", "form"), "NFX", "form"),
        (("segmentation",), "magic", "segmentation 'magic' is unknown"),
        (("style", "dash"), "x", "style has an unknown dash 'x'"),
        (("style", "opening"), None, "opening must be a string"),
        (("casing", "small"), ["a"], "small must be a string"),
        (("casing", "cased"), 1, "cased must be true or false"),
        (("profile", "scripts"), {"Klingon": 1.0}, "unknown script 'Klingon'"),
        (("profile", "scripts"), {"Latin": "1"}, "Latin must be a number"),
        (("profile", "letters"), -1, "letters must be a whole number"),
        (("subwords",), True, "names source.subwords, which cannot be read"),
    ],
)
def test_wrong_fields_are_errors(
    folder: Path, keys: tuple[str, ...], value: object, problem: str
) -> None:
    from tartib import unverified

    replaced(folder, "source.json", *keys, value=value)
    with pytest.raises(DataError, match="damaged"):
        TextModel.load(folder)
    with unverified(), pytest.raises(DataError) as caught:
        TextModel.load(folder)
    assert problem in str(caught.value)
    assert "source.json" in str(caught.value)


def test_damaged_folders_are_errors(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no such folder; a text model is a folder"):
        TextModel.load(tmp_path / "nothing")
    (folder / "target.json").write_bytes(b"{")
    with pytest.raises(DataError, match="damaged"):
        TextModel.load(folder)
    (folder / "target.json").unlink()
    with pytest.raises(DataError):
        TextModel.load(folder)
    (folder / "meta.json").write_text('{"format": "tartib text", "version": 2}', encoding="utf-8")
    with pytest.raises(DataError, match="format version 2; this Tartib reads version 1"):
        TextModel.load(folder)
    (folder / "meta.json").unlink()
    with pytest.raises(DataError, match=r"has no meta\.json, so it is not a text model"):
        TextModel.load(folder)


def test_options_are_for_both_sides_unless_one_says_otherwise() -> None:
    options = TextOptions.model_validate({"hyphens": False, "source": {"letters": "unify"}})
    assert options.source == SideOptions(hyphens=False, letters="unify")
    assert options.target == SideOptions(hyphens=False)
    given = TextOptions.model_validate({"case": "none", "target": SideOptions(case="lower")})
    assert (given.source.case, given.target.case) == ("none", "lower")
    with pytest.raises(ValidationError, match="hyphen"):
        TextOptions.model_validate({"hyphen": False})
    with pytest.raises(ValidationError):
        TextOptions.model_validate({"subwords": "morfessor"})
    with pytest.raises(ValidationError):
        TextOptions.model_validate({"subwords": "bpe", "source": 3})


def test_what_is_not_installed_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    import_module = builtins.__import__

    def refuse(name: str, *rest: object, **options: object) -> object:
        if name in ("sentencepiece", "fugashi", "jieba"):
            raise ImportError(name)
        return import_module(name, *rest, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(builtins, "__import__", refuse)
    for name in ("sentencepiece", "fugashi", "jieba"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    from tartib.text import segmentation

    segmentation.segmenter.cache_clear()
    for option, extra in (
        ({"subwords": "bpe"}, "subwords"),
        ({"segmentation": "fugashi"}, "japanese"),
        ({"segmentation": "jieba"}, "chinese"),
    ):
        pairs = [(line, line) for line in SENTENCES["ja"]]
        with pytest.raises(OptionError, match=rf'pip install "tartib\[{extra}\]"'):
            learn_text(pairs, ("ja", "ja"), TextOptions.model_validate(option))
    side = learn_text(pairs, ("ja", "ja")).source
    assert side.segmentation == "characters"


def test_what_is_reported_of_a_side() -> None:
    raw = learn_text([(line, line) for line in SENTENCES["de"]], ("de", "de")).source
    assert (raw.cut_by, raw.tokenised, raw.cased) == ("spaces", False, True)
    lines = ["the old man , he said .", "so , it is ."] * 20
    tokenised = learn_text([(line, line) for line in lines], ("en", "en")).source
    assert (tokenised.cut_by, tokenised.tokenised, tokenised.cased) == ("spaces", True, False)


def test_quotes_of_a_tokenised_side_stay() -> None:
    lines = ["“ The man , ” he said , “ is old . ”", "He said : ‘ so , it is . ’"] * 20
    raw = [line.replace(" ,", ",") for line in SENTENCES["de"] * 8]
    model = learn_text(zip(raw, lines, strict=True), ("de", "en"))
    assert (model.source.options.quotes, model.target.options.quotes) == ("plain", "keep")
    for line in lines:
        assert model.target.restore(model.target.prepare(line)) == line
    assert model.target.prepare("“The man,” he said") == "“ The man , ” he said"
    plain = learn_text(
        zip(lines, lines, strict=True), options=TextOptions.model_validate({"quotes": "plain"})
    )
    assert plain.source.prepare("“ he ”") == '" he "'
