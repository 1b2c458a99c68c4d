"""``tartib translate``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tartib.cli import options
from tartib.cli.translate_run import Marks, Run

if TYPE_CHECKING:
    from tartib.decoder import System

_SEARCH = "Search (instead of the system's options)"
_FORCED = "Forced translations"
_OUTPUT = "Output"


def translate(
    system: options.SystemFile,
    text: Annotated[
        str,
        typer.Argument(
            metavar="[INPUT]",
            help="One sentence on each line, plain or compressed; - is standard input.",
        ),
    ] = "-",
    documents: Annotated[
        bool,
        options.flag(
            "--documents",
            "Lines are paragraphs: each is cut into sentences, whose translations are joined "
            "again. The output has the same lines.",
        ),
    ] = False,
    tokens: Annotated[
        bool,
        options.flag(
            "--tokens",
            "Input and output are tokens, separated by spaces, though the system has a text "
            "module.",
        ),
    ] = False,
    markup: Annotated[
        bool,
        options.flag(
            "--markup",
            "Tags in the input give translations, as in Moses' XML input: see docs/decoder.md.",
            _FORCED,
        ),
    ] = False,
    terms: Annotated[
        Path | None,
        options.option(
            "--terms",
            "FILE",
            "Glossary: lines of a source phrase, a tab and its translation, which is used wherever "
            "the phrase occurs.",
            _FORCED,
        ),
    ] = None,
    ignore_case: Annotated[
        bool,
        options.flag(
            "--ignore-case", "Phrases of --terms count in whatever case they occur.", _FORCED
        ),
    ] = False,
    inclusive: Annotated[
        bool,
        options.flag(
            "--inclusive",
            "Forced translations are offered beside those of the phrase table, not in their place.",
            _FORCED,
        ),
    ] = False,
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
            "--json",
            "Print a line of JSON for each line instead of its translation: raw text and tokens.",
            _OUTPUT,
        ),
    ] = False,
    nbest_out: Annotated[
        Path | None,
        options.option(
            "--nbest-out",
            "FILE",
            "File for n-best lists in Moses' format, for tuning and reranking; in tokens.",
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
            "which `tartib score` computes scores of word order; of tokens.",
            _OUTPUT,
        ),
    ] = None,
    trace_out: Annotated[
        str | None,
        options.option(
            "--trace-out",
            "FILE",
            "File that shows how each sentence was translated, in tokens; - is standard error.",
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

    A system is a folder that `tartib build` wrote: raw text in, raw text out.

        tartib translate system < input.txt > output.txt

    Or it is a TOML file. The smallest one names the folders that
    `tartib phrase-table` and `tartib lm estimate` wrote:

        phrase-table = "table"
        lm = "lm"

    docs/decoder.md has the rest: text, reordering models, weights, search. Without
    a text module, input and output are tokens, as the training text was. N-best
    lists, traces, alignments and search graphs are always about tokens.

    Example:

        tartib translate system.toml < input.txt > output.txt

    N-best lists, traces, and continuing after an interrupt:

        tartib translate system.toml dev.txt -o out.txt --nbest-out nbest.txt
        tartib translate system.toml input.txt --trace-out -
        tartib translate system.toml input.txt -o out.txt --resume
    """
    from tartib.decoder.system import file_of

    if monotone and distortion_limit not in (None, 0):
        raise typer.BadParameter("give --monotone or --distortion-limit, not both")
    files = {"nbest": nbest_out, "alignment": alignment_out, "graph": search_graph_out}
    if trace_out != "-":
        files["trace"] = None if trace_out is None else Path(trace_out)
    run = Run(
        text,
        None if str(out) == "-" else out,
        {role: path for role, path in files.items() if path is not None},
        documents=documents,
        tokens=tokens,
        marks=Marks(markup, terms, ignore_case, inclusive),
        as_json=as_json,
        nbest_size=nbest_size,
        distinct=distinct,
        loud=trace_out == "-",
        resume=resume,
        overwrite=overwrite,
        jobs=jobs,
    )
    run.refuse()
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
    given = [path for path in (weights, terms) if path is not None]
    sources = [file_of(system), *given, *chosen.files]
    if run.is_finished(sources):
        return
    run.translate(chosen)
    run.tell(summary=verbose or sys.stderr.isatty())


def _system(path: Path, weights: Path | None, search: dict[str, Any]) -> System:
    from tartib.decoder.system import System
    from tartib.decoder.system_sections import read_weights

    system = System.read(path)
    if weights is not None:
        system = system.with_weights(read_weights(weights), weights)
    return system.with_search(**{n: v for n, v in search.items() if v is not None})
