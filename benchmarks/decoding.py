"""Speed, model score, BLEU and memory of translation, beside Moses' published figures.

Run: python -m benchmarks.decoding [--source S --target T --alignment A
     --test-source S --test-references R...] [--toy]
"""

from __future__ import annotations

import time
import warnings
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

from benchmarks.harness import (
    Corpus,
    Measured,
    Settings,
    TestText,
    measure,
    print_table,
    run,
    synthetic_corpus,
)
from tartib import Bitext, LanguageModel, PhraseTable, ReorderingModel, extract_phrases
from tartib.decoder import Decoder, ModelScorer, System
from tartib.decoder.output import nbest_lines
from tartib.decoder.system_sections import ReorderingSection
from tartib.evaluation import bleu

NBEST = 100

# Tuned with Moses on bible_ar_en, for its lexicalised system; see the words below the table.
_WEIGHTS = {
    "Distortion0": [0.0388032944359102],
    "LM0": [0.0815178804256079],
    "WordPenalty0": [-0.23959029779008],
    "PhrasePenalty0": [0.0896392047279163],
    "UnknownWordPenalty0": [1.0],
    "TranslationModel0": [
        0.0915421355994425,
        0.0142527486681765,
        0.0688892562319933,
        0.0339992187524677,
    ],
}
_REORDERING = [0.167304194134045, 0.0787979036173586, 0.0956638656170013]

# From fast to wide.
BEAMS: dict[str, dict[str, int]] = {
    "cube, 200 pops, stack 100": {"cube_pops": 200, "stack_size": 100},
    "cube, 1,000 pops": {"cube_pops": 1000},
    "cube, 5,000 pops, stack 400": {"cube_pops": 5000, "stack_size": 400},
    "stack 20": {"stack_size": 20},
    "stack 50": {"stack_size": 50},
    "stack 200 (Moses' usual)": {"stack_size": 200},
    "stack 1,000": {"stack_size": 1000},
}
USUAL = "stack 200 (Moses' usual)"
SYSTEMS = ("none", "lexicalised", "svm-S6", "svm-S7")


@dataclass(frozen=True)
class Run:
    """What one system made of the test sentences."""

    texts: list[str]
    words: int
    seconds: float
    total: float
    scoring: float
    by_length: dict[int, tuple[int, float]]


def prepare(corpus: Corpus, folder: Path) -> None:
    """Train everything and write the systems' files."""
    bitext = Bitext.read(corpus.source, corpus.target, corpus.alignment)
    phrases = extract_phrases(bitext, "hier-msd")
    PhraseTable.build(phrases).save(folder / "phrase-table")
    LanguageModel.estimate(corpus.target, discount_fallback=True).save(folder / "lm")
    for name in SYSTEMS:
        parts: tuple[ReorderingSection, ...] = ()
        weights = dict(_WEIGHTS)
        if name != "none":
            classifier, _, features = name.partition("-")
            model = ReorderingModel(features or "S6", classifier)
            model.fit(phrases).save(folder / name)
            parts = (ReorderingSection(model=Path(name)),)
            weights[ModelScorer(model).name] = _REORDERING
        system = System(phrase_table=Path("phrase-table"), lm=Path("lm"), reordering=parts)
        system.model_copy(update={"folder": folder}).with_weights(weights).write(
            folder / f"{name}.toml"
        )


def translate(file: Path, beam: dict[str, int], source: Path) -> Run:
    """Translate on one thread, and format n-best lists as Moses wrote them."""
    lines = source.read_text(encoding="utf-8").splitlines()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        decoder = System.read(file).with_search(**beam).load()
    texts, total = [], 0.0
    by_length: dict[int, tuple[int, float]] = defaultdict(lambda: (0, 0.0))
    unknown = decoder.layout.slice("UnknownWordPenalty0")
    began = time.perf_counter()
    for number, line in enumerate(lines):
        started = time.perf_counter()
        (made,) = decoder.translate([line], nbest_size=NBEST, n_jobs=1)
        nbest_lines(number, made)
        texts.append(made.text)
        total += made.best.total - float(made.best.features[unknown][0])
        words, seconds = by_length[len(made.source) // 10]
        by_length[len(made.source) // 10] = (
            words + len(made.source),
            seconds + time.perf_counter() - started,
        )
    seconds = time.perf_counter() - began
    words = sum(count for count, _ in by_length.values())
    average = total / len(lines)
    return Run(texts, words, seconds, average, scoring_time(decoder, lines), dict(by_length))


def scoring_time(decoder: Decoder, lines: list[str]) -> float:
    """Return how long the reordering models take for all options of all sentences."""
    options = [decoder.translation_options(line.split()) for line in lines]
    began = time.perf_counter()
    for found in options:
        for scorer in decoder.reordering.values():
            scorer.log_probabilities(found)
    return time.perf_counter() - began


def texts_of(settings: Settings) -> tuple[Corpus, TestText]:
    """Return training and test text: real ones, or two synthetic ones."""
    if settings.corpus and settings.test:
        return settings.corpus, settings.test
    made = synthetic_corpus(settings.scratch, 1000 if settings.toy else 20_000)
    count = 20 if settings.toy else 500
    test = TestText(settings.scratch / "test.source", (settings.scratch / "test.target",))
    for path, held_out in (
        (made.source, test.source),
        (made.target, test.references[0]),
        (made.alignment, None),
    ):
        lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
        path.write_text("".join(lines[:-count]), encoding="utf-8")
        if held_out is not None:
            held_out.write_text("".join(lines[-count:]), encoding="utf-8")
    return made, test


def decoding(settings: Settings) -> None:
    """Compare systems and beams on one thread."""
    corpus, test = texts_of(settings)
    folder = settings.scratch / "systems"
    measure(prepare, corpus, folder)
    references = [p.read_text(encoding="utf-8").splitlines() for p in test.references]
    rows = []
    runs: dict[tuple[str, str], Measured[Run]] = {}
    for system in SYSTEMS:
        for name, beam in BEAMS.items():
            if system in ("none", "svm-S7") and name != USUAL and settings.toy:
                continue
            done = runs[system, name] = measure(
                translate, folder / f"{system}.toml", beam, test.source
            )
            made = done.result
            score = bleu(made.texts, references)
            rows.append(
                (
                    system,
                    name,
                    f"{made.words / made.seconds:,.0f}",
                    f"{made.total:.4f}",
                    f"{score.score:.2f}",
                    f"{100 * made.scoring / made.seconds:.1f} %",
                    f"{done.peak_mb:.0f}",
                )
            )
    columns = (
        "reordering model",
        "beam",
        "source words/s",
        "average total",
        "BLEU",
        "time of the model",
        "peak MB",
    )
    title = f"Translation on one thread with {NBEST}-best lists: {corpus.name}"
    print_table(title, columns, rows)
    print(f"\nUnknown-word penalty left out of the totals. BLEU: {score.signature}")
    print(
        "Moses on bible_ar_en, stack 200: none 117 words/s, 199 MB; lexicalised 77 words/s, 248 MB,"
        " average total -5.012 (with these weights)."
    )
    _print_lengths(runs["lexicalised", USUAL].result)


def _print_lengths(made: Run) -> None:
    rows = [
        (f"{10 * size}-{10 * size + 9}", f"{words:,}", f"{1e3 * seconds / words:.2f}")
        for size, (words, seconds) in sorted(made.by_length.items())
    ]
    title = "Time by the length of the sentence: lexicalised, stack 200, distortion limit 6"
    print_table(title, ("words in the sentence", "words in all", "ms a word"), rows)


if __name__ == "__main__":
    run((decoding,), __doc__ or "")
