"""The stages of a build after the text is prepared; reordering models and tuning are experiments'.

Texts are files that earlier stages left, named by what is in them: a stage is done again only if
what it reads has changed.
"""

from __future__ import annotations

import time
import warnings
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

from tartib import storage
from tartib.alignment import align, write_alignment
from tartib.bitext import Bitext, ReadOptions
from tartib.decoder import Decoder, System
from tartib.evaluation import compare
from tartib.experiments.run.stages import UNKEYED, Stage, TextFile
from tartib.experiments.run.workspace import Workspace
from tartib.experiments.translation.stages import (
    Assembly,
    Search,
    Table,
    Text,
    Tuned,
    folder_bytes,
    listed,
    load_untuned,
    mean_weights,
    steps_of,
)
from tartib.lm import LanguageModel
from tartib.phrase_table import PhraseTable
from tartib.text import TextModel, TextSide
from tartib.textio import read_lines, split_words

LINKS_FORMAT, LINKS_VERSION = "tartib build alignment", 1
TEXT_FORMAT, TEXT_VERSION = "tartib prepared text", 1


def check_text(folder: Path) -> None:
    """Refuse prepared text that is damaged; large files are compared until the stage ends."""
    what, hint = "prepared text", f"delete {folder}, and the same command makes it again"
    storage.check_format(folder, TEXT_FORMAT, TEXT_VERSION, what, hint)


def check_links(folder: Path) -> None:
    """Refuse a word alignment that is damaged."""
    what, hint = "a word alignment", f"delete {folder}, and the same command makes it again"
    storage.check_format(folder, LINKS_FORMAT, LINKS_VERSION, what, hint)


@dataclass(frozen=True)
class Aligned(Stage):
    """The word alignment of the training text."""

    source: TextFile
    target: TextFile
    max_tokens: int
    aligner: str
    heuristic: str
    attach: float | None

    leaves_folder: ClassVar[bool] = True

    @property
    def title(self) -> str:
        """What it does."""
        return "align"

    def run(self, workspace: Workspace, n_jobs: int) -> None:
        """Align the words."""
        check_text(self.source.path.parent)
        options = ReadOptions(self.max_tokens)
        bitext = Bitext.read(self.source.path, self.target.path, options=options)
        bitext = align(bitext, self.aligner, self.heuristic, attach=self.attach, n_jobs=n_jobs)
        with storage.new_folder(self.folder(workspace), LINKS_FORMAT, overwrite=True) as aside:
            write_alignment(bitext, aside / "links")
            meta = {"format": LINKS_FORMAT, "version": LINKS_VERSION}
            storage.write_json(aside / "meta.json", meta)
        workspace.write(self.key, {"links": len(bitext.links), "sentences": len(bitext)})


@dataclass(frozen=True)
class PrunedTable(Table):
    """The phrase table, of what translation needs."""

    discounting: str
    min_count: int
    significance_pruning: float | str | None
    table_limit: int

    def run(self, workspace: Workspace, n_jobs: int) -> None:
        """Score the phrase pairs."""
        table = PhraseTable.build(
            self.corpus.load(workspace),
            discounting=self.discounting,
            min_count=self.min_count,
            significance_pruning=self.significance_pruning,
            table_limit=self.table_limit or None,
            n_jobs=n_jobs,
        )
        table.save(self.folder(workspace), overwrite=True)
        found = {"entries": len(table), "bytes": folder_bytes(self.folder(workspace))}
        workspace.write(self.key, found)


@dataclass(frozen=True)
class TargetLm(Stage):
    """The language model of the target side, and of more text of that language."""

    text: TextFile
    order: int
    prune: tuple[int, ...]

    leaves_folder: ClassVar[bool] = True

    @property
    def title(self) -> str:
        """What it is."""
        return "language model"

    def run(self, workspace: Workspace, n_jobs: int) -> None:
        """Estimate the language model."""
        check_text(self.text.path.parent)
        lm = LanguageModel.estimate(
            self.text.path,
            self.order,
            self.prune,
            discount_fallback=True,  # small texts have too few n-grams to compute discounts
            skip_symbols=True,
            n_jobs=n_jobs,
        )
        lm.save(self.folder(workspace), overwrite=True)
        found = {"entries": sum(lm.counts), "bytes": folder_bytes(self.folder(workspace))}
        workspace.write(self.key, found)


@dataclass(frozen=True)
class Portion(Text):
    """Some sentences of a development or test set, in tokens and as they were.

    Attributes
    ----------
    raw_source, raw_references
        The same as people wrote it.
    first, step, count
        Which sentences: from the ``first``, every ``step``-th, at most ``count`` of them.
    """

    raw_source: TextFile
    raw_references: tuple[TextFile, ...]
    first: int = 0
    step: int = 1
    count: int | None = None

    def _chosen(self, lines: list[str]) -> list[str]:
        return lines[self.first :: self.step][: self.count]

    def read(self) -> tuple[list[str], list[list[str]]]:
        """Return the sentences and their references in tokens."""
        check_text(self.source.path.parent)
        references = [self._chosen(read_lines(file.path)) for file in self.references]
        return self._chosen(read_lines(self.source.path)), references

    def read_raw(self) -> tuple[list[str], list[list[str]]]:
        """Return the sentences and their references as people wrote them."""
        check_text(self.source.path.parent)
        references = [self._chosen(read_lines(file.path)) for file in self.raw_references]
        return self._chosen(read_lines(self.raw_source.path)), references


@dataclass(frozen=True)
class TunedFrom(Tuned):
    """A tuning that starts from the weights of another one, of the same system or a smaller one."""

    start: Tuned

    def decoder(self, workspace: Workspace) -> Decoder:
        """Load the system; features that the other one has not get their share by default."""
        system = self.assembly.system(workspace, self.search)
        usual = load_untuned(system).weights_by_name
        total = sum(abs(weight) for weights in usual.values() for weight in listed(weights))
        weights = {
            name: tuple(weight / total for weight in listed(values))
            for name, values in usual.items()
        }
        found = workspace.require(self.start.key)["weights"]
        weights |= {name: tuple(listed(found[name])) for name in weights if name in found}
        return system.with_weights(weights).load()


@dataclass(frozen=True)
class Judging:
    """How translations are scored.

    Attributes
    ----------
    module
        The files of the text module.
    tokenize, samples, seed
        As in `compare`.
    """

    module: tuple[TextFile, ...]
    tokenize: str
    samples: int
    seed: int

    def target(self) -> TextSide:
        """Load what restores the target side."""
        return TextModel.load(self.module[0].path.parent).target


@dataclass(frozen=True)
class Scored(Stage):
    """What a system makes of a text, restored and compared with what people wrote.

    Attributes
    ----------
    name
        What is scored, for people.
    assembly, tuned
        The system, and the tunings whose mean weights it has.
    search
        Options of the search.
    text, judging
        The text and how it is scored.
    """

    name: str = field(metadata=UNKEYED, compare=False)
    assembly: Assembly
    tuned: tuple[Tuned, ...]
    search: Search
    text: Portion
    judging: Judging

    @property
    def title(self) -> str:
        """What it does."""
        return self.name

    def system(self, workspace: Workspace) -> System:
        """Return the system with its weights."""
        weights = mean_weights([workspace.require(stage.key)["weights"] for stage in self.tuned])
        return self.assembly.system(workspace, self.search).with_weights(weights)

    def run(self, workspace: Workspace, n_jobs: int) -> None:
        """Translate, restore and score."""
        decoder = self.system(workspace).load()
        source, _ = self.text.read()
        raw, references = self.text.read_raw()
        began = time.perf_counter()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # of long sentences, cut
            translated = list(decoder.translate(source, n_jobs=n_jobs))
        seconds = time.perf_counter() - began
        target = self.judging.target()
        lines = [
            target.restore(translation.text, like=like)
            for translation, like in zip(translated, raw, strict=True)
        ]
        known = decoder.table.source_vocabulary
        words = [word for line in source for word in split_words(line)]
        found = {
            "scores": self._scores(lines, references),
            "seconds": seconds,
            "sentences": len(lines),
            "words": len(words),
            "unknown": sum(known.id(word) is None for word in words),
            "lines": lines,
            "tokens": [translation.text for translation in translated],
            "steps": [steps_of(translation) for translation in translated],
        }
        workspace.write(self.key, found)

    def _scores(self, lines: list[str], references: list[list[str]]) -> dict[str, dict[str, Any]]:
        """Return BLEU and chrF, each with its interval and signature."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = compare(
                {"system": [lines]},
                references,
                metrics=("bleu", "chrf"),
                samples=self.judging.samples,
                seed=self.judging.seed,
                tokenize=self.judging.tokenize,
            )
        return {
            metric: {
                "score": figure.score,
                "low": figure.low,
                "high": figure.high,
                "signature": found.signature(metric),
            }
            for metric, figure in found.systems["system"].items()
        }
