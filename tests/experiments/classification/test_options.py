"""Options of classification experiments, from Python and from TOML files."""

from pathlib import Path
from typing import Any

import pytest

from tartib.errors import DataError, OptionError
from tartib.experiments import ClassificationOptions, read_toml
from tartib.features import FeatureSet


@pytest.mark.parametrize(
    ("values", "problem"),
    [
        ({"fetures": ["S1"]}, "there is no option 'fetures'"),
        ({"features": ["S16"]}, "S16"),
        ({"classifiers": ["svn"]}, "unknown classifier 'svn'"),
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
        "regression_epsilons": "1,0.1",
        "languages": "ar-en",
        "beside_paper": True,
    }
    chosen = ClassificationOptions.make({**files, **more})
    assert (chosen.features, chosen.regression_epsilons) == (("S4", "S6"), (1.0, 0.1))
    assert chosen.languages == ("ar", "en")
    assert ClassificationOptions.make({**files, "classifiers": "lexicalised"}).classifiers == ()
    (tmp_path / "bad.toml").write_text("features = [")
    with pytest.raises(DataError, match="cannot be read as TOML"):
        read_toml(tmp_path / "bad.toml")
    (tmp_path / "odd.toml").write_text("feature = 'S1'")
    with pytest.raises(DataError, match=r"odd.toml: there is no option 'feature'(.|\n)*the keys"):
        ClassificationOptions.make(read_toml(tmp_path / "odd.toml"), tmp_path / "odd.toml")


def test_roles_and_factors_are_those_of_all_feature_sets(files: dict[str, Path]) -> None:
    asked = {"features": ["s4", "S3", "S4-paper"], "roles": False, "phrase_factor": 1}
    chosen = ClassificationOptions.make({**files, **asked})
    named = [FeatureSet(name) for name in chosen.features]
    assert named == [FeatureSet(n, roles=False, phrase_factor=1) for n in ("S4", "S3", "S4-paper")]
    assert ClassificationOptions.make({**files, "features": ["mlr", "s7"]}).features == ("S7",)
