"""What the benchmarks share: a fresh process for each measurement, corpora, tables."""

from __future__ import annotations

import argparse
import resource
import tempfile
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Generic, TypeVar

Result = TypeVar("Result")


@dataclass(frozen=True)
class Measured(Generic[Result]):
    """What a piece of work gave and took: wall and processor seconds, megabytes at its peak."""

    result: Result
    wall: float
    cpu: float
    peak_mb: float


def _timed(function: Callable[..., Result], arguments: Sequence[Any]) -> Measured[Result]:
    began, began_cpu = time.perf_counter(), time.process_time()
    result = function(*arguments)
    wall, cpu = time.perf_counter() - began, time.process_time() - began_cpu
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return Measured(result, wall, cpu, peak)


def measure(
    function: Callable[..., Result], *arguments: object, repeat: int = 1
) -> Measured[Result]:
    """Run in processes of their own, so that memory is honest, and keep the fastest run."""
    runs = []
    for _ in range(repeat):
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
            runs.append(pool.submit(_timed, function, arguments).result())
    return min(runs, key=lambda run: run.wall)


@dataclass(frozen=True)
class Corpus:
    """Three files of word-aligned text."""

    name: str
    source: Path
    target: Path
    alignment: Path


def synthetic_corpus(folder: Path, pairs: int) -> Corpus:
    """Write this many pairs of the synthetic corpus."""
    from tartib.synthetic import write_corpus

    written = write_corpus(folder / f"synthetic-{pairs}", pairs, overwrite=True)
    return Corpus(f"synthetic, {pairs:,} pairs", *written)


@dataclass(frozen=True)
class TestText:
    """Sentences to translate, and what they should become."""

    source: Path
    references: tuple[Path, ...]


@dataclass(frozen=True)
class GoldText:
    """Sentences whose words people have linked."""

    source: Path
    target: Path
    links: Path


@dataclass(frozen=True)
class Settings:
    """How a benchmark is run."""

    toy: bool
    corpus: Corpus | None
    scratch: Path
    test: TestText | None = None
    gold: GoldText | None = None
    only: tuple[str, ...] = ()
    text: tuple[Path, Path] | None = None  # without links

    def main_corpus(self, synthetic_pairs: int = 100_000) -> Corpus:
        """Return the real corpus that was named, or else a synthetic one."""
        pairs = 1000 if self.toy else synthetic_pairs
        return self.corpus or synthetic_corpus(self.scratch, pairs)


def run(benchmarks: Sequence[Callable[[Settings], None]], description: str) -> None:
    """Read the command line and run the benchmarks."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--toy", action="store_true", help="tiny sizes: does it run at all?")
    for name in ("source", "target", "alignment"):
        parser.add_argument(f"--{name}", type=Path, help="real text to measure on")
    parser.add_argument("--test-source", type=Path, help="real sentences to translate")
    parser.add_argument("--test-references", type=Path, nargs="+", help="their translations")
    parser.add_argument("--gold", type=Path, nargs=3, help="gold source, target and links")
    parser.add_argument("--only", nargs="+", default=[], help="some rows only, e.g. S6-hier-msd")
    given = parser.parse_args()
    files = (given.source, given.target, given.alignment)
    corpus = None if None in files else Corpus(given.source.parent.name, *files)
    test = None
    if given.test_source and given.test_references:
        test = TestText(given.test_source, tuple(given.test_references))
    with tempfile.TemporaryDirectory(prefix="tartib-bench-") as scratch:
        for benchmark in benchmarks:
            gold = GoldText(*given.gold) if given.gold else None
            text = None if None in files[:2] else (given.source, given.target)
            only = tuple(given.only)
            benchmark(Settings(given.toy, corpus, Path(scratch), test, gold, only, text))


def print_table(title: str, columns: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """Print a table in Markdown, ready for a document."""
    widths = [max(len(str(row[c])) for row in (columns, *rows)) for c in range(len(columns))]
    print(f"\n{title}\n")
    for row in (columns, ["-" * width for width in widths], *rows):
        print(
            "| "
            + " | ".join(str(cell).ljust(w) for cell, w in zip(row, widths, strict=True))
            + " |"
        )


def million(rate: float) -> str:
    """Write a rate in millions."""
    return f"{rate / 1e6:.2f} M/s"
