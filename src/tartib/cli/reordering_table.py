"""``tartib reordering-table``."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

from tartib.cli import options, output
from tartib.wording import counted


def reordering_table(
    phrases: options.Phrases,
    out: Annotated[
        Path,
        options.option(
            "--out -o", "FILE", "File to write; compressed if it is named .gz, .bz2, .xz or .zst."
        ),
    ],
    kind: Annotated[
        str,
        options.option(
            "--type",
            "NAME",
            "Moses' name of the table, from four parts: wbe, phrase or hier; msd, mslr, "
            "monotonicity or leftright; backward, forward or bidirectional; fe for phrase "
            "pairs, f for source phrases.",
        ),
    ] = "hier-msd-bidirectional-fe",
    smoothing: Annotated[
        float,
        options.option(
            "--smoothing", "NUMBER", "Added to every count; 0 for the papers' relative frequencies."
        ),
    ] = 0.5,
    overwrite: options.Overwrite = False,
    jobs: options.Jobs = None,
    signature: options.Signature = False,
    as_json: options.Json = False,
) -> None:
    """Write a lexicalised reordering model, the usual baseline, as Moses' text table.

    A line is  source ||| target ||| probabilities  of how the pair lies to the
    phrase before (backward), after (forward), or both.

    Example:

        tartib reordering-table phrases/ --out reordering-table.gz

    In a system of `tartib translate`, the table and its type stand together:

        table = "reordering-table.gz"
        type = "hier-msd-bidirectional-fe"
    """
    from tartib.moses import write_reordering_table
    from tartib.orientation import TableType
    from tartib.phrases import PhrasePairs
    from tartib.storage import check_free

    parsed = TableType.parse(kind)
    check_free(out, overwrite)
    began = time.perf_counter()
    pairs = PhrasePairs.load(phrases)
    write_reordering_table(
        pairs,
        out,
        parsed.orientation,
        direction=parsed.direction,
        condition=parsed.condition,
        smoothing=smoothing,
        overwrite=overwrite,
        n_jobs=jobs,
        progress=True,
    )
    seconds = time.perf_counter() - began
    found = {
        "type": kind,
        "pairs": len(pairs),
        "lines": _count(out),
        "columns": parsed.n_columns,
        "bytes": out.stat().st_size,
    }
    if as_json:
        seconds = round(seconds, 3)
        output.print_json({**found, "seconds": seconds, "signature": pairs.signature})
        return
    output.print_table(
        f"Reordering table of {counted(len(pairs), 'extracted pair')} in {seconds:.1f} s",
        ("type", "lines", "probabilities each", "size"),
        ((kind, found["lines"], parsed.n_columns, f"{out.stat().st_size / 1e6:,.1f} MB"),),
        right=(1, 2, 3),
    )
    output.print_signature(pairs.signature, signature)


def _count(path: Path) -> int:
    from tartib.textio import ByteStream, count_lines, line_blocks

    with ByteStream(path) as stream:
        return sum(map(count_lines, line_blocks(stream)))
