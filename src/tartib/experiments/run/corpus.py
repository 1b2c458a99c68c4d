"""The corpus of an experiment: phrase pairs, the parts they are divided into, and sparse rows."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from tartib import storage
from tartib.bitext import Bitext, ReadOptions, read_blocks
from tartib.dataset import Dataset, build_dataset
from tartib.errors import OptionError
from tartib.experiments.run.options import CorpusOptions
from tartib.experiments.run.stages import UNKEYED, Stage, TextFile
from tartib.experiments.run.workspace import Workspace
from tartib.extraction import extract_phrases
from tartib.features import FeatureEncoder
from tartib.orientation import OrientationModel
from tartib.phrases import PhrasePairs
from tartib.reordering import Examples, Inputs, learnt_from

ROWS_FORMAT = "tartib experiment rows"
ROWS_VERSION = 1
_AGAIN = "delete the folder, and run the experiment again"


@dataclass(frozen=True)
class Corpus(Stage):
    """The text, how it is read, and its phrase pairs: all other stages build on it."""

    files: tuple[tuple[str, TextFile], ...]
    languages: tuple[str, str] | None
    max_sentence_length: int
    skip_empty: bool
    max_phrase_length: int

    leaves_folder: ClassVar[bool] = True

    @classmethod
    def of(cls, options: CorpusOptions) -> Corpus:
        """Make the stage; the files are read for their hashes."""
        paths = {**options.text, "alignment": options.alignment}
        return cls(
            tuple((name, TextFile.of(path)) for name, path in paths.items() if path is not None),
            options.languages,
            options.max_sentence_length,
            options.skip_empty,
            options.max_phrase_length,
        )

    @property
    def title(self) -> str:
        """What it does."""
        return "phrase pairs"

    def run(self, workspace: Workspace, n_jobs: int) -> None:
        """Extract the phrase pairs, and count what is in the corpus."""
        paths = {name: file.path for name, file in self.files}
        alignment = paths.pop("alignment", None)
        first, second = (*paths.values(), None)[:2]  # a bitext has both sides
        assert first is not None  # noqa: S101 -- the options were checked
        read = ReadOptions(self.max_sentence_length, self.skip_empty, self.languages)
        phrases = extract_phrases(
            read_blocks(first, second, alignment, options=read),
            max_phrase_length=self.max_phrase_length,
            out=self.folder(workspace),
            overwrite=True,
            n_jobs=n_jobs,
        )
        found = {"sizes": _sizes(phrases), "fingerprint": phrases.bitext.fingerprint}
        workspace.write(self.key, found)

    def load(self, workspace: Workspace) -> PhrasePairs:
        """Memory-map the phrase pairs."""
        return PhrasePairs.load(self.folder(workspace))


def _sizes(phrases: PhrasePairs) -> dict[str, Any]:
    """Count what is in a corpus, as `CorpusResults` has it."""
    bitext = phrases.bitext
    return {
        "sentences": len(bitext),
        "source": _side(bitext, "source"),
        "target": _side(bitext, "target"),
        "links": len(bitext.links),
        "pairs": len(phrases),
        "max_phrase_length": phrases.max_phrase_length,
        "skipped": bitext.skipped._asdict(),
    }


def _side(bitext: Bitext, side: str) -> dict[str, float]:
    text = getattr(bitext, side)
    words, vocabulary = len(text.ids), len(text.vocabulary)
    return {
        "words": words,
        "words_per_line": words / max(len(bitext), 1),
        "vocabulary": vocabulary,
        "vocabulary_share": vocabulary / max(words, 1),
    }


@dataclass(frozen=True)
class Target:
    """What a model learns: an orientation in a direction."""

    orientation: str
    direction: str

    @property
    def name(self) -> str:
        """Orientation and direction in one word, such as ``hier-msd-backward``."""
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
    """Phrase pairs to train on, to try hyper-parameters on, to choose them by, and to test on.

    Attributes
    ----------
    pairs
        All phrase pairs of the sentences to train on; the others are what models learn from.
    """

    pairs: PhrasePairs
    train: PhrasePairs
    tuning: PhrasePairs
    development: PhrasePairs
    test: PhrasePairs


@dataclass(frozen=True)
class Division:
    """How the sentences are divided, which fold is meant, and what of them is learnt from.

    If nothing is held out to test on, tests are done on the development part. With
    ``learn_from`` ``derivations``, all parts are steps of derivations, made likely by the pairs to
    train on.
    """

    corpus: Corpus
    held_out: float
    development: float
    folds: int
    fold: int
    seed: int
    tune_pairs: int
    learn_from: str = "pairs"

    @property
    def learnt(self) -> str:
        """What titles say of ``learn_from``; nothing if it is as usual."""
        return "" if self.learn_from == "pairs" else f", {self.learn_from}"

    def of(self, phrases: PhrasePairs, n_jobs: int | None = None) -> Parts:
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
        pairs = train
        train, development, test = self._learnt_from((train, development, test), n_jobs)
        some = int((np.diff(train.offsets) > 0).sum())
        share = max(1 / some, min(1.0, self.tune_pairs / len(train)))  # one sentence at least
        return Parts(pairs, train, train.sample(share, seed=self.seed), development, test)

    def _learnt_from(self, parts: Sequence[PhrasePairs], n_jobs: int | None) -> list[PhrasePairs]:
        """Return what is learnt from of each part; the first is the one to train on."""
        given = dict.fromkeys(parts)  # the test part may be the development part
        found = {
            part: learnt_from(part, self.learn_from, self.seed, known=parts[0], n_jobs=n_jobs)
            for part in given
        }
        return [found[part] for part in parts]

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

    def load(self, workspace: Workspace, n_jobs: int | None = None) -> Parts:
        """Divide the pairs that are in the workspace."""
        return self.of(self.corpus.load(workspace), n_jobs)


@dataclass(frozen=True)
class Rows(Stage):
    """Sparse rows of all parts, for one feature set.

    Attributes
    ----------
    division
        The parts.
    features
        Name of the feature set.
    cutoff
        Features that occur more often in the training part are kept.
    share
        Share of the training sentences that rows are made of.
    targets
        What labels are kept for; rows that have others, too, are as good.
    """

    division: Division
    features: str
    cutoff: int
    share: float
    targets: tuple[Target, ...] = field(metadata=UNKEYED, compare=False)

    leaves_folder: ClassVar[bool] = True

    @property
    def name(self) -> str:
        """The feature set, and what is particular about the text or what is learnt from it."""
        share = "" if self.share == 1 else f", {self.share:.1%} of the text"
        return f"{self.features}{share}{self.division.learnt}"

    @property
    def title(self) -> str:
        """What it does."""
        return f"{self.name}: features"

    def is_ready(self, workspace: Workspace) -> bool:
        """Whether the rows are there, with the labels of all targets."""
        folder = self.folder(workspace)
        labels = (folder / f"train-{target.name}.npy" for target in self.targets)
        return super().is_ready(workspace) and all(path.is_file() for path in labels)

    def run(self, workspace: Workspace, n_jobs: int) -> None:
        """Find the features of the training part and write the rows of all parts."""
        began = time.perf_counter()
        parts = self.division.load(workspace, n_jobs)
        pairs, train = parts.pairs, parts.train
        if self.share < 1:
            train = train.sample(self.share, seed=self.division.seed)
            pairs = pairs.of_sentences(np.diff(train.offsets) > 0)
        encoder = FeatureEncoder.fit(pairs, self.features, cutoff=self.cutoff, n_jobs=n_jobs)
        if encoder.n_features == 0:
            raise OptionError(
                f"no feature occurs more than {self.cutoff} times: lower the cut-off (--cutoff)"
            )
        folder = self.folder(workspace)
        with storage.new_folder(folder, ROWS_FORMAT, overwrite=True) as aside:
            encoder.save(aside / "features")
            for name in ("train", "tuning", "development", "test"):
                pairs = train if name == "train" else getattr(parts, name)
                if name == "tuning" and self.share < 1:
                    continue
                build_dataset(pairs, encoder, out=aside / name, n_jobs=n_jobs)
                for target in self.targets:
                    path = aside / f"{name}-{target.name}.npy"
                    with storage.ArrayWriter(path, np.int32) as writer:
                        writer.append(target.labels(pairs))
            signatures = {t.name: train.reading_as(t.model).signature for t in self.targets}
            meta = {"format": ROWS_FORMAT, "version": ROWS_VERSION, "trained_on": signatures}
            storage.write_json(aside / "meta.json", meta)
        workspace.write(self.key, {"seconds": time.perf_counter() - began})

    @storage.reading
    def load(self, workspace: Workspace, part: str, target: Target) -> Dataset:
        """Memory-map the rows of a part, with their labels."""
        folder = self.folder(workspace)
        self._meta(workspace)
        y = storage.load_array(folder / f"{part}-{target.name}.npy", np.int32)
        return Dataset.load(folder / part).with_labels(y, target.model.labels)

    def examples(self, workspace: Workspace, part: str, target: Target) -> Examples:
        """Return the rows of a part as classifiers learn from them."""
        rows = self.load(workspace, part, target)
        return Inputs(rows, {}).labelled(rows.y, rows.classes)

    def trained_on(self, workspace: Workspace, target: Target) -> str:
        """Return the signature of the training pairs."""
        meta = self._meta(workspace)
        with storage.reading_meta(self.folder(workspace), _AGAIN):
            return str(meta["trained_on"][target.name])

    def _meta(self, workspace: Workspace) -> dict[str, Any]:
        folder = self.folder(workspace)
        return storage.check_format(folder, ROWS_FORMAT, ROWS_VERSION, "rows", _AGAIN)

    def encoder(self, workspace: Workspace) -> FeatureEncoder:
        """Load the dictionary of features."""
        return FeatureEncoder.load(self.folder(workspace) / "features")
