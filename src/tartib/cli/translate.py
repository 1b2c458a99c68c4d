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
from tartib.wording import counted

if TYPE_CHECKING:
    from tartib.decoder import Decoder, System, Translation
    from tartib.decoder.input import Fingerprint

Write = Callable[[Mapping[str, bytes]], None]
_SEARCH = "Search (instead of what the system says)"
_OUTPUT = "Output"


def translate(
    system: Annotated[
        Path, typer.Argument(help="TOML file of a system, or a moses.ini.", show_default=False)
    ],
    text: Annotated[
        str,
        typer.Argument(
            metavar="[INPUT]", help="One sentence a line, plain or compressed; - is standard input."
        ),
    ] = "-",
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            "-o",
            metavar="FILE",
            help="File to write, which can be continued after an interrupt (--resume); standard "
            "output by default or with -, each line at once.",
            rich_help_panel=_OUTPUT,
        ),
    ] = None,
    as_json: Annotated[
        bool,
        typer.Option(
            "--json",
            help="A line of JSON for each sentence instead of its translation.",
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
            help="Length of n-best lists, 100 by default; with --json, also there.",
            rich_help_panel=_OUTPUT,
        ),
    ] = None,
    distinct: Annotated[
        bool,
        typer.Option(
            "--distinct",
            help="N-best lists leave out what has the words of a better one.",
            rich_help_panel=_OUTPUT,
        ),
    ] = False,
    alignment_out: Annotated[
        Path | None,
        typer.Option(
            "--alignment-out",
            metavar="FILE",
            help="File for word alignments, source-translation, in Pharaoh format: 0-0 1-2 …; "
            "`tartib score` finds the word order by them.",
            rich_help_panel=_OUTPUT,
        ),
    ] = None,
    trace_out: Annotated[
        str | None,
        typer.Option(
            "--trace-out",
            metavar="FILE",
            help="File for how each sentence was put together; - is standard error.",
            rich_help_panel=_OUTPUT,
        ),
    ] = None,
    search_graph_out: Annotated[
        Path | None,
        typer.Option(
            "--search-graph-out",
            metavar="FILE",
            help="File for all hypotheses that the search kept, as lines of JSON.",
            rich_help_panel=_OUTPUT,
        ),
    ] = None,
    resume: Annotated[
        bool,
        typer.Option(
            "--resume",
            help="With --out: continue after the last finished sentence.",
            rich_help_panel=_OUTPUT,
        ),
    ] = False,
    overwrite: options.Overwrite = False,
    weights: Annotated[
        Path | None,
        typer.Option(
            "--weights", metavar="FILE", help="TOML file of weights only, to use instead."
        ),
    ] = None,
    stack_size: Annotated[
        int | None,
        typer.Option(
            "--stack-size",
            min=0,
            metavar="N",
            help="Hypotheses kept for each number of translated words; 200 unless the system says "
            "otherwise, 0: all. Time grows with it: 1,000 takes three to four times as long and "
            "finds little more, 50 half as long and loses 0.1 or 0.2 BLEU.",
            rich_help_panel=_SEARCH,
        ),
    ] = None,
    beam_threshold: Annotated[
        float | None,
        typer.Option(
            "--beam-threshold",
            metavar="NUMBER",
            help="Drop hypotheses that are less likely than the best one times this; 0.00001 "
            "unless the system says otherwise, 0: none. More is faster and finds less.",
            rich_help_panel=_SEARCH,
        ),
    ] = None,
    distortion_limit: Annotated[
        int | None,
        typer.Option(
            "--distortion-limit",
            min=-1,
            metavar="N",
            help="Longest jump in source words; 6 unless the system says otherwise, -1: any. Long "
            "jumps take time, and need a reordering model that knows when they are right.",
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
            help="Cube pruning: try only so many extensions for each stack; 0, all of them, unless "
            "the system says otherwise. 1,000 is twice as fast as without, at nearly the same "
            "scores.",
            rich_help_panel=_SEARCH,
        ),
    ] = None,
    table_limit: Annotated[
        int | None,
        typer.Option(
            "--table-limit",
            min=0,
            metavar="N",
            help="Translations of a source phrase to look at, the best by themselves; 20 unless "
            "the system says otherwise, 0: all.",
            rich_help_panel=_SEARCH,
        ),
    ] = None,
    drop_unknown: Annotated[
        bool | None,
        typer.Option(
            "--drop-unknown/--keep-unknown",
            help="Leave out words that the phrase table does not know, or keep them as they are, "
            "which is usual.",
            rich_help_panel=_SEARCH,
        ),
    ] = None,
    max_words: Annotated[
        int | None,
        typer.Option(
            "--max-words",
            min=1,
            metavar="N",
            help="Longer sentences are cut, with a warning; 200 unless the system says otherwise.",
            rich_help_panel=_SEARCH,
        ),
    ] = None,
    jobs: options.Jobs = None,
    verbose: Annotated[
        bool, typer.Option("--verbose", "-v", help="Print a summary also where no terminal is.")
    ] = False,
) -> None:
    """Translate sentences, one a line, with a phrase-based system.

    A system is a TOML file. The least of one, with the folders that
    `tartib phrase-table` and `tartib lm estimate` make:

        phrase-table = "table"
        lm = "lm"

    docs/decoder.md tells about reordering models and weights.

    Example:

        tartib translate system.toml < input.txt > output.txt

    N-best lists, how a sentence was put together, and going on after a stop:

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
    decoder = chosen.load(progress=True)
    output.note_keyboard(text)
    run.translate(chosen, decoder)
    if verbose or sys.stderr.isatty():
        output.print_note(run.count.summary())


def _check_names(targets: list[Path]) -> None:
    from tartib.textio import compression_of

    if len({path.absolute() for path in targets}) < len(targets):
        raise typer.BadParameter("each output needs a file of its own")
    for path in targets:
        if str(path) == "-":
            problem = "only --out and --trace-out can be -: give the name of a file"
            raise typer.BadParameter(problem)
        if suffix := compression_of(path):
            problem = f"{path} grows line by line and cannot be compressed meanwhile"
            raise typer.BadParameter(f"{problem}: drop {suffix}, and compress the file afterwards")


def _system(path: Path, weights: Path | None, search: dict[str, Any]) -> System:
    from tartib.decoder.system import System
    from tartib.decoder.weights import read_weights

    system = System.read(path)
    if weights is not None:
        system = system.with_weights(read_weights(weights), weights)
    return system.with_search(**search)


@dataclass
class _Count:
    """What is summed up at the end."""

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
            f"{self.sentences:,} sentences of {self.words:,} words in {seconds:.1f} s "
            f"({self.rate()});\naverage total {mean:.4f}; {self.unknown:,} unknown words"
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
                self.count.add(translation)
                advance(1)

    @contextmanager
    def _outputs(self, system: System, decoder: Decoder) -> Iterator[tuple[int, Write]]:
        """Yield how many sentences are done already, and what writes more."""
        from tartib.decoder.resumable_output import Journal
        from tartib.storage import new_files

        if self.out is not None:
            targets = {"output": self.out, **self.side}
            begun = self._begun(system, decoder)
            journal = Journal(targets, begun, resume=self.resume, overwrite=self.overwrite)
            with journal:
                try:
                    yield journal.finished, journal.write
                except (KeyboardInterrupt, SystemExit) as stopped:
                    if journal.finished and self.fingerprint is not None:
                        done = counted(journal.finished, "sentence")
                        stopped.add_note(
                            f"{done} translated and kept: the same command with --resume continues"
                        )
                    raise
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

    def _begun(self, system: System, decoder: Decoder) -> dict[str, Any]:
        """Return all that the output depends on; it cannot be continued with anything else."""
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
        from tartib.decoder import output as formats

        for warning in translation.warnings:
            name = "standard input" if self.text == "-" else self.text
            output.print_note(f"tartib: warning: {name}:{number + 1}: {warning}")
        if self.loud:
            output.print_note(formats.trace_text(number, translation).removesuffix("\n"))
        ways = {
            "output": formats.json_line if self.as_json else formats.text_line,
            "nbest": formats.nbest_lines,
            "alignment": formats.alignment_line,
            "trace": formats.trace_text,
            "graph": formats.graph_lines,
        }
        return {role: ways[role](number, translation).encode() for role in ("output", *self.side)}
