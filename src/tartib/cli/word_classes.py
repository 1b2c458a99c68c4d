"""``tartib word-classes``."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

from tartib.cli import options, output

_SHOWN = 10  # classes, and words of each


def word_classes(
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
        Path,
        options.option(
            "--out -o",
            "FILE",
            "File for the classes: a word, a tab and the number of its class on each line; "
            "compressed if it is named .gz, .bz2, .xz or .zst.",
        ),
    ],
    classes: Annotated[
        int,
        options.option(
            "--classes",
            "N",
            "How many classes. With more of them the words of a class are more alike, but there "
            "are fewer to learn from.",
            min=2,
            max=1000,
        ),
    ] = 100,
    overwrite: options.Overwrite = False,
    signature: options.Signature = False,
    as_json: options.Json = False,
) -> None:
    """Put words that stand beside the same words into classes, learnt from text alone.

    The classes are those that make a bigram model of them fit the text best. Rare words get a
    class too. A system's sparse reordering features can use the file; feature sets with -classes
    in their names learn classes by themselves.

    Example:

        tartib word-classes --text train.en --classes 50 --out classes.en
    """
    from tartib.storage import check_free
    from tartib.word_classes import WordClasses

    check_free(out, overwrite)
    began = time.perf_counter()
    made = WordClasses.learn(text, classes, progress=True)
    made.save(out, overwrite=overwrite)
    seconds = time.perf_counter() - began
    if as_json:
        output.print_json(
            {
                "classes": len(made),
                "words": len(made.numbers),
                "perplexity": made.perplexity,
                "seconds": round(seconds, 3),
                "signature": made.signature,
            }
        )
        return
    rows = [
        (number, len(members), " ".join(members[:_SHOWN])) for number, members in enumerate(made, 1)
    ]
    output.print_table(
        f"The most frequent of {len(made)} classes of {len(made.numbers):,} words",
        ("class", "words", "most frequent words"),
        rows[:_SHOWN],
        right=(0, 1),
    )
    output.print_note(f"Perplexity of the text by its classes: {made.perplexity:.1f}")
    output.print_note(f"Wrote {out} in {seconds:.1f} s")
    output.print_signature(made.signature, signature)
