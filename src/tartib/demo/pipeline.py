"""The demo from end to end: text, phrase pairs, features, models, translations, a report."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tartib.bitext import Bitext
from tartib.demo.translation import SYSTEMS, DemoTexts, divide, translation_options
from tartib.evaluation import ClassificationReport
from tartib.experiments import (
    ClassificationOptions,
    TranslationResults,
    run_classification,
    run_translation,
)
from tartib.experiments.translation.run import file_stem
from tartib.extraction import extract_phrases
from tartib.features import FeatureEncoder
from tartib.orientation import MODELS, OrientationModel
from tartib.phrases import PhrasePair, PhrasePairs
from tartib.reordering import Explanation, ReorderingModel
from tartib.synthetic import write_corpus

CLASSIFIERS = ("lexicalised", "svm", "mlr")
EXAMPLES_PER_CLASS = 3
FEATURE_EXAMPLES = 3
CLASSIFICATION, TRANSLATION = "experiments/classification", "experiments/translation"  # folders
TITLE = "Both papers on a small synthetic corpus"
INTRODUCTION = (
    "A grammar writes this corpus, so that the figures say nothing about real text. Both halves "
    "learn from the same training text. Classification holds out a part of it to test on; "
    "translation systems are tuned and tested on other sentences."
)
TUNE_PAIRS = 30_000  # fewer than usual, for a demo is not to take long


@dataclass(frozen=True)
class Example:
    """A phrase pair of one class, with the sentence that it stands in."""

    label: str
    pair: PhrasePair
    source: list[str]
    target: list[str]

    def marked(self) -> tuple[str, str]:
        """Return the two sentences with the pair between brackets."""
        pair = self.pair
        return (
            mark(self.source, pair.source_start, len(pair.source)),
            mark(self.target, pair.target_start, len(pair.target)),
        )


@dataclass(frozen=True)
class Demo:
    """What the demo made; phrase pairs and models are those of the training text.

    ``system`` is the file of the last tuned translation system.
    """

    phrases: PhrasePairs
    counts: dict[str, dict[str, int]]
    examples: list[Example]
    encoder: FeatureEncoder
    features: list[tuple[Example, list[str]]]
    models: list[TrainedModel]
    explanation: Explanation
    translation: TranslationResults
    system: Path
    report: Path


@dataclass(frozen=True)
class TrainedModel:
    """A reordering model, and how it does on sentences that it was not trained on."""

    name: str
    parameters: int
    seconds: float
    report: ClassificationReport


def run_demo(out: str | Path, *, pairs: int = 5000, seed: int = 0, progress: bool = False) -> Demo:
    """Make the synthetic corpus, its phrase pairs, models of them and both papers' experiments.

    What an earlier demo made is replaced; of the experiments only what has changed.

    Parameters
    ----------
    out
        Gets ``report.html`` and the folders ``corpus``, ``phrases``, ``model`` and ``experiments``.
    pairs
        How many sentence pairs, of which some are for tuning and for the test.
    seed
        The same seed gives the same corpus.
    progress
        Show progress bars on a terminal.
    """
    folder = Path(out)
    corpus = write_corpus(
        folder / "corpus", pairs, seed, overwrite=True, n_jobs=1, progress=progress
    )
    texts = divide(corpus, pairs)
    phrases = extract_phrases(
        Bitext.read(*texts.train), out=folder / "phrases", overwrite=True, progress=progress
    )
    orientations = [OrientationModel(model, "msd") for model in MODELS]
    counts = {str(orientation): phrases.counts(orientation) for orientation in orientations}
    found = _examples(phrases, seed)
    encoder = FeatureEncoder.fit(phrases, "S6", progress=progress)
    moved = [(i, example) for i, example in found.items() if example.label != "mono"]
    features = [(e, encoder.base_features(phrases, i)) for i, e in moved[:FEATURE_EXAMPLES]]
    models, explanation = _train(*phrases.split(held_out=0.1, seed=seed), folder / "model")
    translation, report = _experiments(texts, folder, seed, progress=progress)
    return Demo(
        phrases,
        counts,
        list(found.values()),
        encoder,
        features,
        models,
        explanation,
        translation,
        folder / TRANSLATION / "systems" / f"{file_stem(SYSTEMS[-1], 0)}.toml",
        report,
    )


def _experiments(
    texts: DemoTexts, folder: Path, seed: int, *, progress: bool
) -> tuple[TranslationResults, Path]:
    """Run both halves of the papers, and show them on one page."""
    # Drawing takes long to import.
    from tartib.experiments.classification.report import chapter_of as classification_chapter
    from tartib.experiments.report.html import write_page
    from tartib.experiments.translation.report import chapter_of as translation_chapter

    source, target, alignment = texts.train
    options = ClassificationOptions(
        source=source,
        target=target,
        alignment=alignment,
        tune_pairs=TUNE_PAIRS,
        beside_paper=True,
        seed=seed,
    )
    classified = run_classification(options, folder / CLASSIFICATION, progress=progress)
    translated = run_translation(
        translation_options(texts, tune_pairs=TUNE_PAIRS, seed=seed),
        folder / TRANSLATION,
        progress=progress,
    )
    chapters = [
        classification_chapter(classified, beside_paper=True, folder=CLASSIFICATION),
        translation_chapter(translated, folder=TRANSLATION),
    ]
    write_page(folder / "report.html", chapters, TITLE, INTRODUCTION)
    return translated, folder / "report.html"


def _train(
    train: PhrasePairs, held_out: PhrasePairs, out: Path
) -> tuple[list[TrainedModel], Explanation]:
    """Train the papers' models, and explain a swap by the last one."""
    trained = []
    for classifier in CLASSIFIERS:
        began = time.perf_counter()
        model = ReorderingModel("S6", classifier).fit(train)
        seconds = time.perf_counter() - began
        report = model.evaluate(held_out)
        trained.append(TrainedModel(classifier, model.n_parameters, seconds, report))
    model.save(out, overwrite=True)
    swaps = held_out.find(label="swap")
    chosen = int(swaps[len(swaps) // 2]) if len(swaps) else 0
    return trained, model.explain(held_out, chosen)


def _examples(phrases: PhrasePairs, seed: int) -> dict[int, Example]:
    """Choose a few short pairs of each class, by index, in sentences that fit a line."""
    rng = np.random.default_rng(seed)
    short = (phrases.records["source_length"] <= 2) & (phrases.records["target_length"] <= 3)
    short &= phrases.bitext.target.lengths[phrases.sentences] <= 14
    examples: dict[int, Example] = {}
    for label in phrases.orientation.labels:
        found = phrases.find(label=label)
        found = rng.permutation(found[short[found]])
        for index in found[:EXAMPLES_PER_CLASS]:
            pair = phrases[int(index)]
            sentence = phrases.bitext[pair.sentence]
            examples[int(index)] = Example(label, pair, sentence.source, sentence.target)
    return examples


def mark(words: list[str], start: int, length: int) -> str:
    """Return a sentence with a phrase between brackets."""
    phrase = " ".join(words[start : start + length])
    return " ".join([*words[:start], f"[{phrase}]", *words[start + length :]])
