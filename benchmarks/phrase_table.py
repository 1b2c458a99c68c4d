"""Phrase tables: building, loading and look-up, beside the Python twin, text and a dict.

Run: python -m benchmarks.phrase_table [--source S --target T --alignment A] [--toy]
"""

from __future__ import annotations

import time
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from tests.oracles import phrase_table as oracle

from benchmarks.harness import Corpus, Settings, measure, million, print_table, run
from tartib import Bitext, PhrasePairs, PhraseTable, extract_phrases


def extract(settings: Settings) -> tuple[Corpus, Path, int]:
    """Return a corpus, its store of phrase pairs of up to 7 words, and their number."""
    corpus = settings.main_corpus()
    bitext = Bitext.read(corpus.source, corpus.target, corpus.alignment)
    store = settings.scratch / "phrases"
    return corpus, store, len(extract_phrases(bitext, out=store, overwrite=True))


def build(store: Path, jobs: int, **options: str) -> tuple[int, int]:
    """From a store on disk to a table in memory."""
    table = PhraseTable.build(PhrasePairs.load(store), n_jobs=jobs, **options)  # type: ignore[arg-type]
    return len(table), table.nbytes


def build_significant(store: Path, jobs: int) -> tuple[int, int]:
    """Build with significance pruning."""
    return build(store, jobs, significance_pruning="a+e")


def twin(store: Path, sentences: int) -> tuple[int, float]:
    """Build from a sample with dictionaries; return its pairs and the core seconds that took."""
    phrases = PhrasePairs.load(store)
    phrases = phrases.of_sentences(np.arange(len(phrases.bitext)) < sentences)
    pairs = [
        oracle.Extracted(tuple(p.source), tuple(p.target), frozenset(p.links)) for p in phrases
    ]
    text = [phrases.bitext[s] for s in range(sentences)]
    began = time.process_time()
    oracle.build(text, pairs)  # type: ignore[arg-type]
    return len(pairs), time.process_time() - began


def speed(settings: Settings) -> None:
    """Build on one thread and on two, and tell the ratios."""
    corpus, store, pairs = extract(settings)
    sample, seconds = measure(twin, store, 50 if settings.toy else 1000).result
    peer = sample / seconds
    rows = [
        ("Python twin, on a sample of pairs", 1, f"{sample:,}", "", "", million(peer), 1, ""),
    ]
    for name, work in (("table", build), ("table, --significance-pruning a+e", build_significant)):
        for jobs in (1, 2):
            done = measure(work, store, jobs, repeat=1 if settings.toy else 5)
            rate = pairs / done.cpu
            rows.append(
                (
                    name,
                    jobs,
                    f"{done.result[0]:,}",
                    f"{done.wall:.2f}",
                    f"{done.cpu:.2f}",
                    million(rate),
                    round(rate / peer),
                    f"{done.peak_mb:.0f}",
                )
            )
    columns = (
        "builder",
        "threads",
        "rows",
        "seconds",
        "core seconds",
        "pairs per core second",
        "times the twin",
        "peak MB",
    )
    print_table(f"Phrase table: {corpus.name}, {pairs:,} phrase pairs", columns, rows)
    print("\nMoses' training steps 4 to 6 on bible_ar_en: about two minutes.")


def spans(table: PhraseTable, path: Path, sentences: int) -> tuple[NDArray[np.int32], list[int]]:
    """Return all spans of some sentences, up to the longest source phrase, as ids and offsets."""
    ids: list[int] = []
    offsets = [0]
    with path.open(encoding="utf-8") as file:
        for _, line in zip(range(sentences), file, strict=False):
            words = [table.source_vocabulary.id(word) for word in line.split()]
            known = [-1 if word is None else word for word in words]
            for begin in range(len(known)):
                for end in range(begin + 1, min(len(known), begin + table.max_source_length) + 1):
                    ids += known[begin:end]
                    offsets.append(len(ids))
    return np.array(ids, np.int32), offsets


def look_up(folder: Path, text: Path, sentences: int) -> tuple[int, float]:
    """Find all spans of some sentences, hits and misses; return their number and the seconds."""
    table = PhraseTable.load(folder)
    ids, offsets = spans(table, text, sentences)
    bounds = np.array(offsets)
    began = time.perf_counter()
    table.native.find_all(ids, bounds)
    return len(offsets) - 1, time.perf_counter() - began


def look_up_in_dict(folder: Path, text: Path, sentences: int) -> tuple[int, float]:
    """Find the same in a dict of tuples, with tuples at hand."""
    table = PhraseTable.load(folder)
    known = {tuple(table.native.source(p).tolist()): p for p in range(table.n_phrases)}
    ids, offsets = spans(table, text, sentences)
    plain = ids.tolist()
    wanted = [tuple(plain[a:b]) for a, b in pairwise(offsets)]
    began = time.perf_counter()
    for phrase in wanted:
        known.get(phrase)
    return len(wanted), time.perf_counter() - began


def write(store: Path, folder: Path, text: Path) -> tuple[int, int]:
    """Build a table and write both forms, in a process whose memory is not counted."""
    table = PhraseTable.build(PhrasePairs.load(store)).save(folder, overwrite=True)
    table.write_moses(text, overwrite=True)
    return len(table), table.nbytes


def load(path: Path) -> int:
    """Load a table and touch it."""
    return len(PhraseTable.load(path).lookup("."))


def loading(settings: Settings) -> None:
    """Load the binary form and the text, and look up every span of some sentences."""
    corpus, store, _ = extract(settings)
    folder, text = settings.scratch / "table", settings.scratch / "phrase-table"
    count, size = measure(write, store, folder, text).result
    rows = []
    for name, path in (("Moses' text", text), ("memory-mapped", folder)):
        done = measure(load, path, repeat=1 if settings.toy else 3)
        rows.append((name, f"{done.wall:.2f}", f"{done.peak_mb:.0f}"))
    title = f"Loading: {corpus.name}, {count:,} rows, {size / 1e6:.0f} MB"
    print_table(title, ("form", "seconds", "peak MB"), rows)
    sentences = 20 if settings.toy else 3000
    rows = []
    for name, work in (("dict of tuples", look_up_in_dict), ("table", look_up)):
        count, seconds = measure(work, folder, corpus.source, sentences).result
        rows.append((name, f"{count:,}", million(count / seconds)))
    print_table("Look-up on one thread", ("in", "spans", "spans per second"), rows)


if __name__ == "__main__":
    run((speed, loading), __doc__ or "")
