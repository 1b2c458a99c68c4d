"""What all experiments find out: the parts of ``results.json`` that they share."""

from __future__ import annotations

import os
import platform
from typing import Any

from pydantic import BaseModel, ConfigDict


class Record(BaseModel):
    """A piece of the results: frozen, and strict about its keys."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class ExperimentResults(Record):
    """What every experiment reports about itself; ``seconds`` are those of all its stages."""

    title: str
    signature: str
    version: str
    options: dict[str, Any]
    machine: str
    jobs: int
    seconds: float


class Side(Record):
    """One side of the corpus, as in the SVM paper's Table 1."""

    name: str
    words: int
    words_per_line: float
    vocabulary: int
    vocabulary_share: float


class CorpusResults(Record):
    """The parallel text and its phrase pairs."""

    sentences: int
    source: Side
    target: Side
    links: int
    pairs: int
    max_phrase_length: int
    skipped: dict[str, int]


class Example(Record):
    """A test pair that the lexicalised model gets wrong and the best model right.

    Positions count from 0 in the whole sentences; ``pulls`` are the features that speak most for
    the true class: name, and weight above the mean over the classes.
    """

    line: int
    source: list[str]
    target: list[str]
    links: list[tuple[int, int]]
    source_start: int
    source_length: int
    target_start: int
    target_length: int
    truth: str
    lexicalised: dict[str, float]
    best: dict[str, float]
    pulls: list[tuple[str, float]]


def machine() -> str:
    """Return what the times depend on."""
    return f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"


def corpus_results(sizes: dict[str, Any], source: str, target: str) -> CorpusResults:
    """Return the sizes that the stage of the corpus found, with names of its two sides."""
    sides = {"source": Side(name=source, **sizes["source"])}
    sides |= {"target": Side(name=target, **sizes["target"])}
    return CorpusResults(**{**sizes, **sides})
