"""``tartib phrase-table``."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tartib.cli import options, output
from tartib.wording import counted

if TYPE_CHECKING:
    from tartib.phrase_table import PhraseTable


def phrase_table(
    phrases: options.Phrases,
    out: Annotated[
        Path | None,
        options.option("--out -o", "FOLDER", "Folder for the phrase table; it loads at once."),
    ] = None,
    moses: Annotated[
        Path | None,
        options.option(
            "--moses",
            "FILE",
            "File for the table in Moses' text format; compressed if it is named .gz, .bz2, "
            ".xz or .zst.",
        ),
    ] = None,
    lexical: Annotated[
        str | None,
        options.option(
            "--lexical",
            "PREFIX",
            "Write Moses' lexical tables too, to the files PREFIX.f2e and PREFIX.e2f; lex.gz "
            "is lex.f2e.gz and lex.e2f.gz.",
        ),
    ] = None,
    discounting: Annotated[
        str,
        options.option(
            "--discounting",
            "NAME",
            "Makes rare pairs less likely: none, good-turing or kneser-ney (Foster et al. "
            "2006, with Moses' formulas).",
            "Scores",
        ),
    ] = "none",
    min_count: Annotated[
        int,
        options.option(
            "--min-count", "N", "Keep pairs that were extracted at least N times.", "Pruning"
        ),
    ] = 1,
    significance_pruning: Annotated[
        str | None,
        options.option(
            "--significance-pruning",
            "NAME",
            "Keep pairs whose phrases occur in the same sentence pairs more often than "
            "by chance (Johnson et al. 2007): a+e drops pairs of phrases that occur once each, "
            "and most of a table with them; a-e keeps those; a number is the least -log p of "
            "Fisher's exact test.",
            "Pruning",
        ),
    ] = None,
    table_limit: Annotated[
        int | None,
        options.option(
            "--table-limit",
            "N",
            "Keep the N translations of each source phrase with the highest p(e|f). Decoders "
            "look at 20 or 30.",
            "Pruning",
        ),
    ] = None,
    overwrite: options.Overwrite = False,
    jobs: options.Jobs = None,
    signature: options.Signature = False,
    as_json: options.Json = False,
) -> None:
    """Score phrase pairs: how each source phrase is translated, and how likely that is.

    A row has Moses' four scores: phrase and lexical translation probabilities
    in both directions, p(f|e), lex(f|e), p(e|f) and lex(e|f), with f the source
    and e the target phrase.

    Example:

        tartib phrase-table phrases/ --out table/

    A smaller one, and the same for Moses:

        tartib phrase-table phrases/ --table-limit 30 -o table/ --moses table.gz
    """
    from tartib.phrase_table import LexicalTable, PhraseTable
    from tartib.phrase_table.lexical_table import lexical_files
    from tartib.phrases import PhrasePairs
    from tartib.storage import check_free

    if out is None and moses is None:
        raise typer.BadParameter("give --out, --moses, or both")
    files = () if lexical is None else lexical_files(lexical)
    for path in (out, moses, *files):
        if path is not None:
            check_free(path, overwrite)
    began = time.perf_counter()
    pairs = PhrasePairs.load(phrases)
    words = LexicalTable.count(pairs)
    table = PhraseTable.build(
        pairs,
        discounting=discounting,
        min_count=min_count,
        significance_pruning=significance_pruning,
        table_limit=table_limit,
        lexical=words,
        n_jobs=jobs,
        progress=True,
    )
    if lexical is not None:
        words.write_moses(lexical, overwrite=overwrite)
    if moses is not None:
        table.write_moses(moses, overwrite=overwrite, n_jobs=jobs, progress=True)
    if out is not None:
        table.save(out, overwrite=overwrite)
    _report(table, len(pairs), len(words), time.perf_counter() - began, as_json)
    output.print_signature(table.signature, signature and not as_json)


def _report(table: PhraseTable, pairs: int, words: int, seconds: float, as_json: bool) -> None:
    found = {
        "pairs": pairs,
        "rows": len(table),
        "source_phrases": table.n_phrases,
        "word_pairs": words,
        "bytes": table.nbytes,
    }
    if as_json:
        seconds = round(seconds, 3)
        output.print_json({**found, "seconds": seconds, "signature": table.signature})
        return
    output.print_table(
        f"Phrase table of {counted(pairs, 'extracted pair')} in {seconds:.1f} s",
        ("rows", "source phrases", "rows each", "word pairs", "size"),
        (
            (
                len(table),
                table.n_phrases,
                f"{len(table) / table.n_phrases:.1f}" if table.n_phrases else "–",
                words,
                f"{table.nbytes / 1e6:,.1f} MB",
            ),
        ),
        right=(0, 1, 2, 3, 4),
    )
