import re
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from tartib.experiments.classification.report import chapter_of, section_of, write_report
from tartib.experiments.classification.results import OrientationResults, Results
from tartib.experiments.classification.summary import headlines, ratio, sentences
from tartib.experiments.classification.tables import tables_of
from tartib.experiments.report.html import mark_words, where_it_ran, write_page
from tartib.experiments.report.tables import Value
from tartib.experiments.translation.report import chapter_of as translation_chapter
from tests.support.browser import run_in_browser
from tests.support.classification_results import example_results
from tests.support.drawing import drawn_once
from tests.support.translation_results import example_translation

VOID = {"area", "br", "col", "hr", "img", "input", "link", "meta", "source", "wbr"}


class Outline(HTMLParser):
    """Follows which elements are open, and keeps ids, links, headings and text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: Counter[str] = Counter()
        self.loads: list[str] = []
        self.links: list[str] = []
        self.texts: list[tuple[str, str]] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._note(tag, dict(attrs))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._note(tag, dict(attrs))

    def handle_endtag(self, tag: str) -> None:
        assert self.open, f"</{tag}> closes nothing"
        assert self.open.pop() == tag, f"</{tag}> at {self.getpos()}"

    def handle_data(self, data: str) -> None:
        if self.open and data.strip():
            self.texts.append((self.open[-1], data.strip()))

    def headings(self) -> list[str]:
        return [text for tag, text in self.texts if tag == "h3"]

    def _note(self, tag: str, attrs: dict[str, str | None]) -> None:
        self.ids.update(filter(None, [attrs.get("id")]))
        for name in ("src", "href", "xlink:href", "data", "action", "srcset"):
            value = attrs.get(name)
            if value is not None:
                (self.links if tag == "a" else self.loads).append(value)


def written(results: Results, folder: Path, **options: Any) -> str:
    write_report(results, folder / "report.html", **options)
    return (folder / "report.html").read_text(encoding="utf-8")


def with_orientation(results: Results, **changes: Any) -> Results:
    changed = results.orientations[0].model_copy(update=changes)
    return results.model_copy(update={"orientations": [changed]})


def bare(results: Results) -> Results:
    """Leave only the lexicalised model."""
    return with_orientation(
        results,
        cells=[],
        best=None,
        coverage=[],
        regressions=[],
        curves={},
        scaling=[],
        strongest={},
        examples=[],
    )


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> str:
    with drawn_once():
        return written(example_results(), tmp_path_factory.mktemp("page"))


@pytest.mark.parametrize("beside_paper", [False, True])
def test_page_is_well_formed_and_whole(page: str, tmp_path: Path, beside_paper: bool) -> None:
    text = page
    if beside_paper:
        with drawn_once():
            text = written(example_results(), tmp_path, beside_paper=True)
    outline = Outline(text)
    assert outline.open == []
    assert [name for name, count in outline.ids.items() if count > 1] == []
    inside = [link[1:] for link in outline.links + outline.loads if link.startswith("#")]
    assert set(inside) <= set(outline.ids)
    assert "word-msd-backward" in inside
    headings = outline.headings()
    for heading in ("Accuracy", "Classifiers", "Active phrase pairs", "Scale", "Examples"):
        assert headings.count(heading) == 2  # two orientations


def test_page_loads_nothing(page: str) -> None:
    outline = Outline(page)
    assert [load for load in outline.loads if not load.startswith(("#", "data:,"))] == []
    outside = [link for link in outline.links if not link.startswith("#")]
    assert outside == ["results.json", "tables.tex", "tables.md"]
    assert re.findall(r"@import|url\((?!#)", page) == []
    assert "default-src 'none'" in page


def test_two_experiments_on_one_page(tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    with drawn_once():
        translation = translation_chapter(example_translation(), folder="b")
        write_page(path, [chapter_of(example_results(), folder="a"), translation], "Both")
    text = path.read_text(encoding="utf-8")
    outline = Outline(text)
    assert outline.open == []
    assert [name for name, count in outline.ids.items() if count > 1] == []
    assert {link[1:] for link in outline.links if link.startswith("#")} <= set(outline.ids)
    outside = [link for link in outline.links if not link.startswith("#")]
    files = ("results.json", "tables.tex", "tables.md")
    assert outside == [f"{folder}/{name}" for folder in "ab" for name in files]
    assert outline.texts.count(("h1", "Both")) == 1
    headings = [found for tag, found in outline.texts if tag == "h2"]
    assert headings == [
        *("Classification", "Translation"),
        *("Classification: word-msd", "Classification: hier-mslr", "Translation: hier-msd"),
        "The run",
    ]
    verdict = run_in_browser(path, LOOK, tmp_path)
    assert (verdict["problems"], verdict["answer"]["overflow"]) == ([], 0)


@pytest.mark.usefixtures("no_figures")
def test_words_are_escaped(tmp_path: Path) -> None:
    results = example_results()
    evil = '</script><b>&amp;"'
    example = (
        results.orientations[0]
        .examples[0]
        .model_copy(
            update={"source": [evil, "a", "<b>"], "target": ["x"] * 6 + [evil], "truth": "swap"}
        )
    )
    example = example.model_copy(
        update={"links": [(0, 5), (2, 6)], "source_length": 1, "pulls": [(f"f:{evil}", 1.0)]}
    )
    changed = with_orientation(results, examples=[example], strongest={"mono": [(evil, 1.0)]})
    changed = changed.model_copy(update={"title": evil, "signature": evil, "machine": evil})
    text = written(changed, tmp_path)
    outline = Outline(text)
    assert outline.open == []
    assert text.count("</script>") == 1
    assert [found for tag, found in outline.texts if tag == "b"] == []
    for tag in ("title", "h1", "code"):
        assert (tag, evil) in outline.texts
    assert any(evil in found for tag, found in outline.texts if tag in ("span", "mark"))


@pytest.mark.usefixtures("no_figures")
def test_page_is_the_same_again(tmp_path: Path) -> None:
    """That figures are the same again is seen in `test_figures`."""
    page = written(example_results(), tmp_path)
    assert written(example_results(), tmp_path) == page
    assert [path.name for path in tmp_path.iterdir()] == ["report.html"]


@pytest.mark.usefixtures("no_figures")
def test_parts_without_results_are_left_out(tmp_path: Path) -> None:
    outline = Outline(written(bare(example_results()), tmp_path))
    assert outline.open == []
    assert outline.headings() == ["Accuracy", "Lexicalised model", "Size", "Signature"]


@pytest.mark.usefixtures("no_figures")
@pytest.mark.parametrize(
    ("changes", "gone"),
    [
        ({"scaling": []}, "Scale"),
        ({"examples": []}, "Examples"),
        ({"strongest": {}}, "Strongest features"),
        ({"regressions": []}, "Logistic regression"),
    ],
)
def test_only_the_missing_part_is_left_out(changes: dict[str, Any], gone: str) -> None:
    whole, less = example_results(), with_orientation(example_results(), **changes)
    titles = [block.title for block in section_of(whole, whole.orientations[0]).blocks]
    left = [block.title for block in section_of(less, less.orientations[0]).blocks]
    assert gone in titles
    assert left == [title for title in titles if title != gone]


@pytest.mark.usefixtures("no_figures")
def test_all_tables_are_shown_once() -> None:
    results = example_results()
    orientation = results.orientations[0]
    alone = results.model_copy(update={"orientations": [orientation]})
    blocks = section_of(results, orientation).blocks
    shown = [table.key for block in blocks for table in block.tables]
    assert sorted(shown) == sorted(table.key for table in tables_of(alone)[1:])


@pytest.mark.usefixtures("no_figures")
def test_notes_shared_by_tables_stand_once() -> None:
    results = example_results()
    blocks = section_of(results, results.orientations[0]).blocks
    block = next(block for block in blocks if block.key == "classifiers")
    assert any("standard deviation" in note for note in block.notes)
    assert not any("standard deviation" in note for table in block.tables for note in table.notes)
    assert all(any("Options" in note for note in table.notes) for table in block.tables)


@pytest.mark.usefixtures("no_figures")
def test_tuning_marks_what_was_chosen() -> None:
    results = example_results()
    blocks = section_of(results, results.orientations[0]).blocks
    tables = next(block.folded for block in blocks if block.key == "tuning")
    table = next(table for table in tables if table.title.startswith("MaxEnt"))
    assert [column.name for column in table.columns] == [
        "features",
        "fold",
        *["0.01", "0.1", "1"] * 2,
    ]
    marks = [bool(value.mark) for value in table.groups[0][0] if isinstance(value, Value)]
    assert marks == [False, *[False, True, False] * 2]
    dual = next(table for table in tables if table.title.startswith("Dual MLR: values of C"))
    assert [row[0] for row in dual.groups[0]] == ["S7", "S7"], "by fold, not again for each ε"


def with_tuning(train: int, **options: Any) -> Results:
    results = example_results(folds=1)
    (split,) = results.splits
    part = split.train.model_copy(update={"pairs": train})
    return results.model_copy(
        update={"options": options, "splits": [split.model_copy(update={"train": part})]}
    )


@pytest.mark.usefixtures("no_figures")
@pytest.mark.parametrize(
    ("train", "options", "said"),
    [
        (2_000_000, {"tune": True, "tune_pairs": 300_000}, True),
        (2_000_000, {"tune": False, "tune_pairs": 300_000}, False),
        (300_000, {"tune": True, "tune_pairs": 300_000}, False),  # the sample is everything
        (2_000_000, {}, False),
    ],
)
def test_tuning_on_a_sample_is_said(
    tmp_path: Path, train: int, options: dict[str, Any], said: bool
) -> None:
    text = written(with_tuning(train, **options), tmp_path)
    words = "from models trained on a sample of about 300,000 training pairs; the models that"
    assert text.count(words) == (2 if said else 0)  # two orientations


@pytest.mark.usefixtures("no_figures")
def test_best_model_is_explained_once() -> None:
    results = example_results()
    without = with_orientation(results, strongest={})
    nothing = with_orientation(results, strongest={}, examples=[])
    for shown, place in ((results, "features"), (without, "examples"), (nothing, None)):
        blocks = section_of(shown, shown.orientations[0]).blocks
        places = [b.key for b in blocks if "the one with the highest accuracy" in b.text]
        assert places == ([] if place is None else [place])


@pytest.mark.parametrize(
    ("machine", "jobs", "said"),
    [
        ("x86_64, 2 cores, Python 3.11.7", 2, "on 2 cores (x86_64, Python 3.11.7)"),
        ("x86_64, 64 cores, Python 3.11.7", 2, "on 2 of 64 cores (x86_64, Python 3.11.7)"),
        ("x86_64, 1 cores", 1, "on 1 core (x86_64)"),
        ("2 cores", 2, "on 2 cores"),
        ("a Cray", 1, "on 1 core (a Cray)"),
    ],
)
def test_cores_are_counted_once(machine: str, jobs: int, said: str) -> None:
    changes = {"machine": machine, "jobs": jobs}
    assert where_it_ran(example_results().model_copy(update=changes)) == said


def test_summary_says_what_the_results_hold() -> None:
    orientation = example_results().orientations[0]
    best = orientation.cells[12]
    first, *_ = headlines(orientation)
    assert first.value == f"{100 * best.mean(lambda run: run.scores.accuracy):.1f}"
    assert first.label == "best accuracy: multiclass SVM on S15"
    assert [headline.value for headline in headlines(orientation)][2] == "72.0"
    said = " ".join(sentences(orientation))
    assert "2.6 points above the lexicalised model (95\u202f% interval +1.8 to +3.4)" in said
    time = ratio(orientation, lambda run: run.seconds)
    assert time is not None
    assert f"MaxEnt took {time:.1f} times as long" in said


def test_ratio_is_over_common_feature_sets() -> None:
    def timed(cell_features: str, classifier: str, seconds: float) -> Any:
        cell = next(c for c in orientation.cells if c.classifier == classifier)
        run = cell.runs[0].model_copy(update={"seconds": seconds})
        return cell.model_copy(update={"features": cell_features, "runs": [run]})

    orientation: OrientationResults = example_results().orientations[0]
    cells = [
        *(timed("S1", "maxent", 8.0), timed("S1", "svm", 1.0)),
        *(timed("S2", "maxent", 6.0), timed("S2", "svm", 3.0), timed("S3", "maxent", 100.0)),
    ]
    found = ratio(orientation.model_copy(update={"cells": cells}), lambda run: run.seconds)
    assert found == pytest.approx(4.0)
    only = orientation.model_copy(update={"cells": cells[-1:]})
    assert ratio(only, lambda run: run.seconds) is None


def test_words_from_right_to_left_are_kept_apart() -> None:
    assert mark_words("source word before “في” and target word “<b>”") == (
        "source word before “<bdi>في</bdi>” and target word “&lt;b&gt;”"
    )
    assert mark_words("كتاب & ولد") == "<bdi>كتاب</bdi> &amp; <bdi>ولد</bdi>"


def test_long_words_are_cut() -> None:
    word = "<" + "a" * 299
    assert mark_words(f"target word “{word}” and “b”") == (
        f'target word “<span title="&lt;{"a" * 299}">&lt;{"a" * 30}…</span>” and “b”'
    )
    arabic = mark_words("ب" * 300)
    assert arabic == f'<bdi><span title="{"ب" * 300}">{"ب" * 31}…</span></bdi>'
    assert mark_words("b" * 32) == "b" * 32


def with_long_words(results: Results) -> Results:
    word = "a" * 300
    example = results.orientations[0].examples[0]
    source = [*example.source[:2], "ب" * 300, *example.source[3:]]
    target = [word, *example.target[1:5], word, *example.target[6:]]
    changed = example.model_copy(update={"source": source, "target": target})
    strongest = {"mono": [(f"target word “{word}” and source word “{word}”", 1.0)]}
    return with_orientation(results, examples=[changed], strongest=strongest)


LOOK = """() => {
  const all = (selector) => [...document.querySelectorAll(selector)];
  const lines = (found) =>
    found.getBoundingClientRect().height / parseFloat(getComputedStyle(found).lineHeight);
  return {
    overflow: document.documentElement.scrollWidth - document.documentElement.clientWidth,
    scrolls: all(".findings-block .scroll").some((box) => box.scrollWidth > box.clientWidth),
    cells: all(".findings-block td").map((cell) => {
      const box = cell.getBoundingClientRect();
      return [cell.dataset.column, box.left >= 0 && box.right <= innerWidth && box.height > 0];
    }),
    tops: all(".findings-block tbody tr:first-child td").map(
      (cell) => cell.getBoundingClientRect().top),
    features: all(".weights .name").map(lines),
    sentences: all(".sentence").map(lines),
  };
}"""


@pytest.mark.usefixtures("no_figures")
def test_findings_and_long_words_on_a_phone(tmp_path: Path) -> None:
    write_report(with_long_words(example_results()), tmp_path / "report.html")
    verdict = run_in_browser(tmp_path / "report.html", LOOK, tmp_path)
    assert verdict["problems"] == []
    answer = verdict["answer"]
    assert (answer["overflow"], answer["scrolls"]) == (0, False)
    names = ["finding", "features", "papers", "here", "holds"]
    assert [cell[0] for cell in answer["cells"][:5]] == names
    assert all(seen for _, seen in answer["cells"])
    assert answer["tops"] == sorted(set(answer["tops"])), "one below the other"
    assert max(answer["features"]) < 5.5
    assert max(answer["sentences"]) < 5.5


SORT = """() => {
  document.querySelectorAll("details").forEach((details) => { details.open = true; });
  const table = [...document.querySelectorAll("table[data-sorts]")].find(
    (found) => found.closest("figure").textContent.includes("MaxEnt by feature set"));
  const headings = [...table.tHead.rows[table.tHead.rows.length - 1].cells];
  const column = headings.findIndex((heading) => heading.textContent === "Δ");
  const look = () => ({
    groups: [...table.tBodies].map((body) => body.rows.length),
    names: [...table.querySelectorAll("tbody tr")].map((row) => row.cells[0].textContent),
    numbers: [...table.querySelectorAll("tbody tr")].map(
      (row) => Number(row.cells[column].dataset.value)),
    states: headings.map((heading) => heading.getAttribute("aria-sort")),
  });
  const seen = [look()];
  for (const at of [column, column, column, 0, 0]) {
    headings[at].querySelector("button").click();
    seen.push(look());
  }
  return {
    column, seen,
    reachable: headings.every((heading) => heading.querySelector("button").tabIndex === 0),
    overflow: document.documentElement.scrollWidth - document.documentElement.clientWidth,
    scrolls: table.parentElement.scrollWidth > table.parentElement.clientWidth,
  };
}"""


def with_gains(results: Results) -> Results:
    """Give MaxEnt's rows differences that text would sort otherwise; the first has none."""
    gains = iter([None, -0.1, 0.005, -0.02, 0.0045, 0.1, 0.02])
    cells = []
    for cell in results.orientations[0].cells:
        gain = next(gains) if cell.classifier == "maxent" else 0.0
        assert cell.difference is not None
        changed = None if gain is None else cell.difference.model_copy(update={"accuracy": gain})
        cells.append(cell.model_copy(update={"difference": changed}))
    return with_orientation(results, cells=cells)


@pytest.mark.usefixtures("no_figures")
@pytest.mark.parametrize("beside_paper", [False, True])
def test_page_in_a_browser(tmp_path: Path, beside_paper: bool) -> None:
    results = with_gains(example_results())
    write_report(results, tmp_path / "report.html", beside_paper=beside_paper)
    verdict = run_in_browser(tmp_path / "report.html", SORT, tmp_path)
    assert verdict["problems"] == []
    assert verdict["requests"] == []
    answer = verdict["answer"]
    assert (verdict["width"], answer["overflow"]) == (360, 0)
    assert answer["scrolls"], "a wide table scrolls in its own box"
    assert answer["reachable"], "headings can be reached with the keyboard"

    before, falling, rising, again, named, backwards = answer["seen"]
    nothing, *numbers = before["numbers"]
    assert nothing is None
    assert numbers == pytest.approx([-10, 0.5, -2, 0.45, 10, 2])
    assert len(before["groups"]) > 2
    assert falling["numbers"] == [*sorted(numbers, reverse=True), None]
    assert falling["groups"] == [7] + [0] * (len(before["groups"]) - 1)
    assert rising["numbers"] == [*sorted(numbers), None]
    assert again == before
    assert named["names"] == ["my_set&", "S1", "S3", "S4", "S6", "S7", "S15"]
    assert backwards["names"] == named["names"][::-1]
    column = answer["column"]
    states = [look["states"] for look in (falling, rising, named, backwards)]
    changed = [state[at] for state, at in zip(states, [column, column, 0, 0], strict=True)]
    assert changed == ["descending", "ascending", "ascending", "descending"]
    assert all(state.count("none") == len(state) - 1 for state in states)
