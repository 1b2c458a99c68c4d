"""The papers' tables from results made by hand, and their texts."""

import re
from typing import Any

import pytest

from tartib.experiments.classification.results import OrientationResults, Results
from tartib.experiments.classification.tables import tables_of
from tartib.experiments.report.table_formats import (
    best_marks,
    escape_latex,
    format_value,
    to_latex,
    to_markdown,
    write_latex,
    write_markdown,
)
from tartib.experiments.report.tables import Column, Table, Value, duration, size
from tests.support.classification_results import example_results


def with_orientation(**changes: Any) -> Results:
    """Return an experiment of one fold and one orientation, some of which is different."""
    results = example_results(folds=1)
    first = OrientationResults(**{**dict(results.orientations[0]), **changes})
    return results.model_copy(update={"orientations": [first]})


def by_key(results: Results, *, beside_paper: bool = False) -> dict[str, Table]:
    return {table.key: table for table in tables_of(results, beside_paper=beside_paper)}


def shown(table: Table, row: str, column: str, group: str = "") -> str:
    """Return what stands in the row that begins so, under the one column of that name."""
    places = [k for k, c in enumerate(table.columns) if (c.name, c.group) == (column, group)]
    rows = [cells for rows in table.groups for cells in rows if cells[0] == row]
    assert (len(places), len(rows)) == (1, 1)
    return format_value(table.columns[places[0]], rows[0][places[0]])


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.0004, "0 ms"),
        (0.035, "35 ms"),
        (0.0999, "0.10 s"),
        (0.35, "0.35 s"),
        (0.999, "1.0 s"),
        (3.46, "3.5 s"),
        (9.96, "10 s"),
        (12.3, "12 s"),
        (59.7, "1m00s"),
        (125, "2m05s"),
        (3599.4, "59m59s"),
        (3599.6, "1h00m"),
        (5160, "1h26m"),
        (100_000, "27h47m"),
    ],
)
def test_durations(seconds: float, text: str) -> None:
    assert duration(seconds) == text


@pytest.mark.parametrize(
    ("n_bytes", "text"),
    [
        (0, "0 KB"),
        (12_345, "12 KB"),
        (1_048_000, "1,023 KB"),
        (1_048_570, "1.0 MB"),
        (5_000_000, "4.8 MB"),
        (2**30 - 1, "1.0 GB"),
        (6_335_076_762, "5.9 GB"),
    ],
)
def test_sizes(n_bytes: float, text: str) -> None:
    assert size(n_bytes) == text


@pytest.mark.parametrize(
    ("digits", "value", "text"),
    [
        (1, "as it is", "as it is"),
        (1, Value(None, mark="*"), "–"),
        (0, Value(1234567), "1,234,567"),
        (1, Value(76.345, 0.21), "76.3 ± 0.2"),
        (2, Value(-1.5, mark="*"), "−1.50*"),
        (0, Value(5160, text="1h26m", mark="*"), "1h26m*"),
        (None, Value(0.25), "0.25"),
    ],
)
def test_what_a_cell_shows(digits: int | None, value: str | Value, text: str) -> None:
    assert format_value(Column("x", digits=digits), value) == text


def test_the_best_of_each_group() -> None:
    columns = [
        Column("name"),
        Column("high", digits=1, best="max"),
        Column("low", digits=None, best="min"),
        Column("any", digits=1),
    ]
    first: list[list[str | Value]] = [
        ["a", Value(70.11), Value(0.3), Value(1)],
        ["b", Value(70.14), Value(0.2), Value(2)],
        ["c", Value(None), "", Value(3)],
        ["d", Value(69.0), Value(0.21), Value(3)],
    ]
    alone: list[list[str | Value]] = [["e", Value(99.0), Value(0.1), Value(9)]]
    equal: list[list[str | Value]] = [
        [n, Value(5.01), Value(k), Value(1)] for k, n in enumerate("fg")
    ]
    table = Table("key", "Title", columns, [first, alone, equal])
    # 70.11 and 70.14 both show 70.1; one row alone, or rows that all show the same, have no best.
    assert best_marks(table) == {(0, 0, 1), (0, 1, 1), (0, 1, 2), (2, 0, 2)}


@pytest.mark.parametrize("folds", [1, 2])
@pytest.mark.parametrize("beside_paper", [False, True])
def test_all_tables_are_there_in_order(folds: int, beside_paper: bool) -> None:
    tables = tables_of(example_results(folds), beside_paper=beside_paper)
    kinds = [
        "findings",
        "classes",
        "table-4",
        "coverage",
        "table-5",
        "table-6",
        "mlr",
        "naive-bayes",
    ]
    kinds += ["mlr-table-2", "table-7"]
    assert [table.key for table in tables] == [
        "table-1",
        *(f"{kind}-{name}" for name in ("word-msd", "hier-mslr") for kind in kinds),
    ]
    for table in tables:
        assert all(len(row) == len(table.columns) for group in table.groups for row in group)
        has_paper = any(column.paper for column in table.columns)
        theirs = beside_paper and not re.search("mslr|coverage|findings|^mlr-word|bayes", table.key)
        assert has_paper == theirs, table.key
        assert has_paper == any("another corpus" in note for note in table.notes)


def test_corpus() -> None:
    table = by_key(example_results())["table-1"]
    assert shown(table, "running words", "ar") == "9,200"
    assert shown(table, "words per line", "en") == "10.5"
    assert shown(table, "vocabulary %", "ar") == "11.96"
    assert shown(table, "phrase pairs", "both") == "10,000"
    assert shown(table, "training sentences", "both") == "800 ± 1"
    assert "Sentence pairs left out: empty 3." in table.notes
    beside = by_key(example_results(), beside_paper=True)["table-1"]
    assert shown(beside, "words per line", "English", "SVM paper: MultiUN") == "25"
    assert shown(beside, "vocabulary %", "Arabic", "SVM paper: Ummah") == "2.33"


def test_classes() -> None:
    table = by_key(example_results(), beside_paper=True)["classes-word-msd"]
    assert shown(table, "other", "phrase pairs") == "1,800"
    assert shown(table, "other", "share %") == "18.0"
    assert shown(table, "other", "share %", "SVM paper") == "19.2"


def test_lexicalised_model() -> None:
    table = by_key(example_results(folds=1), beside_paper=True)["table-4-word-msd"]
    group = "predicted, % of all pairs"
    confusion = [
        float(shown(table, true, said, group))
        for true in ("mono", "swap", "other")
        for said in ("mono", "swap", "other")
    ]
    assert confusion == [68.0, 1.5, 2.5, 6.0, 3.5, 0.5, 11.0, 1.0, 6.0]
    assert shown(table, "mono", "accuracy %", "all classes") == "77.50"
    assert shown(table, "swap", "accuracy %", "all classes") == ""
    assert shown(table, "swap", "recall %") == "35.0"
    assert shown(table, "swap", "precision %") == "58.3"
    # The paper's columns have their names exchanged.
    assert shown(table, "swap", "recall %", "SVM paper") == "26.8"
    assert shown(table, "swap", "precision %", "SVM paper") == "63.5"
    assert shown(table, "other", "mono", f"SVM paper: {group}") == "14.2"
    assert shown(table, "mono", "accuracy %", "SVM paper") == "75.9"
    assert any("usually called recall" in note for note in table.notes)


def test_the_papers_figures_follow_the_names_of_the_classes() -> None:
    table = by_key(with_orientation(classes=["swap", "other", "mono"]), beside_paper=True)
    lexicalised, svm = table["table-4-word-msd"], table["table-6-word-msd"]
    group = "SVM paper: predicted, % of all pairs"
    assert shown(lexicalised, "swap", "mono", group) == "6.4"
    assert shown(lexicalised, "swap", "accuracy %", "SVM paper") == "75.9"
    assert shown(lexicalised, "mono", "F1 %", "SVM paper") == "85.9"
    assert shown(svm, "S6", "other", "SVM paper: recall %") == "47.4"


def test_coverage() -> None:
    table = by_key(example_results())["coverage-word-msd"]
    assert shown(table, "source phrase only", "share of the test pairs %") == "33.0"
    assert shown(table, "source phrase only", "accuracy %") == "75.00"


def test_classifiers_by_feature_set() -> None:
    table = by_key(example_results(folds=1))["table-6-word-msd"]
    names = [[row[0] for row in group] for group in table.groups]
    assert names == [["S1", "S3"], ["S4", "S6"], ["S7"], ["S15"], ["my_set&"]]
    expected = {
        "features": "27,600",
        "C": "0.1",
        "time": "39 s",
        "memory MB": "590",
        "accuracy %": "79.70",
        "Δ": "+2.20*",
        "macro-F1 %": "62.6",
        "log-loss": "0.5980",
        "calibrated": "0.5580",
    }
    assert {name: shown(table, "S6", name) for name in expected} == expected
    assert shown(table, "S6", "other", "recall %") == "45.6"
    assert shown(table, "S1", "Δ") == "+0.20"
    marked = {table.columns[c].name for g, row, c in best_marks(table) if (g, row) == (1, 1)}
    assert marked >= {"accuracy %", "macro-F1 %", "log-loss", "calibrated", "other"}
    assert "time" not in marked
    assert any("p < 0.05" in note for note in table.notes)


def test_folds_give_deviations() -> None:
    table = by_key(example_results(folds=2))["table-6-word-msd"]
    assert shown(table, "S6", "accuracy %") == "79.80 ± 0.14"
    assert shown(table, "S6", "time") == "41 s"
    assert "Mean ± standard deviation over 2 folds." in table.notes


def test_feature_sets_are_sorted_by_number() -> None:
    cell = example_results(folds=1).orientations[0].cells[0]
    names = ["S12", "S16", "S2", "S10", "mine", "S11", "S1"]
    cells = [cell.model_copy(update={"features": name}) for name in names]
    table = by_key(with_orientation(cells=cells, best=0))["table-5-word-msd"]
    found = [[row[0] for row in group] for group in table.groups]
    assert found == [["S1", "S2"], ["S10", "S11", "S12"], ["S16", "mine"]]


def test_values_chosen_and_differences() -> None:
    cell = example_results(folds=2).orientations[0].cells[0]
    assert cell.difference is not None
    runs = [
        run.model_copy(update={"value": v}) for run, v in zip(cell.runs, (1.0, 0.01), strict=True)
    ]
    worse = cell.difference.model_copy(update={"accuracy": -0.0123, "p_value": 0.0249})
    nothing = cell.difference.model_copy(update={"accuracy": -0.00001, "p_value": 0.05})
    cells = [
        cell.model_copy(update={"features": "a", "runs": runs, "difference": worse}),
        cell.model_copy(update={"features": "b", "parameter": "", "difference": None}),
        cell.model_copy(update={"features": "c", "difference": nothing}),
    ]
    table = by_key(with_orientation(cells=cells, best=0))["table-5-word-msd"]
    assert [shown(table, name, "sigma") for name in "abc"] == ["0.01, 1", "–", "0.1"]
    assert [shown(table, name, "Δ") for name in "abc"] == ["−1.23*", "–", "+0.00"]


def test_classifiers_beside_the_paper() -> None:
    table = by_key(example_results(), beside_paper=True)["table-6-word-msd"]
    assert shown(table, "S6", "time", "SVM paper") == "2h07m"
    assert shown(table, "S6", "accuracy %", "SVM paper") == "82.5"
    assert shown(table, "S6", "mono", "SVM paper: recall %") == "95.1"
    assert shown(table, "S6", "mono", "SVM paper: precision %") == "85.2"
    assert shown(table, "S6", "mono", "SVM paper: F1 %") == "89.9"
    assert shown(table, "my_set&", "accuracy %", "SVM paper") == "–"
    # Ours and theirs are sorted by the same unit.
    places = [k for k, column in enumerate(table.columns) if column.name == "time"]
    ours, theirs = (table.groups[1][1][k] for k in places)
    assert isinstance(ours, Value)
    assert isinstance(theirs, Value)
    assert ours.number == pytest.approx(41, abs=0.5)
    assert theirs.number == 127 * 60


def test_regressions() -> None:
    table = by_key(example_results(folds=1), beside_paper=True)["mlr-table-2-word-msd"]
    assert "S7" in table.title
    primal, dual = "primal MLR", "dual MLR, EG, ε = 0.1"
    assert shown(table, primal, "error rate %") == "19.50"
    assert shown(table, dual, "epochs") == "8"
    assert shown(table, dual, "active after 3 epochs %") == "16.0"
    assert shown(table, primal, "active after 3 epochs %") == "–"
    assert shown(table, primal, "time", "MLR paper") == "1h09m"
    assert shown(table, "dual MLR, EG, ε = 1", "error rate %", "MLR paper") == "21.13"


def test_a_regression_that_stops_early_and_one_the_paper_has_not() -> None:
    regression = example_results(folds=1).orientations[0].regressions[1]
    run = regression.cell.runs[0]
    short = run.model_copy(update={"trace": run.trace[:2]})
    cell = regression.cell.model_copy(update={"runs": [short]})
    changed = regression.model_copy(update={"epsilon": 0.5, "cell": cell})
    tables = by_key(with_orientation(regressions=[changed]), beside_paper=True)
    table = tables["mlr-table-2-word-msd"]
    assert shown(table, "dual MLR, EG, ε = 0.5", "epochs") == "2"
    assert shown(table, "dual MLR, EG, ε = 0.5", "active after 3 epochs %") == "–"
    assert shown(table, "dual MLR, EG, ε = 0.5", "time", "MLR paper") == "–"
    assert "mlr-table-2-word-msd" not in by_key(with_orientation(regressions=[]))


def test_sizes_of_models() -> None:
    table = by_key(example_results(folds=1), beside_paper=True)["table-7-word-msd"]
    assert [len(group) for group in table.groups] == [1, 7, 7, 1, 1]
    assert shown(table, "lexicalised", "parameters") == "3,600"
    assert shown(table, "lexicalised", "features") == "–"
    assert shown(table, "lexicalised", "on disk") == "176 KB"
    assert shown(table, "lexicalised", "compact") == "88 KB"
    assert shown(table, "lexicalised", "parameters", "SVM paper") == "73.2 M"
    svm = {row[1]: row for row in table.groups[2]}
    assert [format_value(Column(""), cell) for cell in svm["S6"][-2:]] == ["17.1 M", "0.7 GB"]
    assert [format_value(Column(""), cell) for cell in svm["S1"][-2:]] == ["–", "–"]


def test_a_forward_model_has_keys_of_its_own() -> None:
    keys = by_key(with_orientation(direction="forward"))
    assert "table-6-word-msd-forward" in keys
    assert "forward" in keys["table-6-word-msd-forward"].title


def cells_of(line: str) -> list[str]:
    return [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]


def test_markdown() -> None:
    columns = [Column("set|name"), Column("a", "F1 %", 1, "max"), Column("b", "F1 %", 1)]
    rows: list[list[str | Value]] = [["x_1", Value(50.0), "<b>"], ["y", Value(60, mark="*"), ""]]
    more: list[list[str | Value]] = [["z", Value(None), Value(1)]]
    text = to_markdown(Table("key", "A *title*", columns, [rows, more], ["A note."]))
    assert text == (
        "### A \\*title\\*\n\n"
        "| set\\|name |    F1 %: a | F1 %: b |\n"
        "| --------- | ---------: | ------: |\n"
        "| x\\_1      |       50.0 |    \\<b> |\n"
        "| y         | **60.0\\*** |         |\n"
        "|           |            |         |\n"
        "| z         |          – |     1.0 |\n"
        "\nA note.\n"
    )


def test_the_markdown_file() -> None:
    results = example_results()
    tables = tables_of(results, beside_paper=True)
    text = write_markdown(tables, results)
    assert text.startswith("# Arabic–English, 1\\_000 sentences & more\n")
    assert f"`{results.signature}`" in text
    sections = re.split(r"^### ", text, flags=re.MULTILINE)[1:]
    assert len(sections) == len(tables)
    for table, section in zip(tables, sections, strict=True):
        lines = [cells_of(line) for line in section.splitlines() if line.startswith("|")]
        assert {len(cells) for cells in lines} == {len(table.columns)}
        rows = sum(map(len, table.groups)) + len(table.groups) - 1
        assert len(lines) == rows + 2
        assert section.count("**") == 2 * len(best_marks(table))


def bare(latex: str) -> str:
    """Take out escaped signs, so that what is left has a meaning to LaTeX."""
    return re.sub(r"\\[{}&%$#_]", "", latex)


def check_latex(latex: str) -> None:
    """Check braces, mathematics, environments and signs that must be escaped."""
    plain = re.sub(r"%.*", "", bare(latex))
    depth = 0
    for sign in plain:
        depth += (sign == "{") - (sign == "}")
        assert depth >= 0
    assert depth == 0
    assert plain.count("$") % 2 == 0
    assert not re.search(r"[#_^~|\"<>]", plain)
    assert plain.isascii()
    open_now: list[str] = []
    for kind, name in re.findall(r"\\(begin|end)\{(\w+)\}", plain):
        if kind == "begin":
            open_now.append(name)
        else:
            assert open_now.pop() == name
    assert not open_now


def columns_used(row: str) -> int:
    """Count the columns that a row of a tabular fills."""
    spans = re.findall(r"\\multicolumn\{(\d+)\}", row)
    return bare(row).count("&") + 1 + sum(int(width) - 1 for width in spans)


@pytest.mark.parametrize("beside_paper", [False, True])
def test_latex_has_the_right_structure(beside_paper: bool) -> None:
    for table in tables_of(example_results(), beside_paper=beside_paper):
        latex = to_latex(table)
        check_latex(latex)
        width = len(table.columns)
        found = re.search(r"\\begin\{tabular\}\{([lr]+)\}\n(.*)\\end\{tabular\}", latex, re.DOTALL)
        assert found is not None
        assert len(found[1]) == width
        rows = re.findall(r"^(.*) \\\\$", found[2], re.MULTILINE)
        headings = 1 + any(column.group for column in table.columns)
        assert len(rows) == headings + sum(map(len, table.groups))
        assert {columns_used(row) for row in rows} == {width}
        assert found[2].count(r"\midrule") == len(table.groups)
        assert latex.count(r"\textbf{") == len(best_marks(table))
        assert rf"\label{{tab:{table.key}}}" in latex
        assert (r"\resizebox" in latex) == (width > 8)
        for first, last in re.findall(r"\\cmidrule\(lr\)\{(\d+)-(\d+)\}", latex):
            assert 1 <= int(first) <= int(last) <= width


def test_latex_headings_above_several_columns() -> None:
    columns = [
        Column("name"),
        Column("a", "F1 %", 1),
        Column("b", "F1 %", 1),
        Column("c", digits=0),
    ]
    rows: list[list[str | Value]] = [["[x]*", Value(1), Value(2), Value(3)]]
    latex = to_latex(Table("key", "50 % & more", columns, [rows], ["First.", "Second_1."]))
    assert " & \\multicolumn{2}{c}{F1 \\%} &  \\\\\n\\cmidrule(lr){2-3}\n" in latex
    # Behind a row's end a bracket or a star would be taken as its argument.
    assert "\\midrule\n{[}x]{*} & 1.0 & 2.0 & 3 \\\\\n" in latex
    assert r"\caption{50 \% \& more}" in latex
    assert "First.\n\\par\nSecond\\_1.\n" in latex


def test_the_latex_file() -> None:
    results = example_results()
    tables = tables_of(results, beside_paper=True)
    changed = results.model_copy(update={"title": "two\nlines"})
    text = write_latex(tables, changed)
    head = text.split("\n\n", 1)[0].splitlines()
    assert all(line.startswith("% ") for line in head)
    assert head[:2] == ["% two lines", f"% {results.signature}"]
    check_latex(text)
    labels = re.findall(r"\\label\{(.*?)\}", text)
    assert labels == [f"tab:{table.key}" for table in tables]
    # LaTeX refuses too many floats without a page between them.
    assert max(part.count(r"\begin{table}") for part in text.split(r"\clearpage")) <= 10


@pytest.mark.parametrize(
    ("text", "latex"),
    [
        (r"a\b{c}", r"a\textbackslash{}b\{c\}"),
        ("50 % & #1 $x_i^2$ ~", r"50 \% \& \#1 \$x\_i\textasciicircum{}2\$ \textasciitilde{}"),
        ('<a|"b">', r"\textless{}a\textbar{}''b''\textgreater{}"),
        ("1 ± 2 − Δ ε", r"1 $\pm$ 2 $-$ $\Delta$ $\epsilon$"),
        ("S1–S3\n", "S1--S3 "),
        ("Zoë", "Zoë"),
        ("رب þ", "(U+0631)(U+0628) (U+00FE)"),
    ],
)
def test_escaping_for_latex(text: str, latex: str) -> None:
    assert escape_latex(text) == latex
