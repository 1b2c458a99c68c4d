"""Moses' configuration file, moses.ini.

What Tartib does not support is an error, because ignoring it would give other translations.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tartib.decoder.features import (
    DISTORTION,
    LM,
    PHRASE_PENALTY,
    TRANSLATION,
    UNKNOWN_PENALTY,
    WORD_PENALTY,
    FeatureLayout,
)
from tartib.errors import DataError, OptionError
from tartib.orientation import TableType
from tartib.textio import ByteStream, line_blocks
from tartib.wording import counted

_HARMLESS = ("max-phrase-length", "threads", "verbose", "mbr-size")
_REFUSED_TABLES = (
    "PhraseDictionaryBinary",
    "PhraseDictionaryOnDisk",
    "PhraseDictionaryCompact",
    "ProbingPT",
)
_SINGLE = {
    "UnknownWordPenalty": UNKNOWN_PENALTY,
    "WordPenalty": WORD_PENALTY,
    "PhrasePenalty": PHRASE_PENALTY,
    "Distortion": DISTORTION,
}
_DEFAULT_POPS = 1000
_SWITCH = {
    **dict.fromkeys(("1", "true", "t", "yes", "y", "on"), True),
    **dict.fromkeys(("0", "false", "f", "no", "n", "off"), False),
}


def is_ini(path: Path) -> bool:
    """Whether a file is Moses' rather than a TOML file: it has a section [feature]."""
    return any(line == "[feature]" for _, line in _lines(path))


def read_ini(path: Path) -> dict[str, Any]:
    """Return the values of a `System`; relative paths start in the current folder, as in Moses."""
    reader = _Reader(path)
    section = ""
    for number, line in _lines(path):
        if line.startswith("["):
            section = reader.section(number, line)
        elif section not in _HARMLESS:
            reader.entry(section, number, line)
    return reader.finish()


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    """Yield lines that are not empty, and their numbers, without comments."""
    with ByteStream(path) as stream:
        data = b"".join(line_blocks(stream))
    for number, line in enumerate(data.split(b"\n"), 1):
        try:
            text = line.decode().partition("#")[0].strip()
        except UnicodeDecodeError as error:
            problem = f"invalid UTF-8 at byte {error.start + 1}"
            raise DataError(path, number, problem, "convert the file to UTF-8") from None
        if text:
            yield number, text


@dataclass
class _Feature:
    """A line of [feature]."""

    line: int
    kind: str
    arguments: dict[str, str]

    def take(self, key: str, usual: str = "") -> str:
        return self.arguments.pop(key, usual)


@dataclass
class _Reader:
    """What was read so far."""

    path: Path
    values: dict[str, Any] = field(default_factory=lambda: {"reordering": []})
    search: dict[str, Any] = field(default_factory=lambda: {"distortion_limit": -1})
    weights: dict[str, tuple[int, list[float]]] | None = None
    features: dict[str, tuple[str, int | None]] = field(default_factory=dict)  # our name, size
    counts: Counter[str] = field(default_factory=Counter)  # features of each kind
    cube: bool = False
    pops: int = _DEFAULT_POPS
    marks_unknown: int | None = None  # the line that says so

    def error(self, line: int | None, problem: str, hint: str) -> DataError:
        return DataError(self.path, line, problem, hint)

    def section(self, line: int, text: str) -> str:
        name = text.removeprefix("[").removesuffix("]")
        if not text.endswith("]") or name not in (*_ENTRIES, *_HARMLESS):
            known = ", ".join((*_ENTRIES, *_HARMLESS))
            raise self.error(line, f"unknown section {text}", f"the known ones are: {known}")
        if name == "weight" and self.weights is None:
            self.weights = {}
        if name == "drop-unknown":
            self.search["drop_unknown"] = True  # as Moses has it where no line follows
        if name == "mark-unknown":
            self.marks_unknown = line
        return name

    def entry(self, section: str, line: int, text: str) -> None:
        if section not in _ENTRIES:
            raise self.error(
                line, "the line is in no section", "put a section before it, such as [feature]"
            )
        try:
            _ENTRIES[section](self, line, text)
        except ValueError:
            problem = f"[{section}] {text}: not a number"
            raise self.error(line, problem, "correct the line") from None

    def feature(self, line: int, text: str) -> None:
        kind, *rest = text.split()
        arguments = dict(part.partition("=")[::2] for part in rest)
        found = _Feature(line, kind, arguments)
        if kind in _REFUSED_TABLES:
            hint = "give the text file that it was made from, as PhraseDictionaryMemory"
            raise self.error(line, f"{kind} is a binary format that only Moses reads", hint)
        name = found.take("name", f"{kind}{self.counts[kind]}")
        self.counts[kind] += 1
        if kind not in (*_SINGLE, *_MODELS):
            known = ", ".join((*_SINGLE, *_MODELS))
            raise self.error(line, f"unknown feature {kind}", f"the known ones are: {known}")
        for factor in ("input-factor", "output-factor", "factor"):
            if found.take(factor, "0") != "0":
                raise self.error(
                    line,
                    f"{factor} is not 0",
                    "Tartib has no factored translation models: use factor 0",
                )
        found.take("tuneable")
        number = found.take("num-features")
        size = int(number) if number else None
        ours = _SINGLE[kind] if kind in _SINGLE else _MODELS[kind](self, found, name, size)
        if any(other == ours for other, _ in self.features.values()):
            raise self.error(line, f"there is a second {kind}", "remove one: only one is supported")
        if found.arguments:
            unknown = next(iter(found.arguments))
            raise self.error(line, f"unknown argument {unknown!r} of {kind}", "remove it")
        self.features[name] = (ours, 1 if kind in (*_SINGLE, "KENLM") else size)

    def table(self, found: _Feature, _: str, __: int | None) -> str:
        self.values["phrase_table"] = self.file(found)
        if limit := found.take("table-limit"):
            self.search["table_limit"] = int(limit)
        return TRANSLATION

    def lm(self, found: _Feature, _: str, __: int | None) -> str:
        self.values["lm"] = self.file(found)
        for passed_over in ("order", "lazyken", "load"):
            found.take(passed_over)
        return LM

    def reordering(self, found: _Feature, name: str, size: int | None) -> str:
        kind = found.take("type")
        try:
            columns = TableType.parse(kind).n_columns
        except OptionError as error:
            raise self.error(found.line, str(error), "correct type=") from None
        if size is not None and size != columns:
            problem = f"num-features={size}, but {kind} has {columns}"
            raise self.error(found.line, problem, "correct one of the two")
        self.values["reordering"].append({"table": self.file(found), "type": kind, "name": name})
        return name

    def file(self, found: _Feature) -> Path:
        given = found.take("path")
        if not given:
            raise self.error(found.line, f"{found.kind} has no path=", "add it")
        # As in Moses, a name without .gz is also that of the compressed file.
        compressed = Path(given + ".gz")
        try:
            return compressed if compressed.exists() and not Path(given).exists() else Path(given)
        except OSError as error:  # a name that is too long, for example
            problem = f"path= cannot be the name of a file ({error.strerror})"
            raise self.error(found.line, problem, "correct path=") from None

    def weight(self, line: int, text: str) -> None:
        name, sign, rest = text.partition("=")
        if not sign:
            raise self.error(line, "not a weight", "write lines such as: LM0= 0.5")
        numbers = [float(number) for number in rest.split()]
        if not all(map(math.isfinite, numbers)):
            raise self.error(line, f"a weight of {name} is NaN or infinite", "correct the line")
        assert self.weights is not None  # noqa: S101 -- the section has begun
        self.weights[name.strip()] = (line, numbers)

    def mapping(self, line: int, text: str) -> None:
        if text.split() != ["0", "T", "0"]:
            problem = f"[mapping] {text}: only one translation step, 0 T 0, is supported"
            raise self.error(line, problem, "use a system with one phrase table and no generation")

    def input_factors(self, line: int, text: str) -> None:
        if text != "0":
            raise self.error(
                line,
                f"input factor {text}",
                "Tartib has no factored translation models: use factor 0",
            )

    def algorithm(self, line: int, text: str) -> None:
        if text not in ("0", "1"):
            hint = "0 is stack decoding, 1 is cube pruning"
            raise self.error(line, f"unknown search-algorithm {text}", hint)
        self.cube = text == "1"

    def pop_limit(self, _: int, text: str) -> None:
        self.pops = int(text)

    def drop_unknown(self, line: int, text: str) -> None:
        self.search["drop_unknown"] = self.switch("drop-unknown", line, text)

    def mark_unknown(self, line: int, text: str) -> None:
        self.marks_unknown = line if self.switch("mark-unknown", line, text) else None

    def switch(self, section: str, line: int, text: str) -> bool:
        if text.lower() not in _SWITCH:
            raise self.error(
                line, f"[{section}] {text}: neither true nor false", "write true or false"
            )
        return _SWITCH[text.lower()]

    def finish(self) -> dict[str, Any]:
        for key, feature in (("phrase_table", "PhraseDictionaryMemory"), ("lm", "KENLM")):
            if key not in self.values:
                raise self.error(None, f"[feature] has no {feature}", "add the line")
        if self.marks_unknown is not None:
            problem = "[mark-unknown] is on, but Tartib does not mark unknown words"
            raise self.error(self.marks_unknown, problem, "remove the section, or write false")
        self.search["cube_pops"] = self.pops if self.cube else 0
        return {**self.values, "search": self.search, "weights": self.our_weights()}

    def our_weights(self) -> dict[str, list[float]] | None:
        """Return weights by our names; features that the file does not list get 0."""
        if self.weights is None:
            return None
        result = {name: [0.0] for name in (*_SINGLE.values(),)}
        if any(ours == UNKNOWN_PENALTY for ours, _ in self.features.values()):
            result[UNKNOWN_PENALTY] = [1.0]  # Moses' own default
        for name, (line, numbers) in self.weights.items():
            if name not in self.features:
                known = ", ".join(self.features)
                raise self.error(line, f"no feature is called {name}", f"the features are: {known}")
            ours, size = self.features[name]
            if size is not None and len(numbers) != size:
                problem = (
                    f"{name} has {counted(size, 'value')}, but {counted(len(numbers), 'weight')}"
                )
                raise self.error(line, problem, "correct the line, or num-features=")
            result[ours] = numbers
        self.check_weights(self.weights)
        return result

    def check_weights(self, given: Collection[str]) -> None:
        """Raise an error if a feature has no weight; it shows the missing line."""
        for name, (ours, size) in self.features.items():
            if name not in given and ours != UNKNOWN_PENALTY:
                usual = FeatureLayout({ours: size or 1}).usual_weights().tolist()
                shown = f"{name}= {' '.join(map(str, usual))}"
                hint = f"add one, with a number for each value, such as: {shown}"
                raise self.error(None, f"[weight] has no line for {name}", hint)


def _setting(key: str, kind: Callable[[str], Any]) -> Callable[[_Reader, int, str], None]:
    def put(reader: _Reader, _: int, text: str) -> None:
        reader.search[key] = kind(text)

    return put


_MODELS: dict[str, Callable[[_Reader, _Feature, str, int | None], str]] = {
    "PhraseDictionaryMemory": _Reader.table,
    "KENLM": _Reader.lm,
    "LexicalReordering": _Reader.reordering,
}
_ENTRIES: dict[str, Callable[[_Reader, int, str], None]] = {
    "feature": _Reader.feature,
    "weight": _Reader.weight,
    "mapping": _Reader.mapping,
    "input-factors": _Reader.input_factors,
    "distortion-limit": _setting("distortion_limit", int),
    "stack": _setting("stack_size", int),
    "beam-threshold": _setting("beam_threshold", float),
    "ttable-limit": _setting("table_limit", int),
    "search-algorithm": _Reader.algorithm,
    "cube-pruning-pop-limit": _Reader.pop_limit,
    "drop-unknown": _Reader.drop_unknown,
    "mark-unknown": _Reader.mark_unknown,
}
