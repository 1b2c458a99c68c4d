"""Names and integer codes of orientations; ``native/phrases/orientation.hpp`` defines them.

A phrase pair's orientations are packed into 16 bits: for each model (word, phrase, hier) and each
direction (backward, and forward in two ways) the code of the finest class set,
mslr. The other class sets are coarser readings of that code, so one extraction serves them all.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tartib import _native
from tartib.errors import OptionError

MODELS = {"word": _native.WORD, "phrase": _native.PHRASE, "hier": _native.HIER}
# Towards the previous phrase and towards the next one. `forward` is the mirror image of `backward`,
# `forward-moses` is for files that have to equal Moses'.
DIRECTIONS = {
    "backward": _native.BACKWARD,
    "forward": _native.FORWARD,
    "forward-moses": _native.FORWARD_MOSES,
}
# Those that models are trained for and that the decoder asks about.
MODEL_DIRECTIONS = ("backward", "forward")

# For each class set, the class of the four codes.
_CLASS_OF_CODE = {
    "mslr": {"mono": "mono", "swap": "swap", "dright": "dright", "dleft": "dleft"},
    "msd": {"mono": "mono", "swap": "swap", "dright": "other", "dleft": "other"},
    "monotonicity": {"mono": "mono", "swap": "nomono", "dright": "nomono", "dleft": "nomono"},
    "leftright": {"mono": "right", "swap": "left", "dright": "right", "dleft": "left"},
}
_CODES = {
    "mono": _native.MONO,
    "swap": _native.SWAP,
    "dright": _native.DRIGHT,
    "dleft": _native.DLEFT,
}
# What a legend says of a class: where the phrase and its neighbour lie in the source.
MEANINGS = {
    "mono": "next to each other in the source, in the same order",
    "swap": "next to each other in the source, in the opposite order",
    "other": "apart in the source",
    "dright": "apart in the source, in the same order",
    "dleft": "apart in the source, in the opposite order",
    "nomono": "anything else",
    "right": "in the same order in the source",
    "left": "in the opposite order in the source",
}
_NEIGHBOURS = {"word": "word", "phrase": "phrase", "hier": "phrase or block of phrases"}
# Moses' tables have the two ways of being discontinuous in another order than extraction.
_TABLE_CLASSES = ("mono", "swap", "other", "nomono", "right", "left", "dleft", "dright")
_MODEL_ALIASES = {"wbe": "word"}
_CLASS_ALIASES = {"mono": "monotonicity"}


@dataclass(frozen=True)
class OrientationModel:
    """A way to label phrase pairs: what counts as a neighbour, and which classes there are.

    Attributes
    ----------
    model
        ``word``, ``phrase`` or ``hier``.
    classes
        ``msd``, ``mslr``, ``monotonicity`` or ``leftright``.
    """

    model: str
    classes: str

    @classmethod
    def parse(cls, name: str | OrientationModel) -> OrientationModel:
        """Read a name such as ``hier-msd`` or, as in Moses, ``wbe-mslr``."""
        if isinstance(name, OrientationModel):
            return name
        model, _, classes = name.partition("-")
        model = _MODEL_ALIASES.get(model, model)
        classes = _CLASS_ALIASES.get(classes, classes)
        if model not in MODELS or classes not in _CLASS_OF_CODE:
            known = f"{{{','.join(MODELS)}}}-{{{','.join(_CLASS_OF_CODE)}}}"
            raise OptionError(f"unknown orientation {name!r}: it is one of {known}")
        return cls(model, classes)

    def __str__(self) -> str:
        return f"{self.model}-{self.classes}"

    @property
    def labels(self) -> tuple[str, ...]:
        """Names of the classes; a label is an index into them."""
        return tuple(dict.fromkeys(_CLASS_OF_CODE[self.classes].values()))

    def describe(self, direction: str) -> str:
        """Say in one line what the classes mean in a direction, as a legend."""
        place = "after" if direction.startswith("forward") else "before"
        classes = "; ".join(f"{label}: {MEANINGS[label]}" for label in self.labels)
        return (
            f"{self}, {direction}: a phrase and the {_NEIGHBOURS[self.model]} translated just "
            f"{place} it. {classes}."
        )

    @property
    def table_order(self) -> list[int]:
        """The labels in the order of the columns of a reordering table, as Moses has them."""
        labels = self.labels
        return sorted(range(len(labels)), key=lambda c: _TABLE_CLASSES.index(labels[c]))

    @property
    def names(self) -> tuple[str, str, str, str]:
        """The class of each of the four codes."""
        by_code = sorted(
            (_CODES[code], name) for code, name in _CLASS_OF_CODE[self.classes].items()
        )
        mono, swap, dright, dleft = (name for _, name in by_code)
        return mono, swap, dright, dleft

    def read(self, packed: NDArray[np.uint16], direction: str = "backward") -> NDArray[np.uint8]:
        """Return the labels of packed orientations, as indices into `labels`."""
        shift = _native.orientation_shift(
            MODELS[self.model], DIRECTIONS[check_direction(direction)]
        )
        label_of_code = np.array([self.labels.index(name) for name in self.names], np.uint8)
        labels: NDArray[np.uint8] = label_of_code[(packed >> np.uint16(shift)) & np.uint16(3)]
        return labels


# Moses' names for the directions that its tables have numbers of, in the order of the columns.
TABLE_DIRECTIONS = {
    "backward": ("backward",),
    "forward": ("forward-moses",),
    "bidirectional": ("backward", "forward-moses"),
}


@dataclass(frozen=True)
class TableType:
    """What the columns of a reordering table are, as Moses' names say.

    Attributes
    ----------
    orientation
        What the classes are.
    direction
        ``backward``, ``forward`` or ``bidirectional``.
    condition
        ``fe`` for lines of phrase pairs, ``f`` for lines of source phrases.
    """

    orientation: OrientationModel
    direction: str
    condition: str

    @classmethod
    def parse(cls, name: str) -> TableType:
        """Read a name such as ``hier-msd-backward-fe``; ``-allff``, the usual case, may follow."""
        model, direction, condition = ["", "", *name.removesuffix("-allff").rsplit("-", 2)][-3:]
        try:
            orientation = OrientationModel.parse(model)
        except OptionError:
            orientation = None
        if orientation is None or direction not in TABLE_DIRECTIONS or condition not in ("fe", "f"):
            models = "{wbe,phrase,hier}-{" + ",".join(_CLASS_OF_CODE) + "}"
            known = f"{models}-{{{','.join(TABLE_DIRECTIONS)}}}-{{fe,f}}"
            raise OptionError(f"unknown type of reordering table {name!r}: it is one of {known}")
        return cls(orientation, direction, condition)

    @property
    def n_columns(self) -> int:
        """Number of probabilities in a line."""
        return len(self.orientation.labels) * len(TABLE_DIRECTIONS[self.direction])


def check_direction(direction: str) -> str:
    """Return the direction, or raise an error if it is unknown."""
    if direction not in DIRECTIONS:
        raise OptionError(f"unknown direction {direction!r}: it is one of {', '.join(DIRECTIONS)}")
    return direction


def parse_all(
    names: str | OrientationModel | Iterable[str | OrientationModel],
) -> list[OrientationModel]:
    """Read one name or several, each model at most once."""
    if isinstance(names, str | OrientationModel):
        names = [names]
    models = [OrientationModel.parse(name) for name in names]
    if not models or len({m.model for m in models}) < len(models):
        raise OptionError(
            "give one or more orientations, each of word, phrase and hier at most once"
        )
    return models
