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
