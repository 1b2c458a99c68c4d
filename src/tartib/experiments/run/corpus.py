"""The corpus of an experiment: phrase pairs, the parts they are divided into, and sparse rows."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tartib import storage
from tartib.bitext import ReadOptions, read_blocks
from tartib.dataset import Dataset, build_dataset
from tartib.errors import OptionError
from tartib.experiments.run.options import CorpusOptions
from tartib.experiments.run.stages import Stage, Workspace, file_digest
from tartib.extraction import extract_phrases
from tartib.features import FeatureEncoder
from tartib.orientation import OrientationModel
from tartib.phrases import PhrasePairs

ROWS_FORMAT = "tartib experiment rows"


@dataclass(frozen=True)
class Corpus(Stage):
    """The text and how it is read: what all stages depend on."""

    files: tuple[tuple[str, str], ...]
    languages: tuple[str, str] | None
    max_sentence_length: int
    skip_empty: bool
    max_phrase_length: int

    @classmethod
    def of(cls, options: CorpusOptions) -> Corpus:
        """Look at the files that the options name."""
        paths = {**options.text, "alignment": options.alignment}
        return cls(
            tuple((name, file_digest(path)) for name, path in paths.items() if path is not None),
            options.languages,
            options.max_sentence_length,
            options.skip_empty,
            options.max_phrase_length,
        )

    def make(
        self, workspace: Workspace, options: CorpusOptions, *, progress: bool = False
    ) -> PhrasePairs:
        """Extract the phrase pairs, or load them if that was done before."""
        folder = workspace.work / self.key
        if folder.is_dir():
            return PhrasePairs.load(folder)
        first, second = (*options.text.values(), None)[:2]  # a bitext has both sides
        assert first is not None  # noqa: S101 -- the options were checked
        read = ReadOptions(self.max_sentence_length, self.skip_empty, self.languages)
        blocks = read_blocks(first, second, options.alignment, options=read)
        return extract_phrases(
            blocks,
            options.first_orientation,
            self.max_phrase_length,
            out=folder,
            n_jobs=options.jobs,
            progress=progress,
        )


@dataclass(frozen=True)
class Target:
    """What is classified."""

    orientation: str
    direction: str

    @property
    def name(self) -> str:
        """For files."""
        return f"{self.orientation}-{self.direction}"

    @property
    def model(self) -> OrientationModel:
        """The orientation model."""
        return OrientationModel.parse(self.orientation)

    def labels(self, phrases: PhrasePairs) -> NDArray[np.uint8]:
        """Return the classes of phrase pairs."""
        return phrases.labels(self.model, self.direction)


@dataclass(frozen=True)
class Parts:
    """Phrase pairs to train on, to try hyper-parameters on, to choose them by, and to test on."""

    train: PhrasePairs
    tuning: PhrasePairs
    development: PhrasePairs
    test: PhrasePairs


@dataclass(frozen=True)
class Division(Stage):
    """How the sentences are divided, and which fold is meant.

    If nothing is held out to test on, tests are done on the development part.
    """

    corpus: Corpus
    held_out: float
    development: float
    folds: int
    fold: int
    seed: int
    tune_pairs: int

    def of(self, phrases: PhrasePairs) -> Parts:
        """Divide phrase pairs by sentence; the seed decides."""
        if self.folds > 1:
            rest, test = self._fold(phrases)
        elif self.held_out:
            rest, test = phrases.split(held_out=self.held_out, seed=self.seed)
        else:
            rest, test = phrases, None
        train, development = rest.split(held_out=self.development, seed=self.seed)
        test = development if test is None else test
        for name, part in (("train", train), ("choose", development), ("test", test)):
            if len(part) == 0:
                raise OptionError(f"no phrase pairs are left to {name} on: the corpus is too small")
        some = int((np.diff(train.offsets) > 0).sum())
        share = max(1 / some, min(1.0, self.tune_pairs / len(train)))  # one sentence at least
        return Parts(train, train.sample(share, seed=self.seed), development, test)

    def _fold(self, phrases: PhrasePairs) -> tuple[PhrasePairs, PhrasePairs]:
        number = np.full(len(phrases.bitext), -1)
        some = np.flatnonzero(np.diff(phrases.offsets) > 0)
        shuffled = np.random.default_rng(self.seed).permutation(some)
        number[shuffled] = np.arange(len(shuffled)) % self.folds
        note = f"fold:{self.fold}/{self.folds},seed:{self.seed}"
        return (
            phrases.of_sentences(number != self.fold, note=f"train_without_{note}"),
            phrases.of_sentences(number == self.fold, note=f"test_{note}"),
        )

    def load(self, workspace: Workspace) -> Parts:
        """Divide the pairs that are in the workspace."""
        return self.of(PhrasePairs.load(workspace.work / self.corpus.key))


@dataclass(frozen=True)
class Rows(Stage):
    """Sparse rows of all parts, for one feature set; ``share`` is that of the training sentences.

    Attributes
    ----------
    division
        The parts.
    features
        Name of the feature set.
    cutoff
        Of the features, in the training part.
    share
        Of the training sentences.
    """

    division: Division
    features: str
    cutoff: int
    share: float

    def ready(self, workspace: Workspace, targets: tuple[Target, ...]) -> bool:
        """Whether the rows are there, with these labels."""
        folder = workspace.work / self.key
        return (folder / "meta.json").is_file() and all(
            (folder / f"train-{target.name}.npy").is_file() for target in targets
        )

    def load(self, workspace: Workspace, part: str, target: Target) -> Dataset:
        """Memory-map the rows of a part, with their labels."""
        folder = workspace.work / self.key
        y = storage.load_array(folder / f"{part}-{target.name}.npy", np.int32)
        return Dataset.load(folder / part).with_labels(y, target.model.labels)

    def trained_on(self, workspace: Workspace, target: Target) -> str:
        """Return the signature of the training pairs."""
        meta = storage.read_json(workspace.work / self.key / "meta.json")
        return str(meta["trained_on"][target.name])

    def encoder(self, workspace: Workspace) -> FeatureEncoder:
        """Load the dictionary of features."""
        return FeatureEncoder.load(workspace.work / self.key / "features")


def make_rows(folder: Path, spec: Rows, targets: tuple[Target, ...], jobs: int) -> None:
    """Find the features of the training part and write the rows of all parts."""
    workspace = Workspace(folder)
    workspace.remove(spec.key)
    began = time.perf_counter()
    parts = spec.division.load(workspace)
    train = parts.train
    if spec.share < 1:
        train = train.sample(spec.share, seed=spec.division.seed)
    encoder = FeatureEncoder.fit(train, spec.features, cutoff=spec.cutoff, n_jobs=jobs)
    if encoder.n_features == 0:
        raise OptionError(f"no feature occurs more than {spec.cutoff} times: lower the cut-off")
    with storage.new_folder(workspace.work / spec.key, ROWS_FORMAT) as aside:
        encoder.save(aside / "features")
        for name in ("train", "tuning", "development", "test"):
            pairs = train if name == "train" else getattr(parts, name)
            if name == "tuning" and spec.share < 1:
                continue
            build_dataset(pairs, encoder, out=aside / name, n_jobs=jobs)
            for target in targets:
                np.save(aside / f"{name}-{target.name}.npy", target.labels(pairs).astype(np.int32))
        signatures = {t.name: train.reading_as(t.model).signature for t in targets}
        meta = {"format": ROWS_FORMAT, "trained_on": signatures}
        storage.write_json(aside / "meta.json", meta)
    if workspace.read(spec.key) is None:  # rows made again change nothing
        workspace.write(spec.key, {"seconds": time.perf_counter() - began})
