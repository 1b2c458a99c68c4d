"""The page at the widths of a phone, a notebook and a large screen: nothing is cut unseen."""

from pathlib import Path

import pytest

from tartib.experiments.classification.report import chapter_of as classification_chapter
from tartib.experiments.report.html import write_page
from tartib.experiments.translation.report import chapter_of as translation_chapter
from tests.support.browser import run_in_browser
from tests.support.classification_results import example_results
from tests.support.drawing import drawn_once
from tests.support.translation_results import example_translation

LOOK = """() => {
  const all = (selector) => [...document.querySelectorAll(selector)];
  const room = document.documentElement.clientWidth;
  const name = (found) => `${found.tagName} ${found.getAttribute("class") || ""}`;
  const main = document.querySelector("main").getBoundingClientRect();
  const drawn = all("svg.moves, svg.matrix").filter((svg) => svg.clientWidth).map((svg) => {
    const [ink, view] = [svg.getBBox(), svg.viewBox.baseVal];
    return Math.max(
      view.x - ink.x, ink.x + ink.width - view.x - view.width,
      view.y - ink.y, ink.y + ink.height - view.y - view.height);
  });
  return {
    overflow: document.documentElement.scrollWidth - room,
    margins: [main.left, room - main.right],
    outside: all("main *, nav *").filter((found) => {
      if (found.parentElement.closest(".scroll, svg")) return false;
      const box = found.getBoundingClientRect();
      return box.width > 0 && (box.left < -0.5 || box.right > room + 0.5);
    }).map(name),
    boxes: all(".scroll").filter((box) => box.clientWidth).map((box) => ({
      hides: box.scrollWidth > box.clientWidth + 1,
      more: box.dataset.more,
      fades: getComputedStyle(box).getPropertyValue("--fade-right"),
      hint: box.previousElementSibling.className === "hint"
        && box.previousElementSibling.getBoundingClientRect().height > 0,
    })),
    drawn,
  };
}"""


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("layout") / "report.html"
    with drawn_once():
        chapters = [
            classification_chapter(example_results(), beside_paper=True, folder="a"),
            translation_chapter(example_translation(), folder="b"),
        ]
    write_page(path, chapters, "Both")
    return path


@pytest.mark.parametrize("width", [360, 1400, 1920])
def test_nothing_is_cut_without_a_sign(tmp_path: Path, page: Path, width: int) -> None:
    verdict = run_in_browser(page, LOOK, tmp_path, width=width)
    assert (verdict["problems"], verdict["width"]) == ([], width)
    answer = verdict["answer"]
    assert (answer["overflow"], answer["outside"]) == (0, [])
    left, right = answer["margins"]
    assert left == pytest.approx(right, abs=1), "the content stands in the middle"
    hiding = [box for box in answer["boxes"] if box["hides"]]
    assert all(box["more"] == "right" and box["hint"] for box in hiding)
    assert all(box["fades"] == "3rem" for box in hiding)
    assert not any(box["hint"] for box in answer["boxes"] if not box["hides"])
    assert len(hiding) > 0, "the widest tables fit no screen"
    assert len(answer["drawn"]) >= 3
    assert max(answer["drawn"]) <= 0.5, "pictures have room for all they draw"


def test_names_have_a_legend(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    for line in (
        "hier-msd, backward: a phrase and the phrase or block of phrases translated just before",
        "S6: first and last words of both phrases as different features; one source word before",
        "S15: linked word pairs; 3 source words before and after",
    ):
        assert line in text
