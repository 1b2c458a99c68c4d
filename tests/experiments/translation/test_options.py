"""Options of translation experiments, from Python and from TOML files."""

import inspect
from pathlib import Path
from typing import Any

import pytest

from tartib.cli import experiment_translation
from tartib.errors import DataError, OptionError
from tartib.experiments import TranslationOptions, read_toml
from tartib.experiments.translation.systems import PAPER_SYSTEMS


def test_command_line_has_the_defaults_of_the_library() -> None:
    parameters = inspect.signature(experiment_translation.translation).parameters
    for name, field in TranslationOptions.model_fields.items():
        listed = ("languages", "systems", "sparse_features", "test_reference")
        if name not in listed and not field.is_required():
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
        ({"primary": "svm:S6"}, "primary system 'svm:S6' is not one of the systems"),
        ({"primary": "lexicalised"}, "primary system 'lexicalised' is the baseline"),
        ({"baseline": "svm"}, "unknown part 'svm'"),
        ({"test": ["a=x", "b=y"], "test_reference": ["a=z"]}, "'b' has no reference"),
        ({"test": ["a=x"], "test_reference": ["a=y", "b=z"]}, "no test set 'b', but 'a'"),
        ({"test": ["a=x"], "test_reference": ["y"]}, "y belongs to no test set"),
        ({"test": ["x", "y"], "test_reference": ["z"]}, "x and y: give each test set a name"),
        ({"test": ["x"], "test_reference": ["a=z"]}, "there is no test set 'a'"),
        ({"test": ["a=x", "a=y"], "test_reference": ["a=z"]}, "x and y: give each test set a name"),
        ({"test": {}, "test_reference": ()}, "at least one test set"),
        ({"test": {"a": {"source": "x", "reference": "y"}}}, "test-reference belongs to one test"),
        (
            {"test": {"a b": {"source": "x", "reference": "y"}}, "test_reference": ()},
            "not one word",
        ),
        ({"test": "-"}, "cannot read standard input"),
    ],
)
def test_wrong_options(files: dict[str, Any], values: dict[str, Any], problem: str) -> None:
    with pytest.raises(OptionError, match=problem):
        TranslationOptions.make({**files, **values})


def test_baseline_is_always_there(files: dict[str, Any]) -> None:
    assert TranslationOptions.make({**files, "systems": "svm:S6"}).systems[0] == "lexicalised"
    named = TranslationOptions.make({**files, "systems": "none,svm:S6"}).systems
    assert named == ("none", "lexicalised", "svm:S6")


def test_several_test_sets(files: dict[str, Any], tmp_path: Path) -> None:
    given = {
        "test": ["near=a", "far=b"],
        "test_reference": ["near=c", "far=./d=e", "far=f"],
        "reference_alignment": ["far=g"],
    }
    (tmp_path / "e.toml").write_text(
        "[test.near]\nsource = 'a'\nreference = 'c'\n"
        "[test.far]\nsource = 'b'\nreference = ['d=e', 'f']\nalignment = 'g'\n"
    )
    texts = {name: value for name, value in files.items() if not name.startswith("test")}
    by_command = TranslationOptions.make({**texts, **given}).tests
    by_file = TranslationOptions.make({**texts, **read_toml(tmp_path / "e.toml")}).tests
    assert list(by_command) == list(by_file) == ["near", "far"]
    for name, test in by_command.items():
        for what, path in test.files.items():
            assert by_file[name].files[what] == tmp_path / path
    assert by_command["far"].reference == (Path("d=e"), Path("f"))
    (alone,) = TranslationOptions.make(files).tests.values()
    assert (alone.source, alone.reference) == (files["test"], files["test_reference"])


def test_baseline_may_be_another(files: dict[str, Any]) -> None:
    asked = {**files, "systems": "svm:S6, none", "baseline": "mlr:s7", "primary": "svm:s6"}
    options = TranslationOptions.make(asked)
    assert options.systems == ("mlr:S7", "svm:S6", "none")
    assert (options.baseline, options.primary) == ("mlr:S7", "svm:S6")


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
