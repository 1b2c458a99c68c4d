"""What a build is asked to do: files, and a section of options for each stage."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    ValidationError,
    field_validator,
    model_validator,
)

from tartib import storage
from tartib.alignment.aligners import (
    DEFAULT_ALIGNER,
    DEFAULT_SAMPLERS,
    DEFAULT_SEED,
    check_options,
)
from tartib.alignment.symmetrisation import DEFAULT_HEURISTIC
from tartib.build.effort import EFFORTS, Effort, defaults_of
from tartib.engine import count_jobs
from tartib.errors import DataError, OptionError, problems_of
from tartib.evaluation.translation import check_tokenisation
from tartib.experiments.translation.systems import SystemParts
from tartib.lm.estimation import check_thresholds
from tartib.orientation import OrientationModel
from tartib.phrase_table.scoring import ScoringOptions
from tartib.text import CleaningOptions, SideOptions, TextOptions, check_language

Count = Annotated[int, Field(ge=1, lt=1 << 31)]
Size = Annotated[int, Field(ge=0, lt=1 << 31)]
Share = Annotated[float, Field(gt=0, lt=1)]
Limit = Annotated[int, Field(ge=-1, lt=1 << 31)]
_LONGEST_CODE = 3
MUCH_TEXT = 250_000  # sentence pairs
FILES = ("train", "dev", "test", "mono")


def hyphenated(name: str) -> str:
    """Return a field's name in TOML files and on the command line."""
    return name.replace("_", "-")


class Section(BaseModel):
    """Options of a stage; unknown keys are errors."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", alias_generator=hyphenated, populate_by_name=True
    )


class PrepareOptions(Section):
    """Which sentences are used for what.

    Parameters
    ----------
    dev_sentences, test_sentences
        Held out from the training text where no such set is given.
    held_out_share
        At most this share of the training text is held out for each of them.
    max_tokens
        Training pairs with more tokens on a side are left out.
    suspicious
        Whether to stop or to go on if the text is hardly what it should be: sides that are swapped,
        the same, or no translations of one another.
    """

    dev_sentences: Count = 1000
    test_sentences: Count = 1000
    held_out_share: Share = 0.05
    max_tokens: Annotated[int, Field(ge=1, le=1000)] = 100
    suspicious: Literal["stop", "go-on"] = "stop"


class AlignOptions(Section):
    """How words are aligned; see `tartib.align`."""

    aligner: str = DEFAULT_ALIGNER
    heuristic: str = DEFAULT_HEURISTIC
    attach: Annotated[float, Field(ge=0, le=1)] | None = None

    @model_validator(mode="after")
    def _known(self) -> Self:
        check_options(
            self.aligner,
            self.heuristic,
            seed=DEFAULT_SEED,
            samplers=DEFAULT_SAMPLERS,
            joint_only={"attach": self.attach},
        )
        return self


class ExtractOptions(Section):
    """Which phrase pairs are extracted; see `extract_phrases`.

    By default phrases of 5 tokens: those of six and seven make everything half as large again, and
    nothing better. Of much text only those of 4, so that the phrase table fits the memory.
    """

    max_phrase_length: Annotated[int, Field(ge=1, le=255)] | None = None

    def length_for(self, pairs: int) -> int:
        """Return the length of the longest phrases of a text with so many sentence pairs."""
        return self.max_phrase_length or (5 if pairs <= MUCH_TEXT else 4)


class PhraseTableOptions(Section):
    """Which phrase pairs are kept; see `PhraseTable.build`.

    By default the 40 likeliest translations of a source phrase: twice as many as the search tries;
    ``table_limit`` 0 keeps all.
    """

    discounting: Literal["none", "good-turing", "kneser-ney"] = "none"
    min_count: Count = 1
    significance_pruning: float | str | None = None
    table_limit: Size = 40

    @model_validator(mode="after")
    def _scoring(self) -> Self:
        limit = self.table_limit or None
        ScoringOptions(self.discounting, self.min_count, self.significance_pruning, limit)
        return self


class LmOptions(Section):
    """The language model; see `LanguageModel.estimate`."""

    order: Annotated[int, Field(ge=1, le=6)] = 5
    prune: tuple[Size, ...] = (0,)

    @field_validator("prune", mode="before")
    @classmethod
    def _listed(cls, given: object) -> object:
        return (given,) if isinstance(given, int) else given

    @model_validator(mode="after")
    def _thresholds(self) -> Self:
        check_thresholds(self.prune, self.order)
        return self


class ReorderingOptions(Section):
    """What reordering models learn.

    Parameters
    ----------
    orientation, direction
        Of all models; ``bidirectional`` is one for each direction.
    learn_from
        What they learn from: ``pairs``, all phrase pairs, or ``derivations``; see
        `sample_derivations`.
    cutoff
        Features that occur more often than this are kept.
    tune
        Choose hyper-parameters on held-out sentences of the training text.
    tune_pairs, dev_share
        How many phrase pairs that is done with, and the share of the sentences held out for it.
    """

    orientation: str = "hier-mslr"
    direction: Literal["backward", "forward", "bidirectional"] = "bidirectional"
    learn_from: Literal["pairs", "derivations"] = "pairs"
    cutoff: Size = 10
    tune: bool = False
    tune_pairs: Count = 300_000
    dev_share: Share = 0.02

    @field_validator("orientation")
    @classmethod
    def _orientation(cls, name: str) -> str:
        return str(OrientationModel.parse(name))


class ChooseOptions(Section):
    """What is compared on the development set.

    Parameters
    ----------
    systems
        Such as ``lexicalised+mlr:S6``, from the simplest to the one that is presumably best. The
        first is tuned to compare distortion limits with.
    limits
        Distortion limits; the one in the middle is presumably best.
    sentences
        Of the development set: tuned on one half, compared on the other.
    iterations
        Of the short tunings.
    """

    systems: Annotated[tuple[str, ...], Field(min_length=1)]
    limits: Annotated[tuple[Limit, ...], Field(min_length=1)]
    sentences: Annotated[int, Field(ge=2, lt=1 << 31)]
    iterations: Count

    @field_validator("systems", "limits", mode="before")
    @classmethod
    def _listed(cls, given: object) -> object:
        return (given,) if isinstance(given, str | int) else given

    @field_validator("systems")
    @classmethod
    def _systems(cls, names: tuple[str, ...]) -> tuple[str, ...]:
        found = [SystemParts.parse(name) for name in names]
        for parts in found:
            if parts.places:
                raise ValueError(
                    f"{parts.name!r}: in a build all systems have the same orientation, direction "
                    "and limits: leave out what follows @"
                )
        return tuple(dict.fromkeys(parts.name for parts in found))


class SearchSection(Section):
    """How the finished system searches; see `SearchOptions`."""

    stack_size: Size = 200
    cube_pops: Size = 1000
    table_limit: Size = 20


class TuneOptions(Section):
    """How weights are tuned, at the end and to choose; see `TuningOptions`.

    Parameters
    ----------
    sentences
        Of the development set, at most.
    stack_size, cube_pops
        Of the search while tuning and choosing.
    """

    tuner: Literal["mira", "pro", "mert"] = "mira"
    iterations: Count
    runs: Count
    nbest_size: Count = 100
    sentences: Count
    stack_size: Size = 100
    cube_pops: Size = 400


class ScoreOptions(Section):
    """How translations of the development and the test set are scored.

    Parameters
    ----------
    tokenize
        One of sacreBLEU's tokenisations; by default its own choice for the target language.
    samples
        Of the bootstrap that gives the intervals.
    examples
        How many sentences the report draws.
    """

    tokenize: str | None = None
    samples: Count = 1000
    examples: Size = 8

    @field_validator("tokenize")
    @classmethod
    def _tokenize(cls, name: str | None) -> str | None:
        if name is not None:
            check_tokenisation(name)
        return name


class BuildOptions(Section):
    """Options of `build_system`.

    Parameters
    ----------
    train
        Two files of ordinary text, line by line translations of one another, or one that holds
        both sides: TSV, TMX, an OPUS zip.
    dev, test
        The same for the development and the test set, or source and several references. Sentences
        of the training text are held out where none is given.
    mono
        More text of the target language, for the language model.
    languages
        Codes of the source and the target language; by default told from the names of the files.
    effort
        ``quick``, ``normal`` or ``thorough``: how much is compared and how long is tuned.
    prepare, text, clean, align, extract, phrase_table, lm, reordering, choose, search, tune, score
        Options of the stages.
    seed
        Of all random numbers.
    jobs
        Cores; None for all. Only times depend on it.
    """

    train: Annotated[tuple[Path, ...], Field(min_length=1, max_length=2)]
    dev: tuple[Path, ...] = ()
    test: tuple[Path, ...] = ()
    mono: tuple[Path, ...] = ()
    languages: tuple[str, str] | None = None
    effort: Effort = "normal"
    prepare: PrepareOptions = PrepareOptions()
    text: TextOptions = TextOptions()
    clean: CleaningOptions = CleaningOptions()
    align: AlignOptions = AlignOptions()
    extract: ExtractOptions = ExtractOptions()
    phrase_table: PhraseTableOptions = PhraseTableOptions()
    lm: LmOptions = LmOptions()
    reordering: ReorderingOptions = ReorderingOptions()
    choose: ChooseOptions
    search: SearchSection = SearchSection()
    tune: TuneOptions
    score: ScoreOptions = ScoreOptions()
    seed: Annotated[int, Field(ge=0, lt=1 << 32)] = 0
    jobs: int | None = None

    @field_validator("jobs")
    @classmethod
    def _jobs(cls, jobs: int | None) -> int | None:
        count_jobs(jobs)
        return jobs

    @field_validator("languages")
    @classmethod
    def _languages(cls, given: tuple[str, str] | None) -> tuple[str, str] | None:
        if given is None:
            return None
        one, other = (code if _is_code(code) else check_language(code) for code in given)
        return one, other

    @field_validator(*FILES, mode="before")
    @classmethod
    def _files(cls, given: object) -> object:
        return (given,) if isinstance(given, str | Path) else given

    @classmethod
    def make(cls, values: Mapping[str, Any], file: Path | None = None) -> Self:
        """Check options, and add those that the effort stands for.

        Parameters
        ----------
        values
            Files and sections; keys have hyphens or underscores.
        file
            Where they come from, for error messages.
        """
        given = {name.replace("_", "-"): value for name, value in values.items()}
        effort = given.get("effort", "normal")
        if effort not in EFFORTS:
            raise OptionError(f"the effort is one of {', '.join(EFFORTS)}, not {effort!r}")
        for name, section in defaults_of(effort).items():
            own = given.get(name, {})
            if isinstance(own, BaseModel):
                own = own.model_dump(by_alias=True)
            if isinstance(own, Mapping):
                hyphens = {key.replace("_", "-"): value for key, value in own.items()}
                given[name] = {**section, **hyphens}
        for name in ("text", "clean"):  # their models know underscores only
            given |= {name: _underscored(given[name])} if name in given else {}
        try:
            return cls.model_validate(given)
        except ValidationError as error:
            raise _refused(cls, error, file) from None

    def check_files(self) -> None:
        """Raise an error if a file is missing, or is not one."""
        for name in FILES:
            for path in getattr(self, name):
                if str(path) == "-":
                    raise OptionError("a build that can be continued cannot read standard input")
                if not path.is_file():
                    raise OptionError(f"there is no file {path}")


def _is_code(name: str) -> bool:
    """Whether a language is named as files of several languages may name it: de, deu, de-AT."""
    check_language(name)
    return len(name.strip().replace("_", "-").partition("-")[0]) <= _LONGEST_CODE


def _underscored(value: object) -> object:
    if not isinstance(value, Mapping):
        return value
    return {key.replace("-", "_"): _underscored(inner) for key, inner in value.items()}


def _refused(
    model: type[BaseModel], error: ValidationError, file: Path | None
) -> OptionError | DataError:
    """Return an error in words, with the keys that there are where one is unknown."""
    entries: list[dict[str, Any]] = [
        {**entry, "loc": [hyphenated(str(part)) for part in entry["loc"]]}
        for entry in error.errors()
    ]
    problems, known = [], ""
    for entry in entries:
        keys = _keys(model, entry["loc"][:-1])
        last = {**entry, "loc": entry["loc"][-1:]}
        unknown = entry["type"] == "extra_forbidden"
        place = f"[{'.'.join(entry['loc'][:-1])}]: " if len(entry["loc"]) > 1 else ""
        problems.append(place + problems_of([last if unknown or place else entry], keys))
        if unknown:
            known = f"the keys {f'of {place[:-2]} ' if place else ''}are: {', '.join(keys)}"
    text = "; ".join(problems)
    if file is not None:
        return DataError(file, None, text, known or "correct the file")
    return OptionError(f"{text}\n  {known}" if known else text)


def _keys(model: type[BaseModel], place: Sequence[str]) -> list[str]:
    """Return the keys of the section at a place."""
    for part in place:
        field = model.model_fields.get(part.replace("-", "_"))
        if field is None or not (
            isinstance(field.annotation, type) and issubclass(field.annotation, BaseModel)
        ):
            return []
        model = field.annotation
    names = [hyphenated(name) for name in model.model_fields]
    if model is TextOptions:  # what is given without a side is for both
        names += [hyphenated(name) for name in SideOptions.model_fields]
    return names


def read_toml(path: Path) -> dict[str, Any]:
    """Read options from a TOML file; the paths in it are relative to its folder."""
    values = storage.read_toml(path, "a file of options has sections such as [tune]")
    for name in FILES:
        given = values.get(name)
        listed = [given] if isinstance(given, str) else given
        if isinstance(listed, list) and all(isinstance(one, str) for one in listed):
            values[name] = [path.parent / one for one in listed]
    return values


def with_settings(values: Mapping[str, Any], settings: Sequence[str]) -> dict[str, Any]:
    """Return options with those of ``--set stage.option=value`` in their sections."""
    found = {name: dict(v) if isinstance(v, Mapping) else v for name, v in values.items()}
    for setting in settings:
        key, equals, value = setting.partition("=")
        stage, dot, option = key.strip().partition(".")
        if not (equals and dot and option):
            raise OptionError(f"--set takes stage.option=value, such as lm.order=4: {setting!r}")
        section = found.setdefault(stage, {})
        if not isinstance(section, dict):
            raise OptionError(f"--set takes options of stages, and {stage} is none")
        for part in option.split(".")[:-1]:
            section = section.setdefault(part, {})
            if not isinstance(section, dict):
                raise OptionError(f"--set {setting}: {stage}.{part} is a value, and has no options")
        section[option.split(".")[-1]] = _parsed(value.strip())
    return found


def _parsed(value: str) -> object:
    """Read a value as TOML has it; lists may lack their brackets, and words their quotes."""
    for text in (value, f"[{value}]" if "," in value else value):
        try:
            return tomllib.loads(f"value = {text}")["value"]
        except tomllib.TOMLDecodeError:
            continue
    return [part.strip() for part in value.split(",")] if "," in value else value
