"""``tartib translate``."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tartib.cli import options, output
from tartib.cli.problems import note_if_stopped
from tartib.wording import counted

if TYPE_CHECKING:
    from tartib.decoder import Decoder, System, Translation
    from tartib.decoder.input import Fingerprint

Write = Callable[[Mapping[str, bytes]], None]
_SEARCH = "Search (instead of the system's options)"
_OUTPUT = "Output"
_MANY_UNKNOWN = 0.5  # of the words; more are rarely right


def translate(
    system: options.SystemFile,
    text: Annotated[
        str,
        typer.Argument(
            metavar="[INPUT]",
            help="One sentence on each line, plain or compressed; - is standard input.",
        ),
    ] = "-",
    out: Annotated[
        Path | None,
        options.option(
            "--out -o",
            "FILE",
            "File to write; after an interrupt --resume continues it. The default, or -, is "
            "standard output, where each line is written at once.",
            _OUTPUT,
        ),
    ] = None,
    as_json: Annotated[
        bool,
        options.flag(
            "--json", "Print a line of JSON for each sentence instead of its translation.", _OUTPUT
        ),
    ] = False,
    nbest_out: Annotated[
        Path | None,
        options.option(
            "--nbest-out",
            "FILE",
            "File for n-best lists in Moses' format, for tuning and reranking.",
            _OUTPUT,
        ),
    ] = None,
    nbest_size: Annotated[
        int | None,
        options.option(
            "--nbest-size",
            "N",
            "Length of n-best lists, 100 by default; with --json they are in the JSON, too.",
            _OUTPUT,
            min=1,
        ),
    ] = None,
    distinct: Annotated[
        bool,
        options.flag(
            "--distinct", "Leave out translations that repeat the words of a better one.", _OUTPUT
        ),
    ] = False,
    alignment_out: Annotated[
        Path | None,
        options.option(
            "--alignment-out",
            "FILE",
            "File for alignments of source and translation in Pharaoh format, 0-0 1-2 …, from "
            "which `tartib score` computes scores of word order.",
            _OUTPUT,
        ),
    ] = None,
    trace_out: Annotated[
        str | None,
        options.option(
            "--trace-out",
            "FILE",
            "File that shows how each sentence was translated; - is standard error.",
            _OUTPUT,
        ),
    ] = None,
    search_graph_out: Annotated[
        Path | None,
        options.option(
            "--search-graph-out",
            "FILE",
            "File for all hypotheses that the search kept, in lines of JSON.",
            _OUTPUT,
        ),
    ] = None,
    resume: Annotated[
        bool,
        options.flag(
            "--resume",
            "Continue an interrupted command with --out after its last finished sentence.",
            _OUTPUT,
        ),
    ] = False,
    overwrite: options.Overwrite = False,
    weights: Annotated[
        Path | None,
        options.option(
            "--weights", "FILE", "TOML file with weights to use instead of the system's."
        ),
    ] = None,
    stack_size: Annotated[
        int | None,
        options.option(
            "--stack-size",
            "N",
            "Hypotheses kept for each number of translated words, 200 by default; 0 keeps all. "
            "Time grows with it: 1,000 takes three to four times as long and finds little "
            "more, 50 takes half as long and loses 0.1 or 0.2 BLEU.",
            _SEARCH,
            min=0,
        ),
    ] = None,
    beam_threshold: Annotated[
        float | None,
        options.option(
            "--beam-threshold",
            "NUMBER",
            "Drop hypotheses less probable than the best one times this, 0.00001 by default; 0 "
            "keeps all. A larger number is faster and finds less.",
            _SEARCH,
        ),
    ] = None,
    distortion_limit: Annotated[
        int | None,
        options.option(
            "--distortion-limit",
            "N",
            "Longest jump in source words, 6 by default; -1 for no limit. Long jumps take "
            "time, and need a reordering model that knows when they are right.",
            _SEARCH,
            min=-1,
        ),
    ] = None,
    monotone: Annotated[
        bool,
        options.flag("--monotone", "No jumps: distortion limit 0.", _SEARCH),
    ] = False,
    cube_pops: Annotated[
        int | None,
        options.option(
            "--cube-pops",
            "N",
            "Cube pruning: number of extensions tried for each stack; 0, the default, tries "
            "all of them. 1,000 is twice as fast, at nearly the same scores.",
            _SEARCH,
            min=0,
        ),
    ] = None,
    table_limit: Annotated[
        int | None,
        options.option(
            "--table-limit",
            "N",
            "Translations of each source phrase to consider, best first, 20 by default; 0 for all.",
            _SEARCH,
            min=0,
        ),
    ] = None,
    drop_unknown: Annotated[
        bool | None,
        options.flag(
            "--drop-unknown/--keep-unknown",
            "Drop unknown words, or pass them through, which is the default.",
            _SEARCH,
        ),
    ] = None,
    max_words: Annotated[
        int | None,
        options.option(
            "--max-words",
            "N",
            "Cut longer sentences, with a warning; 200 by default.",
            _SEARCH,
            min=1,
        ),
    ] = None,
    jobs: options.Jobs = None,
    verbose: Annotated[
        bool,
        options.flag("--verbose -v", "Print a summary even if standard error is not a terminal."),
    ] = False,
) -> None:
    """Translate sentences, one on each line, with a phrase-based system.

    A system is a TOML file. The smallest one names the folders that
    `tartib phrase-table` and `tartib lm estimate` wrote:

        phrase-table = "table"
        lm = "lm"

    docs/decoder.md has the rest: reordering models, weights, search.

    Example:

        tartib translate system.toml < input.txt > output.txt

    N-best lists, traces, and continuing after an interrupt:

        tartib translate system.toml dev.txt -o out.txt --nbest-out nbest.txt
        tartib translate system.toml input.txt --trace-out -
        tartib translate system.toml input.txt -o out.txt --resume
    """
    if monotone and distortion_limit not in (None, 0):
        raise typer.BadParameter("give --monotone or --distortion-limit, not both")
    files = {"nbest": nbest_out, "alignment": alignment_out, "graph": search_graph_out}
    if trace_out != "-":
        files["trace"] = None if trace_out is None else Path(trace_out)
    run = _Run(
        text,
        None if str(out) == "-" else out,
        {role: path for role, path in files.items() if path is not None},
        as_json=as_json,
        nbest_size=nbest_size,
        distinct=distinct,
        loud=trace_out == "-",
        resume=resume,
        overwrite=overwrite,
        jobs=jobs,
    )
    run.check()
    search = {
        "stack_size": stack_size,
        "beam_threshold": beam_threshold,
        "distortion_limit": 0 if monotone else distortion_limit,
        "cube_pops": cube_pops,
        "table_limit": table_limit,
        "drop_unknown": drop_unknown,
        "max_words": max_words,
    }
    chosen = _system(system, weights, search)
    if run.is_finished([system, *([] if weights is None else [weights]), *chosen.files]):
        return
    run.translate(chosen)
    if run.count.unknown > _MANY_UNKNOWN * run.count.words:
        output.print_problem(f"warning: {run.count.doubt()}")
    if verbose or sys.stderr.isatty():
        output.print_note(run.count.summary())


def _check_names(targets: list[Path]) -> None:
    from tartib.textio import compression_of

    if len({os.path.realpath(path) for path in targets}) < len(targets):
        raise typer.BadParameter("two outputs have the same file: give each a file of its own")
    for path in targets:
        if str(path) == "-":
            problem = "only --out and --trace-out can be -: give the name of a file"
            raise typer.BadParameter(problem)
        if suffix := compression_of(path):
            problem = f"{path}: output that can be continued cannot be compressed"
            raise typer.BadParameter(f"{problem}: drop {suffix}, and compress the file afterwards")


def _system(path: Path, weights: Path | None, search: dict[str, Any]) -> System:
    from tartib.decoder.system import System
    from tartib.decoder.system_sections import read_weights

    system = System.read(path)
    if weights is not None:
        system = system.with_weights(read_weights(weights), weights)
    return system.with_search(**{n: v for n, v in search.items() if v is not None})


@dataclass
class _Count:
    """Counts for the summary at the end."""

    began: float = field(default_factory=time.perf_counter)
    sentences: int = 0
    words: int = 0
    unknown: int = 0
    total: float = 0.0

    def add(self, translation: Translation) -> None:
        self.sentences += 1
        self.words += len(translation.source)
        self.total += translation.best.total
        self.unknown += translation.n_unknown

    def rate(self) -> str:
        return f"{self.words / max(time.perf_counter() - self.began, 1e-9):,.0f} words/s"

    def doubt(self) -> str:
        return (
            f"{self.unknown:,} of {self.words:,} words are unknown to the phrase table: is it "
            "in the source language, and tokenised and cased as the training text was?"
        )

    def summary(self) -> str:
        mean = self.total / self.sentences if self.sentences else 0.0
        seconds = time.perf_counter() - self.began
        return (
            f"{counted(self.sentences, 'sentence')}, {counted(self.words, 'word')} in "
            f"{seconds:.1f} s ({self.rate()});\n"
            f"average total {mean:.4f}; {counted(self.unknown, 'unknown word')}"
        )


@dataclass
class _Run:
    """One call of the command, all options read."""

    text: str
    out: Path | None
    side: dict[str, Path]  # by role: nbest, alignment, graph, trace
    as_json: bool
    nbest_size: int | None
    distinct: bool
    loud: bool  # trace on standard error
    resume: bool
    overwrite: bool
    jobs: int | None
    count: _Count = field(default_factory=_Count)
    finished: int = 0  # sentences, those of earlier commands that are continued included
    fingerprint: Fingerprint | None = None
    models: dict[str, str] = field(default_factory=dict)  # their state when they were loaded

    def check(self) -> None:
        """Refuse what cannot be done before any model is loaded, which may take a while."""
        from tartib.storage import check_file

        if self.nbest_size is not None and "nbest" not in self.side and not self.as_json:
            raise typer.BadParameter("--nbest-size needs --nbest-out or --json")
        if self.distinct and "nbest" not in self.side and not (self.as_json and self.nbest_size):
            raise typer.BadParameter("--distinct needs --nbest-out, or --json with --nbest-size")
        if self.resume and (self.out is None or self.text == "-"):
            raise typer.BadParameter("--resume needs an input file and --out")
        _check_names(self.targets)
        for path in self.targets:
            if not self.resume:
                check_file(path, overwrite=self.overwrite)

    @property
    def targets(self) -> list[Path]:
        """All files to write."""
        return [*([] if self.out is None else [self.out]), *self.side.values()]

    def is_finished(self, sources: list[Path]) -> bool:
        """Whether --resume finds its result, and says so; any other file is refused."""
        from tartib.decoder import resumable_output as found
        from tartib.storage import unfinished_path

        there = [path for path in self.targets if path.exists()]
        if not self.resume or self.overwrite or self.out is None or not there:
            return False
        if unfinished_path(self.out).exists():
            return False
        by_line = [self.out, *(path for role, path in self.side.items() if role == "alignment")]
        if (
            not all(map(found.is_finished, self.targets))
            or not found.are_newer(there, [Path(self.text), *sources])
            or not found.have_lines_of(self.text, by_line)
        ):
            raise found.not_unfinished(there[0])
        known = "with a line for each sentence, and newer than the system and its models"
        output.print_note(f"{self.out} is finished, {known}: there is nothing to continue")
        return True

    @property
    def list_size(self) -> int:
        """Length of n-best lists."""
        return self.nbest_size or (100 if "nbest" in self.side else 1)

    def translate(self, system: System) -> None:
        """Load the models and translate all sentences; an interrupt is told what was kept."""
        from tartib.decoder.input import Fingerprint

        self.fingerprint = Fingerprint.of(self.text)
        with note_if_stopped(self.kept):
            self.models = system.state()
            decoder = system.load(progress=True)
            output.note_keyboard(self.text)
            self._translate_all(decoder)

    def _translate_all(self, decoder: Decoder) -> None:
        from tartib.decoder.input import SentenceReader
        from tartib.progress import progress_bar

        total = None if self.fingerprint is None else self.fingerprint.lines
        shown = self.out is not None or not sys.stdout.isatty()
        self.count = _Count()
        with (
            SentenceReader(self.text) as reader,
            self._outputs(decoder) as (done, write),
            progress_bar(
                "Translating", total, "sentences", shown=shown, detail=self.count.rate
            ) as advance,
        ):
            advance(done)
            self.finished = done
            translations = decoder.translate(
                islice(reader, done, None),
                nbest_size=self.list_size,
                distinct=self.distinct,
                graph="graph" in self.side,
                n_jobs=self.jobs,
                ready=reader.ready,
            )
            for number, translation in enumerate(translations, done):
                write(self._texts(number, translation))
                self.finished += 1
                self.count.add(translation)
                advance(1)

    def kept(self) -> str:
        """Return what an interrupt left, and how to go on."""
        done = counted(self.finished, "sentence")
        if self.resume and not self.finished:
            return "no further sentence was finished; the same command continues"
        if not self.finished:
            return "no sentence was finished, and nothing was written"
        if self.out is None:
            files = "; its other files were not written" if self.side else ""
            return f"{done} went to standard output{files}"
        from tartib.storage import unfinished_path

        place = unfinished_path(self.out)
        if self.fingerprint is None:
            return f"{done} in {place / 'output'}; a text that is not a file cannot be continued"
        again = "the same command" if self.resume else "the same command with --resume"
        return f"{done} finished and kept in {place}; {again} continues"

    @contextmanager
    def _outputs(self, decoder: Decoder) -> Iterator[tuple[int, Write]]:
        """Yield the number of sentences that are done already, and the function that writes one."""
        from tartib.decoder.resumable_output import ResumableOutput
        from tartib.storage import new_files

        if self.out is not None:
            targets = {"output": self.out, **self.side}
            how = {"resume": self.resume, "overwrite": self.overwrite}
            settings = self._settings(decoder)
            with ResumableOutput(targets, settings, kept=self.kept, **how) as resumable:
                yield resumable.finished, resumable.write
            return
        with (
            new_files(*self.side.values(), overwrite=self.overwrite) as asides,
            ExitStack() as stack,
        ):
            files = {
                role: stack.enter_context(aside.open("wb"))
                for role, aside in zip(self.side, asides, strict=True)
            }

            def write(texts: Mapping[str, bytes]) -> None:
                output.write_result(texts["output"])
                for role, file in files.items():
                    file.write(texts[role])

            yield 0, write

    def _settings(self, decoder: Decoder) -> dict[str, Any]:
        """Return all that the output depends on: it is continued only if nothing has changed."""
        from tartib.signature import signature

        return {
            "program": signature(),
            "input": None if self.fingerprint is None else self.fingerprint._asdict(),
            "models": self.models,
            "weights": decoder.weights_by_name,
            "search": decoder.options.model_dump(by_alias=True),
            "outputs": {
                "json": self.as_json,
                "nbest-size": self.list_size,
                "distinct": self.distinct,
                "others": list(self.side),
            },
        }

    def _texts(self, number: int, translation: Translation) -> dict[str, bytes]:
        from tartib.decoder.output import (
            alignment_line,
            graph_lines,
            json_line,
            nbest_lines,
            text_line,
            trace_text,
        )

        for warning in translation.warnings:
            name = "standard input" if self.text == "-" else self.text
            output.print_note(f"tartib: warning: {name}:{number + 1}: {warning}")
        if self.loud:
            output.print_trace(trace_text(number, translation).removesuffix("\n"))
        formats = {
            "output": json_line if self.as_json else text_line,
            "nbest": nbest_lines,
            "alignment": alignment_line,
            "trace": trace_text,
            "graph": graph_lines,
        }
        return {
            role: formats[role](number, translation).encode() for role in ("output", *self.side)
        }
