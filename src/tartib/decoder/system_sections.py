"""What a system's file says of its reordering models and sparse features."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from tartib.decoder.search_options import hyphenated
from tartib.decoder.sparse_reordering import SparseReordering, WordList
from tartib.errors import DataError, OptionError
from tartib.orientation import OrientationModel, TableType
from tartib.phrase_table import PhraseTable
from tartib.textio import read_lines, split_words

_DEFAULT_TOP = 200
_SIDES = ("source", "target")


class ReorderingPart(BaseModel):
    """A reordering model of a system: a table of Moses', or a folder that `tartib train` wrote.

    Parameters
    ----------
    table, type
        The file, and Moses' name of what is in it, such as ``hier-msd-backward-fe``.
    model
        The folder; classes and directions are its own.
    name
        Of the feature; ``LexicalReordering0`` and so on by default.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    table: Path | None = None
    type: str | None = None
    model: Path | None = None
    name: Annotated[str, Field(min_length=1, pattern=r"^[^\s=|]+$")] | None = None

    @field_validator("type")
    @classmethod
    def _known_type(cls, name: str | None) -> str | None:
        if name is not None:
            TableType.parse(name)
        return name

    @model_validator(mode="after")
    def _one_of_two(self) -> Self:
        if (self.table is None) == (self.model is None):
            raise ValueError("give table and type, or model")
        if (self.table is None) != (self.type is None):
            raise ValueError("a table needs a type, such as hier-msd-backward-fe, and a model none")
        return self


class SparsePart(BaseModel):
    """Sparse reordering features of a system: which words, at which places.

    Parameters
    ----------
    orientation
        Such as ``hier-msd``.
    top
        The most frequent words of both sides, so many; 200 unless other words are given.
    source_words, target_words
        Files with a word a line.
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
            Knows which words are frequent.
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
                lists.append(WordList.of_classes(side, path.stem, _classes(folder / path)))
        try:
            return SparseReordering(OrientationModel.parse(self.orientation), lists, self.features)
        except OptionError as error:
            raise OptionError(f"[sparse-reordering]: {error}; rename a file") from None


def _words(path: Path) -> list[str]:
    """Read a file with a word a line; a word may stand there twice."""
    form = "a line has a word, and nothing else"
    return [_word(line, path, number, form) for number, line in enumerate(read_lines(path), 1)]


def _classes(path: Path) -> dict[str, str]:
    """Read a file with a word, a tab and a class a line; no word has two classes."""
    form = "a line has a word, a tab and a class, and nothing else"
    found: dict[str, str] = {}
    for number, line in enumerate(read_lines(path), 1):
        word, label = (_word(part, path, number, form) for part in line.partition("\t")[::2])
        if found.setdefault(word, label) != label:
            problem = f"{word!r} is in class {label!r} here and in {found[word]!r} before"
            raise DataError(path, number, problem, "give each word one class")
    return found


def _word(text: str, path: Path, number: int, form: str) -> str:
    words = split_words(text)
    if len(words) != 1:
        raise DataError(path, number, form, "mend the line")
    return words[0]
