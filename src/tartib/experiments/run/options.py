"""Options that all experiments share: from Python, the command line or a TOML file."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from tartib import storage
from tartib.bitext import language_pair
from tartib.engine import count_jobs
from tartib.errors import DataError, OptionError, problems_of
from tartib.evaluation.significance import MAX_SAMPLES
from tartib.features import FeatureSet

# Options that name files.
FILES = {
    *("source", "target", "bitext", "alignment"),
    *("train", "dev", "dev_reference", "test", "test_reference", "reference_alignment"),
}
Share = Annotated[float, Field(gt=0, lt=1)]
Names = Annotated[tuple[str, ...], Field(min_length=1)]


class CorpusOptions(BaseModel):
    """Options that all experiments have; unknown keys are errors.

    Parameters
    ----------
    alignment
        The word alignment of the text.
    languages
        Source and target language, for a TMX file or a zip file that holds several.
    max_sentence_length, skip_empty
        Which sentence pairs are skipped; see `ReadOptions`.
    max_phrase_length
        Length of the longest phrases, in words.
    cutoff
        Features that occur more often than this are kept.
    roles, phrase_factor, context_factor
        Of all feature sets, as in `FeatureSet`; None takes what their names say.
    tune
        Choose hyper-parameters on the development part; otherwise the usual values are taken.
    tune_pairs
        Hyper-parameters are chosen on a sample of the training sentences with about this many
        phrase pairs.
    samples
        Number of bootstrap samples, for the significance of differences. m comparisons need more
        than 40 m samples, since p-values are adjusted for their number.
    seed
        Seed of all random numbers.
    jobs
        Number of threads; None means all cores. Only times depend on it.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    alignment: Path | None = None
    languages: tuple[str, str] | None = None
    max_sentence_length: Annotated[int, Field(ge=1)] = 100
    skip_empty: bool = False
    max_phrase_length: Annotated[int, Field(ge=1, le=255)] = 7
    cutoff: Annotated[int, Field(ge=0)] = 10
    roles: bool | None = None
    phrase_factor: Annotated[int, Field(ge=0)] | None = None
    context_factor: Annotated[int, Field(ge=0)] | None = None
    tune: bool = True
    tune_pairs: Annotated[int, Field(ge=1)] = 300_000
    samples: Annotated[int, Field(ge=1, le=MAX_SAMPLES)] = 10_000
    seed: Annotated[int, Field(ge=0, lt=1 << 32)] = 0
    jobs: int | None = None

    @property
    @abstractmethod
    def text(self) -> dict[str, Path]:
        """The files of the training text: ``source`` and ``target``, or ``bitext``."""

    @property
    def files(self) -> dict[str, Path]:
        """All files that are read, by name."""
        return self.text if self.alignment is None else {**self.text, "alignment": self.alignment}

    @field_validator("languages", mode="before")
    @classmethod
    def _languages(cls, given: object) -> object:
        """Read a pair such as ``ar-en``, or ``ar-EG,en-GB``."""
        return language_pair(given) if isinstance(given, str) else given

    @field_validator("jobs")
    @classmethod
    def _jobs(cls, jobs: int | None) -> int | None:
        count_jobs(jobs)
        return jobs

    @classmethod
    def make(cls, values: dict[str, Any], file: Path | None = None) -> Self:
        """Check values of a command line or a file, and make options of them.

        Parameters
        ----------
        values
            By Python name.
        file
            The file that they come from, for error messages.
        """
        try:
            return cls(**values)
        except ValidationError as error:
            known = [option_name(field) for field in cls.model_fields]
            problems = problems_of(
                ({**entry, "loc": [option_name(part) for part in entry["loc"]]}
                 for entry in error.errors()),
                known,
            )  # fmt: skip
            if file is None:
                raise OptionError(problems) from None
            raise DataError(file, None, problems, f"the keys are: {', '.join(known)}") from None

    @model_validator(mode="after")
    def _no_stream(self) -> Self:
        if Path("-") in self.files.values():
            raise ValueError("an experiment that can be continued cannot read standard input")
        return self

    def check_files(self) -> None:
        """Raise an error if a file is missing."""
        for path in self.files.values():
            if not path.is_file():
                raise OptionError(f"there is no file {path}")


def feature_set_name(name: str, given: Mapping[str, Any]) -> str:
    """Return the full name of a feature set, with the roles and factors that options ask for."""
    asked = {key: given.get(key) for key in ("roles", "phrase_factor", "context_factor")}
    return str(FeatureSet(name, **asked))


def option_name(field: str | int) -> str:
    """Return the name that a field has on the command line and in TOML files."""
    return str(field).replace("_", "-")


def read_toml(path: str | Path) -> dict[str, Any]:
    """Read options from a TOML file; the paths in it are relative to its folder.

    Keys are the options' names on the command line, such as ``held-out``; the result has the
    fields' names, such as ``held_out``.
    """
    file = Path(path)
    keys = storage.read_toml(
        file, "options of an experiment are lines such as: features = ['S4', 'S6']"
    )
    storage.check_hyphens(file, keys)
    values = {key.replace("-", "_"): value for key, value in keys.items()}
    for name in FILES & values.keys():
        values[name] = _in_folder(file.parent, values[name])
    return values


def _in_folder(folder: Path, given: Any) -> Any:  # noqa: ANN401
    """Return paths in a folder, also those in lists and tables; leave the rest to the checks."""
    if isinstance(given, str):
        return folder / given
    if isinstance(given, list):
        return [_in_folder(folder, path) for path in given]
    if isinstance(given, dict):
        return {name: _in_folder(folder, path) for name, path in given.items()}
    return given


def listed(given: object) -> object:
    """Read a list with commas, as the command line has it."""
    if isinstance(given, str):
        given = [part.strip() for part in given.split(",") if part.strip()]
    return tuple(given) if isinstance(given, list) else given
