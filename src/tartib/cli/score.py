"""``tartib score``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tartib.cli import options, output
from tartib.cli.score_systems import common_tokenisation, translated
from tartib.wording import counted

if TYPE_CHECKING:
    from tartib.evaluation import Comparison, Figure
    from tartib.evaluation.word_order import Order

_ORDER = "Word order"
_SIGNIFICANCE = "Significance"
_MOST_SAMPLES = 1_000_000  # as `evaluation.significance` has it, which takes long to import
_FIRST = "The first one by default."
_ORDER_NEEDS = "word order needs --source, --reference-alignment and --alignment together"


def score(
    references: Annotated[
        list[str],
        options.option(
            "--reference -r",
            "FILE",
            "Reference translations, one per line; give it again for each further reference.",
            show_default=False,
        ),
    ],
    outputs: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="OUTPUT",
            help="Output of a system, one sentence a line: FILE, or NAME=FILE,FILE,… where it was "
            "tuned several times; - is standard input.",
            show_default=False,
        ),
    ] = None,
    systems: Annotated[
        list[str] | None,
        options.option(
            "--system",
            "PATH",
            "System that translates --source and is scored: a folder or TOML file, or "
            "NAME=PATH,PATH,… where it was tuned several times; again for more.",
            show_default=False,
        ),
    ] = None,
    source: Annotated[
        str | None,
        options.option(
            "--source -s", "FILE", "The source text: for --system, and for the word order."
        ),
    ] = None,
    metrics: Annotated[
        list[str] | None,
        options.option(
            "--metric -m",
            "NAME",
            "bleu, nist, chrf, chrf++ or ter, and again for more; bleu, nist and chrf by "
            "default. TER may take a minute for each file.",
        ),
    ] = None,
    tokenize: Annotated[
        str | None,
        options.option(
            "--tokenize",
            "NAME",
            "SacreBLEU's tokenisation, for BLEU and NIST. none is right for text whose words "
            "are separated already, and the default; with a --system that writes raw text, the "
            "default is the target language's: 13a, zh, ja-mecab … Scores that can be compared "
            "with published ones are those of raw text.",
        ),
    ] = None,
    lowercase: Annotated[
        bool, options.flag("--lowercase", "Compare without regard to case.")
    ] = False,
    baseline: Annotated[
        str | None,
        options.option(
            "--baseline", "NAME", "Name of the system that the others are compared with. " + _FIRST
        ),
    ] = None,
    significance_test: Annotated[
        str,
        options.option(
            "--significance-test",
            "NAME",
            "Where p-values come from: bootstrap (Koehn 2004: would other sentences and other "
            "runs show it too?) or randomisation (Riezler and Maxwell 2005: could outputs have "
            "been mixed up?).",
            _SIGNIFICANCE,
        ),
    ] = "bootstrap",
    samples: Annotated[
        int,
        options.option(
            "--samples",
            "N",
            f"Samples of the test, at most {_MOST_SAMPLES:,}; the more, the smaller p-values can "
            "become.",
            _SIGNIFICANCE,
            min=1,
            max=_MOST_SAMPLES,
        ),
    ] = 1000,
    seed: options.Seed = 0,
    reference_alignments: Annotated[
        list[str] | None,
        options.option(
            "--reference-alignment",
            "FILE",
            "Word alignment source-reference in Pharaoh format, as `tartib align` makes it; "
            "again for each further reference that has one.",
            _ORDER,
        ),
    ] = None,
    alignments: Annotated[
        list[str] | None,
        options.option(
            "--alignment -a",
            "FILE",
            "Word alignment source-output of a system, as `tartib translate --alignment-out` "
            "makes it: FILE or NAME=FILE,FILE,…, for each system and run, in their order.",
            _ORDER,
        ),
    ] = None,
    jobs: options.Jobs = None,
    signature: Annotated[
        bool,
        options.flag("--signature", "Print each score on a line with its signature, to be quoted."),
    ] = False,
    as_json: options.Json = False,
) -> None:
    """Score translations by BLEU, NIST, chrF, TER and word order, and compare systems.

    Example:

        tartib score --reference ref.txt output.txt

    Translate and score, raw text against raw text:

        tartib score --system system --source test.de --reference test.en

    Several systems, each tuned three times, against two references:

        tartib score -r ref0 -r ref1 lexicalised=a1,a2,a3 svm=b1,b2,b3

    Word order, by alignments of outputs and references:

        tartib translate system.toml test.ar -o out --alignment-out out.align
        tartib align -s test.ar -t ref.txt --out ref.align
        tartib score -r ref.txt out -s test.ar -a out.align --reference-alignment ref.align

    See docs/evaluation.md for what is computed.
    """
    from tartib.evaluation.comparison import DEFAULT_METRICS, compare

    files = _systems(outputs or [])
    translating = _systems(systems or [])
    order_files = _alignments(alignments or [], files)
    _check_sources(files, translating, source, reference_alignments, order_files)
    _check_standard_input([source, *references, *(reference_alignments or ())], files, order_files)
    text = _Texts()
    right = [text.read(path) for path in references]
    lines = {name: [text.read(path) for path in runs] for name, runs in files.items()}
    suitable: list[str] = []  # tokenisations
    for name, paths in translating.items():
        found = [translated(path, text.read(str(source)), str(source), jobs) for path in paths]
        lines[name] = [run for run, _ in found]
        suitable += [name for _, name in found]
    compared = compare(
        lines,
        right,
        metrics=metrics or DEFAULT_METRICS,
        orders={name: text.orders(runs, source, files[name]) for name, runs in order_files.items()},
        reference_orders=text.orders(reference_alignments or [], source, references),
        baseline=baseline,
        significance_test=significance_test,
        samples=samples,
        seed=seed,
        tokenize=tokenize or common_tokenisation(suitable),
        lowercase=lowercase,
        progress=True,
    )
    if as_json:
        output.print_json({**compared.as_dict(), "files": files | translating})
    elif signature:
        _print_signatures(compared)
    else:
        _print_table(compared)
        for metric in compared.metrics if translating else ():
            output.print_plain(compared.signature(metric))


def _check_sources(
    files: dict[str, list[str]],
    translating: dict[str, list[str]],
    source: str | None,
    reference_alignments: Sequence[str] | None,
    order_files: dict[str, list[str]],
) -> None:
    """Refuse options that do not fit together."""
    if not files and not translating:
        raise typer.BadParameter("give outputs of systems, or --system and --source")
    if same := sorted(files.keys() & translating.keys()):
        raise typer.BadParameter(f"two systems are called {same[0]!r}: give names, as in a=FILE")
    if bool(reference_alignments) != bool(order_files):
        raise typer.BadParameter(_ORDER_NEEDS)
    if translating and order_files:
        raise typer.BadParameter("word order is scored on outputs in files, without --system")
    if source is None and (translating or order_files):
        raise typer.BadParameter("--system needs --source" if translating else _ORDER_NEEDS)
    if source is not None and not translating and not order_files:
        raise typer.BadParameter(_ORDER_NEEDS)


def _named(argument: str) -> tuple[str | None, list[str]]:
    """Read ``FILE``, ``FILE,FILE`` or ``NAME=FILE,FILE``; a file of that very name comes first."""
    if Path(argument).exists():
        return None, [argument]
    name, equals, rest = argument.partition("=")
    files = (rest if equals else argument).split(",")
    if not all(files) or (equals and not name):
        raise typer.BadParameter(f"{argument!r} is not FILE or NAME=FILE,FILE,…")
    return (name if equals else None), files


def _systems(arguments: Sequence[str]) -> dict[str, list[str]]:
    files: dict[str, list[str]] = {}
    for argument in arguments:
        name, runs = _named(argument)
        name = argument if name is None else name
        if name in files:
            raise typer.BadParameter(
                f"two systems are called {name!r}: give names, as in a={runs[0]}, and separate "
                "the runs of one system by commas"
            )
        files[name] = runs
    return files


def _alignments(arguments: Sequence[str], systems: dict[str, list[str]]) -> dict[str, list[str]]:
    """Return the alignments by system; those without a name belong to the systems in order."""
    if arguments and len(arguments) != len(systems):
        raise typer.BadParameter(f"{len(systems)} systems and {len(arguments)} --alignment given")
    found = {}
    for argument, system in zip(arguments, systems, strict=False):
        name, runs = _named(argument)
        if name is not None and (name not in systems or name in found):
            raise typer.BadParameter(f"--alignment {argument}: no system {name!r} needs one")
        found[system if name is None else name] = runs
    return found


def _check_standard_input(single: Sequence[str | None], *groups: dict[str, list[str]]) -> None:
    paths = [*single, *(path for files in groups for runs in files.values() for path in runs)]
    if paths.count("-") > 1:
        raise typer.BadParameter("only one file can be -, standard input")
    output.note_keyboard("-" if "-" in paths else "")


class _Texts:
    """Files that must all have as many lines; each is read once."""

    def __init__(self) -> None:
        self._known: dict[str, list[str]] = {}

    def read(self, path: str) -> list[str]:
        from tartib.errors import DataError
        from tartib.textio import read_lines

        if path not in self._known:
            lines = read_lines(path)
            if not lines:
                raise DataError(path, None, "is empty", "give a file with a line for each sentence")
            for other, known in self._known.items():
                if len(known) != len(lines):
                    first = "standard input" if other == "-" else other
                    problem = f"has {counted(len(lines), 'line')}, and {first} has {len(known):,}"
                    hint = "line n of all files must belong to the same sentence"
                    raise DataError(path, None, problem, hint)
            self._known[path] = lines
        return self._known[path]

    def orders(
        self, alignments: Sequence[str], source: str | None, targets: Sequence[str]
    ) -> list[list[Order]]:
        """Read alignments with the source; links must fit the targets, if each has its own."""
        from tartib.evaluation import source_orders

        own = len(alignments) == len(targets)
        return [
            source_orders(
                self.read(path),
                self.read(str(source)),
                path,
                self.read(targets[number]) if own else None,
            )
            for number, path in enumerate(alignments)
        ]


def _print_signatures(compared: Comparison) -> None:
    for name, figures in compared.systems.items():
        for metric, figure in figures.items():
            parts = [f"{name}\t{compared.signature(metric)} = {figure.score:.{_decimals(metric)}f}"]
            if figure.difference is not None:
                difference = f"{figure.difference.score:+.{_decimals(metric)}f}"
                parts.append(f"({difference}, p = {figure.difference.p_value:.4f})")
            output.print_plain(" ".join(parts))


def _print_table(compared: Comparison) -> None:
    heads = [
        f"{'τ' if metric == 'tau' else metric} {'↑' if note.higher_is_better else '↓'}"
        for metric, note in compared.metrics.items()
    ]
    rows = [
        [name, *(_cell(metric, figure) for metric, figure in figures.items())]
        for name, figures in compared.systems.items()
    ]
    title = counted(compared.sentences, "sentence")
    if len(compared.systems) > 1:
        title += f"; differences from {compared.baseline}: * p < 0.05, ** p < 0.01"
    output.print_table(title, ["system", *heads], rows, lines=True)


def _cell(metric: str, figure: Figure) -> str:
    """Return the score, with its deviation over runs, and what differs or else its interval."""
    digits = _decimals(metric)
    score = f"{figure.score:.{digits}f}"
    if figure.s_opt is not None:
        score += f" ± {figure.s_opt:.{digits}f}"
    d = figure.difference
    if d is None:
        return f"{score}\n[{figure.low:.{digits}f}, {figure.high:.{digits}f}]"
    mark = "**" if d.p_value < 0.01 else "*" if d.p_value < 0.05 else ""
    interval = f"[{d.low:+.{digits}f}, {d.high:+.{digits}f}]"
    return f"{score}\n{d.score:+.{digits}f}{mark} p = {d.p_value:.3f}\n{interval}"


def _decimals(metric: str) -> int:
    return 3 if metric == "NIST" else 2
