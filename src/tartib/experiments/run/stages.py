"""Stages: the steps of an experiment, each named by a hash of all that its result depends on.

A stage is a frozen dataclass that holds its options and, nested, the stages that it builds on. A
new kind of stage is a subclass of `Stage` with a title and a `run`.
"""

from __future__ import annotations

import hashlib
import json
from abc import ABC, abstractmethod
from dataclasses import dataclass, field, fields, is_dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any, ClassVar

from tartib.experiments.run.workspace import Workspace

# Raise it when a stage computes something else than before from the same fields.
STAGES_VERSION = 4

# Metadata of a field that is in the stage's own key, but not in those of stages that build on it.
OWN = {"keys": "own"}

# Metadata of a field that is in no key, such as the path of a file.
UNKEYED = {"keys": "none"}


class Stage(ABC):
    """One step of an experiment, run in a process of its own.

    Attributes
    ----------
    leaves_folder
        Whether it leaves a folder in the workspace that stages building on it read.
    """

    leaves_folder: ClassVar[bool] = False

    @property
    @abstractmethod
    def title(self) -> str:
        """What it does, in words."""

    @abstractmethod
    def run(self, workspace: Workspace, n_jobs: int) -> None:
        """Do the work, and write what was found to the workspace; ``n_jobs`` are threads."""

    @property
    def key(self) -> str:
        """The name of what this stage finds: its kind, and a hash of its fields."""
        return f"{type(self).__name__.lower()}-{digest(_plain(self, own=True))}"

    def folder(self, workspace: Workspace) -> Path:
        """Return the folder that it leaves."""
        return workspace.work / self.key

    def is_finished(self, workspace: Workspace) -> bool:
        """Whether it was run to its end; the folder that it left may be gone."""
        return workspace.read(self.key) is not None

    def is_ready(self, workspace: Workspace) -> bool:
        """Whether stages that build on it can be run."""
        there = not self.leaves_folder or workspace.is_intact(self.key)
        return there and self.is_finished(workspace)


@dataclass(frozen=True)
class TextFile:
    """A file that a stage reads: what is in it counts, and not where it is."""

    digest: str
    path: Path = field(metadata=UNKEYED, compare=False)

    @classmethod
    def of(cls, path: Path) -> TextFile:
        """Hash the content of a file."""
        with path.open("rb") as file:
            found = hashlib.file_digest(file, lambda: hashlib.blake2b(digest_size=16))
        return cls(found.hexdigest(), path)


def digest(value: object) -> str:
    """Return a short hash of plain data, and of the version that works on it."""
    text = json.dumps([STAGES_VERSION, version("tartib"), value], sort_keys=True)
    return hashlib.blake2b(text.encode(), digest_size=10).hexdigest()


def _plain(value: Any, *, own: bool = False) -> Any:  # noqa: ANN401
    """Return a stage as plain data; of nested stages without their own fields."""
    if isinstance(value, tuple):
        return [_plain(part) for part in value]
    if not is_dataclass(value):
        return value
    left_out = {"none"} if own else {"none", "own"}
    kept = [part.name for part in fields(value) if part.metadata.get("keys") not in left_out]
    return {name: _plain(getattr(value, name)) for name in kept}
