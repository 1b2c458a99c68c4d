"""The first stage: raw text is read, cleaned, divided, and cut into the tokens that are learnt."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Any, ClassVar, Literal, TextIO

from tartib import storage
from tartib.bitext import raw_pairs
from tartib.build.held_out import FEWEST_HELD_OUT, FEWEST_TRAINING, Seen, held_out_places
from tartib.build.options import BuildOptions, PrepareOptions
from tartib.build.parallel import Lengths
from tartib.build.stages import TEXT_FORMAT, TEXT_VERSION
from tartib.build.suspicions import disasters, sides_suspicions, title_of
from tartib.engine import map_ordered
from tartib.errors import DataError, OptionError
from tartib.experiments.run.stages import OWN, Stage, TextFile
from tartib.experiments.run.workspace import Workspace
from tartib.text import (
    CleaningCounts,
    CleaningOptions,
    TextModel,
    TextOptions,
    check_language,
    clean_pairs,
    learn_text,
)
from tartib.text.segmentation import libraries_for
from tartib.textio import read_lines, read_parallel
from tartib.wording import counted

SETS = ("dev", "test")
_BLOCK = 5000  # lines that a worker prepares at a time
_LARGE = 20_000  # sentence pairs
_SAMPLE = 2000  # sentences that are looked at for what may be wrong

Sides = tuple[Literal["source", "target"], ...]
Set = tuple[list[str], list[list[str]]]  # lines of the source, and of each reference


@dataclass(frozen=True)
class Prepared(Stage):
    """Text in tokens, and how it is made.

    The folder has ``train.source`` and ``train.target``, the same for ``dev`` and ``test`` (whose
    further references are ``dev.target1`` and so on), these in ``raw``, ``lm.target`` where there
    is more text of the target language, and the text module in ``text``.
    """

    train: tuple[TextFile, ...]
    dev: tuple[TextFile, ...]
    test: tuple[TextFile, ...]
    mono: tuple[TextFile, ...]
    languages: tuple[str, str]
    prepare: str
    text: str
    clean: str
    seed: int
    libraries: tuple[str, ...]  # that find words of these languages
    jobs: int | None = field(default=None, metadata=OWN, compare=False)

    leaves_folder: ClassVar[bool] = True

    @classmethod
    def of(cls, options: BuildOptions, languages: tuple[str, str]) -> Prepared:
        """Make the stage; the files are read for their hashes."""
        files = {
            name: tuple(TextFile.of(path) for path in getattr(options, name))
            for name in ("train", "dev", "test", "mono")
        }
        sections = {
            name: getattr(options, name).model_dump_json(exclude={"suspicious"})
            for name in ("prepare", "text", "clean")
        }
        return cls(
            files["train"],
            files["dev"],
            files["test"],
            files["mono"],
            languages,
            sections["prepare"],
            sections["text"],
            sections["clean"],
            options.seed,
            libraries_for(languages),
        )

    @property
    def codes(self) -> tuple[str, str]:
        """The languages without their countries."""
        return check_language(self.languages[0]), check_language(self.languages[1])

    @property
    def title(self) -> str:
        """What it does."""
        return "prepare"

    def run(self, workspace: Workspace, n_jobs: int) -> None:
        """Read, clean, divide, learn how text becomes tokens, and make them."""
        with storage.new_folder(self.folder(workspace), TEXT_FORMAT, overwrite=True) as aside:
            found = _Preparation(self, aside, n_jobs).run()
            meta = {"format": TEXT_FORMAT, "version": TEXT_VERSION}
            storage.write_json(aside / "meta.json", meta)
        workspace.write(self.key, found)

    def file(self, workspace: Workspace, name: str) -> Path:
        """Return a file that it leaves."""
        return self.folder(workspace) / name

    def model(self, workspace: Workspace) -> TextModel:
        """Load the text module."""
        return TextModel.load(self.folder(workspace) / "text")


class _Preparation:
    """Makes the files of one folder."""

    def __init__(self, stage: Prepared, folder: Path, n_jobs: int) -> None:
        self._stage = stage
        self._folder = folder
        self._jobs = n_jobs
        self._options = PrepareOptions.model_validate_json(stage.prepare)
        self._named = stage.languages if all(stage.languages) else None  # as files may name them

    def run(self) -> dict[str, Any]:
        """Return what was counted."""
        (self._folder / "raw").mkdir()
        cleaned = self._clean()
        # Starting processes takes longer than some thousand sentences.
        self._large = cleaned["kept"] > _LARGE or bool(self._stage.mono)
        removed = self._divide({name: self._given(name) for name in SETS})
        model = self._learn()
        train = self._write_train()
        counts: dict[str, Any] = {
            "clean": cleaned,
            "removed": removed,
            "train": train,
            "held_out": [name for name in SETS if not getattr(self._stage, name)],
        }
        for name in SETS:
            counts[name] = self._write_set(model, name)
        counts["lm"] = self._write_mono()
        counts["disasters"] = self._disasters()
        counts["suspicions"] = self._suspicions(model)
        for file in ("all.source", "all.target", "train.source", "train.target"):
            (self._folder / "raw" / file).unlink()
        return counts

    def _clean(self) -> dict[str, Any]:
        """Write the pairs that are worth learning from, and count the others by reason."""
        files = [file.path for file in self._stage.train]
        pairs = raw_pairs(files[0], files[1] if len(files) > 1 else None, self._named)
        options = CleaningOptions.model_validate_json(self._stage.clean)
        self._cleaned = counts = CleaningCounts()
        self._lengths = {"train": Lengths()}
        pairs = self._lengths["train"].noted(pairs)
        cleaned = clean_pairs(pairs, options, languages=self._stage.codes, counts=counts)
        with self._opened("raw/all.source", "raw/all.target") as (sources, targets):
            for source, target in cleaned:
                sources.write(source + "\n")
                targets.write(target + "\n")
        return {"read": counts.read, "kept": counts.kept, "left_out": dict(counts.reasons)}

    def _opened(self, *names: str) -> _Files:
        return _Files([self._folder / name for name in names])

    def _given(self, name: str) -> Set | None:
        """Read a development or test set; pairs with an empty side are no use."""
        files = [file.path for file in getattr(self._stage, name)]
        if not files:
            return None
        if len(files) == 1:
            pairs = list(raw_pairs(files[0], None, self._named))
            source, references = [s for s, _ in pairs], [[t for _, t in pairs]]
        else:
            source, references = read_parallel(files[0], files[1:])
        for number, lines in enumerate(references, 1):
            key = _with_reference(name, number)
            self._lengths[key] = Lengths(zip(source, lines, strict=True))
        kept = [
            at
            for at, line in enumerate(source)
            if line.strip() and all(lines[at].strip() for lines in references)
        ]
        if len(kept) < FEWEST_HELD_OUT:
            problem = f"has {len(kept)} sentences, and at least {FEWEST_HELD_OUT} are needed"
            hint = "500 to 2,000 are usual; or leave it out, and some of the training text is taken"
            raise DataError(files[0], None, problem, hint)
        return [source[at] for at in kept], [[lines[at] for at in kept] for lines in references]

    def _divide(self, sets: dict[str, Set | None]) -> dict[str, int]:
        """Write the raw sets and what is left to train on; count what was taken out of that."""
        self._seen = {name: Seen.of(*found) for name, found in sets.items() if found is not None}
        removed = dict.fromkeys(SETS, 0)
        free = [  # neither set may have sentences of the other one
            place
            for place, pair in enumerate(self._raw("all"))
            if not self._is_seen(*pair, removed)
        ]
        drawn = self._draw(free, sets)
        held: dict[str, Set] = {name: found or ([], [[]]) for name, found in sets.items()}
        for place, (source, target) in enumerate(self._raw("all")):
            if place in drawn:
                held[drawn[place]][0].append(source)
                held[drawn[place]][1][0].append(target)
        for name in reversed(SETS):  # what is in the test set is not tuned on
            self._seen.setdefault(name, Seen.of(*held[name]))
            if sets[name] is None and name != SETS[-1]:
                held[name] = _without(held[name], self._seen[SETS[-1]])
        for name, found in held.items():
            self._write_lines(f"raw/{name}.source", found[0])
            for number, lines in enumerate(found[1]):
                self._write_lines(f"raw/{name}.target{number or ''}", lines)
        left = 0
        removed = dict.fromkeys(SETS, 0)
        with self._opened("raw/train.source", "raw/train.target") as (sources, targets):
            for place, pair in enumerate(self._raw("all")):
                if place not in drawn and not self._is_seen(*pair, removed):
                    left += 1
                    sources.write(pair[0] + "\n")
                    targets.write(pair[1] + "\n")
        if left < FEWEST_TRAINING:
            raise OptionError(
                f"only {left} sentence pairs are left to train on, as {sum(removed.values())} have "
                "sentences of the development or the test set: give other sets, or more text"
            )
        return removed

    def _is_seen(self, source: str, target: str, counts: dict[str, int]) -> bool:
        """Whether a pair gives a sentence of a set away; counted for the first such set."""
        for name, seen in self._seen.items():
            if seen.has_pair(source, target):
                counts[name] += 1
                return True
        return False

    def _draw(self, free: list[int], sets: dict[str, Set | None]) -> dict[int, str]:
        """Return the places that are held out, each with the name of its set."""
        sizes = [0 if sets[name] else getattr(self._options, f"{name}_sentences") for name in SETS]
        share = self._options.held_out_share
        try:
            places = held_out_places(len(free), sizes, share, self._stage.seed)
        except OptionError as error:
            raise OptionError(f"{error}\n  {self._where_they_went(len(free))}") from None
        named = zip(SETS, places, strict=True)
        return {free[place]: name for name, found in named for place in found}

    def _where_they_went(self, free: int) -> str:
        """Say how many pairs were read, and why they are no use."""
        counts = self._cleaned
        if not counts.read:
            return "the files have no lines"
        reasons = {**counts.reasons, "with sentences of the other sets": counts.kept - free}
        left_out = ", ".join(f"{n:,} {reason}" for reason, n in reasons.items() if n)
        read = counted(counts.read, "pair")
        return f"{read} read" + (f"; left out: {left_out}" if left_out else "")

    def _raw(self, name: str) -> Iterator[tuple[str, str]]:
        """Yield raw pairs that were written."""
        with (
            (self._folder / "raw" / f"{name}.source").open(encoding="utf-8", newline="\n") as left,
            (self._folder / "raw" / f"{name}.target").open(encoding="utf-8", newline="\n") as right,
        ):
            for source, target in zip(left, right, strict=True):
                yield source.removesuffix("\n"), target.removesuffix("\n")

    def _learn(self) -> TextModel:
        """Learn from the training text how text becomes tokens."""
        options = TextOptions.model_validate_json(self._stage.text)
        model = learn_text(self._raw("train"), self._stage.codes, options)
        model.save(self._folder / "text")
        return TextModel.load(self._folder / "text")

    def _tokens(self, lines: Iterable[tuple[str, ...]], sides: Sides) -> Iterator[tuple[str, ...]]:
        """Prepare lines of some sides, on all cores where there are enough of them."""
        work = _Preparer(self._folder / "text", sides)
        jobs = self._jobs if self._large else 1
        for found in map_ordered(work, _blocks(lines), jobs, processes=True):
            yield from found

    def _write_train(self) -> dict[str, int]:
        """Write the training text in tokens, without pairs that are too long or empty now."""
        longest = self._options.max_tokens
        kept = long = empty = 0
        words = [0, 0]
        tokens = self._tokens(self._raw("train"), ("source", "target"))
        with self._opened("train.source", "train.target") as (left, right):
            for source, target in tokens:
                lengths = (len(source.split(" ")), len(target.split(" ")))
                if not source or not target:
                    empty += 1
                elif max(lengths) > longest:
                    long += 1
                else:
                    kept += 1
                    left.write(source + "\n")
                    right.write(target + "\n")
                    words = [words[0] + lengths[0], words[1] + lengths[1]]
        return {"pairs": kept, "long": long, "empty": empty, "source": words[0], "target": words[1]}

    def _write_set(self, model: TextModel, name: str) -> dict[str, int]:
        """Write a development or test set in tokens."""
        raw = self._folder / "raw"
        lines = read_lines(raw / f"{name}.source")
        self._write_lines(f"{name}.source", map(model.source.prepare, lines))
        references = sorted(raw.glob(f"{name}.target*"))
        for path in references:
            self._write_lines(path.name, map(model.target.prepare, read_lines(path)))
        return {"sentences": len(lines), "references": len(references)}

    def _write_mono(self) -> dict[str, int]:
        """Write the text of the language model, if it is more than the training text."""
        if not self._stage.mono:
            return {"lines": 0, "removed": 0}
        removed = lines = 0
        with self._opened("lm.target") as (out,):
            with (self._folder / "train.target").open(encoding="utf-8") as train:
                out.writelines(train)
            seen = list(self._seen.values())
            for file in self._stage.mono:
                given = read_lines(file.path)
                kept = [
                    line
                    for line in given
                    if line.strip() and not any(one.has_target(line) for one in seen)
                ]
                removed += sum(1 for line in given if line.strip()) - len(kept)
                for (line,) in self._tokens(zip(kept), ("target",)):
                    out.write(line + "\n")
                    lines += 1
        return {"lines": lines, "removed": removed}

    def _samples(self) -> dict[str, list[tuple[str, str]]]:
        """Return the first pairs of all texts, and of sets with their further references."""
        samples = {name: list(islice(self._raw(name), _SAMPLE)) for name in ("train", *SETS)}
        raw = self._folder / "raw"
        for name in SETS:
            source = read_lines(raw / f"{name}.source")
            for number in range(2, len([*raw.glob(f"{name}.target*")]) + 1):
                target = read_lines(raw / f"{name}.target{number - 1}")
                pairs = list(zip(source, target, strict=True))[:_SAMPLE]
                samples[_with_reference(name, number)] = pairs
        return samples

    def _disasters(self) -> list[str]:
        """Look for text that no system should be made of."""
        given = [name for name in SETS if getattr(self._stage, name)]
        found = disasters(self._samples(), given, self._stage.codes)
        for name, lengths in self._lengths.items():
            if problem := lengths.problem():
                found.append(f"the sides of the {title_of(name)} {problem}")
        return found

    def _suspicions(self, model: TextModel) -> list[str]:
        """Look for what people do wrong: sides swapped, another language, tokenised text."""
        found = sides_suspicions(self._samples(), model, self._stage.codes)
        both = sum(self._seen["test"].has_pair(*pair) for pair in self._raw("dev"))
        if both:
            found.append(
                f"{counted(both, 'sentence')} of the development set are in the test set, too: its "
                "scores are better than they should be"
            )
        return found

    def _write_lines(self, name: str, lines: Iterable[str]) -> None:
        with self._opened(name) as (file,):
            file.writelines(line + "\n" for line in lines)


def _with_reference(name: str, number: int) -> str:
    """Return the name of a set with one of its references; the first is just the set."""
    return name if number == 1 else f"{name}.{number}"


def _without(given: Set, seen: Seen) -> Set:
    """Return the sentences of a set, with one reference, that give none of another away."""
    source, (target,) = given
    pairs = [pair for pair in zip(source, target, strict=True) if not seen.has_pair(*pair)]
    return [one for one, _ in pairs], [[other for _, other in pairs]]


class _Files(ExitStack):
    """Text files that are written together."""

    def __init__(self, paths: list[Path]) -> None:
        super().__init__()
        self._paths = paths

    def __enter__(self) -> list[TextIO]:  # type: ignore[override]
        super().__enter__()
        return [
            self.enter_context(path.open("w", encoding="utf-8", newline="\n"))
            for path in self._paths
        ]


@dataclass(frozen=True)
class _Preparer:
    """Prepares a block of lines, in any process."""

    folder: Path
    sides: Sides

    def __call__(self, lines: list[tuple[str, ...]]) -> list[tuple[str, ...]]:
        model = _loaded(self.folder)
        columns = zip(*lines, strict=True)
        found = [
            map(getattr(model, side).prepare, column)
            for side, column in zip(self.sides, columns, strict=True)
        ]
        return list(zip(*found, strict=True))


@lru_cache(maxsize=1)
def _loaded(folder: Path) -> TextModel:
    return TextModel.load(folder)


def _blocks(lines: Iterable[tuple[str, ...]]) -> Iterator[list[tuple[str, ...]]]:
    given = iter(lines)
    while block := list(islice(given, _BLOCK)):
        yield block
