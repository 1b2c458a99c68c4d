"""The files of an experiment that people read, each complete or absent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from tartib.experiments.report.figures import Panel, write_panels
from tartib.experiments.report.table_formats import write_latex, write_markdown
from tartib.experiments.report.tables import Table
from tartib.experiments.run.results import ExperimentResults
from tartib.storage import new_files, replaced_folder


def write_outputs(
    folder: Path,
    results: ExperimentResults,
    tables: Sequence[Table],
    figures: Mapping[str, Sequence[Panel]],
) -> None:
    """Write ``results.json``, ``tables.md``, ``tables.tex`` and the folder ``figures``."""
    texts = {
        "results.json": results.model_dump_json(indent=1) + "\n",
        "tables.md": write_markdown(tables, results),
        "tables.tex": write_latex(tables, results),
    }
    for name, text in texts.items():
        with new_files(folder / name, overwrite=True) as (aside,):
            aside.write_text(text, encoding="utf-8")
    with replaced_folder(folder / "figures") as aside:
        write_panels(figures, aside)
