"""`ReorderingModel`: how a phrase moves, given the pair and its context."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from tartib.errors import OptionError
from tartib.evaluation import ClassificationReport
from tartib.features import FeatureEncoder, FeatureSet
from tartib.features.candidates import Candidate
from tartib.models.base import Classifier, seed_of
from tartib.orientation import OrientationModel
from tartib.phrases import PhrasePairs, check_share
from tartib.reordering.bound import BoundReorderingModel
from tartib.reordering.calibration import Floats, Prior, check_calibration
from tartib.reordering.classifiers import (
    PairClassifier,
    describe,
    make_classifier,
    name_of,
    usual_calibration,
)
from tartib.reordering.derivations import check_learn_from, learnt_from
from tartib.reordering.direction import (
    BOTH,
    DirectionModel,
    TuningStep,
    directions_of,
    needed_keys,
    train_direction,
)
from tartib.reordering.explanation import Explanation, explain_pair
from tartib.reordering.inputs import (
    Examples,
    Inputs,
    candidate_keys,
    iter_inputs,
    read_inputs,
    unlabelled_rows,
)
from tartib.reordering.saving import load_model, save_model
from tartib.signature import signature
from tartib.vocabulary import Vocabulary


class ReorderingModel(BaseEstimator):  # type: ignore[misc]
    """Features and a classifier for one direction, or for both.

    Follows scikit-learn's conventions (``get_params``, ``clone``, attributes of the fit end in an
    underscore), but learns from phrase pairs instead of a matrix.

    Parameters
    ----------
    features
        A feature set or its name; a lexicalised model has none.
    classifier
        ``svm``, ``mlr`` or another name in `KINDS`, as in ``tartib train``; or a classifier of
        `tartib.models` with its own options.
    direction
        ``backward``: the orientation towards the previous phrase; ``forward``: towards the next
        one; ``bidirectional``: a classifier for each.
    orientation
        What the classes are; None takes the orientation model of the training pairs.
    cutoff, hash_bits
        Which features get a column, as in `FeatureEncoder`.
    tune
        Values of the classifier's regularisation option (C, sigma …) to choose from by log-loss on
        the development set; an empty sequence tries the usual ones, None does not tune.
    calibrate
        What is fitted on the development set so that probabilities match frequencies:
        ``temperature``, ``affine`` (see `Calibration`) or ``none``. None means ``affine`` for an
        SVM, ``none`` for other classifiers.
    prior
        Smooth with a lexicalised prior, weighted on the development set.
    dev_share
        Share of the training sentences that become the development set, if one is needed and
        `fit` is not given one.
    refit
        Train the weights again on all training sentences, once those set aside have served to
        tune and calibrate.
    learn_from
        What the samples are: ``pairs``, all phrase pairs, or ``derivations``, the steps that a
        decoder could have made the sentences of; see `sample_derivations`.
    random_state
        Seed of that split.
    workspace
        Folder for the rows of features; training then reads them from disk. None keeps them in
        memory.
    n_jobs
        Threads; None means all cores.
    progress
        Show progress bars on a terminal.

    Attributes
    ----------
    classes_
        The orientations, in the order of the columns of `predict_proba`.
    orientation_
        The orientation model that they belong to.
    encoder_
        Knows the columns; None for a lexicalised model.
    models_
        A `DirectionModel` for each direction.
    tuning_
        For each direction that was tuned, what each value gave.
    trained_on_
        Signature of the training pairs.
    """

    classes_: NDArray[np.str_]
    orientation_: OrientationModel
    encoder_: FeatureEncoder | None
    models_: dict[str, DirectionModel]
    tuning_: dict[str, list[TuningStep]]
    trained_on_: str

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
        calibrate: str | None = None,
        prior: Prior | None = None,
        dev_share: float = 0.1,
        refit: bool = True,
        learn_from: str = "pairs",
        random_state: int = 0,
        workspace: str | Path | None = None,
        n_jobs: int | None = None,
        progress: bool = False,
    ) -> None:
        self.features = features
        self.classifier = classifier
        self.direction = direction
        self.orientation = orientation
        self.cutoff = cutoff
        self.hash_bits = hash_bits
        self.tune = tune
        self.calibrate = calibrate
        self.prior = prior
        self.dev_share = dev_share
        self.refit = refit
        self.learn_from = learn_from
        self.random_state = random_state
        self.workspace = workspace
        self.n_jobs = n_jobs
        self.progress = progress

    @property
    def directions(self) -> tuple[str, ...]:
        """The directions that were trained: ``backward``, ``forward``, or both."""
        self._check_fitted()
        return tuple(self.models_)

    @property
    def feature_name(self) -> str:
        """What the model is, as the name of a decoder's feature: ``svm-S6``, ``lexicalised``."""
        self._check_fitted()
        kind = name_of(self.classifier)
        return kind if self.encoder_ is None else re.sub(r"[\s=|]+", "-", f"{kind}-{self.features}")

    @property
    def n_features(self) -> int:
        """Features with a weight in some direction: the columns of a saved model."""
        self._check_fitted()
        found = [part.classifier.used_columns() for part in self.models_.values()]
        used = [columns for columns in found if columns is not None]
        return int(np.logical_or.reduce(used).sum()) if used else 0

    @property
    def n_parameters(self) -> int:
        """Weights other than zero, or entries of a lexicalised model: the SVM paper's Table 7."""
        self._check_fitted()
        return sum(part.n_parameters for part in self.models_.values())

    @property
    def signature(self) -> str:
        """What made this model, in one line."""
        self._check_fitted()
        trained = {name: describe(part.classifier.estimator) for name, part in self.models_.items()}
        return signature(
            ("trained_on", f"[{self.trained_on_}]"),
            *trained.items(),
            ("calibration", ",".join(part.calibration.kind for part in self.models_.values())),
            ("features", self.encoder_.describe(self.n_features) if self.encoder_ else "none"),
        )

    def fit(self, phrases: PhrasePairs, dev: PhrasePairs | None = None) -> Self:
        """Train.

        Parameters
        ----------
        phrases
            Training pairs.
        dev
            Development set: pairs to tune and calibrate on. Without it, and if one is needed, a
            share ``dev_share`` of the training sentences is set aside.
        """
        directions_of(self.direction)  # a mistake is better found before the work than after it
        check_learn_from(self.learn_from)
        classifier = make_classifier(self.classifier, n_jobs=self.n_jobs, progress=self.progress)
        calibrate = check_calibration(self.calibrate or usual_calibration(classifier))
        fitted = self.tune is not None or calibrate != "none" or self.prior is not None
        train, again = phrases, False
        if dev is None and fitted:
            check_share("dev_share", self.dev_share)
            train, dev = phrases.split(held_out=self.dev_share, seed=seed_of(self.random_state))
            again = self.refit
        if len(train) == 0:
            raise OptionError("there are no phrase pairs to train on: use more text")
        if dev is not None and len(dev) == 0:
            raise OptionError(
                "there are no phrase pairs to tune and calibrate on: use more text, a larger share "
                "of it (dev_share) or a development set of its own (dev), or do neither"
            )
        self._forget()  # a fit that fails leaves no model rather than half of one
        orientation = OrientationModel.parse(self.orientation or phrases.orientation)
        encoder = None
        if PairClassifier.of(classifier).granularity is None:
            # Of all that is trained on in the end: a second count would take as long again.
            encoder = self._make_encoder(phrases if again else train)
        known = {}
        if dev is not None and fitted:
            known = self._examples(self._sampled(dev, train), encoder, orientation)
        learnt = self._sampled(train, train)
        models = {
            name: train_direction(
                classifier,
                examples,
                known.get(name),
                tune=self.tune,
                calibrate=calibrate,
                prior=self.prior,
            )
            for name, examples in self._examples(learnt, encoder, orientation, keep=True).items()
        }
        if again:
            learnt = self._sampled(phrases, phrases)
            for name, examples in self._examples(learnt, encoder, orientation, keep=True).items():
                models[name].refit(examples)
        self._set_fitted(models, encoder, orientation, learnt.signature)
        return self

    def _sampled(self, phrases: PhrasePairs, known: PhrasePairs) -> PhrasePairs:
        """Return what is learnt from of phrase pairs; ``known`` are those to train on."""
        seed = seed_of(self.random_state)
        return learnt_from(phrases, self.learn_from, seed, known=known, n_jobs=self.n_jobs)

    def _make_encoder(self, phrases: PhrasePairs) -> FeatureEncoder:
        if self.hash_bits is not None:
            return FeatureEncoder.hashed(self.features, self.hash_bits)
        encoder = FeatureEncoder.fit(
            phrases, self.features, cutoff=self.cutoff, n_jobs=self.n_jobs, progress=self.progress
        )
        if encoder.n_features == 0:
            raise OptionError(
                f"no feature occurs more than {self.cutoff} times: lower the cut-off (cutoff)"
            )
        return encoder

    def _examples(
        self,
        phrases: PhrasePairs,
        encoder: FeatureEncoder | None,
        orientation: OrientationModel,
        *,
        keep: bool = False,
    ) -> dict[str, Examples]:
        """Return all pairs with their classes by direction, in the workspace if they are kept."""
        out = Path(self.workspace) / "rows" if keep and self.workspace is not None else None
        levels = needed_keys(PairClassifier.of(make_classifier(self.classifier)), self.prior)
        inputs = read_inputs(
            phrases, encoder, levels, out=out, n_jobs=self.n_jobs, progress=self.progress
        )
        return {
            name: inputs.labelled(phrases.labels(orientation, name), orientation.labels)
            for name in directions_of(self.direction)
        }

    def predict_proba(self, phrases: PhrasePairs, direction: str | None = None) -> Floats:
        """Return the probability of each orientation for each phrase pair in its context.

        Parameters
        ----------
        phrases
            Pairs of any corpus.
        direction
            ``backward`` or ``forward``; None takes the model's, or ``backward`` if it has both.
        """
        found = self.iter_proba(phrases, direction)
        return np.concatenate([np.empty((0, len(self.classes_))), *found])

    def predict(self, phrases: PhrasePairs, direction: str | None = None) -> NDArray[np.str_]:
        """Return the most probable orientation of each phrase pair; parameters as before."""
        best = [part.argmax(axis=1) for part in self.iter_proba(phrases, direction)]
        found: NDArray[np.str_] = self.classes_[np.concatenate([np.empty(0, np.intp), *best])]
        return found

    def iter_proba(self, phrases: PhrasePairs, direction: str | None = None) -> Iterator[Floats]:
        """Yield what `predict_proba` returns, chunk by chunk, so that memory stays flat."""
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
            return np.empty((0, len(self.classes_)))
        rows = None
        if self.encoder_ is not None:
            encoded = self.encoder_.encode_candidates(source, candidates)
            rows = unlabelled_rows(*encoded, self.encoder_.n_features)
        keys = {level: candidate_keys(source, candidates, level) for level in model.key_levels}
        return model.probabilities(Inputs(rows, keys))

    def bind(self, source: Vocabulary, target: Vocabulary) -> BoundReorderingModel:
        """Return the model for a decoder, whose ids are those of two vocabularies."""
        self._check_fitted()
        return BoundReorderingModel(self.encoder_, self.models_, len(self.classes_), source, target)

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
            raise OptionError("there are no phrase pairs to evaluate on: use more text")
        model = self._model(direction)
        y = phrases.labels(self.orientation_, direction or self.directions[0])
        return model.evaluate(self._inputs(phrases, model), y, self.orientation_.labels)

    def held_out_of(self, phrases: PhrasePairs) -> tuple[float, int] | None:
        """Return share and seed of what training left out of these pairs' corpus.

        The share is 0 if the model was trained on all of it. None means that it was trained on
        another corpus.
        """
        self._check_fitted()
        if f"corpus:{phrases.bitext.fingerprint}|" not in self.trained_on_:
            return None
        found = re.search(r"then:train_without:([^,|]+),seed:(\d+)", self.trained_on_)
        return (float(found.group(1)), int(found.group(2))) if found else (0.0, 0)

    def explain(self, phrases: PhrasePairs, pair: int, direction: str | None = None) -> Explanation:
        """Return the probabilities of one phrase pair, and which features pull where.

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
        towards = direction or self.directions[0]
        return explain_pair(model, self.encoder_, self.orientation_, phrases, pair, towards)

    def strongest(
        self, label: str, count: int = 20, direction: str | None = None
    ) -> list[tuple[str, float]]:
        """Return the features that speak most for one orientation, with their weights.

        Parameters
        ----------
        label
            One of `classes_`.
        count
            How many.
        direction
            As in `predict_proba`.
        """
        model = self._model(direction)
        labels = self.orientation_.labels
        if label not in labels:
            raise OptionError(f"the model has no class {label!r}: it has {', '.join(labels)}")
        weights = model.classifier.feature_weights()
        if self.encoder_ is None or weights is None:
            raise OptionError(
                "this model has no weights of features; single phrase pairs can be explained"
            )
        column = weights[:, labels.index(label)]
        best = np.argsort(-column, kind="stable")[:count]
        return [(self.encoder_.name(int(i)), float(column[i])) for i in best]

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
        self._check_fitted()
        save_model(self, Path(path), compact=compact, overwrite=overwrite)

    @classmethod
    def load(cls, path: str | Path, *, n_jobs: int | None = None) -> ReorderingModel:
        """Read what `save` wrote.

        Parameters
        ----------
        path
            The folder.
        n_jobs
            Threads for predictions; None means all cores.
        """
        model = load_model(cls, Path(path))
        model.n_jobs = n_jobs
        for part in model.models_.values():
            if "n_jobs" in part.classifier.estimator.get_params():
                part.classifier.estimator.set_params(n_jobs=n_jobs)
        return model

    @classmethod
    def from_directions(
        cls,
        models: Mapping[str, DirectionModel],
        *,
        encoder: FeatureEncoder | None,
        orientation: OrientationModel,
        trained_on: str,
    ) -> ReorderingModel:
        """Return a trained model made of what `train_direction` returned.

        Parameters
        ----------
        models
            The model of ``backward``, of ``forward``, or both.
        encoder
            Made the rows that they were trained on; None for lexicalised models.
        orientation
            What the classes are.
        trained_on
            Signature of the training pairs.
        """
        model = cls(
            encoder.features if encoder else "S6",
            make_classifier(next(iter(models.values())).classifier.estimator),
            BOTH if len(models) > 1 else next(iter(models)),
            orientation=orientation,
        )
        model._set_fitted(dict(models), encoder, orientation, trained_on)
        return model

    def _set_fitted(
        self,
        models: dict[str, DirectionModel],
        encoder: FeatureEncoder | None,
        orientation: OrientationModel,
        trained_on: str,
    ) -> None:
        self.models_, self.encoder_ = models, encoder
        self.orientation_, self.classes_ = orientation, np.array(orientation.labels)
        self.tuning_ = {name: part.tuning for name, part in models.items() if part.tuning}
        self.trained_on_ = trained_on

    def _forget(self) -> None:
        for name in [name for name in vars(self) if name.endswith("_")]:
            delattr(self, name)

    def _check_fitted(self) -> None:
        check_is_fitted(
            self, "models_", msg="the reordering model is not trained yet: call fit, or load one"
        )

    def _model(self, direction: str | None) -> DirectionModel:
        direction = direction or self.directions[0]
        if direction not in self.directions:
            trained = " and ".join(self.directions)
            raise OptionError(f"the model was trained for {trained}, not for {direction!r}")
        return self.models_[direction]

    def _inputs(self, phrases: PhrasePairs, model: DirectionModel) -> Iterator[Inputs]:
        return iter_inputs(phrases, self.encoder_, model.key_levels, self.n_jobs)
