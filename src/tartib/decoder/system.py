"""`System`: models, search settings and weights of a translation system, as one TOML file.

A system folder holds that file, `system.toml`, together with all that it names.
"""

from __future__ import annotations

import json
import os
import warnings
import zipfile
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any, Self

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from tartib import storage
from tartib.decoder.decoder import Decoder
from tartib.decoder.features import FeatureLayout, Weights
from tartib.decoder.moses_ini import is_ini, read_ini
from tartib.decoder.orientation_scorers import (
    LEXICAL,
    ModelScorer,
    OrientationScorer,
    TableScorer,
    feature_names,
)
from tartib.decoder.search_options import SearchOptions, hyphenated
from tartib.decoder.sparse_reordering import is_sparse_name
from tartib.decoder.system_sections import (
    ReorderingSection,
    SparseReorderingSection,
    Weight,
    WeightsByName,
    listed,
    quoted,
    weights_section,
)
from tartib.errors import DataError, OptionError, problems_of
from tartib.lm import LanguageModel
from tartib.orientation import MODEL_DIRECTIONS, TableType
from tartib.phrase_table import PhraseTable, read_reordering_table
from tartib.storage.manifest import NAME as MANIFEST
from tartib.storage.manifest import manifest_checksum

SYSTEM_FILE = "system.toml"  # in a system folder
_HINT = (
    "a system is a TOML file with phrase-table, lm, text, [[reordering]], [search] and [weights], "
    "a folder with such a file as its system.toml, or a moses.ini"
)
_FEWEST_KNOWN = 0.2  # of the table's target words in the language model


class System(BaseModel):
    """A translation system: its models, search options and weights.

    Parameters
    ----------
    phrase_table
        Folder of `tartib phrase-table`, or a text file of Moses.
    lm
        Folder of `tartib lm estimate`, or an ARPA file.
    text
        Folder of a `TextModel`, which makes tokens of raw text and raw text of tokens; None for a
        system whose input and output are tokens. `Decoder` does not use it, `Translator` does.
    reordering
        Any number of reordering models.
    search
        Options of the search.
    sparse_reordering
        Sparse reordering features.
    weights
        Of the dense features, by name; None for a system that is not tuned.
    sparse_weights
        Of the sparse features, by name; 0 if absent.
    folder
        Where relative paths start; not in the file.
    file
        The file that was read, for error messages; not in the file.
    """

    model_config = ConfigDict(
        frozen=True, extra="forbid", alias_generator=hyphenated, populate_by_name=True
    )

    phrase_table: Path
    lm: Path
    text: Path | None = None
    reordering: tuple[ReorderingSection, ...] = ()
    sparse_reordering: SparseReorderingSection | None = None
    search: SearchOptions = SearchOptions()
    weights: WeightsByName | None = None
    sparse_weights: dict[str, Weight] = {}
    folder: Annotated[Path, Field(exclude=True)] = Path()
    file: Annotated[Path | None, Field(exclude=True)] = None

    @field_validator("weights", mode="before")
    @classmethod
    def _single_weights(cls, given: object) -> object:
        return listed(given)

    @model_validator(mode="after")
    def _distinct_names(self) -> Self:
        # Models without a name are named after what they are, which is known when they are loaded.
        names = [section.name for section in self.reordering if section.name is not None]
        n_tables = 0
        for section in self.reordering:
            if section.table is not None:
                names += [] if section.name else [f"{LEXICAL}{n_tables}"]
                n_tables += 1
        if len(set(names)) < len(names):
            raise ValueError("two reordering models have the same name: give each its own")
        return self

    @property
    def paths(self) -> tuple[Path, ...]:
        """All files and folders that the system is loaded from."""
        return tuple(self.folder / path for path in self._named)

    @property
    def _named(self) -> tuple[Path, ...]:
        """The same as the file names them; the phrase table and the language model come first."""
        models = [section.table or section.model or Path() for section in self.reordering]
        lists = () if self.sparse_reordering is None else self.sparse_reordering.files
        text = () if self.text is None else (self.text,)
        return (self.phrase_table, self.lm, *models, *lists, *text)

    @property
    def text_folder(self) -> Path | None:
        """Where its `TextModel` is, if it has one."""
        return None if self.text is None else self.folder / self.text

    @property
    def files(self) -> tuple[Path, ...]:
        """All files that the system is loaded from, those of folders of ours included."""
        found: list[Path] = []
        for path in self.paths:
            ours = (path / MANIFEST).is_file()  # others are refused, however large they are
            found += sorted(f for f in path.rglob("*") if f.is_file()) if ours else [path]
        return tuple(found)

    def state(self) -> dict[str, str]:
        """Return what tells whether a model's file is still the same, by path.

        That is size, time of writing and time of any change, which copying does not restore; of a
        manifest also its checksum. To be asked for before the models are loaded.
        """
        return {str(file.absolute()): _state_of(file) for file in self.files}

    @classmethod
    def read(cls, path: str | Path) -> System:
        """Read a TOML file, whose paths are relative to it, a system folder, or a moses.ini."""
        file = file_of(path)
        if is_ini(file):
            return cls._make({**read_ini(file), "file": file}, file)
        values = storage.read_toml(file, _HINT)
        if hidden := {"folder", "file"} & set(values):
            raise DataError(file, None, f"there is no option {hidden.pop()!r}", _HINT)
        models = values.get("reordering")
        models = models if isinstance(models, list) else []
        for keys in (values, values.get("search"), values.get("sparse-reordering"), *models):
            if isinstance(keys, dict):
                storage.check_hyphens(file, keys)
        return cls._make({**values, "folder": file.parent, "file": file}, file)

    @classmethod
    def _make(cls, values: Mapping[str, Any], file: Path) -> System:
        try:
            return cls.model_validate(values)
        except ValidationError as error:
            raise DataError(file, None, problems_of(error.errors()), _HINT) from None

    def with_weights(self, weights: Mapping[str, Any], file: Path | None = None) -> System:
        """Return the system with other weights, all of them; ``file`` is where they are from."""
        given = listed(weights)
        sparse = set() if self.sparse_reordering is None else set(filter(is_sparse_name, given))
        update = {
            "weights": {name: values for name, values in given.items() if name not in sparse},
            "sparse_weights": {name: v[0] for name, v in given.items() if name in sparse},
            "file": file or self.file,
        }
        return self.model_copy(update=update)

    def with_search(self, **options: Any) -> System:  # noqa: ANN401
        """Return the system with some options of the search changed."""
        try:
            changed = {hyphenated(name): value for name, value in options.items()}
            before = self.search.model_dump(by_alias=True)
            search = SearchOptions.model_validate({**before, **changed})
        except ValidationError as error:
            raise OptionError(problems_of(error.errors())) from None
        return self.model_copy(update={"search": search})

    def write(self, path: str | Path, *, overwrite: bool = False) -> Path:
        """Write the TOML file; relative paths are changed to point to the same files from there."""
        target = Path(path)
        with storage.new_files(target, overwrite=overwrite) as (aside,):
            aside.write_text(self.toml(target), encoding="utf-8")
        return target

    def toml(self, path: Path) -> str:
        """Return the text of the TOML file with this name."""
        folder = path.parent

        def place(path: Path) -> str:
            return quoted(str(path) if path.is_absolute() else _from(folder, self.folder / path))

        lines = [f"phrase-table = {place(self.phrase_table)}", f"lm = {place(self.lm)}"]
        lines += [] if self.text is None else [f"text = {place(self.text)}"]
        for section in self.reordering:
            lines += ["", "[[reordering]]"]
            for key, value in section.model_dump(exclude_none=True, by_alias=True).items():
                lines.append(
                    f"{key} = {place(value) if isinstance(value, Path) else quoted(value)}"
                )
        if self.sparse_reordering is not None:
            lines += ["", "[sparse-reordering]"]
            for key, value in self.sparse_reordering.model_dump(
                exclude_none=True, by_alias=True
            ).items():
                lines.append(
                    f"{key} = {place(value) if isinstance(value, Path) else quoted(value)}"
                )
        lines += ["", "[search]"]
        for key, value in self.search.model_dump(by_alias=True).items():
            lines.append(f"{key} = {json.dumps(value)}")
        text = "\n".join(lines) + "\n"
        if self.weights is not None:
            text += "\n" + weights_section(self.weights)
        if self.sparse_weights:
            single = {name: (value,) for name, value in self.sparse_weights.items()}
            text += "\n" + weights_section(single, "sparse-weights")
        return text

    def load(self, *, progress: bool = False) -> Decoder:
        """Load all models.

        Parameters
        ----------
        progress
            Show progress bars on a terminal.
        """
        self._check_paths()
        table_path, lm_path, *_ = self.paths
        table = PhraseTable.load(table_path, progress=progress)
        if not len(table):
            raise DataError(table_path, None, "has no phrase pairs", "build the table again")
        lm = LanguageModel.load(lm_path, progress=progress)
        _warn_of_another_language(table, lm, lm_path)
        scorers = [self._scorer(section, table, progress) for section in self.reordering]
        names = feature_names(scorers, tuple(section.name for section in self.reordering))
        models = dict(zip(names, scorers, strict=True))
        sparse = None
        if self.sparse_reordering is not None:
            sparse = self.sparse_reordering.load(self.folder, table)
        if self.weights is None:
            message = f"{self._called} has no [weights]: default weights are used; tune the system"
            warnings.warn(message, stacklevel=2)
            return Decoder(table, lm, models, sparse=sparse, options=self.search)
        weights: Weights = {**self.weights, **self.sparse_weights}
        try:
            return Decoder(table, lm, models, sparse=sparse, weights=weights, options=self.search)
        except OptionError as error:
            usual = Decoder(table, lm, models, options=self.search)
            raise self._weights_error(error, usual) from None

    def _check_paths(self) -> None:
        missing = [
            named
            for named, path in zip(self._named, self.paths, strict=True)
            if "\0" not in str(path) and not os.path.lexists(path)
        ]
        if not missing:
            return
        hint = "check the name; paths that do not begin with / are relative to where you are"
        others = f" (and {len(missing) - 1} more)" if len(missing) > 1 else ""
        if self.folder != Path() or (self.file is not None and not is_ini(self.file)):
            hint = self._advice([str(path) for path in missing if not path.is_absolute()])
        problem = f"{self.folder / missing[0]}: no such file or folder{others}"
        raise DataError(self._called, None, problem, hint)

    def _advice(self, relative: Sequence[str]) -> str:
        """Return what to do about paths that lead nowhere, as they do in a file that was copied."""
        if not relative:
            return "check the names"
        folder = self.folder.absolute()
        return (
            f"check the names; paths are relative to the folder of the system file, {folder}. If "
            f"the file was copied there, copy what it names, too ({', '.join(relative)}), or write "
            "absolute paths into it; `tartib tune --out` writes paths that fit where --out is"
        )

    @property
    def _called(self) -> str:
        return str(self.file or "the system")

    def _scorer(
        self, section: ReorderingSection, table: PhraseTable, progress: bool
    ) -> OrientationScorer:
        if section.table is None or section.type is None:
            from tartib.reordering.frozen import load_for_decoding

            model = load_for_decoding(self.folder / (section.model or ""))
            return ModelScorer(model, section.unknown_words)
        kind = TableType.parse(section.type)
        path = self.folder / section.table
        found = read_reordering_table(path, table, progress=progress)
        if found.shape[1] != kind.n_columns:
            problem = (
                f"lines have {found.shape[1]} probabilities, but {section.type} has "
                f"{kind.n_columns}"
            )
            hint = "give the type that the table was made with; the file's name usually has it"
            raise DataError(path, 1, problem, hint)
        if len(found) and np.isnan(found[:, 0]).all():
            warnings.warn(
                f"{path} has no phrase pair in common with the phrase table", stacklevel=3
            )
        directions = MODEL_DIRECTIONS if kind.direction == "bidirectional" else (kind.direction,)
        return TableScorer(found, kind.orientation, directions)

    def _weights_error(self, error: OptionError, usual: Decoder) -> DataError:
        """Return an error that shows a section to paste: the good weights, and defaults."""
        shown = usual.weights_by_name
        given = self.weights or {}
        if _fits(usual.layout, given):
            hint = "correct the line, or remove it: a sparse feature without a weight has 0"
            return DataError(self._called, None, f"[sparse-weights]: {error}", hint)
        good = {n: list(w) for n, w in given.items() if _fits(usual.layout, {**shown, n: w})}
        if self.file is not None and is_ini(self.file):
            hint = "correct the lines of [weight], such as: TranslationModel0= 0.2 0.2 0.2 0.2"
            return DataError(self._called, None, f"[weight]: {error}", hint)
        hint = "a section that would do:\n\n" + weights_section({**shown, **good})
        return DataError(self._called, None, f"[weights]: {error}", hint)


def file_of(path: str | Path) -> Path:
    """Return the file of a system: that of a system folder, or the path itself."""
    if not Path(path).is_dir():
        if zipfile.is_zipfile(path):
            raise DataError(path, None, "is a zip file", "unzip it, and give the folder in it")
        return Path(path)
    file = Path(path) / SYSTEM_FILE
    if not file.is_file():
        problem = f"is a folder without {SYSTEM_FILE}, so it is not a system"
        raise DataError(path, None, problem, _HINT)
    return file


def _fits(layout: FeatureLayout, weights: Mapping[str, Sequence[float]]) -> bool:
    try:
        layout.vector(weights)
    except OptionError:
        return False
    return True


def _from(folder: Path, path: Path) -> str:
    return Path(os.path.relpath(path, folder)).as_posix()


def _state_of(file: Path) -> str:
    try:
        of = file.stat()
    except (OSError, ValueError):  # loading says more about it
        return "not there"
    times = f"written {_shown_time(of.st_mtime_ns)}, changed {_shown_time(of.st_ctime_ns)}"
    sums = f", checksum {manifest_checksum(file.parent)}" if file.name == MANIFEST else ""
    return f"{of.st_size} bytes, {times}{sums}"


def _shown_time(nanoseconds: int) -> str:
    seconds, rest = divmod(nanoseconds, 10**9)
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%d %H:%M:%S}.{rest:09} UTC"


def _warn_of_another_language(table: PhraseTable, lm: LanguageModel, path: Path) -> None:
    ids = lm.ids_of(table.target_vocabulary)
    known = np.count_nonzero(ids != lm.native.unknown)
    if known < _FEWEST_KNOWN * len(ids):
        share = f"{known / len(ids):.0%} of the phrase table's target words"
        message = f"the language model {path} has only {share}: is it for another language?"
        warnings.warn(message, stacklevel=3)
