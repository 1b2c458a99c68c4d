"""The live table of a translation experiment."""

import io
from pathlib import Path

from rich.console import Console

from tartib.experiments import TranslationOptions, TranslationResults
from tartib.experiments.run.workspace import Workspace
from tartib.experiments.translation.plan import TranslationPlan
from tartib.experiments.translation.screen import SystemsScreen


def test_live_table_fills_as_systems_are_tuned(
    options: TranslationOptions, finished: Path, results: TranslationResults, tmp_path: Path
) -> None:
    plan = TranslationPlan.of(options)
    console = Console(record=True, width=100, file=io.StringIO())
    screen = SystemsScreen(plan, Workspace(tmp_path))
    screen.begin("phrase table")
    console.print(screen)
    shown = console.export_text(clear=True)
    assert shown.splitlines()[1:3] == ["phrase table (0 s)", "0 of 2 tunings, 0 s"]
    assert shown.count("·") == 2
    console.print(SystemsScreen(plan, Workspace(finished)))
    shown = console.export_text()
    for system in results.systems:
        assert f"{system.runs[0].dev_bleu:.2f}" in shown
    assert "2 of 2 tunings" in shown
