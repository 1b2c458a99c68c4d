"""The alignment of the test text with its first reference, which tells the right word order."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tartib.alignment import align
from tartib.bitext import Bitext, ReadOptions
from tartib.evaluation import source_orders
from tartib.experiments.run.corpus import Corpus
from tartib.experiments.run.stages import Stage, Workspace
from tartib.experiments.translation.options import TranslationOptions
from tartib.textio import read_lines


@dataclass(frozen=True)
class AlignedTest(Stage):
    """The alignment; ``text`` are digests of the test text and its first reference."""

    corpus: Corpus
    text: tuple[str, ...]
    seed: int


@dataclass(frozen=True)
class GivenAlignment(Stage):
    """An alignment that was given; the digests are those of the test text and its own."""

    text: str
    alignment: str


def read_alignment(folder: Path, spec: GivenAlignment, options: TranslationOptions) -> None:
    """Keep the links of the file."""
    workspace = Workspace(folder)
    workspace.write(spec.key, {"links": given_links(options)})


def given_links(options: TranslationOptions) -> list[list[list[int]]]:
    """Read and check the links of each test sentence; none if no alignment was given."""
    if options.reference_alignment is None:
        return []
    lines = read_lines(options.reference_alignment)
    test, reference = read_lines(options.test), read_lines(options.test_reference[0])
    source_orders(lines, test, str(options.reference_alignment), reference)
    return [[[int(place) for place in link.split("-")] for link in line.split()] for line in lines]


def align_test(folder: Path, spec: AlignedTest, options: TranslationOptions) -> None:
    """Align training and test text together, and keep the links of the test text."""
    workspace = Workspace(folder)
    test = [read_lines(path) for path in (options.test, options.test_reference[0])]
    train = [read_lines(path) for path in options.train]
    sides = [[*before, *behind] for before, behind in zip(train, test, strict=True)]
    read = ReadOptions(options.max_sentence_length, skip_empty=True)
    bitext = Bitext.from_lines(*sides, options=read)
    aligned = align(bitext, seed=options.seed, n_jobs=options.jobs)
    first = len(train[0])
    links: list[list[tuple[int, int]]] = [[] for _ in test[0]]
    for i in np.flatnonzero(aligned.lines > first).tolist():
        links[int(aligned.lines[i]) - first - 1] = aligned[i].links
    workspace.write(spec.key, {"links": links})
