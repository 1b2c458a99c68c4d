"""The system as a folder that can be moved, copied and given away, and as a zip file of it."""

from __future__ import annotations

import shutil
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tartib import storage
from tartib.build.choice import Choice
from tartib.build.plan import BuildPlan
from tartib.build.readme import readme_of
from tartib.build.results import BuildResults
from tartib.decoder import System
from tartib.errors import OptionError
from tartib.experiments.run.stages import Stage
from tartib.experiments.run.workspace import Workspace
from tartib.experiments.translation.stages import feature_name
from tartib.storage.manifest import made_by
from tartib.translator.seen import SEEN, write_seen

FORMAT, VERSION = "tartib system", 1
SYSTEM, SCORES, README, REPORT = "system.toml", "scores.json", "README.md", "report.html"
_ZIP_TIME = (1980, 1, 1, 0, 0, 0)  # the earliest: the same files give the same zip


@dataclass(frozen=True)
class Package:
    """Everything that the folder is made of."""

    plan: BuildPlan
    choice: Choice
    workspace: Workspace
    results: BuildResults
    stages: Sequence[Stage]

    def write(self, out: Path, *, overwrite: bool = False) -> None:
        """Write the folder; it appears when it is complete."""
        from tartib.build.report import write_report

        with (
            made_by(()),  # a command line has names of folders that are nobody's business
            storage.new_folder(out, FORMAT, overwrite=overwrite) as aside,
        ):
            self._copy_parts(aside)
            with (self.plan.folder / "train.source").open(encoding="utf-8") as lines:
                write_seen(aside / SEEN, lines)
            self._system(aside).write(aside / SYSTEM)
            storage.write_json(aside / SCORES, self.results.model_dump(mode="json"))
            storage.write_bytes(aside / README, readme_of(self.results, out.name).encode())
            write_report(
                self.plan, self.choice, self.workspace, self.results, self.stages, aside / REPORT
            )
            storage.write_json(aside / "meta.json", {"format": FORMAT, "version": VERSION})

    @property
    def _models(self) -> dict[str, Path]:
        """The folders of the reordering models by the names of their features."""
        models = self.plan.assembly(self.choice.system).models
        return {feature_name(model): model.folder(self.workspace) for model in models}

    def _copy_parts(self, aside: Path) -> None:
        parts = {
            "phrase-table": self.plan.table.folder(self.workspace),
            "lm": self.plan.lm.folder(self.workspace),
            "text": self.plan.folder / "text",
        }
        parts |= {f"reordering/{name}": folder for name, folder in self._models.items()}
        for name, folder in parts.items():
            shutil.copytree(folder, aside / name)

    def _system(self, aside: Path) -> System:
        """Return the system with paths inside of its folder."""
        final = self.plan.final("test", self.choice)
        used = self.plan.assembly(self.choice.system).used
        sections = tuple(one.section(Path("reordering", feature_name(one.model))) for one in used)
        parts = {
            "phrase_table": Path("phrase-table"),
            "lm": Path("lm"),
            "text": Path("text"),
            "reordering": sections,
            "folder": aside,
            "file": None,
        }
        return final.system(self.workspace).model_copy(update=parts)


def read_scores(folder: Path) -> dict[str, Any]:
    """Return what is in a system's ``scores.json``; nothing if there is no such system."""
    path = folder / SCORES
    return storage.read_json(path) if path.is_file() else {}


def check_pack(path: Path, *, overwrite: bool) -> None:
    """Refuse the name of a zip file, before there is anything to write."""
    if path.suffix != ".zip":
        raise OptionError(f"a packed system is a .zip file: {path}")
    storage.check_file(path, overwrite=overwrite)


def pack(folder: Path, path: Path) -> Path:
    """Write a zip file of a system; unpacked it is a folder of the same name.

    Parameters
    ----------
    folder
        The system.
    path
        The file, which is replaced.
    """
    with (
        storage.new_files(path, overwrite=True) as (aside,),
        zipfile.ZipFile(aside, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive,
    ):
        for file in sorted(file for file in folder.rglob("*") if file.is_file()):
            name = f"{folder.name}/{file.relative_to(folder).as_posix()}"
            entry = zipfile.ZipInfo(name, _ZIP_TIME)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            with file.open("rb") as given, archive.open(entry, "w", force_zip64=True) as out:
                shutil.copyfileobj(given, out, 1 << 20)
    return path
