"""The alignment of the test text with its first reference, which tells the right word order."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tartib.alignment import align
from tartib.bitext import Bitext, ReadOptions
from tartib.experiments.corpus import Corpus
from tartib.experiments.stages import Stage, Workspace
from tartib.experiments.translation.decoding import read_lines
from tartib.experiments.translation.options import TranslationOptions


@dataclass(frozen=True)
class AlignedTest(Stage):
    """The alignment; ``text`` are digests of the test text and its first reference."""

    corpus: Corpus
    text: tuple[str, ...]
    seed: int


def align_test(folder: Path, spec: AlignedTest, options: TranslationOptions) -> None:
    """Align training and test text together, and keep the links of the test text."""
    workspace = Workspace(folder)
    sides = [
        [*read_lines(train), *read_lines(test)]
        for train, test in zip(options.train, (options.test, options.refs[0]), strict=True)
    ]
    read = ReadOptions(options.max_sentence_length, skip_empty=True)
    bitext = Bitext.from_lines(*sides, options=read)
    aligned = align(bitext, seed=options.seed, n_jobs=options.jobs)
    test_lines = len(read_lines(options.test))
    first = len(sides[0]) - test_lines
    links: list[list[tuple[int, int]]] = [[] for _ in range(test_lines)]
    for i in np.flatnonzero(aligned.lines > first).tolist():
        links[int(aligned.lines[i]) - first - 1] = aligned[i].links
    workspace.write(spec.key, {"links": links})
