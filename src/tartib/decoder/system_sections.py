"""Sections of a system file: [[reordering]], [sparse-reordering], [weights], [sparse-weights]."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from tartib import storage
from tartib.decoder.orientation_scorers import UnknownWords
from tartib.decoder.search_options import hyphenated
from tartib.decoder.sparse_reordering import SparseReordering, WordList
from tartib.errors import DataError, OptionError
from tartib.orientation import OrientationModel, TableType
from tartib.phrase_table import PhraseTable
from tartib.textio import read_lines, split_words
from tartib.word_classes import read_classes

Weight = Annotated[float, Field(strict=True)]  # no text, no true or false
WeightsByName = dict[str, tuple[Weight, ...]]
_WEIGHTS_HINT = (
    "the file needs a section [weights] with a line for each feature, such as LM0 = 0.5; "
    "[sparse-weights] is for sparse features"
)
_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
_DEFAULT_TOP = 200
_SIDES = ("source", "target")


class ReorderingSection(BaseModel):
    """A reordering model of a system: a table of Moses, or a folder that `tartib train` wrote.

    Parameters
    ----------
    table, type
        The file, and Moses' name of what is in it, such as ``hier-msd-backward-fe``.
    model
        The folder, which knows its classes and directions.
    name
        Of the feature; by default ``LexicalReordering0`` and so on for tables, and what the model
        is, such as ``svm-S6``, for folders.
    unknown_words
        Of a folder: see `ModelScorer`. Tables of Moses have nothing to say about them.
    """

    model_config = ConfigDict(
        frozen=True, extra="forbid", alias_generator=hyphenated, populate_by_name=True
    )

    table: Path | None = None
    type: str | None = None
    model: Path | None = None
    name: Annotated[str, Field(min_length=1, pattern=r"^[^\s=|]+$")] | None = None
    unknown_words: UnknownWords | None = None

    @field_validator("type")
    @classmethod
    def _known_type(cls, name: str | None) -> str | None:
        if name is not None:
            TableType.parse(name)
        return name

    @model_validator(mode="after")
    def _one_of_two(self) -> Self:
        if (self.table is None) == (self.model is None):
            raise ValueError("give either table and type, or model")
        if (self.table is None) != (self.type is None):
            raise ValueError("type, such as hier-msd-backward-fe, belongs to table: give both")
        if self.table is not None and self.unknown_words == "score":
            raise ValueError("unknown-words = 'score' is for model: a table has no entry for them")
        return self


class SparseReorderingSection(BaseModel):
    """Sparse reordering features of a system: which words, at which places.

    Parameters
    ----------
    orientation
        Such as ``hier-msd``.
    top
        How many of the most frequent words of each side; 200 unless other words are given.
    source_words, target_words
        Files with one word on each line.
    source_classes, target_classes
        Files whose lines have a word, a tab and the word's class.
    features
        ``phrase`` for words of the phrase itself, ``stack`` for those of the phrase before,
        ``between`` for source words that are jumped over.
    """

    model_config = ConfigDict(
        frozen=True, extra="forbid", alias_generator=hyphenated, populate_by_name=True
    )

    orientation: str = "hier-msd"
    top: Annotated[int, Field(ge=1)] | None = None
    source_words: Path | None = None
    target_words: Path | None = None
    source_classes: Path | None = None
    target_classes: Path | None = None
    features: tuple[Literal["phrase", "stack", "between"], ...] = ("phrase",)

    @field_validator("orientation")
    @classmethod
    def _known_orientation(cls, name: str) -> str:
        OrientationModel.parse(name)
        return name

    @property
    def files(self) -> tuple[Path, ...]:
        """All files that are named."""
        given = (self.source_words, self.target_words, self.source_classes, self.target_classes)
        return tuple(path for path in given if path is not None)

    def load(self, folder: Path, table: PhraseTable) -> SparseReordering:
        """Return the features.

        Parameters
        ----------
        folder
            Where relative paths begin.
        table
            Its counts tell which words are frequent.
        """
        lists = []
        top = self.top if self.top or self.files else _DEFAULT_TOP
        words = {"source": self.source_words, "target": self.target_words}
        classes = {"source": self.source_classes, "target": self.target_classes}
        for side in _SIDES:
            if top:
                frequent = table.frequent_words(side, top)
                lists.append(WordList.of_words(side, f"top{top}", frequent))
            if path := words[side]:
                lists.append(WordList.of_words(side, path.stem, _words(folder / path)))
            if path := classes[side]:
                lists.append(WordList.of_classes(side, path.stem, read_classes(folder / path)))
        try:
            return SparseReordering(OrientationModel.parse(self.orientation), lists, self.features)
        except OptionError as error:
            raise OptionError(f"[sparse-reordering]: {error}; rename a file") from None


def _words(path: Path) -> list[str]:
    """Read a file with one word on each line; words may be repeated."""
    return [_word(line, path, number) for number, line in enumerate(read_lines(path), 1)]


def _word(text: str, path: Path, number: int) -> str:
    words = split_words(text)
    if len(words) != 1:
        raise DataError(path, number, "a line must have exactly one word", "correct the line")
    return words[0]


def read_weights(path: str | Path) -> WeightsByName:
    """Read a TOML file with a section [weights] and, optionally, [sparse-weights]."""
    file = Path(path)
    sections = storage.read_toml(file, _WEIGHTS_HINT)
    known = {"weights", "sparse-weights"}
    are_sections = all(isinstance(section, dict) for section in sections.values())
    if "weights" not in sections or not set(sections) <= known or not are_sections:
        raise DataError(file, None, "is not a file of weights", _WEIGHTS_HINT)
    weights = {**sections["weights"], **sections.get("sparse-weights", {})}
    try:
        return {name: tuple(map(_number, values)) for name, values in listed(weights).items()}
    except ValueError as error:
        raise DataError(file, None, str(error), _WEIGHTS_HINT) from None


def weights_section(weights: Mapping[str, Iterable[float]], section: str = "weights") -> str:
    """Return weights as a section of a TOML file."""
    lines = [f"[{section}]"]
    for name, values in weights.items():
        shown = [repr(float(value)) for value in values]
        key = name if _BARE_KEY.fullmatch(name) else quoted(name)
        lines.append(f"{key} = {shown[0] if len(shown) == 1 else '[' + ', '.join(shown) + ']'}")
    return "\n".join(lines) + "\n"


def listed(weights: Any) -> Any:  # noqa: ANN401
    """Return weights as lists: a feature with one weight needs no brackets in a file."""
    if not isinstance(weights, Mapping):
        return weights
    return {n: v if isinstance(v, list | tuple) else (v,) for n, v in weights.items()}


def _number(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError(f"not a number: {value!r}")  # noqa: TRY004 -- a value of a file
    return float(value)


def quoted(value: object) -> str:
    """Return a string, or a list of strings, as a TOML file has it."""
    return json.dumps(value, ensure_ascii=False)
