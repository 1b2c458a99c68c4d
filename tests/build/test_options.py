"""Options of a build: efforts, settings, files, and what is refused."""

from pathlib import Path
from typing import Any

import pytest

from tartib.build import BuildOptions
from tartib.build.effort import EFFORTS
from tartib.build.options import read_toml, with_settings
from tartib.build.run import languages_of
from tartib.cli.build import spread
from tartib.errors import DataError, OptionError

TRAIN = {"train": ["a.de", "a.en"]}


@pytest.mark.parametrize("effort", EFFORTS)
def test_every_effort_has_all_options(effort: str) -> None:
    options = BuildOptions.make({**TRAIN, "effort": effort})
    assert options.effort == effort
    assert options.choose.systems
    assert options.choose.limits


def test_thorough_compares_more_than_quick() -> None:
    quick, thorough = (BuildOptions.make({**TRAIN, "effort": e}) for e in ("quick", "thorough"))
    assert len(quick.choose.systems) == len(quick.choose.limits) == 1
    assert len(thorough.choose.systems) > 2
    assert thorough.tune.runs > quick.tune.runs


def test_settings_override_the_effort_and_keep_the_rest() -> None:
    settings = ["tune.iterations=3", "choose.limits=6,10", "text.case=lower", "lm.prune=0,1"]
    options = BuildOptions.make(with_settings({**TRAIN, "effort": "quick"}, settings))
    assert options.tune.iterations == 3
    assert options.tune.sentences == 500
    assert options.choose.limits == (6, 10)
    assert options.text.source.case == options.text.target.case == "lower"
    assert options.lm.prune == (0, 1)


def test_a_setting_may_be_of_one_side_and_have_hyphens() -> None:
    settings = ["text.source.letters=unify", "text.subword-size=500", "clean.max-ratio=3"]
    settings.append("reordering.learn-from=derivations")
    options = BuildOptions.make(with_settings(TRAIN, settings))
    assert options.reordering.learn_from == "derivations"
    assert options.text.source.letters == "unify"
    assert options.text.target.letters == "keep"
    assert options.text.target.subword_size == 500
    assert options.clean.max_ratio == 3


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ("lm.orders=4", r"\[lm\]: there is no option 'orders' \(is it order\?\)\n.*order, prune"),
        ("lmm.order=4", r"there is no option 'lmm' \(is it lm\?\)"),
        ("reordering.learn-from=steps", r"\[reordering\]: learn-from: .*'pairs' or 'derivations'"),
        ("lm.order=9", r"\[lm\]: order: .*less than or equal to 6"),
        ("choose.systems=svm", "unknown part 'svm'"),
        ("order=4", "--set takes stage.option=value"),
        ("lm.order", "--set takes stage.option=value"),
        ("effort.x=1", "effort is none"),
        ("score.tokenize=foo", "unknown tokenisation 'foo'"),
        ("phrase-table.significance-pruning=foo", "significance pruning is a number"),
        ("align.aligner=foo", "unknown aligner 'foo'"),
        ("align.heuristic=foo", "unknown heuristic 'foo'"),
        ("align.attach=2", "less than or equal to 1"),
        ("lm.prune=5,1", "the first threshold must be 0"),
        ("choose.sentences=1", "sentences: must be greater than or equal to 2"),
        ("lm.order=x", "order: must be a whole number"),
        ("tune.tuner=x", "tuner: must be 'mira', 'pro' or 'mert'"),
        ("clean.scripts=maybe", "scripts: must be true or false"),
        ("text.subword=bpe", r"no option 'subword' \(is it subwords\?\)"),
        ("lm.order.x=3", r"--set lm.order.x=3: lm.order is a value"),
    ],
)
def test_wrong_settings_are_refused_with_the_keys_that_there_are(
    setting: str, message: str
) -> None:
    with pytest.raises(OptionError, match=message):
        BuildOptions.make(
            with_settings({**TRAIN, "effort": "quick", "lm": {"order": 4}}, [setting])
        )


def test_an_unknown_effort_is_refused() -> None:
    with pytest.raises(OptionError, match="quick, normal, thorough, not 'huge'"):
        BuildOptions.make({**TRAIN, "effort": "huge"})


def test_files_of_options_have_paths_relative_to_them(tmp_path: Path) -> None:
    path = tmp_path / "build.toml"
    path.write_text('train = ["a.de", "a.en"]\neffort = "quick"\n[phrase-table]\nmin-count = 2\n')
    options = BuildOptions.make(read_toml(path), path)
    assert options.train == (tmp_path / "a.de", tmp_path / "a.en")
    assert options.phrase_table.min_count == 2


def test_wrong_files_of_options_are_named(tmp_path: Path) -> None:
    path = tmp_path / "build.toml"
    path.write_text('train = ["a.de", "a.en"]\n[tuning]\nruns = 2\n')
    with pytest.raises(DataError, match=r"build.toml: there is no option 'tuning'(.|\n)*tune"):
        BuildOptions.make(read_toml(path), path)


def test_options_with_files_take_several() -> None:
    words = ["--train", "a", "b", "--effort", "quick", "--mono=x", "y", "-o", "z"]
    assert spread(words) == [
        *("--train", "a", "--train", "b", "--effort", "quick"),
        *("--mono=x", "--mono", "y", "-o", "z"),
    ]


def test_phrases_of_much_text_are_shorter() -> None:
    options = BuildOptions.make(TRAIN)
    assert options.extract.length_for(1000) == 5
    assert options.extract.length_for(500_000) == 4
    given = BuildOptions.make(with_settings(TRAIN, ["extract.max-phrase-length=7"]))
    assert given.extract.length_for(500_000) == 7


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"train": ["corpus.de", "corpus.en"]}, ("de", "en")),
        ({"train": ["train.raw.ar.xz", "train.raw.en.xz"]}, ("ar", "en")),
        ({"train": ["corpus.ja-en.zip"]}, ("ja", "en")),
        ({"train": ["my-own.tsv"]}, ("", "")),
        ({"train": ["text.tsv"], "dev": ["dev.fr", "dev.en"]}, ("fr", "en")),
        ({"train": ["a.de", "a.en"], "languages": ("nl", "en")}, ("nl", "en")),
        ({"train": "text.tmx", "languages": ("German", "en-GB")}, ("de", "en-GB")),
    ],
)
def test_languages_are_told_from_names(files: dict[str, Any], expected: tuple[str, str]) -> None:
    assert languages_of(BuildOptions.make(files)) == expected


@pytest.mark.parametrize(
    ("name", "said"),
    [("klingon", "'klingon' is not a code of a language"), ("jp", "its language is 'ja'")],
)
def test_names_that_are_no_languages_are_refused(name: str, said: str) -> None:
    with pytest.raises(OptionError, match=said):
        BuildOptions.make({**TRAIN, "languages": (name, "en")})
