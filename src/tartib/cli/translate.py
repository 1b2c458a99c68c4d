"""``tartib translate``."""

from __future__ import annotations

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


def translate(
    system: Annotated[
        Path, typer.Argument(help="TOML file of a system, or a moses.ini.", show_default=False)
    ],
    text: Annotated[
        str,
        typer.Argument(
            metavar="[INPUT]",
            help="One sentence on each line, plain or compressed; - is standard input.",
        ),
    ] = "-",
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            "-o",
            metavar="FILE",
            help="File to write; after an interrupt --resume continues it. The default, or -, is "
            "standard output, where each line is written at once.",
            rich_help_panel=_OUTPUT,
        ),
    ] = None,
    as_json: Annotated[
        bool,
        typer.Option(
            "--json",
            help="Print a line of JSON for each sentence instead of its translation.",
            rich_help_panel=_OUTPUT,
        ),
    ] = False,
    nbest_out: Annotated[
        Path | None,
        typer.Option(
            "--nbest-out",
            metavar="FILE",
            help="File for n-best lists in Moses' format, for tuning and reranking.",
            rich_help_panel=_OUTPUT,
        ),
    ] = None,
    nbest_size: Annotated[
        int | None,
        typer.Option(
            "--nbest-size",
            min=1,
            metavar="N",
            help="Length of n-best lists, 100 by default; with --json these have them too.",
            rich_help_panel=_OUTPUT,
        ),
    ] = None,
    distinct: Annotated[
        bool,
        typer.Option(
            "--distinct",
            help="Leave out translations with the words of a better one.",
            rich_help_panel=_OUTPUT,
        ),
    ] = False,
    alignment_out: Annotated[
        Path | None,
        typer.Option(
            "--alignment-out",
            metavar="FILE",
            help="File for alignments of source and translation in Pharaoh format, 0-0 1-2 …, from "
            "which `tartib score` computes scores of word order.",
            rich_help_panel=_OUTPUT,
        ),
    ] = None,
    trace_out: Annotated[
        str | None,
        typer.Option(
            "--trace-out",
            metavar="FILE",
            help="File that shows how each sentence was translated; - is standard error.",
            rich_help_panel=_OUTPUT,
        ),
    ] = None,
    search_graph_out: Annotated[
        Path | None,
        typer.Option(
            "--search-graph-out",
            metavar="FILE",
            help="File for all hypotheses that the search kept, in lines of JSON.",
            rich_help_panel=_OUTPUT,
        ),
    ] = None,
    resume: Annotated[
        bool,
        typer.Option(
            "--resume",
            help="Continue an interrupted command with --out after its last finished sentence.",
            rich_help_panel=_OUTPUT,
        ),
    ] = False,
    overwrite: options.Overwrite = False,
    weights: Annotated[
        Path | None,
        typer.Option(
            "--weights",
            metavar="FILE",
            help="TOML file with weights to use instead of the system's.",
        ),
    ] = None,
    stack_size: Annotated[
        int | None,
        typer.Option(
            "--stack-size",
            min=0,
            metavar="N",
            help="Hypotheses kept for each number of translated words, 200 by default; 0 keeps "
            "all. Time grows with it: 1,000 takes three to four times as long and finds little "
            "more, 50 takes half as long and loses 0.1 or 0.2 BLEU.",
            rich_help_panel=_SEARCH,
        ),
    ] = None,
    beam_threshold: Annotated[
        float | None,
        typer.Option(
            "--beam-threshold",
            metavar="NUMBER",
            help="Drop hypotheses less probable than the best one times this, 0.00001 by default; "
            "0 keeps all. A larger number is faster and finds less.",
            rich_help_panel=_SEARCH,
        ),
    ] = None,
    distortion_limit: Annotated[
        int | None,
        typer.Option(
            "--distortion-limit",
            min=-1,
            metavar="N",
            help="Longest jump in source words, 6 by default; -1 for no limit. Long jumps take "
            "time, and need a reordering model that knows when they are right.",
            rich_help_panel=_SEARCH,
        ),
    ] = None,
    monotone: Annotated[
        bool,
        typer.Option("--monotone", help="No jumps: distortion limit 0.", rich_help_panel=_SEARCH),
    ] = False,
    cube_pops: Annotated[
        int | None,
        typer.Option(
            "--cube-pops",
            min=0,
            metavar="N",
            help="Cube pruning: number of extensions tried for each stack; 0, the default, tries "
            "all of them. 1,000 is twice as fast, at nearly the same scores.",
            rich_help_panel=_SEARCH,
        ),
    ] = None,
    table_limit: Annotated[
        int | None,
        typer.Option(
            "--table-limit",
            min=0,
            metavar="N",
            help="Translations of each source phrase to consider, best first, 20 by default; 0 for "
            "all.",
            rich_help_panel=_SEARCH,
        ),
    ] = None,
    drop_unknown: Annotated[
        bool | None,
        typer.Option(
            "--drop-unknown/--keep-unknown",
            help="Drop unknown words, or pass them through, which is the default.",
            rich_help_panel=_SEARCH,
        ),
    ] = None,
    max_words: Annotated[
        int | None,
        typer.Option(
            "--max-words",
            min=1,
            metavar="N",
            help="Cut longer sentences, with a warning; 200 by default.",
            rich_help_panel=_SEARCH,
        ),
    ] = None,
    jobs: options.Jobs = None,
    verbose: Annotated[
        bool,
        typer.Option(
            "--verbose", "-v", help="Print a summary even if standard error is no terminal."
        ),
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
    from tartib.decoder.input import Fingerprint
    from tartib.decoder.resumable_output import check_target

    if monotone and distortion_limit not in (None, 0):
        raise typer.BadParameter("give --monotone or --distortion-limit, not both")
    if nbest_size is not None and nbest_out is None and not as_json:
        raise typer.BadParameter("--nbest-size needs --nbest-out or --json")
    if distinct and nbest_out is None and not (as_json and nbest_size):
        raise typer.BadParameter("--distinct needs --nbest-out, or --json with --nbest-size")
    out = None if str(out) == "-" else out
    if resume and (out is None or text == "-"):
        raise typer.BadParameter("--resume needs an input file and --out")
    search = {
        "stack_size": stack_size,
        "beam_threshold": beam_threshold,
        "distortion_limit": 0 if monotone else distortion_limit,
        "cube_pops": cube_pops,
        "table_limit": table_limit,
        "drop_unknown": drop_unknown,
        "max_words": max_words,
    }
    chosen = _system(system, weights, {n: v for n, v in search.items() if v is not None})
    size = nbest_size or (1 if nbest_out is None else 100)
    files = {
        "nbest": nbest_out,
        "alignment": alignment_out,
        "trace": None if trace_out is None or trace_out == "-" else Path(trace_out),
        "graph": search_graph_out,
    }
    side = {role: path for role, path in files.items() if path is not None}
    targets = [*side.values(), *([] if out is None else [out])]
    _check_names(targets)
    for path in targets:
        if not resume:
            check_target(path, overwrite=overwrite)  # here already: loading may take a while
    run = _Run(
        text,
        Fingerprint.of(text),
        out,
        side,
        as_json=as_json,
        nbest_size=size,
        distinct=distinct,
        loud=trace_out == "-",
        resume=resume,
        overwrite=overwrite,
        jobs=jobs,
    )
    with note_if_stopped(run.kept):
        decoder = chosen.load(progress=True)
        output.note_keyboard(text)
        run.translate(chosen, decoder)
    if verbose or sys.stderr.isatty():
        output.print_note(run.count.summary())


def _check_names(targets: list[Path]) -> None:
    from tartib.textio import compression_of

    if len({path.absolute() for path in targets}) < len(targets):
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
    return system.with_search(**search)


@dataclass
class _Count:
    """Counts for the summary at the end."""

    began: float = field(default_factory=time.perf_counter)
    sentences: int = 0
    words: int = 0
    unknown: int = 0
    total: float = 0.0

    def add(self, translation: Translation) -> None:
        from tartib.decoder.features import UNKNOWN_PENALTY
        from tartib.decoder.orientation_scorers import LOWEST

        self.sentences += 1
        self.words += len(translation.source)
        self.total += translation.best.total
        at = translation.layout.slice(UNKNOWN_PENALTY)
        self.unknown += round(float(translation.best.features[at][0]) / LOWEST)

    def rate(self) -> str:
        return f"{self.words / max(time.perf_counter() - self.began, 1e-9):,.0f} words/s"

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
    fingerprint: Fingerprint | None
    out: Path | None
    side: dict[str, Path]
    as_json: bool
    nbest_size: int
    distinct: bool
    loud: bool  # trace on standard error
    resume: bool
    overwrite: bool
    jobs: int | None
    count: _Count = field(default_factory=_Count)
    finished: int = 0  # sentences, those of earlier commands that are continued included

    def translate(self, system: System, decoder: Decoder) -> None:
        from tartib.decoder.input import SentenceReader
        from tartib.progress import progress_bar

        total = None if self.fingerprint is None else self.fingerprint.lines
        shown = self.out is not None or not sys.stdout.isatty()
        self.count = _Count()
        with (
            SentenceReader(self.text) as reader,
            self._outputs(system, decoder) as (done, write),
            progress_bar(
                "Translating", total, "sentences", shown=shown, detail=self.count.rate
            ) as advance,
        ):
            advance(done)
            self.finished = done
            translations = decoder.translate(
                islice(reader, done, None),
                nbest_size=self.nbest_size,
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
        if self.fingerprint is None:
            from tartib.decoder.resumable_output import unfinished_folder

            place = unfinished_folder(self.out) / "output"
            return f"{done} in {place}; a text that is not a file cannot be continued"
        if self.resume:
            return f"{done} finished and kept; the same command continues"
        return f"{done} finished and kept; the same command with --resume continues"

    @contextmanager
    def _outputs(self, system: System, decoder: Decoder) -> Iterator[tuple[int, Write]]:
        """Yield the number of sentences that are done already, and the function that writes one."""
        from tartib.decoder.resumable_output import ResumableOutput
        from tartib.storage import new_files

        if self.out is not None:
            targets = {"output": self.out, **self.side}
            settings = self._settings(system, decoder)
            with ResumableOutput(
                targets, settings, resume=self.resume, overwrite=self.overwrite
            ) as resumable:
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
                sys.stdout.buffer.write(texts["output"])
                sys.stdout.buffer.flush()
                for role, file in files.items():
                    file.write(texts[role])

            yield 0, write

    def _settings(self, system: System, decoder: Decoder) -> dict[str, Any]:
        """Return all that the output depends on: it is continued only if nothing has changed."""
        from tartib.signature import signature

        return {
            "program": signature(),
            "input": None if self.fingerprint is None else self.fingerprint._asdict(),
            "models": system.state(),
            "weights": decoder.layout.mapping(decoder.weights),
            "search": decoder.options.model_dump(by_alias=True),
            "outputs": {
                "json": self.as_json,
                "nbest-size": self.nbest_size,
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
            output.print_note(trace_text(number, translation).removesuffix("\n"))
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
