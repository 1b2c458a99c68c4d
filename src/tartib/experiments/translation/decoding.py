"""Systems put together, tuned, and let loose on the test text: each a stage of its own."""

from __future__ import annotations

import time
import warnings
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from tartib.decoder import Decoder, SearchOptions, System, Translation
from tartib.decoder.system_sections import ReorderingPart, SparsePart
from tartib.experiments.run.classifiers import Fit, Lexicalised, model_name
from tartib.experiments.run.stages import Stage, Workspace, file_digest
from tartib.experiments.translation.models import Lm, Table
from tartib.experiments.translation.options import TranslationOptions
from tartib.textio import read_lines, read_parallel, split_words
from tartib.tuning import TuningOptions, TuningResult, tune

Model = Fit | Lexicalised


@dataclass(frozen=True)
class Sparse(Stage):
    """Sparse features of the most frequent words."""

    words: int
    orientation: str
    features: tuple[str, ...]


@dataclass(frozen=True)
class Search(Stage):
    """How the search goes about it; see `SearchOptions`."""

    stack_size: int
    distortion_limit: int
    cube_pops: int
    table_limit: int


@dataclass(frozen=True)
class Assembly(Stage):
    """What a system is made of."""

    table: Table
    lm: Lm
    models: tuple[Model, ...]
    sparse: Sparse | None

    def system(self, workspace: Workspace, search: Search) -> System:
        """Return the system, without weights."""
        parts = tuple(
            ReorderingPart(model=Path(model_name(model)), name=feature_name(model))
            for model in self.models
        )
        sparse = None
        if self.sparse is not None:
            sparse = SparsePart.model_validate(
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


@dataclass(frozen=True)
class Tuned(Stage):
    """A system's weights.

    Attributes
    ----------
    assembly
        The system.
    text
        Digests of source and references.
    search
        While tuning.
    tuner, iterations, nbest_size
        How it is done.
    seed
        Of this run.
    """

    assembly: Assembly
    text: tuple[str, ...]
    search: Search
    tuner: str
    iterations: int
    nbest_size: int
    seed: int


@dataclass(frozen=True)
class Decoded(Stage):
    """What a tuned system makes of the test text; ``text`` is the source's digest."""

    tuned: Tuned
    text: str
    search: Search


def feature_name(model: Model) -> str:
    """Return the name of a reordering model's feature."""
    parts = (model.rows.features, model.name) if isinstance(model, Fit) else ("lexicalised",)
    return "-".join((*parts, model.target.direction))


def digests(paths: Sequence[Path]) -> tuple[str, ...]:
    """Return hashes of some files."""
    return tuple(map(file_digest, paths))


def tune_system(folder: Path, spec: Tuned, options: TranslationOptions) -> None:
    """Tune the weights of a system; what an interrupted tuning found is used."""
    workspace = Workspace(folder)
    system = spec.assembly.system(workspace, spec.search)
    source, references = read_parallel(options.dev, options.dev_reference)
    decoder = _load(system)
    result = tune(
        decoder,
        source,
        references,
        tuner=options.tuner,
        options=TuningOptions(iterations=spec.iterations, nbest_size=spec.nbest_size),
        seed=spec.seed,
        n_jobs=options.jobs,
        folder=workspace.work / spec.key,
    )
    workspace.write(spec.key, _described(decoder, result))
    workspace.remove(spec.key)


def _load(system: System) -> Decoder:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # that it is not tuned
        return system.load()


def _described(decoder: Decoder, result: TuningResult) -> dict[str, Any]:
    names = ("number", "bleu", "seconds")
    iterations = [{name: getattr(one, name) for name in names} for one in result.iterations]
    return {
        "weights": decoder.layout.mapping(result.weights),
        "iterations": iterations,
        "bleu": result.best.bleu,
        "chosen": result.best.number,
        "stopped": result.stopped,
        "seconds": result.seconds,
        "n_weights": len(result.weights),
    }


def tuned_system(workspace: Workspace, spec: Decoded) -> System:
    """Return a system with its weights."""
    weights = workspace.require(spec.tuned.key)["weights"]
    return spec.tuned.assembly.system(workspace, spec.search).with_weights(weights)


def decode(folder: Path, spec: Decoded, options: TranslationOptions) -> None:
    """Translate the test text, and keep how each sentence was put together."""
    workspace = Workspace(folder)
    decoder = tuned_system(workspace, spec).load()
    source = read_lines(options.test)
    began = time.perf_counter()
    translated = list(decoder.translate(source, n_jobs=options.jobs))
    seconds = time.perf_counter() - began
    found = {
        "lines": [translation.text for translation in translated],
        "steps": [_steps(translation) for translation in translated],
        "alignment": [translation.best.alignment for translation in translated],
        "seconds": seconds,
        "words": sum(len(split_words(line)) for line in source),
    }
    workspace.write(spec.key, found)


def _steps(translation: Translation) -> list[list[Any]]:
    """Return for each phrase its source words [begin, end), target words and orientations."""
    return [
        [step.start, step.end, len(step.target), step.orientation, step.block_orientation]
        for step in translation.best.steps
    ]
