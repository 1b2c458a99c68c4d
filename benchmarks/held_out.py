"""Divide a word-aligned text, so that translation can be tested on more sentences than were given.

Run: python -m benchmarks.held_out --source S --target T --alignment A --out FOLDER

Writes ``train``, ``dev`` and ``test``, each with ``.source``, ``.target`` and ``.align``. Sentences
to tune and to test on are drawn among those that the text has once only, on either side.
"""

from __future__ import annotations

import argparse
import random
from collections import Counter
from pathlib import Path

from tartib.textio import read_lines

SUFFIXES = ("source", "target", "align")


def divide(rows: list[tuple[str, ...]], dev: int, test: int, seed: int) -> dict[str, list[int]]:
    """Return the rows of each part."""
    sources, targets = Counter(row[0] for row in rows), Counter(row[1] for row in rows)
    order = list(range(len(rows)))
    random.Random(seed).shuffle(order)
    single = [i for i in order if sources[rows[i][0]] == targets[rows[i][1]] == 1]
    held_out = set(single[: dev + test])
    return {
        "train": [i for i in range(len(rows)) if i not in held_out],
        "dev": single[:dev],
        "test": single[dev : dev + test],
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("source", "target", "alignment", "out"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--dev", type=int, default=1500)
    parser.add_argument("--test", type=int, default=2500)
    parser.add_argument("--seed", type=int, default=5)
    given = parser.parse_args()
    texts = [read_lines(path) for path in (given.source, given.target, given.alignment)]
    rows = list(zip(*texts, strict=True))
    given.out.mkdir(parents=True, exist_ok=True)
    for part, chosen in divide(rows, given.dev, given.test, given.seed).items():
        for column, suffix in enumerate(SUFFIXES):
            lines = "".join(f"{rows[i][column]}\n" for i in chosen)
            (given.out / f"{part}.{suffix}").write_text(lines, encoding="utf-8")
        print(f"{part}: {len(chosen):,} sentence pairs")


if __name__ == "__main__":
    main()
