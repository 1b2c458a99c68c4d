"""Held-out sentences of the demo's corpus, translated without and with reordering models."""

from __future__ import annotations

import time
import warnings
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tartib.bitext import Bitext
from tartib.decoder import System, Translation
from tartib.decoder.parts import ReorderingPart
from tartib.evaluation import bleu
from tartib.lm import LanguageModel
from tartib.phrase_table import PhraseTable
from tartib.phrases import PhrasePairs
from tartib.progress import progress_bar
from tartib.reordering import ReorderingModel

FEATURES = {"lexicalised": "Lexicalised", "svm": "SVM"}  # of the systems, by classifier
CLASSIFIERS = tuple(FEATURES)
SENTENCES = 200
_LM_ORDER = 4


@dataclass(frozen=True)
class DemoSystem:
    """A translation system and how it did.

    Attributes
    ----------
    name
        ``none`` for the one without a reordering model, or its classifier.
    file
        The system's TOML file.
    bleu, words_per_second, total
        BLEU, speed on all cores, average model score.
    """

    name: str
    file: Path
    bleu: float
    words_per_second: float
    total: float


@dataclass(frozen=True)
class DemoTranslations:
    """What the systems made of the held-out sentences.

    Attributes
    ----------
    systems
        Those that were compared.
    sentences
        How many sentences each one translated.
    signature
        Of the BLEU scores.
    number
        Of the sentence that is shown, from 0.
    example
        A sentence that the last system translates better than the one without a model.
    without
        What the latter makes of it.
    reference
        What it should be.
    """

    systems: list[DemoSystem]
    sentences: int
    signature: str
    number: int
    example: Translation
    without: str
    reference: str


def run_translations(
    train: PhrasePairs, held_out: PhrasePairs, out: Path, *, progress: bool = False
) -> DemoTranslations:
    """Make systems of a corpus' training part and translate some of its held-out sentences.

    Parameters
    ----------
    train, held_out
        The two parts of the corpus' phrase pairs.
    out
        Gets the models, a TOML file for each system, the sentences and their references.
    progress
        Show progress bars on a terminal.
    """
    out.mkdir(parents=True, exist_ok=True)
    bitext = train.bitext
    chosen = np.flatnonzero(np.diff(held_out.offsets))[:SENTENCES].tolist()
    sources = [" ".join(bitext[i].source) for i in chosen]
    references = [" ".join(bitext[i].target) for i in chosen]
    for name, lines in (("source.ar", sources), ("reference.en", references)):
        (out / name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    files = _make_systems(train, out)
    translations = {
        name: _translate(file, sources, name, progress=progress) for name, file in files.items()
    }
    scores = {
        name: bleu([t.text for t in made], [references]) for name, (made, _) in translations.items()
    }
    words = sum(len(line.split()) for line in sources)
    systems = [
        DemoSystem(
            name,
            files[name],
            scores[name].score,
            words / seconds,
            float(np.mean([t.best.total for t in made])),
        )
        for name, (made, seconds) in translations.items()
    ]
    without, best = (translations[name][0] for name in ("none", CLASSIFIERS[-1]))
    at = _most_improved(without, best, references)
    signature = next(iter(scores.values())).signature
    return DemoTranslations(
        systems, len(sources), signature, at, best[at], without[at].text, references[at]
    )


def _make_systems(train: PhrasePairs, out: Path) -> dict[str, Path]:
    """Train phrase table, language model and reordering models; write the systems' files."""
    PhraseTable.build(train).save(out / "phrase-table", overwrite=True)
    lines = _target_lines(train.bitext, train)
    lm = LanguageModel.estimate(lines, order=_LM_ORDER, discount_fallback=True)
    lm.save(out / "lm", overwrite=True)
    files = {}
    for name in ("none", *CLASSIFIERS):
        parts: tuple[ReorderingPart, ...] = ()
        if name != "none":
            model = ReorderingModel("S6", name, calibration=name == "svm").fit(train)
            model.save(out / name, overwrite=True)
            parts = (ReorderingPart(model=Path(name), name=FEATURES[name]),)
        system = System(
            phrase_table=Path("phrase-table"), lm=Path("lm"), reordering=parts, folder=out
        )
        files[name] = system.write(out / f"{name}.toml", overwrite=True)
    return files


def _target_lines(bitext: Bitext, train: PhrasePairs) -> list[str]:
    return [" ".join(bitext[i].target) for i in np.flatnonzero(np.diff(train.offsets)).tolist()]


def _translate(
    file: Path, sources: list[str], name: str, *, progress: bool
) -> tuple[list[Translation], float]:
    """Translate all sentences, and tell how long it took."""
    with warnings.catch_warnings():
        # The demo says itself that its systems are not tuned.
        warnings.simplefilter("ignore", UserWarning)
        decoder = System.read(file).load()
    made = []
    began = time.perf_counter()
    with progress_bar(f"Translating ({name})", len(sources), "sentences", shown=progress) as tick:
        for translation in decoder.translate(sources):
            made.append(translation)
            tick(1)
    return made, time.perf_counter() - began


def _most_improved(
    without: list[Translation], best: list[Translation], references: list[str]
) -> int:
    """Return a sentence whose words moved to where the reference has them, a short one if any."""

    def gain(at: int) -> tuple[bool, bool, float]:
        moved = sorted(without[at].best.words) == sorted(best[at].best.words)
        right, wrong = best[at].text == references[at], without[at].text == references[at]
        jumps = sum(abs(step.jump) for step in best[at].best.steps)
        return right and not wrong, moved, jumps / (len(best[at].source) + 10)

    return max(range(len(best)), key=gain)
