"""The part of Moses' configuration files that means something here.

Anything else is refused with its line, because leaving it out would give other translations.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tartib.decoder import features as names
from tartib.errors import DataError, OptionError
from tartib.orientation import TableType
from tartib.textio import ByteStream

_HARMLESS = ("max-phrase-length", "threads", "verbose", "mbr-size")
_REFUSED_TABLES = (
    "PhraseDictionaryBinary",
    "PhraseDictionaryOnDisk",
    "PhraseDictionaryCompact",
    "ProbingPT",
)
_SINGLE = {
    "UnknownWordPenalty": names.UNKNOWN_PENALTY,
    "WordPenalty": names.WORD_PENALTY,
    "PhrasePenalty": names.PHRASE_PENALTY,
    "Distortion": names.DISTORTION,
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
    """Return what a file says, as values of a `System`; relative paths begin where one is."""
    reader = _Reader(path)
    section = ""
    for number, line in _lines(path):
        if line.startswith("["):
            section = reader.section(number, line)
        elif section not in _HARMLESS:
            reader.entry(section, number, line)
    return reader.finish()


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    """Yield lines that say something, and their numbers."""
    with ByteStream(path) as stream:
        data = b"".join(iter(stream.read, b""))
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
    features: dict[str, tuple[str, int | None]] = field(default_factory=dict)  # ours, and how many
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
            raise self.error(line, "stands in no section", "begin with one, such as [feature]")
        try:
            _ENTRIES[section](self, line, text)
        except ValueError:
            problem = f"[{section}] {text}: there is no number where one must be"
            raise self.error(line, problem, "mend the line") from None

    def feature(self, line: int, text: str) -> None:
        kind, *rest = text.split()
        arguments = dict(part.partition("=")[::2] for part in rest)
        found = _Feature(line, kind, arguments)
        if kind in _REFUSED_TABLES:
            hint = "give the text file that it was made from, as PhraseDictionaryMemory"
            raise self.error(line, f"{kind} is a binary form that only Moses reads", hint)
        name = found.take("name", f"{kind}{self.counts[kind]}")
        self.counts[kind] += 1
        if kind not in (*_SINGLE, *_MODELS):
            known = ", ".join((*_SINGLE, *_MODELS))
            raise self.error(line, f"unknown feature {kind}", f"the known ones are: {known}")
        for factor in ("input-factor", "output-factor", "factor"):
            if found.take(factor, "0") != "0":
                raise self.error(line, f"{factor} is not 0", "there are no factors here")
        found.take("tuneable")
        number = found.take("num-features")
        size = int(number) if number else None
        ours = _SINGLE[kind] if kind in _SINGLE else _MODELS[kind](self, found, name, size)
        if any(other == ours for other, _ in self.features.values()):
            raise self.error(line, f"a second {kind}", "there can be only one")
        if found.arguments:
            unknown = next(iter(found.arguments))
            raise self.error(line, f"unknown argument {unknown!r} of {kind}", "remove it")
        self.features[name] = (ours, 1 if kind in (*_SINGLE, "KENLM") else size)

    def table(self, found: _Feature, _: str, __: int | None) -> str:
        self.values["phrase_table"] = self.file(found)
        if limit := found.take("table-limit"):
            self.search["table_limit"] = int(limit)
        return names.TRANSLATION

    def lm(self, found: _Feature, _: str, __: int | None) -> str:
        self.values["lm"] = self.file(found)
        for passed_over in ("order", "lazyken", "load"):
            found.take(passed_over)
        return names.LM

    def reordering(self, found: _Feature, name: str, size: int | None) -> str:
        kind = found.take("type")
        try:
            columns = TableType.parse(kind).n_columns
        except OptionError as error:
            raise self.error(found.line, str(error), "mend type=") from None
        if size is not None and size != columns:
            problem = f"num-features={size}, but {kind} has {columns}"
            raise self.error(found.line, problem, "mend one of the two")
        self.values["reordering"].append({"table": self.file(found), "type": kind, "name": name})
        return name

    def file(self, found: _Feature) -> Path:
        given = found.take("path")
        if not given:
            raise self.error(found.line, f"{found.kind} has no path=", "add it")
        # As Moses does: a name without .gz stands for the compressed file, too.
        compressed = Path(given + ".gz")
        return compressed if compressed.exists() and not Path(given).exists() else Path(given)

    def weight(self, line: int, text: str) -> None:
        name, sign, rest = text.partition("=")
        if not sign:
            raise self.error(line, "not a weight", "lines are such as: LM0= 0.5")
        numbers = [float(number) for number in rest.split()]
        if not all(map(math.isfinite, numbers)):
            raise self.error(line, f"a weight of {name} is not a number", "mend the line")
        assert self.weights is not None  # noqa: S101 -- the section has begun
        self.weights[name.strip()] = (line, numbers)

    def mapping(self, line: int, text: str) -> None:
        if text.split() != ["0", "T", "0"]:
            problem = f"[mapping] {text}: only one translation step, 0 T 0, is possible"
            raise self.error(line, problem, "use a system with one phrase table and no generation")

    def input_factors(self, line: int, text: str) -> None:
        if text != "0":
            raise self.error(line, f"input factor {text}", "there are no factors here")

    def algorithm(self, line: int, text: str) -> None:
        if text not in ("0", "1"):
            hint = "0 is stack decoding, 1 is cube pruning"
            raise self.error(line, f"search-algorithm {text} is not known", hint)
        self.cube = text == "1"

    def pop_limit(self, _: int, text: str) -> None:
        self.pops = int(text)

    def drop_unknown(self, line: int, text: str) -> None:
        self.search["drop_unknown"] = self.switch("drop-unknown", line, text)

    def mark_unknown(self, line: int, text: str) -> None:
        self.marks_unknown = line if self.switch("mark-unknown", line, text) else None

    def switch(self, section: str, line: int, text: str) -> bool:
        if text.lower() not in _SWITCH:
            raise self.error(line, f"[{section}] {text} is not known", "give true or false")
        return _SWITCH[text.lower()]

    def finish(self) -> dict[str, Any]:
        for key, feature in (("phrase_table", "PhraseDictionaryMemory"), ("lm", "KENLM")):
            if key not in self.values:
                raise self.error(None, f"[feature] has no {feature}", "add the line")
        if self.marks_unknown is not None:
            problem = "[mark-unknown] is on, and unknown words cannot be marked here"
            raise self.error(self.marks_unknown, problem, "remove the section, or write false")
        self.search["cube_pops"] = self.pops if self.cube else 0
        return {**self.values, "search": self.search, "weights": self.our_weights()}

    def our_weights(self) -> dict[str, list[float]] | None:
        """Give weights our names; features that Moses is not told to use weigh nothing."""
        if self.weights is None:
            return None
        result = {name: [0.0] for name in (*_SINGLE.values(),)}
        if any(ours == names.UNKNOWN_PENALTY for ours, _ in self.features.values()):
            result[names.UNKNOWN_PENALTY] = [1.0]  # Moses' own default
        for name, (line, numbers) in self.weights.items():
            if name not in self.features:
                known = ", ".join(self.features)
                raise self.error(line, f"no feature is called {name}", f"there are: {known}")
            ours, size = self.features[name]
            if size is not None and len(numbers) != size:
                problem = f"{name} has {len(numbers)} weights, and {size} values"
                raise self.error(line, problem, "mend the line, or num-features=")
            result[ours] = numbers
        self.check_weights(self.weights)
        return result

    def check_weights(self, given: Collection[str]) -> None:
        """Refuse weights that lack a feature, and show the line that is missing."""
        for name, (ours, size) in self.features.items():
            if name not in given and ours != names.UNKNOWN_PENALTY:
                usual = names.FeatureLayout({ours: size or 1}).usual_weights().tolist()
                shown = f"{name}= {' '.join(map(str, usual))}"
                hint = f"add a line to it, with a number for each value, such as: {shown}"
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
