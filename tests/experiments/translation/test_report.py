"""Tables, findings, drawings and the page of a translation experiment."""

import re
from itertools import pairwise
from pathlib import Path

import pytest

from tartib.experiments.report.figures import write_panels
from tartib.experiments.report.table_formats import to_markdown
from tartib.experiments.translation.examples import moved_sentences
from tartib.experiments.translation.figures import figures_of
from tartib.experiments.translation.findings import findings_of
from tartib.experiments.translation.report import chapter_of, sentences, write_report
from tartib.experiments.translation.results import MovedSentence
from tartib.experiments.translation.ribbon_pictures import draw_sentence, drawings_of
from tartib.experiments.translation.tables import tables_of
from tests.support.browser import run_in_browser
from tests.support.translation_results import (
    GAINS,
    example_move,
    example_sentence,
    example_system,
    example_translation,
)


def table(key: str, **options: object) -> list[list[str]]:
    """Return the cells of a table, headings first."""
    found = {made.key: made for made in tables_of(example_translation(**options))}  # type: ignore[arg-type]
    lines = [line for line in to_markdown(found[key]).splitlines() if line.startswith("|")]
    rows = [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines]
    return [rows[0], *rows[2:]]


def test_table_8_has_ours_beside_theirs() -> None:
    head, *rows = table("table-8")
    assert [row[0] for row in rows][:3] == [
        "no reordering model",
        "lexicalised",
        "lexicalised + sparse",
    ]
    assert len(rows) == 7
    svm = dict(zip(head, rows[3], strict=True))
    assert svm["system"] == "SVM S6 + sparse"
    assert (svm["BLEU: score"], svm["BLEU: Δ"]) == ("**39.10 ± 0.20**", r"+1.10\*")
    assert rows[3][5:] == ["9.6", "+0.2", "38.1", "+1.0", "10.4", "+0.3", "44.4", "+1.5"]
    assert rows[0][4] == r"−0.80\*"
    assert rows[2][4] == "+0.20"  # not significant
    assert rows[1][4] == "–"


def test_weights_that_tuning_did_not_better_are_told() -> None:
    results = example_translation(("none", "lexicalised"))
    notes = {made.key: " ".join(made.notes) for made in tables_of(results)}["tuning"]
    assert "nothing better" not in notes
    results.systems[0].runs[1] = results.systems[0].runs[1].model_copy(update={"chosen": 1})
    notes = {made.key: " ".join(made.notes) for made in tables_of(results)}["tuning"]
    assert "found nothing better than the initial weights: no reordering" in notes


def test_table_3_and_tables_of_what_is_there() -> None:
    _, *rows = table("mlr-table-3")
    assert [row[0] for row in rows] == ["lexicalised", "primal MLR S7", "dual MLR S7"]
    assert rows[2][3:] == ["31.36", "+0.50", "34.87", "+0.65"]
    few = example_translation(("lexicalised", "mlr:S7"), runs=1)
    keys = [made.key for made in tables_of(few)]
    assert "table-8" not in keys
    assert "mlr-table-3" in keys
    assert table("scores", systems=("lexicalised", "mlr:S7"), runs=1)[2][1] == "**38.70**"


def test_classifier_beside_the_lexicalised_model_is_in_its_row() -> None:
    found = example_translation(("lexicalised", "svm:S6+sparse"))
    both = found.systems[1].model_copy(
        update={"name": "lexicalised+svm:S6+sparse", "title": "both", "row": "svm:S6+sparse"}
    )
    found = found.model_copy(update={"systems": [*found.systems, both]})
    (made,) = [made for made in tables_of(found) if made.key == "table-8"]
    assert [row[0] for row in made.groups[0]] == ["lexicalised", "SVM S6 + sparse", "both"]


def test_findings_say_what_the_figures_say() -> None:
    found = {finding.claim: finding for finding in findings_of(example_translation())}
    held = {claim: finding.holds for claim, finding in found.items()}
    assert list(held.values()) == [True, None, None, None, None, None, True]
    better = found["classifiers with sparse features are better than the lexicalised model"]
    assert better.ours == "2 of 4 systems; the best: SVM S6 + sparse +1.10 (+0.50 to +1.70)"
    alone = example_translation(("lexicalised", "primal-mlr:S7", "mlr:S7"))
    assert findings_of(alone)[0].holds is True, "p = 0.02 and 0.03 are enough for two comparisons"
    few = findings_of(example_translation(("lexicalised", "none")))
    assert [finding.holds for finding in few] == [True, True]
    said = " ".join(sentences(example_translation()))
    assert "SVM S6 + sparse has the highest BLEU, 39.10, 1.10 above" in said
    assert "hardly chance" in said
    assert "2 of 8 systems (p-values adjusted for their number)" in said
    worse = " ".join(sentences(example_translation(("lexicalised", "none"))))
    assert "has the highest BLEU of the others, 37.20, 0.80 below the lexicalised model" in worse
    assert "0 of 1 system (" in worse


@pytest.mark.parametrize("place", [0, 9])
def test_findings_prefer_the_papers_own_systems(place: int) -> None:
    """A system with the lexicalised model besides stands for the same row, wherever it is."""
    results = example_translation()
    before = findings_of(results)
    results.systems.insert(place, example_system("lexicalised+svm:S6+sparse", 3, 5.0, 0.001))
    after = {finding.claim: finding.ours for finding in findings_of(results)}
    alike = [finding for finding in before if "similar" in finding.claim]
    assert len(alike) == 2
    assert all(after[finding.claim] == finding.ours for finding in alike)


def test_each_test_set_has_its_tables() -> None:
    systems = ("lexicalised", "mlr:S7")
    found = example_translation(systems, tests=("near", "far"))
    keys = [made.key for made in tables_of(found)]
    assert keys[:2] == ["texts", "tests"]
    for name in ("near", "far"):
        assert {f"findings-{name}", f"mlr-table-3-{name}", f"scores-{name}"} < set(keys)
    head, *rows = table("tests", systems=systems, tests=("near", "far"))
    assert head == ["system", "near: score", "near: Δ", "far: score", "far: Δ"]
    # Two comparisons with p = 0.03: neither is significant.
    assert rows[1] == ["dual MLR S7", *["**38.70 ± 0.20**", "+0.70"] * 2]
    chapter = chapter_of(found)
    assert [section.key for section in chapter.sections] == ["translation-near", "translation-far"]
    assert [bool(s.sentences) for s in chapter.sections] == [True, True]
    held = [[block.key for block in section.blocks] for section in chapter.sections]
    assert "tuning" in held[0]
    assert "tuning" not in held[1]


def test_primary_comparison_counts_by_itself() -> None:
    systems = ("lexicalised", "primal-mlr:S7", "mlr:S7")
    found = example_translation(systems, tests=("near", "far"), primary="mlr:S7")
    p_values = {
        (system.name, test): difference["BLEU"].adjusted
        for system in found.systems
        for test, difference in system.differences.items()
    }
    assert p_values["mlr:S7", "near"] == GAINS["mlr:S7"][1] == 0.03
    # Holm: 0.02 three times and twice, 0.03 once but not below those before it.
    assert p_values["primal-mlr:S7", "near"] == pytest.approx(0.06)
    assert p_values["mlr:S7", "far"] == pytest.approx(0.06)
    first, second = chapter_of(found).sections
    assert "named beforehand: BLEU of dual MLR S7 is 38.70, 0.70 above" in first.sentences[0]
    assert "p = 0.030" in first.sentences[0]
    assert not any("beforehand" in sentence for sentence in second.sentences)
    notes = {made.key: " ".join(made.notes) for made in tables_of(found)}["scores-far"]
    assert "beforehand is BLEU of dual MLR S7 on near: its p-value stays as it is" in notes


def test_papers_are_compared_with_the_lexicalised_model_only() -> None:
    found = example_translation(("lexicalised", "mlr:S7"))
    base = {"baseline": "mlr:S7", "systems": found.systems[::-1]}
    base["systems"] = [
        found.systems[0].model_copy(update={"differences": found.systems[1].differences}),
        found.systems[1].model_copy(update={"differences": {}}),
    ]
    other = found.model_copy(update=base)
    keys = {made.key for made in tables_of(other)}
    assert "scores" in keys
    assert not keys & {"findings", "table-8", "mlr-table-3"}
    notes = {made.key: " ".join(made.notes) for made in tables_of(other)}["scores"]
    assert "difference from dual MLR S7 (the baseline)" in notes


def test_figures_are_drawn(tmp_path: Path) -> None:
    paths = write_panels(figures_of(example_translation()), tmp_path)
    assert [path.name for path in paths] == ["bleu.pdf", "bleu.svg", "tuning.pdf", "tuning.svg"]
    text = (tmp_path / "tuning.svg").read_text()
    assert all(f">{s.title}</text>" in text for s in example_translation().systems)


def test_drawing_shows_who_moved_where() -> None:
    first, second = drawings_of(example_sentence())
    assert [band.kind for band in first.bands] == ["mono"] * 4
    assert [band.kind for band in second.bands] == ["other", "swap", "other", "swap", "mono"]
    assert [word.x for word in first.source] == [word.x for word in second.source]
    for drawing in (first, second):
        # In the order in which they are read, from left to right, none over another.
        for row in (drawing.source, drawing.target):
            assert [word.x for word in row] == sorted(word.x for word in row)
        boxes = [band.target for band in drawing.bands]
        assert all(a[1] < b[0] for a, b in pairwise(boxes))
        assert max(box[1] for box in boxes) <= drawing.width
    crossing = [band.source for band in second.bands]
    assert crossing[0][0] > crossing[1][1]  # الولد comes first
    assert [word.right_to_left for word in second.source] == [True] * 4 + [False]
    assert not any(word.right_to_left for word in second.target)


def test_drawing_of_a_phrase_without_words() -> None:
    sentence = example_sentence()
    moves = [example_move(0, 1, ""), example_move(1, 4, "boy"), example_move(4, 5, "")]
    output = sentence.outputs[0].model_copy(update={"moves": moves})
    (drawing,) = drawings_of(sentence.model_copy(update={"outputs": [output]}))
    assert [end - begin for begin, end in (band.target for band in drawing.bands)][::2] == [0, 0]
    nothing = sentence.outputs[0].model_copy(update={"moves": [example_move(0, 5, "")]})
    (drawing,) = drawings_of(sentence.model_copy(update={"outputs": [nothing]}))
    assert drawing.target == []


def test_words_are_escaped() -> None:
    html = str(draw_sentence(example_sentence()))
    assert "<الكتاب>" not in html
    assert "&lt;book&gt;" in html
    assert html.count('direction="rtl"') == 8  # a word is set by itself, once a system
    assert html.count("<svg") == html.count("</svg>") == 2


def moved(count: int) -> list[MovedSentence]:
    source = ["a b c d e .", "a b .", "f g h i j ."]
    references = [["A B C D E .", "A B .", "F G H I J ."]]
    mono = [[i, i + 1, 1, "mono", "mono"] for i in range(6)]
    turned = [
        [4, 5, 1, "dright", "dright"],
        *([i, i + 1, 1, "swap", "dleft"] for i in (3, 2, 1, 0)),
        [5, 6, 1, "dright", "mono"],
    ]
    right = {"lines": references[0], "steps": [mono, mono[:3], mono]}
    wrong = {"lines": ["E D C B A .", "A B .", "F G H I J ."], "steps": [turned, mono[:3], mono]}
    return moved_sentences(
        source,
        references,
        {"lexicalised": right, "same": right, "other": wrong},
        baseline="lexicalised",
        from_block=True,
        count=count,
    )


def test_sentences_are_those_whose_order_differs() -> None:
    (found,) = moved(5)  # the others are the same in all systems
    assert (found.line, found.source) == (1, ["a", "b", "c", "d", "e", "."])
    assert [output.systems for output in found.outputs] == [["lexicalised", "same"], ["other"]]
    assert found.outputs[0].bleu == pytest.approx(100)
    assert found.outputs[1].bleu < 50
    assert [move.orientation for move in found.outputs[1].moves][:2] == ["dright", "dleft"]
    assert found.outputs[1].moves[0].words == ["E"]
    assert moved(0) == []


LOOK = """() => {
  const words = [...document.querySelectorAll("svg.moves text")].map((word) => {
    const box = word.getBoundingClientRect();
    return [word.textContent, box.left, box.right, box.top];
  });
  return {
    overflow: document.documentElement.scrollWidth - document.documentElement.clientWidth,
    words: words,
  };
}"""


@pytest.mark.usefixtures("no_figures")
def test_page_in_a_browser(tmp_path: Path) -> None:
    write_report(example_translation(), tmp_path / "report.html")
    verdict = run_in_browser(tmp_path / "report.html", LOOK, tmp_path)
    assert (verdict["problems"], verdict["requests"]) == ([], [])
    assert verdict["answer"]["overflow"] == 0
    rows: dict[float, list[tuple[float, float]]] = {}
    for _, left, right, top in verdict["answer"]["words"]:
        rows.setdefault(round(top / 40), []).append((left, right))
    for row in rows.values():
        row.sort()
        assert all(a[1] <= b[0] + 1 for a, b in pairwise(row)), "words overlap"


def test_page_is_whole(tmp_path: Path) -> None:
    write_report(example_translation(), tmp_path / "report.html")
    text = (tmp_path / "report.html").read_text(encoding="utf-8")
    headings = re.findall(r"<h3>(.*?)</h3>", text)
    assert headings[:7] == [
        "The papers&#39; findings",
        "BLEU and NIST",
        "All scores",
        "Word order",
        "Which phrases moved where",
        "Size",
        "Tuning",
    ]
    assert "20m34s" in text
    assert "each tuned 3 times" in text


@pytest.mark.usefixtures("no_figures")
@pytest.mark.parametrize(("orientation", "blocks"), [("hier-msd", True), ("phrase-mslr", False)])
def test_drawings_say_what_the_one_before_is(
    tmp_path: Path, orientation: str, blocks: bool
) -> None:
    results = example_translation().model_copy(update={"orientation": orientation})
    write_report(results, tmp_path / "report.html")
    text = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert ("The previous one is a block here" in text) == blocks
