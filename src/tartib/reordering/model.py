"""`ReorderingModel`: how a phrase moves, given the pair and its context."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Self

import numpy as np
from numpy.typing import NDArray

from tartib.dataset import Dataset, build_dataset
from tartib.errors import OptionError
from tartib.evaluation import ClassificationReport
from tartib.features import FeatureEncoder, FeatureSet
from tartib.features.candidates import Candidate
from tartib.models.base import Classifier
from tartib.orientation import OrientationModel
from tartib.phrases import PhrasePairs
from tartib.reordering.bound_model import BoundReorderingModel
from tartib.reordering.calibration import Calibration, Floats, Prior
from tartib.reordering.classifiers import describe, make_classifier, set_options
from tartib.reordering.direction import (
    DIRECTIONS,
    DirectionModel,
    Inputs,
    inputs_of,
    needed_keys,
    rows_of,
    statistics_of,
)
from tartib.reordering.explanation import Explanation, explain_pair, strongest_features
from tartib.reordering.keys import candidate_keys, phrase_keys
from tartib.reordering.lexicalised import LexicalisedModel
from tartib.reordering.saving import SavedModel, load_model, save_model
from tartib.reordering.training import (
    DevelopmentPart,
    TrainingPart,
    TuningStep,
    add_prior,
    calibrate,
    train_classifier,
    tune_classifier,
)
from tartib.signature import signature
from tartib.vocabulary import Vocabulary


class ReorderingModel:
    """Features, a classifier and a direction, or both directions.

    Parameters
    ----------
    features
        A feature set or its name; a lexicalised model has none.
    classifier
        ``svm``, ``mlr`` or another name in `KINDS`, or any classifier of `tartib.models`.
    direction
        ``backward``: the orientation to the previous phrase; ``forward``: to the next one;
        ``bidirectional``: a classifier for each.
    orientation
        What the classes are; by default the orientation model of the training pairs.
    cutoff, hash_bits
        Of the features, as in `FeatureEncoder`.
    tune
        Values of the option that regularises the classifier (C, sigma …) to choose from by log-loss
        on the development part; an empty sequence stands for the usual ones, None for no tuning.
    calibration
        Fit a temperature on the development part, so that probabilities are frequencies.
    prior
        Smooth with a lexicalised prior, weighted on the development part.
    held_out
        Share of the training sentences that become the development part, where one is needed and
        none is given.
    seed
        Of that split.
    workspace
        A folder for the rows, if they are not to be in memory: training then reads the file.
    n_jobs, progress
        As everywhere.

    Attributes
    ----------
    encoder
        Knows the columns; None for a lexicalised model.
    orientation
        What the classes are.
    tuning
        For each direction what each value gave.
    """

    def __init__(
        self,
        features: FeatureSet | str = "S6",
        classifier: str | Classifier = "svm",
        direction: str = "backward",
        *,
        orientation: str | OrientationModel | None = None,
        cutoff: int = 10,
        hash_bits: int | None = None,
        tune: Sequence[float] | None = None,
        calibration: bool = False,
        prior: Prior | None = None,
        held_out: float = 0.1,
        seed: int = 0,
        workspace: str | Path | None = None,
        n_jobs: int | None = None,
        progress: bool = False,
    ) -> None:
        if direction not in (*DIRECTIONS, "bidirectional"):
            known = ", ".join((*DIRECTIONS, "bidirectional"))
            raise OptionError(f"no direction {direction!r}: there are {known}")
        self.features = FeatureSet(features) if isinstance(features, str) else features
        self.classifier = make_classifier(classifier)
        self.direction = direction
        self.asked = None if orientation is None else OrientationModel.parse(orientation)
        self.orientation = self.asked
        self.cutoff = cutoff
        self.hash_bits = hash_bits
        self.tune = tune
        self.calibration = calibration
        self.prior = prior
        self.held_out = held_out
        self.seed = seed
        self.workspace = workspace
        self.n_jobs = n_jobs
        self.progress = progress
        self.encoder: FeatureEncoder | None = None
        self.models: dict[str, DirectionModel] = {}
        self.tuning: dict[str, list[TuningStep]] = {}
        self.trained_on = ""

    @property
    def directions(self) -> tuple[str, ...]:
        """``backward``, ``forward``, or both."""
        return tuple(DIRECTIONS) if self.direction == "bidirectional" else (self.direction,)

    @property
    def classes(self) -> tuple[str, ...]:
        """The orientations, in the order of the columns of `predict_proba`."""
        return self._trained_orientation().labels

    @property
    def n_parameters(self) -> int:
        """Weights other than zero, or entries of a lexicalised model: the SVM paper's Table 7."""
        self._trained_orientation()
        return sum(_parameters(model) for model in self.models.values())

    @property
    def signature(self) -> str:
        """What made this model, in one line."""
        self._trained_orientation()
        trained = {name: describe(part.classifier) for name, part in self.models.items()}
        return signature(
            ("trained_on", f"[{self.trained_on}]"),
            *trained.items(),
            ("features", self.encoder.signature if self.encoder else "none"),
        )

    def fit(self, phrases: PhrasePairs, development: PhrasePairs | None = None) -> Self:
        """Train.

        Parameters
        ----------
        phrases
            Training pairs.
        development
            Pairs to tune and calibrate on. Without it, and if needed, a share ``held_out`` of the
            training sentences is set aside.
        """
        if development is None and self._needs_development():
            phrases, development = phrases.split(held_out=self.held_out, seed=self.seed)
        for pairs, what in ((phrases, "learn from"), (development, "tune and calibrate on")):
            if pairs is not None and len(pairs) == 0:
                raise OptionError(f"there are no phrase pairs to {what}")
        # A fit that fails leaves no model, rather than half of one.
        self.models, self.tuning = {}, {}
        self.orientation = self.asked or phrases.orientation
        self.trained_on = phrases.signature
        lexical = isinstance(self.classifier, LexicalisedModel)
        self.encoder = None if lexical else self._make_encoder(phrases)
        rows = None if self.encoder is None else self._make_rows(phrases, self.encoder)
        wanted = needed_keys(self.classifier, self.prior)
        keys = {level: phrase_keys(phrases, level, self.n_jobs) for level in wanted}
        for direction in self.directions:
            y = phrases.labels(self.orientation, DIRECTIONS[direction])
            labelled = None if rows is None else _with_labels(rows, y, self.orientation)
            part = TrainingPart(labelled, keys, y, len(self.orientation.labels))
            self.models[direction] = self._fit_direction(direction, part, development)
        return self

    def _needs_development(self) -> bool:
        return self.tune is not None or self.calibration or self.prior is not None

    def _make_encoder(self, phrases: PhrasePairs) -> FeatureEncoder:
        if self.hash_bits is not None:
            return FeatureEncoder.hashed(self.features, self.hash_bits)
        encoder = FeatureEncoder.fit(
            phrases, self.features, cutoff=self.cutoff, n_jobs=self.n_jobs, progress=self.progress
        )
        if encoder.n_features == 0:
            raise OptionError(f"no feature occurs more than {self.cutoff} times: lower the cut-off")
        return encoder

    def _make_rows(self, phrases: PhrasePairs, encoder: FeatureEncoder) -> Dataset:
        return build_dataset(
            phrases,
            encoder,
            orientation=self.orientation,
            direction=DIRECTIONS[self.directions[0]],
            out=None if self.workspace is None else Path(self.workspace) / "rows",
            overwrite=True,
            n_jobs=self.n_jobs,
            progress=self.progress,
        )

    def _fit_direction(
        self, direction: str, part: TrainingPart, development: PhrasePairs | None
    ) -> DirectionModel:
        """Train the classifier of one direction, and what is fitted on the development part."""
        classifier = make_classifier(self.classifier)
        set_options(classifier, {"n_jobs": self.n_jobs, "progress": self.progress})
        if self.tune is None or development is None:
            train_classifier(classifier, part)
        else:
            plain = DirectionModel(classifier, Calibration())
            known = self._development(development, plain, direction)
            classifier, self.tuning[direction] = tune_classifier(classifier, part, self.tune, known)
        model = DirectionModel(classifier, Calibration())
        if self.prior is not None:
            add_prior(model, self.prior, part)
        if development is not None and (self.calibration or self.prior is not None):
            known = self._development(development, model, direction)
            model.calibration = calibrate(model, known)
        return model

    def _development(
        self, phrases: PhrasePairs, model: DirectionModel, direction: str
    ) -> DevelopmentPart:
        orientation = self.orientation or phrases.orientation
        y = phrases.labels(orientation, DIRECTIONS[direction])
        return DevelopmentPart(list(self._inputs(phrases, model)), y, orientation.labels)

    def predict_proba(self, phrases: PhrasePairs, direction: str | None = None) -> Floats:
        """Return the probability of each orientation for each phrase pair in its context.

        Parameters
        ----------
        phrases
            Pairs of any corpus.
        direction
            ``backward`` or ``forward``; by default the model's, or ``backward`` if it has both.
        """
        found = self.iter_proba(phrases, direction)
        return np.concatenate([np.empty((0, len(self.classes))), *found])

    def iter_proba(self, phrases: PhrasePairs, direction: str | None = None) -> Iterator[Floats]:
        """Yield what `predict_proba` returns, chunk by chunk, with flat memory."""
        model = self._model(direction)
        return (model.probabilities(inputs) for inputs in self._inputs(phrases, model))

    def predict_candidates(
        self, source: Sequence[str], candidates: Sequence[Candidate], direction: str | None = None
    ) -> Floats:
        """Return the probabilities for phrase pairs of one sentence, given in words.

        Parameters
        ----------
        source
            The words of the source sentence.
        candidates
            Spans of it with translations.
        direction
            As in `predict_proba`.
        """
        model = self._model(direction)
        if not candidates:
            return np.empty((0, len(self.classes)))
        rows = None
        if self.encoder is not None:
            ends, columns = self.encoder.encode_candidates(source, candidates)
            rows = rows_of(ends, columns, self.encoder.n_features)
        keys = {name: candidate_keys(source, candidates, name) for name in model.granularities}
        return model.probabilities(Inputs(rows, keys))

    def bind(self, source: Vocabulary, target: Vocabulary) -> BoundReorderingModel:
        """Return the model for a decoder, whose ids are those of two vocabularies."""
        self._trained_orientation()
        return BoundReorderingModel(self.encoder, self.models, source, target)

    def evaluate(self, phrases: PhrasePairs, direction: str | None = None) -> ClassificationReport:
        """Compare the predictions for phrase pairs with their true orientations.

        Parameters
        ----------
        phrases
            Pairs that the model was not trained on.
        direction
            As in `predict_proba`.
        """
        if len(phrases) == 0:
            raise OptionError("there are no phrase pairs to evaluate on")
        model = self._model(direction)
        return self._evaluate(model, phrases, direction or self.directions[0])

    def held_out_of(self, phrases: PhrasePairs) -> tuple[float, int] | None:
        """Return share and seed of what training left out of these pairs' corpus.

        The share is 0 if it was trained on all of it; None means that it was trained on another.
        """
        if f"corpus:{phrases.bitext.fingerprint}|" not in self.trained_on:
            return None
        found = re.search(r"then:train_without:([^,|]+),seed:(\d+)", self.trained_on)
        return (float(found.group(1)), int(found.group(2))) if found else (0.0, 0)

    def explain(self, phrases: PhrasePairs, pair: int, direction: str | None = None) -> Explanation:
        """Tell for one phrase pair what is probable, and which features pull where.

        Parameters
        ----------
        phrases
            Pairs of any corpus.
        pair
            Index among them.
        direction
            As in `predict_proba`.
        """
        model = self._model(direction)
        name = direction or self.directions[0]
        orientation = self._trained_orientation()
        return explain_pair(model, self.encoder, orientation, phrases, pair, DIRECTIONS[name])

    def strongest(
        self, label: str, count: int = 20, direction: str | None = None
    ) -> list[tuple[str, float]]:
        """Return the features that speak most for one orientation, with their weights.

        Parameters
        ----------
        label
            One of `classes`.
        count
            How many.
        direction
            As in `predict_proba`.
        """
        if label not in self.classes:
            raise OptionError(f"no class {label!r}: the model knows {', '.join(self.classes)}")
        model = self._model(direction)
        return strongest_features(model, self.encoder, self.classes.index(label), count)

    def save(self, path: str | Path, *, compact: bool = False, overwrite: bool = False) -> None:
        """Write to a folder, complete or not at all; features without weight are left out.

        Parameters
        ----------
        path
            The folder.
        compact
            Store weights in 16 bits: half the size, three decimal digits.
        overwrite
            Replace an older model there.
        """
        saved = SavedModel(
            self.direction,
            self._trained_orientation(),
            self.encoder,
            self.models,
            self.trained_on,
        )
        save_model(saved, Path(path), compact=compact, overwrite=overwrite)

    @classmethod
    def load(cls, path: str | Path, *, n_jobs: int | None = None) -> ReorderingModel:
        """Read what `save` wrote.

        Parameters
        ----------
        path
            The folder.
        n_jobs
            Threads for predictions.
        """
        return cls.of(load_model(Path(path)), n_jobs=n_jobs)

    @classmethod
    def of(cls, saved: SavedModel, *, n_jobs: int | None = None) -> ReorderingModel:
        """Make a model of trained parts."""
        first = next(iter(saved.models.values()))
        features = saved.encoder.features if saved.encoder else "S6"
        model = cls(
            features,
            first.classifier,
            saved.direction,
            orientation=saved.orientation,
            n_jobs=n_jobs,
        )
        model.encoder, model.models = saved.encoder, saved.models
        model.trained_on = saved.trained_on
        for direction in saved.models.values():
            set_options(direction.classifier, {"n_jobs": n_jobs})
        return model

    def _trained_orientation(self) -> OrientationModel:
        if not self.models or self.orientation is None:
            raise OptionError("the reordering model is not trained yet: call fit, or load one")
        return self.orientation

    def _model(self, direction: str | None) -> DirectionModel:
        self._trained_orientation()
        direction = direction or self.directions[0]
        if direction not in self.models:
            raise OptionError(f"the model is {self.direction}: it knows nothing of {direction!r}")
        return self.models[direction]

    def _inputs(self, phrases: PhrasePairs, model: DirectionModel) -> Iterator[Inputs]:
        return inputs_of(phrases, self.encoder, model.granularities, self.n_jobs)

    def _evaluate(
        self, model: DirectionModel, phrases: PhrasePairs, direction: str
    ) -> ClassificationReport:
        orientation = self.orientation or phrases.orientation
        y = phrases.labels(orientation, DIRECTIONS[direction])
        return statistics_of(model, self._inputs(phrases, model), y, orientation).report()


def _with_labels(rows: Dataset, y: NDArray[np.uint8], orientation: OrientationModel) -> Dataset:
    """Return the same rows with other labels."""
    return Dataset(
        rows.indptr,
        rows.indices,
        y.astype(np.int32),
        classes=orientation.labels,
        n_features=rows.n_features,
        signature=rows.signature,
    )


def _parameters(model: DirectionModel) -> int:
    count = model.lexicalised.n_parameters if model.lexicalised else 0
    if isinstance(model.classifier, LexicalisedModel):
        return count + model.classifier.n_parameters
    return count + int(np.count_nonzero(model.classifier.weights_))
