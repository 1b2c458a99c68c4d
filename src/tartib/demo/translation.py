"""The demo's training, development and test sets, and the options of its translation systems."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tartib.experiments import TranslationOptions
from tartib.storage import new_files

# Some of the papers' systems, with the least work that shows differences between them.
SYSTEMS = ("none", "lexicalised", "lexicalised+sparse", "svm:S6+sparse")
RUNS = 2
ITERATIONS = 5
NBEST_SIZE = 50
CUBE_POPS = 200
STACK_SIZE = 100
LM_ORDER = 4
SPARSE_WORDS = 50


@dataclass(frozen=True)
class DemoTexts:
    """The parts of the corpus: for each, the source, target and alignment files."""

    train: tuple[Path, ...]
    dev: tuple[Path, ...]
    test: tuple[Path, ...]


def divide(corpus: Sequence[Path], pairs: int) -> DemoTexts:
    """Split a corpus: a tenth is the test set, a twentieth the development set, the rest training.

    The files are written to the folder of the corpus.
    """
    test = max(pairs // 10, 1)
    dev = max(pairs // 20, 1)
    ends = {"train": pairs - dev - test, "dev": pairs - test, "test": pairs}
    lines = [path.read_text(encoding="utf-8").splitlines(keepends=True) for path in corpus]
    parts, begin = [], 0
    for name, end in ends.items():
        paths = tuple(path.with_name(f"{name}{path.suffix}") for path in corpus)
        with new_files(*paths, overwrite=True) as asides:
            for aside, text in zip(asides, lines, strict=True):
                aside.write_text("".join(text[begin:end]), encoding="utf-8")
        parts.append(paths)
        begin = end
    return DemoTexts(*parts)


def translation_options(texts: DemoTexts, *, tune_pairs: int, seed: int) -> TranslationOptions:
    """Return the options of the translation experiment, small enough to keep the demo short."""
    (source, target, alignment), dev, test = texts.train, texts.dev, texts.test
    return TranslationOptions(
        train=(source, target),
        alignment=alignment,
        dev=dev[0],
        dev_reference=(dev[1],),
        test=test[0],
        test_reference=(test[1],),
        systems=SYSTEMS,
        tune_pairs=tune_pairs,
        lm_order=LM_ORDER,
        sparse_words=SPARSE_WORDS,
        runs=RUNS,
        iterations=ITERATIONS,
        nbest_size=NBEST_SIZE,
        cube_pops=CUBE_POPS,
        stack_size=STACK_SIZE,
        reference_alignment=test[2],
        seed=seed,
    )
