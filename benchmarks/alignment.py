"""Time, memory and quality of the word aligners, beside each other.

Run: python -m benchmarks.alignment [--source S --target T --alignment A] [--toy]
     python -m benchmarks.alignment --source S --target T --alignment A --gold GS GT GA
     python -m benchmarks.alignment --partial --gold GS GT GA
     python -m benchmarks.alignment --growth --source S --target T --alignment A

Without ``--gold``, quality is F1 of the links against the corpus' own alignment: gold for the
synthetic corpus, another aligner's work for real text. With it, the gold sentences are aligned
together with the text (whose own alignment is not used then: any file will do), and compared with
links made by hand. ``--partial`` aligns the gold sentences alone, and looks only at links between
words that gold links: where people linked content words, others are not judged. The slow ones
are measured on the synthetic corpus only.
``--growth`` shows how the aligner joint grows with the text, and what the second core brings.
"""

from __future__ import annotations

import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from benchmarks.harness import Corpus, GoldText, Settings, measure, print_table, run
from tartib import Bitext, align
from tartib.alignment import AlignmentModel, AlignmentReport, GoldLinks, Links, evaluate
from tartib.bitext import ReadOptions


class Peer(NamedTuple):
    """An aligner with its options."""

    aligner: str
    samplers: int = 3
    attach: float | None = None

    def __str__(self) -> str:
        if self.aligner == "eflomal":
            return f"eflomal, {self.samplers} samplers"
        return self.aligner if self.attach is None else f"{self.aligner}, attach {self.attach}"

    def align(self, text: Bitext, n_jobs: int | None = None) -> Bitext:
        """Align the words of a text."""
        return align(text, self.aligner, samplers=self.samplers, attach=self.attach, n_jobs=n_jobs)


FAST = (Peer("joint"), Peer("fast_align"), Peer("eflomal", 1), Peer("eflomal", 3))
SLOW = (Peer("eflomal", 5), Peer("ibm1"), Peer("hmm"), Peer("ibm3"), Peer("ibm4"))
PEERS = (Peer("joint"), Peer("joint", attach=0.5), Peer("eflomal"), Peer("fast_align"))
LONG = ReadOptions(max_sentence_length=1024)

Taken = tuple[float, float, float]  # wall and processor seconds, megabytes at the peak


def timed(work: Callable[[], Bitext]) -> tuple[Bitext, Taken]:
    """Do work, perhaps in processes of its own."""
    began, before = time.perf_counter(), time.process_time()
    found = work()
    wall, own = time.perf_counter() - began, time.process_time() - before
    others = resource.getrusage(resource.RUSAGE_CHILDREN)
    peak = max(others.ru_maxrss, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
    return found, (wall, own + others.ru_utime + others.ru_stime, peak / 1024)


def aligned(corpus: Corpus, peer: Peer) -> tuple[float, Taken]:
    """Return F1, and what it took."""
    reference = Bitext.read(corpus.source, corpus.target, corpus.alignment)
    found, taken = timed(lambda: peer.align(reference))
    gold = GoldLinks.of(Links.of_lines(reference))
    return evaluate(found, gold, samples=1).f1.score, taken


def aligners(settings: Settings) -> None:
    """Align with every model."""
    corpus = settings.main_corpus(5_000)
    peers = FAST[:2] if settings.toy else FAST if settings.corpus else FAST + SLOW
    rows: list[tuple[object, ...]] = []
    for peer in peers:
        quality, taken = measure(aligned, corpus, peer).result
        rows.append((str(peer), f"{quality:.3f}", *shown(taken)))
        print(*rows[-1], sep=" | ", flush=True)
    columns = ("model", "F1", "wall s", "core s", "peak MB of a process")
    print_table(f"Word alignment: {corpus.name}, two cores", columns, rows)


def shown(taken: Taken) -> tuple[str, ...]:
    return f"{taken[0]:.1f}", f"{taken[1]:.1f}", f"{taken[2]:.0f}"


def text_with_gold(corpus: Corpus, gold: GoldText, share: float) -> tuple[Bitext, Bitext]:
    """Return the first part of a text with the gold sentences after it, and these alone."""
    lines = [
        (first.read_text().splitlines(), last.read_text().splitlines())
        for first, last in ((corpus.source, gold.source), (corpus.target, gold.target))
    ]
    kept = round(share * len(lines[0][0]))
    whole = Bitext.from_lines(*(first[:kept] + last for first, last in lines), options=LONG)
    return whole, whole.slice(len(whole) - len(lines[0][1]), len(whole))


def judged(found: Bitext, part: Bitext, gold: GoldText) -> AlignmentReport:
    """Compare the links of the last sentences with gold links."""
    last = found.slice(len(found) - len(part), len(found))
    links = Links(last.links, last.link_offsets)
    return evaluate(links, GoldLinks.read(gold.links).padded(len(part)))


def with_gold(
    corpus: Corpus, gold: GoldText, peer: Peer, share: float
) -> tuple[AlignmentReport, Taken]:
    """Align a part of the text together with the gold sentences, on one core."""
    whole, part = text_with_gold(corpus, gold, share)
    found, taken = timed(lambda: peer.align(whole, n_jobs=1))
    return judged(found, part, gold), taken


def with_saved(
    corpus: Corpus, gold: GoldText, scratch: Path, share: float
) -> tuple[AlignmentReport, Taken]:
    """Align gold sentences by a model that was trained on other text, saved and loaded."""
    whole, part = text_with_gold(corpus, gold, share)
    folder = scratch / f"aligner-{share}"
    AlignmentModel.train(whole.slice(0, len(whole) - len(part)), n_jobs=1).save(folder)
    found, taken = timed(lambda: AlignmentModel.load(folder).align(part, n_jobs=1).bitext)
    return judged(found, part, gold), taken


def by_gold(settings: Settings) -> None:
    """Compare with links made by hand, and show how much text is needed."""
    corpus, gold = settings.corpus, settings.gold
    if corpus is None or gold is None:
        return
    results = {str(peer): measure(with_gold, corpus, gold, peer, 1.0).result for peer in PEERS}
    tenth = measure(with_gold, corpus, gold, Peer("joint"), 0.1).result
    results["joint, a tenth of the text"] = tenth
    for share, what in ((1.0, "the text"), (0.1, "a tenth of it")):
        saved = measure(with_saved, corpus, gold, settings.scratch, share).result
        results[f"joint, saved model of {what}; time without training"] = saved
    print_judged(f"Gold links: {corpus.name}, one core", results)


def print_judged(title: str, results: dict[str, tuple[AlignmentReport, Taken]]) -> None:
    """Print what gold links say of some alignments."""
    rows: list[tuple[object, ...]] = []
    for name, (report, taken) in results.items():
        aer = report.aer
        rows.append(
            (
                name, f"{report.precision.score:.3f}", f"{report.recall.score:.3f}",
                f"{aer.score:.3f} [{aer.low:.3f}, {aer.high:.3f}]", *shown(taken),
            )
        )  # fmt: skip
    columns = ("model", "precision", "recall", "AER", "wall s", "core s", "peak MB of a process")
    print_table(title, columns, rows)


def of_linked_words(found: Links, gold: GoldLinks) -> Links:
    """Leave out the links of words that gold does not link."""
    kept = []
    for links, wanted in zip(found, gold.sure, strict=True):
        source, target = ({link[side] for link in wanted} for side in (0, 1))
        kept.append([(i, j) for i, j in links if i in source and j in target])
    return Links.of(kept)


def on_content_words(gold: GoldText, peer: Peer) -> tuple[AlignmentReport, Taken]:
    """Align gold sentences alone, on one core, and judge the links of words that gold links."""
    text = Bitext.read(gold.source, gold.target, options=LONG)
    wanted = GoldLinks.read(gold.links).within(text, whole=True)
    found, taken = timed(lambda: peer.align(text, n_jobs=1))
    return evaluate(of_linked_words(Links.of_lines(found), wanted), wanted), taken


def partial(settings: Settings) -> None:
    """Compare with gold links of content words."""
    gold = settings.gold
    if gold is None:
        return
    print_judged(
        f"Links between words that gold links: {gold.source.parent.name}",
        {str(peer): measure(on_content_words, gold, peer).result for peer in PEERS},
    )


def grown(corpus: Corpus, sentences: int, threads: int) -> tuple[int, Taken]:
    """Align the first sentences of a text; return the number of words of both sides, too."""
    text = Bitext.read(corpus.source, corpus.target)
    part = text.slice(0, min(sentences, len(text)))
    _, taken = timed(lambda: align(part, n_jobs=threads))
    return int(part.source.lengths.sum() + part.target.lengths.sum()), taken


def growth(settings: Settings) -> None:
    """Show time per word as the text grows, and what the second core brings."""
    corpus = settings.main_corpus(100_000)
    whole = len(Bitext.read(corpus.source, corpus.target))
    rows: list[tuple[object, ...]] = []
    for sentences in sorted({min(n, whole) for n in (10_000, 50_000, 200_000, 500_000)}):
        one, two = (measure(grown, corpus, sentences, n).result for n in (1, 2))
        words, taken = one
        rows.append(
            (
                f"{sentences:,}", f"{words:,}", f"{1e6 * taken[1] / words:.2f}",
                f"{taken[0]:.1f}", f"{two[1][0]:.1f}", f"{taken[0] / two[1][0]:.2f}",
                f"{two[1][2]:.0f}",
            )
        )  # fmt: skip
        print(*rows[-1], sep=" | ", flush=True)
    columns = (
        "sentence pairs", "words, both sides", "µs a word, one core", "s, one core", "s, two",
        "faster", "peak MB",
    )  # fmt: skip
    print_table(f"Growth of the aligner joint: {corpus.name}", columns, rows)


if __name__ == "__main__":
    alone = {"--growth": growth, "--partial": partial}
    for option in alone.keys() & set(sys.argv):
        sys.argv.remove(option)
        run((alone[option],), __doc__ or "")
        break
    else:
        run((by_gold,) if "--gold" in sys.argv else (aligners,), __doc__ or "")
