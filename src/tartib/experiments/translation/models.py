"""What all systems share, made of the training text: phrase pairs and table, language model."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tartib.experiments.run.corpus import Corpus
from tartib.experiments.run.results import describe_corpus
from tartib.experiments.run.stages import Stage, Workspace
from tartib.experiments.translation.options import TranslationOptions
from tartib.lm import LanguageModel
from tartib.phrase_table import PhraseTable
from tartib.phrases import PhrasePairs


@dataclass(frozen=True)
class Table(Stage):
    """The phrase table."""

    corpus: Corpus


@dataclass(frozen=True)
class Lm(Stage):
    """The language model of the target side."""

    corpus: Corpus
    order: int


def extract(folder: Path, spec: Corpus, options: TranslationOptions) -> None:
    """Extract phrase pairs."""
    workspace = Workspace(folder)
    found = spec.make(workspace, options)
    corpus = describe_corpus(found, *(path.name for path in options.train))
    fingerprint = found.bitext.fingerprint
    _keep(workspace, spec, {"corpus": corpus.model_dump(), "fingerprint": fingerprint})


def build_table(folder: Path, spec: Table, options: TranslationOptions) -> None:
    """Score the phrase pairs."""
    workspace = Workspace(folder)
    phrases = PhrasePairs.load(workspace.work / spec.corpus.key)
    table = PhraseTable.build(phrases, n_jobs=options.jobs)
    table.save(workspace.work / spec.key, overwrite=True)
    _keep(workspace, spec, {"entries": len(table), "bytes": _bytes(workspace, spec)})


def estimate_lm(folder: Path, spec: Lm, options: TranslationOptions) -> None:
    """Estimate the language model of the whole target side."""
    workspace = Workspace(folder)
    lm = LanguageModel.estimate(
        options.train[1],
        spec.order,
        discount_fallback=True,  # small texts lack what discounts are computed from
        skip_symbols=True,
        n_jobs=options.jobs,
    )
    lm.save(workspace.work / spec.key, overwrite=True)
    _keep(workspace, spec, {"entries": sum(lm.counts), "bytes": _bytes(workspace, spec)})


def _keep(workspace: Workspace, spec: Stage, found: dict[str, Any]) -> None:
    """Keep what was found; what is only made again changes nothing."""
    if workspace.read(spec.key) is None:
        workspace.write(spec.key, found)


def _bytes(workspace: Workspace, spec: Stage) -> int:
    folder = workspace.work / spec.key
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
