"""Speed and memory of reading parallel text, beside plain Python.

Run: python -m benchmarks.bitext [--source S --target T --alignment A] [--toy]
"""

from __future__ import annotations

import os
import resource
import threading
from pathlib import Path

from tests.oracles import bitext as oracle

from benchmarks.harness import Corpus, Settings, measure, million, print_table, run
from tartib import Bitext


def read(corpus: Corpus) -> int:
    bitext = Bitext.read(corpus.source, corpus.target, corpus.alignment)
    return len(bitext.source.ids) + len(bitext.target.ids)


def read_by_twin(corpus: Corpus) -> int:
    words = 0
    for side in (corpus.source, corpus.target):
        ids, _ = oracle.encode(side.read_text(encoding="utf-8").split("\n"))
        words += sum(map(len, ids))
    for line in corpus.alignment.read_text(encoding="utf-8").split("\n"):
        oracle.links(line)
    return words


def speed(settings: Settings) -> None:
    """Words per second, with alignment."""
    corpus = settings.main_corpus()
    ours, twin = measure(read, corpus, repeat=3), measure(read_by_twin, corpus)
    rows = [
        (name, million(m.result / m.cpu), f"{twin.cpu / m.cpu:.1f}", f"{m.peak_mb:.0f}")
        for name, m in (("Python's split and dict", twin), ("Bitext.read", ours))
    ]
    columns = ("reader", "words per core second", "times Python", "peak MB")
    print_table(f"Reading text and alignment: {corpus.name}", columns, rows)


def read_pipes(corpus: Corpus, scratch: Path, words: int) -> tuple[int, int, int, float]:
    """Read the target text over and over, as both sides, until each has this many words."""
    once = Bitext.read(corpus.target, corpus.target)
    rounds = -(-words // len(once.target.ids))
    pipes = [scratch / f"pipe-{os.getpid()}-{side}" for side in ("source", "target")]
    feeders = []
    for pipe in pipes:
        os.mkfifo(pipe)
        text = corpus.target.read_bytes()
        feeders.append(threading.Thread(target=feed, args=(pipe, text, rounds)))
        feeders[-1].start()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    bitext = Bitext.read(*pipes)
    for feeder in feeders:
        feeder.join()
    return len(bitext), len(bitext.source.ids), len(bitext.target.ids), before


def feed(pipe: Path, content: bytes, rounds: int) -> None:
    with pipe.open("wb") as file:
        for _ in range(rounds):
            file.write(content)


def memory(settings: Settings) -> None:
    """Memory of a corpus of the size that the papers have, loaded whole."""
    corpus = settings.main_corpus()
    words = 100_000 if settings.toy else 300_000_000
    big = measure(read_pipes, corpus, settings.scratch, words)
    sentences, source, target, before = big.result
    rows = [
        (
            f"{sentences:,}",
            f"{source:,}",
            f"{target:,}",
            f"{big.wall:.0f}",
            f"{big.peak_mb:,.0f}",
            f"{(big.peak_mb - before) * 2**20 / (source + target):.2f}",
        )
    ]
    columns = (
        "sentence pairs",
        "source words",
        "target words",
        "seconds",
        "peak MB",
        "bytes a word",
    )
    print_table(
        f"A large bitext in memory: the target side of {corpus.name}, repeated, on both sides",
        columns,
        rows,
    )


if __name__ == "__main__":
    run((speed, memory), __doc__ or "")
