"""Time, memory and quality of the word aligners, beside each other.

Run: python -m benchmarks.alignment [--source S --target T --alignment A] [--toy]

Quality is F1 of the links against the corpus' own alignment: gold for the synthetic corpus, another
aligner's work for real text. IBM 3 and 4 are measured on the synthetic corpus only: they are slow.
"""

from __future__ import annotations

import resource
import time

from benchmarks.harness import Corpus, Settings, measure, print_table, run
from tartib import Bitext, align
from tartib.alignment import GoldLinks, Links, evaluate

FAST = (("fast_align", 3), ("eflomal", 1), ("eflomal", 3), ("eflomal", 5), ("ibm1", 3), ("hmm", 3))
SLOW = (("ibm3", 3), ("ibm4", 3))


def f1(found: Bitext, reference: Bitext) -> float:
    return evaluate(found, GoldLinks.of(Links.of_lines(reference)), samples=1).f1.score


def aligned(corpus: Corpus, model: str, samplers: int) -> tuple[float, float, float, float]:
    """Return F1, wall and processor seconds and the peak memory of one direction's process."""
    reference = Bitext.read(corpus.source, corpus.target, corpus.alignment)
    began = time.perf_counter()
    found = align(reference, model, samplers=samplers)
    wall = time.perf_counter() - began
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    processor = children.ru_utime + children.ru_stime
    return f1(found, reference), wall, processor, children.ru_maxrss / 1024


def aligners(settings: Settings) -> None:
    """Align with every model."""
    corpus = settings.main_corpus(5_000)
    models = FAST[:2] if settings.toy else FAST if settings.corpus else FAST + SLOW
    rows = []
    peer = 0.0
    for model, samplers in models:
        quality, wall, processor, peak = measure(aligned, corpus, model, samplers).result
        peer = peer or processor
        name = f"{model}, {samplers} samplers" if model == "eflomal" else model
        rows.append(
            (
                name,
                f"{quality:.3f}",
                f"{wall:.1f}",
                f"{processor:.1f}",
                f"{processor / peer:.1f}",
                f"{peak:.0f}",
            )
        )
    columns = ("model", "F1", "wall s", "core s", "times fast_align", "peak MB per direction")
    print_table(f"Word alignment: {corpus.name}, both directions, two cores", columns, rows)


if __name__ == "__main__":
    run((aligners,), __doc__ or "")
