"""Speed of what is done to raw text, beside one regular expression, and sacremoses if installed.

Run: python -m benchmarks.text [--source S --target T --alignment A] [--toy]

The source and target lines of the corpus are repeated until they are a million pairs.
"""

from __future__ import annotations

import importlib.util
import itertools
import re
from collections.abc import Iterator
from pathlib import Path

from benchmarks.harness import Corpus, Measured, Settings, measure, print_table, run
from tartib.text import CleaningCounts, TextModel, clean_pairs, language_of, learn_text
from tartib.textio import read_lines

Work = tuple[Corpus, int]


def pairs_of(work: Work) -> Iterator[tuple[str, str]]:
    corpus, number = work
    pairs = list(zip(read_lines(corpus.source), read_lines(corpus.target), strict=True))
    return itertools.islice(itertools.cycle(pairs), number)


def languages_of(corpus: Corpus) -> tuple[str, str]:
    return language_of(corpus.source), language_of(corpus.target)


def clean(work: Work) -> int:
    counts = CleaningCounts()
    for _ in clean_pairs(pairs_of(work), languages=languages_of(work[0]), counts=counts):
        pass
    return counts.read


def learn(work: Work, folder: Path) -> int:
    learn_text(pairs_of(work), languages_of(work[0])).save(folder, overwrite=True)
    return work[1]


def prepare(work: Work, folder: Path) -> int:
    source = TextModel.load(folder).source
    for line, _ in pairs_of(work):
        source.prepare(line)
    return work[1]


def restore(work: Work, folder: Path) -> int:
    target = TextModel.load(folder).target
    prepared = [target.prepare(line) for _, line in itertools.islice(pairs_of(work), 1000)]
    for line in itertools.islice(itertools.cycle(prepared), work[1]):
        target.restore(line)
    return work[1]


def split_by_expression(work: Work) -> int:
    words = re.compile(r"\w+|[^\w\s]")
    for line, _ in pairs_of(work):
        " ".join(words.findall(line))
    return work[1]


def split_by_sacremoses(work: Work) -> int:
    import sacremoses

    tokeniser = sacremoses.MosesTokenizer(lang=languages_of(work[0])[0] or "en")
    for line, _ in pairs_of(work):
        tokeniser.tokenize(line, escape=False)
    return work[1]


def speed(settings: Settings) -> None:
    """Lines per second and core."""
    corpus = settings.main_corpus()
    work = (corpus, 1000 if settings.toy else 1_000_000)
    folder = settings.scratch / "text"
    few = (corpus, min(work[1], 50_000))
    peer = measure(split_by_expression, work)
    rows: list[tuple[str, Measured[int]]] = [("one regular expression", peer)]
    if importlib.util.find_spec("sacremoses"):
        rows.append(("sacremoses, tokens only", measure(split_by_sacremoses, few)))
    rows += [
        ("clean_pairs, both sides", measure(clean, work)),
        ("learn_text, both sides", measure(learn, work, folder)),
        ("TextSide.prepare", measure(prepare, work, folder)),
        ("TextSide.restore", measure(restore, work, folder)),
    ]
    usual = peer.cpu / peer.result
    table = [
        (
            name,
            f"{found.result:,}",
            f"{found.result / found.cpu:,.0f}",
            f"{usual * found.result / found.cpu:.2f}",
            f"{found.peak_mb:.0f}",
        )
        for name, found in rows
    ]
    columns = ("what", "lines", "lines per core second", "times the expression", "peak MB")
    print_table(f"Raw text: {corpus.name}", columns, table)


if __name__ == "__main__":
    run((speed,), __doc__ or "")
