from pathlib import Path

import matplotlib
import pytest

from tartib.experiments.figures import COLOURS, figures_of, short_number, write_figures
from tests.experiments import example_results


def test_files_are_written_and_the_same_again(tmp_path: Path) -> None:
    settings = dict(matplotlib.rcParams)
    paths = write_figures(example_results(), tmp_path / "figures")
    names = sorted(path.name for path in paths)
    assert names == sorted(path.name for path in (tmp_path / "figures").iterdir())
    assert names[:2] == ["accuracy-hier-mslr-backward.pdf", "accuracy-hier-mslr-backward.svg"]
    assert len(names) == 2 * 3 * 2
    first = [path.read_bytes() for path in paths]
    write_figures(example_results(), tmp_path / "figures")
    assert [path.read_bytes() for path in paths] == first
    assert dict(matplotlib.rcParams) == settings


def test_text_stays_text(tmp_path: Path) -> None:
    write_figures(example_results(), tmp_path)
    text = (tmp_path / "accuracy-word-msd-backward.svg").read_text(encoding="utf-8")
    for words in ("multiclass SVM", "majority class 72.0", "lexicalised 77.6", "my_set&amp;"):
        assert f">{words}</text>" in text
    assert "<dc:date>" not in text


def test_settings_of_the_user_do_not_matter() -> None:
    panel = figures_of(example_results().orientations[0])["figure-2"][0]
    expected = panel.svg("a")
    with matplotlib.rc_context({"font.size": 30, "axes.facecolor": "red"}):
        assert panel.svg("a") == expected


def test_page_decides_about_colours_and_ids() -> None:
    panel = figures_of(example_results().orientations[0])["figure-1"][0]
    svg = panel.svg("here")
    assert "var(--series-0)" in svg
    assert not any(colour in svg for colour in COLOURS)
    assert svg.count(' id="') == svg.count(' id="here-figure-1-classifiers-')
    assert "url(#here-figure-1-classifiers-" in svg


def test_figures_without_results_are_left_out() -> None:
    orientation = example_results().orientations[0]
    assert list(figures_of(orientation)) == ["accuracy", "figure-1", "figure-2"]
    less = orientation.model_copy(update={"scaling": [], "curves": {}, "regressions": []})
    assert list(figures_of(less)) == ["accuracy"]
    curves = orientation.model_copy(update={"regressions": []})
    assert [panel.key for panel in figures_of(curves)["figure-1"]] == ["figure-1-classifiers"]


@pytest.mark.parametrize(
    ("number", "shown"), [(0, "0"), (950, "950"), (1200, "1.2 k"), (47_227_789, "47.2 M")]
)
def test_short_number(number: float, shown: str) -> None:
    assert short_number(number) == shown
