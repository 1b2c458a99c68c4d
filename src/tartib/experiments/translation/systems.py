"""The systems that are compared, with names that list their parts.

A name is a sum of parts: ``none`` (a distortion penalty only), ``lexicalised``, a classifier with
its feature set (``svm:S6``), ``sparse``. So ``lexicalised+svm:S6+sparse`` has two reordering models
and sparse features. For ablations a name may say what differs from the options of the experiment:

    system = parts ["@" place] …   place = orientation | direction | "limit=" N | "mean-weights"
    parts = part ["+" part] …      part = name ["[" key "=" value ["," key "=" value] … "]"]

such as ``lexicalised[smoothing=0.1]+svm:S6[class-weight=sqrt-balanced]@hier-mslr@limit=8``.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, get_args

from tartib.decoder.orientation_scorers import UnknownWords
from tartib.errors import OptionError
from tartib.features import FeatureSet
from tartib.models.base import BALANCED
from tartib.orientation import MODEL_DIRECTIONS, OrientationModel
from tartib.reordering import KINDS, SOURCES, make_classifier
from tartib.reordering.calibration import CALIBRATIONS

BASELINE = "lexicalised"
NONE, SPARSE = "none", "sparse"
TITLES = {
    "svm": "SVM",
    "maxent": "MaxEnt",
    "maxent-l1": "MaxEnt, L1",
    "mlr": "dual MLR",
    "primal-mlr": "primal MLR",
    "naive-bayes": "naive Bayes",
}

# SVM paper, Table 8, and MLR paper, Table 3, whose feature set (word alignments and one word of
# context on each side) is S7.
SVM_SYSTEMS = (
    NONE,
    BASELINE,
    "lexicalised+sparse",
    "svm:S6+sparse",
    "svm:S7+sparse",
    "maxent:S6+sparse",
    "maxent:S7+sparse",
)
MLR_SYSTEMS = (BASELINE, "primal-mlr:S7", "mlr:S7")
PAPER_SYSTEMS = (*SVM_SYSTEMS, *MLR_SYSTEMS[1:])


UNKNOWN_WORDS, CALIBRATE, LEARN_FROM = "unknown-words", "calibrate", "learn-from"
LIMIT = "limit="
MEAN_WEIGHTS = "mean-weights"
_BIDIRECTIONAL = "bidirectional"

Settings = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class ModelPart:
    """A reordering model of a system; the lexicalised one has no features.

    ``settings`` are its own options, as they were given, by name.
    """

    classifier: str
    features: str = ""
    settings: Settings = ()

    @property
    def plain(self) -> ModelPart:
        """The same model without options of its own."""
        return ModelPart(self.classifier, self.features)

    @property
    def name(self) -> str:
        """Its part of a system's name."""
        base = f"{self.classifier}:{self.features}" if self.features else self.classifier
        return base + _bracketed(self.settings)

    @property
    def title(self) -> str:
        """The name that tables show."""
        base = f"{TITLES[self.classifier]} {self.features}" if self.features else self.classifier
        return base + (f" {_bracketed(self.settings)}" if self.settings else "")

    @property
    def unknown_words(self) -> UnknownWords | None:
        """What it does with unknown words; None is the decoder's choice."""
        return dict(self.settings).get(UNKNOWN_WORDS)  # type: ignore[return-value]

    @property
    def calibrate(self) -> str | None:
        """How scores become probabilities; None is what is usual for the classifier."""
        return dict(self.settings).get(CALIBRATE)

    @property
    def learn_from(self) -> str | None:
        """What it is trained on; None is what all models of the experiment are trained on."""
        return dict(self.settings).get(LEARN_FROM)

    @property
    def options(self) -> tuple[tuple[str, Any], ...]:
        """Options of the classifier, by the names of its parameters."""
        known = _parameters(self.classifier)
        return tuple(
            (known[key], _READ[key](value)) for key, value in self.settings if key in known
        )

    @property
    def trained(self) -> ModelPart:
        """The same model without options that do not change what is learnt."""
        kept = tuple((key, value) for key, value in self.settings if key != UNKNOWN_WORDS)
        return ModelPart(self.classifier, self.features, kept)


@dataclass(frozen=True)
class SystemParts:
    """What a system has for reordering, besides the distortion penalty.

    Attributes
    ----------
    models, sparse
        Its reordering models, and whether it has sparse features.
    orientation, direction, limit
        Of all its models, and the distortion limit; None for those of the experiment.
    mean_weights
        Whether it has the mean of the weights that all runs found, and is tested once.
    """

    models: tuple[ModelPart, ...]
    sparse: bool
    orientation: str | None = None
    direction: str | None = None
    limit: int | None = None
    mean_weights: bool = False

    @classmethod
    def parse(cls, name: str) -> SystemParts:
        """Read a name such as ``svm:S6+sparse``."""
        whole, *places = (text.strip() for text in name.split("@"))
        parts = [part.strip() for part in whole.split("+")]
        found = _places(places, name)
        if parts == [NONE]:
            return cls((), sparse=False, **found)
        models = [_model(part, name) for part in parts if part != SPARSE]
        plain = {model.plain for model in models}
        if len(plain) < len(models) or parts.count(SPARSE) > 1:
            raise OptionError(f"the system {name!r} names a part twice")
        return cls(tuple(models), sparse=SPARSE in parts, **found)

    @property
    def places(self) -> tuple[str, ...]:
        """What the name has after each ``@``."""
        limit = None if self.limit is None else f"{LIMIT}{self.limit}"
        mean = MEAN_WEIGHTS if self.mean_weights else None
        return tuple(place for place in (self.orientation, self.direction, limit, mean) if place)

    @property
    def name(self) -> str:
        """The name, always written the same way."""
        names = [model.name for model in self.models]
        whole = "+".join([*names, *([SPARSE] if self.sparse else [])]) or NONE
        return "@".join([whole, *self.places])

    @property
    def title(self) -> str:
        """The name that tables show."""
        titles = [model.title for model in self.models]
        whole = " + ".join([*titles, *([SPARSE] if self.sparse else [])]) or "no reordering model"
        return ", ".join([whole, *self.places])

    @property
    def row(self) -> str:
        """The row of the papers' tables that it is compared with.

        A classifier beside a lexicalised model is compared with that classifier alone.
        """
        models = [model.plain for model in self.models if model.features] or [
            model.plain for model in self.models
        ]
        return SystemParts(tuple(models), self.sparse).name


def listed_systems(text: str) -> list[str]:
    """Split a list with commas; those between brackets belong to a name."""
    return [part.strip() for part in re.split(r",(?![^\[]*\])", text) if part.strip()]


def _bracketed(settings: Settings) -> str:
    shown = ",".join(f"{key}={value}" for key, value in settings)
    return f"[{shown}]" if shown else ""


def _places(given: list[str], name: str) -> dict[str, Any]:
    """Read what follows the parts: orientation, direction and limit, each at most once."""
    found: dict[str, Any] = {}
    for place in given:
        value: str | int | bool
        if place in (*MODEL_DIRECTIONS, _BIDIRECTIONAL):
            key, value = "direction", place
        elif place == MEAN_WEIGHTS:
            key, value = "mean_weights", True
        elif place.startswith(LIMIT):
            key, value = "limit", _limit(place.removeprefix(LIMIT), name)
        else:
            key, value = "orientation", _orientation(place, name)
        if key in found:
            raise OptionError(f"the system {name!r} has two values of {key}")
        found[key] = value
    return found


def _limit(text: str, name: str) -> int:
    if not re.fullmatch(r"-1|\d{1,9}", text):
        raise OptionError(f"the system {name!r}: a limit is a number from -1, not {text!r}")
    return int(text)


def _orientation(place: str, name: str) -> str:
    try:
        return str(OrientationModel.parse(place))
    except OptionError:
        raise OptionError(
            f"the system {name!r}: after @ comes an orientation such as hier-mslr, a direction "
            f"(backward, forward or bidirectional), limit=N or mean-weights, not {place!r}"
        ) from None


def _model(part: str, name: str) -> ModelPart:
    found = re.fullmatch(r"(?P<model>[^\[\]]*)(\[(?P<settings>[^\[\]]*)\])?", part)
    classifier, _, features = (found["model"].strip() if found else part).partition(":")
    known = classifier == BASELINE if not features else classifier in TITLES and classifier in KINDS
    if found is None or not known:
        names = ", ".join(TITLES)
        raise OptionError(
            f"unknown part {part!r} of the system {name!r}: a system is 'none', or 'lexicalised', "
            f"'sparse' and classifiers such as 'svm:S6', joined by + (known classifiers: {names}); "
            "options of a part are in brackets, such as 'svm:S6[calibrate=temperature]'"
        )
    if features:
        FeatureSet(features)
        features = features.upper().replace("-PAPER", "-paper").replace("-CLASSES", "-classes")
    return ModelPart(classifier, features, _settings(classifier, found["settings"], name))


def _settings(classifier: str, text: str | None, name: str) -> Settings:
    """Read the options of a part, in the order of their names."""
    if text is None:
        return ()
    known = (*_parameters(classifier), UNKNOWN_WORDS, LEARN_FROM)
    known = known if classifier == BASELINE else (*known, CALIBRATE)
    found: dict[str, str] = {}
    for setting in text.split(","):
        key, equals, value = (part.strip() for part in setting.partition("="))
        if key not in known or not equals:
            raise OptionError(
                f"unknown option {setting.strip()!r} in the system {name!r}: {classifier} has "
                f"{', '.join(f'{key}=…' for key in sorted(known))}"
            )
        if key in found:
            raise OptionError(f"the system {name!r} has two values of {key}")
        try:
            _READ[key](value)
        except ValueError as error:
            raise OptionError(f"the system {name!r}: {key} is {error}, not {value!r}") from None
        found[key] = value
    return tuple(sorted(found.items()))


def _parameters(classifier: str) -> dict[str, str]:
    """Return the parameters of a classifier that a name may set, by their keys."""
    parameter = KINDS[classifier].parameter
    own = make_classifier(classifier).get_params()
    others = {"class-weight": "class_weight", "intercept": "fit_intercept"}
    return {parameter: parameter, **{key: to for key, to in others.items() if to in own}}


def _number(text: str) -> float:
    value = float(text) if re.fullmatch(r"[\d.]+(e-?\d+)?", text) else -1.0
    if value < 0:
        raise ValueError("a number")
    return value


def _one_of(*names: str) -> Callable[[str], str]:
    def read(text: str) -> str:
        if text not in names:
            raise ValueError(f"one of {', '.join(names)}")
        return text

    return read


def _yes(text: str) -> bool:
    return _one_of("yes", "no")(text) == "yes"


def _class_weight(text: str) -> str | None:
    found = _one_of("none", *BALANCED)(text)
    return None if found == "none" else found


# What the value of each key is read by; a value that does not fit raises ValueError.
_READ: dict[str, Callable[[str], Any]] = {
    **{kind.parameter: _number for kind in KINDS.values()},
    "class-weight": _class_weight,
    "intercept": _yes,
    CALIBRATE: _one_of(*CALIBRATIONS),
    UNKNOWN_WORDS: _one_of(*get_args(UnknownWords)),
    LEARN_FROM: _one_of(*SOURCES),
}
