"""``tartib lm``."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from tartib.cli import options, output
from tartib.cli.help import Command, Group

if TYPE_CHECKING:
    from tartib.lm import LanguageModel, LineScores, TextScore, WordScore

Number = TypeVar("Number", int, float)

app = typer.Typer(
    cls=Group,
    help="Estimate and query n-gram language models, which say how likely a sentence is.\n\n"
    "`estimate` makes a model of text, `query` scores sentences with it or with any ARPA file.",
    no_args_is_help=True,
)


@app.command(cls=Command)
def estimate(
    text: Annotated[
        Path,
        options.option(
            "--text -i",
            "FILE",
            "One sentence a line, words separated by spaces. Plain, .gz, .bz2, .xz or .zst; - "
            "is standard input.",
        ),
    ],
    out: Annotated[
        Path | None,
        options.option("--out -o", "FOLDER", "Folder for the model; it loads at once."),
    ] = None,
    arpa: Annotated[
        Path | None,
        options.option(
            "--arpa",
            "FILE",
            "ARPA file for the model, that other tools read; compressed if it is named .gz, "
            ".bz2, .xz or .zst.",
        ),
    ] = None,
    order: Annotated[
        int,
        options.option(
            "--order -n",
            "N",
            "Length of the longest n-grams: 3 for little text, 5 for most.",
            min=1,
            max=6,
        ),
    ] = 5,
    prune: Annotated[
        str,
        options.option(
            "--prune",
            "NUMBERS",
            "Drop n-grams that occur no more often than this, for each order from 1; the last "
            "number holds for higher orders. 0,0,1 drops 3-grams and longer ones that occur "
            "once: a much smaller model, a little worse.",
        ),
    ] = "0",
    discount_fallback: Annotated[
        str | None,
        options.option(
            "--discount-fallback",
            "NUMBERS",
            "Discounts for orders whose own cannot be computed because the text is small or "
            "artificial; 0.5,1,1.5 is usual. Without it that is an error.",
        ),
    ] = None,
    skip_symbols: Annotated[
        bool,
        options.flag("--skip-symbols", "Leave out <s>, </s> and <unk> that are in the text."),
    ] = False,
    overwrite: options.Overwrite = False,
    jobs: options.Jobs = None,
    signature: options.Signature = False,
    as_json: options.Json = False,
) -> None:
    """Estimate a model by interpolated modified Kneser-Ney smoothing, as KenLM's lmplz does.

    The text should be tokenised as the translations will be.

    Example:

        tartib lm estimate --text train.en --order 5 --out lm/

    A smaller model, and the same for other tools:

        tartib lm estimate -i train.en.gz --prune 0,0,1 -o lm/ --arpa lm.arpa.gz
    """
    from tartib.lm import LanguageModel
    from tartib.storage import check_free

    targets = [path for path in (out, arpa) if path is not None]
    if not targets:
        raise typer.BadParameter("give --out, --arpa, or both")
    for path in targets:
        check_free(path, overwrite)
    began = time.perf_counter()
    model = LanguageModel.estimate(
        str(text),
        order,
        _numbers(prune, "--prune", int),
        discount_fallback is not None and _numbers(discount_fallback, "--discount-fallback", float),
        skip_symbols=skip_symbols,
        n_jobs=jobs,
        progress=True,
    )
    if out is not None:
        model.save(out, overwrite=overwrite)
    if arpa is not None:
        model.write_arpa(arpa, overwrite=overwrite, progress=True)
    seconds = time.perf_counter() - began
    if as_json:
        facts = {"counts": model.counts, "seconds": round(seconds, 3), "signature": model.signature}
        output.print_json(facts)
        return
    rows = [(n, count) for n, count in enumerate(model.counts, 1)]
    output.print_table("N-grams of the model", ("order", "n-grams"), rows, right=(0, 1))
    output.print_note(f"Wrote {', '.join(map(str, targets))} in {seconds:.1f} s")
    output.print_signature(model.signature, signature)


@app.command(cls=Command)
@options.loads
def query(
    model: Annotated[
        Path,
        typer.Argument(
            metavar="MODEL", help="Folder that `tartib lm estimate --out` made, or an ARPA file."
        ),
    ],
    text: Annotated[
        Path,
        typer.Argument(
            metavar="[TEXT]",
            help="Sentences, one a line; standard input by default, each answered at once.",
        ),
    ] = Path("-"),
    words: Annotated[
        bool,
        options.flag(
            "--words", "Print for each word the length of the n-gram that was found, and log10 p."
        ),
    ] = False,
    jobs: options.Jobs = None,
    as_json: Annotated[bool, options.flag("--json", "Print a JSON object a line instead.")] = False,
) -> None:
    """Print log10 p of each sentence, and the perplexity of them all.

    OOV are words that the model has not seen. The last lines are about the
    whole text. The lower the perplexity, the better the model expects the text.

    Example:

        tartib lm query lm/ test.en

    Which n-grams were found:

        echo "the old house" | tartib lm query lm/ --words
    """
    from tartib.lm import LanguageModel, TextScore

    loaded = LanguageModel.load(model, progress=True)
    output.note_keyboard(str(text))
    total = TextScore()
    for scores, details in _scored(loaded, str(text), words, jobs):
        total = total.plus(scores)
        show = _json_line if as_json else _plain_line
        lines = (
            show(scores, i, None if details is None else details[i])
            for i in range(len(scores.tokens))
        )
        output.print_plain("\n".join(lines))
    if as_json:
        output.print_plain(json.dumps(_summary(total)))
        return
    for which, value in (("in", total.perplexity), ("ex", total.perplexity_known)):
        output.print_plain(
            f"Perplexity {which}cluding OOVs:\t{'–' if math.isnan(value) else f'{value:.8g}'}"
        )
    output.print_plain(f"OOVs:\t{total.unknown}\nTokens:\t{total.tokens}")


def _scored(
    model: LanguageModel, text: str, words: bool, jobs: int | None
) -> Iterator[tuple[LineScores, list[list[WordScore]] | None]]:
    """Give the scores of a block of lines after another, and of their words if asked for.

    Standard input is answered line by line, as it comes.
    """
    from tartib.textio import STANDARD_INPUT, text_blocks

    asked = text == STANDARD_INPUT
    if not words and not asked:
        yield from ((scores, None) for scores in model.score_lines(text, n_jobs=jobs))
        return
    for block in text_blocks(text, at_once=asked):
        lines = block.decode(errors="replace").removesuffix("\n").split("\n")
        details = [model.word_scores(line) for line in lines] if words else None
        yield model.score_block(block), details


def _plain_line(scores: LineScores, i: int, words: list[WordScore] | None) -> str:
    """Write a sentence's scores in the way of KenLM's query."""
    parts = [f"{w.word}={w.length} {w.log10_p:.8g}" for w in words or ()]
    return "\t".join([*parts, f"Total: {scores.log10_p[i]:.8g} OOV: {scores.unknown[i]}"])


def _json_line(scores: LineScores, i: int, words: list[WordScore] | None) -> str:
    facts: dict[str, Any] = {
        "log10_p": float(scores.log10_p[i]),
        "tokens": int(scores.tokens[i]),
        "unknown": int(scores.unknown[i]),
    }
    if words is not None:
        facts["words"] = [word._asdict() for word in words]
    return json.dumps(facts, ensure_ascii=False)


def _summary(total: TextScore) -> dict[str, float | None]:
    """Return the figures of a whole text; a perplexity of no tokens is null, as JSON has no nan."""
    figures = {
        "lines": total.lines,
        "log10_p": total.log10_p,
        "tokens": total.tokens,
        "unknown": total.unknown,
        "perplexity": total.perplexity,
        "perplexity_known": total.perplexity_known,
    }
    return {name: None if math.isnan(value) else value for name, value in figures.items()}


def _numbers(text: str, option: str, kind: type[Number]) -> list[Number]:
    """Read numbers with commas or spaces between them."""
    try:
        return [kind(part) for part in text.replace(",", " ").split()]
    except ValueError:
        raise typer.BadParameter(
            f"{option} takes numbers separated by commas, not {text!r}"
        ) from None
