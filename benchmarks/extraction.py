"""Speed and memory of phrase extraction, beside the Python twin and Moses' published time.

Run: python -m benchmarks.extraction [--source S --target T --alignment A] [--toy]
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from tests.oracles import extraction as oracle

from benchmarks.harness import (
    Corpus,
    Measured,
    Settings,
    measure,
    million,
    print_table,
    run,
    synthetic_corpus,
)
from tartib import Bitext, PhrasePairs, extract_phrases, read_blocks
from tartib.moses import write_extract

Timing = tuple[int, float, float]  # pairs, wall seconds, processor seconds


def load(corpus: Corpus) -> Bitext:
    return Bitext.read(corpus.source, corpus.target, corpus.alignment)


def timings(work: Callable[[], PhrasePairs], repeat: int) -> Timing:
    """Return the number of pairs and the least wall and processor time of several runs."""
    walls, processor = [], []
    for _ in range(repeat):
        began, began_cpu = time.perf_counter(), time.process_time()
        phrases = work()
        walls.append(time.perf_counter() - began)
        processor.append(time.process_time() - began_cpu)
    return len(phrases), min(walls), min(processor)


def store(corpus: Corpus, out: Path, jobs: int, repeat: int) -> Timing:
    """From a bitext in memory into a store on disk, all orientation models included."""
    bitext = load(corpus)
    work = partial(extract_phrases, bitext, out=out, overwrite=True, n_jobs=jobs)
    return timings(work, repeat)


def moses(corpus: Corpus, out: Path, jobs: int, repeat: int) -> Timing:
    """From a bitext in memory to Moses' three text files."""
    bitext = load(corpus)

    def work() -> PhrasePairs:
        phrases = extract_phrases(bitext, n_jobs=jobs)
        write_extract(phrases, out, overwrite=True, n_jobs=jobs)
        return phrases

    return timings(work, repeat)


def twin(corpus: Corpus, sentences: int) -> Timing:
    """Extract a sample with the straightforward Python twin."""
    bitext = load(corpus)
    step = max(1, len(bitext) // sentences)
    sample = [bitext[i] for i in range(0, len(bitext), step)]
    began, began_cpu = time.perf_counter(), time.process_time()
    pairs = sum(
        len(oracle.extract(len(pair.source), len(pair.target), pair.links, 7)) for pair in sample
    )
    return pairs, time.perf_counter() - began, time.process_time() - began_cpu


def speed(settings: Settings) -> None:
    """Pairs per second on one core and on two, and the ratios."""
    corpus = settings.main_corpus()
    out = settings.scratch / "out"
    slow = measure(twin, corpus, 20 if settings.toy else 300)
    rows = []
    peer = slow.result[0] / slow.result[2]
    rows.append(("Python twin, on a sample", 1, million(peer), "", "1", "", f"{slow.peak_mb:.0f}"))
    for name, work in (("store", store), ("Moses' text files", moses)):
        one, two = fastest(work, corpus, out / name, 1 if settings.toy else 4)
        for jobs, measured in ((1, one), (2, two)):
            pairs, wall, processor = measured.result
            rows.append(
                (
                    name,
                    jobs,
                    million(pairs / processor),
                    million(pairs / wall),
                    f"{pairs / processor / peer:,.0f}",
                    f"{one.result[1] / wall:.2f}",
                    f"{measured.peak_mb:.0f}",
                )
            )
    columns = (
        "into",
        "threads",
        "pairs per core second",
        "pairs per wall second",
        "times the twin",
        "speed-up by threads",
        "peak MB",
    )
    print_table(
        f"Extraction: {corpus.name}, {pairs:,} pairs, all orientation models", columns, rows
    )
    print("\nMoses' `extract` on bible_ar_en: 3,136,767 pairs in 15 s, 0.21 M/s on one core.")


def fastest(
    work: Callable[..., Timing], corpus: Corpus, out: Path, rounds: int
) -> list[Measured[Timing]]:
    """Measure one and two threads in turns, so that the machine's other load meets both alike."""
    turns = [[measure(work, corpus, out, jobs, 3) for jobs in (1, 2)] for _ in range(rounds)]
    return [min(runs, key=lambda run: run.result[1]) for runs in zip(*turns, strict=True)]


def streamed(corpus: Corpus, out: Path) -> int:
    """From text files into a store, block by block, as `tartib extract` does."""
    blocks = read_blocks(corpus.source, corpus.target, corpus.alignment)
    return len(extract_phrases(blocks, out=out, overwrite=True))


def scaling(settings: Settings) -> None:
    """Time and memory from text to store at 1, 10 and 100 times the size."""
    sizes = (100, 1000) if settings.toy else (10_000, 100_000, 1_000_000)
    rows = []
    for size in sizes:
        corpus = synthetic_corpus(settings.scratch, size)
        run = measure(
            streamed, corpus, settings.scratch / "scaling", repeat=1 if settings.toy else 2
        )
        rows.append(
            (
                f"{size:,}",
                f"{run.result:,}",
                f"{run.wall:.2f}",
                f"{1e6 * run.wall / size:.1f}",
                f"{1e9 * run.wall / run.result:.0f}",
                f"{run.peak_mb:.0f}",
                f"{8 * run.result / 1e6:.0f}",
            )
        )
    columns = (
        "sentence pairs",
        "phrase pairs",
        "seconds",
        "µs per sentence pair",
        "ns per phrase pair",
        "peak MB",
        "MB of pairs written",
    )
    print_table("Extraction from text files, synthetic corpus, all cores", columns, rows)


if __name__ == "__main__":
    run((speed, scaling), __doc__ or "")
