"""What a translation experiment does for each system: models, tuning, and the test.

Phrase table and language model are made once for all systems.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Literal

import numpy as np

from tartib.decoder import Decoder, SearchOptions, System, Translation
from tartib.decoder.orientation_scorers import UnknownWords
from tartib.decoder.system_sections import ReorderingSection, SparseReorderingSection
from tartib.errors import OptionError
from tartib.evaluation import bleu
from tartib.experiments.run.classifiers import Model
from tartib.experiments.run.corpus import Corpus
from tartib.experiments.run.stages import UNKEYED, Stage, TextFile
from tartib.experiments.run.workspace import Workspace
from tartib.experiments.translation.systems import MEAN_WEIGHTS
from tartib.lm import LanguageModel
from tartib.phrase_table import PhraseTable
from tartib.textio import read_lines, read_parallel, split_words
from tartib.tuning import TuningOptions, TuningResult, tune
from tartib.wording import counted

Lines = tuple[list[str], list[list[str]]]  # a source and its references


@dataclass(frozen=True)
class Text:
    """A text to tune or to test on, with its references."""

    source: TextFile
    references: tuple[TextFile, ...]

    @classmethod
    def of(cls, source: Path, references: tuple[Path, ...]) -> Text:
        """Hash the content of the files."""
        return cls(TextFile.of(source), tuple(map(TextFile.of, references)))

    def read(self) -> tuple[list[str], list[list[str]]]:
        """Return the lines of the source and of each reference."""
        return read_parallel(self.source.path, [file.path for file in self.references])


@dataclass(frozen=True)
class Table(Stage):
    """The phrase table."""

    corpus: Corpus

    leaves_folder: ClassVar[bool] = True

    @property
    def title(self) -> str:
        """What it is."""
        return "phrase table"

    def run(self, workspace: Workspace, n_jobs: int) -> None:
        """Score the phrase pairs."""
        table = PhraseTable.build(self.corpus.load(workspace), n_jobs=n_jobs)
        table.save(self.folder(workspace), overwrite=True)
        found = {"entries": len(table), "bytes": folder_bytes(self.folder(workspace))}
        workspace.write(self.key, found)


@dataclass(frozen=True)
class Lm(Stage):
    """The language model of the whole target side."""

    corpus: Corpus
    order: int

    leaves_folder: ClassVar[bool] = True

    @property
    def title(self) -> str:
        """What it is."""
        return "language model"

    def run(self, workspace: Workspace, n_jobs: int) -> None:
        """Estimate the language model."""
        lm = LanguageModel.estimate(
            dict(self.corpus.files)["target"].path,
            self.order,
            discount_fallback=True,  # small texts have too few n-grams to compute discounts
            skip_symbols=True,
            n_jobs=n_jobs,
        )
        lm.save(self.folder(workspace), overwrite=True)
        found = {"entries": sum(lm.counts), "bytes": folder_bytes(self.folder(workspace))}
        workspace.write(self.key, found)


def folder_bytes(folder: Path) -> int:
    """Return the size of all files in a folder."""
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())


@dataclass(frozen=True)
class Sparse:
    """Sparse features of the most frequent words."""

    words: int
    orientation: str
    features: tuple[str, ...]


@dataclass(frozen=True)
class Search:
    """Options of the search; see `SearchOptions`."""

    stack_size: int
    distortion_limit: int
    cube_pops: int
    table_limit: int


@dataclass(frozen=True)
class UsedModel:
    """A reordering model, and what it does with unknown words (None: as is usual for it)."""

    model: Model
    unknown_words: UnknownWords | None = None

    def section(self, folder: Path) -> ReorderingSection:
        """Return its section in a system's file, with the model in this folder."""
        return ReorderingSection(
            model=folder, name=feature_name(self.model), unknown_words=self.unknown_words
        )


@dataclass(frozen=True)
class Assembly:
    """What a system is made of."""

    table: Table
    lm: Stage
    used: tuple[UsedModel, ...]
    sparse: Sparse | None

    @property
    def models(self) -> tuple[Model, ...]:
        """The reordering models."""
        return tuple(used.model for used in self.used)

    def system(self, workspace: Workspace, search: Search) -> System:
        """Return the system, without weights."""
        parts = tuple(used.section(Path(used.model.key)) for used in self.used)
        sparse = None
        if self.sparse is not None:
            sparse = SparseReorderingSection.model_validate(
                {
                    "orientation": self.sparse.orientation,
                    "top": self.sparse.words,
                    "features": self.sparse.features,
                }
            )
        return System(
            phrase_table=Path(self.table.key),
            lm=Path(self.lm.key),
            reordering=parts,
            sparse_reordering=sparse,
            search=SearchOptions(**asdict(search)),
            folder=workspace.work,
        )


def feature_name(model: Model) -> str:
    """Return the name of a reordering model's feature, such as ``svm-S6-backward``."""
    parts = (model.classifier, model.features, model.target.direction)
    return "-".join(part for part in parts if part)


@dataclass(frozen=True)
class Tuned(Stage):
    """A system's weights.

    Attributes
    ----------
    name
        Of the system and the run, for people.
    assembly
        The system.
    text
        The development set.
    search
        Options of the search while tuning.
    tuner, iterations, nbest_size
        How it is done.
    validation
        Share of the development set that nothing is learnt from, and that weights are chosen on; 0
        learns from and chooses on all of it.
    seed
        Of this run.
    """

    name: str = field(metadata=UNKEYED, compare=False)
    assembly: Assembly
    text: Text
    search: Search
    tuner: Literal["mira", "pro", "mert"]
    iterations: int
    nbest_size: int
    validation: float
    seed: int

    @property
    def title(self) -> str:
        """What it does."""
        return f"{self.name}: tuning"

    def divided(self) -> tuple[Lines, Lines | None]:
        """Return source and references to tune on, and those to choose on, if they are others."""
        source, references = self.text.read()
        if not self.validation:
            return (source, references), None
        places = range(len(source))
        held = [int((at + 1) * self.validation) > int(at * self.validation) for at in places]
        if all(held) or not any(held):
            raise OptionError(
                f"the development set of {counted(len(source), 'sentence')} cannot be divided: "
                "change --validation-share"
            )

        def those(wanted: bool) -> Lines:
            kept = [at for at in places if held[at] is wanted]
            return [source[at] for at in kept], [[one[at] for at in kept] for one in references]

        return those(wanted=False), those(wanted=True)

    def decoder(self, workspace: Workspace) -> Decoder:
        """Load the system, with the weights that tuning starts from."""
        return load_untuned(self.assembly.system(workspace, self.search))

    def run(self, workspace: Workspace, n_jobs: int) -> None:
        """Tune the weights; what an interrupted tuning found is used."""
        decoder = self.decoder(workspace)
        dev, validation = self.divided()
        result = tune(
            decoder,
            *dev,
            validation=validation,
            tuner=self.tuner,
            options=TuningOptions(iterations=self.iterations, nbest_size=self.nbest_size),
            seed=self.seed,
            n_jobs=n_jobs,
            folder=self.folder(workspace),
        )
        workspace.write(self.key, _described(decoder, result))
        workspace.remove(self.key)


def load_untuned(system: System) -> Decoder:
    """Load a system that has no weights yet."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # that it is not tuned
        return system.load()


def _described(decoder: Decoder, result: TuningResult) -> dict[str, Any]:
    names = ("number", "bleu", "seconds")
    iterations = [{name: getattr(one, name) for name in names} for one in result.iterations]
    return {
        "weights": decoder.layout.mapping(result.weights),
        "iterations": iterations,
        "bleu": result.best.judged,
        "chosen": result.best.number,
        "stopped": result.stopped,
        "seconds": result.seconds,
        "n_weights": len(result.weights),
    }


@dataclass(frozen=True)
class MeanWeights(Stage):
    """The mean of the weights that several tunings of a system found."""

    runs: tuple[Tuned, ...]

    @property
    def name(self) -> str:
        """Of the system and its runs, for people."""
        return f"{self.runs[0].name.rpartition(', ')[0]}, {MEAN_WEIGHTS}"

    @property
    def title(self) -> str:
        """What it does."""
        return f"{self.name}: development set"

    @property
    def assembly(self) -> Assembly:
        """The system."""
        return self.runs[0].assembly

    def run(self, workspace: Workspace, n_jobs: int) -> None:
        """Take the mean, and decode what the weights of each run were chosen on."""
        began = time.perf_counter()
        first = self.runs[0]
        weights = mean_weights([workspace.require(run.key)["weights"] for run in self.runs])
        system = self.assembly.system(workspace, first.search).with_weights(weights)
        dev, validation = first.divided()
        source, references = validation or dev
        lines = [found.text for found in system.load().translate(source, n_jobs=n_jobs)]
        found = {
            "weights": weights,
            "iterations": [],
            "bleu": bleu(lines, references).score,
            "chosen": 0,
            "stopped": f"mean of {counted(len(self.runs), 'run')}",
            "seconds": time.perf_counter() - began,
            "n_weights": workspace.require(first.key)["n_weights"],
        }
        workspace.write(self.key, found)


def mean_weights(runs: Sequence[dict[str, Sequence[float]]]) -> dict[str, tuple[float, ...]]:
    """Return the mean of the weights of several tuning runs; what a run lacks is 0."""
    names = dict.fromkeys(name for run in runs for name in run)
    sizes = {name: next(len(listed(run[name])) for run in runs if name in run) for name in names}
    return {
        name: tuple(np.mean([listed(run.get(name, [0.0] * size)) for run in runs], axis=0).tolist())
        for name, size in sizes.items()
    }


def listed(value: Sequence[float] | float) -> list[float]:
    """Return weights of a feature as a list, also where there is only one."""
    return list(value) if isinstance(value, Sequence) else [value]


@dataclass(frozen=True)
class Decoded(Stage):
    """What a tuned system makes of a test set.

    ``name`` is that of the set, if there are several.
    """

    name: str = field(metadata=UNKEYED, compare=False)
    tuned: Tuned | MeanWeights
    source: TextFile
    search: Search

    @property
    def title(self) -> str:
        """What it does."""
        return f"{self.tuned.name}: {self.name or 'test'}"

    def run(self, workspace: Workspace, n_jobs: int) -> None:
        """Translate the test set, and keep how each sentence was put together."""
        decoder = self.system(workspace).load()
        source = read_lines(self.source.path)
        began = time.perf_counter()
        translated = list(decoder.translate(source, n_jobs=n_jobs))
        seconds = time.perf_counter() - began
        found = {
            "lines": [translation.text for translation in translated],
            "steps": [steps_of(translation) for translation in translated],
            "alignment": [translation.best.alignment for translation in translated],
            "seconds": seconds,
            "words": sum(len(split_words(line)) for line in source),
        }
        workspace.write(self.key, found)

    def system(self, workspace: Workspace) -> System:
        """Return the system with its weights."""
        weights = workspace.require(self.tuned.key)["weights"]
        return self.tuned.assembly.system(workspace, self.search).with_weights(weights)


def steps_of(translation: Translation) -> list[list[Any]]:
    """Return for each phrase its source words [begin, end), target words and orientations."""
    return [
        [step.start, step.end, len(step.target), step.orientation, step.block_orientation]
        for step in translation.best.steps
    ]
