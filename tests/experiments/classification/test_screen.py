"""The live table of a classification experiment."""

import io
from pathlib import Path

from rich.console import Console

from tartib.experiments import ClassificationOptions, Results
from tartib.experiments.classification.plan import Plan
from tartib.experiments.classification.screen import Screen
from tartib.experiments.run.corpus import Corpus
from tartib.experiments.run.workspace import Workspace


def test_live_table_fills_as_models_are_trained(
    options: ClassificationOptions, finished: Path, results: Results, tmp_path: Path
) -> None:
    plan = Plan(options, Corpus.of(options))
    console = Console(record=True, width=120, file=io.StringIO())
    screen = Screen(plan, Workspace(tmp_path))
    screen.begin("S4: svm, word-msd")
    console.print(screen)
    shown = console.export_text(clear=True)
    assert "0 of 26 models" in shown
    assert "S4: svm, word-msd (0 s)" in shown.splitlines()[1]
    assert shown.count("·") == 10  # eight cells and two lexicalised models
    console.print(Screen(plan, Workspace(finished)))  # what an earlier run found is there
    shown = console.export_text()
    assert "·" not in shown
    assert "26 of 26 models" in shown
    for found in results.orientations:
        for cell in (found.lexicalised, *found.cells):
            assert f"{100 * cell.runs[0].scores.accuracy:.2f}" in shown
