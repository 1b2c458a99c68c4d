from pathlib import Path

import matplotlib
import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.legend import Legend

from tartib.experiments.classification.figures import figures_by_name, figures_of
from tartib.experiments.report.figures import (
    COLOURS,
    SETTINGS,
    WIDTH,
    Panel,
    short_number,
    write_panels,
)
from tests.support.classification_results import example_results
from tests.support.shared import shared_folder


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    def make(folder: Path) -> None:
        settings = dict(matplotlib.rcParams)
        paths = write_panels(figures_by_name(example_results()), folder)
        assert dict(matplotlib.rcParams) == settings
        assert sorted(paths) == sorted(folder.iterdir())

    return sorted(shared_folder(tmp_path_factory, "figures", make).iterdir())


def test_all_files_are_written(files: list[Path]) -> None:
    names = [path.name for path in files]
    assert names[:2] == ["accuracy-hier-mslr-backward.pdf", "accuracy-hier-mslr-backward.svg"]
    assert len(names) == 2 * 3 * 2


@pytest.mark.parametrize("figures", [2, pytest.param(6, marks=pytest.mark.campaign)])
def test_files_are_the_same_again(files: list[Path], tmp_path: Path, figures: int) -> None:
    some = dict(list(figures_by_name(example_results()).items())[:figures])
    again = write_panels(some, tmp_path)
    assert len(again) == 2 * figures
    assert [path.read_bytes() for path in again] == [
        (files[0].parent / path.name).read_bytes() for path in again
    ]


def test_text_stays_text(files: list[Path]) -> None:
    (accuracy,) = (path for path in files if path.name == "accuracy-word-msd-backward.svg")
    text = accuracy.read_text(encoding="utf-8")
    for words in ("multiclass SVM", "most frequent class 72.0", "lexicalised 77.6", "my_set&amp;"):
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


def drawn(panel: Panel) -> tuple[Axes, Legend]:
    """Draw a panel and lay it out."""
    with matplotlib.rc_context(SETTINGS):
        figure = Figure(figsize=(WIDTH, panel.height), layout="constrained")
        axes = figure.subplots()
        panel.draw(axes)
        figure.draw_without_rendering()
    legend = axes.get_legend()
    assert legend is not None
    return axes, legend


@pytest.mark.parametrize(
    ("names", "columns"),
    [
        (["svm", "mlr"], 3),
        (["svm", "mlr", "dual MLR, coordinate steps"], 2),
        (["svm", "mlr", "x" * 30, "y" * 30, "z" * 30], 1),
        (["svm", "a name of many words that is longer than any figure is wide " * 2], 1),
    ],
)
def test_any_names_fit_in_the_legend(names: list[str], columns: int) -> None:
    orientation = example_results().orientations[0]
    curves = dict.fromkeys(names, orientation.curves["svm"])
    panel = figures_of(orientation.model_copy(update={"curves": curves}))["figure-1"][0]
    axes, legend = drawn(panel)
    figure, box, inside = axes.figure.bbox, legend.get_window_extent(), axes.get_window_extent()
    assert figure.x0 <= box.x0
    assert box.x1 <= figure.x1
    assert box.y1 <= figure.y1
    assert inside.width > 0.75 * figure.width
    assert len({round(text.get_window_extent().x0) for text in legend.get_texts()}) == columns


def test_both_kinds_of_dual_regression_are_told_apart() -> None:
    orientation = example_results().orientations[0]
    curve = orientation.curves["mlr"]
    looks = []
    for names in (["mlr"], ["mlr-eg"], ["svm", "mlr", "mlr-eg"]):
        curves = dict.fromkeys(names, curve)
        panel = figures_of(orientation.model_copy(update={"curves": curves}))["figure-1"][0]
        axes, _ = drawn(panel)
        looks.append([(line.get_color(), line.get_marker()) for line in axes.lines[: len(names)]])
    (mlr,), (gradient,), together = looks
    assert together[1:] == [mlr, gradient]
    assert len({colour for colour, _ in together}) == len({marker for _, marker in together}) == 3


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
