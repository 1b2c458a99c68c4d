"""The alignment of the test set with its first reference, which gives the right word order."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from tartib.alignment import align
from tartib.bitext import Bitext, ReadOptions
from tartib.evaluation import source_orders
from tartib.experiments.run.corpus import Corpus
from tartib.experiments.run.stages import UNKEYED, Stage, TextFile
from tartib.experiments.run.workspace import Workspace
from tartib.textio import read_lines


def _title(name: str) -> str:
    return f"alignment of {name}" if name else "alignment of the test set"


@dataclass(frozen=True)
class AlignedTest(Stage):
    """An automatic alignment, made from the training text and the test set together.

    ``name`` is that of the test set, if there are several.
    """

    name: str = field(metadata=UNKEYED, compare=False)
    corpus: Corpus
    source: TextFile
    reference: TextFile
    aligner: str

    @property
    def title(self) -> str:
        """What it is."""
        return _title(self.name)

    def run(self, workspace: Workspace, n_jobs: int) -> None:
        """Align training text and test set, and keep the links of the test set."""
        test = [read_lines(file.path) for file in (self.source, self.reference)]
        files = dict(self.corpus.files)
        train = [read_lines(files[side].path) for side in ("source", "target")]
        sides = [[*before, *after] for before, after in zip(train, test, strict=True)]
        read = ReadOptions(self.corpus.max_sentence_length, skip_empty=True)
        bitext = Bitext.from_lines(*sides, options=read)
        aligned = align(bitext, self.aligner, n_jobs=n_jobs)
        first = len(train[0])
        links: list[list[tuple[int, int]]] = [[] for _ in test[0]]
        for i in np.flatnonzero(aligned.lines > first).tolist():
            links[int(aligned.lines[i]) - first - 1] = aligned[i].links
        workspace.write(self.key, {"links": links})


@dataclass(frozen=True)
class GivenAlignment(Stage):
    """An alignment that was given."""

    name: str = field(metadata=UNKEYED, compare=False)
    source: TextFile
    reference: TextFile
    alignment: TextFile

    @property
    def title(self) -> str:
        """What it is."""
        return _title(self.name)

    def run(self, workspace: Workspace, n_jobs: int) -> None:  # noqa: ARG002
        """Keep the links of the file."""
        workspace.write(self.key, {"links": self.links()})

    def links(self) -> list[list[list[int]]]:
        """Read and check the links of each test sentence."""
        lines = read_lines(self.alignment.path)
        test, reference = read_lines(self.source.path), read_lines(self.reference.path)
        source_orders(lines, test, str(self.alignment.path), reference)
        return [
            [[int(word) for word in link.split("-")] for link in line.split()] for line in lines
        ]
